// The names of kernels with template arguments, as g++, nvcc and the demangler spell them: the strings are theirs.
#include "program/count/spelled_kernel.hpp"

#include <gmock/gmock.h>

#include <array>
#include <string>
#include <utility>
#include <vector>

namespace nestbed::program
{
namespace
{

std::string spelled(const std::string& text, std::size_t bytes = 256)
{
    std::vector<char> to(bytes, '?');
    nestbed_names::Speller(to.data(), bytes, text.c_str()).spell();
    return to.data();
}

std::string of_compiler(const std::string& arguments)
{
    return spelled("KernelNamed<nestbed_name_of_k, " + arguments);
}

TEST(SpelledKernel, IsTheSameForBothCompilersAndTheDemangler)
{
    struct Case {
        std::string expected, gcc, nvcc, demangled;
    };
    const std::vector<Case> cases = {
        {"int, 4", "int, nestbed_names::KernelValue<int, 4> >]", "int, nestbed_names::KernelValue<int, 4>>]",
         "int, 4"},
        {"unsigned long, -4", "long unsigned int, KernelValue<short int, -4> >]",
         "unsigned long, nestbed_names::KernelValue<short, -4>>]", "unsigned long, (short)-4"},
        {"5, 7, 97", "KernelValue<unsigned int, 5>, KernelValue<long unsigned int, 7>, KernelValue<int, 97> >]",
         "nestbed_names::KernelValue<unsigned int, 5U>, nestbed_names::KernelValue<unsigned long, 7UL>, "
         "nestbed_names::KernelValue<int, 97>>]",
         "5u, 7ul, (char)97"},
        {"bool, true", "bool, KernelValue<bool, true> >]", "__nv_bool, nestbed_names::KernelValue<__nv_bool, true>>]",
         "bool, true"},
        {"const int*, op<Max<float>>&", "const int*, op<Max<float> >& >]", "const int *, op<Max<float>> &>]",
         "int const*, op<Max<float> >&"},
        {"Hidden, ns::Shown<Hidden>", "{anonymous}::Hidden, ns::Shown<{anonymous}::Hidden> >]",
         "<unnamed>::Hidden, ns::Shown<_GLOBAL__N__58e34aca_4_a_cu__Z1kv::Hidden>>]",
         "(anonymous namespace)::Hidden, ns::Shown<(anonymous namespace)::Hidden>"},
        {"lambda, long long", "main()::<lambda(int)>, long long int>]",
         "lambda [](int, float *)->void *, long long>]", "main::{lambda(int)#1}, long long"},
        {"int (*)(float, unsigned char), int[4]", "int (*)(float, unsigned char), int [4]>]",
         "int (*)(float, unsigned char), int [4]>]", "int (*)(float, unsigned char), int [4]"},
        {"Matrix, &global", "KernelTemplate<Matrix>, KernelValue<int*, (& global)> >]",
         "nestbed_names::KernelTemplate<Matrix>, nestbed_names::KernelValue<int *, &global>>]", "Matrix, &global"},
        {"const Max<int>* const*, long double", "const Max<int>* const*, long double>]",
         "const Max<int> *const *, long double>]", "Max<int> const* const*, long double"},
    };
    for (const Case& each : cases) {
        const std::string expected = "k<" + each.expected + ">";
        EXPECT_EQ(of_compiler(each.gcc), expected);
        EXPECT_EQ(of_compiler(each.nvcc), expected);
        EXPECT_EQ(spelled("k<" + each.demangled + ">(nestbed_count::Level, int*)"), expected);
    }
    EXPECT_EQ(of_compiler("KernelValue<Color, Color::red> >]"), "k<Color::red>");
    EXPECT_EQ(of_compiler("nestbed_names::KernelLambda, my_lambda>]"), "k<lambda, my_lambda>");
    EXPECT_EQ(spelled("k<(Color)1>(nestbed_count::Level)"), "k<(Color)1>");
}

TEST(SpelledKernel, HasNoArgumentsWhereThereAreNone)
{
    EXPECT_EQ(spelled("KernelNamed<nestbed_name_of_plain>]"), "plain");
    EXPECT_EQ(spelled("KernelNamed<f<int>(int)::nestbed_name_of_k, int>]"), "k<int>");
    EXPECT_EQ(spelled("plain(nestbed_count::Level, int*)"), "plain");
    EXPECT_EQ(spelled("c_name"), "c_name");
}

TEST(SpelledKernel, EndsInDotsIfItsTextWasCut)
{
    const std::string whole =
        "KernelNamed<nestbed_name_of_k, Max<std::pair<int, KernelValue<Color, Color::red> > >, int>]";
    for (std::size_t bytes = 0; bytes <= whole.size(); ++bytes) // an end anywhere
        EXPECT_LE(spelled(whole.substr(0, bytes)).size(), 60U);
    EXPECT_EQ(of_compiler("Max<std::pair<in"), "k<Max<std::pair<in...>>>");
    EXPECT_EQ(of_compiler("int, KernelValue<unsigned"), "k<int, ...>");
    for (std::size_t room = 1; room < 12; ++room)
        EXPECT_EQ(spelled("KernelNamed<nestbed_name_of_k, int, flo>]", room),
                  std::string("k<int, flo>").substr(0, room - 1));
    EXPECT_EQ(spelled("KernelNamed<nestbed_name_of_k, int const*>]", 10), "k<int*>");
}

} // namespace
} // namespace nestbed::program
