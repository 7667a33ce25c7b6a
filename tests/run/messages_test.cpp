// Messages between a run and its worker arrive unchanged.
#include "run/messages.hpp"

#include "base/error.hpp"
#include "model/axis_table.hpp"
#include "model/text_numbers.hpp"
#include "support/support.hpp"

#include <array>
#include <cerrno>
#include <csignal>
#include <limits>
#include <sys/socket.h>
#include <sys/time.h>
#include <system_error>
#include <unistd.h>
#include <utility>

namespace nestbed
{
namespace
{

template <class T>
T sent(const T& value)
{
    MessageReader reader;
    const std::string line = line_of({{"value", value}});
    reader.add(line.data(), line.size());
    return reader.next().value().at("value").get<T>();
}

TEST(Messages, KeepACaseWithAndWithoutWhatItMayHave)
{
    const Case full{.strategy = "nosync",
                    .backend = BackendKind::cuda,
                    .mechanism = Mechanism::tail,
                    .type = ElementType::float32,
                    .elements = 1ULL << 40,
                    .grid = 4'000'000'000,
                    .block = 512,
                    .nx = 7,
                    .ny = 9,
                    .shape = {8, 32},
                    .depth = 0,
                    .pending_limit = 69,
                    .wave = 3,
                    .streams = 2,
                    .delay_us = 10,
                    .graphs = 64,
                    .seed = ~0ULL,
                    .runs = 4000,
                    .host_load = 2,
                    .nice = 19,
                    .pinned = Pinned::yes};
    EXPECT_EQ(sent(full), full);
    const Case bare{.strategy = "copy_row"};
    EXPECT_EQ(sent(bare), bare);
}

// All members differ from those of an empty sample, so that none can be lost unnoticed. messages.hpp does not compile
// if it lacks a member of a sample.
TEST(Messages, KeepEveryMemberOfASample)
{
    const Sample sample{
        .status = Status::wrong,
        .detail = "two lines, \n and \"quotes\"",
        .gpu_us = 0.1,
        .wall_us = 1e9 + 0.123,
        .runs = RunTimes{.wall = {1, 2, 3, 4}, .span = {5, 6, 7, 8}, .next = {9, 10, 11, 12}, .host_us = 13},
        .prepare_us = 0.25,
        .held = true,
        .launches = LaunchCounts{.attempted_by_depth = {4, 2, 1},
                                 .attempted = 7,
                                 .failed = 2,
                                 .waits_given_up = 1,
                                 .max_depth = 3,
                                 .first_error = 69},
        .host_launches = 3,
        .latencies_us = {1.25, 1e-3, 3},
        .image = {0.5F, 1},
        .launches_expected = 1ULL << 40,
        .requests = RequestSample{.items = 1,
                                  .replaced = 2,
                                  .drains = 3,
                                  .drains_refused = 4,
                                  .child_blocks = 5,
                                  .arena_bytes = 6,
                                  .grids = 7},
        .work = 8,
        .pixels_off = 9,
        .answer = "-5",
        .reference = "7",
        .relative_error = 1e-7,
        .pending_limit = 1,
        .limit_bytes = -4096,
        .wave = 2,
        .waves = 3,
        .streams = 4,
        .gpu_state =
            GpuState{.sm_clock_mhz = 1, .memory_clock_mhz = 2, .temperature_c = 3, .power_mw = 4, .throttle = "no"},
        .device_lost = true};
    const auto different = [](const Message& one, const Message& empty) {
        for (const auto& [name, value] : one.items())
            EXPECT_NE(value, empty.at(name)) << name;
    };
    different(sample, Sample{});
    different(*sample.launches, LaunchCounts{});
    different(*sample.runs, RunTimes{});
    different(*sample.requests, RequestSample{});
    different(sample.gpu_state, GpuState{});
    EXPECT_EQ(Message(sent(sample)), Message(sample));
    EXPECT_EQ(sent(sample).relative_error, sample.relative_error);
    EXPECT_EQ(sent(sample).limit_bytes, -4096);
    EXPECT_EQ(Message(sent(Sample{})), Message(Sample{}));
}

// An axis that a message lacked would be that of an empty case.
TEST(Messages, KeepEveryAxisOfACase)
{
    for (const Axis& axis : plain_axes()) {
        Case point{.strategy = "nosync"};
        axis.set(point, axis.text ? number_of_text("road.gr#0") : axis.get(point).value_or(0) + 1);
        ASSERT_NE(point, (Case{.strategy = "nosync"})) << axis.name;
        EXPECT_EQ(sent(point), point) << axis.name;
    }
}

TEST(Messages, KeepWhatADeviceSaysOfItself)
{
    const DeviceFacts facts{.name = "NVIDIA H200",
                            .driver = "580",
                            .runtime = "13.0",
                            .compute_capability = "9.0",
                            .uuid = "00ff",
                            .multiprocessors = 132,
                            .max_threads_per_block = 512,
                            .max_threads_per_multiprocessor = 2048,
                            .max_blocks_per_multiprocessor = 32,
                            .max_grid = 65535,
                            .resident_grids = 128,
                            .default_pending_limit = 2047,
                            .raising_limit_is_free = true,
                            .memory_bytes = 1ULL << 37,
                            .free_memory_bytes = 1ULL << 36,
                            .l2_bytes = 50,
                            .peak_bandwidth_gb_s = 4916.75};
    const Message before = facts;
    const Message after = sent(facts);
    EXPECT_EQ(before, after);
    EXPECT_EQ(sent(facts).peak_bandwidth_gb_s, 4916.75);
    EXPECT_EQ(sent(facts).max_threads_per_block, 512U);
    EXPECT_EQ(sent(DepthProbe{.asked = 3, .reached = 2, .error = "e"}).reached, 2U);
    EXPECT_EQ(sent(MeasuredBandwidth{.read_gb_s = 1.5, .copy_gb_s = 2.5}).copy_gb_s, 2.5);
}

TEST(Messages, OfAnotherFormAreRefused)
{
    const auto refused = [](const Message& message) {
        EXPECT_THROW(static_cast<void>(message.get<Sample>()), Message::exception) << message;
    };
    const Message good = Sample{};
    EXPECT_NO_THROW(static_cast<void>(good.get<Sample>()));
    for (const auto& [name, value] : good.items()) {
        Message lacks = good;
        lacks.erase(name);
        refused(lacks);
        Message of_another_type = good;
        of_another_type[name] = Message{{"of", "another"}};
        refused(of_another_type);
    }
    Message of_no_status = good;
    of_no_status["status"] = 7;
    refused(of_no_status);
    refused({});
}

TEST(MessageReader, PutsMessagesTogetherFromAnyPieces)
{
    const std::string lines =
        line_of({{"a", 1}}) + line_of({{"b", std::string(1000, 'x')}}) + line_of({{"c", nullptr}});
    for (const std::size_t piece : {1U, 3U, 7U, 500U, 5000U}) {
        MessageReader reader;
        std::vector<Message> got;
        for (std::size_t at = 0; at < lines.size(); at += piece) {
            reader.add(lines.data() + at, std::min(piece, lines.size() - at));
            while (std::optional<Message> message = reader.next())
                got.push_back(*message);
        }
        ASSERT_EQ(got.size(), 3U);
        EXPECT_EQ(got[0].at("a"), 1);
        EXPECT_EQ(got[1].at("b").get<std::string>().size(), 1000U);
        EXPECT_TRUE(got[2].at("c").is_null());
    }
}

TEST(MessageReader, RefusesWhatIsNoMessage)
{
    for (const std::string& line :
         {std::string("\xff\n"), std::string("1\n"), std::string("\n"), std::string("{\"a\":\n"),
          std::string("{} {}\n"), std::string(1'000'000, '[') + "\n"}) {
        MessageReader reader;
        reader.add(line.data(), line.size());
        EXPECT_EQ(text_of<RunError>([&] { static_cast<void>(reader.next()); }),
                  "the other process sent an invalid message");
    }
}

TEST(MessageReader, TakesEveryKindOfValueAndAnyDepth)
{
    Message message{{"none", nullptr},
                    {"yes", true},
                    {"small", -1},
                    {"large", std::numeric_limits<std::uint64_t>::max()},
                    {"least", std::numeric_limits<std::int64_t>::min()},
                    {"float", 0.1},
                    {"text", std::string(70'000, 'x') + "\n\"" + '\0'},
                    {"empty", Message::array()},
                    {"object", Message::object()},
                    {"many", std::vector<int>(300, 1000)}};
    MessageReader reader;
    const std::string deep = "{\"a\":" + std::string(1'000'000, '[') + std::string(1'000'000, ']') + "}\n";
    const std::string lines = line_of(message) + deep;
    reader.add(lines.data(), lines.size());
    EXPECT_EQ(reader.next().value(), message);
    EXPECT_TRUE(reader.next().value().at("a").is_array());
}

// --- over a socket ---

// Two connected ends of a socket.
struct Ends {
    explicit Ends(int type = SOCK_STREAM)
    {
        if (socketpair(AF_UNIX, type, 0, both.data()) != 0)
            throw std::system_error(errno, std::generic_category(), "socketpair");
    }
    Ends(const Ends&) = delete;
    Ends& operator=(const Ends&) = delete;
    ~Ends()
    {
        close(both[0]);
        close_other();
    }
    void close_other()
    {
        if (both[1] >= 0)
            close(std::exchange(both[1], -1));
    }

    std::array<int, 2> both{};
};

TEST(Socket, BringsAMessageByteByByte)
{
    Ends ends(SOCK_SEQPACKET); // each recv() gets what one send() sent
    const Message message{{"a", 1}};
    for (const char byte : line_of(message))
        send_lines(ends.both[1], {&byte, 1});
    MessageReader reader;
    EXPECT_EQ(receive_message(ends.both[0], reader), message);
}

// The errno of an earlier call must not be taken for an error.
TEST(Socket, WhoseOtherEndIsClosedHasNoMessage)
{
    Ends ends;
    ends.close_other();
    MessageReader reader;
    errno = EINTR;
    EXPECT_EQ(receive_message(ends.both[0], reader), std::nullopt);
    EXPECT_THAT(text_of<RunError>([&] { send_message(ends.both[0], {}); }), HasSubstr("Broken pipe"));
}

// Interrupts a waiting call with a signal. The handler runs `act` once, while the call is in progress.
class Signal
{
  public:
    explicit Signal(void (*act)())
    {
        act_ = act;
        struct sigaction handler {
        };
        handler.sa_handler = [](int) { act_(); }; // and no SA_RESTART
        sigaction(SIGALRM, &handler, &before_);
        constexpr itimerval kSoon{.it_interval = {}, .it_value = {.tv_sec = 0, .tv_usec = 50'000}};
        setitimer(ITIMER_REAL, &kSoon, nullptr);
    }
    Signal(const Signal&) = delete;
    Signal& operator=(const Signal&) = delete;
    ~Signal() { sigaction(SIGALRM, &before_, nullptr); }

  private:
    static inline void (*act_)() = nullptr;
    struct sigaction before_ {
    };
};

int other_end = -1; // used by a signal handler

TEST(Socket, BringsAMessageThatASignalDelays)
{
    const Ends ends;
    other_end = ends.both[1];
    static std::string line;
    line = line_of({{"a", 1}});
    const Signal signal([] { static_cast<void>(send(other_end, line.data(), line.size(), 0)); });
    MessageReader reader;
    EXPECT_EQ(receive_message(ends.both[0], reader), (Message{{"a", 1}}));
}

TEST(Socket, TakesAMessageThatASignalDelays)
{
    const Ends ends;
    other_end = ends.both[1];
    const std::string full(4096, '\0');
    while (send(ends.both[0], full.data(), full.size(), MSG_DONTWAIT) > 0)
        ;
    const Signal signal([] { // makes room
        std::array<char, 4096> bytes;
        while (recv(other_end, bytes.data(), bytes.size(), MSG_DONTWAIT) > 0)
            ;
    });
    send_lines(ends.both[0], "frame");
    std::array<char, 6> bytes{};
    EXPECT_EQ(recv(other_end, bytes.data(), bytes.size(), MSG_DONTWAIT), 5);
    EXPECT_STREQ(bytes.data(), "frame");
}

} // namespace
} // namespace nestbed
