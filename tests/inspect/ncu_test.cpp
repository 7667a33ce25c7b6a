// Launches from the pages of ncu. tests/data/README.md says where the pages of tests/data come from.
#include "inspect/ncu.hpp"

#include "support/profile_support.hpp"

#include <tuple>

namespace nestbed
{
namespace
{

const std::string kLaunch = "__cudaCDP2LaunchDeviceV2";
const std::string kArguments = "__cudaCDP2GetParameterBufferV2";

NcuCounts counts_of(const std::string& stem)
{
    return read_ncu_pages(NESTBED_DATA "/" + stem + ".source.csv", NESTBED_DATA "/" + stem + ".raw.csv");
}

class NcuPages : public testing::Test
{
  protected:
    NcuCounts read(const std::string& source, const std::string& raw) const
    {
        return read_ncu_pages(folder_.write("x.source.csv", source), folder_.write("x.raw.csv", raw));
    }
    // With a raw page of these kernels.
    NcuCounts read(const std::string& source, const std::vector<std::string>& kernels) const
    {
        std::string raw = "\"Kernel Name\",\"launch__grid_size\"\n\"\",\"\"\n";
        for (const std::string& kernel : kernels)
            raw += "\"" + kernel + "\",\"1\"\n";
        return read(source, raw);
    }
    template <class Raw>
    std::string why_not(const std::string& source, const Raw& raw) const
    {
        const std::string why = text_of<RunError>([&] { static_cast<void>(read(source, raw)); });
        const std::string here = folder_.path("");
        return why.starts_with(here) ? why.substr(here.size()) : why;
    }

  private:
    ScratchFolder folder_;
};

// "rec 2 288".
std::vector<std::string> rows_of(const NcuCounts& counts)
{
    std::vector<std::string> rows;
    for (const NcuKernel& one : counts.kernels)
        rows.push_back(one.name + " " + std::to_string(one.from_host) + " " + std::to_string(one.from_device));
    return rows;
}

TEST_F(NcuPages, OfAProgramHaveTheLaunchesBelowEachKernel)
{
    for (const char* page : {"nested.source.csv", "nested_sections.source.csv"}) { // each prints every section twice
        const NcuCounts counts = read_ncu_pages(std::string(NESTBED_DATA "/") + page, NESTBED_DATA "/nested.raw.csv");
        EXPECT_THAT(rows_of(counts), ElementsAre("rec 2 288", "tailrec 1 5", "flat 1 0"));
        EXPECT_EQ(counts.launches, 192U + 96 + 5);
        EXPECT_EQ(counts.root_grids, 4U);
    }
}

TEST_F(NcuPages, OfCasesHaveTheKnownLaunches)
{
    EXPECT_THAT(rows_of(counts_of("h200/nosync-null-64x512")), ElementsAre("reduce_nosync 1 512"));
    EXPECT_THAT(rows_of(counts_of("h200/nested_best-64x512")), ElementsAre("sum_best 1 1"));
    EXPECT_THAT(rows_of(counts_of("h200/neighbored-64x512")), ElementsAre("reduce_neighbored 1 0"));
    EXPECT_THAT(rows_of(counts_of("h200/mst_components-forget-2048x64")),
                ElementsAre("list_of_vertices 1 0", "mst_components 3 43", "hook_components 3 0", "follow_hooks 3 0",
                            "forget_lists 3 0", "count_edges 3 0", "place_lists 3 0", "move_edges 3 0",
                            "report_words 3 0"));
}

// The source page does not say where a root grid begins, and may have every section twice.
TEST_F(NcuPages, AreDividedIntoRootGrids)
{
    const std::string a = section("a()");
    const std::string b = section("b()");
    const std::string launching =
        section(kLaunch, "7") + section(kArguments, "8"); // one got no memory for its arguments
    const std::string slow = section("__cuda_slow");
    using Rows = std::vector<std::string>;
    for (const auto& [source, kernels, rows] : {
             std::tuple<std::string, Rows, Rows>{a + b + launching, {"a()", "b()"}, {"a 1 0", "b 1 8"}},
             {b + launching + a, {"b()", "a()"}, {"b 1 8", "a 1 0"}},
             // a launches b; then the host launches b, which launches nothing
             {a + b + launching + b, {"a()", "b()"}, {"a 1 8", "b 1 0"}},
             // a function that is not inlined, after those of the runtime
             {b + launching + section("f(int)") + a, {"b()", "a()"}, {"b 1 8", "a 1 0"}},
             {a + slow + slow + launching, {"a()"}, {"a 1 8"}},
             {"==PROF== of ncu\n\n" + a + section(kLaunch, "1,980,000") + b, {"a()"}, {"a 1 1980000"}},
             {a + launching + a + launching, {"a()", "a()"}, {"a 2 16"}},
             {a + launching + a + launching, {"a()"}, {"a 1 8"}},
             {a + launching + a + launching + a + a, {"a()", "a()"}, {"a 2 8"}},
             // twice each, and the second has its child before itself
             {a + launching + a + launching + section("c()") + b + launching + section("c()") + b + launching,
              {"a()", "b()"},
              {"a 1 8", "b 1 8"}},
         })
        EXPECT_EQ(rows_of(read(source, kernels)), rows);
}

// The raw page leaves out namespaces and the types of values, and lists only the kernels of root grids.
TEST_F(NcuPages, HaveDifferentNamesForOneKernel)
{
    const std::string root =
        "void a::b::sum<int, (unsigned int)32, (a::How)-1, a::b::Nest>(const T1 *, a::b::Job<T1>)";
    const std::string name = "void sum<int, 32, -1, Nest>(const T1 *, Job<T1>)";
    const std::string grid = section(root) + section("a::(anonymous namespace)::rest(int)") + section(kLaunch, "3");
    for (const std::string& kernel : {name, std::string("rest(int)")})
        EXPECT_EQ(read(grid, std::vector{kernel}).launches, 3U);
    for (const char* kernel : {"unnamed>::last(int)", "<unnamed>::last(int)"})
        EXPECT_EQ(read(grid + section("a::<unnamed>::last(int)"), std::vector<std::string>{name, kernel}).launches,
                  3U);
    EXPECT_THAT(why_not(grid, std::vector<std::string>{"void sum<int, 33, -1, Nest>(const T1 *, Job<T1>)"}),
                HasSubstr("do not match the root grids"));
}

TEST_F(NcuPages, ThatDoNotMatchAreRefused)
{
    const std::string wave = section("a()") + section(kLaunch, "8");
    const std::string other = section("a()") + section(kLaunch, "9");
    const std::vector<std::string> two{"a()", "a()"};
    EXPECT_EQ(rows_of(read(wave + other, two)), std::vector<std::string>{"a 2 17"});
    for (const auto& [source, kernels] :
         {std::pair{wave + other, std::vector<std::string>{"a()"}}, // copies that differ
          std::pair{wave + wave + other + wave, two}, std::pair{wave + wave + wave, two},
          std::pair{section("a()"), std::vector<std::string>{"a()", "b()"}}})
        EXPECT_THAT(why_not(source, kernels),
                    AllOf(StartsWith("x.source.csv: its sections do not match the root grids in "),
                          EndsWith("x.raw.csv: " + kernels[0] + (kernels.size() == 1 ? "" : ", " + kernels[1]))));
}

TEST_F(NcuPages, ThatAreWrongAreRefusedWithTheirLine)
{
    const std::vector<std::string> kernels{"a()"};
    const auto raw = [](const std::string& names, const std::string& units, const std::string& cells) {
        return "\"Kernel Name\"," + names + "\n," + units + "\na()," + cells + "\n";
    };
    for (const auto& [text, why] :
         {std::pair{raw("launch__grid_size", "", "1,2"),
                    "x.raw.csv:3: 3 cells under 2 columns; the file may be cut off"},
          std::pair{std::string("a,b\n"), "x.raw.csv:1: a raw page of ncu has a column \"Kernel Name\""},
          std::pair{std::string("\"Kernel Name\",a\n,\n"), "x.raw.csv:2: the raw page has no root grid"},
          std::pair{std::string(), "x.raw.csv: it is empty"},
          std::pair{raw("a", "", "1") + "a(),1",
                    "x.raw.csv:4: the last line has no line break; the file may be cut off"}})
        EXPECT_EQ(why_not(section("a()"), text), why);
    for (const auto& [text, why] :
         {std::pair{std::string(), "x.source.csv: it is empty"},
          std::pair{std::string("==WARNING== none\n"), "x.source.csv: it is empty"},
          std::pair{std::string("strategy,grid\nnosync,4\n"),
                    "x.source.csv:1: a source page of ncu begins with \"Kernel Name\""},
          std::pair{section("a()", "64", "inst_executed"),
                    "x.source.csv:2: the section of a() has no thread_inst_executed or Thread Instructions Executed"},
          std::pair{section(kLaunch, "many"), "x.source.csv:3: thread_inst_executed = 'many' is not a number"},
          std::pair{"\"Kernel Name\",\"a()\",\n" + section("b()"),
                    "x.source.csv:2: the section of a() has no instruction; the file may be cut off"},
          std::pair{std::string("\"Kernel Name\",\"a()\",\n\"Address\",\"thread_inst_executed\"\n"),
                    "x.source.csv:2: the section of a() has no instruction; the file may be cut off"}})
        EXPECT_EQ(why_not(text, kernels), why);
}

// Whatever the position at which the last line is cut.
TEST_F(NcuPages, ThatAreCutOffAreRefused)
{
    const std::string whole = section("a()") + section(kLaunch, "8");
    const std::vector<std::string> kernels{"a()"};
    ASSERT_EQ(read(whole, kernels).launches, 8U);
    const std::size_t last_line = whole.rfind('\n', whole.size() - 2) + 1;
    for (std::size_t size = last_line + 1; size < whole.size(); ++size)
        EXPECT_THAT(why_not(whole.substr(0, size), kernels),
                    AllOf(StartsWith("x.source.csv"), HasSubstr("may be cut off")))
            << whole.substr(last_line, size - last_line);
}

TEST(NcuText, IsATableWithATotal)
{
    EXPECT_EQ(
        ncu_text({.kernels = {{.name = "a", .from_host = 2, .from_device = 512}}, .root_grids = 2, .launches = 512}),
        "\nkernel  from host  from device\n"
        "a               2          512\n"
        "total           2          512\n");
}

} // namespace
} // namespace nestbed
