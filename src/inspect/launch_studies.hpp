// Predictions of data-dependent launches from counts in logs, which are the oracle's, and from two measured times of the
// same input; and the choices of threshold, coarsening and aggregation that follow. Pure.
#pragma once

#include "inspect/predictions.hpp"

#include <cstddef>
#include <optional>
#include <vector>

namespace nestbed
{

// What a case asks for, and what is known of its work.
struct NeedDemand {
    Mechanism mechanism = Mechanism::fire_and_forget;
    std::vector<double> by_depth; // launches, in all waves
    double waves = 1;
    double streams = 1;
    double child_blocks = 0;
    double child_blocks_uncoarsened = 0;   // with the same threshold, and coarsen = 1
    double child_blocks_unthresholded = 0; // with the same coarsening, and threshold = 0
    double parts = 1;           // that a block of the largest item does one after another: at most `coarsen`
    bool by_last_block = false; // the last of several blocks makes their launch
    bool by_level = false;      // a level starts after all blocks of the one before: aggregation by grid
    double threshold_share = 0; // of the highest threshold, with which threads do everything alone
    double block = 32;          // threads
    double flat_us = 0;         // the best flat form
    double alone_us = 0;        // with the highest threshold, in the same waves

    double launches() const;
};

// Without launches: `alone_us`. With launches: as in predict(), but if no level waits for a whole level, the later levels
// hide behind the work of other branches, as far as there is work; the start of the child blocks; the work, which takes
// the time of the best flat form, and longer if coarsening leaves fewer blocks than the GPU can run at once; what a block
// of the largest item does one part after another, as far as no other blocks hide it; and the items that threads do alone.
// Their time is between two bounds: a part of `alone_us` as large as the share of blocks that are not launched (all items
// are equal), and one as large as the share of the threshold (one item is as large as the threshold). The prediction takes
// their geometric mean. Throws as predict() does.
Prediction predict_by_need(const Roofline& roofline, const NeedDemand& demand);

// The cases of one strategy, mechanism and input that differ in threshold, coarsening and aggregation only.
struct NeedStudy {
    std::vector<PredictedCase> cases;
    std::size_t chosen = 0; // index of the case with the least predicted time
    std::size_t best = 0;   // index of the case with the least measured time
    double flat_us = 0;     // the best flat form of the same input, measured
    double alone_us = 0;    // with the highest threshold, measured

    // Measured: the chosen case over the best. Empty: the chosen case was not measured.
    std::optional<double> cost_of_choice() const;
};

// The studies of a log of a GPU: a flat form and the highest threshold, both measured, and a lower threshold, measured or
// at least counted in another log, which may be of the executor. Throws RunError that names file, line and column for a
// cell that is not a number.
std::vector<NeedStudy> need_studies(const Roofline& roofline, const CountedLog& measured,
                                    const CountedLog* counted = nullptr);

} // namespace nestbed
