// Predictions beside measured times: which cases have one, how near they are, the table and the CSV.
#include "base/csv.hpp"
#include "inspect/prediction_text.hpp"
#include "model/case_text.hpp"
#include "support/matchers.hpp"
#include "support/roofline_support.hpp"

#include <cmath>
#include <functional>

namespace nestbed
{
namespace
{

Predictions predictions_of(const std::vector<Case>& points, const std::vector<CaseResult>& results = {})
{
    return predictions_of(default_roofline(), points, results);
}

CaseResult measured(const Case& point, double factor)
{
    CaseResult result = result_by(default_roofline(), point);
    for (KeptSample& sample : result.samples)
        *sample.gpu_us *= factor;
    result.key = key_of(point, "");
    return result;
}

TEST(Prediction, SaysWhyACaseHasNone)
{
    const Case usual = on_a_gpu("nosync", 64, 512, Mechanism::null_stream);
    const auto changed = [&](const std::function<void(Case&)>& change) {
        Case point = usual;
        change(point);
        return point;
    };
    const auto waves = [](Case& point) {
        point = on_a_gpu("synced", 2048, 512, Mechanism::null_stream);
        point.wave = 2048;
    };
    const std::string nothing = "they launch nothing from the device";
    for (const auto& [point, why] : std::vector<std::pair<Case, std::string>>{
             {usual, ""},
             {on_a_gpu("hello", 64, 512, Mechanism::null_stream), ""},
             {on_a_gpu("chain", 1, 32, Mechanism::graph_tail), ""},
             {on_a_gpu("neighbored", 64, 512, Mechanism::none), nothing},
             {on_a_gpu("host_loop", 64, 512, Mechanism::host), nothing},
             {on_a_gpu("chain", 1, 32, Mechanism::grid_sync), nothing},
             {on_a_gpu("nosync", 64, 512, Mechanism::null_stream, 0), nothing},
             {on_a_gpu("host", 64, 512, Mechanism::none), "the host does the work"},
             {on_a_gpu("litmus_counter", 64, 512, Mechanism::fire_and_forget), "their kernels wait or may hang"},
             {on_a_gpu("lanes_at_once", 4, 32, Mechanism::fire_and_forget), "their kernels wait or may hang"},
             {changed([](Case& point) { point.backend = BackendKind::cpu; }), "they run on the executor"},
             {changed([](Case& point) { point.delay_us = 5; }), "a delay is added to them"},
             {changed([](Case& point) { point.submit = Submit::open; }),
              "their GPU times contain time of the host (submit = open)"},
             {changed(waves), "the GPU of the model cannot run them with such waves"}}) {
        const Predictions predictions = predictions_of({point});
        EXPECT_EQ(predictions.left_out.empty() ? "" : predictions.left_out.begin()->first, why) << point.strategy;
    }
}

TEST(Prediction, StandsBesideTheMedianThatWasMeasured)
{
    const Case near = on_a_gpu("nosync", 64, 512, Mechanism::null_stream);
    const Case far = on_a_gpu("tail", 64, 512, Mechanism::tail);
    const Case missing = on_a_gpu("chains", 64, 512, Mechanism::tail);
    Case renamed = near; // a log without a manifest has the waves that were used, but the same key
    renamed.wave = 96;
    CaseResult first = measured(near, 1.1);
    first.point = renamed;
    CaseResult second = measured(far, 2);
    second.key = "";
    second.samples.resize(4);
    const Predictions predictions = predictions_of({near, far, missing}, {first, second});
    ASSERT_EQ(predictions.cases.size(), 3U);
    EXPECT_NEAR(*predictions.cases[0].ratio(), 1.1, 0.01);
    EXPECT_LT(predictions.cases[0].measured->interval.low, predictions.cases[0].measured->value);
    EXPECT_NEAR(*predictions.cases[1].ratio(), 2, 0.01);
    EXPECT_TRUE(std::isnan(predictions.cases[1].measured->interval.low)); // four samples
    EXPECT_FALSE(predictions.cases[2].measured);
    EXPECT_FALSE(predictions.cases[2].ratio());
    const Nearness nearness = nearness_of(predictions.cases);
    EXPECT_EQ(nearness.cases, 2U);
    EXPECT_NEAR(nearness.median_off, (0.1 + 1) / 2, 0.01);
    EXPECT_EQ(nearness.within, 0.5);
    EXPECT_EQ(nearness_of({}).cases, 0U);

    CaseResult wrong = measured(near, 1);
    for (KeptSample& sample : wrong.samples)
        sample.status = Status::wrong;
    EXPECT_FALSE(predictions_of({near}, {wrong}).cases[0].measured);
}

TEST(Prediction, IsATableWithASummary)
{
    const Case near = on_a_gpu("nosync", 64, 512, Mechanism::null_stream);
    const Case far = on_a_gpu("tail", 64, 512, Mechanism::tail, 3);
    const Case by_host = on_a_gpu("host", 64, 512, Mechanism::none);
    const std::string plain = predictions_text(default_roofline(), predictions_of({near, far, by_host}), "");
    EXPECT_THAT(plain, StartsWith("GPU times predicted for NVIDIA H200 (driver "));
    EXPECT_THAT(plain, AllOf(HasSubstr("strategy  mechanism    shape"), HasSubstr("64x512 depth 3"),
                             HasSubstr("Predicted: 2 cases\nNot predicted: 1 case\n  1: the host does the work\n")));
    EXPECT_THAT(plain, AllOf(Not(HasSubstr("measured")), Not(HasSubstr("Measured"))));
    const std::string beside = predictions_text(
        default_roofline(), predictions_of({near, far}, {measured(near, 1.1), measured(far, 2)}), "some.csv");
    EXPECT_THAT(beside, HasSubstr("Measured in some.csv: 2 cases\nMedian |measured / predicted - 1|: 55.0 %; at most "
                                  "25 % in 50 % of the cases\n\nThe farthest:\n"));
    EXPECT_THAT(beside, ContainsRegex("tail +tail +1 +100.0 % +2.00\nnosync +null_stream +1 +10.0 % +1.10"));
    const std::string none = predictions_text(default_roofline(), predictions_of({by_host}), "some.csv");
    EXPECT_THAT(none, EndsWith("Predicted: 0 cases\nNot predicted: 1 case\n  1: the host does the work\n"
                               "Measured in some.csv: 0 cases\n"));
}

TEST(Prediction, IsACsvWithOneRowPerCase)
{
    const Case near = on_a_gpu("nosync", 2048, 512, Mechanism::null_stream);
    Case matrix = on_a_gpu("recursive_transpose", 128, 64, Mechanism::tail, 1);
    matrix.type = ElementType::float32;
    const std::vector<std::vector<std::string>> rows =
        parse_csv(predictions_csv(predictions_of({near, matrix}, {measured(near, 2)})));
    EXPECT_EQ(csv_line(rows.at(0)),
              "strategy,mechanism,type,input,elements,grid,block,nx,ny,block_shape,depth,threshold,coarsen,"
              "aggregate,wave,waves,streams,launches,predicted_us,bound,latency_us,rate_us,work_us,measured_us,"
              "measured_low_us,measured_high_us,measured_over_predicted,off\r\n");
    const auto cells = [&](std::size_t row, std::size_t from, std::size_t to) {
        return std::vector<std::string>(rows.at(row).begin() + static_cast<std::ptrdiff_t>(from),
                                        rows.at(row).begin() + static_cast<std::ptrdiff_t>(to));
    };
    EXPECT_EQ(cells(1, 0, 18),
              (std::vector<std::string>{"nosync", "null_stream", "int32", "random", "1048576", "2048", "512", "", "",
                                        "", "full", "", "", "", "96", "22", "2", "16384"}));
    EXPECT_EQ(rows[1].at(26), "2");
    EXPECT_EQ(rows[1].back(), "1");
    EXPECT_NEAR(std::stod(rows[1][23]), 2 * std::stod(rows[1][18]), 0.01 * std::stod(rows[1][23]));
    EXPECT_EQ(cells(2, 0, 11), (std::vector<std::string>{"recursive_transpose", "tail", "float32", "", "8192", "", "",
                                                         "128", "64", "", "1"}));
    EXPECT_EQ(cells(2, 23, 28), std::vector<std::string>(5));
}

} // namespace
} // namespace nestbed
