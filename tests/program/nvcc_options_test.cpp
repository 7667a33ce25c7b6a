// nvcc's command line, as the executor's nvcc understands it.
#include "base/error.hpp"
#include "base/text.hpp"
#include "program/build/nvcc_command.hpp"
#include "program/build/nvcc_options.hpp"
#include "program/build/nvcc_words.hpp"
#include "program/build/steps.hpp"
#include "support/matchers.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <fstream>
#include <unistd.h>

namespace nestbed::program
{

namespace
{

using ::testing::Contains;

NvccCommand parsed(const std::string& line)
{
    return parse_nvcc_command(words_of(line));
}

std::string error_of(const std::string& line)
{
    try {
        parsed(line);
    } catch (const UsageError& error) {
        return error.what();
    }
    return "no error";
}

std::vector<std::string> inputs_of(const std::string& line)
{
    std::vector<std::string> texts;
    for (const NvccInput& input : parsed(line).inputs)
        texts.push_back(input.text);
    return texts;
}

// Everything that must not be on the command lines of g++.
TEST(NvccOptions, OfGpuCodeHaveNoEffect)
{
    for (const std::string& option :
         split("-arch sm_90|-arch=sm_90|--gpu-architecture=sm_90|--gpu-architecture sm_90|-gpu-architecture=sm_90|"
               "-gencode arch=compute_90,code=sm_90|-gencode=arch=compute_90,code=[sm_90,compute_90]|"
               "--generate-code arch=compute_90,code=sm_90|-code=sm_90|-Xptxas -v|-Xptxas=-O3,-v|--ptxas-options=-v|"
               "-G|--device-debug|-g|-lineinfo|--generate-line-info|-use_fast_math|--use_fast_math|-maxrregcount=32|"
               "-maxrregcount 32|--maxrregcount=32|-m64|-m 64|--machine 64|-ftz=true|--expt-relaxed-constexpr|"
               "-expt-relaxed-constexpr|--expt-extended-lambda|--extended-lambda|--default-stream null|"
               "-default-stream=legacy|-cudart shared|--cudart=static|-t 4|--threads 0|-ccbin g++|"
               "-ccbin=/usr/bin/g++-12|--compiler-bindir=/usr/bin/g++|-dlto|-Wno-deprecated-gpu-targets|-Xnvlink -v|"
               "-diag-suppress 177|--diag-suppress=177,550|-w|--keep|-lcudadevrt|-lcudart|-lcudart_static|"
               "--resource-usage|-Werror all-warnings|-rdc=false",
               '|')) {
        const NvccCommand command = parsed(fmt::format("{} my.cu -o my", option));
        EXPECT_THAT(command.inputs, ElementsAre(NvccInput{"my.cu", InputKind::cuda})) << option;
        EXPECT_EQ(command.output, "my") << option;
        EXPECT_THAT(command.preprocessor, IsEmpty()) << option;
        EXPECT_THAT(command.compiler, IsEmpty()) << option;
        EXPECT_THAT(command.linker, IsEmpty()) << option;
    }
}

TEST(NvccOptions, OfTheDefaultStreamDefineWhatNvccDefines)
{
    EXPECT_THAT(parsed("--default-stream per-thread my.cu").preprocessor,
                ElementsAre("-DCUDA_API_PER_THREAD_DEFAULT_STREAM=1"));
    EXPECT_EQ(error_of("-default-stream=mine my.cu"),
              "nvcc: --default-stream 'mine'; allowed: legacy, null, per-thread");
}

TEST(NvccOptions, SayWhatIsMade)
{
    const std::vector<std::pair<std::string, NvccAction>> actions{{"", NvccAction::link},
                                                                  {"-c", NvccAction::compile},
                                                                  {"--compile", NvccAction::compile},
                                                                  {"-dc", NvccAction::compile},
                                                                  {"--device-c", NvccAction::compile},
                                                                  {"-dlink", NvccAction::device_link},
                                                                  {"--device-link", NvccAction::device_link},
                                                                  {"-E", NvccAction::preprocess},
                                                                  {"-M", NvccAction::dependencies},
                                                                  {"-MM", NvccAction::dependencies},
                                                                  {"-shared", NvccAction::shared},
                                                                  {"--shared", NvccAction::shared},
                                                                  {"-lib", NvccAction::archive},
                                                                  {"--lib", NvccAction::archive},
                                                                  {"-link", NvccAction::link},
                                                                  {"-rdc=true -c", NvccAction::compile},
                                                                  {"-dc -shared", NvccAction::compile}};
    for (const auto& [option, action] : actions)
        EXPECT_EQ(parsed(option + " my.cu").action, action) << option;
    EXPECT_EQ(parsed("--version").action, NvccAction::version);
    EXPECT_EQ(parsed("-V").action, NvccAction::version);
    EXPECT_TRUE(parsed("-dc my.cu").relocatable);
    EXPECT_TRUE(parsed("-rdc=true my.cu").relocatable);
    EXPECT_TRUE(parsed("-rdc true my.cu").relocatable);
    EXPECT_TRUE(parsed("--relocatable-device-code=true my.cu").relocatable);
    EXPECT_TRUE(parsed("-run my.cu").run);
    EXPECT_TRUE(parsed("-dryrun my.cu").dry_run);
}

TEST(NvccOptions, OfThePreprocessorReachIt)
{
    EXPECT_THAT(parsed("-DN=3 -D M -UX -Iinclude -I a,b -isystem sys -include first.h my.cu").preprocessor,
                ElementsAre("-D", "N=3", "-D", "M", "-U", "X", "-I", "include", "-I", "a", "-I", "b", "-isystem",
                            "sys", "-include", "first.h"));
    EXPECT_THAT(parsed("--define-macro=N=3 --include-path include my.cu").preprocessor,
                ElementsAre("-D", "N=3", "-I", "include"));
    EXPECT_THAT(parsed("-c -MMD -MF my.d -MT my.o -MP my.cu").dependencies,
                ElementsAre("-MMD", "-MF", "my.d", "-MT", "my.o", "-MP"));
}

TEST(NvccOptions, OfTheHostCompilerReachIt)
{
    const NvccCommand command =
        parsed("-Xcompiler -fopenmp,-Wall -Xcompiler=-fPIC --compiler-options '-O3 -DA=1' -march=native my.cu");
    EXPECT_THAT(command.compiler, ElementsAre("-fopenmp", "-Wall", "-fPIC", "-march=native"));
    EXPECT_THAT(command.linker, Contains("-fopenmp"));
    EXPECT_THAT(command.preprocessor, ElementsAre("-DA=1"));
    EXPECT_EQ(command.optimize, "3");
    EXPECT_EQ(parsed("-O2 my.cu").optimize, "2");
    EXPECT_EQ(parsed("-O 2 my.cu").optimize, "2");
    EXPECT_EQ(parsed("-O my.cu").optimize, "");
    EXPECT_EQ(parsed("--optimize 3 my.cu").optimize, "3");
}

TEST(NvccOptions, TheStandardIsAtLeastCpp17)
{
    EXPECT_EQ(parsed("my.cu").standard, "gnu++17");
    EXPECT_EQ(parsed("-std=c++11 my.cu").standard, "gnu++17");
    EXPECT_EQ(parsed("-std c++17 my.cu").standard, "c++17");
    EXPECT_EQ(parsed("--std=c++20 my.cu").standard, "c++20");
    EXPECT_EQ(parsed("-Xcompiler -std=c++20 my.cu").standard, "c++20");
    EXPECT_THAT(error_of("-std=c++99 my.cu"), AllOf(HasSubstr("c++99"), HasSubstr("allowed: c++03")));
}

TEST(NvccOptions, TheOrderOfTheLinkStays)
{
    EXPECT_THAT(
        inputs_of("a.o -lfirst b.cu libc.a -l second -Xlinker -rpath,/x -lcudadevrt d.so e.so.1"),
        ElementsAre("a.o", "-lfirst", "b.cu", "libc.a", "-lsecond", "-Wl,-rpath", "-Wl,/x", "d.so", "e.so.1"));
    EXPECT_THAT(parsed("-L/opt/lib -L x my.o").linker, ElementsAre("-L/opt/lib", "-Lx"));
}

TEST(NvccOptions, KnowTheLanguageOfAFile)
{
    EXPECT_THAT(parsed("a.cu b.cpp c.cc d.cxx e.c f.o").inputs,
                ElementsAre(NvccInput{"a.cu", InputKind::cuda}, NvccInput{"b.cpp", InputKind::cpp},
                            NvccInput{"c.cc", InputKind::cpp}, NvccInput{"d.cxx", InputKind::cpp},
                            NvccInput{"e.c", InputKind::c}, NvccInput{"f.o", InputKind::linked}));
    EXPECT_THAT(parsed("-x cu a.cpp b").inputs,
                ElementsAre(NvccInput{"a.cpp", InputKind::cuda}, NvccInput{"b", InputKind::cuda}));
}

TEST(NvccOptions, TheEnvironmentAddsWords)
{
    const NvccCommand command =
        parse_nvcc_command({"my.cu"}, {.prepended = "-DA -o x", .appended = "-o 'y z'", .watched = true});
    EXPECT_THAT(command.preprocessor, ElementsAre("-D", "A"));
    EXPECT_EQ(command.output, "y z");
    EXPECT_TRUE(command.watched);
    EXPECT_TRUE(parsed("--nestbed-races my.cu").watched);
    EXPECT_EQ(parsed("-arch=sm_80 my.cu").cuda_arch, "900");
    EXPECT_EQ(parsed("--nestbed-cuda-arch=800 my.cu").cuda_arch, "800");
    EXPECT_EQ(parsed("--nestbed-cuda-arch=none my.cu").cuda_arch, "");
}

TEST(NvccOptions, StandInOptionsFilesToo)
{
    const std::filesystem::path folder =
        std::filesystem::temp_directory_path() / fmt::format("nvcc_options_test.{}", getpid());
    std::filesystem::create_directories(folder / "toolkit");
    std::ofstream(folder / "options") << "-DA \"my file.cu\"\n-o x";
    std::ofstream(folder / "toolkit/cuda_runtime.h") << "\n";
    std::ofstream(folder / "itself") << "@" + (folder / "itself").string();
    const std::string file = (folder / "options").string();
    for (const std::string& line : {"@" + file, "-optf " + file, "--options-file=" + file}) {
        EXPECT_THAT(inputs_of(line), ElementsAre("my file.cu")) << line;
        EXPECT_EQ(parsed(line).output, "x");
    }
    EXPECT_THAT(error_of("-optf " + (folder / "none").string()), HasSubstr("options file"));
    EXPECT_THAT(error_of("@" + (folder / "itself").string()), HasSubstr("name each other"));
    // The executor's headers must be found, not those of a toolkit.
    EXPECT_THAT(parsed(fmt::format("-I{0}/toolkit -isystem {0}/toolkit -I{0} a.cu", folder.string())).preprocessor,
                ElementsAre("-I", folder.string()));
    std::filesystem::remove_all(folder);
}

TEST(NvccOptions, AMistakeIsNamed)
{
    const std::vector<std::pair<std::string, std::string>> mistakes{
        {"-achr=sm_90 my.cu", "unknown option '-achr=sm_90', did you mean '-arch'"},
        {"--frobnicate my.cu", "unknown option '--frobnicate'"},
        {"my.cu -o", "-o was given without its value"},
        {"my.cu -arch", "-arch was given without its value"},
        {"", "no input file was given"},
        {"-o my", "no input file was given"},
        {"-o my.cu", "no input file was given"},
        {"a.cu -o b.cu", "would overwrite a source file"},
        {"-c a.cu b.cu -o c.o", "2 source files are compiled"},
        {"my.txt", "my.txt: not known what to do"},
        {"my.cuh", "a header is included, not compiled"},
        {"my", "my: not known what to do"},
        {"-ptx my.cu", "the executor has no GPU code"},
        {"--cubin my.cu", "the executor has no GPU code"},
        {"my.cu -lcufft", "-lcufft: no such library on the executor"},
        {"my.cu -lcurand", "-lcurand: no such library on the executor"},
        {"my.cu -Xcompiler -lcufft", "-lcufft: no such library on the executor"},
        {"my.cu -lcuda", "no driver API"},
        {"-rdc=yes my.cu", "allowed: -rdc=true, -rdc=false"},
        {"-c -E my.cu", "exclude each other"},
        {"--compile --preprocess my.cu", "--compile and --preprocess exclude each other"},
        {"-x fortran my.f", "there is no language 'fortran'"},
        {"--nestbed-cuda-arch=sm_90 my.cu", "not a value of __CUDA_ARCH__"}};
    for (const auto& [line, text] : mistakes)
        EXPECT_THAT(error_of(line), HasSubstr(text)) << line;
}

TEST(NvccOptions, WordsAreThoseOfAShell)
{
    EXPECT_THAT(words_of(R"( a  "b c" 'd "e"' f\ g "h\"i" '' )"),
                ElementsAre("a", "b c", "d \"e\"", "f g", "h\"i", ""));
    EXPECT_THAT(words_of(" \t\n"), IsEmpty());
    EXPECT_THAT(list_of("-fPIC,-Wall,"), ElementsAre("-fPIC", "-Wall"));
}

// A toolchain that need not exist: the steps are only looked at.
Toolchain toolchain()
{
    return {.folder = "/p",
            .compiler = "/usr/bin/g++",
            .compiler_version = "12.2.0",
            .plain_flags = {"-w"},
            .watched_flags = {"-w", "-fsanitize=thread"},
            .libraries = {"-ldw"}};
}

std::vector<std::string> steps(const std::string& line)
{
    std::vector<std::string> texts;
    for (const Step& step : steps_of(parsed(line), toolchain(), "/h.hpp", "/t").steps)
        texts.push_back(fmt::format("{}", fmt::join(step.arguments, " ")));
    return texts;
}

TEST(NvccSteps, PreprocessRewriteCompileLink)
{
    const std::vector<std::string> made = steps("-O2 -DN=3 -Xcompiler -fopenmp my.cu -lm -o my");
    ASSERT_EQ(made.size(), 4U);
    EXPECT_THAT(made[0], AllOf(HasSubstr("-w -O2 -std=gnu++17 -D__CUDACC__"),
                               HasSubstr("-isystem /p/include -D__CUDA_ARCH__=900 -D N=3 -fopenmp"),
                               HasSubstr("-include /h.hpp -E -x c++ my.cu -o /t/2.ii")));
    EXPECT_EQ(made[1], "/p/nestbed_rewrite executor-whole /t/2.ii /t/3.ii");
    EXPECT_THAT(made[2],
                AllOf(HasSubstr("-fpreprocessed -x c++-cpp-output -c /t/3.ii -o /t/"), Not(HasSubstr("-D N=3"))));
    EXPECT_THAT(made[3],
                AllOf(HasSubstr("-o my -fopenmp /t/"), HasSubstr("-lm -L/p/lib -L/p /p/libnestbed_program.a -ldw")));
}

TEST(NvccSteps, KernelsAreCompiledForAnArchitectureUnlessThereIsNone)
{
    EXPECT_THAT(steps("-c my.cu").front(), HasSubstr(" -D__CUDA_ARCH__=900 "));
    EXPECT_THAT(steps("--nestbed-cuda-arch=800 -c my.cu").front(), HasSubstr(" -D__CUDA_ARCH__=800 "));
    EXPECT_THAT(steps("--nestbed-cuda-arch=none -c my.cu").front(), Not(HasSubstr("__CUDA_ARCH__")));
}

TEST(NvccSteps, LibrariesStandBehindTheObjects)
{
    EXPECT_EQ(
        steps("-lpng -L/opt -lz a.o b.a -Xlinker -s -lm c.o -o my").back(),
        "/usr/bin/g++ -o my -L/opt a.o b.a -Wl,-s c.o -lpng -lz -lm -L/p/lib -L/p /p/libnestbed_program.a -ldw");
}

TEST(NvccSteps, ACppFileIsNotRewritten)
{
    EXPECT_THAT(steps("-c host.cpp"),
                ElementsAre(AllOf(HasSubstr("-w -std=gnu++17 -D__NVCC__"), HasSubstr("-isystem /p/include"),
                                  HasSubstr("-x c++ -c host.cpp -o host.o"), Not(HasSubstr("__CUDACC__")))));
    EXPECT_THAT(steps("-c host.c -odir out"),
                ElementsAre(AllOf(HasSubstr("-x c -c host.c -o out/host.o"), Not(HasSubstr("-std=")))));
}

TEST(NvccSteps, AWatchedProgramHasTheDetector)
{
    const std::vector<std::string> made = steps("--nestbed-races -O3 my.cu");
    EXPECT_THAT(made.front(),
                AllOf(HasSubstr("-fsanitize=thread -fplugin=/p/watch_plugin.so"), Not(HasSubstr("-O3"))));
    EXPECT_THAT(made.back(), AllOf(HasSubstr("-o a.out"), HasSubstr("/p/libnestbed_program_races.a"),
                                   Not(HasSubstr("-fsanitize"))));
    Toolchain without = toolchain();
    without.watched_flags.clear();
    EXPECT_THROW(steps_of(parsed("--nestbed-races my.cu"), without, "/h.hpp", "/t"), RunError);
}

TEST(NvccToolchain, IsThatOfABuildByGcc)
{
    try {
        read_toolchain("/nowhere/program");
        FAIL() << "a folder without a toolchain was taken";
    } catch (const RunError& error) {
        EXPECT_THAT(error.what(),
                    AllOf(HasSubstr("/nowhere/program/toolchain.json does not exist"), HasSubstr("CXX=g++")));
    }
}

TEST(NvccSteps, OtherProducts)
{
    EXPECT_THAT(steps("-dlink a.o b.o -o dlink.o"), ElementsAre(HasSubstr("-x c -c /dev/null -o dlink.o")));
    EXPECT_THAT(steps("-lib a.o b.o -o libx.a"), ElementsAre("/usr/bin/ar rcs libx.a a.o b.o"));
    EXPECT_THAT(steps("-shared a.o -o libx.so"),
                ElementsAre(AllOf(HasSubstr("-shared -fPIC"), Not(HasSubstr("libnestbed_program")))));
    EXPECT_THAT(steps("-M my.cu"), ElementsAre(HasSubstr("-include cuda_runtime.h -M -x c++ my.cu")));
    EXPECT_THAT(steps("--generate-dependencies my.cu"), ElementsAre(HasSubstr(" -M -x c++ my.cu"))); // as g++ has it
    EXPECT_THAT(steps("--generate-nonsystem-dependencies my.cu"), ElementsAre(HasSubstr(" -MM -x c++ my.cu")));
    EXPECT_EQ(steps("a.cu b.cu c.o -o abc").size(), 7U);
    EXPECT_THAT(steps("-c -MD a.cu -o out/a.o").front(), HasSubstr("-MD -MF out/a.d -MT out/a.o"));
}

} // namespace

} // namespace nestbed::program
