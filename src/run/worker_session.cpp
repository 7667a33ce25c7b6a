#include "run/worker_session.hpp"

#include "base/error.hpp"
#include "run/messages.hpp"
#include "run/worker_process.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <deque>
#include <map>
#include <poll.h>
#include <sys/socket.h>
#include <utility>
#include <variant>

namespace nestbed
{

namespace
{

using Clock = std::chrono::steady_clock;
using std::chrono::milliseconds;

// For opening a device, measuring its memory, and probing.
constexpr std::chrono::minutes kSetUpTimeout{5};
// poll() takes an int; a timeout may be longer.
constexpr milliseconds kLongestPoll = std::chrono::hours{1};
// A lost device may need some time before it is available again.
constexpr unsigned kOpenTries = 3;
constexpr std::chrono::seconds kBetweenTries{2};

// The reason why there is no answer.
struct Loss {
    Status status = Status::crashed;
    std::string reason;
};

class WorkerSession final : public Session
{
  public:
    WorkerSession(BackendKind backend, SessionOptions options, WorkerOptions worker)
        : backend_(backend), options_(std::move(options)), worker_(std::move(worker))
    {
        open(worker_.retries);
    }
    WorkerSession(const WorkerSession&) = delete;
    WorkerSession& operator=(const WorkerSession&) = delete;
    ~WorkerSession() override
    {
        if (process_ && announced_.empty() && !stopped())
            process_->leave();
    }

    BackendKind backend() const override { return backend_; }
    const DeviceFacts& facts() const override { return facts_; }
    std::string schedule() const override { return schedule_; }

    // Several announcements are sent together, with the next request.
    void announce(const Case& point, unsigned repetition) override { announce(point, repetition, "sample"); }

    void announce(const Case& point, unsigned repetition, const char* what)
    {
        announced_.emplace_back(point, repetition);
        Message request{{"do", what}, {"number", known_.size()}, {"repetition", repetition}};
        if (const auto [known, is_new] = known_.emplace(point, known_.size()); is_new)
            request["case"] = point;
        else
            request["number"] = known->second;
        to_send_ += line_of(request);
    }

    Sample sample(const Case& point, unsigned repetition) override
    {
        while (!announced_.empty() && announced_.front() != std::pair(point, repetition))
            if (Sample other = next_sample(); other.device_lost)
                return other;
        if (announced_.empty())
            announce(point, repetition);
        return next_sample();
    }

    Sample sample_traced(const Case& point) override
    {
        while (!announced_.empty())
            if (Sample other = next_sample(); other.device_lost)
                return other;
        announce(point, 0, "sample_traced");
        return next_sample();
    }

    void release() override { tell({{"do", "release"}}); }

    double empty_kernel_us() override { return asked<double>({{"do", "empty_kernel"}}, "timed an empty kernel"); }
    unsigned timer_step_ns() override { return asked<unsigned>({{"do", "timer_step"}}, "measured the timer's step"); }
    MeasuredBandwidth bandwidth() override
    {
        return asked<MeasuredBandwidth>({{"do", "bandwidth"}}, "measured the bandwidth");
    }
    DepthProbe probe_depth(unsigned levels) override
    {
        return asked<DepthProbe>({{"do", "probe_depth"}, {"levels", levels}}, "probed the depth");
    }
    bool recovers() const override { return true; }

  private:
    bool stopped() const { return worker_.stop != nullptr && worker_.stop->asked(); }

    // Starts a worker. Throws if it cannot be started, or if its device is a different one.
    void open(unsigned retries)
    {
        std::variant<Opened, Loss> opened;
        for (unsigned tries = 1;; ++tries) {
            process_ = std::make_unique<WorkerProcess>(worker_.program);
            reader_ = {};
            known_.clear();
            timeouts_.forget();
            to_send_.clear();
            opened = answer_to<Opened>({{"do", "open"}, {"backend", backend_}, {"options", options_}});
            const Loss* const loss = std::get_if<Loss>(&opened);
            if (loss == nullptr)
                break;
            note_or_throw(*loss, "opened the device", tries, retries);
        }
        auto [facts, schedule] = std::get<Opened>(std::move(opened));
        if (!facts_.name.empty() && (facts.name != facts_.name || facts.uuid != facts_.uuid))
            throw RunError(fmt::format("the device has changed: {} ({}) before, {} ({}) now", facts_.name,
                                       facts_.uuid, facts.name, facts.uuid));
        if (facts_.name.empty())
            facts_ = std::move(facts);
        schedule_ = std::move(schedule);
    }

  public:
    void renew() override
    {
        for (unsigned attempt = 1;; ++attempt)
            try {
                process_.reset();
                return open(0); // this loop does the retries
            } catch (const std::runtime_error& error) {
                if (attempt == kOpenTries)
                    throw RunError(
                        fmt::format("no new worker could be started on {}: {}", facts_.name, error.what()));
                if (worker_.note)
                    worker_.note(fmt::format("{}; tried again ({} of {})", error.what(), attempt, kOpenTries - 1));
                pause(kBetweenTries);
            }
    }

  private:
    void pause(milliseconds time) const
    {
        pollfd stop{.fd = worker_.stop == nullptr ? -1 : StopRequest::descriptor(), .events = POLLIN, .revents = 0};
        static_cast<void>(poll(&stop, 1, static_cast<int>(time.count())));
        if (stopped())
            throw Interrupted();
    }

    // Returns the answer, or the reason why there is none; the worker is then gone.
    std::variant<Message, Loss> answer(milliseconds timeout)
    {
        Patience patience(timeout, Clock::now());
        while (true) {
            std::optional<Message> message;
            try {
                message = reader_.next();
            } catch (const RunError& error) { // the worker's memory is damaged
                kill();
                return Loss{.status = Status::crashed, .reason = error.what()};
            }
            if (message) {
                if (!message->contains("alive"))
                    return std::move(*message);
                patience.sign_of_life(Clock::now());
                continue;
            }
            if (!patience.stopping() && stopped())
                patience.stop(Clock::now());
            const std::optional<milliseconds> left = patience.left(Clock::now());
            if (!left)
                return lost_by_time(timeout);
            std::array<pollfd, 2> waited{
                {{.fd = process_->socket(), .events = POLLIN, .revents = 0},
                 {.fd = worker_.stop == nullptr || patience.stopping() ? -1 : StopRequest::descriptor(),
                  .events = POLLIN,
                  .revents = 0}}};
            if (poll(waited.data(), waited.size(), static_cast<int>(std::min(*left, kLongestPoll).count())) <= 0 ||
                waited[0].revents == 0)
                continue;
            std::array<char, 1 << 16> bytes; // NOLINT(cppcoreguidelines-pro-type-member-init): filled by recv
            const ssize_t count = recv(process_->socket(), bytes.data(), bytes.size(), 0);
            if (count <= 0) // EINTR cannot occur: after poll() recv does not wait
                return lost_by_its_end();
            reader_.add(bytes.data(), static_cast<std::size_t>(count));
        }
    }

    void kill()
    {
        if (!process_->killed())
            throw RunError(fmt::format("a worker that hangs cannot be killed: the driver holds it; check {}",
                                       facts_.name.empty() ? std::string(name_of(backend_)) : facts_.name));
    }

    Loss lost_by_time(milliseconds timeout)
    {
        kill();
        if (stopped())
            throw Interrupted();
        return {.status = Status::timeout,
                .reason = fmt::format("no sign of life in {:g} s", std::chrono::duration<double>(timeout).count())};
    }

    // For a worker that has closed its end of the socket.
    Loss lost_by_its_end()
    {
        std::optional<ProgramEnd> end = process_->ended_within(kEndTimeout);
        if (!end)
            end = process_->killed();
        if (stopped()) // whoever ends this process may also end its worker
            throw Interrupted();
        return {.status = Status::crashed, .reason = end ? end->text() : "its worker hung while it ended"};
    }

    void tell(const Message& message)
    {
        to_send_ += line_of(message);
        tell_all();
    }

    void tell_all()
    {
        try {
            send_lines(process_->socket(), to_send_);
        } catch (const RunError&) { // the worker has ended: answer() reports this
        }
        to_send_.clear();
    }

    // Returns use(message), or a Loss if that throws: a worker with damaged memory may send anything.
    template <class Use>
    auto understood(const Message& message, const Use& use) -> std::variant<decltype(use(message)), Loss>
    {
        try {
            return use(message);
        } catch (const Message::exception& error) {
            kill();
            return Loss{.reason = fmt::format("its answer is malformed: {}", error.what())};
        }
    }

    // The answer to a question about the device. `what` says in messages what the worker did.
    template <class T>
    T asked(const Message& question, const char* what)
    {
        for (unsigned tries = 1;; ++tries) {
            std::variant<T, Loss> value = answer_to<T>(question);
            if (T* said = std::get_if<T>(&value))
                return std::move(*said);
            note_or_throw(std::get<Loss>(value), what, tries, worker_.retries);
            renew();
        }
    }

    // Throws the errors that the worker reports.
    template <class T>
    std::variant<T, Loss> answer_to(const Message& question)
    {
        tell(question);
        std::variant<Message, Loss> got = answer(kSetUpTimeout);
        if (const Loss* loss = std::get_if<Loss>(&got))
            return *loss;
        return understood(std::get<Message>(got), [](const Message& one) {
            if (one.contains("usage_error"))
                throw UsageError(one["usage_error"].get<std::string>());
            if (one.contains("run_error"))
                throw RunError(one["run_error"].get<std::string>());
            return one.at("answer").get<T>();
        });
    }

    // For a worker that was lost outside a sample, for the `tries`-th time.
    void note_or_throw(const Loss& loss, const char* what, unsigned tries, unsigned retries) const
    {
        const std::string lost =
            fmt::format("the worker on {} was lost while it {}: {}", name_of(backend_), what, loss.reason);
        if (tries > retries)
            throw RunError(tries == 1 ? lost : fmt::format("{} ({} tries)", lost, tries));
        if (worker_.note)
            worker_.note(fmt::format("{}; tried again ({} of {})", lost, tries, retries));
    }

    Sample next_sample()
    {
        tell_all();
        const Case& point = announced_.front().first;
        const Clock::time_point start = Clock::now();
        std::variant<Message, Loss> got = answer(timeouts_.of(point));
        timeouts_.took(point, Clock::now() - start);
        std::variant<Sample, Loss> sample;
        if (const Message* message = std::get_if<Message>(&got))
            sample = understood(*message, sample_in);
        else
            sample = std::get<Loss>(got);
        if (const Loss* loss = std::get_if<Loss>(&sample))
            sample = Sample{.status = loss->status, .detail = loss->reason, .device_lost = true};
        if (std::get<Sample>(sample).device_lost) {
            process_.reset();
            announced_.clear();
        } else {
            announced_.pop_front();
        }
        return std::get<Sample>(std::move(sample));
    }

    static Sample sample_in(const Message& message)
    {
        for (const char* error : {"usage_error", "run_error"})
            if (message.contains(error))
                return {.status = Status::crashed, .detail = message[error].get<std::string>()};
        return message.at("answer").get<Sample>();
    }

    BackendKind backend_;
    SessionOptions options_;
    WorkerOptions worker_;
    DeviceFacts facts_; // of the first worker
    std::string schedule_;
    std::unique_ptr<WorkerProcess> process_;
    MessageReader reader_;
    std::string to_send_;               // lines
    std::map<Case, std::size_t> known_; // cases that the worker knows, with their numbers
    SampleTimeouts timeouts_{worker_.timeout, worker_.estimate_us};
    // Cases and repetitions that were sent and are not yet answered.
    std::deque<std::pair<Case, unsigned>> announced_;
};

} // namespace

std::unique_ptr<Session> open_worker_session(BackendKind backend, const SessionOptions& options, WorkerOptions worker)
{
    return std::make_unique<WorkerSession>(backend, options, std::move(worker));
}

} // namespace nestbed
