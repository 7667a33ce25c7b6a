// The names of instances of kernel templates. The texts with "[with" are those of g++ 12.
#include "program/runtime/kernel_names.hpp"

#include <gmock/gmock.h>

#include <string>
#include <thread>
#include <vector>

namespace nestbed::program
{
namespace
{

using testing::MatchesRegex;

// Of a template with these parameters.
std::string name_with(int parameters, const std::string& bindings)
{
    return name_of_instance("k", parameters, "void n::k(T, U*) [with " + bindings + "]");
}

TEST(KernelNames, HaveTheArgumentsOfTheTemplate)
{
    EXPECT_EQ(name_with(1, "int N = 4"), "k<4>");
    EXPECT_EQ(name_with(2, "T = float; int N = 128"), "k<float, 128>");
    EXPECT_EQ(name_with(2, "<template-parameter-1-1> = int; int <anonymous> = 4"), "k<int, 4>");
    EXPECT_EQ(name_with(2, "Mode m = two; Colour n = (Colour)9"), "k<two, (Colour)9>");
    EXPECT_EQ(name_with(2, "C = Matrix; T = const char*"), "k<Matrix, const char*>");
    EXPECT_EQ(name_with(2, "void (* F)(int, float) = f; int V::* p = &V::a"), "k<f, &V::a>");
    EXPECT_EQ(name_with(1, "V v = V{3, 2.0e+0f}"), "k<V{3, 2.0e+0f}>");
    EXPECT_EQ(name_with(2, "T = void (*)(int, unsigned char); U = int (*)[3]"),
              "k<void (*)(int, unsigned char), int (*)[3]>");
}

TEST(KernelNames, DoNotHaveWhatTheSignatureNames)
{
    EXPECT_EQ(name_with(2, "T = float; int N = 128; size_t = long unsigned int"), "k<float, 128>");
    EXPECT_EQ(name_with(1, "U = float; T = int; S<T> = S<int>"), "k<float>");
    EXPECT_EQ(name_with(1, "T = int; auto:1 = float; auto:2 = char; size_t = long unsigned int"),
              "k<int, float, char>");
    EXPECT_EQ(name_with(0, "auto:1 = int"), "k<int>");
    EXPECT_EQ(name_with(0, "size_t = long unsigned int"), "k");
}

TEST(KernelNames, HaveTheElementsOfPacks)
{
    EXPECT_EQ(name_with(2, "T = char; A = {int, std::pair<int, float>, void (*)(int, int)}"),
              "k<char, int, std::pair<int, float>, void (*)(int, int)>");
    EXPECT_EQ(name_with(1, "int ...N = {1, -2}"), "k<1, -2>");
    EXPECT_EQ(name_with(1, "A = {}"), "k<>");
    EXPECT_EQ(name_with(2, "A = {}; int N = 1"), "k<1>");
}

TEST(KernelNames, AreReadWithTheirLiteralsAndOperators)
{
    EXPECT_EQ(name_with(2, "char C = ';'; char D = ']'"), "k<';', ']'>");
    EXPECT_EQ(name_with(2, R"(char C = '\''; char D = '\"')"), R"(k<'\'', '\"'>)");
    EXPECT_EQ(name_with(2, R"(char C = '\\'; char D = '\000')"), R"(k<'\\', '\000'>)");
    EXPECT_EQ(name_with(2, R"(Text t = Text{"a; b]\""}; int N = 1)"), R"(k<Text{"a; b]\""}, 1>)");
    EXPECT_EQ(name_with(2, "bool (* F)(A, A) = operator<; int N = 1"), "k<operator<, 1>");
    EXPECT_EQ(name_with(2, "T = binary_operator<int, float>; int N = 1"), "k<binary_operator<int, float>, 1>");
    EXPECT_EQ(name_of_instance("k", 1, "decltype (a->b) k(T) requires  (sizeof (T) > 1) && C<T> [with T = int]"),
              "k<int>");
    EXPECT_EQ(name_of_instance("k", 1, "void k(T (&)[4]) [with T = int]"), "k<int>");
}

TEST(KernelNames, AreShortForLambdasAndUnnamedNamespaces)
{
    EXPECT_EQ(name_with(2, "F = main()::<lambda(int, const char*)>; T = int"), "k<lambda, int>");
    EXPECT_EQ(name_with(1, "F = Both<f(U) [with U = int; V = {a}]::<lambda(int)>, Two<main()::<lambda(auto:14)> > >"),
              "k<Both<lambda, Two<lambda>>>");
    EXPECT_EQ(name_with(1, "A = {main()::<lambda()>, int}"), "k<lambda, int>");
    EXPECT_EQ(name_with(1, "auto v = <lambda closure object>main()::<lambda(int)>()"), "k<lambda>");
    EXPECT_EQ(name_with(2, "T = {anonymous}::Hidden; void (* F)(int) = n::{anonymous}::f"), "k<Hidden, n::f>");
}

TEST(KernelNames, AreBareIfTheFunctionHasNoArguments)
{
    for (const char* const function : {"", "void k(int)", "void k(int) [with ", "x [with T = <<((;", "]", " [with ]"})
        EXPECT_EQ(name_of_instance("k", 1, function), "k") << function;
}

TEST(KernelNames, HaveTheBeginOfLongArgumentsAndAHash)
{
    const auto name = [](const std::string& last) {
        return name_of_instance(
            "a_kernel_whose_own_name_is_never_cut_however_long_it_is_in_the_source_of_its_program", 3,
            "void k() [with T = std::vector<std::vector<float> >; U = " + std::string(40, 'x') + "; int N = " + last +
                "]");
    };
    const std::string one = name("128");
    EXPECT_EQ(one, name("128"));
    EXPECT_NE(one, name("129"));
    EXPECT_THAT(one, MatchesRegex("a_kernel_[a-z_]*_program<std::vector<std::vector<float>>, x*\\.\\.\\.[0-9a-f]*>"));
    // Not within a character.
    for (std::size_t before = 0; before < 2; ++before) {
        std::string letters(before, 'a');
        for (int letter = 0; letter < 60; ++letter)
            letters += "\u00e4";
        const std::string cut = name_with(1, "T = " + letters);
        EXPECT_EQ(cut.find("\xa4..."), cut.find("...") - 1);
    }
}

TEST(KernelNames, AreMadeOnce)
{
    static Kernel kernel = of_template({"k", 64}, 1, "void k() [with int N = 4]");
    EXPECT_EQ(kernel.max_threads, 64);
    std::vector<std::thread> threads;
    for (int thread = 0; thread < 8; ++thread)
        threads.emplace_back([&] {
            add_template_arguments(kernel);
            EXPECT_STREQ(kernel.name, "k<4>");
        });
    for (std::thread& thread : threads)
        thread.join();
    const char* const name = kernel.name;
    add_template_arguments(kernel);
    EXPECT_EQ(kernel.name, name);
    Kernel plain{"plain"};
    add_template_arguments(plain);
    EXPECT_STREQ(plain.name, "plain");
}

} // namespace
} // namespace nestbed::program
