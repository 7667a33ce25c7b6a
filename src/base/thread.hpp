// Threads that cannot be had are an error that says what they were for.
#pragma once

#include "base/error.hpp"

#include <string>
#include <system_error>
#include <thread>
#include <utility>

namespace nestbed
{

// Why a thread or a program could not be started, of the number of a system's error, and what to do where there are too many.
std::string why_not_started(int error);

// `name` is what was started in messages: "the thread that ...". Throws RunError.
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
