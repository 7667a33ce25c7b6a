// What a workload does on a backend: prepare a case, run it once, verify the answer.
#pragma once

#include "device/language.hpp"
#include "model/launch_plan.hpp"
#include "model/ledger.hpp"
#include "model/sample.hpp"
#include "model/strategy.hpp"

#include <memory>
#include <stdexcept>

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

class Tracer;

// Thrown where the case turns out to be one that this device cannot run: a row with status unsupported.
class Unsupported : public std::runtime_error
{
  public:
    using std::runtime_error::runtime_error;
};

// What the session has settled before a workload runs a case: the limit is set, the ledger is zeroed.
struct PreparedRun {
    const LaunchPlan& plan;
    const ExpectedLaunches& form;
    Mechanism mechanism;
    Buffer<Ledger>& ledger;
    Tracer* tracer; // of a traced run; else null
    bool marked;    // the workload may run the case again for timestamps
};

class Workload
{
  public:
    Workload() = default;
    Workload(const Workload&) = delete;
    Workload& operator=(const Workload&) = delete;
    virtual ~Workload() = default;

    // Runs the case once and verifies its answer. What concerns the launches the session adds to the sample.
    virtual Sample sample(const Strategy& strategy, const Case& point, const PreparedRun& launching, bool aloud) = 0;
    // Frees what it keeps between samples.
    virtual void release() = 0;
};

std::unique_ptr<Workload> make_reduce_workload(Context& context);
std::unique_ptr<Workload> make_hello_workload(Context& context);
std::unique_ptr<Workload> make_launch_workload(Context& context); // chain and fanout
std::unique_ptr<Workload> make_matrix_workload(Context& context); // transpose, copy and blobs

} // namespace NESTBED_BACKEND
} // namespace nestbed
