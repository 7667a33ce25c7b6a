#include "workloads/bfs/descriptor.hpp"

namespace nestbed
{

namespace
{
const DeclaredParameters declared{&BfsParameter::bucket_width};
}

} // namespace nestbed
