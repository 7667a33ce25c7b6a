#include "base/json.hpp"

#include "support/matchers.hpp"

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include <chrono>

namespace nestbed
{
namespace
{

std::string lists(int levels)
{
    return std::string(static_cast<std::size_t>(levels), '[') + std::string(static_cast<std::size_t>(levels), ']');
}

TEST(JsonText, KeepsTheOrderOfItsKeys)
{
    const Json json = parse_json(R"({"b": 1, "a": [true, null, "x"]})");
    EXPECT_EQ(json_text(json), R"({"b":1,"a":[true,null,"x"]})");
    EXPECT_EQ(json_lines(Json{{"b", 1}}), "{\n  \"b\": 1\n}\n");
}

TEST(JsonText, HasNoBytesThatAreNotUtf8)
{
    EXPECT_EQ(json_text(Json("a\xFF"
                             "b")),
              "\"a\uFFFDb\"");
}

TEST(ParseJson, NamesThePlaceOfWhatIsNoJson)
{
    EXPECT_THAT([] { parse_json("{\"a\": 1,\n ]"); },
                testing::ThrowsMessage<Json::parse_error>(HasSubstr("line 2, column 2")));
    for (const char* text : {"", "{", "nul", "[1] 2"})
        EXPECT_TRUE(parsed_json(text).is_discarded()) << text;
}

TEST(ParseJson, TakesNothingThatIsNestedTooDeep)
{
    EXPECT_TRUE(parse_json(lists(kMaxJsonLevels)).is_array());
    EXPECT_TRUE(parse_json(lists(kMaxJsonLevels + 2)).is_discarded());
    EXPECT_TRUE(parsed_json(lists(100'000)).is_discarded());
}

TEST(ParseJson, TakesNoNumberThatIsTooLarge)
{
    EXPECT_TRUE(parsed_json("[1, 1e999]").is_discarded());
}

TEST(ParseJson, KeepsTheLastOfEqualKeys)
{
    EXPECT_EQ(json_text(parse_json(R"({"a": 1, "b": {}, "a": -2.5})")), R"({"a":-2.5,"b":{}})");
    std::string many = R"({"k3": "first")";
    for (int key = 0; key < 40; ++key)
        many += fmt::format(R"(, "k{}": {})", key, key);
    const Json json = parse_json(many + R"(, "k20": [true]})");
    EXPECT_EQ(json.size(), 40U);
    EXPECT_EQ(json.at("k3"), 3);
    EXPECT_EQ(json.begin().key(), "k3");
    EXPECT_EQ(json_text(json.at("k20")), "[true]");
}

// With a time in proportion to the square of the length, each of these takes minutes.
TEST(ParseJson, TakesATimeInProportionToTheLength)
{
    constexpr int kMany = 400'000;
    std::string objects = "[{}", keys = R"({"x": 0)", arrays = R"({"x": [[])";
    for (int number = 1; number < kMany; ++number) {
        objects += ",{}";
        arrays += ",[1]";
        keys += fmt::format(R"(,"{}":{{}})", number);
    }
    const auto begin = std::chrono::steady_clock::now();
    EXPECT_EQ(parse_json(objects + "]").size(), kMany);
    EXPECT_EQ(parse_json(arrays + "]}").at("x").size(), kMany);
    EXPECT_EQ(parse_json(keys + "}").size(), kMany);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(60));
}

} // namespace
} // namespace nestbed
