// The reconciled cases as tables.
#pragma once

#include "inspect/reconcile.hpp"

#include <string>
#include <vector>

namespace nestbed
{

// Tables of at most 80 columns: the three counts and the verdict; the other counters of ncu; and the cases that are
// not equal, with the reason.
std::string reconcile_text(const std::vector<Reconciled>& cases);

} // namespace nestbed
