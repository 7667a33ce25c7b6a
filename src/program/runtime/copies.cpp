// Copies and fills: from the host at once; as a grid of one thread in the stream, from a kernel.
#include "program/runtime/copies.hpp"
#include "device/cpu/observer.hpp"
#include "device/cpu/own_memory.hpp"
#include "program/runtime/graphs.hpp"
#include "program/runtime/late_work.hpp"
#include "program/runtime/memory.hpp"
#include "program/runtime/state.hpp"
#include "program/runtime/variables.hpp"

#include <fmt/format.h>

#include <cstring>
#include <utility>

namespace nestbed::program
{

namespace
{

// Rows of bytes: an ordinary copy has one.
struct Extent {
    std::size_t width = 0;
    std::size_t height = 1;

    cpu::Rows at(const void* begin, std::size_t pitch) const { return {begin, width, height, pitch}; }
    std::size_t span(std::size_t pitch) const { return height == 0 || width == 0 ? 0 : (height - 1) * pitch + width; }
};

// Where memory is, by the CUDA Runtime API's "API synchronization behavior".
enum class Where : std::uint8_t { device, pinned, managed, pageable };

Where where(const void* memory)
{
    if (const std::optional<Allocation> allocation = allocation_at(memory)) {
        switch (allocation->kind) {
        case MemoryKind::managed:
            return Where::managed;
        case MemoryKind::host:
        case MemoryKind::registered:
            return Where::pinned;
        case MemoryKind::device:
        case MemoryKind::container:
        case MemoryKind::kernel_heap:
            return Where::device;
        }
    }
    const std::optional<VariableKind> variable = kind_of_variable(memory);
    return !variable ? Where::pageable : *variable == VariableKind::managed ? Where::managed : Where::device;
}

// What the host has waited for when a function of CUDA returns.
enum class HostWaits : std::uint8_t {
    for_nothing,
    for_stream, // what was in the stream before, not the copy itself: its last part may still be under way
    for_copy
};

HostWaits of_synchronous_copy(Where from, Where to, std::size_t bytes)
{
    // CUDA Programming Guide, "Asynchronous Concurrent Execution". The API's own table says the same of any size.
    constexpr std::size_t kMaxUnderWay = 64 * 1024;
    if (from == Where::pageable && to == Where::device)
        return bytes <= kMaxUnderWay ? HostWaits::for_stream : HostWaits::for_copy;
    return from == Where::device && to == Where::device ? HostWaits::for_nothing : HostWaits::for_copy;
}

HostWaits of_asynchronous_copy(Where from, Where to)
{
    const auto is_of_host = [](Where one) { return one == Where::pinned || one == Where::pageable; };
    return is_of_host(from) && is_of_host(to) ? HostWaits::for_copy : HostWaits::for_nothing;
}

struct Copy {
    void* to = nullptr;
    std::size_t to_pitch = 0;
    const void* from = nullptr;
    std::size_t from_pitch = 0;
    Extent rows;

    template <class CopyBytes>
    void run(CopyBytes&& copy_bytes) const
    {
        for (std::size_t row = 0; row < rows.height; ++row)
            copy_bytes(static_cast<char*>(to) + row * to_pitch, static_cast<const char*>(from) + row * from_pitch,
                       rows.width);
    }
};

// As memset(), of elements of 1, 2 or 4 bytes.
void fill_elements(void* to, unsigned value, std::size_t element, std::size_t bytes)
{
    if (element == 1)
        std::memset(to, static_cast<int>(value), bytes);
    else
        for (std::size_t at = 0; at < bytes; at += element)
            std::memcpy(static_cast<char*>(to) + at, &value, element); // little-endian
}

struct Fill {
    void* to = nullptr;
    std::size_t pitch = 0;
    int byte = 0; // or the value of an element
    Extent rows;
    std::size_t element = 1;

    template <class FillBytes>
    void run(FillBytes&& fill_bytes) const
    {
        for (std::size_t row = 0; row < rows.height; ++row)
            fill_bytes(static_cast<char*>(to) + row * pitch, byte, rows.width);
    }
};

// What a node has of it.
cudaMemcpy3DParms parameters_of(const Copy& copy, cudaMemcpyKind kind)
{
    return {.srcArray = nullptr,
            .srcPos = {},
            .srcPtr = {const_cast<void*>(copy.from), copy.from_pitch, copy.rows.width, copy.rows.height}, // NOLINT
            .dstArray = nullptr,
            .dstPos = {},
            .dstPtr = {copy.to, copy.to_pitch, copy.rows.width, copy.rows.height},
            .extent = {copy.rows.width, copy.rows.height, 1},
            .kind = kind};
}

// `place`: of the call of CUDA's function.
void copy_in_kernel(const Copy& copy, const void* place)
{
    copy.run([place](void* to, const void* from, std::size_t bytes) {
        observe_read(from, bytes, place);
        observe_write(to, bytes, place);
        std::memmove(to, from, bytes);
    });
}

void fill_in_kernel(const Fill& fill, const void* place)
{
    fill.run([place](void* to, int byte, std::size_t bytes) {
        observe_write(to, bytes, place);
        std::memset(to, byte, bytes);
    });
}

// A copy by a kernel runs as a child grid of it, which has neither its local nor its shared memory. nullptr: it can be used.
const char* why_not_for_child(const void* memory)
{
    if (memory == nullptr)
        return "the address is NULL";
    switch (cpu::own_memory_of(memory)) {
    case cpu::OwnMemory::of_thread:
        return "local memory of the thread, which a copy in a kernel cannot access";
    case cpu::OwnMemory::of_block:
        return "shared memory of the block, which a copy in a kernel cannot access";
    case cpu::OwnMemory::none:
        break;
    }
    return nullptr;
}

// `waits`: it is a function without Async.
cudaError_t copy(const char* function, const Copy& copy, cudaMemcpyKind kind, cudaStream_t stream, bool waits,
                 const void* place)
{
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    const int number = static_cast<int>(kind);
    if (number < cudaMemcpyHostToHost || number > cudaMemcpyDefault)
        return noted_at(place, cudaErrorInvalidMemcpyDirection,
                        fmt::format("{}: there is no kind of copy {}", function, number));
    const std::size_t to_bytes = copy.rows.span(copy.to_pitch);
    const std::size_t from_bytes = copy.rows.span(copy.from_pitch);
    if (to_bytes == 0)
        return cudaSuccess;
    if (copy.rows.height > 1 && (copy.rows.width > copy.to_pitch || copy.rows.width > copy.from_pitch))
        return noted_at(place, cudaErrorInvalidPitchValue, fmt::format("{}: the width exceeds the pitch", function));
    const bool to_device = kind == cudaMemcpyHostToDevice || kind == cudaMemcpyDeviceToDevice;
    const bool from_device = kind == cudaMemcpyDeviceToHost || kind == cudaMemcpyDeviceToDevice;
    if (cpu::in_kernel()) {
        if (kind != cudaMemcpyDeviceToDevice && kind != cudaMemcpyDefault)
            return noted_at(
                place, cudaErrorInvalidMemcpyDirection,
                fmt::format("{}: kind {}; a kernel copies by cudaMemcpyDeviceToDevice or cudaMemcpyDefault", function,
                            number));
        for (const auto& [what, memory] :
             {std::pair{"destination", static_cast<const void*>(copy.to)}, {"source", copy.from}})
            if (const char* const why = why_not_for_child(memory); why != nullptr)
                return noted_at(place, cudaErrorInvalidValue, fmt::format("{}: {}: {}", function, what, why));
        return submit_copy(
            function, [copy, place] { copy_in_kernel(copy, place); }, stream, place);
    }
    if (!can_use_stream(stream))
        return wrong_stream(function, place);
    if (is_captured(stream)) {
        if (waits)
            return refused_while_captured(stream, function, place);
        NodeWork work;
        const cudaError_t error = copy_work(work, function, parameters_of(copy, kind), place);
        return error == cudaSuccess ? capture(stream, std::move(work)) : error;
    }
    if (const std::string why = why_not_usable(copy.to, to_bytes, to_device); !why.empty())
        return noted_at(place, cudaErrorInvalidValue, fmt::format("{}: destination: {}", function, why));
    if (const std::string why = why_not_usable(copy.from, from_bytes, from_device); !why.empty())
        return noted_at(place, cudaErrorInvalidValue, fmt::format("{}: source: {}", function, why));
    const std::lock_guard lock(state().running);
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    const Where from = where(copy.from);
    const Where to = where(copy.to);
    const HostWaits host = waits                ? of_synchronous_copy(from, to, copy.rows.width * copy.rows.height)
                           : is_of_node(stream) ? HostWaits::for_nothing
                                                : of_asynchronous_copy(from, to);
    use_stream(stream);
    if (host == HostWaits::for_stream) {
        host_waited_for(stream);
        use_stream(stream);
    }
    put_into(number_of(stream), [=] {
        finish_launches();
        const Operation operation(function, place, stream);
        operation.accesses(copy.rows.at(copy.from, copy.from_pitch), false);
        operation.accesses(copy.rows.at(copy.to, copy.to_pitch), true);
        if (sticky_error() != cudaSuccess)
            return;
        copy.run(&std::memmove);
        host_wrote(copy.to, to_bytes);
    });
    // It may be the stack of a function. Of a graph, the copy is no part of the call that launches it.
    if ((from == Where::pageable || to == Where::pageable) && !is_of_node(stream))
        run(works_in(number_of(stream)));
    if (host == HostWaits::for_copy)
        host_waited_for(stream);
    return noted(sticky_error());
}

// `waits`: see copy().
cudaError_t fill(const char* function, const Fill& fill, cudaStream_t stream, bool waits, const void* place)
{
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    const std::size_t bytes = fill.rows.span(fill.pitch);
    if (bytes == 0)
        return cudaSuccess;
    if (cpu::in_kernel()) {
        if (const char* const why = why_not_for_child(fill.to); why != nullptr)
            return noted_at(place, cudaErrorInvalidValue, fmt::format("{}: {}", function, why));
        return submit_copy(
            function, [fill, place] { fill_in_kernel(fill, place); }, stream, place);
    }
    if (!can_use_stream(stream))
        return wrong_stream(function, place);
    if (is_captured(stream)) {
        if (waits)
            return refused_while_captured(stream, function, place);
        NodeWork work;
        const cudaError_t error = fill_work(
            work, function,
            {fill.to, fill.pitch, static_cast<unsigned>(fill.byte), 1, fill.rows.width, fill.rows.height}, place);
        return error == cudaSuccess ? capture(stream, std::move(work)) : error;
    }
    if (const std::string why = why_not_usable(fill.to, bytes, true); !why.empty())
        return noted_at(place, cudaErrorInvalidValue, fmt::format("{}: {}", function, why));
    const std::lock_guard lock(state().running);
    if (const cudaError_t error = sticky_error(); error != cudaSuccess)
        return noted(error);
    use_stream(stream);
    put_into(number_of(stream), [=] {
        finish_launches();
        Operation(function, place, stream).accesses(fill.rows.at(fill.to, fill.pitch), true);
        if (sticky_error() != cudaSuccess)
            return;
        fill.run([&](void* to, int value, std::size_t count) {
            fill_elements(to, static_cast<unsigned>(value), fill.element, count);
        });
        host_wrote(fill.to, bytes);
    });
    if (waits && where(fill.to) != Where::device)
        host_waited_for(stream);
    return noted(sticky_error());
}

char* slice_of(const cudaPitchedPtr& memory, const cudaPos& from, std::size_t number)
{
    return static_cast<char*>(memory.ptr) + ((from.z + number) * memory.ysize + from.y) * memory.pitch + from.x;
}

// Its slices one after another.
// The same between pointers. Beside an array the extent is in its elements; a place in an array is, too.
cudaMemcpy3DParms without_arrays(const cudaMemcpy3DParms& of)
{
    cudaMemcpy3DParms pointers = of;
    const auto row_of = [](const cudaArray& array, std::size_t elements) {
        const cudaChannelFormatDesc& format = array.format;
        return elements * static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
    };
    const auto replace = [&](const cudaArray* array, cudaPos& position, cudaPitchedPtr& pointer) {
        if (array == nullptr)
            return;
        position.x = row_of(*array, position.x);
        pointer = {array->memory, row_of(*array, array->width), array->width, array->height};
    };
    pointers.extent.width = row_of(of.srcArray != nullptr ? *of.srcArray : *of.dstArray, of.extent.width);
    replace(of.srcArray, pointers.srcPos, pointers.srcPtr);
    replace(of.dstArray, pointers.dstPos, pointers.dstPtr);
    pointers.srcArray = pointers.dstArray = nullptr;
    return pointers;
}

cudaError_t copy_slices(const char* function, const cudaMemcpy3DParms* of, cudaStream_t stream, bool waits,
                        const void* place)
{
    if (of == nullptr)
        return noted_at(place, cudaErrorInvalidValue, fmt::format("{}: no parameters", function));
    if (of->srcArray != nullptr || of->dstArray != nullptr) {
        const cudaMemcpy3DParms pointers = without_arrays(*of);
        return copy_slices(function, &pointers, stream, waits, place);
    }
    if (of->extent.depth > 1 && is_captured(stream) && !waits) {
        NodeWork work;
        const cudaError_t error = copy_work(work, function, *of, place);
        return error == cudaSuccess ? capture(stream, std::move(work)) : error;
    }
    const Extent rows{.width = of->extent.width, .height = of->extent.height};
    for (std::size_t slice = 0; slice < of->extent.depth; ++slice)
        if (const cudaError_t error = copy(function,
                                           {slice_of(of->dstPtr, of->dstPos, slice), of->dstPtr.pitch,
                                            slice_of(of->srcPtr, of->srcPos, slice), of->srcPtr.pitch, rows},
                                           of->kind, stream, waits, place);
            error != cudaSuccess)
            return error;
    return cudaSuccess;
}

cudaError_t fill_slices(const char* function, const cudaPitchedPtr& to, int byte, cudaExtent extent,
                        cudaStream_t stream, bool waits, const void* place)
{
    for (std::size_t slice = 0; slice < extent.depth; ++slice)
        if (const cudaError_t error =
                fill(function, {slice_of(to, {}, slice), to.pitch, byte, {extent.width, extent.height}}, stream,
                     waits, place);
            error != cudaSuccess)
            return error;
    return cudaSuccess;
}

} // namespace

cudaError_t put_copy(const char* function, const cudaMemcpy3DParms& of, cudaStream_t stream, const void* place)
{
    return copy_slices(function, &of, stream, false, place);
}

cudaError_t put_fill(const char* function, const cudaMemsetParams& of, cudaStream_t stream, const void* place)
{
    return fill(function,
                {.to = of.dst,
                 .pitch = of.pitch,
                 .byte = static_cast<int>(of.value),
                 .rows = {.width = of.width * of.elementSize, .height = of.height},
                 .element = of.elementSize},
                stream, false, place);
}

cudaError_t copy_symbol(void* symbol, std::size_t symbol_bytes, std::size_t offset, void* to, const void* from,
                        std::size_t bytes, cudaMemcpyKind kind, cudaStream_t stream, bool waits)
{
    if (offset > symbol_bytes || bytes > symbol_bytes - offset)
        return noted_at(__builtin_return_address(0), cudaErrorInvalidValue,
                        fmt::format("a copy of {} bytes at offset {} does not fit into a variable of {} bytes", bytes,
                                    offset, symbol_bytes));
    char* const at = static_cast<char*>(symbol) + offset;
    const bool writes = to == nullptr;
    const char* const function = writes ? (waits ? "cudaMemcpyToSymbol" : "cudaMemcpyToSymbolAsync")
                                        : (waits ? "cudaMemcpyFromSymbol" : "cudaMemcpyFromSymbolAsync");
    return copy(function, {.to = writes ? at : to, .from = writes ? from : at, .rows = {.width = bytes}}, kind,
                stream, waits, __builtin_return_address(0));
}

} // namespace nestbed::program

// NOLINTBEGIN(readability-identifier-naming): these names are CUDA's.
using namespace nestbed::program; // NOLINT(google-build-using-namespace)

cudaError_t cudaMemcpy(void* to, const void* from, size_t bytes, cudaMemcpyKind kind)
{
    return copy("cudaMemcpy", {.to = to, .from = from, .rows = {.width = bytes}}, kind, nullptr, true,
                __builtin_return_address(0));
}

cudaError_t cudaMemcpyAsync(void* to, const void* from, size_t bytes, cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy("cudaMemcpyAsync", {.to = to, .from = from, .rows = {.width = bytes}}, kind, stream, false,
                __builtin_return_address(0));
}

cudaError_t cudaMemcpy2D(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width, size_t height,
                         cudaMemcpyKind kind)
{
    return copy("cudaMemcpy2D", {to, to_pitch, from, from_pitch, {width, height}}, kind, nullptr, true,
                __builtin_return_address(0));
}

cudaError_t cudaMemcpy2DAsync(void* to, size_t to_pitch, const void* from, size_t from_pitch, size_t width,
                              size_t height, cudaMemcpyKind kind, cudaStream_t stream)
{
    return copy("cudaMemcpy2DAsync", {to, to_pitch, from, from_pitch, {width, height}}, kind, stream, false,
                __builtin_return_address(0));
}

cudaError_t cudaMemcpy3D(const cudaMemcpy3DParms* parameters)
{
    return copy_slices(__func__, parameters, nullptr, true, __builtin_return_address(0));
}

cudaError_t cudaMemcpy3DAsync(const cudaMemcpy3DParms* parameters, cudaStream_t stream)
{
    return copy_slices(__func__, parameters, stream, false, __builtin_return_address(0));
}

cudaError_t cudaMemset(void* to, int byte, size_t bytes)
{
    return fill("cudaMemset", {.to = to, .byte = byte, .rows = {.width = bytes}}, nullptr, true,
                __builtin_return_address(0));
}

cudaError_t cudaMemsetAsync(void* to, int byte, size_t bytes, cudaStream_t stream)
{
    return fill("cudaMemsetAsync", {.to = to, .byte = byte, .rows = {.width = bytes}}, stream, false,
                __builtin_return_address(0));
}

cudaError_t cudaMemset2D(void* to, size_t pitch, int byte, size_t width, size_t height)
{
    return fill("cudaMemset2D", {to, pitch, byte, {width, height}}, nullptr, true, __builtin_return_address(0));
}

cudaError_t cudaMemset2DAsync(void* to, size_t pitch, int byte, size_t width, size_t height, cudaStream_t stream)
{
    return fill("cudaMemset2DAsync", {to, pitch, byte, {width, height}}, stream, false, __builtin_return_address(0));
}

cudaError_t cudaMemset3D(cudaPitchedPtr to, int byte, cudaExtent extent)
{
    return fill_slices(__func__, to, byte, extent, nullptr, true, __builtin_return_address(0));
}

cudaError_t cudaMemset3DAsync(cudaPitchedPtr to, int byte, cudaExtent extent, cudaStream_t stream)
{
    return fill_slices(__func__, to, byte, extent, stream, false, __builtin_return_address(0));
}
// NOLINTEND(readability-identifier-naming)
