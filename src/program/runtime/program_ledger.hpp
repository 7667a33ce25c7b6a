// What a program launched: the counts per kernel, and the grids for the launch tree and the timeline.
#pragma once

#include "device/cpu/thread.hpp"
#include "model/mechanism.hpp"
#include "program/count/launch_table.hpp"

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <unordered_map>
#include <vector>

namespace nestbed::program
{

// A line of the table.
struct KernelCounts {
    std::string kernel;
    std::uint64_t from_host = 0;
    std::uint64_t from_device = 0;
    std::uint64_t in_graphs = 0; // runs by graphs
    std::uint64_t refused = 0;   // of all
    unsigned deepest = 0;        // nesting level of the deepest accepted launch from a kernel; 0: there was none
    std::string first_error{};   // without "cudaError"; empty: none was refused
    std::string place{};         // FILE:LINE of the first refused launch, otherwise of the first launch
    std::string why_refused{};   // of the first refused launch; empty: not known
};

// A kernel that failed: the one that the host launched, and why it or one of its descendants did.
struct FailedKernel {
    std::string kernel;
    std::string place; // FILE:LINE of the launch
    std::string error; // CUDA's name, or that of a signal that ended the program
    std::string text;
};

// What else is wrong with the program, which neither the observer nor a kernel that failed says.
struct OtherFinding {
    std::string kind;  // "out of bounds"
    std::string place; // FILE:LINE; empty: not known
    std::string text;
};

// A launch. Times are nanoseconds of a steady clock; 0: not known.
struct GridRecord : std::enable_shared_from_this<GridRecord> {
    std::string kernel;
    std::shared_ptr<GridRecord> parent; // nullptr: the host launched it
    Mechanism mechanism = Mechanism::host;
    unsigned level = 0;
    dim3 grid, block;
    std::size_t shared_bytes = 0; // dynamic
    std::string place;            // FILE:LINE of the launch
    bool of_library = false;      // a copy or fill by a kernel, or a kernel of Thrust: no launch of the user
    int error = 0;
    std::string why_refused{};
    // That its threads have created and not destroyed, with the block of each; streams.cpp locks it.
    std::map<std::uint64_t, dim3> streams;
    std::shared_ptr<void> graph_run{}; // of a kernel of a graph: see graph_launch.cpp
    std::uint64_t called_ns = 0;
    std::atomic<std::uint64_t> begun_ns = 0;
    std::atomic<std::uint64_t> ended_ns = 0;
};

// Of a clock that goes on as the host's, and faster while threads wait for a time.
std::uint64_t now_ns();
void skip_ns(std::uint64_t time);

class Ledger
{
  public:
    // keep_grids: for tree() and timeline(), up to kMaxGrids.
    explicit Ledger(bool keep_grids) : keep_grids_(keep_grids) {}

    // A launch with its error. Called by several workers at once.
    void add(const std::shared_ptr<GridRecord>& grid);
    void add_graph_launch(bool from_kernel, bool is_refused);

    bool keeps_grids() const { return keep_grids_; }
    // In the order of the first launch of each kernel. Those of the library are in it only if one was refused.
    std::vector<KernelCounts> counts() const;
    bool has_launches_of_libraries() const { return has_launches_of_libraries_; }
    nestbed_count::GraphLaunches graph_launches() const { return graphs_; }
    const std::vector<std::shared_ptr<GridRecord>>& grids() const { return grids_; }
    std::uint64_t lost() const { return lost_; } // grids beyond kMaxGrids

    static constexpr std::size_t kMaxGrids = 1'000'000;

  private:
    struct Row {
        KernelCounts counts;
        bool of_library = false;
    };

    const bool keep_grids_;
    mutable std::mutex mutex_;
    std::vector<Row> rows_;
    std::unordered_map<std::string, std::size_t> row_of_kernel_;
    std::vector<std::shared_ptr<GridRecord>> grids_;
    nestbed_count::GraphLaunches graphs_{};
    std::uint64_t lost_ = 0;
    bool has_launches_of_libraries_ = false;
};

} // namespace nestbed::program
