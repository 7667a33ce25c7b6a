// For tests whose kernels are functions that the executor runs.
#pragma once

#include "device/cpu/thread.hpp"

namespace nestbed::cpu
{

inline unsigned thread_x()
{
    return current_thread->thread_index.x;
}
inline unsigned block_x()
{
    return current_thread->block_index.x;
}

} // namespace nestbed::cpu
