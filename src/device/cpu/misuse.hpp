// Wrong uses of barriers and of the functions of warps: what CUDA leaves undefined. With an observer they are reports, and the kernel goes on
// where it can; without one, those after which no lane can go on as on a GPU are faults.
#pragma once

#include "device/cpu/thread.hpp"

#include <cstdint>
#include <string>

namespace nestbed::cpu
{

struct Misuse {
    enum class Kind : std::uint8_t {
        outside_of_mask, // a lane is not in the mask that it gives
        other_mask,      // two lanes wait for each other with different masks
        other_function,  // lanes of one mask call different functions
        never_come,      // lanes of the mask wait somewhere else
        absent_lane,     // the value of a lane that takes no part
        part_of_group,   // a reduction or scan of a group, without some of its threads
        ended_threads,   // threads have ended without the barrier at which the others meet
        other_iteration  // threads meet at a barrier in different iterations of a loop
    };
    Kind kind;
    bool is_warning = false; // many right programs do it
    CallPlace place;
    CallPlace other{}; // file nullptr: there is none
    unsigned lane = 0; // the one that calls; of absent_lane the one that is read
    std::uint32_t mask = 0, other_mask = 0;
    std::uint32_t lanes = 0; // those that do not come
    std::uint32_t ended = 0, threads = 0;
};

// What happened, and the rule.
std::string misuse_text(const Misuse& misuse);

// Reports it to the observer, if the running thread is observed.
void report_misuse(const Misuse& misuse);

} // namespace nestbed::cpu
