// `nestbed compare LOG --of A --with B` as a user types it.
#include "base/csv.hpp"
#include "support/cli_support.hpp"

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

namespace nestbed
{
namespace
{

// Two sides of a log that a run made; tests/inspect/compare_sides_test.cpp has the rules.
class CompareTwoSides : public CommandTest
{
  protected:
    void SetUp() override
    {
        CommandTest::SetUp();
        ended(0, "run --backend cpu --strategy quick_kway,sort_levels --elements 256,1024 --block 64 --fanout 64 "
                 "--mechanism fire_and_forget,null_stream,named,tail,host --grain 64,256 --repeat 5 --in-process -o "
                 "sort.csv");
    }

    static Outcome compare(const Words& more) { return nestbed(Words("compare sort.csv") + more); }
};

TEST_F(CompareTwoSides, ComparesTheFastestOnEachInput)
{
    const Outcome compared = compare("--of quick_* --with sort_levels");
    EXPECT_EQ(compared.exit_code, 0) << compared.err;
    EXPECT_EQ(compared.err, "");
    EXPECT_THAT(compared.out, AllOf(StartsWith("sort.csv: on each input the fastest of A and the fastest of B\n"
                                               "A: --of quick_*: quick_kway; 16 configurations, 8 per input\n"
                                               "B: --with sort_levels: sort_levels; 4 configurations, 2 per input\n"
                                               "The executor's times say nothing about those of a GPU.\n"),
                                    HasSubstr("A / B"), HasSubstr("    quick_kway by "),
                                    HasSubstr("; sort_levels, grain "), HasSubstr("Of 2 inputs: A is ")));
    expect_columns(compared.out, 80);
    ended(0, "compare sort.csv --of quick_kway --with sort_levels --csv sides.csv");
    const std::vector<Row> rows = rows_of("sides.csv");
    ASSERT_EQ(rows.size(), 2U);
    expect_cells(rows[0],
                 "workload=sort backend=cpu elements=256 clock=wall configurations_a=8 strategy_a=quick_kway "
                 "samples_a=5 configurations_b=2 strategy_b=sort_levels");
    expect_cells(rows[1], "elements=1024");
    // The times are the least medians of the table of the run.
    const auto json = nlohmann::json::parse(nestbed("show sort.csv --json").out);
    std::map<std::pair<std::string, std::string>, double> least;
    for (const auto& one : json) {
        double& us = least.try_emplace({one["strategy"], one["elements"].dump()}, 1e9).first->second;
        us = std::min(us, one["median_us"].get<double>());
    }
    for (const Row& row : rows) {
        EXPECT_NEAR(std::stod(row.at("median_a_us")), least.at({"quick_kway", row.at("elements")}), 0.01);
        EXPECT_NEAR(std::stod(row.at("median_b_us")), least.at({"sort_levels", row.at("elements")}), 0.01);
        EXPECT_NEAR(std::stod(row.at("ratio")), std::stod(row.at("median_a_us")) / std::stod(row.at("median_b_us")),
                    0.001);
    }
}

TEST_F(CompareTwoSides, RefusesBadOptions)
{
    const auto expect_refused = [&](const Words& more, const std::string& error) {
        const Outcome refused = compare(more);
        EXPECT_EQ(refused.exit_code, 2);
        EXPECT_EQ(refused.out, "");
        EXPECT_EQ(refused.err, "nestbed: " + error + "\n");
    };
    const std::string allowed = "; allowed: compare LOG.csv --of 'quick_*' --with 'sort_*'";
    expect_refused("--of quick_kway", "compare: no --with" + allowed);
    expect_refused("--with quick_kway", "compare: no --of" + allowed);
    expect_refused("sort.csv --of quick_kway --with sort_levels",
                   "compare --of quick_kway --with sort_levels: 2 files" + allowed);
    expect_refused("--of quick_kway --with sort_levels --tolerance 5", "--tolerance is for two logs" + allowed);
    expect_refused("--of quick_way --with sort_levels",
                   "--of quick_way: sort.csv has no such strategy, did you mean 'quick_kway'?; allowed: quick_kway, "
                   "sort_levels");
    expect_refused(
        {},
        "compare sort.csv: 1 files; allowed: compare A.csv B.csv, or compare LOG.csv --of 'quick_*' --with 'sort_*'");
}

TEST_F(CompareTwoSides, RefusesALogOfSeveralGpus)
{
    write("two.csv",
          "strategy,backend,mechanism,grid,block,elements,gpu_us,wall_us,status,gpu\r\n"
          "nosync,cuda,null,1,64,64,8,9,ok,Some GPU\r\nneighbored,cuda,none,1,64,64,8,9,ok,Another GPU\r\n");
    const Outcome refused = ended(2, "compare two.csv --of nosync --with neighbored");
    EXPECT_EQ(refused.err, "nestbed: two.csv: it has rows of 2 GPUs: Another GPU, Some GPU; allowed: a log of one\n");
}

} // namespace
} // namespace nestbed
