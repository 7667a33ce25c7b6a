// What a run and its worker say to each other: CBOR in frames of a length and so many bytes, over a socket.
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

// null where there is no value.
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

// What a worker answers when it has opened its session.
struct Opened {
    DeviceFacts facts;
    std::string schedule;
};

// All from_json() throw nlohmann::json::exception for what is no such thing.
void to_json(Message& json, const Case& point);
void from_json(const Message& json, Case& point);
void from_json(const Message& json, Status& status); // else a number of no status would become one

// An image stays in the worker: a run has no use for one.
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(LaunchCounts, attempted_by_depth, attempted, failed, waits_given_up, max_depth,
                                   first_error)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(GpuState, sm_clock_mhz, memory_clock_mhz, temperature_c, power_mw, throttle)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Sample, status, detail, gpu_us, wall_us, held, launches, host_launches,
                                   latencies_us, answer, reference, relative_error, pending_limit, limit_bytes, wave,
                                   waves, streams, gpu_state, device_lost)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SessionOptions, schedule, workers, experiment, untimed, ranges)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DeviceFacts, name, driver, runtime, compute_capability, uuid, multiprocessors,
                                   max_threads_per_block, max_threads_per_multiprocessor,
                                   max_blocks_per_multiprocessor, max_grid, resident_grids, default_pending_limit,
                                   raising_limit_is_free, memory_bytes, free_memory_bytes, l2_bytes,
                                   peak_bandwidth_gb_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(DepthProbe, asked, reached, error)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MeasuredBandwidth, read_gb_s, copy_gb_s)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Opened, facts, schedule)

// Four bytes, the least significant first, and the message.
std::string frame_of(const Message& message);

// Puts frames together from the pieces in which they come.
class FrameReader
{
  public:
    void add(const char* bytes, std::size_t count) { pending_.append(bytes, count); }
    // The next whole message, in the order in which they were sent. Throws RunError for what is none.
    std::optional<Message> next();

  private:
    std::string pending_;
    std::size_t read_ = 0; // of what is pending
};

// Throws RunError when the other end is gone.
void send_frames(int socket, std::string_view frames);
void send_message(int socket, const Message& message);
// Waits for one. Empty when the other end is gone.
std::optional<Message> receive_message(int socket, FrameReader& reader);

} // namespace nestbed
