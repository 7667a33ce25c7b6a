#include "faults/faults.hpp"

#include <vector>

namespace nestbed
{

namespace
{
// No static object: those of other files need it while they are made.
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
