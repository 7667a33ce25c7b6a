#include "run/messages.hpp"

#include "base/error.hpp"
#include "model/axis_table.hpp"
#include "model/text_numbers.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <sys/socket.h>

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

std::string line_of(const Message& message)
{
    return message.dump(-1, ' ', false, Message::error_handler_t::replace) + "\n";
}

std::optional<Message> MessageReader::next()
{
    constexpr std::size_t kMaxBytes = std::size_t{1} << 28; // more is damaged data; do not wait for its end
    const std::size_t end = pending_.find('\n', searched_);
    if (end == std::string::npos) {
        pending_.erase(0, read_);
        read_ = 0;
        searched_ = pending_.size();
    }
    Message message;
    if (end != std::string::npos)
        message = Message::parse(std::string_view(pending_).substr(read_, end - read_), nullptr, false);
    else if (searched_ <= kMaxBytes)
        return std::nullopt;
    if (!message.is_object())
        throw RunError("the other process sent an invalid message");
    read_ = searched_ = end + 1;
    return message;
}

void send_lines(int socket, std::string_view lines)
{
    while (!lines.empty()) {
        const ssize_t count = send(socket, lines.data(), lines.size(), MSG_NOSIGNAL);
        if (count < 0 && errno == EINTR)
            continue;
        if (count < 0)
            throw RunError(fmt::format("the other process does not take messages: {}", std::strerror(errno)));
        lines.remove_prefix(static_cast<std::size_t>(count));
    }
}

void send_message(int socket, const Message& message)
{
    send_lines(socket, line_of(message));
}

std::optional<Message> receive_message(int socket, MessageReader& reader)
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
