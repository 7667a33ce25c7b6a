// Effective bandwidth: how many bytes, divided by which time, and the values that the shares refer to.
#include "model/bandwidth.hpp"
#include "support/matchers.hpp"
#include "workloads/hello/descriptor.hpp"
#include "workloads/launch/descriptor.hpp"
#include "workloads/matrix/descriptor.hpp"
#include "workloads/reduce/descriptor.hpp"

#include <optional>

namespace nestbed
{
namespace
{

constexpr MeasuredBandwidth kMeasured{.read_gb_s = 250, .copy_gb_s = 160};

StrategyInfo of_workload(const WorkloadInfo& workload)
{
    return {.name = "any", .workload = &workload};
}

Case million()
{
    return {.strategy = "any", .elements = 1'000'000};
}

Bandwidth bandwidth_of(const WorkloadInfo& workload, const Sample& sample, double peak_gb_s = 400,
                       const MeasuredBandwidth& measured = kMeasured)
{
    return bandwidth_of(of_workload(workload), million(), sample, {.peak_bandwidth_gb_s = peak_gb_s}, measured);
}

TEST(OverMatrix, AreTransposesCopiesAndImagesAlone)
{
    for (const WorkloadInfo* workload : {&workloads::transpose, &workloads::copy, &workloads::blobs})
        EXPECT_TRUE(of_workload(*workload).over_matrix()) << workload->name;
    for (const WorkloadInfo* workload :
         {&workloads::reduce, &workloads::hello, &workloads::chain, &workloads::fanout})
        EXPECT_FALSE(of_workload(*workload).over_matrix()) << workload->name;
}

TEST(BytesMoved, CountEachNumberThatIsReadAndEachThatIsWrittenOnce)
{
    EXPECT_EQ(bytes_moved(of_workload(workloads::reduce), million()), 4'000'000U); // bytes read
    EXPECT_EQ(bytes_moved(of_workload(workloads::blobs), million()), 4'000'000U);  // bytes written
    EXPECT_EQ(bytes_moved(of_workload(workloads::copy), million()), 8'000'000U);
    EXPECT_EQ(bytes_moved(of_workload(workloads::transpose), million()), 8'000'000U);
    for (const WorkloadInfo* workload : {&workloads::hello, &workloads::chain, &workloads::fanout})
        EXPECT_EQ(bytes_moved(of_workload(*workload), million()), 0U) << workload->name;
}

TEST(BytesMoved, OfTheLargestMatrixDoNotOverflow)
{
    Case largest = million();
    largest.elements = 65535ULL * 65535;
    EXPECT_EQ(bytes_moved(of_workload(workloads::transpose), largest), 34'358'689'800U);
}

// 4 * 10^6 bytes in 20 us are 200 * 10^9 bytes per second. The peak is 400; 250 were measured for reads and 160 for
// copies, and nothing for an image, which is only written.
TEST(Bandwidth, IsSetBesideThePeakAndWhatWasMeasuredOfItsKind)
{
    const auto none = std::nullopt;
    const Sample by_gpu{.gpu_us = 20, .wall_us = 40};
    const Sample by_wall{.wall_us = 40};
    using Number = std::optional<double>;
    struct {
        const WorkloadInfo& workload;
        Bandwidth found;
        Number effective, peak, measured;
    } const cases[] = {
        {workloads::reduce, bandwidth_of(workloads::reduce, by_gpu), 200, 400, 250},
        {workloads::blobs, bandwidth_of(workloads::blobs, by_gpu), 200, 400, none},
        {workloads::copy, bandwidth_of(workloads::copy, by_gpu), 400, 400, 160},
        {workloads::transpose, bandwidth_of(workloads::transpose, by_gpu), 400, 400, 160},
        // The clock on the wall says nothing about the memory.
        {workloads::reduce, bandwidth_of(workloads::reduce, by_wall), 100, none, none},
        // No time or no bytes.
        {workloads::reduce, bandwidth_of(workloads::reduce, {}), none, none, none},
        {workloads::hello, bandwidth_of(workloads::hello, by_gpu), none, none, none},
        {workloads::chain, bandwidth_of(workloads::chain, by_gpu), none, none, none},
        // The device does not say its peak, or nothing was measured.
        {workloads::reduce, bandwidth_of(workloads::reduce, by_gpu, 0), 200, none, 250},
        {workloads::reduce, bandwidth_of(workloads::reduce, by_gpu, 400, {}), 200, 400, none},
        {workloads::copy, bandwidth_of(workloads::copy, by_gpu, 400, {}), 400, 400, none},
    };
    for (const auto& [workload, found, effective, peak, measured] : cases) {
        SCOPED_TRACE(workload.name);
        EXPECT_EQ(found.effective, effective);
        EXPECT_EQ(found.peak, peak);
        EXPECT_EQ(found.measured, measured);
        EXPECT_EQ(found.peak_share(), peak ? Number(*effective / *peak) : none);
        EXPECT_EQ(found.measured_share(), measured ? Number(*effective / *measured) : none);
    }
}

TEST(Bandwidth, TextKeepsThreeSignificantDigits)
{
    EXPECT_EQ(rate_text(4021.4), "4021");
    EXPECT_EQ(rate_text(97.26), "97.3");
    EXPECT_EQ(rate_text(3.3518), "3.35");
    EXPECT_EQ(rate_text(0.012345), "0.0123");
    EXPECT_EQ(rate_text(0), "0.00");
}

} // namespace
} // namespace nestbed
