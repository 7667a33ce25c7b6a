// Warnings about programmatic launches, which the rewriter gives without a run.
#include "program/rewrite/rewriter.hpp"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

namespace nestbed::program
{
namespace
{

using testing::ElementsAre;
using testing::IsEmpty;

const std::string kLaunch = "cudaLaunchAttribute x[1]; x[0].id = cudaLaunchAttributeProgrammaticStreamSerialization; "
                            "x[0].val.programmaticStreamSerializationAllowed = 1; cudaLaunchConfig_t c = {}; c.attrs "
                            "= x; c.numAttrs = 1; c.stream = s; "
                            "cudaLaunchKernelEx(&c, k, a...); ";

// Lines 1 to 3: the writer and the reader; line 4: a launch with the attribute; line 5: a function of the host that orders; line 6: the host.
std::vector<std::string> warnings_of(const std::string& writer, const std::string& reader, const std::string& host)
{
    const std::string text =
        "# 1 \"a.cu\"\n__device__ void await(int* to) { *to = 1; } __device__ void wait_here() { asm "
        "volatile(\"griddepcontrol.wait;\" ::: \"memory\"); } struct "
        "Guard { __device__ Guard() { "
        "cudaGridDependencySynchronize(); } };\n" +
        writer + "\n" + reader +
        "\ntemplate <class... E, class... A> void early(cudaStream_t s, void (*k)(E...), A... a) { " + kLaunch +
        "}\nvoid order(cudaStream_t a, cudaStream_t b) { cudaEventRecord(e, a); cudaStreamWaitEvent(b, e); }\n"
        "void host(int* d, int* o, cudaStream_t n, cudaStream_t m) { " +
        host + " }\n";
    std::vector<std::string> warnings;
    rewrite(text, RewriteMode::executor, "", &warnings);
    return warnings;
}

const std::string kPut =
    "__global__ void put(int* to) { cudaTriggerProgrammaticLaunchCompletion(); to[threadIdx.x] = 1; }";
const std::string kHost = "put<<<1, 32, 0, n>>>(d); early(n, get, d, o);";

std::string get(const std::string& body)
{
    return "__global__ void get(const int* from, int* to) { " + body + " }";
}

TEST(ProgrammaticWarnings, OfAKernelThatNeverWaits)
{
    const auto expected = ElementsAre(
        "a.cu:3: warning: kernel get, which is launched programmatically at line 6, reads 'from' and never "
        "waits (cudaGridDependencySynchronize); kernel put before it writes that at line 2");
    for (const char* body :
         {"*to = from[1];", "__pipeline_wait_prior(0); *to = from[1];", "await(to); *to = from[1];", "*to = *from;",
          "*to = __ldg(from + 1);", "if (from[0]) *to = 1;"})
        EXPECT_THAT(warnings_of(kPut, get(body), kHost), expected) << body;
    EXPECT_THAT(warnings_of(kPut, get("*to = from[1];"), "put<<<1, 32>>>(d); do { early(0, get, d, o); } while (0);"),
                expected);
    const std::string check =
        "do { const cudaError_t code = (cudaGetLastError()); if (code != cudaSuccess) std::exit(1); } while (0); ";
    EXPECT_THAT(
        warnings_of(kPut, get("*to = from[1];"), "put<<<1, 32, 0, n>>>(d); " + check + "early(n, get, d, o);"),
        expected);
    EXPECT_THAT(warnings_of("__global__ void put(int* to) { atomicAdd(&to[1], 1); }", get("*to = from[1];"), kHost),
                expected);
}

TEST(ProgrammaticWarnings, OfAReadBeforeTheWait)
{
    EXPECT_THAT(
        warnings_of(kPut, get("int v = from[1]; wait_here(); *to = v;"), kHost),
        ElementsAre("a.cu:3: warning: kernel get, which is launched programmatically at line 6, reads 'from' before "
                    "its wait at line 3; kernel put before it writes that at line 2"));
}

TEST(ProgrammaticWarnings, OfAWriteAfterTheTriggerThatHandsOver)
{
    const auto handed = [](const std::string& body) {
        return warnings_of("__global__ void put(int* to) { " + body + " }", get("*to = from[1];"), kHost);
    };
    const std::string hand = "__syncthreads(); __threadfence(); cudaTriggerProgrammaticLaunchCompletion();";
    const auto expected = ElementsAre(
        "a.cu:2: warning: kernel put writes 'to' after its trigger at line 2; kernel get, which is launched "
        "programmatically behind it, reads that at line 3 and never waits (cudaGridDependencySynchronize)");
    EXPECT_THAT(handed("to[1] = 1; " + hand + " to[2] = 1;"), expected);
    EXPECT_THAT(handed("for (int i = 0; i < 4; ++i) { to[i] = 1; " + hand + " }"), expected);
    EXPECT_THAT(handed("to[1] = 1; " + hand), IsEmpty());
    EXPECT_THAT(handed("for (int i = 0; i < 4; ++i) to[i] = 1; " + hand), IsEmpty());
}

TEST(ProgrammaticWarnings, AreNotOfWhatMayBeRight)
{
    const auto with_host = [](const std::string& host) { return warnings_of(kPut, get("*to = from[1];"), host); };
    EXPECT_THAT(with_host("put<<<1, 32, 0, n>>>(d); early(m, get, d, o);"), IsEmpty());
    EXPECT_THAT(with_host("put<<<1, 32, 0, n>>>(d); cudaStreamSynchronize(n); early(n, get, d, o);"), IsEmpty());
    EXPECT_THAT(with_host("put<<<1, 32, 0, n>>>(d); order(n, m); early(n, get, d, o);"), IsEmpty());
    EXPECT_THAT(with_host("put<<<1, 32, 0, n>>>(o); early(n, get, d, o);"), IsEmpty());
    EXPECT_THAT(with_host("put<<<1, 32, 0, n>>>(d); get<<<1, 32, 0, n>>>(d, o);"), IsEmpty());
    EXPECT_THAT(with_host("early(n, get, d, o); put<<<1, 32, 0, n>>>(d);"), IsEmpty());
    for (const char* between : {"d = o;", "++d;", "library::reduce(d);", "object.synchronize();", "clear(d);"})
        EXPECT_THAT(with_host(std::string("put<<<1, 32, 0, n>>>(d); ") + between + " early(n, get, d, o);"),
                    IsEmpty())
            << between;
    for (const char* host : {"if (d) put<<<1, 32, 0, n>>>(d); else early(n, get, d, o);",
                             "if (d) return put<<<1, 32, 0, n>>>(d); early(n, get, d, o);",
                             "switch (*d) { case 0: put<<<1, 32, 0, n>>>(d); break; case 1: early(n, get, d, o); }"})
        EXPECT_THAT(with_host(host), IsEmpty()) << host;
    EXPECT_THAT(with_host("if (d) { put<<<1, 32, 0, n>>>(d); } else { early(n, get, d, o); }"), IsEmpty());
    for (const char* body : {"wait_here(); *to = from[1];", "cudaGridDependencySynchronize(); *to = from[1];",
                             "library::wait_for_grids(); *to = from[1];", "*to = 1;",
                             "int i = to[0] * from; *to = i;", "if constexpr (sizeof(int) == 8) *to = from[1];",
                             "if constexpr (sizeof(int) == 8) { *to = from[1]; } else { *to = from[2]; }"})
        EXPECT_THAT(warnings_of(kPut, get(body), kHost), IsEmpty()) << body;
}

TEST(ProgrammaticWarnings, AreNotOfLaunchesThatMayNotOverlap)
{
    const auto with_launch = [](const std::string& launch) {
        std::vector<std::string> warnings;
        rewrite("# 1 \"a.cu\"\n" + kPut + get("*to = from[1];") + "void host(int* d, int* o, cudaStream_t s) { " +
                    launch + " }\n",
                RewriteMode::executor, "", &warnings);
        return warnings.size();
    };
    std::string direct = kLaunch;
    direct.replace(direct.find("k, a..."), 7, "get, d, o");
    const std::size_t begin = direct.find("cudaLaunchKernelEx");
    direct.insert(begin, "put<<<1, 32, 0, s>>>(d); ");
    EXPECT_EQ(with_launch(direct), 1U);
    const auto changed = [&](const std::string& from, const std::string& to) {
        std::string text = direct;
        return text.replace(text.find(from), from.size(), to);
    };
    EXPECT_EQ(with_launch(changed("Allowed = 1", "Allowed = 0")), 0U);
    EXPECT_EQ(with_launch(changed("c.numAttrs = 1;", "if (o) c.numAttrs = 1;")), 0U);
    EXPECT_EQ(with_launch(changed("&c, get", "&other, get")), 0U);
    EXPECT_EQ(with_launch(changed("put<<<", "c.numAttrs = 0; put<<<")), 0U);
    EXPECT_EQ(with_launch(changed("put<<<", "x[0].val.programmaticStreamSerializationAllowed = 0; put<<<")), 0U);
    EXPECT_EQ(with_launch(changed("put<<<", "c = {}; put<<<")), 0U);
    EXPECT_EQ(with_launch(changed("c.stream = s;", "")), 0U);
}

} // namespace
} // namespace nestbed::program
