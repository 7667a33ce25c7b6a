// Plans for a GPU that is not here: `nestbed run --dry-run --device`.
#include "support/cli_support.hpp"
#include "support/h200_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace nestbed
{
namespace
{

using testing::AllOf;
using testing::ContainsRegex;
using testing::HasSubstr;
using testing::Not;
using testing::StartsWith;

class DeviceOption : public CommandTest
{
  protected:
    static Outcome plan(const Words& words) { return nestbed(Words("run --dry-run") + words); }
    // The model of an H200, changed.
    std::string model_with(const std::string& from, const std::string& to) const
    {
        const std::string model = read_text_file(h200_path("model.json"));
        EXPECT_THAT(model, HasSubstr(from));
        return folder_.write("small.json", boost::algorithm::replace_all_copy(model, from, to));
    }
};

TEST_F(DeviceOption, PlansWhatTheExecutorCannotRun)
{
    const Outcome here = plan("--backend cpu --strategy chain --mechanism host_graph --grid 2");
    EXPECT_THAT(here.out, HasSubstr("1 of them will be `unsupported`"));
    for (const Words& backend : {Words{}, Words("--backend cuda")}) {
        const Outcome there = plan(Words{"--device", h200_path("model.json"), "--strategy", "chain,cub",
                                         "--mechanism", "host_graph", "--grid", "2"} +
                                   backend);
        EXPECT_EQ(there.exit_code, 0) << there.err;
        EXPECT_THAT(there.out, AllOf(StartsWith("Planned for NVIDIA H200, by "), HasSubstr("on cuda"),
                                     HasSubstr("2 cases, "), Not(HasSubstr("unsupported"))));
    }
}

TEST_F(DeviceOption, MemoryAndLimitsAreThoseOfTheDevice)
{
    const Words sum("--strategy neighbored --elements 2^32");
    EXPECT_EQ(plan(sum + Words{"--device", h200_path("model.json")}).exit_code, 0);
    const std::string small = model_with("\"memory_bytes\": 150109880320", "\"memory_bytes\": 1073741824");
    expect_usage_error(Words{"run", "--dry-run", "--device", small} + sum,
                       {"--elements", "of memory; allowed: what NVIDIA H200 has, 1.00 GiB"});
    const Outcome some = plan({"--device", small, "--strategy", "neighbored", "--elements", "1024,2^32"});
    EXPECT_EQ(some.exit_code, 0) << some.err;
    EXPECT_THAT(some.out, ContainsRegex("4294967296 .* unsupported\n[^\n]*of memory"));

    const Words nosync("--strategy nosync --grid 1024 --block 512");
    EXPECT_THAT(plan(nosync + Words{"--device", h200_path("model.json")}).out, ContainsRegex("nosync +8192 +11\n"));
    const std::string limited = model_with("\"default_pending_limit\": 2048", "\"default_pending_limit\": 512");
    EXPECT_THAT(plan(nosync + Words{"--device", limited}).out, ContainsRegex("nosync +8192 +43\n"));
}

TEST_F(DeviceOption, IsOnlyForAPlanOnAGpu)
{
    const std::string model = h200_path("model.json");
    expect_usage_error(Words("run --strategy nosync --device") + model,
                       {"--device: a run measures on the GPU that is here; allowed: with --dry-run"});
    expect_usage_error(Words("run --strategy nosync --backend cpu --dry-run --device") + model,
                       {"--backend cpu: NVIDIA H200 is a GPU; allowed: auto, cuda"});
    expect_usage_error(
        {"run", "--strategy", "nosync", "--dry-run", "--device", "h201"},
        {"--device h201: there is no such device, folder or file, did you mean 'h200'?; allowed: h200"});
    const Outcome both = plan("--strategy nosync --backend cuda,cpu --grid 2 --device h200");
    EXPECT_EQ(both.exit_code, 0) << both.err;
    EXPECT_THAT(both.out, AllOf(HasSubstr("2 cases"), HasSubstr("cuda"), HasSubstr("cpu")));
}

} // namespace
} // namespace nestbed
