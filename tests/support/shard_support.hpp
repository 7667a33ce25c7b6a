// A small experiment on the executor, measured in shards.
#pragma once

#include "base/text_file.hpp"
#include "log/parsed_log.hpp"
#include "support/cli_support.hpp"
#include "support/support.hpp"

#include <map>
#include <string>
#include <vector>

namespace nestbed
{

// 6 cases in 2 groups, with 2 repetitions each.
class ShardedRun : public testing::Test
{
  protected:
    static Words experiment(const Words& more = {}, const std::string& repeat = "2")
    {
        return Words("run --in-process --strategy barrier,neighbored,tail --backend cpu --grid 2,4 --block 8 "
                     "--workers 1 --warmup 0 --repeat") +
               repeat + more;
    }

    // Measures the shard and returns the path of the CSV.
    std::string shard(const std::string& name, const Words& more = {}, const std::string& repeat = "2") const
    {
        std::string path = scratch_.path("s" + name.substr(0, 1) + ".csv");
        ended(0, experiment(Words{"--shard", name, "-o", path} + more, repeat));
        return path;
    }

    Outcome merge(const Words& words) const { return nestbed(Words("merge") + words + Words{"-o", out()}); }
    std::string out() const { return scratch_.path("all.csv"); }

    static ParsedLog log(const std::string& path) { return parse_log(path, read_text_file(path)); }
    // The number of rows of each case.
    static std::map<std::string, unsigned> rows_by_key(const std::string& path)
    {
        const ParsedLog rows = log(path);
        std::map<std::string, unsigned> keys;
        for (const LogRow& row : rows.rows)
            ++keys[row.cells[rows.column("key")]];
        return keys;
    }

    ScratchFolder scratch_;
};

} // namespace nestbed
