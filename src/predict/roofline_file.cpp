#include "predict/roofline_file.hpp"

#include "base/error.hpp"
#include "base/json.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <concepts>
#include <limits>

namespace nestbed
{

namespace
{

// Calls use(name, member) for the facts that plans of cases need.
template <class Facts, class Use>
void for_each_fact(Facts& facts, const Use& use)
{
    use("multiprocessors", facts.multiprocessors);
    use("max_threads_per_multiprocessor", facts.max_threads_per_multiprocessor);
    use("max_blocks_per_multiprocessor", facts.max_blocks_per_multiprocessor);
    use("resident_grids", facts.resident_grids);
    use("default_pending_limit", facts.default_pending_limit);
    use("memory_bytes", facts.memory_bytes);
}

// Six significant digits: more than the intervals allow, and short.
double rounded(double value)
{
    return std::stod(fmt::format("{:.6g}", value));
}

// Reads values from a model; messages say where: "/facts/multiprocessors".
class Reader
{
  public:
    Reader(std::string_view text, std::string_view file) : json_(parsed_json(text)), file_(file)
    {
        if (!json_.is_object())
            refuse("it is not JSON, or not an object");
    }
    const Json& at(const std::string& place) const
    {
        const Json::json_pointer pointer(place);
        if (!json_.contains(pointer))
            refuse(place + ": it is missing");
        return json_.at(pointer);
    }
    std::string text(const std::string& place) const
    {
        if (!at(place).is_string())
            refuse(place + ": it is not a text");
        return at(place);
    }
    template <class T>
    void read(const std::string& place, T& number) const
    {
        constexpr bool kWhole = std::integral<T>;
        const Json& value = at(place);
        if (kWhole ? !value.is_number_unsigned() : !value.is_number())
            refuse(fmt::format("{}: it is not a {}number", place, kWhole ? "whole " : ""));
        if (const auto read = value.get<double>();
            !(read >= (kWhole ? 1 : 0) && read <= static_cast<double>(std::numeric_limits<T>::max())))
            refuse(fmt::format("{}: it is out of range", place));
        number = value;
    }
    [[noreturn]] void refuse(const std::string& why) const
    {
        throw RunError(fmt::format("{}: {}; allowed: a model that `nestbed calibrate` wrote", file_, why));
    }

  private:
    Json json_;
    std::string_view file_;
};

} // namespace

std::string roofline_json(const Roofline& roofline, std::span<const RooflineSource> logs)
{
    const DeviceFacts& facts = roofline.facts;
    Json json{{"gpu", facts.name}, {"driver", facts.driver}, {"cuda", facts.runtime}};
    for_each_fact(facts, [&](const char* name, auto fact) { json["facts"][name] = fact; });
    json["parameters"] = Json::object();
    for (const auto& [key, one] : roofline.parameters)
        json["parameters"][key] = {{"value", rounded(one.value)},
                                   {"low", rounded(one.interval.low)},
                                   {"high", rounded(one.interval.high)},
                                   {"unit", roofline_parameter(key)->unit},
                                   {"meaning", roofline_parameter(key)->meaning}};
    json["logs"] = Json::array();
    for (const RooflineSource& log : logs)
        json["logs"].push_back({{"name", log.name}, {"sha256", log.sha256}, {"rows", log.rows}});
    return json_lines(json);
}

Roofline parse_roofline(std::string_view text, std::string_view name)
{
    const Reader model(text, name);
    Roofline roofline;
    DeviceFacts& facts = roofline.facts;
    facts.name = model.text("/gpu");
    facts.driver = model.text("/driver");
    facts.runtime = model.text("/cuda");
    for_each_fact(facts, [&](const std::string& fact, auto& value) { model.read("/facts/" + fact, value); });
    facts.free_memory_bytes = facts.memory_bytes;
    for (const auto& [key, parameter] : model.at("/parameters").items()) {
        const std::string place = "/parameters/" + key;
        if (roofline_parameter(key) == nullptr)
            model.refuse(place + ": there is no such parameter");
        Estimate& one = roofline.parameters[key];
        model.read(place + "/value", one.value);
        model.read(place + "/low", one.interval.low);
        model.read(place + "/high", one.interval.high);
    }
    return roofline;
}

const Roofline& default_roofline()
{
    static const Roofline roofline = parse_roofline(kDefaultRoofline, "results/h200/model.json");
    return roofline;
}

} // namespace nestbed
