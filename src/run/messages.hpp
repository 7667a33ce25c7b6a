// The messages between a run and its worker: lines of JSON over a socket.
#pragma once

#include "model/case.hpp"
#include "model/facts.hpp"
#include "model/sample.hpp"
#include "model/session.hpp"

#include <nlohmann/json.hpp>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <type_traits>

// null stands for an empty optional.
template <class T>
requires(!std::is_same_v<T, nlohmann::json>) struct nlohmann::adl_serializer<std::optional<T>> {
    static void to_json(json& to, const std::optional<T>& value)
    {
        if (value)
            to = *value;
        else
            to = nullptr;
    }
    static void from_json(const json& from, std::optional<T>& value)
    {
        value = from.is_null() ? std::nullopt : std::optional<T>(from.get<T>());
    }
};

namespace nestbed
{

using Message = nlohmann::json;

// A worker's answer when it has opened its session.
struct Opened {
    DeviceFacts facts;
    std::string schedule;
};

// All from_json() throw nlohmann::json::exception if the JSON is something else.
void to_json(Message& json, const Case& point);
void from_json(const Message& json, Case& point);
void from_json(const Message& json, Status& status); // checks that the status exists

// The messages of a type whose members are these, each under its name. A member that the list lacks does not compile,
// because a structured binding names every member. So nothing can be empty only with a worker.
#define NESTBED_MESSAGE(Type, ...)                                                                                   \
    inline void names_all_members(const Type& value)                                                                 \
    {                                                                                                                \
        [[maybe_unused]] const auto& [__VA_ARGS__] = value;                                                          \
    }                                                                                                                \
    NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Type, __VA_ARGS__)

NESTBED_MESSAGE(LaunchCounts, attempted_by_depth, attempted, failed, waits_given_up, max_depth, first_error)
NESTBED_MESSAGE(GpuState, sm_clock_mhz, memory_clock_mhz, temperature_c, power_mw, throttle)
NESTBED_MESSAGE(RequestSample, items, replaced, drains, drains_refused, child_blocks, arena_bytes, grids)
NESTBED_MESSAGE(Spread, median, p99, p999, worst)
NESTBED_MESSAGE(RunTimes, wall, span, next, host_us)
NESTBED_MESSAGE(Sample, status, detail, gpu_us, wall_us, runs, prepare_us, held, launches, host_launches,
                latencies_us, image, launches_expected, requests, work, pixels_off, answer, reference, relative_error,
                pending_limit, limit_bytes, wave, waves, streams, gpu_state, device_lost)
// Without `alive`, which calls a function of this process.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SessionOptions, schedule, workers, experiment, untimed, ranges)
NESTBED_MESSAGE(DeviceFacts, name, driver, runtime, compute_capability, uuid, multiprocessors, max_threads_per_block,
                max_threads_per_multiprocessor, max_blocks_per_multiprocessor, max_grid, resident_grids,
                default_pending_limit, raising_limit_is_free, memory_bytes, free_memory_bytes, l2_bytes,
                peak_bandwidth_gb_s)
NESTBED_MESSAGE(DepthProbe, asked, reached, error)
NESTBED_MESSAGE(MeasuredBandwidth, read_gb_s, copy_gb_s)
NESTBED_MESSAGE(Opened, facts, schedule)

// On one line, with its end. Bytes that are not UTF-8 become U+FFFD, and numbers that are not finite are empty.
std::string line_of(const Message& message);

// Assembles messages from the pieces that arrive.
class MessageReader
{
  public:
    void add(const char* bytes, std::size_t count) { pending_.append(bytes, count); }
    // The next complete message, in the order in which they were sent; empty if none is complete. Throws RunError for
    // invalid data.
    std::optional<Message> next();

  private:
    std::string pending_;
    std::size_t read_ = 0;     // bytes of `pending_` that were read
    std::size_t searched_ = 0; // those that have no end of a line after `read_`
};

// Throws RunError if the other end is gone.
void send_lines(int socket, std::string_view lines);
void send_message(int socket, const Message& message);
// Waits for a message. Empty if the other end is gone.
std::optional<Message> receive_message(int socket, MessageReader& reader);

} // namespace nestbed
