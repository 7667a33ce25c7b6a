// The messages between a run and its worker, from a process whose memory is damaged: any bytes.
#include "base/error.hpp"
#include "fuzz/property.hpp"
#include "run/messages.hpp"

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace nestbed
{
namespace
{

struct Heard {
    std::string lines; // the messages, written again
    std::string refusal;
};

template <class T>
void take(const Message& message)
{
    try {
        static_cast<void>(message.get<T>());
    } catch (const Message::exception&) { // the message has a different form
    }
}

Heard heard_in(std::string_view bytes, std::size_t piece)
{
    Heard heard;
    MessageReader reader;
    heard.refusal = refusal_of<RunError>([&] {
        for (; !bytes.empty(); bytes.remove_prefix(std::min(piece, bytes.size()))) {
            reader.add(bytes.data(), std::min(piece, bytes.size()));
            while (const std::optional<Message> message = reader.next()) {
                require(message->is_object(), "a message is an object");
                heard.lines += line_of(*message);
                take<Sample>(*message);
                take<Case>(*message);
                take<SessionOptions>(*message);
                take<Opened>(*message);
                take<DepthProbe>(*message);
                take<MeasuredBandwidth>(*message);
            }
        }
    });
    return heard;
}

void check(std::string_view bytes)
{
    const Heard heard = heard_in(bytes, bytes.size());
    for (const std::size_t piece : {std::size_t{1}, std::size_t{7}}) {
        const Heard again = heard_in(bytes, piece);
        require(again.lines == heard.lines && again.refusal == heard.refusal, "pieces do not matter", again.refusal);
    }
    const Heard again = heard_in(heard.lines, heard.lines.size());
    require(again.lines == heard.lines && again.refusal.empty(), "what is written is read", again.refusal);
}

} // namespace
} // namespace nestbed

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    nestbed::check({reinterpret_cast<const char*>(data), size});
    return 0;
}
