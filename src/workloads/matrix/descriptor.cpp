#include "workloads/matrix/descriptor.hpp"

#include "workloads/matrix/picture.hpp"

namespace nestbed
{

namespace
{

constexpr std::uint64_t kElementBytes = 4;

constexpr AxisMeaning kOfMatrix[]{{axis::nx, "columns of the matrix"}, {axis::ny, "rows of the matrix"}};
constexpr std::string_view kFiguresOfMatrix[]{"by-depth", "launches", "hazard", "pending", "rates", "waves", "ways"};
constexpr std::string_view kFiguresOfImage[]{"hazard", "ways"};
constexpr AxisMeaning kOfImage[]{{axis::nx, "columns of the image"}, {axis::ny, "rows of the image"}};

std::uint64_t read_and_written(const Case& point)
{
    return 2 * point.elements * kElementBytes;
}

std::uint64_t written(const Case& point)
{
    return point.elements * kElementBytes;
}

template <auto BytesMoved>
std::uint64_t memory_bytes(const StrategyInfo& /*info*/, const Case& point, const ExpectedLaunches& /*form*/)
{
    return BytesMoved(point);
}

constexpr WorkloadInfo of_matrix(std::string_view name, std::string_view summary)
{
    return {.name = name,
            .summary = summary,
            .axes = {axis::type, axis::elements, axis::nx, axis::ny, axis::depth, axis::seed},
            .meanings = kOfMatrix,
            .figures = kFiguresOfMatrix,
            .has_ratio = true,
            .calibrates = Calibrates::copy,
            .bytes_moved = read_and_written,
            .memory_bytes = memory_bytes<read_and_written>};
}

} // namespace

constinit const WorkloadInfo workloads::transpose = of_matrix("transpose", "transposes a matrix");
constinit const WorkloadInfo workloads::copy =
    of_matrix("copy", "copies a matrix: the most that a transpose can reach");

constinit const WorkloadInfo workloads::blobs{
    .name = "blobs",
    .summary = "draws an image through shared memory",
    .axes = {axis::type, axis::elements, axis::nx, axis::ny, axis::depth},
    .meanings = kOfImage,
    .figures = kFiguresOfImage,
    .has_ratio = true,
    .bytes_moved = written,
    .memory_bytes = memory_bytes<written>,
    .picture = &kBlobsPicture,
};

} // namespace nestbed
