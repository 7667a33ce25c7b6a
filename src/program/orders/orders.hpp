// Compares what a program does in different orders of execution, and finds the preemptions that matter.
#pragma once

#include "base/json.hpp"
#include "base/subprocess.hpp"

#include <cstddef>
#include <cstdint>
#include <functional>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

namespace nestbed::program
{

// What went wrong on the device in a run, although the program may have ended well.
struct Problem {
    std::string what;     // the same in all orders: "kernel k, launched at my.cu:18, failed"
    std::string detail{}; // as it was in this run: "952 of 3000 launches"
    bool operator==(const Problem&) const = default;
};
// From the file NESTBED_REPORT. Kernels that failed; launches that were refused; if the report has an error of another kind, the first
// line of `messages` that the executor has printed.
std::vector<Problem> problems_of(const Json& report, const std::string& messages);

// How a run of the program ended, and what it printed to standard output.
struct Outcome {
    ProgramEnd end;
    std::string output;
    bool too_much_output = false; // it was ended because of that
    std::vector<Problem> problems{};
    bool is_suspect =
        false; // a problem is none of those that the program itself has asked for and seen: refused launches may be
};

// The problems of runs, each with the orders that have it: "in all 22 orders: …", "in 2 of 22 orders (fifo, eager): …". One a line.
std::vector<std::string> problems_text(const std::vector<std::pair<std::string, std::vector<Problem>>>& orders);

// Lines, from 0, that differ between two runs in the same order: times, addresses. Empty if the outputs have different
// numbers of lines, because then no line of one corresponds to one of the other.
std::set<std::size_t> unstable_lines(const std::string& first, const std::string& second);

// The lines of a text, sorted: for a comparison that leaves their order free.
std::string sorted_lines(const std::string& text);

// The first difference of a run from the reference, as a text that completes "random:4: …": "line 3 is 'sum 5', by fifo
// 'sum 6'". Empty if there is none. `reference`: the name of its order; `ignored`: lines that are not compared.
std::optional<std::string> difference_of(const Outcome& outcome, const Outcome& expected,
                                         const std::string& reference, const std::set<std::size_t>& ignored);

// Numbers of decisions, as the executor takes them (NESTBED_PREEMPTIONS): "none", "3,17", "0-41,44".
struct Decisions {
    std::uint64_t first = 0;
    std::uint64_t last = 0; // included
    bool operator==(const Decisions&) const = default;
};
std::string text_of(const std::vector<Decisions>& decisions);

// A preemption that was taken: the schedule deviated from the order that continues the running thread.
struct Preemption {
    std::uint64_t decision = 0;
    std::string text;
};
// The lines of NESTBED_PREEMPTIONS_FILE: "NUMBER text". Throws RunError.
std::vector<Preemption> read_preemptions(const std::string& path);

// A run of the program in which only these decisions may be preemptions.
struct RestrictedRun {
    bool fails = false;
    std::vector<Preemption> taken;
};

struct Shrunk {
    std::vector<Preemption> preemptions; // with which the program fails
    std::size_t runs = 0;
    bool smallest = true; // each of them is needed; false: the limit of runs was reached before
};

// The smallest set of preemptions with which the program still fails, by delta debugging (Zeller and Hildebrandt,
// "Simplifying and isolating failure-inducing input", 2002): no single one can be left out. `all`: those of a failing
// run. Empty if it does not fail again with them. `may_go_on` is asked before each run.
std::optional<Shrunk> shrink(const std::vector<Preemption>& all,
                             const std::function<RestrictedRun(const std::vector<Decisions>&)>& run,
                             const std::function<bool()>& may_go_on);

} // namespace nestbed::program
