// The file of a model: what is written is read, and what cannot be a model is refused with its place.
#include "base/error.hpp"
#include "model/occupancy.hpp"
#include "predict/roofline_file.hpp"
#include "predict/roofline_text.hpp"
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
    written.gpu = "Some \"GPU\"";
    written.parameters[any_parameter()] = {.value = 2.5, .interval = {.low = 2.25, .high = 3}};
    const std::vector<RooflineSource> logs{{.name = "launch.csv", .sha256 = std::string(64, 'a'), .rows = 7}};
    const std::string text = roofline_json(written, logs);
    EXPECT_THAT(text, EndsWith("}\n"));
    const Roofline read = parse_roofline(text, "model.json");
    EXPECT_EQ(read.gpu, written.gpu);
    EXPECT_EQ(read.driver, written.driver);
    EXPECT_EQ(read.cuda, written.cuda);
    EXPECT_EQ(read.facts.name, written.gpu);
    EXPECT_EQ(read.facts.multiprocessors, written.facts.multiprocessors);
    EXPECT_EQ(read.facts.max_threads_per_multiprocessor, written.facts.max_threads_per_multiprocessor);
    EXPECT_EQ(read.facts.max_blocks_per_multiprocessor, written.facts.max_blocks_per_multiprocessor);
    EXPECT_EQ(read.facts.resident_grids, written.facts.resident_grids);
    EXPECT_EQ(read.facts.default_pending_limit, written.facts.default_pending_limit);
    ASSERT_EQ(read.parameters.size(), written.parameters.size());
    for (const auto& [key, estimate] : written.parameters) {
        EXPECT_NEAR(read.parameters.at(key).value, estimate.value, 1e-5 * estimate.value) << key;
        EXPECT_NEAR(read.parameters.at(key).interval.high, estimate.interval.high, 1e-5 * estimate.interval.high);
    }
    const Json json = Json::parse(text);
    EXPECT_EQ(json["logs"], Json::array({{{"name", "launch.csv"}, {"sha256", std::string(64, 'a')}, {"rows", 7}}}));
    const Json& parameter = json["parameters"][any_parameter()];
    EXPECT_EQ(parameter["low"], 2.25);
    EXPECT_EQ(parameter["unit"], roofline_parameter(any_parameter())->unit);
    EXPECT_EQ(parameter["meaning"], roofline_parameter(any_parameter())->meaning);
}

TEST(RooflineFile, OfTheProgramIsThatOfAnH200)
{
    EXPECT_EQ(default_roofline().gpu, "NVIDIA H200");
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
    const auto refusal = [](const std::string& text) {
        return text_of<RunError>([&] { static_cast<void>(parse_roofline(text, "m.json")); });
    };
    for (const char* text : {"", "{", "[]", "7", "{\"gpu\": \"a\"} b"})
        EXPECT_THAT(refusal(text), StartsWith("m.json: it is not JSON, or not an object; allowed: a model that"))
            << text;

    const std::string key = any_parameter();
    const auto without = [&](const std::function<void(Json&)>& change) {
        Json json = Json::parse(kDefaultRoofline);
        change(json);
        return refusal(json.dump());
    };
    const auto says = [](const std::string& what) {
        return AllOf(StartsWith("m.json: " + what), HasSubstr("; allowed: a model that `nestbed calibrate` wrote"));
    };
    for (const char* name : {"gpu", "driver", "cuda", "facts", "parameters"})
        EXPECT_THAT(without([&](Json& json) { json.erase(name); }), says(std::string(name) + ": it is missing"));
    EXPECT_THAT(without([](Json& json) { json["gpu"] = 7; }), says("gpu: it is not a text"));
    for (const char* fact : {"multiprocessors", "max_threads_per_multiprocessor", "max_blocks_per_multiprocessor",
                             "resident_grids", "default_pending_limit"}) {
        EXPECT_THAT(without([&](Json& json) { json["facts"].erase(fact); }),
                    says(std::string("facts.") + fact + ": it is missing"));
        for (const Json& value : {Json(0), Json(-1), Json(1.5), Json("7"), Json(1ULL << 32)})
            EXPECT_THAT(without([&](Json& json) { json["facts"][fact] = value; }),
                        says(std::string("facts.") + fact + ": it is " + value.dump() + ", not a whole number"));
    }
    EXPECT_THAT(without([](Json& json) { json["facts"] = 1; }), says("facts.multiprocessors: it is missing"));
    EXPECT_THAT(without([](Json& json) { json["parameters"] = Json::array(); }),
                says("parameters: it is not an object"));
    EXPECT_THAT(without([&](Json& json) { json["parameters"]["speed"] = json["parameters"][key]; }),
                says("parameters.speed: there is no such parameter"));
    for (const char* part : {"value", "low", "high"}) {
        const std::string place = "parameters." + key + "." + part;
        EXPECT_THAT(without([&](Json& json) { json["parameters"][key].erase(part); }),
                    says(place + ": it is missing"));
        for (const Json& value : {Json(-1), Json("7"), Json(nullptr)})
            EXPECT_THAT(without([&](Json& json) { json["parameters"][key][part] = value; }),
                        says(place + ": it is " + value.dump() + ", not a number from 0 on"));
    }
    const std::string unit = "parameters." + key + ".unit";
    EXPECT_THAT(without([&](Json& json) { json["parameters"][key].erase("unit"); }), says(unit + ": it is missing"));
    EXPECT_THAT(without([&](Json& json) { json["parameters"][key]["unit"] = "ms"; }),
                says(unit + ": it is \"ms\", not \"" + std::string(roofline_parameter(key)->unit) + "\""));
    EXPECT_THAT(without([&](Json& json) { json["parameters"][key]["low"] = Json::array({1}); }),
                says("parameters." + key + ".low: it is a list or an object, not a number from 0 on"));
    EXPECT_THAT(without([&](Json& json) {
                    json["parameters"][key] = {
                        {"value", 4}, {"low", 1}, {"high", 3}, {"unit", roofline_parameter(key)->unit}};
                }),
                says("parameters." + key + ".value: 4 is not in its interval, 1 to 3"));
}

TEST(RooflineFile, TakesAParameterAtAnEndOfItsInterval)
{
    for (const auto& [low, high] : {std::pair(2, 3), {1, 2}, {2, 2}}) {
        Json json = Json::parse(kDefaultRoofline);
        Json& one = json["parameters"][any_parameter()];
        one["value"] = 2;
        one["low"] = low;
        one["high"] = high;
        EXPECT_EQ(parse_roofline(json.dump(), "m.json").parameters.at(any_parameter()).value, 2);
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
