// A GPU that is not here: found by its name, a folder of results or a model, or refused.
#include "base/error.hpp"
#include "predict/planned_device.hpp"
#include "predict/roofline_file.hpp"
#include "support/h200_support.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>

namespace nestbed
{
namespace
{

using testing::HasSubstr;
namespace fs = std::filesystem;

constexpr std::uint64_t kMemoryOfH200 = 150109880320;

std::string with(const std::string& text, const std::string& from, const std::string& to)
{
    EXPECT_THAT(text, HasSubstr(from));
    return boost::algorithm::replace_all_copy(text, from, to);
}

class PlannedDeviceOf : public testing::Test
{
  protected:
    // A folder of results of a GPU with half of the multiprocessors: a model, or only logs of it and of the executor.
    void make_folder(const std::string& name, bool has_model) const
    {
        fs::create_directories(scratch_.path(name));
        if (has_model) {
            scratch_.write(name + "/model.json", with(read_text_file(h200_path("model.json")),
                                                      "\"multiprocessors\": 132", "\"multiprocessors\": 66"));
            return;
        }
        const std::string manifest = read_text_file(h200_path("book.csv.json"));
        scratch_.write(name + "/book.csv.json",
                       with(manifest, "\"multiprocessors\": 132", "\"multiprocessors\": 66"));
        scratch_.write(name + "/cpu.csv.json", with(manifest, "\"cuda\": {", "\"cpu\": {"));
        scratch_.write(name + "/other.csv.json", "not a manifest");
    }
    std::string refusal(const std::string& device) const
    {
        return text_of<UsageError>([&] { static_cast<void>(planned_device(device, scratch_.path("results"))); });
    }

    ScratchFolder scratch_; // NOLINT(cppcoreguidelines-non-private-member-variables-in-classes)
};

TEST_F(PlannedDeviceOf, ANameIsAFolderOfResults)
{
    make_folder("results/modelled", true);
    make_folder("results/logged", false);
    const PlannedDevice modelled = planned_device("modelled", scratch_.path("results"));
    EXPECT_EQ(modelled.facts.multiprocessors, 66U);
    EXPECT_EQ(modelled.facts.free_memory_bytes, kMemoryOfH200);
    EXPECT_EQ(modelled.source, scratch_.path("results/modelled/model.json"));
    ASSERT_TRUE(modelled.roofline);
    EXPECT_EQ(modelled.roofline->parameters.size(), default_roofline().parameters.size());

    const PlannedDevice logged = planned_device("logged", scratch_.path("results"));
    EXPECT_EQ(logged.facts.name, "NVIDIA H200");
    EXPECT_EQ(logged.facts.multiprocessors, 66U);
    EXPECT_EQ(logged.facts.max_blocks_per_multiprocessor, 32U);
    EXPECT_EQ(logged.facts.free_memory_bytes, kMemoryOfH200);
    EXPECT_EQ(logged.source, scratch_.path("results/logged/book.csv.json"));
    EXPECT_FALSE(logged.roofline);
}

TEST_F(PlannedDeviceOf, APathIsAFolderOrAModel)
{
    make_folder("mine", true);
    for (const std::string& path : {scratch_.path("mine"), scratch_.path("mine/model.json")})
        EXPECT_EQ(planned_device(path, scratch_.path("results")).facts.multiprocessors, 66U) << path;
}

// Also where there is no folder of results: beside a copy of the program.
TEST_F(PlannedDeviceOf, TheBuiltInModelHasAName)
{
    const PlannedDevice h200 = planned_device("h200", scratch_.path("results"));
    EXPECT_EQ(h200.facts.name, "NVIDIA H200");
    EXPECT_EQ(h200.facts.multiprocessors, 132U);
    EXPECT_EQ(h200.facts.free_memory_bytes, kMemoryOfH200);
    EXPECT_TRUE(h200.roofline);
}

TEST_F(PlannedDeviceOf, WhatIsNoDeviceIsRefused)
{
    EXPECT_EQ(refusal("h300"),
              "--device h300: there is no such device, folder or file, did you mean 'h200'?; allowed: "
              "h200, a folder of results, or a model.json");
    make_folder("results/logged", false);
    fs::create_directories(scratch_.path("results/empty"));
    EXPECT_THAT(refusal("none"), HasSubstr("; allowed: h200, logged, a folder of results, or a model.json"));
    EXPECT_EQ(
        refusal(scratch_.path("results/empty")),
        "--device " + scratch_.path("results/empty") +
            ": the folder has no model.json and no manifest (LOG.csv.json) of a run on a GPU; allowed: a folder of "
            "results with one of them");
    const auto why = [&](const std::string& text) {
        const std::string model = scratch_.write("model.json", text);
        return text_of<RunError>([&] { static_cast<void>(planned_device(model, scratch_.path("results"))); });
    };
    const std::string model = read_text_file(h200_path("model.json"));
    EXPECT_THAT(why(with(model, "\"facts\"", "\"other\"")),
                HasSubstr("model.json: /facts/multiprocessors: it is missing"));
    EXPECT_THAT(why(with(model, "150109880320", "-1")),
                HasSubstr("model.json: /facts/memory_bytes: it is not a whole number"));
}

} // namespace
} // namespace nestbed
