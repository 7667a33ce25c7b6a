// What is reconciled, as tables.
#pragma once

#include "inspect/reconcile.hpp"

#include <string>
#include <vector>

namespace nestbed
{

// Tables of at most 80 columns: the three counts and the verdict; what ncu counted beside; which cases are not equal, and
// why.
std::string reconcile_text(const std::vector<Reconciled>& cases);

} // namespace nestbed
