// What a strategy of the workload `mandelbrot` includes: the job, and its recursion (workloads/mandelbrot/mandelbrot_reference.hpp).
#pragma once

#include "device/parts/request_workload.hpp"
#include "workloads/mandelbrot/descriptor.hpp"
#include "workloads/mandelbrot/mandelbrot_pixels.hpp"

#include <array>

#ifndef NESTBED_FLAT // baseline/ is compiled without it
#include "device/parts/launch_requests.hpp"
#endif

namespace nestbed::inline NESTBED_BACKEND
{

struct MandelbrotJob : RequestJob {
    MandelbrotTask task;
};

struct MandelbrotItem {
    Region region;
    RegionTask task;
    unsigned value; // to fill with; of a share of a region that is computed, its number
};

// So many blocks of so many threads compute a region whose dwells are up to this one: more than one if a thread would make more iterations
// than kLongWork, while other blocks have nothing to do. At most as many as a block has threads.
inline constexpr unsigned kLongWork = 16384;
__host__ __device__ inline unsigned blocks_to_compute(const Region& region, unsigned threads, unsigned max_dwell)
{
    const unsigned of_thread = (region.width * region.height - 1) / threads + 1; // pixels
    const unsigned at_once = max_dwell < kLongWork ? kLongWork / max_dwell : 1;
    const unsigned blocks = (of_thread - 1) / at_once + 1;
    return blocks < threads ? blocks : threads;
}

// A child per part of a divided region. Naive: also one for each region to be filled, and one for each to be computed.
// Shares: a block that would compute a region for long requests blocks_to_compute() instead, each for a share of the pixels.
template <bool Naive, bool Shares = false>
struct ExpandMandelbrot {
    using Item = MandelbrotItem;
    using Job = MandelbrotTask;
    static constexpr bool kRecursive = true;

    static unsigned max_requests(const Case& point)
    {
        return point[MandelbrotParameter::fanout] * point[MandelbrotParameter::fanout];
    }

    // Levels below the root, at most, and blocks that a level has work for.
    static unsigned max_levels(const Case& point) { return max_mandelbrot_levels(point); }
    static std::uint64_t useful_blocks(const Case& point) { return point.elements; }

    // One block tests a border; several fill or compute.
    __device__ static unsigned threads(const Job& /*job*/, const Item& item)
    {
        if (item.task != RegionTask::test)
            return item.region.width * item.region.height;
        const unsigned border = border_pixels(item.region);
        return border < blockDim.x ? border : blockDim.x;
    }

    __device__ static bool root(const Job& job, unsigned block, Item& next)
    {
        const Region region = part_of_region(job.image(), job.division, block);
        return !is_empty(region) && test(job, region, next);
    }

    __device__ static bool block(const Job& job, const Item& item, unsigned block, unsigned blocks, Item& next)
    {
        const unsigned thread = block * blockDim.x + threadIdx.x;
        const unsigned threads = blocks * blockDim.x;
        switch (item.task) {
        case RegionTask::fill:
            fill_region(job, item.region, item.value, thread, threads);
            return false;
        case RegionTask::compute: {
            BLOCK_SHARED(BlockDwells, found, 1);
            begin(found);
            gather_work(found, compute_region(job, item.region, thread, threads));
            end(job, found);
            return false;
        }
        default:
            return block == 0 && test(job, item.region, next);
        }
    }

    // The whole recursion below an item, by one thread.
    __device__ static void process_serially(const Job& job, const Item& item)
    {
        unsigned work = 0;
        if (item.task == RegionTask::fill)
            fill_region<true>(job, item.region, item.value);
        else if (item.task == RegionTask::compute)
            work = compute_region<true>(job, item.region);
        else
            work = recurse(job, item.region);
        atomicAdd(job.work, static_cast<unsigned long long>(work));
    }

  private:
    __device__ static void begin(BlockDwells* found)
    {
        __syncthreads(); // nobody still reads what was there before
        if (threadIdx.x == 0)
            *found = {0xFFFFFFFFU, 0, 0};
        __syncthreads();
    }
    __device__ static void end(const Job& job, const BlockDwells* found)
    {
        __syncthreads();
        if (threadIdx.x == 0)
            atomicAdd(job.work, static_cast<unsigned long long>(found->work));
    }

    // The block tests the border of a region and does what follows from it, or requests what does. A region that
    // may be divided is: as soon as two dwells differ, the rest of its border does not matter.
    __device__ static bool test(const Job& job, const Region& region, Item& next)
    {
        BLOCK_SHARED(BlockDwells, found, 1);
        begin(found);
        const bool divides = may_divide(region, job.fanout, job.grain);
        const bool keeps = !Naive && !divides; // the border's dwells are part of the answer
        const unsigned border = border_pixels(region);
        unsigned work = 0;
        unsigned least = 0xFFFFFFFFU;
        unsigned most = 0;
        for (unsigned first = 0; first < border; first += blockDim.x) {
            if (const unsigned index = first + threadIdx.x; index < border) {
                const PixelPlace place = border_pixel(region, index);
                const unsigned dwell = dwell_of(job, place.x, place.y);
                work += dwell;
                least = least < dwell ? least : dwell;
                most = most > dwell ? most : dwell;
                if (keeps)
                    pixel_of(job, place.x, place.y) = dwell;
            }
            if (divides && first + blockDim.x < border) {
                block_min_max(&found->least, &found->most, least, most);
                __syncthreads();
                const bool differ = found->least != found->most;
                __syncthreads();
                if (differ)
                    break;
            }
        }
        block_min_max(&found->least, &found->most, least, most);
        gather_work(found, work);
        __syncthreads();
        const bool uniform = found->least == found->most;
        const unsigned value = found->least;
        if (!uniform && divides) {
            end(job, found);
            const unsigned part = threadIdx.x;
            if (part >= job.fanout * job.fanout)
                return false;
            next = {part_of_region(region, job.fanout, part), RegionTask::test, 0};
            return !is_empty(next.region);
        }
        if constexpr (Naive) {
            end(job, found);
            next = {region, uniform ? RegionTask::fill : RegionTask::compute, value};
            return threadIdx.x == 0;
        }
        if (divides) {
            fill_region(job, region, value, threadIdx.x, blockDim.x);
        } else if (region.width > 2 && region.height > 2) {
            const Region inside{region.x + 1, region.y + 1, region.width - 2, region.height - 2};
            const unsigned blocks = Shares ? blocks_to_compute(inside, blockDim.x, job.max_dwell) : 1;
            if (uniform) {
                fill_region(job, inside, value, threadIdx.x, blockDim.x);
            } else if (blocks > 1) {
                end(job, found);
                next = {inside, RegionTask::compute, threadIdx.x};
                return threadIdx.x < blocks;
            } else {
                gather_work(found, compute_region(job, inside, threadIdx.x, blockDim.x));
            }
        }
        end(job, found);
        return false;
    }

    __device__ static unsigned recurse(const Job& job, const Region& whole)
    {
        constexpr unsigned kMaxLevels = 17; // sides are below 2^16, and at least halved
        Region regions[kMaxLevels];
        unsigned parts[kMaxLevels]; // that are done
        unsigned work = 0;
        regions[0] = whole;
        parts[0] = 0;
        for (unsigned depth = 1; depth > 0;) {
            const Region region = regions[depth - 1];
            unsigned& part = parts[depth - 1];
            if (part == 0 && finished(job, region, work)) {
                --depth;
                continue;
            }
            if (part == job.fanout * job.fanout) {
                --depth;
                continue;
            }
            const Region smaller = part_of_region(region, job.fanout, part);
            ++part;
            if (!is_empty(smaller)) {
                regions[depth] = smaller;
                parts[depth] = 0;
                ++depth;
            }
        }
        return work;
    }

    // One thread fills or computes a region that is not divided.
    __device__ static bool finished(const Job& job, const Region& region, unsigned& work)
    {
        const unsigned value = dwell_of(job, region.x, region.y);
        work += value;
        bool uniform = true;
        for (unsigned index = 1; index < border_pixels(region) && uniform; ++index) {
            const PixelPlace place = border_pixel(region, index);
            const unsigned dwell = dwell_of(job, place.x, place.y);
            work += dwell;
            uniform = dwell == value;
        }
        if (uniform)
            fill_region<true>(job, region, value);
        else if (!may_divide(region, job.fanout, job.grain))
            work += compute_region<true>(job, region);
        else
            return false;
        return true;
    }
};

// A strategy has the members that Register requires and, if they hold,
//     static constexpr bool naive = true;              its launches are those of ExpandMandelbrot<true>
//     static constexpr bool exhaustive = true;         it computes every pixel
struct MandelbrotFacts {
    bool naive = false;
    bool exhaustive = false;

    template <class S>
    static constexpr MandelbrotFacts of()
    {
        return {.naive = requires {S::naive;
    }
    , .exhaustive = requires { S::exhaustive; }
};
}
}
;

struct MandelbrotTraits {
    using Job = MandelbrotJob;
    using Facts = MandelbrotFacts;
    static constexpr std::array kWorkloads{&workloads::mandelbrot};
};

} // namespace nestbed::inline NESTBED_BACKEND
