// The worker of a run: opens a session and takes samples. It receives its orders through standard input, which is a
// socket.
#include "base/error.hpp"
#include "cli/commands.hpp"
#include "device/backends.hpp"
#include "run/messages.hpp"
#include "run/worker_session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <csignal>
#include <new>
#include <optional>
#include <sys/prctl.h>
#include <sys/stat.h>
#include <unistd.h>
#include <vector>

namespace nestbed
{

namespace
{

constexpr int kSocket = STDIN_FILENO;

class Worker
{
  public:
    // Returns when the run ends.
    int serve()
    {
        MessageReader reader;
        while (const std::optional<Message> message = receive_message(kSocket, reader)) {
            const std::string what = message->at("do");
            reply(what, *message);
        }
        return exit_ok;
    }

  private:
    void reply(const std::string& what, const Message& message)
    {
        Message answer;
        try {
            if (!session_ && what != "open")
                throw UsageError(fmt::format("worker: '{}' came before 'open'; allowed: 'open' first", what));
            if (what == "release")
                return session_->release();
            answer["answer"] = answer_to(what, message);
        } catch (const UsageError& error) {
            answer = {{"usage_error", error.what()}};
        } catch (const std::bad_alloc&) {
            answer = {{"run_error", "the host is out of memory"}};
        } catch (const std::exception& error) {
            answer = {{"run_error", error.what()}};
        }
        if (what != "release" || !session_) // release has no answer; a device error shows again later
            send(answer);
    }

    Message answer_to(const std::string& what, const Message& message)
    {
        if (what == "sample")
            return session_->sample(case_of(message), message.at("repetition"));
        if (what == "sample_traced")
            return session_->sample_traced(case_of(message));
        if (what == "open")
            return open(message);
        if (what == "empty_kernel")
            return session_->empty_kernel_us();
        if (what == "timer_step")
            return session_->timer_step_ns();
        if (what == "bandwidth")
            return session_->bandwidth();
        if (what == "probe_depth")
            return session_->probe_depth(message.at("levels"));
        throw UsageError(fmt::format("worker: there is no '{}'", what));
    }

    Message open(const Message& message)
    {
        auto options = message.at("options").get<SessionOptions>();
        options.alive = [this] { alive(); };
        session_ = open_session(message.at("backend").get<BackendKind>(), options);
        return Opened{.facts = session_->facts(), .schedule = session_->schedule()};
    }

    // The case in a message: the first time it is sent with its number, later only by its number.
    const Case& case_of(const Message& message)
    {
        const std::size_t number = message.at("number");
        if (message.contains("case")) {
            if (number > cases_.size())
                throw UsageError(fmt::format("worker: case {} came before case {}", number, cases_.size()));
            cases_.resize(std::max(cases_.size(), number + 1));
            message.at("case").get_to(cases_[number]);
        }
        return cases_.at(number);
    }

    // Sends an answer before the next sample begins. Otherwise a sample that crashes this process would also lose the
    // answer to the previous sample.
    void send(const Message& message)
    {
        send_message(kSocket, message);
        told_ = Clock::now();
    }

    // Limits the rate, so that not every one of many short samples sends a message.
    void alive()
    {
        constexpr std::chrono::milliseconds kBetween{100};
        if (Clock::now() - told_ > kBetween)
            send({{"alive", true}});
    }

    using Clock = std::chrono::steady_clock;
    std::vector<Case> cases_;
    Clock::time_point told_;
    std::unique_ptr<Session> session_;
};

} // namespace

int worker(const Arguments& arguments)
{
    // A signal that ends a run may reach all its processes, but only the run reacts. When the run ends, in whatever
    // way, the worker ends with it.
    for (const int signal : {SIGINT, SIGTERM, SIGHUP, SIGPIPE})
        static_cast<void>(std::signal(signal, SIG_IGN));
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    struct stat input {
    };
    if (arguments.size() != 1 || fstat(kSocket, &input) != 0 || !S_ISSOCK(input.st_mode))
        throw UsageError("worker: only `nestbed run` starts this command; allowed: nestbed run");
    if (arguments.front() != std::to_string(getppid())) // the run has already ended
        return exit_could_not;
    return Worker().serve();
}

} // namespace nestbed
