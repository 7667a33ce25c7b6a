#include "workloads/hello/descriptor.hpp"

#include "workloads/hello/picture.hpp"

namespace nestbed
{

constinit const WorkloadInfo workloads::hello{
    .name = "hello",
    .summary = "every thread of every grid greets",
    .axes = {axis::grid, axis::block, axis::depth},
    .picture = &kGreetings,
};

} // namespace nestbed
