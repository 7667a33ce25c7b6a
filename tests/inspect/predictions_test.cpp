// Predictions beside measured times: which cases have one, how near they are, the table.
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
    EXPECT_THAT(plain, AllOf(HasSubstr("block 512\n"), ContainsRegex("tail +tail +3 +192"),
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

} // namespace
} // namespace nestbed
