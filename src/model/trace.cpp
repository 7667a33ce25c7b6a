#include "model/trace.hpp"

#include "base/statistics.hpp"

namespace nestbed
{

double TraceOverhead::median_untraced_us() const
{
    return median(untraced_us);
}

double TraceOverhead::median_traced_us() const
{
    return median(traced_us);
}

double TraceOverhead::share() const
{
    return median_traced_us() / median_untraced_us() - 1;
}

} // namespace nestbed
