// What a run is of, as its manifest keeps it: all that must be the same for rows to belong into one log. Pure.
#pragma once

#include "log/row.hpp"
#include "plan/plan.hpp"

#include <nlohmann/json_fwd.hpp>

#include <cstdint>
#include <map>
#include <string>
#include <vector>

namespace nestbed
{

struct PlannedCase {
    std::string key;      // key_of()
    std::string settings; // settings_text()
    Repeats repeat;       // rows, where none of them ends the case (ends_case)

    friend bool operator==(const PlannedCase&, const PlannedCase&) = default;
};

struct RunIdentity {
    struct Backend {
        std::string name, driver, runtime; // of the device
        std::string machine;               // machine_of()
        std::uint32_t multiprocessors = 0; // on the executor: its workers
        std::string schedule;
        Repeats repeat;
        unsigned warmup = 0;
    };
    std::string nestbed, git,
        build; // version; the build with its compilers, and where git does not tell, its program
    std::string experiment;
    std::string title;
    std::string expect;
    std::uint64_t order_seed = 0;
    bool untimed = false;
    bool ranges = true; // SessionOptions::ranges
    std::map<std::string, Backend> backends;
    std::vector<PlannedCase> cases; // of the whole experiment, in the order of its plan
    std::string shard;              // "2/4", the part of them that the run was to measure; empty: all

    // Of the cases: 16 hexadecimal digits.
    std::string plan_digest() const;
};

// `whole` is the plan without its shards.
RunIdentity identity_of(const Plan& whole, const std::map<BackendKind, RunFacts>& runs, const std::string& shard,
                        bool ranges = true);

// The build that runs, in words: two that measure differently differ in it.
std::string build_text();

enum class Differing : std::uint8_t {
    experiment, // and the version: not what they were measured with
    device,     // and its kind: not which one it was
    anything,
};

// What keeps rows of the two apart, a line each: "repeat on cpu: 3 there, 5 here"; empty if they belong together. Shards and the title
// do not matter.
std::vector<std::string> differences(const RunIdentity& there, const RunIdentity& here,
                                     Differing what = Differing::anything);

// "NVIDIA H200 (132 multiprocessors, driver 580.159.04, CUDA 13.0)": what a run was measured with.
std::string devices_text(const RunIdentity& record);

// As a manifest has it: the cases are kept apart from the run, once a plan, for a log may have many runs.
nlohmann::ordered_json to_json(const RunIdentity& record);
nlohmann::ordered_json cases_to_json(const RunIdentity& record);
// Throws nlohmann::json::exception for what is no such thing, or of a nestbed that kept less.
RunIdentity identity_from_json(const nlohmann::ordered_json& run, const nlohmann::ordered_json& plans);

} // namespace nestbed
