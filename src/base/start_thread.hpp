// Starts threads of nestbed's own. If a thread cannot be started, the error says what it was for.
#pragma once

#include "base/error.hpp"

#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace nestbed
{

// Why a thread or a program could not be started, from a system error number, and what to do if there are too many.
std::string why_not_started(int error);

// While the calling thread starts one: it is none of a user's program, in which nestbed runs too.
inline constinit thread_local bool is_starting_own_thread = false;

// `name` is the name of the thread in messages: "the thread that ...". Throws RunError.
template <class Work>
std::jthread start_thread(const std::string& name, Work&& work)
{
    struct Own {
        Own() { is_starting_own_thread = true; }
        ~Own() { is_starting_own_thread = false; }
    } own;
    try {
        return std::jthread(std::forward<Work>(work));
    } catch (const std::system_error& error) {
        throw RunError(name + " could not be started: " + why_not_started(error.code().value()));
    }
}

} // namespace nestbed
