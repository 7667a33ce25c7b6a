// Tests how the rewriter reads tokens, line marks and brackets.
#include "base/error.hpp"
#include "program/rewrite/line_marks.hpp"
#include "program/rewrite/source.hpp"
#include "program/rewriter_property.hpp"
#include "support/matchers.hpp"

namespace nestbed::program
{
namespace
{

std::vector<std::string> code_of(std::string_view text)
{
    EXPECT_TRUE(tokens_are_the_text(text)) << text;
    std::vector<std::string> found;
    TokenReader reader(text);
    while (!reader.at_end())
        if (const Token token = reader.next(); is_code(token.kind))
            found.emplace_back(text.substr(token.begin, token.end - token.begin));
    return found;
}

std::vector<TokenKind> kinds_of(std::string_view text)
{
    std::vector<TokenKind> found;
    TokenReader reader(text);
    while (!reader.at_end())
        found.push_back(reader.next().kind);
    return found;
}

TEST(Tokens, OfNamesNumbersAndText)
{
    EXPECT_THAT(code_of("int größe$1=1'000'000+0x1p-3+.5e+7f;"),
                ElementsAre("int", "größe$1", "=", "1'000'000", "+", "0x1p-3", "+", ".5e+7f", ";"));
    EXPECT_THAT(code_of(R"(u8"a\"b" L'\'' "x"_s 'a')"), ElementsAre(R"(u8"a\"b")", R"(L'\'')", "\"x\"", "_s", "'a'"));
    EXPECT_THAT(code_of("R\"(a)\" uR\"x-y(a)\" )x\" )x-y\" LR\"()\"b"),
                ElementsAre("R\"(a)\"", "uR\"x-y(a)\" )x\" )x-y\"", "LR\"()\"", "b"));
    EXPECT_THAT(code_of("R\"too_long_a_delimiter(a)\""), ElementsAre("R", "\"too_long_a_delimiter(a)\""));
    EXPECT_THAT(code_of("\"a\\\nb\" \"c\\\r\nd\""), ElementsAre("\"a\\\nb\"", "\"c\\\r\nd\""));
}

TEST(Tokens, OfBrackets)
{
    EXPECT_THAT(code_of("k<<<1,2>>>(3)"), ElementsAre("k", "<<<", "1", ",", "2", ">", ">", ">", "(", "3", ")"));
    EXPECT_THAT(code_of("k<< <a<b>>> >"), ElementsAre("k", "<<", "<", "a", "<", "b", ">", ">", ">", ">"));
    EXPECT_THAT(code_of("a<<=b<=>c->*d>=e<::f"),
                ElementsAre("a", "<<=", "b", "<=>", "c", "->*", "d", ">=", "e", "<", "::", "f"));
}

TEST(Tokens, ThatAreNoCode)
{
    using enum TokenKind;
    EXPECT_THAT(kinds_of("a // b\\\nc\n/* d\n */ # e"),
                ElementsAre(identifier, space, comment, space, comment, space, directive));
    EXPECT_THAT(kinds_of("  # 1 \"a\\\"//\" /* b\n */ 3\\\n4\na # b"),
                ElementsAre(space, directive, space, identifier, space, punctuation, space, identifier));
    EXPECT_THAT(kinds_of("a\\\nb \\\r\n c"), ElementsAre(identifier, space, identifier, space, identifier));
}

TEST(Tokens, Unterminated)
{
    EXPECT_THAT(code_of("\"a <<<\nb"), ElementsAre("\"a <<<", "b"));
    EXPECT_THAT(code_of("'a <<<\nb"), ElementsAre("'a <<<", "b"));
    EXPECT_THAT(code_of("a /* <<<\nb"), ElementsAre("a"));
    EXPECT_THAT(code_of("R\"x(<<<\n)\""), ElementsAre("R\"x(<<<\n)\""));
    EXPECT_THAT(code_of("\"\\"), ElementsAre("\"\\"));
    EXPECT_THAT(code_of(std::string_view("a\0\x01", 3)), ElementsAre("a", std::string(1, '\0'), "\x01"));
}

TEST(LineMarks, AreRead)
{
    const auto mark = parse_line_mark("# 12 \"a \\\"b\\\" c.cu\" 1 3 4\r");
    ASSERT_TRUE(mark.has_value());
    EXPECT_EQ(mark->line, 12);
    EXPECT_EQ(mark->file, "a \\\"b\\\" c.cu");
    EXPECT_TRUE(mark->enters && mark->is_system);
    EXPECT_EQ(parse_line_mark("#line 7 \"x.cu\"")->line, 7);
    for (const char* text : {"#", "#pragma once", "# 12", "# 12 \"a", "# 12 a", "# 99999999999999999999999 \"a\""})
        EXPECT_FALSE(parse_line_mark(text).has_value()) << text;
}

// Whether the text after the last of these marks is the system's.
bool is_system_after(const std::vector<std::string>& lines)
{
    SystemFiles files;
    bool system = false;
    for (const std::string& line : lines)
        system = files.is_system(parse_line_mark(line).value());
    return system;
}

TEST(SystemFiles, AreKnownByTheirEntryAndFolder)
{
    EXPECT_FALSE(is_system_after({"# 0 \"/usr/src/my/my.cu\""}));
    EXPECT_FALSE(is_system_after({"# 0 \"/usr/src/my/my.cu\"", "# 1 \"/usr/src/my/part.h\" 1"}));
    EXPECT_FALSE(is_system_after({"# 0 \"my.cu\"", "# 7 \"my.cu\" 3 4"})); // a macro of a system header
    EXPECT_FALSE(is_system_after({"# 0 \"my.cu\"", "# 1 \"my.h\" 1"}));
    EXPECT_FALSE(is_system_after({"# 0 \"my.cu\"", "# 1 \"/usr/include/a.h\" 1 3", "# 2 \"my.cu\" 2"}));
    EXPECT_TRUE(is_system_after({"# 0 \"my.cu\"", "# 0 \"<built-in>\""}));
    EXPECT_TRUE(is_system_after({"# 0 \"my.cu\"", "# 1 \"/opt/x/a.h\" 1 3", "# 9 \"/opt/x/a.h\""}));
    EXPECT_TRUE(is_system_after({"# 0 \"my.cu\"", "# 1 \"/usr/include/a.h\" 1"}));
    EXPECT_TRUE(is_system_after({"# 0 \"my.cu\"", "# 1 \"/opt/cuda/bin/../targets/x/include/cuda_runtime.h\" 1",
                                 "# 1 \"/opt/cuda/targets/x/include/crt/y.h\" 1"}));
    EXPECT_TRUE(is_system_after(
        {"# 0 \"my.cu\"", "# 1 \"/n/program/count/nestbed_count.cuh\" 1", "# 1 \"/n/program/count/b.cuh\" 1"}));
    EXPECT_TRUE(
        is_system_after({"# 0 \"my.cu\"", "# 1 \"/n/include/nestbed/program.hpp\" 1", "# 1 \"/n/include/mma.h\" 1"}));
}

TEST(Source, KnowsPlacesAndUserFiles)
{
    const std::string text = "# 1 \"a.cu\"\none\n# 1 \"/usr/include/b.h\" 1 3\nhidden \"\n# 7 \"c.h\" "
                             "1\ntwo\n\nthree\n# 3 \"a.cu\" 2\nfour";
    const Source source(text);
    ASSERT_EQ(source.size(), 4U);
    const auto place = [&](std::size_t token) {
        return source.place(token).file + ":" + std::to_string(source.place(token).line);
    };
    EXPECT_EQ(place(0), "a.cu:1");
    EXPECT_EQ(place(1), "c.h:7");
    EXPECT_EQ(place(2), "c.h:9");
    EXPECT_EQ(place(3), "a.cu:3");
    EXPECT_THAT(source.user_files(), ElementsAre("a.cu", "c.h"));
}

TEST(Source, PairsBrackets)
{
    const Source source("a ( [ b ) c } {");
    EXPECT_EQ(source.match(1), 4U);
    EXPECT_EQ(source.match(2), kNoToken); // closed by the parenthesis around it
    EXPECT_EQ(source.match(6), kNoToken);
    EXPECT_EQ(source.match(7), kNoToken);
    EXPECT_EQ(source.parent(3), 2U);
    EXPECT_EQ(source.parent(5), kNoToken);
    EXPECT_EQ(source.match(kNoToken), kNoToken);
    EXPECT_EQ(source.text(100), "");
    EXPECT_THROW(Source(std::string(1001, '(')), RunError);
    EXPECT_THROW(Source("/*"), RunError);
    EXPECT_THROW(Source("#pragma /*"), RunError);
    EXPECT_THROW(Source("R\"(a)"), RunError);
}

} // namespace
} // namespace nestbed::program
