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

// With N:: for ::nestbed::, L for the head of the lambda of a kernel's launch, H for that of the host's, <<<>>> for the shape and stream in it,
// K{ for the begin of the executor's body of a kernel; or the message.
std::string workload_text(std::string text, RewriteMode mode)
{
    try {
        text = rewrite("# 1 \"my.cu\"\n" + text, mode);
    } catch (const RunError& error) {
        return error.what();
    }
    text.erase(0, text.find('\n') + 1);
    replace_all(text, "<<<nestbed_shape.grid, nestbed_shape.block, nestbed_shape.shared_bytes, nestbed_stream>>>",
                "<<<>>>");
    replace_all(text,
                "[&](auto nestbed_next, const ::nestbed::LaunchShape& nestbed_shape, cudaStream_t nestbed_stream)",
                "L");
    replace_all(text, "[&](const ::nestbed::LaunchShape& nestbed_shape, cudaStream_t nestbed_stream)", "H");
    replace_all(text, "::nestbed::cpu::kernel(\"k\", [=]() mutable -> void {", "K{");
    replace_all(text, "::nestbed::", "N::");
    replace_all(text, "nestbed_nest", "hidden");
    replace_all(text, "nestbed_next", "next");
    replace_all(text, "const auto nestbed_scope = ", "scope = ");
    replace_all(text, "static_cast<unsigned>", "U");
    return text;
}

TEST(WorkloadRewriter, MakesOfKernelsAndLaunchesWhatTheTableSays)
{
    static constexpr auto kCases = std::to_array<std::array<std::string_view, 2>>({
        // A kernel that has a Nest, and the stream of the run's mechanism.
        {"__global__ void k(int* a, Nest nest) { k<<<1, 2, 0, nest.stream>>>(a, nest); }",
         "__global__ void k(int* a, auto nest) { scope = nest.enter(); N::launched(nest, {1, 2, U(0)}, L { "
         "k<<<>>>(a, next); }); }"},
        {"template <class T> __global__ void k(Nest n) { k<T><<<dim3(1, 2), f<1, 2>(3), 4 * sizeof(T), "
         "n.stream>>>(n); }",
         "template <class T> __global__ void k(auto n) { scope = n.enter(); N::launched(n, {dim3(1, 2), f<1, 2>(3), "
         "U(4 * sizeof(T))}, L { k<T><<<>>>(next); }); }"},
        // Streams of the kernel's choice.
        {"__global__ void k(Nest nest) { k<<<1, 2>>>(nest); k<<<1, 2, 0, cudaStreamTailLaunch>>>(nest); k<<<1, 2, 0, "
         "s>>>(nest); }",
         "__global__ void k(auto nest) { scope = nest.enter(); N::launched_into(nest, nullptr, {1, 2}, L { "
         "k<<<>>>(next); }); "
         "N::launched_into(nest, cudaStreamTailLaunch, {1, 2, U(0)}, L { k<<<>>>(next); }); "
         "N::launched_into(nest, s, {1, 2, U(0)}, L { k<<<>>>(next); }); }"},
        // A kernel as it is in another program gets one, as the first parameter: of others, some may have default arguments, or be a pack.
        {"__global__ void k(int* a, int b = 1) { if (a) k<<<1, 2>>>(a + 1); else (a) ? k<<<CONFIGURATION>>>(a, {2}) "
         ": (void)0; }",
         "__global__ void k(auto hidden, int* a, int b = 1) { scope = hidden.enter(); if (a) "
         "N::launched_into(hidden, nullptr, {1, 2}, L { k<<<>>>(next, a + 1); }); else (a) ? "
         "N::launched_into(hidden, nullptr, {CONFIGURATION}, L { k<<<>>>(next, a, {2}); }) : (void)0; }"},
        {"__global__ void leaf(void); __global__ void k() { leaf<<<1, 2>>>(); } __global__ void leaf(void) {}",
         "__global__ void leaf(auto hidden); __global__ void k(auto hidden) { scope = hidden.enter(); "
         "N::launched_into(hidden, nullptr, {1, 2}, L { leaf<<<>>>(next); }); } __global__ void leaf(auto hidden) { "
         "scope = hidden.enter(); }"},
        {"__global__ void k(int* a); void run() { go([&](const auto& wave, auto nest) { k<<<wave.blocks, 2, 0, "
         "wave.stream>>>(a); }); }\n"
         "__global__ void k(int* a) { k<<<1, 2>>>(a); }",
         "__global__ void k(auto hidden, int* a); void run() { go([&](const auto& wave, auto nest) { "
         "N::launched_from_host(wave.stream, {wave.blocks, 2, U(0)}, H { k<<<>>>(nest, a); }); }); }\n"
         "__global__ void k(auto hidden, int* a) { scope = hidden.enter(); N::launched_into(hidden, nullptr, {1, 2}, "
         "L { k<<<>>>(next, a); }); }"},
        // A lambda that launches has it, too.
        {"__global__ void k(int* a) { [a] { k<<<1, 2>>>(a); }(); [] { k<<<1, 2>>>(0); k<<<1, 2>>>(0); }(); [=] { "
         "k<<<1, 2>>>(a); }(); "
         "[&a] { a = 0; }(); }",
         "__global__ void k(auto hidden, int* a) { scope = hidden.enter(); "
         "[a, hidden] { N::launched_into(hidden, nullptr, {1, 2}, L { k<<<>>>(next, a); }); }(); "
         "[hidden] { N::launched_into(hidden, nullptr, {1, 2}, L { k<<<>>>(next, 0); }); "
         "N::launched_into(hidden, nullptr, {1, 2}, L { k<<<>>>(next, 0); }); }(); "
         "[=] { N::launched_into(hidden, nullptr, {1, 2}, L { k<<<>>>(next, a); }); }(); [&a] { a = 0; }(); }"},
        {"__global__ void k(Nest nest) { [nest](int d) { k<<<1, 2, 0, nest.stream>>>(nest); }(1); [](Nest nest) { "
         "k<<<1, 2, 0, nest.stream>>>(nest); }(nest); }",
         "__global__ void k(auto nest) { scope = nest.enter(); [nest](int d) { N::launched(nest, {1, 2, U(0)}, L { "
         "k<<<>>>(next); }); }(1); "
         "[](auto nest) { N::launched(nest, {1, 2, U(0)}, L { k<<<>>>(next); }); }(nest); }"},
        // Comparisons are no template arguments.
        {"void run() { k<<<n < m ? 1 : 2, x > y ? 3 : 4>>>(a < b, c > d); }",
         "void run() { N::launched_from_host(0u, {n < m ? 1 : 2, x > y ? 3 : 4}, H { k<<<>>>(a < b, c > d); }); }"},
        // A Nest without a name.
        {"__global__ void k(int, Nest); __global__ void p(Nest nest) { k<<<1, 2>>>(1, nest); } __global__ void "
         "k(int, Nest) {}",
         "__global__ void k(int, auto hidden); __global__ void p(auto nest) { scope = nest.enter(); "
         "N::launched_into(nest, nullptr, {1, 2}, L { k<<<>>>(1, next); }); } __global__ void k(int, auto hidden) { "
         "scope = hidden.enter(); }"},
        // A function of the device that launches.
        {"__device__ void f(const Nest& nest) { k<<<1, 2, 0, nest.stream>>>(nest); } __global__ void k(Nest nest) { "
         "f(nest); }",
         "__device__ void f(const auto& nest) { N::launched(nest, {1, 2, U(0)}, L { k<<<>>>(next); }); } "
         "__global__ void k(auto nest) { scope = nest.enter(); f(nest); }"},
        // A kernel that marks its begin itself.
        {"__global__ void k(Nest nest) { auto s = nest.at(1).enter(); }",
         "__global__ void k(auto nest) { auto s = nest.at(1).enter(); }"},
        // Kernels that launch nothing, and the host; also through a pointer.
        {"__global__ void k(int a) {} void run() { k<<<1, 2>>>(3); k<<<1, 2, n>>>(3); ns::k<<<1, 2>>>(3); (*p)<<<1, "
         "2>>>(); }",
         "__global__ void k(int a) {} void run() { N::launched_from_host(0u, {1, 2}, H { k<<<>>>(3); }); "
         "N::launched_from_host(0u, {1, 2, U(n)}, H { k<<<>>>(3); }); N::launched_from_host(0u, {1, 2}, H { "
         "ns::k<<<>>>(3); }); "
         "N::launched_from_host(0u, {1, 2}, H { (*p)<<<>>>(); }); }"},
        // A kernel of another file, which has a Nest or has none.
        {"__global__ void k(Nest nest) { other<<<1, 2, 0, nest.stream>>>(3, nest); another<<<1, 2, 0, "
         "nest.stream>>>(3); }",
         "__global__ void k(auto nest) { scope = nest.enter(); N::launched(nest, {1, 2, U(0)}, L { other<<<>>>(3, "
         "next); }); "
         "N::launched(nest, {1, 2, U(0)}, L { another<<<>>>(3); }); }"},
        // Kernels of one name: in two namespaces.
        {"namespace a { __global__ void k(int* x) { k<<<1, 2>>>(x); } } namespace b { __global__ void k(Nest nest) { "
         "k<<<1, 2>>>(nest); } }",
         "namespace a { __global__ void k(auto hidden, int* x) { scope = hidden.enter(); "
         "N::launched_into(hidden, nullptr, {1, 2}, L { k<<<>>>(next, x); }); } } namespace b { __global__ void "
         "k(auto nest) { scope = nest.enter(); "
         "N::launched_into(nest, nullptr, {1, 2}, L { k<<<>>>(next); }); } }"},
        // A type of that name that is not CUDA's business.
        {"struct Nest {}; void f(std::vector<Nest> all) { Nest own; }",
         "struct Nest {}; void f(std::vector<Nest> all) { Nest own; }"},
        // What cannot be done.
        {"__device__ void f() { k<<<1, 2>>>(); } __global__ void k() {}",
         "my.cu:1: the function f launches k: give it a last parameter `Nest nest`, and each call of it that "
         "argument"},
        {"__global__ void k() { k<<<1, 2>>>(); }\nvoid run() { k<<<1, 2>>>(); }",
         "my.cu:2: the host launches k, whose grids launch grids or are launched by one, outside of the lambda of "
         "launch_waves(job, [&](const "
         "auto& wave, auto nest) { ... })"},
        {"__global__ void k(Nest nest) { k<<<1, 2>>>(); }", "my.cu:1: the last argument of a launch of k is the Nest "
                                                            "of the launching kernel: its last parameter is one"},
        {"extern \"C\" __global__ void k() { k<<<1, 2>>>(); }",
         "my.cu:1: the kernel k launches grids or is launched by one, and is extern \"C\"; in a workload it cannot "
         "be both"},
        {"extern \"C\" {\n__global__ void k() { k<<<1, 2>>>(); }\n}",
         "my.cu:2: the kernel k launches grids or is launched by one, and is extern \"C\"; in a workload it cannot "
         "be both"},
        {"template <class... T> __global__ void k(T... all) { k<<<1, 2>>>(all...); }",
         "my.cu:1: the kernel k launches grids or is launched by one, and has a parameter pack; in a workload it "
         "cannot be both"},
        {"template <> __global__ void k<int>(int* a) { k<<<1, 2>>>(a); }",
         "my.cu:1: the kernel k launches grids or is launched by one, and is a specialisation or an instantiation; "
         "in a workload it cannot be both"},
        {"__global__ void k()\n{\n#ifdef A\n if (a) {\n#else\n {\n#endif\n }\n}\n",
         "my.cu:2: this bracket has no pair; allowed in a workload: #if, #else and #endif around whole statements"},
        {"#define BLOCK 256 // of k<<<n, BLOCK>>>\n#if defined(__global__)\n#endif\n#define __global__\n",
         "#define BLOCK 256 // of k<<<n, BLOCK>>>\n#if defined(__global__)\n#endif\n#define __global__\n"},
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
         "__global__ void k(auto nest)\n{ scope = nest.enter();\n N::launched_into(nest, nullptr, {1,\n 2}, L { "
         "k<<<>>>(next); });\n}\n"},
    });
    for (const auto& [text, result] : kCases)
        EXPECT_EQ(without_blanks(workload_text(std::string(text), RewriteMode::workload_cuda)),
                  without_blanks(std::string(result)))
            << text;
}

TEST(WorkloadRewriter, MakesFunctionsOfKernelsForTheExecutor)
{
    EXPECT_EQ(without_blanks(workload_text("__global__ void k(int* a) { k<<<1, 2>>>(a); } void run() { go([&](auto "
                                           "wave, auto nest) { k<<<1, 2>>>(a); }); }",
                                           RewriteMode::workload_executor)),
              without_blanks("__global__ void k(auto hidden, int* a) { K{ scope = hidden.enter(); "
                             "N::launched_into(hidden, nullptr, {1, 2}, L { k(next, a); }); });} void run() { "
                             "go([&](auto wave, auto nest) { "
                             "N::launched_from_host(0u, {1, 2}, H { k(nest, a); }); }); }"));
    EXPECT_EQ(without_blanks(
                  workload_text("__global__ void k(int); __global__ void k(int) {}", RewriteMode::workload_executor)),
              without_blanks("__global__ void k(int); __global__ void k(int) { K{ });}"));
}

TEST(WorkloadRewriter, MakesReferencesOfSharedVariablesForTheExecutorAlone)
{
    const std::string text =
        "__global__ void k() { __shared__ int a[2][3]; extern __shared__ float b[]; a[1][2] = 0; }";
    EXPECT_EQ(workload_text(text, RewriteMode::workload_cuda), text);
    EXPECT_EQ(
        without_blanks(workload_text(text, RewriteMode::workload_executor)),
        without_blanks("__global__ void k() { K{ typedef int nestbed_type_of_a[2][3]; static const N::cpu::SharedKey "
                       "nestbed_key_of_a{sizeof(nestbed_type_of_a)}; nestbed_type_of_a& a = "
                       "N::cpu::shared<nestbed_type_of_a>(&nestbed_key_of_a, \"a\"); "
                       "typedef float nestbed_type_of_b[]; nestbed_type_of_b& b = "
                       "N::cpu::dynamic_shared<nestbed_type_of_b>(\"b\"); a[1][2] = 0; });}"));
    EXPECT_EQ(workload_text("\n__shared__ int a;", RewriteMode::workload_executor),
              "my.cu:2: a __shared__ variable outside of a function is not for workloads; declare it in the kernel");
}

TEST(WorkloadRewriter, TakesTheUsersOwnHeadersIn)
{
    const TemporaryFolder folder;
    std::filesystem::create_directories(folder.path() / "inner");
    std::vector<std::filesystem::path> files;
    const auto write = [&](const char* name, const char* text) { std::ofstream(folder.path() / name) << text; };
    const auto read = [&] {
        std::string text = with_user_headers(folder.path() / "a.cu", files);
        replace_all(text, folder.path().string() + "/", "");
        return text;
    };
    write("a.cu", "#include <cmath>\n#include \"inner/b.cuh\"\n#include \"nowhere.hpp\"\n#include <c.h>\nint a;\n");
    write("inner/b.cuh", "#pragma once\n#include \"c.h\"\nint b;");
    write("inner/c.h", "int c;\n");
    write("c.h", "int c2;\n");
    EXPECT_EQ(
        read(),
        "# 1 \"a.cu\"\n#include <cmath>\n# 1 \"inner/b.cuh\" 1\n#ifndef NESTBED_ONCE_1\n#define NESTBED_ONCE_1\n"
        "# 1 \"inner/b.cuh\"\n\n# 1 \"inner/c.h\" 1\nint c;\n# 2 \"inner/b.cuh\" 2\n\nint b;\n#endif\n"
        "# 2 \"a.cu\" 2\n\n#include \"nowhere.hpp\"\n# 1 \"c.h\" 1\nint c2;\n# 4 \"a.cu\" 2\n\nint a;\n");
    EXPECT_EQ(files.size(), 4U);
    // Where a branch may not be taken, its marks do not count.
    write("a.cu", "#ifdef X\n#include \"c.h\"\n#endif\nint a;\n");
    EXPECT_EQ(read(),
              "# 1 \"a.cu\"\n#ifdef X\n# 1 \"c.h\" 1\nint c2;\n# 2 \"a.cu\" 2\n\n#endif\n# 3 \"a.cu\"\n\nint a;\n");
    write("c.h", "#if 0 // not yet\nit's no code\n#if 1\n#else\n#endif\n#else\nint c;\n#endif\n");
    write("a.cu", "#include \"c.h\"\n#if 0\nthe end");
    EXPECT_EQ(read(),
              "# 1 \"a.cu\"\n# 1 \"c.h\" 1\n#if 0 // not yet\n\n\n\n\n#else\nint c;\n#endif\n# 1 \"a.cu\" 2\n\n"
              "#if 0\nthe end\n");
    // Headers that include each other.
    write("a.cu", "#include \"c.h\"\n");
    write("c.h", "#ifndef C\n#define C\n#include \"d.h\"\n#endif\n");
    write("d.h", "#ifndef D\n#define D\n#include \"c.h\"\nint d;\n#endif\n");
    EXPECT_THAT(read(), HasSubstr("#define D\n\nint d;\n"));
    write("d.h", "#include \"d.h\"\n");
    EXPECT_THAT(read, testing::ThrowsMessage<RunError>(
                          HasSubstr("d.h: it is included from 100 files that include each other; allowed: headers "
                                    "with #pragma once or a guard")));
    write("a.cu", "\n#include HEADER\n");
    EXPECT_THAT(read, testing::ThrowsMessage<RunError>(EndsWith(
                          "a.cu:2: the header is named by a macro; allowed in a workload: #include \"FILE\", "
                          "#include <FILE>")));
}

} // namespace
} // namespace nestbed::program
