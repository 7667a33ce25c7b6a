// What nestbed's nvcc does with a command line: the steps it runs, by scripts in place of the compiler and the rewriter.
#include "program/build/nvcc.hpp"

#include "base/error.hpp"
#include "program/build/nvcc_words.hpp"
#include "support/environment_support.hpp"
#include "support/support.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

namespace nestbed::program
{

namespace
{

namespace fs = std::filesystem;

class Nvcc : public testing::Test
{
  protected:
    struct Result {
        int exit_code;
        std::string out, err;
    };

    ScratchFolder folder;
    EnvironmentVariable cache{"XDG_CACHE_HOME", folder.path("cache")};

    // The compiler writes its words into a file, and a program that ends with 5 into the one behind -o.
    void SetUp() override
    {
        fs::create_directories(folder.path("program/include"));
        folder.write("program/include/cuda_runtime.h", "int i;\n");
        folder.write("program/libnestbed_program.a", "");
        folder.write("my.cu", "int main() {}\n");
        script("program/nestbed_rewrite", "cp $2 $3; echo rewrite >> " + folder.path("calls"));
        compiler("");
        folder.write("program/toolchain.json",
                     fmt::format(R"({{"compiler": "{}", "compiler_version": "12.2.0", "plain_flags": ["-g1"],)"
                                 R"( "watched_flags": ["-w"], "libraries": []}})",
                                 folder.path("g++")));
    }
    std::string script(const std::string& name, const std::string& text) const
    {
        std::string path = folder.write(name, "#!/bin/sh\n" + text + "\n");
        fs::permissions(path, fs::perms::owner_all);
        return path;
    }
    void compiler(const std::string& first) const
    {
        script("g++", first + "\necho \"$@\" >> " + folder.path("calls") + R"(
while [ $# -gt 0 ]; do
    case $1 in
    -o) made=$2 ;;
    -MF) rule=$2 ;;
    -include) header=$2 ;;
    esac
    shift
done
printf '#!/bin/sh\nexit 5\n' > "$made"
chmod +x "$made"
[ -z "$rule" ] || echo "my.o: my.cu $header.gch $header" > "$rule")");
    }
    Result nvcc(const std::string& line) const
    {
        const HeldSignals signals;
        std::ostringstream out;
        std::ostringstream err;
        const int exit_code = run_nvcc(parse_nvcc_command(words_of(line)), folder.path("program"), signals, out, err);
        return {exit_code, out.str(), err.str()};
    }
    std::string refusal(const std::string& line) const
    {
        return nestbed::text_of<UsageError>([&] { nvcc(line); });
    }
    std::string path(const std::string& name) const { return folder.path(name); }
};

TEST_F(Nvcc, SaysWhichVersionAndGpusItIs)
{
    EXPECT_EQ(nvcc("--version").out, nvcc_version_text());
    EXPECT_THAT(nvcc_version_text(), HasSubstr("release 13.0, V13.0.0\n"));
    EXPECT_EQ(nvcc("--list-gpu-code").out, "sm_90\n");
    EXPECT_EQ(nvcc("-code-ls").out, "sm_90\n");
    EXPECT_EQ(nvcc("--list-gpu-arch").out, "compute_90\n");
    EXPECT_EQ(nvcc("-arch-ls").out, "compute_90\n");
    EXPECT_EQ(nvcc("-clean").exit_code, exit_ok);
    EXPECT_FALSE(folder.has("calls"));
}

TEST_F(Nvcc, CompilesAndLinks)
{
    const Result done = nvcc(path("my.cu") + " -o " + path("my"));
    EXPECT_EQ(done.exit_code, exit_ok);
    EXPECT_EQ(done.out + done.err, "");
    EXPECT_TRUE(folder.has("my"));
    std::istringstream calls(folder.read("calls"));
    std::vector<std::string> lines;
    for (std::string line; std::getline(calls, line);)
        lines.push_back(line);
    ASSERT_EQ(lines.size(), 5U);
    EXPECT_THAT(lines[0], HasSubstr("-x c++-header")); // once for all calls
    EXPECT_THAT(lines[1], AllOf(HasSubstr("nestbed_cuda.hpp -E"), HasSubstr(path("my.cu"))));
    EXPECT_EQ(lines[2], "rewrite");
    EXPECT_THAT(lines[3], HasSubstr("-fpreprocessed"));
    EXPECT_THAT(lines[4], StartsWith("-o " + path("my")));
    EXPECT_EQ(nvcc(path("my.cu") + " -run -o " + path("my")).exit_code, 5);
    EXPECT_EQ(nvcc("-c " + path("my.cu") + " -run -o " + path("my.o")).exit_code, exit_ok);
}

// Only .cu files include the executor's headers.
TEST_F(Nvcc, NeedsNoHeaderForACppFile)
{
    folder.write("my.cpp", "int main() {}\n");
    EXPECT_EQ(nvcc("-c " + path("my.cpp") + " -o " + path("my.o")).exit_code, exit_ok);
    EXPECT_THAT(folder.read("calls"), AllOf(HasSubstr("-x c++ -c"), Not(HasSubstr("c++-header"))));
    EXPECT_FALSE(folder.has("cache"));
}

TEST_F(Nvcc, ShowsItsStepsAndRunsNoneInADryRun)
{
    const std::string line = path("my.cu") + " -o " + path("my");
    const Result dry = nvcc("--dryrun " + line);
    EXPECT_EQ(dry.exit_code, exit_ok);
    EXPECT_THAT(dry.err, AllOf(StartsWith("#$ TOP=" + path("program") + "\n"),
                               HasSubstr("\n#$ NVVMIR_LIBRARY_DIR=" + path("program") + "/nvvm/libdevice\n"),
                               HasSubstr("\n#$ INCLUDES=-I" + path("program/include") + "\n"),
                               HasSubstr("\n#$ " + path("g++") + " -g1 "), HasSubstr(" -o " + path("my"))));
    EXPECT_FALSE(folder.has("my"));
    EXPECT_EQ(nvcc("--dryrun -run " + line).exit_code, exit_ok);
    const Result verbose = nvcc("-v " + line);
    EXPECT_TRUE(folder.has("my"));
    EXPECT_THAT(verbose.err, HasSubstr("\n#$ " + path("g++") + " -g1 "));
    const Result described = nvcc("-v __cmake_determine_cuda"); // CMake's question
    EXPECT_THAT(described.err, StartsWith("#$ TOP="));
    EXPECT_EQ(described.exit_code, exit_ok);
}

TEST_F(Nvcc, NeedsFilesThatAreThere)
{
    const std::string none = path("none.cu");
    EXPECT_EQ(refusal(none + " -o my"), "nvcc: there is no file " + none);
    EXPECT_EQ(refusal(path("none.o") + " -o my"),
              "nvcc: there is no file " + path("none.o") + "; it must be compiled before it is linked");
    fs::create_directory(path("folder.cu"));
    EXPECT_EQ(refusal(path("folder.cu") + " -o my"),
              "nvcc: " + path("folder.cu") + " is a folder; allowed: source files, .o, .a, .so");
    EXPECT_EQ(nvcc(path("my.cu") + " -lm -Xlinker -s -o " + path("my")).exit_code, exit_ok); // no files
}

TEST_F(Nvcc, StopsAtTheFirstStepThatFails)
{
    const std::string line = path("my.cu") + " -o " + path("my");
    EXPECT_EQ(nvcc("-c " + path("my.cu") + " -o " + path("my.o")).exit_code, exit_ok); // the header is made
    fs::remove(path("calls"));
    compiler("case \"$*\" in *-fpreprocessed*) exit 1 ;; esac");
    EXPECT_EQ(nvcc(line).exit_code, exit_could_not);
    EXPECT_THAT(folder.read("calls"), Not(HasSubstr("-o " + path("my"))));
    compiler("case \"$*\" in *-fpreprocessed*) kill -KILL $$ ;; esac");
    EXPECT_EQ(nestbed::text_of<RunError>([&] { nvcc(line); }), path("g++") + ": signal 9 (Killed)");
    EXPECT_FALSE(folder.has("my"));
    compiler("");
    EXPECT_EQ(nvcc(line).exit_code, exit_ok);
    script("killed", "kill -KILL $$");
    compiler("case \"$*\" in *-fpreprocessed*) ;; *libnestbed_program.a*) cp " + path("killed") + " " + path("my") +
             "; exit 0 ;; esac");
    EXPECT_EQ(nestbed::text_of<RunError>([&] { nvcc("-run " + line); }), path("my") + ": signal 9 (Killed)");
}

// The header is in the cache of one user: a Makefile must not depend on it.
TEST_F(Nvcc, LeavesItsHeaderOutOfTheRule)
{
    const std::string rule = path("my.d");
    EXPECT_EQ(nvcc("-c -MD -MF " + rule + " " + path("my.cu") + " -o " + path("my.o")).exit_code, exit_ok);
    EXPECT_THAT(folder.read("my.d"), AllOf(StartsWith("my.o: my.cu "), Not(HasSubstr("nestbed_cuda"))));
    EXPECT_EQ(nvcc("--dryrun -c -MD -MF " + path("none.d") + " " + path("my.cu")).exit_code, exit_ok);
}

// `ar` would add to what is there.
TEST_F(Nvcc, ReplacesALibrary)
{
    folder.write("a.o", "text");
    folder.write("liba.a", "no library");
    EXPECT_EQ(nvcc("-lib " + path("a.o") + " -o " + path("liba.a")).exit_code, exit_ok);
    EXPECT_THAT(folder.read("liba.a"), StartsWith("!<arch>\n"));
}

TEST_F(Nvcc, TakesItsEnvironment)
{
    {
        const EnvironmentVariable before("NVCC_PREPEND_FLAGS", "-DA");
        const EnvironmentVariable behind("NVCC_APPEND_FLAGS", "-DB");
        const EnvironmentVariable watch("NESTBED_WATCH", "1");
        const NvccEnvironment environment = nvcc_environment();
        EXPECT_EQ(environment.prepended, "-DA");
        EXPECT_EQ(environment.appended, "-DB");
        EXPECT_TRUE(environment.watched);
    }
    for (const char* const off : {"", "0"}) {
        const EnvironmentVariable watch("NESTBED_WATCH", off);
        EXPECT_FALSE(nvcc_environment().watched);
    }
    const EnvironmentVariable watch("NESTBED_WATCH", "yes");
    EXPECT_EQ(nestbed::text_of<UsageError>([] { static_cast<void>(nvcc_environment()); }),
              "NESTBED_WATCH is 'yes'; allowed: 0, 1");
}

TEST_F(Nvcc, NotesThatItWasCalled)
{
    {
        const EnvironmentVariable none(kCallsVariable, "");
        note_call();
    }
    const EnvironmentVariable variable(kCallsVariable, path("nvcc_calls"));
    note_call();
    note_call();
    EXPECT_EQ(folder.read("nvcc_calls"), "nvcc\nnvcc\n");
    const EnvironmentVariable nowhere(kCallsVariable, path("none/calls"));
    EXPECT_EQ(nestbed::text_of<RunError>([] { note_call(); }),
              "NESTBED_NVCC_CALLS: " + path("none/calls") + " could not be written");
}

TEST_F(Nvcc, PrecompilesForPlainAndForWatchedCode)
{
    folder.write("program/libnestbed_program_races.a", "");
    precompile_default(path("program"));
    const std::string calls = folder.read("calls");
    EXPECT_EQ(std::ranges::count(calls, '\n'), 2);
    EXPECT_THAT(calls, AllOf(HasSubstr("-g1 -std=gnu++17 -D__CUDACC__"), HasSubstr("\n-w -fplugin=")));
    fs::remove(path("program/libnestbed_program_races.a")); // without a detector
    fs::remove_all(path("program/precompiled"));
    precompile_default(path("program"));
    EXPECT_EQ(std::ranges::count(folder.read("calls"), '\n'), 3);
}

} // namespace

} // namespace nestbed::program
