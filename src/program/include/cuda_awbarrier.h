// The primitives of asynchronous barriers.
#pragma once

#include "nestbed/program/barrier_objects.hpp"

// NOLINTBEGIN: these names are CUDA's.
using __mbarrier_t = nestbed::cpu::BarrierObject;
using __mbarrier_token_t = nestbed::cpu::BarrierObject;

inline unsigned __mbarrier_maximum_count()
{
    return nestbed::cpu::kMaxBarrierCount;
}
inline void __mbarrier_init(__mbarrier_t* barrier, unsigned count)
{
    nestbed::program::begin_barrier(barrier, count);
}
inline void __mbarrier_inval(__mbarrier_t* barrier)
{
    nestbed::program::end_barrier(barrier);
}
inline __mbarrier_token_t __mbarrier_arrive(__mbarrier_t* barrier)
{
    return nestbed::cpu::arrive_at(barrier);
}
inline __mbarrier_token_t __mbarrier_arrive_and_drop(__mbarrier_t* barrier)
{
    return nestbed::cpu::arrive_at(barrier, 1, nestbed::cpu::Arrival::drops);
}
inline unsigned __mbarrier_token_pending_count(__mbarrier_token_t token)
{
    return nestbed::cpu::pending_of(token);
}
inline bool __mbarrier_test_wait_parity(__mbarrier_t* barrier, bool parity)
{
    return nestbed::program::try_wait(barrier, parity);
}
inline bool __mbarrier_test_wait(__mbarrier_t* barrier, __mbarrier_token_t token)
{
    return nestbed::program::try_wait(barrier, nestbed::cpu::parity_of(token));
}
inline bool __mbarrier_try_wait_parity(__mbarrier_t* barrier, bool parity, unsigned /*ns*/)
{
    return nestbed::program::try_wait(barrier, parity);
}
inline bool __mbarrier_try_wait(__mbarrier_t* barrier, __mbarrier_token_t token, unsigned /*ns*/)
{
    return __mbarrier_test_wait(barrier, token);
}
// NOLINTEND
