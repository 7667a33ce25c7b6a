#include "base/json.hpp"

#include "support/matchers.hpp"

#include <nlohmann/json.hpp>

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
    EXPECT_EQ(parse_json(R"([" \" )" + lists(kMaxJsonLevels) + R"( \\", []])").size(), 2U); // brackets in a text
}

TEST(ParseJson, TakesNoNumberThatIsTooLarge)
{
    EXPECT_TRUE(parsed_json("[1, 1e999]").is_discarded());
}

TEST(ParseJson, KeepsTheLastOfEqualKeys)
{
    EXPECT_EQ(json_text(parse_json(R"({"a": 1, "b": {}, "a": -2.5})")), R"({"a":-2.5,"b":{}})");
}

} // namespace
} // namespace nestbed
