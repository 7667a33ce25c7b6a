// What `nestbed count` gives a build, what it says about it, and what the compiler wrappers do with a file.
#include "base/error.hpp"
#include "program/count/counted_build.hpp"
#include "support/support.hpp"

#include <filesystem>
#include <sstream>

namespace nestbed::program
{

namespace
{

namespace fs = std::filesystem;

fs::path sources()
{
    return fs::path(NESTBED_DATA).parent_path().parent_path() / "src" / "program" / "count";
}

TEST(CountedBuild, KeepsTheUsersOwnFlagsForNvcc)
{
    const auto environment = counting_environment(Recorded::counts, "/opt/program", "-lineinfo", "/tmp/log");
    EXPECT_EQ(environment.at("NVCC_PREPEND_FLAGS"),
              "-ccbin=/opt/program/compilers -include=/opt/program/count/nestbed_count.cuh -lineinfo");
    EXPECT_EQ(environment.at("NESTBED_COUNT_LOG"), "/tmp/log");
    EXPECT_EQ(counting_environment(Recorded::counts, "/opt/program", "", "/tmp/log").at("NVCC_PREPEND_FLAGS"),
              "-ccbin=/opt/program/compilers -include=/opt/program/count/nestbed_count.cuh");
    EXPECT_EQ(counting_environment(Recorded::trace, "/opt/program", "", "/tmp/log").at("NVCC_PREPEND_FLAGS"),
              "-ccbin=/opt/program/compilers -include=/opt/program/count/nestbed_trace.cuh");
    EXPECT_THROW(counting_environment(Recorded::counts, "/opt/my program", "", "/tmp/log"), RunError);
}

TEST(CountedBuild, CountsEachFileOnceThoughItIsCompiledForHostAndGpus)
{
    const RewrittenFiles rewritten =
        read_rewritten("2 /a/my file.cu\n3 /a/my file.cu\n0 /a/b.cu\nbroken\n1 /a/c.cu\n");
    EXPECT_EQ(rewritten.files, 3U);
    EXPECT_EQ(rewritten.launches, 4U);
    EXPECT_EQ(rewritten.with_launches, 2U);
    EXPECT_EQ(read_rewritten("").files, 0U);
    EXPECT_THAT(rewritten.hints, testing::IsEmpty());
    EXPECT_THAT(read_rewritten("1 /a/b.cu\nb.cu:3: why\nbro\nb.cu:3: why\n1 /a/b.cu\n").hints,
                testing::ElementsAre("b.cu:3: why"));
}

// A folder `program` with the wrappers and a rewriter that is a shell script.
class Wrappers : public testing::Test
{
  protected:
    void SetUp() override
    {
        fs::create_directories(root() / "compilers");
        fs::create_directories(root() / "count");
        fs::create_directories(root() / "path");
        for (const char* name : {"gcc", "g++"})
            fs::copy_file(sources() / "compiler.sh", root() / "compilers" / name);
        fs::copy_file(sources() / "nestbed_count.cuh", root() / "count" / "nestbed_count.cuh");
        script("nestbed_rewrite", R"([ "$1" = count ] && sed s/LAUNCH/::nestbed_count::after\(/g "$2" >"$3")");
        // "Preprocesses" its last argument but one, or says how it was called.
        script("path/gcc", R"(case "$*" in *-E*-o*) cp "$INPUT" "$OUTPUT" ;; *) echo "called: $*" ;; esac)");
    }

    std::string script(std::string_view name, const std::string& text) const
    {
        const std::string path = folder.write(name, "#!/bin/sh\n" + text + "\n");
        fs::permissions(path, fs::perms::owner_all);
        return path;
    }

    fs::path root() const { return folder.path(""); }

    // Runs `nestbed count -- sh -c SCRIPT`; returns the exit code.
    int build(const std::string& script)
    {
        const HeldSignals signals;
        return run_counted_build(Recorded::counts, {"sh", "-c", script}, root(), signals, said);
    }
    // A call of the wrapper as nvcc makes it for a file that is already preprocessed.
    std::string call(const std::string& options = "-D__CUDACC__") const
    {
        return "INPUT=" + folder.path("in.cu") + " OUTPUT=" + folder.path("out.ii") + " PATH=" + folder.path("path") +
               ":$PATH " + folder.path("compilers/gcc") + " -E " + options + " " + folder.path("in.cu") + " -o " +
               folder.path("out.ii");
    }

    ScratchFolder folder;
    std::ostringstream said;
};

TEST_F(Wrappers, RewriteWhatThePreprocessorMakesOfCuda)
{
    folder.write(
        "in.cu",
        "a LAUNCH b LAUNCH\nvoid k(::nestbed_count::Level nestbed_level)\nenum nestbed_rows_begin {};\nrows\n"
        "enum nestbed_rows_end {};\n");
    EXPECT_EQ(build(call()), 0);
    EXPECT_THAT(folder.read("out.ii"), HasSubstr("a ::nestbed_count::after( b"));
    EXPECT_THAT(folder.read("out.ii"), HasSubstr("rows\n"));
    EXPECT_EQ(said.str(),
              "nestbed: launches found: 2, in CUDA files: 1. The program prints its table when it ends\n");
}

TEST_F(Wrappers, TraceFilesThatIncludeTheTracer)
{
    script("nestbed_rewrite",
           R"([ "$1" = trace ] && sed 's/LAUNCH/::nestbed_trace::Call nestbed_call(/g' "$2" >"$3")");
    folder.write("in.cu", "enum nestbed_traced {};\na LAUNCH b\nvoid k(::nestbed_trace::Level nestbed_level)\n"
                          "enum nestbed_rows_begin {};\nrows\nenum nestbed_rows_end {};\n");
    fs::copy_file(sources() / "nestbed_trace.cuh", root() / "count" / "nestbed_trace.cuh");
    const HeldSignals signals;
    EXPECT_EQ(run_counted_build(Recorded::trace, {"sh", "-c", call()}, root(), signals, said), 0);
    EXPECT_THAT(folder.read("out.ii"), HasSubstr("rows\n"));
    EXPECT_EQ(said.str(), "nestbed: launches found: 1, in CUDA files: 1. The program prints its table when it ends, "
                          "and writes nestbed-trace.json\n");
}

TEST_F(Wrappers, TakeTheTableOutOfFilesWithoutKernels)
{
    folder.write("in.cu", "a\nenum nestbed_rows_begin {};\nrows\nenum nestbed_rows_end {};\nb\n");
    EXPECT_EQ(build(call()), 0);
    EXPECT_EQ(folder.read("out.ii"), "a\n\n\n\nb\n"); // the lines keep their numbers
    EXPECT_THAT(said.str(), HasSubstr("no launch was found in the CUDA files (1)"));
}

TEST_F(Wrappers, AreNotMissedWhereCmakeOnlyConfigures)
{
    script("path/cmake", "exit 0");
    const std::string cmake = folder.path("path/cmake");
    const HeldSignals signals;
    EXPECT_EQ(run_counted_build(Recorded::counts, {cmake, "-S", "."}, root(), signals, said), 0);
    EXPECT_EQ(said.str(),
              "nestbed: cmake compiled nothing of the program. Build in the same way: nestbed count -- cmake "
              "--build ...\n");
    EXPECT_EQ(run_counted_build(Recorded::counts, {cmake, "--build", "b"}, root(), signals, said), 0);
    EXPECT_THAT(said.str(), HasSubstr("compiled no CUDA file by nvcc, so nothing is counted"));
}

TEST_F(Wrappers, LeaveOtherFilesAlone)
{
    folder.write("in.cu", "LAUNCH\n");
    EXPECT_EQ(build(call("-DNDEBUG") + " && touch " + folder.path("done")), 0);
    EXPECT_EQ(folder.read("out.ii"), "LAUNCH\n");
    EXPECT_TRUE(fs::exists(folder.path("done")));
    EXPECT_THAT(said.str(), HasSubstr("compiled no CUDA file by nvcc, so nothing is counted"));
}

TEST_F(Wrappers, RefuseLaunchesByAddressInFilesThatAreNotRewritten)
{
    const std::string in = folder.write("in.cpp", "// cudaLaunchKernel(k);\nint my_cudaLaunchKernel(int);\n");
    const std::string to = " 2>" + folder.path("errors");
    const std::string call = "NESTBED_HOST_COMPILER=true " + folder.path("compilers/g++") + " -c -x c++ -m64 " + in;
    EXPECT_EQ(build(call + " -D__NVCC__ -o a.o" + to), 0);
    folder.write("in.cpp", "void f() {\n    check(cudaLaunchKernel(k));\n::cudaGraphAddKernelNode (x); }\n");
    EXPECT_EQ(build(call + " -o a.o" + to), 0); // not a call of nvcc
    EXPECT_EQ(build(call + " -D__NVCC__ -o a.o" + to), 1);
    const std::string why =
        ": its kernel would get wrong arguments, because this file is not counted; allowed: nvcc -x cu\n";
    EXPECT_EQ(folder.read("errors"), in + ":2: cudaLaunchKernel" + why + in + ":3: cudaGraphAddKernelNode" + why);
}

TEST_F(Wrappers, FailWithTheRewriterAndLeaveNoFile)
{
    script("nestbed_rewrite", "echo my.cu:3: a reason >&2; exit 1");
    folder.write("in.cu", "LAUNCH\n");
    EXPECT_EQ(build(call()), 1);
    EXPECT_FALSE(fs::exists(folder.path("out.ii")));
}

TEST_F(Wrappers, CallTheCompilerThatTheUserNames)
{
    const std::string own = script("my-g++", "echo \"$*\" >" + folder.path("words"));
    EXPECT_EQ(build("NESTBED_HOST_COMPILER=" + own + " " + folder.path("compilers/g++") + " -c 'a b.cpp'"), 0);
    EXPECT_EQ(folder.read("words"), "-c a b.cpp\n");
}

TEST_F(Wrappers, BuildsPassTheirExitCodeOn)
{
    EXPECT_EQ(build("exit 7"), 7);
    folder.write("in.cu", "LAUNCH\n");
    EXPECT_EQ(build(call() + "; exit 7"), 7);
    EXPECT_EQ(said.str(), ""); // no table after a build that failed
    const HeldSignals signals;
    EXPECT_THROW(run_counted_build(Recorded::counts, {}, root(), signals, said), UsageError);
    EXPECT_THROW(run_counted_build(Recorded::counts, {"./no-such-program"}, root(), signals, said), UsageError);
}

TEST_F(Wrappers, NeedWhatOneTargetBuilds)
{
    fs::remove(root() / "nestbed_rewrite");
    const HeldSignals signals;
    EXPECT_THAT(
        [&] {
            run_counted_build(Recorded::counts, {"sh", "-c", "true"}, root(), signals, said);
        },
        testing::ThrowsMessage<RunError>(testing::AllOf(HasSubstr("nestbed_rewrite does not exist; to build it: "),
                                                        testing::EndsWith("experiments/build.sh '' nestbed"))));
}

} // namespace

} // namespace nestbed::program
