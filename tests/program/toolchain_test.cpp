// The compiler that builds users' programs, and the precompiled headers that it has made, with a script in its place.
#include "program/build/toolchain.hpp"

#include "base/error.hpp"
#include "base/text_file.hpp"
#include "program/build/precompiled.hpp"
#include "support/environment_support.hpp"
#include "support/support.hpp"

#include <algorithm>

namespace nestbed::program
{

namespace
{

namespace fs = std::filesystem;

class Toolchains : public testing::Test
{
  protected:
    ScratchFolder folder;
    EnvironmentVariable cache{"XDG_CACHE_HOME", folder.path("cache")};
    Toolchain tools;

    // The compiler writes its words into a file, and "made" into the one behind -o.
    void SetUp() override
    {
        for (const char* name : {"program/include", "own"})
            fs::create_directories(folder.path(name));
        folder.write("program/include/cuda_runtime.h", "int i;\n");
        for (const char* name : {"nestbed_rewrite", "libnestbed_program.a", "libnestbed_program_races.a"})
            folder.write(std::string("program/") + name, "");
        tools = {.folder = folder.path("program"), .compiler = compiler(), .compiler_version = "12.2.0"};
    }
    std::string compiler(const std::string& end = R"(for word; do last=$word; done; echo made > "$last")") const
    {
        std::string path =
            folder.write("g++", "#!/bin/sh\necho \"$@\" >> " + folder.path("calls") + "\n" + end + "\n");
        fs::permissions(path, fs::perms::owner_all);
        return path;
    }
    std::size_t calls() const { return static_cast<std::size_t>(std::ranges::count(folder.read("calls"), '\n')); }
    std::string header(const std::vector<std::string>& flags = {"-O1"}) const
    {
        return header_for(tools, flags, folder.path("own"));
    }
    std::vector<std::string> names_in(const std::string& name) const
    {
        std::vector<std::string> names;
        for (const fs::directory_entry& entry : fs::directory_iterator(folder.path(name)))
            names.push_back(entry.path().filename().string());
        std::ranges::sort(names);
        return names;
    }
};

TEST_F(Toolchains, AreReadFromTheirFolder)
{
    const auto json = [&](const std::string& compiler) {
        folder.write("program/toolchain.json",
                     R"({"compiler": ")" + compiler + R"(", "compiler_version": "12.2.0", "plain_flags": ["-g1"],)" +
                         R"( "watched_flags": ["-w"], "libraries": ["-ldw", "-lpthread"]})");
    };
    const auto error = [&] {
        return nestbed::text_of<RunError>([&] { static_cast<void>(read_toolchain(folder.path("program"))); });
    };
    json(folder.path("g++"));
    const Toolchain read = read_toolchain(folder.path("program"));
    EXPECT_EQ(read.compiler, folder.path("g++"));
    EXPECT_EQ(read.compiler_version, "12.2.0");
    EXPECT_THAT(read.plain_flags, ElementsAre("-g1"));
    EXPECT_THAT(read.watched_flags, ElementsAre("-w"));
    EXPECT_THAT(read.libraries, ElementsAre("-ldw", "-lpthread"));
    fs::remove(read.detector());
    EXPECT_THAT(read_toolchain(folder.path("program")).watched_flags, IsEmpty());
    json("/none/g++");
    EXPECT_THAT(error(),
                HasSubstr("there is no /none/g++, which builds programs; install it, or choose another g++"));
    json(folder.path("g++"));
    for (const fs::path& needed : {read.library(), read.rewriter(), read.headers()}) {
        fs::remove_all(needed);
        EXPECT_EQ(error(),
                  needed.string() + " does not exist; to build it: experiments/build.sh '' nestbed_programs");
    }
    folder.write("program/toolchain.json", R"({"compiler": "g++"})");
    EXPECT_THAT(error(), HasSubstr("; build nestbed again"));
}

TEST_F(Toolchains, MakeAHeaderOnceForTheSameFlagsAndFiles)
{
    const std::string made = header();
    EXPECT_THAT(made, StartsWith(folder.path("cache/nestbed/precompiled/")));
    EXPECT_EQ(read_text_file(made), "#include <cuda_runtime.h>\n");
    EXPECT_EQ(read_text_file(made + ".gch"), "made\n");
    EXPECT_THAT(folder.read("calls"),
                testing::MatchesRegex("-O1 -x c\\+\\+-header .*nestbed_cuda.hpp -o .*nestbed_cuda.hpp.gch\n"));
    EXPECT_EQ(header(), made);
    EXPECT_EQ(calls(), 1U);

    std::vector<std::string> different{made};
    const auto expect_another = [&](const std::string& other) {
        EXPECT_THAT(different, Not(testing::Contains(other)));
        different.push_back(other);
        EXPECT_EQ(calls(), different.size());
    };
    expect_another(header({"-O1", "-g"}));
    const std::string plugin = "-fplugin=" + folder.write("plugin.so", "1");
    expect_another(header({plugin}));
    folder.write("plugin.so", "larger");
    expect_another(header({plugin}));
    folder.write("program/include/cuda_runtime.h", "int j;\n");
    expect_another(header());
    tools.compiler_version = "12.3.0";
    expect_another(header());
    compiler("for word; do last=$word; done; echo made >> \"$last\"");
    expect_another(header());
    EXPECT_THAT(names_in("own"), IsEmpty());
}

TEST_F(Toolchains, UseTheHeaderThatCameWithThem)
{
    precompile(tools, {"-O1"});
    precompile(tools, {"-O1"});
    EXPECT_EQ(calls(), 1U);
    EXPECT_THAT(header(), StartsWith(folder.path("program/precompiled/")));
    EXPECT_EQ(calls(), 1U);
    EXPECT_FALSE(folder.has("cache"));
}

TEST_F(Toolchains, KeepTheHeadersThatWereUsedLast)
{
    constexpr std::size_t kKept = 8;
    std::vector<std::string> made;
    const auto make = [&](std::size_t number) {
        made.push_back(header({"-D" + std::to_string(number)}));
        // File systems count time in steps.
        fs::last_write_time(fs::path(made.back()).parent_path(),
                            fs::file_time_type::clock::now() - std::chrono::hours(20 - number));
    };
    for (std::size_t number = 0; number < kKept; ++number)
        make(number);
    EXPECT_EQ(header({"-D0"}), made[0]); // it is now the one that was used last
    make(kKept);
    for (std::size_t number = 0; number < made.size(); ++number)
        EXPECT_EQ(fs::exists(made[number]), number != 1) << number;
}

TEST_F(Toolchains, DoWithoutAHeaderThatCannotBeKept)
{
    compiler("echo no such luck; exit 1");
    EXPECT_EQ(nestbed::text_of<RunError>([&] { precompile(tools, {"-O1"}); }),
              "the executor's CUDA headers do not compile (exit code 1): no such luck\n");
    EXPECT_EQ(header(), folder.path("own/nestbed_cuda.hpp"));
    EXPECT_EQ(folder.read("own/nestbed_cuda.hpp"), "#include <cuda_runtime.h>\n");
    EXPECT_THAT(names_in("cache/nestbed/precompiled"), ElementsAre("lock"));
    EXPECT_THAT(names_in("program/precompiled"), IsEmpty());
    compiler();
    const EnvironmentVariable none("XDG_CACHE_HOME", "");
    const EnvironmentVariable nowhere("HOME", "");
    EXPECT_EQ(header(), folder.path("own/nestbed_cuda.hpp"));
}

TEST_F(Toolchains, KeepHeadersInTheUsersCache)
{
    struct Home {
        const char *cache, *home, *folder;
    };
    for (const Home& where : {Home{"/c", "/h", "/c/nestbed"}, Home{"c", "/h", "/h/.cache/nestbed"},
                              Home{"", "/h", "/h/.cache/nestbed"}, Home{"", "h", ""}, Home{"", "", ""}}) {
        const EnvironmentVariable given("XDG_CACHE_HOME", where.cache);
        const EnvironmentVariable home("HOME", where.home);
        EXPECT_EQ(cache_folder(), where.folder);
    }
}

TEST_F(Toolchains, AMakefileDoesNotDependOnTheCache)
{
    const std::string rule = folder.write(
        "my.d", "my.o: my.cu \\\n /c/nestbed_cuda.hpp.gch /c/nestbed_cuda.hpp \\\n my.h\n/c/nestbed_cuda.hpp:\n");
    remove_header_from_rule(rule, "/c/nestbed_cuda.hpp");
    const std::string text = read_text_file(rule);
    EXPECT_THAT(text, HasSubstr("my.o: my.cu"));
    EXPECT_THAT(text, HasSubstr("my.h"));
    EXPECT_THAT(text, Not(HasSubstr("nestbed_cuda")));
    EXPECT_THAT(text, Not(HasSubstr("\n:")));
}

} // namespace

} // namespace nestbed::program
