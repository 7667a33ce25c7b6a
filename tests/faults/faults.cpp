#include "faults/faults.hpp"

#include <vector>

namespace nestbed
{

namespace
{
// Not a static object, because static objects of other files use it during their initialization.
std::vector<EnterFault>& faults()
{
    static std::vector<EnterFault> all;
    return all;
}
} // namespace

void add_fault(EnterFault enter)
{
    faults().push_back(enter);
}

void register_faults()
{
    for (const EnterFault enter : faults())
        enter();
}

} // namespace nestbed
