// Tests what the rewriter makes of files of users' workloads.
#include "base/error.hpp"
#include "base/temporary_folder.hpp"
#include "program/rewrite/inlined_headers.hpp"
#include "program/rewrite/rewriter.hpp"
#include "support/matchers.hpp"

#include <boost/algorithm/string/replace.hpp>

#include <array>
#include <fstream>

namespace nestbed::program
{
namespace
{

using boost::algorithm::replace_all;

std::string without_blanks(std::string text)
{
    std::erase(text, ' ');
    return text;
}

// With N:: for ::nestbed::, T(x) for the type of x; or the message.
std::string workload_text(std::string text, RewriteMode mode)
{
    try {
        text = rewrite("# 1 \"my.cu\"\n" + text, mode);
    } catch (const RunError& error) {
        return error.what();
    }
    text.erase(0, text.find('\n') + 1);
    replace_all(text, "::std::remove_cvref_t<decltype(nest)>", "T(nest)");
    replace_all(text, "::std::remove_cvref_t<decltype(nestbed_nest)>", "T(hidden)");
    replace_all(text, "::std::remove_cvref_t<decltype(n)>", "T(n)");
    replace_all(text, "::nestbed::", "N::");
    replace_all(text, "nestbed_nest", "hidden");
    replace_all(text, "const auto nestbed_scope = ", "scope = ");
    replace_all(text, "static_cast<unsigned>", "U");
    return text;
}

TEST(WorkloadRewriter, MakesOfKernelsAndLaunchesWhatTheTableSays)
{
    static constexpr std::array<std::array<std::string_view, 2>, 22> kCases{{
        // A kernel that has a Nest, and the stream of the run's mechanism.
        {"__global__ void k(int* a, Nest nest) { k<<<1, 2, 0, nest.stream>>>(a, nest); }",
         "__global__ void k(int* a, auto nest) { scope = nest.enter(); N::launch<k<T(nest)>>(nest, {1, 2, U(0)}, a); "
         "}"},
        {"template <class T> __global__ void k(Nest n) { k<T><<<dim3(1, 2), f<1, 2>(3), 4 * sizeof(T), "
         "n.stream>>>(n); }",
         "template <class T> __global__ void k(auto n) { scope = n.enter(); N::launch<k<T, T(n)>>(n, {dim3(1, 2), "
         "f<1, 2>(3), U(4 * sizeof(T))}); }"},
        // Streams of the kernel's choice.
        {"__global__ void k(Nest nest) { k<<<1, 2>>>(nest); k<<<1, 2, 0, cudaStreamTailLaunch>>>(nest); k<<<1, 2, 0, "
         "s>>>(nest); }",
         "__global__ void k(auto nest) { scope = nest.enter(); N::launch_into<k<T(nest)>>(nest, nullptr, {1, 2}); "
         "N::launch_into<k<T(nest)>>(nest, cudaStreamTailLaunch, {1, 2, U(0)}); "
         "N::launch_into<k<T(nest)>>(nest, s, {1, 2, U(0)}); }"},
        // A kernel as it is in another program gets one.
        {"__global__ void k(int* a) { if (a) k<<<1, 2>>>(a + 1); }",
         "__global__ void k(int* a, auto hidden) { scope = hidden.enter(); if (a) "
         "N::launch_into<k<T(hidden)>>(hidden, nullptr, {1, 2}, a + 1); }"},
        {"__global__ void leaf(void); __global__ void k() { leaf<<<1, 2>>>(); } __global__ void leaf(void) {}",
         "__global__ void leaf(auto hidden); __global__ void k(auto hidden) { scope = hidden.enter(); "
         "N::launch_into<leaf<T(hidden)>>(hidden, nullptr, {1, 2}); } __global__ void leaf(auto hidden) { scope = "
         "hidden.enter(); }"},
        {"__global__ void k(int* a); void run() { go([&](const auto& wave, auto nest) { k<<<wave.blocks, 2, 0, "
         "wave.stream>>>(a); }); }\n"
         "__global__ void k(int* a) { k<<<1, 2>>>(a); }",
         "__global__ void k(int* a, auto hidden); void run() { go([&](const auto& wave, auto nest) { "
         "N::launch_from_host<k<T(nest)>>(wave.stream, {wave.blocks, 2, U(0)}, a, nest); }); }\n"
         "__global__ void k(int* a, auto hidden) { scope = hidden.enter(); N::launch_into<k<T(hidden)>>(hidden, "
         "nullptr, {1, 2}, a); }"},
        // A function of the device that launches.
        {"__device__ void f(const Nest& nest) { k<<<1, 2, 0, nest.stream>>>(nest); } __global__ void k(Nest nest) { "
         "f(nest); }",
         "__device__ void f(const auto& nest) { N::launch<k<T(nest)>>(nest, {1, 2, U(0)}); } "
         "__global__ void k(auto nest) { scope = nest.enter(); f(nest); }"},
        // A kernel that marks its begin itself.
        {"__global__ void k(Nest nest) { auto s = nest.at(1).enter(); }",
         "__global__ void k(auto nest) { auto s = nest.at(1).enter(); }"},
        // Kernels that launch nothing, and the host.
        {"__global__ void k(int a) {} void run() { k<<<1, 2>>>(3); k<<<1, 2, n>>>(3); ns::k<<<1, 2>>>(3); }",
         "__global__ void k(int a) {} void run() { N::launch_from_host<k>({1, 2}, 3); N::launch_from_host<k>({1, 2, "
         "U(n)}, 3); "
         "N::launch_from_host<ns::k>({1, 2}, 3); }"},
        // A kernel of another file, which has a Nest or has none.
        {"void run() { go([&](const auto& wave, auto nest) { k<int><<<1, 2>>>(a, nest); l<<<1, 2>>>(a, b); }); }",
         "void run() { go([&](const auto& wave, auto nest) { N::launch_from_host<k<int, T(nest)>>({1, 2}, a, nest); "
         "N::launch_from_host<l>({1, 2}, a, b); }); }"},
        {"__global__ void k(Nest nest) { other<<<1, 2, 0, nest.stream>>>(3, nest); }",
         "__global__ void k(auto nest) { scope = nest.enter(); N::launch<other<T(nest)>>(nest, {1, 2, U(0)}, 3); }"},
        // A type of that name that is not CUDA's business.
        {"struct Nest {}; void f(std::vector<Nest> all) { Nest own; }",
         "struct Nest {}; void f(std::vector<Nest> all) { Nest own; }"},
        // What cannot be done.
        {"__device__ void f() { k<<<1, 2>>>(); } __global__ void k() {}",
         "my.cu:1: the function f launches k: give it a parameter `Nest nest`, and each call of it that argument"},
        {"__global__ void k() { k<<<1, 2>>>(); }\nvoid run() { k<<<1, 2>>>(); }",
         "my.cu:2: the host launches k, whose grids launch grids or are launched by one, outside of the lambda of "
         "launch_waves(job, [&](const "
         "auto& wave, auto nest) { ... })"},
        {"__global__ void k(Nest nest) { k<<<1, 2>>>(); }",
         "my.cu:1: the last argument of a launch of k is the Nest: its last parameter is one"},
        {"__global__ void k(Nest nest) { k<<<1>>>(nest); }",
         "my.cu:1: a launch has a grid, a block, and no more than a size and a stream"},
        {"void run() { (*p)<<<1, 2>>>(); }",
         "my.cu:1: the launch of (*p): in a workload, a kernel is launched by its name"},
        {"\n#define GO(k) k<<<1, 2>>>()\n",
         "my.cu:2: a macro with <<< is not for workloads; write out the kernel or the launch"},
        {"#define KERNEL extern __global__ void\n",
         "my.cu:1: a macro with __global__ is not for workloads; write out the kernel or the launch"},
        // Directives and lines stay.
        {"#include <cmath>\n#ifdef X // a launch: k<<<1, 2>>>()\n\n#endif\n",
         "#include <cmath>\n#ifdef X // a launch: k<<<1, 2>>>()\n\n#endif\n"},
        {"// k<<<1, 2>>>()\nconst char* text = \"k<<<1, 2>>>()\";\n",
         "// k<<<1, 2>>>()\nconst char* text = \"k<<<1, 2>>>()\";\n"},
        {"__global__ void k(Nest nest)\n{\n    k<<<1,\n        2>>>(nest);\n}\n",
         "__global__ void k(auto nest)\n{ scope = nest.enter();\n N::launch_into<k<T(nest)>>(nest, nullptr, {1,\n "
         "2});\n}\n"},
    }};
    for (const auto& [text, result] : kCases)
        for (const RewriteMode mode : {RewriteMode::workload_cuda, RewriteMode::workload_executor})
            EXPECT_EQ(without_blanks(workload_text(std::string(text), mode)), without_blanks(std::string(result)))
                << text;
}

TEST(WorkloadRewriter, MakesReferencesOfSharedVariablesForTheExecutorAlone)
{
    const std::string text =
        "__global__ void k() { __shared__ int a[2][3]; extern __shared__ float b[]; a[1][2] = 0; }";
    EXPECT_EQ(workload_text(text, RewriteMode::workload_cuda), text);
    EXPECT_EQ(
        without_blanks(workload_text(text, RewriteMode::workload_executor)),
        without_blanks("__global__ void k() { typedef int nestbed_type_of_a[2][3]; static const N::cpu::SharedKey "
                       "nestbed_key_of_a{sizeof(nestbed_type_of_a)}; nestbed_type_of_a& a = "
                       "N::cpu::shared<nestbed_type_of_a>(&nestbed_key_of_a, \"a\"); "
                       "typedef float nestbed_type_of_b[]; nestbed_type_of_b& b = "
                       "N::cpu::dynamic_shared<nestbed_type_of_b>(\"b\"); a[1][2] = 0; }"));
    EXPECT_EQ(workload_text("\n__shared__ int a;", RewriteMode::workload_executor),
              "my.cu:2: a __shared__ variable outside of a function is not for workloads; declare it in the kernel");
}

TEST(WorkloadRewriter, TakesTheUsersOwnHeadersIn)
{
    const TemporaryFolder folder;
    const auto write = [&](const char* name, const char* text) { std::ofstream((folder.path() / name)) << text; };
    std::filesystem::create_directories((folder.path() / "inner"));
    write("a.cu",
          "#include <cmath>\n#include \"inner/b.cuh\"\n#include \"nowhere.hpp\"\n#include \"inner/b.cuh\"\nint a;\n");
    write("inner/b.cuh", "#pragma once\n#include \"c.h\"\nint b;");
    write("inner/c.h", "int c;\n");
    std::vector<std::filesystem::path> files;
    std::string text = with_own_headers((folder.path() / "a.cu"), files);
    replace_all(text, folder.path().string() + "/", "");
    EXPECT_EQ(text, "# 1 \"a.cu\"\n#include <cmath>\n# 1 \"inner/b.cuh\" 1\n\n# 1 \"inner/c.h\" 1\nint c;\n# 2 "
                    "\"inner/b.cuh\" 2\n\nint b;\n"
                    "# 2 \"a.cu\" 2\n\n#include \"nowhere.hpp\"\n\nint a;\n");
    EXPECT_EQ(files.size(), 3U);
    write("inner/c.h", "#include \"c.h\"\n");
    EXPECT_THAT([&] { with_own_headers((folder.path() / "a.cu"), files); },
                testing::ThrowsMessage<RunError>(
                    HasSubstr("c.h: it is included from 100 files that include each other; allowed: headers with "
                              "#pragma once or a guard")));
}

} // namespace
} // namespace nestbed::program
