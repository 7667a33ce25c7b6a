#include "workloads/search/descriptor.hpp"

namespace nestbed
{

namespace
{
const DeclaredParameters declared{&SearchParameter::cutoff,      &SearchParameter::budget,
                                  &SearchParameter::tree_levels, &SearchParameter::root_children,
                                  &SearchParameter::path_nodes,  &SearchParameter::queens};
}

} // namespace nestbed
