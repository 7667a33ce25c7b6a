// Compares the ledger with the closed form: what the launches tell about a sample. Pure.
#pragma once

#include "model/sample.hpp"
#include "model/strategy.hpp"

#include <string>

namespace nestbed
{

// Sets status and detail if launches failed (launch_failed), parents gave up waiting (timeout), or the ledger differs
// from the closed form at any depth (count_mismatch). Removes the times if the status is not ok. A launch error has
// priority over a wrong answer, because a failed launch causes a wrong answer, not the reverse. `error_name` is the
// name of the ledger's first error. A wrong answer without a detail gets one, with the answer and the reference.
void judge_launches(Sample& sample, const ExpectedLaunches& form, const std::string& error_name);

} // namespace nestbed
