#include "base/json.hpp"

#include <nlohmann/json.hpp>

#include <cstddef>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

namespace nestbed
{

namespace
{

// Builds a value from what the library's parser reads, in a time in proportion to the text: the library's own builder looks through a whole
// object for each key, and, where it is asked about the depth, through a whole array or object after each value.
class Builder // NOLINT(bugprone-exception-escape): in a function that the compiler writes and nobody calls
    : public nlohmann::json_sax<Json>
{
  public:
    bool null() override { return add({}); }
    bool boolean(bool value) override { return add(value); }
    bool number_integer(Json::number_integer_t value) override { return add(value); }
    bool number_unsigned(Json::number_unsigned_t value) override { return add(value); }
    bool number_float(Json::number_float_t value, const Json::string_t& /*text*/) override { return add(value); }
    bool string(Json::string_t& value) override { return add(std::move(value)); }
    bool binary(Json::binary_t& value) override { return add(std::move(value)); }
    bool start_object(std::size_t /*elements*/) override { return open(Json::object()); }
    bool start_array(std::size_t /*elements*/) override { return open(Json::array()); }
    bool end_object() override { return close(); }
    bool end_array() override { return close(); }
    bool key(Json::string_t& name) override
    {
        open_.back().key = std::move(name);
        return true;
    }
    bool parse_error(std::size_t /*place*/, const std::string& /*token*/, const Json::exception& error) override
    {
        if (const auto* const of_text = dynamic_cast<const Json::parse_error*>(&error))
            throw *of_text;
        return false; // a number that is too large
    }

    Json result;

  private:
    struct Open {
        Json value;
        std::string key;                      // of the next value of an object
        std::unordered_set<std::string> keys; // of a large object
    };

    // Of two values with one key, the last one counts.
    static void add_to_object(Open& object, Json value)
    {
        constexpr std::size_t kLarge = 16;
        auto& members = object.value.get_ref<Json::object_t&>();
        if (members.size() < kLarge) {
            members[object.key] = std::move(value);
            return;
        }
        if (object.keys.empty())
            for (const auto& [name, member] : members)
                object.keys.insert(name);
        if (object.keys.insert(object.key).second)
            members.emplace_back(std::move(object.key), std::move(value));
        else
            members[object.key] = std::move(value);
    }

    bool add(Json value)
    {
        if (open_.empty())
            result = std::move(value);
        else if (open_.back().value.is_array())
            open_.back().value.push_back(std::move(value));
        else
            add_to_object(open_.back(), std::move(value));
        return true;
    }
    // False, which ends the parser, if it is too deep.
    bool open(Json value)
    {
        open_.push_back({.value = std::move(value), .key = {}, .keys = {}});
        return open_.size() <= kMaxJsonLevels;
    }
    bool close()
    {
        Json value = std::move(open_.back().value);
        open_.pop_back();
        return add(std::move(value));
    }

    std::vector<Open> open_;
};

} // namespace

Json parse_json(std::string_view text)
{
    Builder builder;
    return Json::sax_parse(text, &builder) ? std::move(builder.result) : Json(Json::value_t::discarded);
}

Json parsed_json(std::string_view text)
{
    try {
        return parse_json(text);
    } catch (const Json::parse_error&) {
        return Json(Json::value_t::discarded);
    }
}

std::string json_text(const Json& json)
{
    return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

std::string json_lines(const Json& json)
{
    return json.dump(2, ' ', false, Json::error_handler_t::replace) + "\n";
}

} // namespace nestbed
