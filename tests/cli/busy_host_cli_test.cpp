// Experiments on a busy host as a program: their settings, their log, and that nothing spins on when the run is killed.
#include "base/host_load.hpp"
#include "base/subprocess.hpp"
#include "support/cli_support.hpp"
#include "support/process_support.hpp"
#include "support/program_support.hpp"

#include <chrono>
#include <csignal>
#include <iterator>
#include <set>
#include <unistd.h>

namespace nestbed
{
namespace
{

using namespace std::chrono_literals;

class BusyHost : public CommandTest
{
};

TEST_F(BusyHost, HasALogThatIsTakenBackAndShown)
{
    const Words run = "run --strategy chain --backend cpu --mechanism host,tail --grid 2 --block 32 --depth 3 "
                      "--runs 20 --host-load 0,1 --nice 1 --pin yes --repeat 2 --warmup 0 -o busy.csv";
    ended(0, run);
    const std::vector<Row> rows = rows_of("busy.csv");
    ASSERT_EQ(rows.size(), 8U);
    for (const Row& row : rows) {
        EXPECT_EQ(row.at("runs"), "20");
        EXPECT_EQ(row.at("nice"), "1");
        EXPECT_EQ(row.at("pin"), "yes");
        for (const char* name : {"wall", "span", "next"})
            EXPECT_LE(std::stod(row.at(name + std::string("_p99_us"))),
                      std::stod(row.at(name + std::string("_worst_us"))));
        EXPECT_LE(std::stod(row.at("span_us")), std::stod(row.at("next_us")));
    }
    const std::string shown = ended(0, "show busy.csv").out;
    EXPECT_THAT(shown, AllOf(HasSubstr("p99.9"), HasSubstr("worst"), HasSubstr("host-load")));
    ended(0, run); // nothing is left to measure
    EXPECT_EQ(rows_of("busy.csv").size(), 8U);
}

TEST_F(BusyHost, TellsALoadFromNoneInKeysThatAreOtherwiseAsTheyWere)
{
    const auto key_with = [](const std::string& more) {
        ended(0, Words("run --strategy chain --backend cpu --mechanism tail --grid 2 --block 32 --depth 3 --repeat 1 "
                       "--warmup 0 --overwrite -o key.csv") +
                     Words(more.c_str()));
        return rows_of("key.csv").at(0).at("key");
    };
    const std::string usual = key_with("");
    EXPECT_EQ(key_with("--host-load 0 --nice 0 --pin no --runs 1"), usual);
    std::set<std::string> others{usual};
    for (const char* more : {"--host-load 1", "--nice 1", "--pin yes", "--runs 2"})
        EXPECT_TRUE(others.insert(key_with(more)).second) << more;
}

TEST_F(BusyHost, IsNotBusyAnyMoreWhenTheRunIsKilled)
{
    sigset_t none;
    sigemptyset(&none);
    const pid_t command =
        start_program({nestbed_program(), "run", "--strategy", "chain", "--backend", "cpu", "--workers", "1",
                       "--depth", "8", "--runs", "1000000", "--host-load", "3", "-o", "killed.csv"},
                      {0, STDERR_FILENO, STDERR_FILENO}, none);
    std::vector<pid_t> workers;
    const auto busy = 3 * usable_cores();
    EXPECT_TRUE(soon([&] {
        workers = children_of(command);
        return !workers.empty() && threads_of(workers.front()) > busy;
    }));
    ASSERT_FALSE(workers.empty());
    kill(command, SIGKILL);
    EXPECT_EQ(end_of(command).signal, SIGKILL);
    EXPECT_TRUE(soon([&] { return threads_of(workers.front()) <= 1; })); // 1: it has ended, and nobody has asked how
    kill(workers.front(), SIGKILL);
}

} // namespace
} // namespace nestbed
