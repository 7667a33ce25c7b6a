#include "run/messages.hpp"

#include "base/error.hpp"
#include "model/axis_table.hpp"
#include "model/text_numbers.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>
#include <vector>

namespace nestbed
{

void from_json(const Message& json, Status& status)
{
    const auto number = json.get<unsigned>();
    if (number >= kStatuses.size())
        throw Message::out_of_range::create(401, fmt::format("there is no status {}", number), &json);
    status = static_cast<Status>(number);
}

void to_json(Message& json, const Case& point)
{
    json = {{"strategy", point.strategy}, {"backend", point.backend}, {"mechanism", point.mechanism}};
    for (const Axis& axis : plain_axes())
        if (axis.text)
            json[axis.name] = text_of(axis, axis.get(point));
        else
            json[axis.name] = axis.get(point);
}

void from_json(const Message& json, Case& point)
{
    json.at("strategy").get_to(point.strategy);
    json.at("backend").get_to(point.backend);
    json.at("mechanism").get_to(point.mechanism);
    for (const Axis& axis : plain_axes())
        axis.set(point, axis.text ? number_of_text(json.at(axis.name).get<std::string>())
                                  : json.at(axis.name).get<std::optional<std::uint64_t>>());
}

namespace
{
constexpr std::size_t kLengthBytes = 4;
constexpr std::size_t kMaxBytes = std::size_t{1} << 28; // a larger length is damaged data; do not wait for it
constexpr std::size_t kMaxNested = 16;
constexpr unsigned kMaxSimple = 24; // the initial byte contains smaller numbers; otherwise bytes follow it

// Whether this is one CBOR value (RFC 8949) whose nesting is no deeper than in any message. nlohmann's parser
// recurses for each array, map and string of indefinite length, so it must not get deeper values. The parser still
// rejects other errors.
bool is_shallow(std::string_view bytes)
{
    std::vector<std::uint64_t> to_come{1}; // number of values left in each open array or map
    while (!to_come.empty()) {
        if (to_come.back() == 0) {
            to_come.pop_back();
            continue;
        }
        --to_come.back();
        if (bytes.empty())
            return false;
        const auto initial = static_cast<unsigned char>(bytes.front());
        const unsigned kind = initial >> 5U;
        std::uint64_t number = initial & 0x1FU;
        bytes.remove_prefix(1);
        if (number >= kMaxSimple) {
            if (number > kMaxSimple + 3) // indefinite length; no message has this
                return false;
            const std::size_t size = std::size_t{1} << (number - kMaxSimple);
            if (bytes.size() < size)
                return false;
            number = 0;
            for (const char byte : bytes.substr(0, size))
                number = number << 8U | static_cast<unsigned char>(byte);
            bytes.remove_prefix(size);
        }
        constexpr unsigned kBytes = 2;
        constexpr unsigned kText = 3;
        constexpr unsigned kArray = 4;
        constexpr unsigned kMap = 5;
        constexpr unsigned kTag = 6;
        if (kind == kBytes || kind == kText) {
            if (number > bytes.size())
                return false;
            bytes.remove_prefix(number);
        } else if (kind == kArray || kind == kMap) {
            if (to_come.size() == kMaxNested || number > bytes.size())
                return false;
            to_come.push_back(kind == kMap ? 2 * number : number);
        } else if (kind == kTag) {
            return false;
        }
    }
    return bytes.empty();
}
} // namespace

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
    if (length > kMaxBytes)
        throw RunError("the other process sent an invalid message");
    if (left < kLengthBytes || left - kLengthBytes < length) {
        pending_.erase(0, read_);
        read_ = 0;
        return std::nullopt;
    }
    const std::string_view body = std::string_view(pending_).substr(read_ + kLengthBytes, length);
    Message message;
    if (is_shallow(body))
        message = Message::from_cbor(body, true, false);
    if (!message.is_object())
        throw RunError("the other process sent an invalid message");
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
            throw RunError(fmt::format("the other process does not take messages: {}", std::strerror(errno)));
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
