// `nestbed info graph`: the levels of the graphs that bfs and sssp measure; and graph files given to `nestbed run`.
#include "plan/plan_description.hpp"
#include "support/cli_support.hpp"
#include "support/graph_support.hpp"
#include "support/support.hpp"

#include <cstdint>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

namespace nestbed
{
namespace
{

using testing::AnyOf;

constexpr const char* kLevelsHeader =
    "input,elements,edge_factor,graph_file,seed,edges,level,vertices,edges_of_level\r\n";
// Three vertices in a row, and two that are not reached.
constexpr const char* kMatrix = "%%MatrixMarket matrix coordinate pattern symmetric\n5 5 3\n2 1\n3 2\n5 5\n";

Outcome described(const Words& more)
{
    return nestbed(Words("info graph") + more);
}

// The lines below the header. The command must succeed.
std::vector<std::string> lines_of(const Words& more)
{
    const Outcome done = described(more);
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.err, IsEmpty());
    std::vector<std::string> lines;
    for (const std::vector<std::string>& cells : parse_csv(done.out)) {
        std::string line;
        for (const std::string& cell : cells)
            line += (line.empty() ? "" : ",") + cell;
        lines.push_back(line);
    }
    EXPECT_EQ(lines.empty() ? "" : lines.front() + "\r\n", kLevelsHeader);
    lines.erase(lines.begin());
    return lines;
}

TEST(GraphCommand, HasALineForEachLevel)
{
    EXPECT_THAT(lines_of("--input path --elements 4"),
                ElementsAre("path,4,,,1,6,0,1,1", "path,4,,,1,6,1,1,2", "path,4,,,1,6,2,1,2", "path,4,,,1,6,3,1,1"));
    EXPECT_THAT(lines_of("--input star --elements 2^10 --seed 7"),
                ElementsAre("star,1024,,,7,2046,0,1,1023", "star,1024,,,7,2046,1,1023,1023"));
    // A square of 3 x 3: corner, then diagonals.
    EXPECT_THAT(lines_of("--input grid2d --elements 10"),
                ElementsAre("grid2d,10,,,1,24,0,1,2", "grid2d,10,,,1,24,1,2,6", "grid2d,10,,,1,24,2,3,8",
                            "grid2d,10,,,1,24,3,2,6", "grid2d,10,,,1,24,4,1,2"));
}

TEST(GraphCommand, DescribesSeveralGraphsOneAfterTheOther)
{
    EXPECT_THAT(lines_of("--input star,path --elements 2,3"),
                ElementsAre("star,2,,,1,2,0,1,1", "star,2,,,1,2,1,1,1", "star,3,,,1,4,0,1,2", "star,3,,,1,4,1,2,2",
                            "path,2,,,1,2,0,1,1", "path,2,,,1,2,1,1,1", "path,3,,,1,4,0,1,1", "path,3,,,1,4,1,1,2",
                            "path,3,,,1,4,2,1,1"));
}

// The edges that a flat form looks at are those of all levels.
TEST(GraphCommand, DescribesTheGraphThatARunSearches)
{
    for (const std::string input : {"uniform", "rmat", "rmat_relabelled", "zipf"}) {
        const ScratchFolder folder;
        const std::string log = folder.path("bfs.csv");
        const std::vector<std::string> options{"--input", input, "--elements", "700", "--edge-factor", "3"};
        std::vector<std::string> run{"run",      "--strategy", "bfs_frontier", "--backend", "cpu", "--block", "64",
                                     "--repeat", "1",          "-o",           log};
        run.insert(run.end(), options.begin(), options.end());
        ASSERT_EQ(nestbed(run).exit_code, 0);
        ASSERT_EQ(
            described({"--input", input, "--elements", "700", "--edge-factor", "3", "-o", folder.path("levels.csv")})
                .out,
            "");
        std::uint64_t edges = 0;
        for (const Row& row : rows_of(folder.path("levels.csv"))) {
            EXPECT_EQ(row.at("edge_factor"), "3");
            edges += std::stoull(row.at("edges_of_level"));
        }
        EXPECT_EQ(std::to_string(edges), rows_of(log).front().at("work")) << input;
        EXPECT_NE(edges, 0U);
    }
}

TEST(GraphCommand, ReadsFiles)
{
    const ScratchFolder folder;
    const std::string matrix = folder.write("row.mtx", kMatrix);
    const std::string list = folder.write("list.txt", "0 2\n2 1\n0 1\n");
    EXPECT_THAT(lines_of({"--input", "file", "--graph-file", matrix + "," + list}),
                ElementsAre(AllOf(HasSubstr("row.mtx#"), EndsWith(",1,5,0,1,1")), EndsWith(",1,5,1,1,2"),
                            EndsWith(",1,5,2,1,1"), AllOf(HasSubstr("list.txt#"), EndsWith(",1,3,0,1,2")),
                            EndsWith(",1,3,1,2,1")));
    EXPECT_THAT(lines_of({"--input", "file,path", "--graph-file", list, "--elements", "2,3"}), SizeIs(2 + 2 + 3));
}

TEST(GraphCommand, WritesANewFile)
{
    const ScratchFolder folder;
    const std::string path = folder.path("levels.csv");
    const Outcome done = described({"--input", "path", "--elements", "2", "-o", path});
    EXPECT_EQ(done.exit_code, 0) << done.err;
    EXPECT_THAT(done.out, IsEmpty());
    EXPECT_EQ(folder.read("levels.csv"), kLevelsHeader + std::string("path,2,,,1,2,0,1,1\r\npath,2,,,1,2,1,1,1\r\n"));
    const Outcome again = described({"--input", "path", "--elements", "3", "-o", path});
    EXPECT_EQ(again.exit_code, 2);
    EXPECT_THAT(again.err, HasSubstr("levels.csv: it already exists"));
}

TEST(GraphCommand, RefusesWhatIsNoGraph)
{
    const ScratchFolder folder;
    const auto refused = [&](const Words& more, int exit_code) {
        const Outcome done = ended(exit_code, Words("info graph") + more + Words{"-o", folder.path("levels.csv")});
        EXPECT_THAT(done.out, IsEmpty());
        EXPECT_FALSE(folder.has("levels.csv"));
        return done.err;
    };
    EXPECT_THAT(refused("--input sorted", 2),
                AllOf(HasSubstr("--input sorted"), HasSubstr("allowed for bfs: "), HasSubstr("grid2d")));
    EXPECT_THAT(refused("--elements 0", 2), HasSubstr("--elements 0"));
    EXPECT_THAT(refused("--block 64", 2), HasSubstr("--block"));
    EXPECT_THAT(refused("--input file", 2), HasSubstr("--input file: no file is named; allowed: with --graph-file"));
    EXPECT_THAT(
        refused("--input path --elements 8589934592", 2),
        AllOf(HasSubstr("8589934592"), AnyOf(HasSubstr("of memory; allowed: "), HasSubstr("too many; allowed: "))));
    EXPECT_THAT(refused("--input path --elements 4,8589934592", 2), HasSubstr("; allowed: "));
    EXPECT_THAT(refused({"--input", "file", "--graph-file", folder.path("none.gr")}, 2),
                AllOf(HasSubstr("--graph-file"), HasSubstr("none.gr"), HasSubstr("No such file")));
    EXPECT_THAT(refused({"--input", "file", "--graph-file", folder.write("bad.gr", "p sp 2 1\na 1 3 1\n")}, 1),
                HasSubstr("bad.gr:2: '3' is not a vertex; allowed: 1 to 2"));
}

TEST(GraphsThatAreTooLarge, AreNamedByTheirVerticesOrTheirFile)
{
    const ScratchFolder folder;
    const DeviceFacts facts{.name = "Model 1", .free_memory_bytes = 1};
    Case point{.strategy = "bfs_frontier", .elements = 4096, .grid = 0, .block = 64, .input = InputKind("path")};
    EXPECT_THAT(why_too_large(point, facts),
                AllOf(StartsWith("4096 elements need "), HasSubstr("allowed: what Model 1 has free")));
    const std::string path = folder.write("large.txt", "0 1\n1 2\n2 3\n");
    point.input = InputKind("file");
    point.elements = 0;
    set_graph_file(point, path + "#0123");
    EXPECT_THAT(why_too_large(point, facts), StartsWith(path + " need "));
}

class GraphFiles : public testing::Test
{
  protected:
    // The row of a search of this file, on the executor.
    Row row_of(const std::string& name, const std::string& text, const std::string& strategy = "bfs_frontier") const
    {
        const std::string log = folder_.path(name + ".csv");
        const Outcome done = searched(folder_.write(name, text), log, strategy);
        const std::vector<Row> rows = rows_of(log);
        EXPECT_THAT(rows, SizeIs(1)) << done.err;
        EXPECT_EQ(done.exit_code, rows.at(0).at("status") == "ok" ? 0 : 3) << done.err;
        return rows.at(0);
    }
    static Outcome searched(const std::string& file, const std::string& log,
                            const std::string& strategy = "bfs_frontier")
    {
        return nestbed({"run", "--strategy", strategy, "--backend", "cpu", "--block", "64", "--repeat", "1",
                        "--input", "file", "--graph-file", file, "-o", log});
    }

    ScratchFolder folder_; // NOLINT(cppcoreguidelines-non-private-member-variables-in-classes)
};

TEST_F(GraphFiles, AreSearchedByARun)
{
    const Row row = row_of("row.mtx", kMatrix);
    EXPECT_EQ(row.at("status"), "ok") << row.at("detail");
    EXPECT_EQ(row.at("answer"), "5");
    EXPECT_EQ(row.at("work"), "4");
}

TEST_F(GraphFiles, ThatAreNoGraphAreRowsThatSayWhichLine)
{
    // tests/graphs/graph_file_test.cpp has what else is no graph. Any other extension is a list of edges.
    for (const auto& [name, text, why] :
         {std::tuple("bad.gr", "p sp 3 1\na 1 2\n", "bad.gr:2: this is not an edge; allowed: a FROM TO WEIGHT"),
          std::tuple("graph.json", "{\"edges\": 1}\n",
                     "graph.json:1: '{\"edges\":' is not a vertex; allowed: 0 to 4294967294")}) {
        const Row row = row_of(name, text);
        EXPECT_EQ(row.at("status"), "unsupported");
        EXPECT_THAT(row.at("detail"), HasSubstr(why));
    }
}

// Only a search without weights can use the edges of a matrix whose values are no weights.
TEST_F(GraphFiles, OfRealNumbersAreOnlySearchedForWeightsThatAreWhole)
{
    const auto status_of = [&](const std::string& name, const std::string& value, const std::string& strategy) {
        const Row row =
            row_of(name, "%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 " + value + "\n", strategy);
        return row.at("status") + row.at("detail");
    };
    EXPECT_EQ(status_of("whole.mtx", "3.0", "sssp_frontier"), "ok");
    EXPECT_THAT(status_of("half.mtx", "0.5", "sssp_frontier"),
                AllOf(StartsWith("unsupported"),
                      HasSubstr("half.mtx:3: the value '0.5' is not a weight; allowed: whole numbers from 1")));
    EXPECT_EQ(status_of("ignored.mtx", "0.5", "bfs_frontier"), "ok");
}

TEST_F(GraphFiles, ThatCannotBeReadAreRefusedBeforeARun)
{
    folder_.write("packed.mtx.bz2", "0 1\n");
    for (const auto& [name, why] : {std::pair("none.mtx", "No such file"),
                                    std::pair("packed.mtx.bz2", "the file is compressed; unpack it first"),
                                    std::pair("two words.gr", "cannot be part of a key; allowed: a name")}) {
        const Outcome done = searched(folder_.path(name), folder_.path("log.csv"));
        EXPECT_EQ(done.exit_code, 2);
        EXPECT_THAT(done.err, AllOf(HasSubstr("--graph-file"), HasSubstr(name), HasSubstr(why)));
        EXPECT_FALSE(folder_.has("log.csv"));
    }
}

} // namespace
} // namespace nestbed
