// Estimated times of workloads whose launches depend on the input, against the times in our logs of a GPU. Estimates are
// rough: they balance shards and set timeouts.
#include "plan/cost.hpp"
#include "workloads/bfs/descriptor.hpp"

#include "base/statistics.hpp"
#include "base/text_file.hpp"
#include "log/logged_cases.hpp"
#include "support/h200_support.hpp"

#include <gtest/gtest.h>

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

TEST_P(CostOfLogs, IsNearWhatWasMeasured)
{
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
        ratios.push_back(sample_us(one.point) / median(measured));
        of_strategy[one.point.strategy].push_back(ratios.back());
    }
    EXPECT_GT(median(ratios), 1 / 5.0);
    EXPECT_LT(median(ratios), 5);
    for (const auto& [strategy, of_cases] : of_strategy) {
        constexpr std::size_t kMany = 15; // few cases may all be of inputs that are estimated badly
        constexpr double kFactor = 30;
        if (of_cases.size() < kMany)
            continue;
        EXPECT_GT(median(of_cases), 1 / kFactor) << strategy;
        EXPECT_LT(median(of_cases), kFactor) << strategy;
    }
}

// The reference of a case takes time once, on the host. On the executor that of an image is a part of every sample.
TEST(CostOfInputs, GrowsWithThem)
{
    struct Input {
        Case small;
        double times; // as long for twice the elements
    };
    constexpr std::uint64_t kMany = 1 << 16;
    for (const Input& input : {Input{{.strategy = "bezier_children", .elements = kMany}, 2},
                               Input{{.strategy = "quick_kway", .elements = kMany}, 2},
                               Input{{.strategy = "search_levels", .elements = kMany, .input = InputKind::t3}, 2},
                               Input{{.strategy = "search_levels", .elements = 4, .input = InputKind::t1}, 256},
                               Input{{.strategy = "quadtree_children", .elements = kMany}, 2},
                               Input{{.strategy = "bfs_tail", .elements = kMany, .input = InputKind::path}, 2},
                               Input{{.strategy = "neighbored", .elements = kMany}, 2}}) {
        Case large = input.small;
        large.elements *= 2;
        EXPECT_GT(input_us(input.small), 0) << large.strategy;
        EXPECT_NEAR(input_us(large) / input_us(input.small), input.times, 1e-9) << large.strategy;
    }
    Case image{.strategy = "mandelbrot_levels", .backend = BackendKind::cuda, .elements = kMany, .dwell = 512};
    const double of_reference = input_us(image);
    EXPECT_GT(of_reference, 0);
    image.dwell *= 2;
    EXPECT_NEAR(input_us(image), 2 * of_reference, 1e-9 * of_reference);
    image.backend = BackendKind::cpu;
    EXPECT_EQ(input_us(image), 0);
    EXPECT_EQ(graph_edges({.strategy = "bfs_tail", .elements = 10, .input = InputKind::path}), 40U);
    EXPECT_EQ(graph_edges({.strategy = "bfs_tail", .elements = 10, .input = InputKind::rmat, .edge_factor = 8}),
              160U);
    EXPECT_EQ(graph_edges({.strategy = "bfs_tail", .elements = 10, .input = InputKind::uniform, .edge_factor = 8}),
              80U);
    EXPECT_EQ(graph_edges({.strategy = "bfs_tail", .input = InputKind::file, .graph_file = "missing"}), 0U);
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
