#include "model/text_numbers.hpp"

#include <algorithm>
#include <deque>
#include <mutex>

namespace nestbed
{

namespace
{

// There are few: the inputs of workloads, and the graph files of an experiment.
struct Texts {
    std::mutex mutex;
    std::deque<std::string> all{""};
};
Texts& texts()
{
    static Texts of_process;
    return of_process;
}

} // namespace

std::uint64_t number_of_text(const std::string& text)
{
    const std::lock_guard lock(texts().mutex);
    std::deque<std::string>& all = texts().all;
    const auto found = std::ranges::find(all, text);
    const auto number = static_cast<std::uint64_t>(found - all.begin());
    if (found == all.end())
        all.push_back(text);
    return number;
}

const std::string& text_with(std::uint64_t number)
{
    const std::lock_guard lock(texts().mutex);
    return texts().all.at(number);
}

} // namespace nestbed
