// `nestbed worker` when its socket delivers something that a run never sends: an error, not a crash.
#include "cli/commands.hpp"
#include "run/messages.hpp"
#include "run/worker_process.hpp"
#include "support/matchers.hpp"
#include "support/program_support.hpp"

#include <chrono>
#include <limits>

namespace nestbed
{
namespace
{

class WorkerCommand : public testing::Test
{
  protected:
    Message answer_to(const Message& message)
    {
        send_message(process_.socket(), message);
        return receive_message(process_.socket(), reader_).value_or(Message{{"usage_error", "it has ended"}});
    }
    Message open()
    {
        return answer_to({{"do", "open"}, {"backend", BackendKind::cpu}, {"options", SessionOptions{}}});
    }

    WorkerProcess process_{{nestbed_program()}};
    MessageReader reader_;
};

TEST_F(WorkerCommand, AnswersNothingBeforeItIsOpened)
{
    for (const std::string what :
         {"sample", "release", "empty_kernel", "timer_step", "bandwidth", "probe_depth", "dance"})
        EXPECT_EQ(answer_to({{"do", what}, {"number", 0}, {"levels", 2}, {"case", Case{.strategy = "nosync"}}}),
                  (Message{{"usage_error", "worker: '" + what + "' came before 'open'; allowed: 'open' first"}}));
    EXPECT_TRUE(open().contains("answer")); // and continues
}

TEST_F(WorkerCommand, RefusesWhatItDoesNotKnow)
{
    ASSERT_TRUE(open().contains("answer"));
    EXPECT_EQ(answer_to({{"do", "dance"}}), (Message{{"usage_error", "worker: there is no 'dance'"}}));
    for (const std::uint64_t number :
         {std::uint64_t{1}, std::uint64_t{1} << 60, std::numeric_limits<std::uint64_t>::max()})
        EXPECT_EQ(
            answer_to(
                {{"do", "sample"}, {"number", number}, {"repetition", 0}, {"case", Case{.strategy = "nosync"}}}),
            (Message{{"usage_error", "worker: case " + std::to_string(number) + " came before case 0"}}));
    EXPECT_TRUE(answer_to({{"do", "sample"}, {"number", 0}}).contains("run_error")); // its case was never sent
}

TEST_F(WorkerCommand, EndsWithAnErrorWhereItCannotReadOn)
{
    send_lines(process_.socket(), std::string(1'000'000, '[') + "\n");
    EXPECT_FALSE(receive_message(process_.socket(), reader_));
    const std::optional<ProgramEnd> end = process_.ended_within(std::chrono::seconds(30));
    ASSERT_TRUE(end);
    EXPECT_EQ(end->text(), "exit code 1");
}

TEST_F(WorkerCommand, EndsWithAnErrorWhereNothingIsAsked)
{
    send_message(process_.socket(), {{"number", 1}});
    const std::optional<ProgramEnd> end = process_.ended_within(std::chrono::seconds(30));
    ASSERT_TRUE(end);
    EXPECT_EQ(end->text(), "exit code 1");
}

} // namespace
} // namespace nestbed
