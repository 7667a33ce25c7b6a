#include "graphs/graph_input.hpp"

namespace nestbed
{

namespace
{
const DeclaredParameters declared{&GraphParameter::edge_factor, &GraphParameter::file};
}

} // namespace nestbed
