#include "predict/roofline_file.hpp"

#include "base/error.hpp"
#include "base/json.hpp"
#include "predict/roofline_text.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <array>
#include <cmath>
#include <limits>

namespace nestbed
{

namespace
{

// The facts that plans of launches need (launch_plan.hpp).
struct Fact {
    const char* name;
    std::uint32_t DeviceFacts::*member;
};
constexpr std::array<Fact, 5> kFacts{{
    {"multiprocessors", &DeviceFacts::multiprocessors},
    {"max_threads_per_multiprocessor", &DeviceFacts::max_threads_per_multiprocessor},
    {"max_blocks_per_multiprocessor", &DeviceFacts::max_blocks_per_multiprocessor},
    {"resident_grids", &DeviceFacts::resident_grids},
    {"default_pending_limit", &DeviceFacts::default_pending_limit},
}};
// Plans of cases also need this one; models of earlier versions lack it.
constexpr const char* kMemory = "memory_bytes";

// A value for a message. Lists and objects may be nested so deeply that the writer, which recurses, would overflow the
// stack.
std::string text_of(const Json& value)
{
    return value.is_structured() ? "a list or an object" : json_text(value);
}

// Reads values from a model; messages say where.
class Reader
{
  public:
    explicit Reader(std::string_view file) : file_(file) {}

    [[noreturn]] void refuse(const std::string& key, const std::string& why) const
    {
        throw RunError(fmt::format("{}: {}: {}; allowed: a model that `nestbed calibrate` wrote", file_, key, why));
    }
    const Json& member(const Json& object, const std::string& place, const char* key) const
    {
        if (!object.is_object() || !object.contains(key))
            refuse(place + key, "it is missing");
        return object.at(key);
    }
    std::string text(const Json& object, const char* key) const
    {
        const Json& value = member(object, "", key);
        if (!value.is_string())
            refuse(key, "it is not a text");
        return value;
    }
    double number(const Json& object, const std::string& place, const char* key) const
    {
        const Json& value = member(object, place, key);
        if (!value.is_number() || !std::isfinite(value.get<double>()) || value.get<double>() < 0)
            refuse(place + key, fmt::format("it is {}, not a number from 0 on", text_of(value)));
        return value;
    }
    template <class T>
    T count(const Json& object, const std::string& place, const char* key) const
    {
        constexpr T kMax = std::numeric_limits<T>::max();
        const Json& value = member(object, place, key);
        if (!value.is_number_unsigned() || value.get<std::uint64_t>() == 0 || value.get<std::uint64_t>() > kMax)
            refuse(place + key, fmt::format("it is {}, not a whole number from 1 to {}", text_of(value), kMax));
        return value;
    }
    Estimate estimate(const std::string& key, const Json& parameter) const
    {
        if (roofline_parameter(key) == nullptr)
            refuse("parameters." + key, "there is no such parameter");
        const std::string place = fmt::format("parameters.{}.", key);
        if (const Json& unit = member(parameter, place, "unit"); unit != roofline_parameter(key)->unit)
            refuse(place + "unit", fmt::format("it is {}, not \"{}\"", text_of(unit), roofline_parameter(key)->unit));
        const Estimate one{
            .value = number(parameter, place, "value"),
            .interval = {.low = number(parameter, place, "low"), .high = number(parameter, place, "high")}};
        if (one.value < one.interval.low || one.value > one.interval.high)
            refuse(place + "value", fmt::format("{} is not in its interval, {} to {}", one.value, one.interval.low,
                                                one.interval.high));
        return one;
    }

  private:
    std::string_view file_;
};

// Six significant digits: more than the intervals allow, and short.
double rounded(double value)
{
    return std::stod(fmt::format("{:.6g}", value));
}

} // namespace

std::string roofline_json(const Roofline& roofline, std::span<const RooflineSource> logs)
{
    Json json{{"gpu", roofline.gpu}, {"driver", roofline.driver}, {"cuda", roofline.cuda}};
    for (const Fact& fact : kFacts)
        json["facts"][fact.name] = roofline.facts.*fact.member;
    if (roofline.facts.memory_bytes != 0)
        json["facts"][kMemory] = roofline.facts.memory_bytes;
    json["parameters"] = Json::object();
    for (const auto& [key, one] : roofline.parameters) {
        const RooflineParameter* const parameter = roofline_parameter(key);
        json["parameters"][key] = {{"value", rounded(one.value)},
                                   {"low", rounded(one.interval.low)},
                                   {"high", rounded(one.interval.high)},
                                   {"unit", parameter == nullptr ? "" : parameter->unit},
                                   {"meaning", parameter == nullptr ? "" : parameter->meaning}};
    }
    json["logs"] = Json::array();
    for (const RooflineSource& log : logs)
        json["logs"].push_back({{"name", log.name}, {"sha256", log.sha256}, {"rows", log.rows}});
    return json_lines(json);
}

Roofline parse_roofline(std::string_view text, std::string_view name)
{
    const Reader reader(name);
    const Json json = parsed_json(text);
    if (!json.is_object())
        throw RunError(fmt::format("{}: it is not JSON, or not an object; allowed: a model that `nestbed calibrate` "
                                   "wrote",
                                   name));
    Roofline roofline{.gpu = reader.text(json, "gpu"),
                      .driver = reader.text(json, "driver"),
                      .cuda = reader.text(json, "cuda"),
                      .facts = {},
                      .parameters = {}};
    const Json& facts = reader.member(json, "", "facts");
    for (const Fact& fact : kFacts)
        roofline.facts.*fact.member = reader.count<std::uint32_t>(facts, "facts.", fact.name);
    if (facts.contains(kMemory))
        roofline.facts.memory_bytes = reader.count<std::uint64_t>(facts, "facts.", kMemory);
    roofline.facts.name = roofline.gpu;
    roofline.facts.driver = roofline.driver;
    roofline.facts.runtime = roofline.cuda;
    const Json& parameters = reader.member(json, "", "parameters");
    if (!parameters.is_object())
        reader.refuse("parameters", "it is not an object");
    for (const auto& [key, parameter] : parameters.items())
        roofline.parameters[key] = reader.estimate(key, parameter);
    return roofline;
}

const Roofline& default_roofline()
{
    static const Roofline roofline = parse_roofline(kDefaultRoofline, kDefaultRooflineName);
    return roofline;
}

} // namespace nestbed
