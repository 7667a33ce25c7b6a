// Estimated times of workloads whose launches depend on the input, against the times in our logs of a GPU. Estimates are
// rough: they balance shards and set timeouts.
#include "plan/cost.hpp"
#include "predict/case_time.hpp"
#include "run/patience.hpp"
#include "workloads/bfs/descriptor.hpp"

#include "base/statistics.hpp"
#include "base/text_file.hpp"
#include "graphs/graph_file.hpp"
#include "graphs/graph_input.hpp"
#include "log/logged_cases.hpp"
#include "model/input_file.hpp"
#include "model/text_numbers.hpp"
#include "support/graph_support.hpp"
#include "support/h200_support.hpp"
#include "support/support.hpp"

#include <chrono>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nestbed
{
namespace
{

class CostOfLogs : public testing::TestWithParam<const char*>
{
};

// A log has the time of a run that is held. A sample has that run, one that is not held, and what is around them.
TEST_P(CostOfLogs, IsNearWhatWasMeasured)
{
    constexpr double kRuns = 2;
    std::vector<double> ratios;
    std::map<std::string, std::vector<double>> of_strategy;
    const LoggedCases logged = logged_cases(parse_log(GetParam(), read_text_file(h200_path(GetParam()))), {});
    for (const CaseResult& one : logged.results) {
        std::vector<double> measured;
        for (const KeptSample& sample : one.samples)
            if (sample.wall_us)
                measured.push_back(*sample.wall_us);
        if (measured.empty())
            continue;
        ratios.push_back(sample_us(one.point) / (kSampleOverheadUs + kRuns * median(measured)));
        of_strategy[one.point.strategy].push_back(ratios.back());
    }
    EXPECT_GT(median(ratios), 1 / 3.0);
    EXPECT_LT(median(ratios), 3);
    for (const auto& [strategy, of_cases] : of_strategy) {
        constexpr std::size_t kMany = 15; // few cases may all be of inputs that are estimated badly
        constexpr double kFactor = 6;
        if (of_cases.size() < kMany)
            continue;
        EXPECT_GT(median(of_cases), 1 / kFactor) << strategy;
        EXPECT_LT(median(of_cases), kFactor) << strategy;
    }
}

// To make an input and the reference of it takes time once, on the host.
TEST(CostOfInputs, GrowsWithThem)
{
    struct Input {
        Case small;
        double times; // as long for twice the size; a sort takes a little longer
    };
    constexpr std::uint32_t kMany = 1 << 16;
    for (const Input& input :
         {Input{{.strategy = "bezier_children", .elements = kMany}, 2},
          Input{{.strategy = "quick_kway", .elements = kMany}, 2},
          Input{{.strategy = "search_levels", .input = InputKind("t3"), .own = {{"root-children", kMany}}}, 2},
          Input{{.strategy = "search_levels", .input = InputKind("t1"), .own = {{"tree-levels", 4}}}, 256},
          Input{{.strategy = "quadtree_children", .elements = kMany}, 2},
          Input{{.strategy = "bfs_tail", .elements = kMany, .input = InputKind("path")}, 2},
          Input{{.strategy = "neighbored", .elements = kMany}, 2}}) {
        Case large = input.small;
        large.elements *= 2;
        large["root-children"] *= 2;
        large["tree-levels"] *= 2;
        EXPECT_GT(input_us(input.small), 0) << large.strategy;
        EXPECT_NEAR(input_us(large) / input_us(input.small), input.times, 0.07 * input.times) << large.strategy;
    }
    Case image{
        .strategy = "mandelbrot_levels", .backend = BackendKind::cuda, .elements = kMany, .own = {{"dwell", 512}}};
    const double of_reference = input_us(image);
    EXPECT_GT(of_reference, 0);
    image["dwell"] *= 2;
    EXPECT_GT(input_us(image), 1.4 * of_reference);
    EXPECT_EQ(graph_edges({.strategy = "bfs_tail", .elements = 10, .input = InputKind("path")}), 40U);
    EXPECT_EQ(graph_edges(
                  {.strategy = "bfs_tail", .elements = 10, .input = InputKind("rmat"), .own = {{"edge-factor", 8}}}),
              160U);
    EXPECT_EQ(
        graph_edges(
            {.strategy = "bfs_tail", .elements = 10, .input = InputKind("uniform"), .own = {{"edge-factor", 8}}}),
        80U);
    EXPECT_EQ(graph_edges({.strategy = "bfs_tail",
                           .input = InputKind("file"),
                           .own = {{"graph-file", static_cast<std::uint32_t>(number_of_text("missing"))}}}),
              0U);
}

Case search_of_path(const std::string& strategy, std::uint64_t vertices)
{
    return {.strategy = strategy,
            .mechanism = Mechanism::tail,
            .elements = vertices,
            .block = 128,
            .input = InputKind("path"),
            .aggregate = Aggregate::none};
}

// A path has as many levels as vertices. What was measured on two cores:
//     nestbed run --strategy bfs_children --backend cpu --mechanism tail --input path --elements 16000 --block 128
TEST(CostOfGraphs, IsNearWhatAPathTook)
{
    struct Measured {
        const char* strategy;
        std::uint64_t vertices;
        double us;
    };
    for (const Measured& one :
         {Measured{"bfs_children", 4'000, 1.85e6}, Measured{"bfs_children", 8'000, 5.98e6},
          Measured{"bfs_children", 16'000, 22.0e6}, Measured{"sssp_children", 8'000, 5.32e6},
          Measured{"bfs_queue_children", 4'000, 0.114e6}, Measured{"sssp_queue_children", 4'000, 0.121e6},
          Measured{"bfs_tail", 4'000, 0.259e6}, Measured{"sssp_tail", 4'000, 0.245e6},
          Measured{"sssp_near_far", 4'000, 1.8e6}, Measured{"bfs_recursive", 4'000, 0.042e6}}) {
        const double us = sample_us(search_of_path(one.strategy, one.vertices));
        EXPECT_GT(us, one.us / 5) << one.strategy << ", " << one.vertices;
        EXPECT_LT(us, 5 * one.us) << one.strategy << ", " << one.vertices;
    }
}

// Its first sample is not a timeout: a path of 50,000 vertices takes about (50 / 16)^2 * 22 s.
TEST(CostOfGraphs, GivesALongPathItsTimeout)
{
    const SampleTimeouts timeouts(std::chrono::minutes(10), sample_us);
    const std::chrono::duration<double> taken = timeouts.of(search_of_path("bfs_children", 50'000));
    EXPECT_GT(taken.count(), 10 * 215);
}

// With a thread for every vertex in each round, a path takes four times as long if it is twice as long.
TEST(CostOfGraphs, GrowsWithTheLevelsAndWithTheWorkOfEach)
{
    const auto growth = [](const std::string& strategy, InputKind input) {
        Case small = search_of_path(strategy, 32'000);
        small.input = input;
        Case large = small;
        large.elements *= 2;
        large["root-children"] *= 2;
        large["tree-levels"] *= 2;
        return sample_us(large) / sample_us(small);
    };
    for (const std::string search : {"bfs", "sssp"}) {
        EXPECT_NEAR(growth(search + "_children", InputKind("path")), 4, 0.2);
        EXPECT_NEAR(growth(search + "_children", InputKind("star")), 2, 0.1);
        EXPECT_NEAR(growth(search + "_queue_children", InputKind("path")), 2, 0.1);
        EXPECT_NEAR(growth(search + "_tail", InputKind("path")), 2, 0.1);
    }
    Case gpu = search_of_path("bfs_children", 1'000'000);
    gpu.backend = BackendKind::cuda;
    constexpr double kRoundByHost = 15;
    const double of_path = sample_us(gpu);
    gpu.input = InputKind("star");
    EXPECT_GT(of_path - sample_us(gpu), kRoundByHost * 1e6);
}

// The levels of a small file are counted.
TEST(CostOfGraphs, OfAFileGoesByItsLevels)
{
    const ScratchFolder folder;
    std::string path;
    std::string star;
    for (int vertex = 1; vertex <= 3000; ++vertex) {
        path += std::to_string(vertex - 1) + " " + std::to_string(vertex) + "\n";
        star += "0 " + std::to_string(vertex) + "\n";
    }
    Case point = search_of_path("bfs_children", 0);
    point.input = InputKind("file");
    set_graph_file(point, graph_file_id(folder.write("star", star)));
    const double of_star = sample_us(point);
    set_graph_file(point, graph_file_id(folder.write("path", path)));
    EXPECT_GT(sample_us(point), 20 * of_star);
    EXPECT_NEAR(sample_us(point), sample_us(search_of_path("bfs_children", 3001)), 0.1 * sample_us(point));
    set_graph_file(point, "missing#0123456789ab");
    EXPECT_LT(sample_us(point), of_star);
}

INSTANTIATE_TEST_SUITE_P(H200, CostOfLogs,
                         testing::Values("bezier.csv", "mandelbrot.csv", "sort.csv", "search.csv", "quadtree.csv",
                                         "bfs.csv", "sssp.csv"),
                         [](const auto& named) {
                             const std::string name = named.param;
                             return name.substr(0, name.find('.'));
                         });

} // namespace
} // namespace nestbed
