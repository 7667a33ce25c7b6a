#include "device/tracer.hpp"

#include "base/error.hpp"

#include <algorithm>
#include <cstdint>
#include <span>
#include <string>
#include <utility>
#include <vector>

namespace nestbed::inline NESTBED_BACKEND
{

namespace
{
void read_marks(TracedGrid& grid, const GridRecord& record, const std::vector<unsigned long long>& begun,
                const std::vector<unsigned long long>& ended, const std::vector<unsigned>& multiprocessors)
{
    std::vector<unsigned> distinct; // multiprocessors
    for (unsigned mark = record.first_mark; mark < record.first_mark + record.marks; ++mark) {
        if (ended[mark] == 0)
            continue; // no block with this mark ran
        grid.begun_ns = std::min<std::uint64_t>(grid.begun_ns.value_or(UINT64_MAX), begun[mark]);
        grid.ended_ns = std::max<std::uint64_t>(grid.ended_ns.value_or(0), ended[mark]);
        distinct.push_back(multiprocessors[mark]);
    }
    if (!distinct.empty())
        grid.multiprocessor = multiprocessors[record.first_mark];
    std::sort(distinct.begin(), distinct.end());
    grid.multiprocessors =
        static_cast<std::uint32_t>(std::unique(distinct.begin(), distinct.end()) - distinct.begin());
}
} // namespace

Tracer::Tracer(Context& context, unsigned grids)
    : context_(context), capacity_(grids), marks_(std::max(4 * grids, kMarksPerGrid)),
      records_(context.allocate<GridRecord>(capacity_, kOwnRecords)),
      begun_(context.allocate<unsigned long long>(marks_, kOwnRecords)),
      ended_(context.allocate<unsigned long long>(marks_, kOwnRecords)),
      multiprocessors_(context.allocate<unsigned>(marks_, kOwnRecords)),
      buffer_(context.allocate<TraceBuffer>(1, kOwnRecords))
{
    context.fill_bytes(begun_, 0xFF, marks_);
    context.fill_bytes(ended_, 0, marks_);
    context.fill_bytes(multiprocessors_, 0xFF, marks_);
    on_host_ = {.records = records_.data(),
                .begun_ns = begun_.data(),
                .ended_ns = ended_.data(),
                .multiprocessors = multiprocessors_.data(),
                .grid_capacity = capacity_,
                .mark_capacity = marks_,
                .grids = 0,
                .marks = 0};
}

void Tracer::set_roots(unsigned roots, unsigned blocks)
{
    on_host_.marks = 0;
    const unsigned marks = std::min(blocks, kMarksPerGrid);
    std::vector<GridRecord> records(std::min(roots, capacity_));
    for (GridRecord& record : records) {
        record.parent = kNoGrid;
        record.first_mark = on_host_.marks;
        record.marks = on_host_.marks + marks <= marks_ ? marks : 0;
        on_host_.marks += record.marks;
    }
    on_host_.grids = roots;
    context_.upload(records_, std::span<const GridRecord>(records));
    context_.upload(buffer_, std::span<const TraceBuffer>(&on_host_, 1));
}

void Tracer::read(Trace& trace)
{
    std::size_t silent = 0;
    TraceBuffer buffer{};
    context_.download(std::span(&buffer, 1), buffer_);
    std::vector<GridRecord> records(std::min(buffer.grids, capacity_));
    std::vector<unsigned long long> begun(marks_);
    std::vector<unsigned long long> ended(marks_);
    std::vector<unsigned> multiprocessors(marks_);
    context_.download(std::span(records), records_);
    context_.download(std::span(begun), begun_);
    context_.download(std::span(ended), ended_);
    context_.download(std::span(multiprocessors), multiprocessors_);
    trace.capacity = capacity_;
    trace.lost = buffer.grids - records.size();
    for (const GridRecord& record : records) {
        TracedGrid grid{.parent = record.parent,
                        .depth = record.depth,
                        .blocks = record.blocks,
                        .threads = record.threads,
                        .error = record.error};
        if (record.parent != kNoGrid)
            grid.called_ns = record.called_ns;
        if (record.error != 0)
            grid.error_name = Context::error_name(record.error);
        trace.unmarked += record.marks == 0 ? 1 : 0;
        read_marks(grid, record, begun, ended, multiprocessors);
        silent += record.error == 0 && record.marks != 0 && !grid.begun_ns ? 1 : 0;
        trace.grids.push_back(std::move(grid));
    }
    if (silent != 0 && trace.sample.status == Status::ok)
        throw RunError("strategy " + trace.point.strategy + ": " + std::to_string(silent) + " of " +
                       std::to_string(records.size()) +
                       " grids ran and left no mark: a kernel does not begin with nest.enter()");
}

} // namespace nestbed::inline NESTBED_BACKEND
