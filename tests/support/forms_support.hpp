// What the tests of the forms of a workload share: a session of the executor, and what a sample must be.
#pragma once

#include "device/backends.hpp"
#include "model/axis_table.hpp"
#include "support/battery.hpp"

#include <memory>
#include <sstream>
#include <string>

namespace nestbed
{

// With sanitizers, always under fifo.
inline std::unique_ptr<Session> session_of(const std::string& schedule)
{
    return open_session(BackendKind::cpu, {.schedule = all_or_few<std::string>(schedule, "fifo"), .workers = 1});
}

// Right, with as many launches as the oracle or the run itself says, none of them deeper than the case's depth.
inline void expect_right(Session& session, const Case& point, unsigned repetition = 0)
{
    SCOPED_TRACE(point.strategy + " " + std::string(name_of(point.input)) + " elements " +
                 std::to_string(point.elements) + " block " + std::to_string(point.block) + " depth " +
                 (point.depth ? std::to_string(*point.depth) : "full"));
    const Sample sample = session.sample(point, repetition);
    ASSERT_EQ(sample.status, Status::ok) << sample.detail;
    EXPECT_EQ(sample.answer, sample.reference);
    EXPECT_TRUE(sample.work);
    if (sample.launches_expected) {
        EXPECT_EQ(sample.launches->attempted, *sample.launches_expected);
    }
    if (point.depth) {
        EXPECT_LE(sample.launches->max_depth, *point.depth);
    }
}

// Expects every combination of these values to be right: "elements 1 2 65; input uniform equal". An axis that the strategy does
// not have is left out.
inline void expect_all_right(Session& session, const Case& point, const std::string& axes)
{
    std::istringstream words(axes.substr(0, axes.find(';')));
    const std::string others = axes.find(';') == std::string::npos ? "" : axes.substr(axes.find(';') + 1);
    std::string name;
    if (!(words >> name))
        return expect_right(session, point);
    const Axis& axis = axis_named(name);
    if (!applies(axis, Registry::find_anywhere(point.strategy)->info()))
        return expect_all_right(session, point, others);
    for (std::string word; words >> word && !testing::Test::HasFailure();) {
        SCOPED_TRACE(name + " " + word);
        Case with = point;
        const std::optional<std::uint64_t> number = axis.words() ? number_on(axis, word) : std::stoull(word);
        ASSERT_TRUE(number);
        axis.set(with, number);
        expect_all_right(session, with, others);
    }
}

inline void expect_all_right_by_mechanism(Session& session, const Case& point, const std::string& axes)
{
    for (const Mechanism mechanism : Registry::find_anywhere(point.strategy)->info().mechanisms) {
        Case with = point;
        with.mechanism = mechanism;
        if (mechanism == Mechanism::tail)
            with.overflow = Overflow::absent;
        expect_all_right(session, with, axes);
    }
}

inline std::string why_unsupported(Session& session, const Case& point)
{
    const Sample sample = session.sample(point, 0);
    EXPECT_EQ(sample.status, Status::unsupported);
    return sample.detail;
}

} // namespace nestbed
