// The fuzzed programs load no modules, and so know no workload of a user's own. In place of model/modules.cpp.
#include "model/modules.hpp"

namespace nestbed
{

std::string user_workload_hint(std::string_view /*name*/)
{
    return "";
}

} // namespace nestbed
