// The ledger against the closed form: what the launches say of a sample. Pure.
#pragma once

#include "model/sample.hpp"
#include "model/strategy.hpp"

#include <string>

namespace nestbed
{

// Sets status and detail where launches failed (launch_failed), parents gave up waiting (timeout), or the
// ledger differs from the closed form at any depth (count_mismatch), and takes the times away where the
// status is not ok. What the launches did comes before what the answer is: an answer is wrong because a
// launch failed, not the other way round. `error_name` is that of the ledger's first error.
void judge_launches(Sample& sample, const ExpectedLaunches& form, const std::string& error_name);

} // namespace nestbed
