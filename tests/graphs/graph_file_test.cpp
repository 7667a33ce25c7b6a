// Graphs from files: the three formats, and every error with its line.
#include "base/error.hpp"
#include "graphs/graph_file.hpp"
#include "model/input_file.hpp"
#include "support/gzip_support.hpp"
#include "support/support.hpp"

#include <filesystem>
#include <string>

namespace nestbed
{
namespace
{

std::string refusal(std::string_view text, const std::string& path)
{
    return text_of<RunError>([&] { static_cast<void>(parse_graph(text, path, 1)); });
}

TEST(GraphFile, OfMatrixMarket)
{
    const CsrGraph graph = parse_graph("%%MatrixMarket matrix coordinate integer general\n% a comment\n\n3 3 2\n"
                                       "1 2 40\r\n 3\t1 50 \n",
                                       "a.mtx", 1);
    EXPECT_THAT(graph.starts, ElementsAre(0, 1, 1, 2));
    EXPECT_THAT(graph.ends, ElementsAre(1, 0));
    EXPECT_THAT(graph.weights, ElementsAre(40, 50));
    const CsrGraph both =
        parse_graph("%%MatrixMarket matrix coordinate pattern symmetric\n2 2 2\n2 1\n1 1\n", "a.mtx", 1);
    EXPECT_THAT(both.starts, ElementsAre(0, 2, 3));
    EXPECT_TRUE(both.both_ways);
    EXPECT_EQ(both.weights[0], weight_of(1, 0));
    EXPECT_EQ(parse_graph("%%MatrixMarket matrix coordinate pattern general\n5 5 0\n", "a.mtx", 1).vertices(), 5U);
}

TEST(GraphFile, HasTheWholeNumbersOfARealMatrixAsWeights)
{
    const std::string header = "%%MatrixMarket matrix coordinate real general\n2 2 2\n";
    const CsrGraph graph = parse_graph(header + "1 2 7.0\n2 1 4.294967294e9\n", "a.mtx", 1);
    EXPECT_THAT(graph.weights, ElementsAre(7, 4294967294U));
    EXPECT_EQ(graph.no_weights, "");
    // The edges alone can still be used.
    for (const char* value : {"0.5", "0", "-3", "4294967295", "1e300", "1e999", "inf", "nan"}) {
        const CsrGraph other = parse_graph(header + "1 2 7\n2 1 " + value + "\n", "a.mtx", 1);
        EXPECT_EQ(other.no_weights, std::string("a.mtx:4: the value '") + value +
                                        "' is not a weight; allowed: whole numbers from 1 to 4294967294");
        EXPECT_THAT(other.ends, ElementsAre(1, 0));
        EXPECT_THAT(other.weights, ElementsAre(weight_of(1, 0), weight_of(1, 1)));
    }
    EXPECT_EQ(refusal(header + "1 2 x\n", "a.mtx"), "a.mtx:3: 'x' is not a number");
    EXPECT_EQ(refusal(header + "1 2 7,5\n", "a.mtx"), "a.mtx:3: '7,5' is not a number");
}

TEST(GraphFile, MayHaveItsHeaderAndTheEndOfItsNameInAnyCase)
{
    for (const char* name : {"a.mtx", "a.MTX", "a.Mtx"})
        EXPECT_THAT(parse_graph("%%matrixmarket MATRIX Coordinate Integer GENERAL\n2 2 1\n1 2 5\n", name, 1).weights,
                    ElementsAre(5));
    EXPECT_THAT(parse_graph("p sp 2 1\na 1 2 5\n", "A.GR", 1).weights, ElementsAre(5));
}

TEST(GraphFile, OfDimacs)
{
    const CsrGraph graph = parse_graph("c roads\np sp 4 3\na 1 2 7\nc between\na 2 4 9\na 4 1 1\n", "b.gr", 1);
    EXPECT_THAT(graph.starts, ElementsAre(0, 1, 2, 2, 3));
    EXPECT_THAT(graph.weights, ElementsAre(7, 9, 1));
    EXPECT_FALSE(graph.both_ways);
}

TEST(GraphFile, OfAListOfEdges)
{
    const CsrGraph graph = parse_graph("# from to\n% or so\n0 3\n3 1", "c.txt", 9);
    EXPECT_EQ(graph.vertices(), 4U);
    EXPECT_THAT(graph.ends, ElementsAre(3, 1));
    EXPECT_THAT(graph.weights, ElementsAre(weight_of(9, 0), weight_of(9, 1)));
    EXPECT_THAT(parse_graph("1 0 5\n", "c", 1).weights, ElementsAre(5));
}

TEST(GraphFile, SaysWhatIsWrongWithAMatrix)
{
    const std::string header = "%%MatrixMarket matrix coordinate pattern general\n";
    for (const char* bad :
         {"", "1 2\n", "%%MatrixMarket matrix array real general\n",
          "%%MatrixMarket matrix coordinate complex general\n", "%%MatrixMarket matrix coordinate real hermitian\n",
          "%%MatrixMarket vector coordinate real general\n", "%%MatrixMarket matrix coordinate real\n"}) {
        EXPECT_THAT(refusal(bad, "m.mtx"), StartsWith("m.mtx:1: this is not the header of a graph; allowed: "
                                                      "%%MatrixMarket matrix coordinate pattern|integer|real"))
            << bad;
    }
    EXPECT_EQ(refusal(header, "m.mtx"), "m.mtx:2: the line of sizes is missing; allowed: ROWS COLUMNS ENTRIES");
    EXPECT_EQ(refusal(header + "3 3\n", "m.mtx"),
              "m.mtx:2: the line of sizes has 2 words; allowed: ROWS COLUMNS ENTRIES");
    EXPECT_EQ(refusal(header + "3 4 1\n", "m.mtx"), "m.mtx:2: a graph has a square matrix, not 3 x 4");
    EXPECT_EQ(refusal(header + "-3 3 1\n", "m.mtx"),
              "m.mtx:2: '-3' is not a number of rows; allowed: 1 to 4294967294");
    EXPECT_EQ(refusal(header + "% c\n3 3 1\n1 4\n", "m.mtx"), "m.mtx:4: '4' is not a column; allowed: 1 to 3");
    EXPECT_EQ(refusal(header + "3 3 1\n0 1\n", "m.mtx"), "m.mtx:3: '0' is not a row; allowed: 1 to 3");
    EXPECT_EQ(refusal(header + "3 3 1\n1 1 1\n", "m.mtx"), "m.mtx:3: an entry has 3 words; allowed: ROW COLUMN");
    EXPECT_EQ(refusal(header + "3 3 1\n1 2 3 4 5 6 7\n", "m.mtx"),
              "m.mtx:3: an entry has more than 6 words; allowed: ROW COLUMN");
    EXPECT_EQ(refusal(header + "3 3 2\n1 1\n", "m.mtx"), "m.mtx:4: the file has 1 edge; its header says 2");
    EXPECT_EQ(refusal(header + "3 3 0\n1 1\n", "m.mtx"), "m.mtx:4: the file has 1 edge; its header says 0");
    constexpr const char* kNoVertex =
        "m.mtx:2: the graph has no vertex, so a search has nowhere to start; allowed: at least one vertex";
    EXPECT_EQ(refusal(header + "0 0 0\n", "m.mtx"), kNoVertex);
    EXPECT_EQ(refusal(header + "0 0 1\n1 1\n", "m.mtx"), kNoVertex);
    EXPECT_THAT(refusal(header + "2000000000 2000000000 0\n", "m.mtx"),
                StartsWith("m.mtx: 2000000000 vertices are too many"));
    const std::string weighted = "%%MatrixMarket matrix coordinate integer general\n2 2 1\n";
    EXPECT_EQ(refusal(weighted + "1 2 0\n", "m.mtx"), "m.mtx:3: '0' is not a weight; allowed: 1 to 4294967294");
    EXPECT_EQ(refusal(weighted + "1 2 -7\n", "m.mtx"), "m.mtx:3: '-7' is not a weight; allowed: 1 to 4294967294");
    EXPECT_EQ(refusal(weighted + "1 2\n", "m.mtx"), "m.mtx:3: an entry has 2 words; allowed: ROW COLUMN VALUE");
}

TEST(GraphFile, SaysWhatIsWrongWithDimacs)
{
    constexpr const char* kNoProblem = "d.gr:1: there is no problem line; allowed: p sp VERTICES EDGES";
    EXPECT_EQ(refusal("", "d.gr"), kNoProblem);
    EXPECT_EQ(refusal("a 1 2 3\n", "d.gr"), kNoProblem);
    EXPECT_EQ(refusal("p max 1 2\n", "d.gr"), kNoProblem);
    EXPECT_EQ(refusal("p sp x 2\n", "d.gr"), "d.gr:1: 'x' is not a number of vertices; allowed: 1 to 4294967294");
    EXPECT_EQ(refusal("p sp 3 1\ne 1 2 3\n", "d.gr"), "d.gr:2: this is not an edge; allowed: a FROM TO WEIGHT");
    EXPECT_EQ(refusal("p sp 3 1\na 1 2\n", "d.gr"), "d.gr:2: this is not an edge; allowed: a FROM TO WEIGHT");
    EXPECT_EQ(refusal("p sp 3 1\na 1 4 3\n", "d.gr"), "d.gr:2: '4' is not a vertex; allowed: 1 to 3");
    EXPECT_EQ(refusal("p sp 3 1\na 1 2 0\n", "d.gr"), "d.gr:2: '0' is not a weight; allowed: 1 to 4294967294");
    EXPECT_EQ(refusal("p sp 3 2\na 1 2 4\n", "d.gr"), "d.gr:3: the file has 1 edge; its header says 2");
}

TEST(GraphFile, SaysWhatIsWrongWithAList)
{
    EXPECT_EQ(refusal("", "e.txt"),
              "e.txt:1: the list has no edge, so a search has nowhere to start; allowed: at least one edge");
    EXPECT_EQ(refusal("# 1 2\n", "e.txt"),
              "e.txt:2: the list has no edge, so a search has nowhere to start; allowed: at least one edge");
    EXPECT_EQ(refusal("1\n", "e.txt"), "e.txt:1: an edge has 1 word; allowed: FROM TO, or FROM TO WEIGHT");
    EXPECT_EQ(refusal("1 2 3 4\n", "e.txt"), "e.txt:1: an edge has 4 words; allowed: FROM TO, or FROM TO WEIGHT");
    EXPECT_EQ(refusal("1 2\n\n1 2 3\n", "e.txt"), "e.txt:3: this edge has 3 words, those before it have 2");
    EXPECT_EQ(refusal("1 2.5\n", "e.txt"), "e.txt:1: '2.5' is not a vertex; allowed: 0 to 4294967294");
    EXPECT_EQ(refusal("1 4294967295\n", "e.txt"), "e.txt:1: '4294967295' is not a vertex; allowed: 0 to 4294967294");
    EXPECT_EQ(refusal("1 2 0\n", "e.txt"), "e.txt:1: '0' is not a weight; allowed: 1 to 4294967294");
}

// One large number in a small file would take all memory.
TEST(GraphFile, HasNotManyMoreVerticesThanEdges)
{
    EXPECT_EQ(refusal("0 1000000000\n", "e.txt"),
              "e.txt: 1000000001 vertices are too many for 1 edge; allowed: at most 1048640 (64 for each edge, and "
              "1048576 more); renumber the vertices so that few numbers are unused");
    EXPECT_EQ(parse_graph("0 1048639\n", "e.txt", 1).vertices(), 1048640U);
    EXPECT_THAT(refusal("0 1048640\n", "e.txt"), StartsWith("e.txt: 1048641 vertices are too many for 1 edge"));
    EXPECT_EQ(parse_graph("0 1048640\n0 1\n", "e.txt", 1).vertices(), 1048641U);
    EXPECT_THAT(refusal("p sp 1000000000 2\na 1 2 3\na 2 1 3\n", "d.gr"),
                StartsWith("d.gr: 1000000000 vertices are too many for 2 edges"));
}

TEST(GraphFile, IsCompressedByGzipOrNotAtAll)
{
    for (const std::string name : {"b.txt.bz2", "c.XZ", "d.zst", "e.zip"})
        EXPECT_EQ(refusal("0 1\n", name),
                  name + ": the file is compressed; unpack it first; allowed: a text, or one compressed by gzip");
    const ScratchFolder folder;
    const std::string text = "p sp 3 2\na 1 2 7\na 2 3 9\n";
    const std::string packed = graph_file_id(folder.write("packed.gr.GZ", gzip_of(text)));
    const std::string plain = graph_file_id(folder.write("plain.gr", text));
    EXPECT_EQ(packed.substr(packed.find('#')), plain.substr(plain.find('#')));
    EXPECT_EQ(parse_graph(read_graph_file(packed), path_in(packed), 1).weights, (std::vector<std::uint32_t>{7, 9}));
    const std::string cut_off = folder.write("cut.gr.gz", gzip_of(text).substr(0, 20));
    EXPECT_EQ(text_of<RunError>([&] { static_cast<void>(graph_file_id(cut_off)); }),
              cut_off + ": it could not be read: its gzip content is cut off");
}

TEST(GraphFile, IsQuotedWithoutWhatATerminalWouldObey)
{
    EXPECT_EQ(refusal("\x1B[31m 1\n", "e.txt"), "e.txt:1: '\\x1b[31m' is not a vertex; allowed: 0 to 4294967294");
    EXPECT_EQ(refusal("1 \xFF\xFE\n", "e.txt"), "e.txt:1: '\\xff\\xfe' is not a vertex; allowed: 0 to 4294967294");
    EXPECT_EQ(refusal("1 " + std::string(1000, 'x') + "\n", "e.txt"),
              "e.txt:1: '" + std::string(40, 'x') + "...' is not a vertex; allowed: 0 to 4294967294");
    EXPECT_EQ(refusal("%%MatrixMarket matrix coordinate real general\n2 2 1\n1 2 \x01\n", "m.mtx"),
              "m.mtx:3: '\\x01' is not a number");
}

TEST(GraphFile, HasAtMostEightGibibytes)
{
    const ScratchFolder folder;
    const std::string path = folder.write("large.txt", "");
    std::filesystem::resize_file(path, (std::uintmax_t{8} << 30) + 1); // takes no room on the disk
    EXPECT_THAT(text_of<RunError>([&] { static_cast<void>(graph_file_id(path)); }),
                HasSubstr("it is too large; allowed: 8.00 GiB"));
}

TEST(GraphFile, HasItsContentInItsName)
{
    const ScratchFolder folder;
    const std::string path = folder.write("edges.txt", "0 1\n");
    const std::string id = graph_file_id(path);
    EXPECT_EQ(path_in(id), path);
    EXPECT_EQ(id.size(), path.size() + 13);
    EXPECT_EQ(read_graph(id, 1).edges(), 1U);
    folder.write("edges.txt", "0 2\n");
    EXPECT_NE(graph_file_id(path), id);
    EXPECT_THAT(
        text_of<RunError>([&] { static_cast<void>(read_graph(id, 1)); }),
        AllOf(StartsWith(path + ": the file has changed: it is " + graph_file_id(path)), HasSubstr("and was " + id)));
    EXPECT_THAT(text_of<RunError>([&] { static_cast<void>(graph_file_id(folder.path("none"))); }), HasSubstr("none"));
    for (const char* name : {"a b", "a#b", "a=b", "a\nb"})
        EXPECT_THAT(text_of<RunError>([&] { static_cast<void>(graph_file_id(folder.write(name, "0 1\n"))); }),
                    HasSubstr("cannot be part of a key"))
            << name;
}

} // namespace
} // namespace nestbed
