// The verdict on every strategy: `racy` agrees with what the detector finds, in every order of the executor.
#include "base/text_file.hpp"
#include "device/backends.hpp"
#include "inspect/race_text.hpp"
#include "support/battery.hpp"
#include "support/effort.hpp"

#include <algorithm>
#include <array>
#include <span>
#include <sstream>
#include <string>

namespace nestbed
{
namespace
{

struct Mutant {
    const char* prefix;
    const char* stem; // of the file with the strategies: they begin with prefix_stem
    const char* file; // with the race
    std::string place;
    std::string other; // empty: the same place
};

const std::vector<Mutant>& mutants()
{
    static const std::vector<Mutant> all{
#include "mutants.inc"
    };
    return all;
}

bool is_mutant(const Way& way)
{
    return std::ranges::any_of(mutants(),
                               [&](const Mutant& mutant) { return way.strategy.starts_with(mutant.prefix); });
}

std::vector<Way> original_ways()
{
    return ways_of(BackendKind::cpu, [](const Way& way) { return !way.needs_cuda() && !is_mutant(way); });
}

std::string text_of(const Races& races)
{
    std::string text;
    for (const Race& race : races.races)
        text += race.memory + " " + race.first.places.front().file + ":" +
                std::to_string(race.first.places.front().line) + " " + race.second.places.front().file + ":" +
                std::to_string(race.second.places.front().line) + " " + race.missing + "\n";
    return text;
}

std::unique_ptr<LocalSession> session_of(const std::string& schedule)
{
    return open_session(BackendKind::cpu, {.schedule = schedule, .workers = 1, .untimed = true});
}

class EveryStrategy : public testing::TestWithParam<Way>
{
};

// Empty grids in such numbers take the detector a minute, and have the same launches as fewer of them.
bool has_too_many_grids(const Case& point)
{
    constexpr std::uint64_t kMax = 2000;
    const Strategy& strategy = *Registry::find_anywhere(point.strategy);
    return strategy.info().workload->name == "fanout" && strategy.launches(point).levels() > 1 &&
           strategy.launches(point).total() > kMax;
}

// Shapes with one element or one thread cannot have a race. For any other shape, one run without delay is enough to
// find the race.
TEST_P(EveryStrategy, IsRacyAsItSays)
{
    constexpr std::array kSchedules{"fifo", "eager", "random:1"};
    for (const char* schedule : std::span(kSchedules).first(random_orders(1, kSchedules.size()))) {
        const auto session = session_of(schedule);
        std::uint64_t pairs = 0;
        for_the_battery(
            BackendKind::cpu, GetParam(),
            [&](const Case& point, const Shape& shape) {
                if (has_too_many_grids(point))
                    return;
                const Races races = session->races(point, 0);
                EXPECT_TRUE(races.sample.status == Status::ok || GetParam().info().racy)
                    << schedule << ": " << races.sample.detail;
                EXPECT_TRUE(races.pairs() == 0 || GetParam().info().racy)
                    << schedule << ", " << shape.name << ": " << text_of(races);
                EXPECT_TRUE(races.bad_accesses.empty() || GetParam().info().racy)
                    << schedule << ", " << shape.name << ": " << races_text(races);
                pairs += races.pairs();
            },
            !is_thorough());
        EXPECT_EQ(pairs > 0, GetParam().info().racy) << schedule;
    }
}

TEST_P(EveryStrategy, IsRacyAsItSaysInAnyOrder)
{
    const Shape sum{"", 4, 64, 0, GetParam().has_elements() ? std::optional<std::uint32_t>() : 4};
    const Shape matrix{.name = "", .nx = 70, .ny = 50, .block_shape = {16, 8}};
    const Case point =
        case_of(BackendKind::cpu, GetParam(), GetParam().has_matrix() ? matrix : sum, types_of(GetParam()).front());
    for (const char* schedule : {"fifo", "eager", "random:1"}) {
        const auto session = session_of(schedule);
        const std::size_t orders = std::string_view(schedule) == "random:1" ? random_orders(2, 20) : 1;
        for (unsigned order = 0; order < orders; ++order) {
            const Races races = session->races(point, order);
            EXPECT_EQ(races.pairs() > 0, GetParam().info().racy)
                << schedule << " " << order << ": " << text_of(races);
            EXPECT_TRUE(races.bad_accesses.empty() || GetParam().info().racy)
                << schedule << " " << order << ": " << races_text(races);
        }
    }
}

INSTANTIATE_TEST_SUITE_P(Races, EveryStrategy, testing::ValuesIn(original_ways()), kWayName);

// Line numbers of the lines with this text.
std::vector<unsigned> lines_with(const std::string& file, const std::string& text)
{
    std::istringstream source(read_text_file(NESTBED_SOURCE "/" + file));
    std::vector<unsigned> lines;
    std::string line;
    for (unsigned number = 1; std::getline(source, line); ++number)
        if (line.find(text) != std::string::npos)
            lines.push_back(number);
    return lines;
}

class EveryMutant : public testing::TestWithParam<Mutant>
{
};

TEST_P(EveryMutant, HasARaceAtItsLine)
{
    const Mutant& mutant = GetParam();
    const std::string other = mutant.other.empty() ? mutant.place : mutant.other;
    // The access is at this line, or in a function called from it.
    const auto here = [&](const RaceAccess& access, const std::string& text) {
        return std::ranges::any_of(access.places, [&](const SourcePlace& place) {
            return place.file == mutant.file && std::ranges::count(lines_with(mutant.file, text), place.line) != 0;
        });
    };
    const std::vector<Way> ways = ways_of(BackendKind::cpu, [&](const Way& way) {
        return way.strategy.starts_with(std::string(mutant.prefix) + "_" + mutant.stem);
    });
    ASSERT_FALSE(ways.empty());
    for (const Way& way : ways) {
        const bool graph = way.info().over_graph(); // with a race among the blocks of a grid: any mechanism has it
        const Shape shape = graph ? graph_battery().back() : Shape{"", 4, 64, 0};
        const Races races =
            session_of("fifo")->races(case_of(BackendKind::cpu, way, shape, types_of(way).front()), 0);
        if (way.mechanism == Mechanism::tail && !graph) { // a tail launch waits for all threads without a barrier
            EXPECT_EQ(races.pairs(), 0U) << text_of(races);
            continue;
        }
        EXPECT_TRUE(std::ranges::any_of(races.races,
                                        [&](const Race& race) {
                                            return (here(race.first, mutant.place) && here(race.second, other)) ||
                                                   (here(race.first, other) && here(race.second, mutant.place));
                                        }))
            << name_of(way) << "\n"
            << text_of(races);
    }
}

INSTANTIATE_TEST_SUITE_P(Races, EveryMutant, testing::ValuesIn(mutants()),
                         [](const testing::TestParamInfo<Mutant>& test) {
                             std::string name =
                                 std::string(test.param.prefix) + "_" + test.param.stem + "_" + test.param.file;
                             std::ranges::replace_if(
                                 name, [](char letter) { return letter == '/' || letter == '.'; }, '_');
                             return name;
                         });

TEST(Mutants, AreAtLeastTwenty)
{
    EXPECT_GE(mutants().size(), 20U);
}

} // namespace
} // namespace nestbed
