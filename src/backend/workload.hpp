// What a workload does on a backend: prepare a case, run it once, verify the answer.
#pragma once

#include "../core/sample.hpp"
#include "../core/strategy.hpp"
#include "language.hpp"

#include <memory>

namespace nestbed
{
inline namespace NESTBED_BACKEND
{

class Workload
{
  public:
    Workload() = default;
    Workload(const Workload&) = delete;
    Workload& operator=(const Workload&) = delete;
    virtual ~Workload() = default;

    // Runs the case once. The sample comes back without a verdict on its launches (the session gives that).
    virtual Sample sample(const Strategy& strategy, const Case& point, bool aloud) = 0;
    // Frees what it keeps between samples.
    virtual void release() = 0;
};

std::unique_ptr<Workload> make_reduce_workload(Context& context);
std::unique_ptr<Workload> make_hello_workload(Context& context);

} // namespace NESTBED_BACKEND
} // namespace nestbed
