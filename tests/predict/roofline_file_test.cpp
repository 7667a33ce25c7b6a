// The file of a model: what is written is read, and what cannot be a model is refused with its place.
#include "base/error.hpp"
#include "model/occupancy.hpp"
#include "predict/roofline_file.hpp"
#include "support/support.hpp"

#include <nlohmann/json.hpp>

#include <functional>
#include <vector>

namespace nestbed
{
namespace
{

using Json = nlohmann::ordered_json;

// A name that the model has, whatever its parameters are.
std::string any_parameter()
{
    return default_roofline().parameters.begin()->first;
}

TEST(RooflineFile, ReadsWhatItWrites)
{
    Roofline written = default_roofline();
    written.facts.name = "Some \"GPU\"";
    written.parameters[any_parameter()] = {.value = 2.5, .interval = {.low = 2.25, .high = 3}};
    const std::vector<RooflineSource> logs{{.name = "launch.csv", .sha256 = std::string(64, 'a'), .rows = 7}};
    const std::string text = roofline_json(written, logs);
    EXPECT_THAT(text, EndsWith("}\n"));
    const Roofline read = parse_roofline(text, "model.json");
    EXPECT_EQ(gpu_of(read.facts), gpu_of(written.facts));
    ASSERT_EQ(read.parameters.size(), written.parameters.size());
    for (const auto& [key, estimate] : written.parameters) {
        EXPECT_NEAR(read.parameters.at(key).value, estimate.value, 1e-5 * estimate.value) << key;
        EXPECT_NEAR(read.parameters.at(key).interval.high, estimate.interval.high, 1e-5 * estimate.interval.high);
    }
    EXPECT_EQ(roofline_json(read, logs), text);
    const Json json = Json::parse(text);
    EXPECT_EQ(json["logs"], Json::array({{{"name", "launch.csv"}, {"sha256", std::string(64, 'a')}, {"rows", 7}}}));
    const Json& parameter = json["parameters"][any_parameter()];
    EXPECT_EQ(parameter["low"], 2.25);
    EXPECT_EQ(parameter["unit"], roofline_parameter(any_parameter())->unit);
    EXPECT_EQ(parameter["meaning"], roofline_parameter(any_parameter())->meaning);
}

TEST(RooflineFile, OfTheProgramIsThatOfAnH200)
{
    EXPECT_EQ(default_roofline().facts.name, "NVIDIA H200");
    EXPECT_EQ(default_roofline().facts.multiprocessors, 132U);
    const Json json = Json::parse(kDefaultRoofline);
    EXPECT_GE(json["logs"].size(), 1U);
    for (const auto& [key, parameter] : json["parameters"].items()) { // the texts are those of this program
        EXPECT_EQ(parameter["meaning"], roofline_parameter(key)->meaning) << key;
        EXPECT_EQ(parameter["unit"], roofline_parameter(key)->unit) << key;
    }
}

TEST(RooflineFile, RefusesWhatIsNoModelWithItsPlace)
{
    const auto expect_refused = [](const std::string& text, const std::string& why) {
        EXPECT_EQ(text_of<RunError>([&] { static_cast<void>(parse_roofline(text, "m.json")); }),
                  "m.json: " + why + "; allowed: a model that `nestbed calibrate` wrote");
    };
    for (const char* text : {"", "{", "[]", "7", "{\"gpu\": \"a\"} b"})
        expect_refused(text, "it is not JSON, or not an object");

    const Json model = Json::parse(kDefaultRoofline);
    const std::string parameter = "/parameters/" + any_parameter();
    for (const std::string& place : {std::string("/gpu"), std::string("/driver"), std::string("/cuda"),
                                     std::string("/parameters"), std::string("/facts/multiprocessors"),
                                     std::string("/facts/memory_bytes"), parameter + "/value", parameter + "/high"}) {
        const Json::json_pointer pointer(place);
        Json without = model;
        without[pointer.parent_pointer()].erase(pointer.back());
        expect_refused(without.dump(), place + ": it is missing");
    }
    for (const auto& [place, value, why] : std::vector<std::tuple<std::string, Json, std::string>>{
             {"/gpu", 7, "it is not a text"},
             {"/facts/resident_grids", -1, "it is not a whole number"},
             {"/facts/resident_grids", 1.5, "it is not a whole number"},
             {"/facts/resident_grids", "7", "it is not a whole number"},
             {"/facts/resident_grids", 0, "it is out of range"},
             {"/facts/resident_grids", 1ULL << 32, "it is out of range"},
             {parameter + "/low", nullptr, "it is not a number"},
             {parameter + "/low", -1, "it is out of range"},
             {"/parameters/speed", model["parameters"].front(), "there is no such parameter"}}) {
        Json changed = model;
        changed[Json::json_pointer(place)] = value;
        expect_refused(changed.dump(), place + ": " + why);
    }
}

TEST(Occupancy, FollowsFromTheComputeCapability)
{
    const auto of = [](std::string_view capability) {
        DeviceFacts facts;
        set_occupancy(facts, capability);
        return std::pair(facts.max_threads_per_multiprocessor, facts.max_blocks_per_multiprocessor);
    };
    EXPECT_EQ(of("9.0"), std::pair(2048U, 32U));
    EXPECT_EQ(of("8.0"), std::pair(2048U, 32U));
    EXPECT_EQ(of("8.6"), std::pair(1536U, 16U));
    EXPECT_EQ(of("8.9"), std::pair(1536U, 24U));
    EXPECT_EQ(of("12.0"), std::pair(1536U, 24U));
    EXPECT_EQ(of("99.0"), std::pair(0U, 0U));
    EXPECT_EQ(of(""), std::pair(0U, 0U));
}

} // namespace
} // namespace nestbed
