// What the executor tells whoever watches its runs: launches, barriers, ends; and what memory there is. Nobody watches in the program
// nestbed; in nestbed_races the race detector does (device/races/). A handle is the watcher's own name of a grid, block or thread;
// nullptr: it is not watched, and nothing more is said of it.
#pragma once

#include "device/cpu/executor.hpp"
#include "model/races.hpp"

#include <cstddef>
#include <functional>
#include <string_view>

namespace nestbed::cpu
{

class Observer
{
  public:
    Observer() = default;
    Observer(const Observer&) = delete;
    Observer& operator=(const Observer&) = delete;
    virtual ~Observer() = default;

    // Watches what runs in `work`, and says which races there were. Throws RunError past its limits of memory.
    virtual Races watch(const std::function<void()>& work) = 0;

    // Memory of the device: `bytes` from `begin`, elements of `element` bytes (1: not to be told apart), until it is forgotten.
    virtual void memory(const void* begin, std::size_t bytes, std::size_t element, std::string_view name) = 0;
    virtual void forget(const void* begin) = 0;
    // The host has waited for everything.
    virtual void synchronized() = 0;

    // A launch, by a thread of a kernel or (nullptr) by the host into one of its streams; `place`: the address after the call.
    virtual void* launched(void* thread, Mechanism mechanism, unsigned stream, const void* place) = 0;
    virtual void starts(void* grid) = 0;
    // Its blocks are done and its launches complete, tail launches aside.
    virtual void done(void* grid) = 0;
    virtual void complete(void* grid) = 0;
    // The thread has waited for the grid.
    virtual void waited(void* thread, void* grid) = 0;

    virtual void* block_begins(void* grid, std::uint64_t index, std::uint32_t threads) = 0;
    virtual void* thread_of(void* block, std::uint32_t index) = 0;
    // A barrier of the block opens.
    virtual void barrier(void* block) = 0;
    virtual void block_ends(void* block) = 0;
    virtual void shared_memory(void* block, const void* begin, std::size_t bytes, std::size_t element,
                               std::string_view name) = 0;
};

inline constinit Observer* observer = nullptr;

// The size by which a type's parts can be told apart: its own of a number, else a byte.
template <class T>
inline constexpr std::size_t kElement = std::is_scalar_v<T> ? sizeof(T) : 1;

} // namespace nestbed::cpu
