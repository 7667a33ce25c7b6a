// A session in its own process: it gives the same samples. The tests also cover a process that hangs, ends or cannot
// be started.
#include "device/backends.hpp"
#include "run/messages.hpp"
#include "run/worker_session.hpp"

#include "base/error.hpp"
#include "base/stop_request.hpp"
#include "support/limit_support.hpp"
#include "support/program_support.hpp"
#include "support/support.hpp"

#include <csignal>
#include <functional>
#include <iostream>
#include <set>
#include <thread>

namespace nestbed
{
namespace
{

using namespace std::chrono_literals;

const std::vector<std::string> kProgram{this_program()}; // contains the faults

std::unique_ptr<Session> worker(std::chrono::milliseconds timeout = 60s, std::vector<std::string> program = kProgram,
                                const StopRequest* stop = nullptr, const std::string& schedule = "fifo")
{
    return open_worker_session(BackendKind::cpu, {.schedule = schedule},
                               {.timeout = timeout, .stop = stop, .program = std::move(program)});
}

Case case_of(const std::string& strategy, std::uint32_t grid = 4)
{
    return {.strategy = strategy, .backend = BackendKind::cpu, .elements = grid * 16, .grid = grid, .block = 16};
}

TEST(WorkerSession, GivesWhatASessionInThisProcessGives)
{
    const auto here = open_session(BackendKind::cpu, {.schedule = "eager"});
    const auto there = worker(60s, kProgram, nullptr, "eager");
    EXPECT_EQ(there->facts().name, here->facts().name);
    EXPECT_EQ(there->facts().multiprocessors, here->facts().multiprocessors);
    EXPECT_EQ(there->schedule(), "eager");
    EXPECT_GT(there->empty_kernel_us(), 0);
    EXPECT_GE(there->timer_step_ns(), 1U);
    EXPECT_EQ(there->bandwidth().read_gb_s, 0);
    EXPECT_EQ(there->probe_depth(20).reached, 20U);
    for (const char* strategy : {"barrier", "nosync", "hello", "chain"}) {
        const Sample a = here->sample(case_of(strategy), 0);
        const Sample b = there->sample(case_of(strategy), 0);
        EXPECT_EQ(a.status, b.status) << strategy;
        EXPECT_EQ(a.detail, b.detail);
        EXPECT_EQ(a.answer, b.answer);
        EXPECT_EQ(a.reference, b.reference);
        EXPECT_EQ(a.relative_error, b.relative_error);
        EXPECT_EQ(a.wall_us.has_value(), b.wall_us.has_value());
        EXPECT_EQ(a.gpu_us, b.gpu_us);
        EXPECT_EQ(a.latencies_us.size(), b.latencies_us.size());
        ASSERT_TRUE(a.launches && b.launches);
        EXPECT_EQ(a.launches->attempted_by_depth, b.launches->attempted_by_depth);
        EXPECT_EQ(a.launches->max_depth, b.launches->max_depth);
        EXPECT_EQ(a.waves, b.waves);
        EXPECT_EQ(a.pending_limit, b.pending_limit);
    }
}

TEST(WorkerSession, AnswersAnnouncedSamplesInTheirOrderAndDropsWhatIsNotAskedFor)
{
    const auto session = worker();
    for (const std::uint32_t grid : {1U, 2U, 3U, 4U})
        session->announce(case_of("hello", grid), 0);
    EXPECT_EQ(session->sample(case_of("hello", 1), 0).answer, "31"); // 16 + 8 + 4 + 2 + 1 threads per block
    EXPECT_EQ(session->sample(case_of("hello", 3), 0).answer, "93");
    EXPECT_EQ(session->sample(case_of("hello", 7), 0).answer, "217");
    session->release();
    EXPECT_EQ(session->sample(case_of("hello", 2), 0).answer, "62");
}

// Also if another sample has been announced.
TEST(WorkerSession, TracesASampleForItsLatencies)
{
    const auto session = worker();
    const Case point = case_of("nosync");
    session->announce(point, 0);
    session->announce(point, 1);
    const Sample traced = session->sample_traced(point);
    EXPECT_EQ(traced.status, Status::ok) << traced.detail;
    EXPECT_EQ(traced.latencies_us.size(), traced.launches.value().max_depth);
    EXPECT_THAT(traced.latencies_us, Each(testing::Ge(0)));
    EXPECT_TRUE(session->sample(point, 1).latencies_us.empty());
    const Sample flat = session->sample_traced(case_of("neighbored"));
    EXPECT_EQ(flat.status, Status::crashed);
    EXPECT_THAT(flat.detail, HasSubstr("there is no recursion to trace"));
    EXPECT_FALSE(flat.device_lost);
}

TEST(WorkerSession, TakesTheRepetitionThatIsAskedFor)
{
    const auto here = open_session(BackendKind::cpu, {.schedule = "random:1"});
    const auto there = worker(60s, kProgram, nullptr, "random:1");
    const Case racy = case_of("reduce2", 8);
    std::set<std::string> answers;
    for (const unsigned repetition : {5U, 0U, 3U, 9U, 3U}) {
        there->announce(racy, repetition + 1);
        there->announce(racy, repetition);
        const Sample sample = there->sample(racy, repetition);
        EXPECT_EQ(sample.answer, here->sample(racy, repetition).answer);
        answers.insert(sample.answer);
    }
    EXPECT_GT(answers.size(), 2U);
}

// A sample that is estimated to be long may take longer than the timeout.
TEST(WorkerSession, WaitsForLongSamplesAsLongAsTheyMayTake)
{
    for (const auto& [estimate_us, seconds] : {std::pair(40'000, 2), std::pair(1'000, 1)}) {
        const auto session = open_worker_session(
            BackendKind::cpu, {},
            {.timeout = 1s, .estimate_us = [us = estimate_us](const Case&) { return us; }, .program = kProgram});
        const Sample lost = session->sample(case_of("fault_endless"), 0);
        EXPECT_EQ(lost.status, Status::timeout);
        EXPECT_EQ(lost.detail, "no sign of life in " + std::to_string(seconds) + " s");
    }
}

TEST(WorkerSession, WithoutAWorkerIsAnErrorThatSaysHowItEnded)
{
    const ScratchFolder folder;
    EXPECT_EQ(text_of<RunError>([&] { worker(1s, {program(folder, "fails", "exit 7")}); }),
              "the worker on cpu was lost while it opened the device: exit code 7");
    EXPECT_EQ(text_of<RunError>([&] { worker(1s, {program(folder, "dies", "kill -9 $$")}); }),
              "the worker on cpu was lost while it opened the device: signal 9 (Killed)");
    EXPECT_THAT(text_of<RunError>([&] { worker(1s, {folder.path("missing")}); }), HasSubstr("could not be started"));
    EXPECT_THAT(text_of<RunError>([&] { worker(1s, {program(folder, "speaks", "printf 'ab\\n' >&0")}); }),
                HasSubstr("sent an invalid message"));
}

// A file with the answer of a worker that has opened its session.
std::string opening(const ScratchFolder& folder)
{
    const Opened opened{.facts = open_session(BackendKind::cpu, {})->facts(), .schedule = "fifo"};
    return folder.write("open", line_of({{"answer", opened}}));
}

// A program that answers the opening as a worker does. Then it sends this answer as one line, and waits.
std::string answers(const ScratchFolder& folder, const Message& answer)
{
    const std::string written = folder.write("answer", line_of(answer));
    return program(folder, "answers", "cat '" + opening(folder) + "' '" + written + "' >&0; exec sleep 60");
}

// A program that runs the script the first `times` times that it is started. After that it is a worker.
std::vector<std::string> at_first(const ScratchFolder& folder, unsigned times, const std::string& script)
{
    const std::string starts = folder.path("starts");
    return {program(folder, "at_first",
                    "echo >> '" + starts + "'; if [ $(wc -l < '" + starts + "') -le " + std::to_string(times) +
                        " ]; then " + script + "; fi; exec " + this_program() + " \"$@\"")};
}

class WorkerSetUp : public testing::Test
{
  protected:
    std::unique_ptr<Session> worker(std::vector<std::string> program, unsigned retries)
    {
        return open_worker_session(BackendKind::cpu, {},
                                   {.timeout = 60s,
                                    .retries = retries,
                                    .note = [this](const std::string& text) { notes.push_back(text); },
                                    .program = std::move(program)});
    }

    ScratchFolder folder;
    std::vector<std::string> notes;
};

TEST_F(WorkerSetUp, IsTriedAgainWhereTheWorkerIsLostAsItOpensTheDevice)
{
    const auto session = worker(at_first(folder, 2, "exit 7"), 2);
    EXPECT_THAT(notes, ElementsAre("the worker on cpu was lost while it opened the device: exit code 7; tried again "
                                   "(1 of 2)",
                                   "the worker on cpu was lost while it opened the device: exit code 7; tried again "
                                   "(2 of 2)"));
    EXPECT_EQ(session->sample(case_of("barrier"), 0).status, Status::ok);
}

TEST_F(WorkerSetUp, IsAnErrorWhereTheWorkerIsLostOnceMoreThanTheRetries)
{
    EXPECT_EQ(text_of<RunError>([&] { worker(at_first(folder, 3, "kill -9 $$"), 2); }),
              "the worker on cpu was lost while it opened the device: signal 9 (Killed) (3 tries)");
    EXPECT_EQ(notes.size(), 2U);
}

// A new worker is opened at most three times, whatever the number of retries, because each opening may take minutes.
TEST_F(WorkerSetUp, OfANewWorkerIsNotTriedMoreOftenForTheRetries)
{
    const std::string starts = folder.path("starts");
    const std::string open_once = program(folder, "once",
                                          "echo >> '" + starts + "'; [ $(wc -l < '" + starts +
                                              "') = 1 ] || exit 7; exec " + this_program() + " \"$@\"");
    const auto session = worker({open_once}, 5);
    EXPECT_TRUE(session->sample(case_of("fault_abort"), 0).device_lost);
    EXPECT_THAT(text_of<RunError>([&] { session->renew(); }), StartsWith("no new worker could be started on "));
    EXPECT_EQ(folder.read("starts").size(), 1 + 3U);
}

// The first worker opens the device and ends. The next one gets the same question.
TEST_F(WorkerSetUp, IsTriedAgainWhereTheWorkerIsLostAsItIsAsked)
{
    const std::string open_and_end = "cat '" + opening(folder) + "' >&0; exit 5";
    const std::vector<std::pair<std::string, std::function<bool(Session&)>>> questions{
        {"timed an empty kernel", [](Session& session) { return session.empty_kernel_us() > 0; }},
        {"measured the timer's step", [](Session& session) { return session.timer_step_ns() >= 1; }},
        {"measured the bandwidth", [](Session& session) { return session.bandwidth().read_gb_s == 0; }},
        {"probed the depth", [](Session& session) { return session.probe_depth(20).reached == 20; }}};
    for (const auto& question : questions) {
        const std::string& what = question.first;
        const auto& ask = question.second;
        SCOPED_TRACE(what);
        std::filesystem::remove(folder.path("starts"));
        notes.clear();
        const auto session = worker(at_first(folder, 1, open_and_end), 1);
        EXPECT_TRUE(ask(*session));
        const std::string lost = "the worker on cpu was lost while it " + what + ": exit code 5";
        EXPECT_THAT(notes, ElementsAre(lost + "; tried again (1 of 1)"));

        std::filesystem::remove(folder.path("starts"));
        const auto again = worker(at_first(folder, 2, open_and_end), 1);
        EXPECT_EQ(text_of<RunError>([&] { ask(*again); }), lost + " (2 tries)");
    }
}

TEST_F(WorkerSetUp, IsTriedAgainWhereTheNextWorkerIsLostAsItOpensTheDevice)
{
    const std::string start_fails_once = "[ $(wc -l < '" + folder.path("starts") + "') -ne 2 ] || exit 3";
    const auto session = worker(at_first(folder, 2, start_fails_once), 1);
    EXPECT_EQ(session->sample(case_of("fault_abort"), 0).detail, "signal 6 (Aborted)");
    EXPECT_THAT(notes, IsEmpty());
    session->renew();
    EXPECT_THAT(notes, ElementsAre("the worker on cpu was lost while it opened the device: exit code 3; tried again "
                                   "(1 of 2)"));
    EXPECT_EQ(session->sample(case_of("barrier"), 0).status, Status::ok);
}

// A worker that reports an error would report the same error again.
TEST_F(WorkerSetUp, IsNotTriedAgainWhereTheWorkerSaysWhatIsWrong)
{
    const std::string says = folder.write("says", line_of({{"run_error", "no device"}}));
    EXPECT_EQ(text_of<RunError>([&] { worker(at_first(folder, 1, "cat '" + says + "' >&0; exec sleep 60"), 3); }),
              "no device");
    EXPECT_THAT(notes, IsEmpty());
}

TEST(ManyProcesses, LeaveNoRoomForAWorkerWhichIsNamed)
{
    EXPECT_EXIT(
        {
            allow_no_more_processes();
            std::cerr << text_of<RunError>([] { worker(); });
            _exit(0);
        },
        testing::ExitedWithCode(0),
        "^there is no worker: .*nestbed_tests could not be started: Resource temporarily unavailable: this user may "
        "have 1 processes and threads at once \\(ulimit -u\\); end some of them, or allow more");
}

// The worker's memory is damaged, or it is from another build: the case is lost, but the run continues.
TEST(WorkerSession, ThatAnswersWithAnythingIsALostWorker)
{
    Message status = Sample{};
    status["status"] = "ok";
    Message lacks = Sample{};
    lacks.erase("wave");
    for (const auto& [answer, reason] :
         std::initializer_list<std::pair<Message, const char*>>{{{{"answer", status}}, "type must be number"},
                                                                {{{"answer", lacks}}, "key 'wave' not found"},
                                                                {{{"answer", 5}}, "cannot use at() with number"},
                                                                {{{"answer", nullptr}}, "cannot use at() with null"},
                                                                {{{"something", "else"}}, "key 'answer' not found"},
                                                                {{{"run_error", 5}}, "type must be string"}}) {
        const ScratchFolder folder;
        const auto session = worker(60s, {answers(folder, answer)});
        const Sample lost = session->sample(case_of("barrier"), 0);
        EXPECT_EQ(lost.status, Status::crashed);
        EXPECT_THAT(lost.detail, AllOf(HasSubstr("its answer is malformed: "), HasSubstr(reason)));
        EXPECT_TRUE(lost.device_lost);
        session->renew();
        EXPECT_TRUE(session->sample(case_of("barrier"), 0).device_lost);
    }
}

TEST(WorkerSession, ThatAnswersTheFirstQuestionsWithAnythingIsAnError)
{
    const ScratchFolder folder;
    const std::string lacking = folder.write("lacking", line_of({{"answer", {{"schedule", "fifo"}}}}));
    EXPECT_THAT(text_of<RunError>(
                    [&] { worker(60s, {program(folder, "lacks", "cat '" + lacking + "' >&0; exec sleep 60")}); }),
                HasSubstr("the worker on cpu was lost while it opened the device: its answer is malformed: "));
    const auto session = worker(60s, {answers(folder, {{"answer", "soon"}})});
    EXPECT_THAT(text_of<RunError>([&] { static_cast<void>(session->empty_kernel_us()); }),
                HasSubstr("its answer is malformed"));
    const auto again = worker(60s, {answers(folder, {{"answer", {{"asked", -1}}}})});
    EXPECT_THAT(text_of<RunError>([&] { static_cast<void>(again->probe_depth(3)); }),
                HasSubstr("its answer is malformed"));
}

// As when a GPU falls off its bus: the worker is lost, and the next one finds no device.
TEST(WorkerSession, WithADeviceThatIsGoneIsAnError)
{
    const ScratchFolder folder;
    const std::string once = program(folder, "once",
                                     "[ ! -e '" + folder.path("used") + "' ] || exit 1; : > '" + folder.path("used") +
                                         "'; exec " + this_program() + " \"$@\"");
    const auto session = worker(60s, {once});
    EXPECT_EQ(session->sample(case_of("barrier"), 0).status, Status::ok);
    EXPECT_EQ(session->sample(case_of("fault_abort"), 0).detail, "signal 6 (Aborted)");
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(text_of<RunError>([&] { session->renew(); }),
              "no new worker could be started on " + session->facts().name +
                  ": the worker on cpu was lost while it opened the device: exit code 1");
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 50s); // no process end is waited for twice
}

TEST(WorkerSession, IsInterruptedWhereWhatIsInHandDoesNotEnd)
{
    const StopRequest stop("");
    const auto session = worker(60s, kProgram, &stop);
    session->announce(case_of("fault_endless"), 0);
    std::jthread asks([] {
        std::this_thread::sleep_for(200ms);
        kill(getpid(), SIGTERM);
    });
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_THROW(static_cast<void>(session->sample(case_of("fault_endless"), 0)), Interrupted);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, kStopGrace + 20s);
    EXPECT_EQ(stop.signal(), SIGTERM);
}

TEST(WorkerSession, FinishesWhatIsInHandWhenItIsAskedToStop)
{
    const StopRequest stop("");
    const auto session = worker(60s, kProgram, &stop);
    raise(SIGINT);
    EXPECT_TRUE(stop.asked());
    EXPECT_EQ(session->sample(case_of("barrier", 512), 0).status, Status::ok);
}

// As `nohup` and some job launchers leave it.
TEST(WorkerSession, EndsAtOnceWhereTheEndOfChildrenIsIgnored)
{
    const auto before = std::signal(SIGCHLD, SIG_IGN);
    const auto begin = std::chrono::steady_clock::now();
    {
        const auto session = worker();
        EXPECT_EQ(session->sample(case_of("fault_abort"), 0).detail, "signal 6 (Aborted)");
        session->renew();
    }
    EXPECT_LT(std::chrono::steady_clock::now() - begin, 30s);
    static_cast<void>(std::signal(SIGCHLD, before));
}

TEST(Worker, IsNotForUsers)
{
    const ScratchFolder folder;
    EXPECT_EQ(std::system((nestbed_program() + " worker 1 2> " + folder.path("said")).c_str()) >> 8, exit_usage);
    EXPECT_EQ(folder.read("said"), "nestbed: worker: only `nestbed run` starts this command; allowed: nestbed run\n");
}

} // namespace
} // namespace nestbed
