// Reads device launches and counters from the pages of ncu. tests/data/README.md says where the pages of tests/data
// come from.
#include "inspect/ncu_pages.hpp"

#include "base/error.hpp"
#include "support/page_support.hpp"
#include "support/support.hpp"

#include <utility>

namespace nestbed
{
namespace
{

std::string why_not_raw(const std::string& text)
{
    return text_of<RunError>([&] { static_cast<void>(parse_raw_page("x.raw.csv", text)); });
}

std::string why_not_source(const std::string& text, const std::optional<RawPage>& raw = std::nullopt)
{
    return text_of<RunError>([&] { static_cast<void>(parse_source_page("x.source.csv", text, raw)); });
}

const std::string kLaunch = "__cudaCDP2LaunchDeviceV2";

RawPage raw_of(std::vector<std::string> kernels)
{
    return {.kernels = std::move(kernels), .counters = {}};
}

// ---- the raw page ----

TEST(RawPage, IsTheSumOverTheRootGrids)
{
    const RawPage page = parse_raw_page("x.raw.csv", data("nested.raw.csv"));
    EXPECT_THAT(page.kernels, ElementsAre("rec(int)", "rec(int)", "tailrec(int)", "flat()"));
    EXPECT_EQ(page.counters.root_grids, 4U);
    EXPECT_EQ(page.counters.blocks, 293U + 156 + 774 + 128);
    EXPECT_EQ(page.counters.warps, 293U + 156 + 774 + 128);
    EXPECT_EQ(page.counters.dram_read_bytes, 35328U + 6144 + 512);
    EXPECT_EQ(page.counters.dram_write_bytes, 175104U + 33024 + 1280);
    EXPECT_NEAR(*page.counters.duration_us, 117.952 + 84.736 + 73.696 + 2.016, 1e-9);
    const double weighted = 1.651350 * 117.952 + 1.709621 * 84.736 + 1.562424 * 73.696 + 1.561228 * 2.016;
    EXPECT_NEAR(*page.counters.occupancy_percent, weighted / *page.counters.duration_us, 1e-9);
}

std::string raw_page(const std::string& names, const std::string& units, const std::string& cells)
{
    return "\"Kernel Name\"," + names + "\n\"\"," + units + "\n\"a()\"," + cells + "\n";
}

TEST(RawPage, HasTimesAndBytesInManyUnitsAndThousandsSeparators)
{
    for (const auto& [unit, us] : std::vector<std::pair<std::string, double>>{{"ns", 1.98e3},
                                                                              {"nsecond", 1.98e3},
                                                                              {"us", 1.98e6},
                                                                              {"usecond", 1.98e6},
                                                                              {"ms", 1.98e9},
                                                                              {"msecond", 1.98e9},
                                                                              {"s", 1.98e12},
                                                                              {"second", 1.98e12}}) {
        const RawPage page = parse_raw_page("x", raw_page("gpu__time_duration.sum", unit, "\"1,980,000\""));
        EXPECT_DOUBLE_EQ(*page.counters.duration_us, us) << unit;
    }
    for (const auto& [unit, bytes] : std::vector<std::pair<std::string, std::uint64_t>>{
             {"byte", 2}, {"Kbyte", 1500}, {"Mbyte", 1'500'000}, {"Gbyte", 1'500'000'000}}) {
        const RawPage page = parse_raw_page("x", raw_page("dram__bytes_read.sum", unit, "\"1.500000\""));
        EXPECT_EQ(page.counters.dram_read_bytes, bytes) << unit;
    }
}

TEST(RawPage, LeavesEmptyWhatNcuDoesNotSay)
{
    const RawPage page =
        parse_raw_page("x", raw_page("dram__bytes_read.sum,sm__ctas_launched.sum", "byte,block", "n/a,"));
    EXPECT_EQ(page.counters.root_grids, 1U);
    EXPECT_FALSE(page.counters.dram_read_bytes || page.counters.blocks || page.counters.duration_us ||
                 page.counters.occupancy_percent);
}

TEST(RawPage, SaysWhatIsWrongAndWhere)
{
    EXPECT_EQ(why_not_raw(raw_page("gpu__time_duration.sum", "minute", "1")),
              "x.raw.csv:2: the unit of gpu__time_duration.sum is 'minute'; allowed: ns, nsecond, us, usecond, ms, "
              "msecond, s, second");
    EXPECT_THAT(why_not_raw(raw_page("dram__bytes_write.sum", "", "1")),
                StartsWith("x.raw.csv:2: the unit of dram__bytes_write.sum is ''; allowed: byte, Kbyte"));
    EXPECT_EQ(why_not_raw(raw_page("sm__ctas_launched.sum", "block", "many")),
              "x.raw.csv:3: sm__ctas_launched.sum = 'many' is not a number");
    EXPECT_EQ(why_not_raw(raw_page("launch__grid_size", "", "1,2")),
              "x.raw.csv:3: 3 cells under 2 columns; the file may be cut off");
    EXPECT_EQ(why_not_raw("a,b\n"), "x.raw.csv:1: a raw page of ncu has a column \"Kernel Name\"");
    EXPECT_EQ(why_not_raw("\"Kernel Name\",a\n,\n"), "x.raw.csv:2: the raw page has no root grid");
    EXPECT_EQ(why_not_raw(""), "x.raw.csv: it is empty");
    const std::string whole = data("nested.raw.csv");
    EXPECT_EQ(why_not_raw(whole.substr(0, whole.size() - 5)),
              "x.raw.csv:6: the last line has no line break; the file may be cut off");
    EXPECT_THAT(why_not_raw(whole.substr(0, whole.size() - 5) + "\n"),
                AllOf(StartsWith("x.raw.csv:6: "), HasSubstr("may be cut off")));
}

// ---- the source page ----

std::uint64_t launches_of(const std::string& path, std::string_view text, const std::optional<RawPage>& raw)
{
    return parse_source_page(path, text, raw).launches;
}

TEST(SourcePage, HasTheLaunchesOfEachRootGridOnceThoughItIsPrintedTwice)
{
    const RawPage raw = parse_raw_page("x.raw.csv", data("nested.raw.csv"));
    EXPECT_EQ(launches_of("x", data("nested.source.csv"), raw), 192U + 96 + 5);
    EXPECT_EQ(launches_of("x", data("nested_sections.source.csv"), raw), 192U + 96 + 5);
}

TEST(SourcePage, OfOneRootGridNeedsNoRawPage)
{
    const std::string page = section("a()", "4,096") + section(kLaunch, "1,980,000") + section("b()");
    EXPECT_EQ(launches_of("x", page, std::nullopt), 1'980'000U);
    EXPECT_EQ(launches_of("x", page, raw_of({"a()"})), 1'980'000U);
    EXPECT_EQ(launches_of("x", "==PROF== of ncu\n\n" + page, std::nullopt), 1'980'000U);
}

TEST(SourcePage, HasTheWarpsOfKernelsWhereTheyAreCounted)
{
    const RawPage raw = parse_raw_page("x.raw.csv", data("nested.raw.csv"));
    // rec: 64 and 32 blocks, with 3 levels below each; tailrec: 6 grids of 128; flat: 128. One warp per block.
    EXPECT_EQ(parse_source_page("x", data("nested.source.csv"), raw).kernel_warps, 64U * 4 + 32 * 4 + 128 * 6 + 128);
    EXPECT_FALSE(parse_source_page("x", section("a()"), std::nullopt).kernel_warps);
}

TEST(SourcePage, WithoutTheLaunchFunctionHasNoLaunches)
{
    EXPECT_EQ(launches_of("x", section("flat()"), std::nullopt), 0U);
    EXPECT_EQ(launches_of("x", section("flat()") + section("flat()"), raw_of({"flat()"})), 0U);
}

// Identical waves are not copies of each other.
TEST(SourcePage, TellsWavesFromCopiesByTheRawPage)
{
    const std::string wave = section("a()") + section(kLaunch, "8");
    const std::string rest = section("a()", "32") + section(kLaunch, "4");
    EXPECT_EQ(launches_of("x", wave + wave + rest, raw_of({"a()", "a()", "a()"})), 20U);
    EXPECT_EQ(launches_of("x", wave + wave + wave + wave + rest + rest, raw_of({"a()", "a()", "a()"})), 20U);
    EXPECT_EQ(launches_of("x", wave + wave + wave, raw_of({"a()"})), 8U);
    EXPECT_EQ(why_not_source(wave + wave), "x.source.csv:9: a second section of a(): it may be a copy or another "
                                           "root grid; to find out, put the raw page beside this file");
}

TEST(SourcePage, RefusesCopiesThatDiffer)
{
    const std::string wave = section("a()") + section(kLaunch, "8");
    const std::string other = section("a()") + section(kLaunch, "9");
    const auto why = [](int line, int times) {
        return "x.source.csv:" + std::to_string(line) + ": a section of " + kLaunch + " appears " +
               std::to_string(times) + " times; expected: a multiple of 2";
    };
    EXPECT_EQ(why_not_source(wave + other, raw_of({"a()"})), why(5, 1));
    EXPECT_EQ(why_not_source(wave + wave + other + wave, raw_of({"a()", "a()"})), why(29, 3));
    EXPECT_EQ(why_not_source(wave + section("a()"), raw_of({"a()"})), why(5, 1)); // one copy has one section fewer
    EXPECT_EQ(launches_of("x", wave + other + wave + other, raw_of({"a()", "a()"})), 17U);
}

// The raw page leaves out namespaces and the types of values, and lists only the kernels of root grids.
TEST(SourcePage, FindsKernelsUnderTheNamesThatTheRawPageHas)
{
    const std::string root =
        "void a::b::sum<int, (unsigned int)32, (a::How)-1, a::b::Nest>(const T1 *, a::b::Job<T1>)";
    const std::string child =
        "void a::b::sum<long, (unsigned int)32, (a::How)-1, a::b::Nest>(const T1 *, a::b::Job<T1>)";
    const std::string hidden = "a::(anonymous namespace)::rest(int)";
    const std::string grid = section(child) + section(root) + section(kLaunch, "3") + section(hidden);
    const std::string name = "void sum<int, 32, -1, Nest>(const T1 *, Job<T1>)";
    EXPECT_EQ(launches_of("x", grid, raw_of({name})), 3U);
    EXPECT_EQ(launches_of("x", grid + grid, raw_of({name})), 3U);
    EXPECT_EQ(launches_of("x", grid + grid, raw_of({name, name})), 6U);
    EXPECT_EQ(launches_of("x", grid, raw_of({"rest(int)"})), 3U);
    const std::string unnamed = section("a::<unnamed>::last(int)");
    EXPECT_EQ(launches_of("x", grid + unnamed, raw_of({name, "unnamed>::last(int)"})), 3U);
    EXPECT_EQ(launches_of("x", grid + unnamed, raw_of({name, "<unnamed>::last(int)"})), 3U);
    EXPECT_EQ(launches_of("x", grid + section("a::Unnamed<a::unnamed>::last(int)"), raw_of({name})), 3U);
    EXPECT_EQ(why_not_source(grid, raw_of({"void sum<int, 33, -1, Nest>(const T1 *, Job<T1>)"})),
              "x.source.csv: its sections do not match the raw page: 0 sections of void sum<int, 33, -1, Nest>(const "
              "T1 *, Job<T1>), 1 root grids");
}

TEST(SourcePage, RefusesSectionsThatDoNotGoWithTheRawPage)
{
    EXPECT_EQ(why_not_source(section("a()") + section("a()") + section("a()"), raw_of({"a()", "a()"})),
              "x.source.csv: its sections do not match the raw page: 3 sections of a(), 2 root grids");
    EXPECT_EQ(why_not_source(section("a()"), raw_of({"a()", "b()"})),
              "x.source.csv: its sections do not match the raw page: 1 sections of a(), 1 root grids; 0 sections of "
              "b(), 1 root grids");
    EXPECT_EQ(why_not_source(section("a()") + section("a()") + section("b()"), raw_of({"a()", "b()"})),
              "x.source.csv: its sections do not match the raw page: 2 sections of a(), 1 root grids; 1 sections of "
              "b(), 1 root grids");
}

TEST(SourcePage, SaysWhatIsWrongAndWhere)
{
    EXPECT_EQ(why_not_source(""), "x.source.csv: it is empty");
    EXPECT_EQ(why_not_source("==WARNING== none\n"), "x.source.csv: it is empty");
    EXPECT_EQ(why_not_source("strategy,grid\nnosync,4\n"),
              "x.source.csv:1: a source page of ncu begins with \"Kernel Name\", not with strategy,grid");
    EXPECT_EQ(
        why_not_source(section("a()", "64", "inst_executed")),
        "x.source.csv:2: the section of a() has no column thread_inst_executed or Thread Instructions Executed; "
        "columns: Address, Source, inst_executed");
    EXPECT_EQ(why_not_source(section(kLaunch, "many")),
              "x.source.csv:3: thread_inst_executed = 'many' is not a number");
    EXPECT_EQ(why_not_source("\"Kernel Name\",\"a()\",\n" + section("b()")),
              "x.source.csv:2: the section of a() before it has no instruction; the file may be cut off");
    EXPECT_EQ(why_not_source("\"Kernel Name\",\"a()\",\n\"Address\",\"thread_inst_executed\"\n"),
              "x.source.csv:2: the section of a() has no instruction; the file may be cut off");
}

// Whatever the position at which the last line is cut.
TEST(SourcePage, ThatIsCutOffIsRefused)
{
    const std::string whole = section("a()") + section(kLaunch, "8");
    ASSERT_EQ(launches_of("x", whole, std::nullopt), 8U);
    const std::size_t last_line = whole.rfind('\n', whole.size() - 2) + 1;
    for (std::size_t size = last_line + 1; size < whole.size(); ++size)
        EXPECT_THAT(why_not_source(whole.substr(0, size)),
                    AllOf(StartsWith("x.source.csv:8: "), HasSubstr("may be cut off")))
            << whole.substr(last_line, size - last_line);
}

} // namespace
} // namespace nestbed
