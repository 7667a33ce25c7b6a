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
#include <vector>

namespace nestbed
{

using Message = nlohmann::json;

void to_json(Message& json, const Case& point);
void from_json(const Message& json, Case& point);
void to_json(Message& json, const Sample& sample);
void from_json(const Message& json, Sample& sample);
void to_json(Message& json, const DeviceFacts& facts);
void from_json(const Message& json, DeviceFacts& facts);
void to_json(Message& json, const DepthProbe& probe);
void from_json(const Message& json, DepthProbe& probe);
void to_json(Message& json, const MeasuredBandwidth& bandwidth);
void from_json(const Message& json, MeasuredBandwidth& bandwidth);

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
