// The primitives of asynchronous copies.
#pragma once

#include "cuda_awbarrier.h"

// NOLINTBEGIN: these names are CUDA's.
// The last `zeros` bytes are 0, and not read.
inline void __pipeline_memcpy_async(void* to, const void* from, std::size_t bytes, std::size_t zeros = 0,
                                    NESTBED_PLACE)
{
    if ((bytes != 4 && bytes != 8 && bytes != 16) || zeros > bytes)
        nestbed::program::fault_at(
            {file, line}, cudaErrorAssert,
            "__pipeline_memcpy_async() of a number of bytes that is not 4, 8 or 16, or of more zeros than bytes");
    nestbed::program::copy_with_zeros(to, from, bytes, bytes - zeros);
}
inline void __pipeline_commit()
{
    nestbed::cpu::commit_copies();
}
inline void __pipeline_wait_prior(std::size_t prior)
{
    nestbed::cpu::wait_for_copies(prior);
}
inline void __pipeline_arrive_on(__mbarrier_t* barrier)
{
    nestbed::cpu::copies_arrive_at(barrier);
}
// NOLINTEND
