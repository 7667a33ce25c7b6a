// Effective bandwidth: how many bytes, divided by which time, and the values that the shares refer to.
#include "model/bandwidth.hpp"
#include "support/matchers.hpp"
#include "workloads/hello/descriptor.hpp"
#include "workloads/launch/descriptor.hpp"
#include "workloads/matrix/descriptor.hpp"
#include "workloads/reduce/descriptor.hpp"

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
}

TEST(BytesMoved, AreNoneForWhatIsNotAboutMemory)
{
    for (const WorkloadInfo* workload : {&workloads::hello, &workloads::chain, &workloads::fanout})
        EXPECT_EQ(bytes_moved(of_workload(*workload), million()), 0U) << workload->name;
}

TEST(BytesMoved, OfTheLargestMatrixDoNotOverflow)
{
    Case largest = million();
    largest.elements = 65535ULL * 65535;
    EXPECT_EQ(bytes_moved(of_workload(workloads::transpose), largest), 34'358'689'800U);
}

// 4 * 10^6 bytes in 20 us are 200 * 10^9 bytes per second.
TEST(Bandwidth, IsTheBytesOverTheGpusTimeIn10To9BytesASecond)
{
    const Sample sample{.gpu_us = 20, .wall_us = 40};
    EXPECT_DOUBLE_EQ(bandwidth_of(workloads::reduce, sample).effective.value(), 200);
    EXPECT_DOUBLE_EQ(bandwidth_of(workloads::blobs, sample).effective.value(), 200);
    EXPECT_DOUBLE_EQ(bandwidth_of(workloads::copy, sample).effective.value(), 400);
    EXPECT_DOUBLE_EQ(bandwidth_of(workloads::transpose, sample).effective.value(), 400);
}

TEST(Bandwidth, IsSetBesideThePeakAndReadingOrCopying)
{
    const Sample sample{.gpu_us = 20, .wall_us = 40};
    const Bandwidth reduce = bandwidth_of(workloads::reduce, sample);
    EXPECT_EQ(reduce.peak, 400);
    EXPECT_EQ(reduce.measured, 250);
    EXPECT_DOUBLE_EQ(reduce.peak_share().value(), 0.5);
    EXPECT_DOUBLE_EQ(reduce.measured_share().value(), 0.8);
    for (const WorkloadInfo* workload : {&workloads::transpose, &workloads::copy}) {
        const Bandwidth bandwidth = bandwidth_of(*workload, sample);
        EXPECT_EQ(bandwidth.measured, 160) << workload->name;
        EXPECT_DOUBLE_EQ(bandwidth.peak_share().value(), 1) << workload->name;
        EXPECT_DOUBLE_EQ(bandwidth.measured_share().value(), 2.5) << workload->name;
    }
}

// An image is only written, and the write bandwidth was not measured.
TEST(Bandwidth, OfAnImageIsSetBesideThePeakAlone)
{
    const Bandwidth bandwidth = bandwidth_of(workloads::blobs, {.gpu_us = 20, .wall_us = 40});
    EXPECT_DOUBLE_EQ(bandwidth.peak_share().value(), 0.5);
    EXPECT_EQ(bandwidth.measured, std::nullopt);
    EXPECT_EQ(bandwidth.measured_share(), std::nullopt);
}

TEST(Bandwidth, ByTheClockOnTheWallIsSetBesideNothing)
{
    const Bandwidth bandwidth = bandwidth_of(workloads::reduce, {.wall_us = 40});
    EXPECT_DOUBLE_EQ(bandwidth.effective.value(), 100);
    EXPECT_EQ(bandwidth.peak, std::nullopt);
    EXPECT_EQ(bandwidth.measured, std::nullopt);
    EXPECT_EQ(bandwidth.peak_share(), std::nullopt);
    EXPECT_EQ(bandwidth.measured_share(), std::nullopt);
}

TEST(Bandwidth, IsNotThereWithoutATimeOrWithoutBytes)
{
    for (const Bandwidth& bandwidth :
         {bandwidth_of(workloads::reduce, {}), bandwidth_of(workloads::hello, {.gpu_us = 20}),
          bandwidth_of(workloads::chain, {.gpu_us = 20, .wall_us = 40})}) {
        EXPECT_EQ(bandwidth.effective, std::nullopt);
        EXPECT_EQ(bandwidth.peak, std::nullopt);
        EXPECT_EQ(bandwidth.measured, std::nullopt);
        EXPECT_EQ(bandwidth.peak_share(), std::nullopt);
        EXPECT_EQ(bandwidth.measured_share(), std::nullopt);
    }
}

TEST(Bandwidth, HasNoShareOfWhatTheDeviceDoesNotSayOrWasNotMeasured)
{
    const Sample sample{.gpu_us = 20, .wall_us = 40};
    const Bandwidth no_peak = bandwidth_of(workloads::reduce, sample, 0);
    EXPECT_EQ(no_peak.peak, std::nullopt);
    EXPECT_EQ(no_peak.peak_share(), std::nullopt);
    EXPECT_DOUBLE_EQ(no_peak.measured_share().value(), 0.8);
    for (const WorkloadInfo* workload : {&workloads::reduce, &workloads::copy}) {
        const Bandwidth unmeasured = bandwidth_of(*workload, sample, 400, {});
        EXPECT_EQ(unmeasured.measured, std::nullopt) << workload->name;
        EXPECT_EQ(unmeasured.measured_share(), std::nullopt) << workload->name;
        EXPECT_TRUE(unmeasured.peak_share().has_value()) << workload->name;
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
