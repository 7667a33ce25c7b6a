#include "workloads/hello/descriptor.hpp"

#include "workloads/hello/picture.hpp"

namespace nestbed
{

namespace
{

constexpr std::string_view kFigures[]{"by-depth", "by-grid", "by-block", "launches",
                                      "hazard",   "pending", "waves",    "ways"};

} // namespace

constinit const WorkloadInfo workloads::hello{
    .name = "hello",
    .summary = "every thread of every grid greets",
    .axes = {axis::grid, axis::block, axis::depth},
    .figures = kFigures,
    .picture = &kGreetings,
};

} // namespace nestbed
