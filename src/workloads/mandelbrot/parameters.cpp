#include "workloads/mandelbrot/descriptor.hpp"

namespace nestbed
{

namespace
{
const DeclaredParameters declared{&MandelbrotParameter::dwell, &MandelbrotParameter::division,
                                  &MandelbrotParameter::fanout, &MandelbrotParameter::grain};
}

} // namespace nestbed
