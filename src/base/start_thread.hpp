// Starts threads. If a thread cannot be started, the error says what it was for.
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

// `name` is the name of the thread in messages: "the thread that ...". Throws RunError.
template <class Work>
std::jthread start_thread(const std::string& name, Work&& work)
{
    try {
        return std::jthread(std::forward<Work>(work));
    } catch (const std::system_error& error) {
        throw RunError(name + " could not be started: " + why_not_started(error.code().value()));
    }
}

} // namespace nestbed
