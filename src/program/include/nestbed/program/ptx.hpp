// What the rewriter puts in place of inline PTX. The first argument is the result.
#pragma once

#include "intrinsics.hpp"
#include "warps.hpp"

namespace nestbed::program
{

// The number of the highest bit that is set; all ones if there is none.
template <class To>
void ptx_bfind_u32(To& to, unsigned from)
{
    to = static_cast<To>(from == 0 ? ~0U : 31U - static_cast<unsigned>(__builtin_clz(from)));
}
template <class To>
void ptx_laneid(To& to)
{
    to = static_cast<To>(lane());
}
template <class To>
void ptx_lanemask_eq(To& to)
{
    to = static_cast<To>(1U << lane());
}
template <class To>
void ptx_lanemask_lt(To& to)
{
    to = static_cast<To>((1U << lane()) - 1);
}
template <class To>
void ptx_lanemask_le(To& to)
{
    to = static_cast<To>((1U << lane()) - 1 | 1U << lane());
}
template <class To>
void ptx_lanemask_gt(To& to)
{
    to = static_cast<To>(~((1U << lane()) - 1 | 1U << lane()));
}
template <class To>
void ptx_lanemask_ge(To& to)
{
    to = static_cast<To>(~((1U << lane()) - 1));
}
template <class To>
void ptx_globaltimer(To& to)
{
    to = static_cast<To>(clock64());
}

} // namespace nestbed::program
