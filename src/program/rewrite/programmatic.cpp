#include "program/rewrite/programmatic.hpp"

#include "program/rewrite/kernel_accesses.hpp"
#include "program/rewrite/programmatic_launches.hpp"

#include <algorithm>
#include <string>

namespace nestbed::program
{
namespace
{

class Comparison
{
  public:
    Comparison(const Source& source, const std::vector<Function>& functions, Changes& changes)
        : source_(source), functions_(functions), changes_(changes)
    {
    }

    void compare(const LaunchOfKernel& first, const LaunchOfKernel& second)
    {
        const KernelAccesses writer = kernel_accesses(source_, functions_, *first.kernel);
        const KernelAccesses reader = kernel_accesses(source_, functions_, *second.kernel);
        const auto of_writer = parameter_names(source_, *first.kernel);
        const auto of_reader = parameter_names(source_, *second.kernel);
        if (!of_writer || !of_reader)
            return;
        for (std::size_t in = 0; in < std::min(second.arguments.size(), of_reader->size()); ++in)
            for (std::size_t out = 0; out < std::min(first.arguments.size(), of_writer->size()); ++out) {
                const auto reads = reader.reads.find((*of_reader)[in]);
                const auto writes = writer.writes.find((*of_writer)[out]);
                if (second.arguments[in] == first.arguments[out] && reads != reader.reads.end() &&
                    writes != writer.writes.end() && is_plain(second.arguments[in]))
                    if (warn_of(first, writer, writes->second, second, reader, reads->second))
                        return; // one warning per launch
            }
    }

  private:
    std::string place_of(std::size_t token) const
    {
        const Place place = source_.place(token);
        return place.file + ":" + std::to_string(place.line);
    }
    // "line N", of the file of another token, or "FILE:N".
    std::string line_of(std::size_t token, std::size_t beside) const
    {
        const Place place = source_.place(token);
        return place.file == source_.place(beside).file ? "line " + std::to_string(place.line) : place_of(token);
    }

    // A name, not a number or the value of a call.
    static bool is_plain(const std::string& argument)
    {
        return argument.find('(') == std::string::npos && argument.find("++") == std::string::npos &&
               !(argument[0] >= '0' && argument[0] <= '9');
    }
    bool warn_of(const LaunchOfKernel& first, const KernelAccesses& writer, const std::vector<std::size_t>& writes,
                 const LaunchOfKernel& second, const KernelAccesses& reader, const std::vector<std::size_t>& reads)
    {
        const std::size_t wait = reader.waits.empty() ? kNoToken : reader.waits.front();
        std::size_t read = reads.front();
        if (wait != kNoToken) { // a branch may end, or be another one than that of the wait
            const auto found = std::ranges::find_if(reads, [&](std::size_t each) {
                return !is_in_chosen_branch(source_, each, second.kernel->body, true);
            });
            read = found == reads.end() ? kNoToken : *found;
        }
        if (read >= wait && wait != kNoToken)
            return false;
        const std::string reader_name(source_.text(second.kernel->name));
        const std::string writer_name(source_.text(first.kernel->name));
        const std::string of_reader = place_of(read) + ": warning: kernel " + reader_name +
                                      ", which is launched programmatically at " + line_of(second.begin, read) +
                                      ", reads '" + std::string(source_.text(read)) + "' ";
        const std::string which = wait == kNoToken ? "and never waits (cudaGridDependencySynchronize)"
                                                   : "before its wait at " + line_of(wait, read);
        const std::size_t trigger = writer.triggers.empty() ? kNoToken : writer.triggers.front();
        const bool hands_over = !writer.fences.empty() && !writer.triggers.empty() &&
                                *std::ranges::min_element(writer.fences) < writer.triggers.back();
        if (!hands_over) {
            changes_.warn(of_reader + which + "; kernel " + writer_name + " before it writes that at " +
                          line_of(writes.front(), read));
            return true;
        }
        // The fence orders what comes before the first trigger.
        for (const std::size_t write : writes)
            if (may_come_behind(source_, write, trigger, *first.kernel)) {
                changes_.warn(place_of(write) + ": warning: kernel " + writer_name + " writes '" +
                              std::string(source_.text(write)) + "' after its trigger at " + line_of(trigger, write) +
                              "; kernel " + reader_name +
                              ", which is launched programmatically behind it, reads that at " +
                              line_of(read, write) + " " + which);
                return true;
            }
        return false;
    }

    const Source& source_;
    const std::vector<Function>& functions_;
    Changes& changes_;
};

} // namespace

void warn_of_programmatic_launches(const Source& source, const std::vector<Function>& functions,
                                   const std::vector<Launch>& launches, Changes& changes)
{
    Comparison comparison(source, functions, changes);
    for (const LaunchPair& pair : programmatic_pairs(source, functions, launches))
        comparison.compare(pair.first, pair.second);
}

} // namespace nestbed::program
