// A traced run on the host side: the buffer into which the grids write their marks, and what they recorded there.
#pragma once

#include "device/nest.hpp"

namespace nestbed::inline NESTBED_BACKEND
{

class Tracer
{
  public:
    // Reserves room for `grids` grids, including root grids, and for four block marks per grid on average.
    Tracer(Context& context, unsigned grids);

    // Reserves the records of all root grids of a run, each with `blocks` blocks, before the first of them is launched. A
    // second call replaces the first. Root grids that do not fit are lost. If a root grid has more than kMarksPerGrid blocks,
    // its blocks share marks.
    void set_roots(unsigned roots, unsigned blocks);

    // Returns the Nest of the next root grid.
    template <Mechanism How>
    NestBy<How, true> root(const NestData& nest)
    {
        const unsigned grid = next_root_++;
        return {nest, buffer_.data(), grid < capacity_ ? grid : kNoGrid};
    }

    // Reads what the run recorded. Throws RunError if the run is ok but a grid recorded nothing: its kernel does not
    // call enter().
    void read(Trace& trace);

  private:
    Context& context_;
    unsigned capacity_;
    unsigned marks_;
    Buffer<GridRecord> records_;
    Buffer<unsigned long long> begun_, ended_;
    Buffer<unsigned> multiprocessors_;
    Buffer<TraceBuffer> buffer_;
    TraceBuffer on_host_{};
    unsigned next_root_ = 0;
};

} // namespace nestbed::inline NESTBED_BACKEND
