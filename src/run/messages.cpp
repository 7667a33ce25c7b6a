#include "run/messages.hpp"

#include "base/error.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>

namespace nestbed
{

namespace
{

template <class T>
Message optional_to_json(const std::optional<T>& value)
{
    return value ? Message(*value) : Message(nullptr);
}

template <class T>
void from_optional(const Message& json, std::optional<T>& value)
{
    value = json.is_null() ? std::nullopt : std::optional<T>(json.get<T>());
}

} // namespace

void to_json(Message& json, const Case& point)
{
    json = {{"strategy", point.strategy},
            {"backend", point.backend},
            {"mechanism", optional_to_json(point.mechanism)},
            {"type", point.type},
            {"elements", point.elements},
            {"grid", point.grid},
            {"block", point.block},
            {"nx", point.nx},
            {"ny", point.ny},
            {"shape_x", point.shape.x},
            {"shape_y", point.shape.y},
            {"depth", optional_to_json(point.depth)},
            {"pending_limit", optional_to_json(point.pending_limit)},
            {"wave", optional_to_json(point.wave)},
            {"streams", optional_to_json(point.streams)},
            {"delay_us", point.delay_us},
            {"graphs", point.graphs},
            {"seed", point.seed}};
}

void from_json(const Message& json, Case& point)
{
    json.at("strategy").get_to(point.strategy);
    json.at("backend").get_to(point.backend);
    from_optional(json.at("mechanism"), point.mechanism);
    json.at("type").get_to(point.type);
    json.at("elements").get_to(point.elements);
    json.at("grid").get_to(point.grid);
    json.at("block").get_to(point.block);
    json.at("nx").get_to(point.nx);
    json.at("ny").get_to(point.ny);
    json.at("shape_x").get_to(point.shape.x);
    json.at("shape_y").get_to(point.shape.y);
    from_optional(json.at("depth"), point.depth);
    from_optional(json.at("pending_limit"), point.pending_limit);
    from_optional(json.at("wave"), point.wave);
    from_optional(json.at("streams"), point.streams);
    json.at("delay_us").get_to(point.delay_us);
    json.at("graphs").get_to(point.graphs);
    json.at("seed").get_to(point.seed);
}

namespace
{

Message to_json(const std::optional<LaunchCounts>& counts)
{
    if (!counts)
        return nullptr;
    return {{"attempted_by_depth", counts->attempted_by_depth},
            {"attempted", counts->attempted},
            {"failed", counts->failed},
            {"waits_given_up", counts->waits_given_up},
            {"max_depth", counts->max_depth},
            {"first_error", counts->first_error}};
}

std::optional<LaunchCounts> counts_from(const Message& json)
{
    if (json.is_null())
        return std::nullopt;
    return LaunchCounts{.attempted_by_depth = json.at("attempted_by_depth"),
                        .attempted = json.at("attempted"),
                        .failed = json.at("failed"),
                        .waits_given_up = json.at("waits_given_up"),
                        .max_depth = json.at("max_depth"),
                        .first_error = json.at("first_error")};
}

} // namespace

// An image stays in the worker: a run has no use for one.
void to_json(Message& json, const Sample& sample)
{
    json = {{"status", sample.status},
            {"detail", Message::binary({sample.detail.begin(), sample.detail.end()})}, // of any bytes
            {"gpu_us", optional_to_json(sample.gpu_us)},
            {"wall_us", optional_to_json(sample.wall_us)},
            {"launches", to_json(sample.launches)},
            {"host_launches", optional_to_json(sample.host_launches)},
            {"latencies_us", sample.latencies_us},
            {"answer", sample.answer},
            {"reference", sample.reference},
            {"relative_error", optional_to_json(sample.relative_error)},
            {"pending_limit", sample.pending_limit},
            {"limit_bytes", sample.limit_bytes},
            {"wave", sample.wave},
            {"waves", sample.waves},
            {"streams", sample.streams},
            {"device_lost", sample.device_lost}};
}

void from_json(const Message& json, Sample& sample)
{
    json.at("status").get_to(sample.status);
    const Message::binary_t& detail = json.at("detail").get_binary();
    sample.detail.assign(detail.begin(), detail.end());
    from_optional(json.at("gpu_us"), sample.gpu_us);
    from_optional(json.at("wall_us"), sample.wall_us);
    sample.launches = counts_from(json.at("launches"));
    from_optional(json.at("host_launches"), sample.host_launches);
    json.at("latencies_us").get_to(sample.latencies_us);
    json.at("answer").get_to(sample.answer);
    json.at("reference").get_to(sample.reference);
    from_optional(json.at("relative_error"), sample.relative_error);
    json.at("pending_limit").get_to(sample.pending_limit);
    json.at("limit_bytes").get_to(sample.limit_bytes);
    json.at("wave").get_to(sample.wave);
    json.at("waves").get_to(sample.waves);
    json.at("streams").get_to(sample.streams);
    json.at("device_lost").get_to(sample.device_lost);
}

void to_json(Message& json, const DeviceFacts& facts)
{
    json = {{"name", facts.name},
            {"driver", facts.driver},
            {"runtime", facts.runtime},
            {"compute_capability", facts.compute_capability},
            {"uuid", facts.uuid},
            {"multiprocessors", facts.multiprocessors},
            {"max_threads_per_block", facts.max_threads_per_block},
            {"max_threads_per_multiprocessor", facts.max_threads_per_multiprocessor},
            {"max_blocks_per_multiprocessor", facts.max_blocks_per_multiprocessor},
            {"max_grid", facts.max_grid},
            {"resident_grids", facts.resident_grids},
            {"default_pending_limit", facts.default_pending_limit},
            {"raising_limit_is_free", facts.raising_limit_is_free},
            {"memory_bytes", facts.memory_bytes},
            {"free_memory_bytes", facts.free_memory_bytes},
            {"l2_bytes", facts.l2_bytes},
            {"peak_bandwidth_gb_s", facts.peak_bandwidth_gb_s}};
}

void from_json(const Message& json, DeviceFacts& facts)
{
    json.at("name").get_to(facts.name);
    json.at("driver").get_to(facts.driver);
    json.at("runtime").get_to(facts.runtime);
    json.at("compute_capability").get_to(facts.compute_capability);
    json.at("uuid").get_to(facts.uuid);
    json.at("multiprocessors").get_to(facts.multiprocessors);
    json.at("max_threads_per_block").get_to(facts.max_threads_per_block);
    json.at("max_threads_per_multiprocessor").get_to(facts.max_threads_per_multiprocessor);
    json.at("max_blocks_per_multiprocessor").get_to(facts.max_blocks_per_multiprocessor);
    json.at("max_grid").get_to(facts.max_grid);
    json.at("resident_grids").get_to(facts.resident_grids);
    json.at("default_pending_limit").get_to(facts.default_pending_limit);
    json.at("raising_limit_is_free").get_to(facts.raising_limit_is_free);
    json.at("memory_bytes").get_to(facts.memory_bytes);
    json.at("free_memory_bytes").get_to(facts.free_memory_bytes);
    json.at("l2_bytes").get_to(facts.l2_bytes);
    json.at("peak_bandwidth_gb_s").get_to(facts.peak_bandwidth_gb_s);
}

void to_json(Message& json, const DepthProbe& probe)
{
    json = {{"asked", probe.asked}, {"reached", probe.reached}, {"error", probe.error}};
}

void from_json(const Message& json, DepthProbe& probe)
{
    probe = {.asked = json.at("asked"), .reached = json.at("reached"), .error = json.at("error")};
}

void to_json(Message& json, const MeasuredBandwidth& bandwidth)
{
    json = {{"read", bandwidth.read_gb_s}, {"copy", bandwidth.copy_gb_s}};
}

void from_json(const Message& json, MeasuredBandwidth& bandwidth)
{
    bandwidth = {.read_gb_s = json.at("read"), .copy_gb_s = json.at("copy")};
}

namespace
{
constexpr std::size_t kLengthBytes = 4;
}

std::string frame_of(const Message& message)
{
    const std::vector<std::uint8_t> body = Message::to_cbor(message);
    std::string frame(kLengthBytes, '\0');
    for (std::size_t index = 0; index < kLengthBytes; ++index)
        frame[index] = static_cast<char>(body.size() >> 8 * index & 0xFF);
    return frame.append(body.begin(), body.end());
}

std::optional<Message> FrameReader::next()
{
    const std::size_t left = pending_.size() - read_;
    std::size_t length = 0;
    for (std::size_t index = 0; index < kLengthBytes && left >= kLengthBytes; ++index)
        length |= std::size_t{static_cast<unsigned char>(pending_[read_ + index])} << 8 * index;
    if (left < kLengthBytes || left - kLengthBytes < length) {
        pending_.erase(0, read_);
        read_ = 0;
        return std::nullopt;
    }
    const auto begin = pending_.begin() + static_cast<std::ptrdiff_t>(read_ + kLengthBytes);
    Message message = Message::from_cbor(begin, begin + static_cast<std::ptrdiff_t>(length), true, false);
    if (!message.is_object())
        throw RunError("what came from the other process is no message");
    read_ += kLengthBytes + length;
    return message;
}

void send_frames(int socket, std::string_view frames)
{
    while (!frames.empty()) {
        const ssize_t count = send(socket, frames.data(), frames.size(), MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            throw RunError(fmt::format("the other process cannot be told: {}", std::strerror(errno)));
        frames.remove_prefix(static_cast<std::size_t>(count));
    }
}

void send_message(int socket, const Message& message)
{
    send_frames(socket, frame_of(message));
}

std::optional<Message> receive_message(int socket, FrameReader& reader)
{
    std::array<char, 1 << 16> bytes; // NOLINT(cppcoreguidelines-pro-type-member-init): filled by recv
    while (true) {
        if (std::optional<Message> message = reader.next())
            return message;
        const ssize_t count = recv(socket, bytes.data(), bytes.size(), 0);
        if (count < 0 && errno == EINTR)
            continue;
        if (count <= 0)
            return std::nullopt;
        reader.add(bytes.data(), static_cast<std::size_t>(count));
    }
}

} // namespace nestbed
