// What `nestbed draw NAME` shows of one case of a workload.
#pragma once

#include "base/image.hpp"
#include "model/sample.hpp"
#include "model/strategy.hpp"

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed
{

// A key of experiment files that the command has as an option.
struct PictureSetting {
    std::string_view key;
    std::string_view value = {}; // its default here; empty: that of the key
    std::string_view help = {};  // empty: that of the key
    std::string_view shown = {}; // the default in the help, of one that is not set
};

// An image in colour or in grey, or neither, and lines of text.
struct Drawing {
    std::vector<Rgb> pixels = {};
    std::span<const float> grey = {};
    float white = 1; // of `grey`; 0 is black
    std::uint32_t width = 0;
    std::string text = {}; // printed after the name of the image
};

struct Picture {
    std::string_view arguments;               // how to call it: "[--strategy NAME] [-o FILE.png]"
    std::string_view summary;                 // one line
    std::string_view text;                    // further text, in lines of at most 80 characters
    std::string_view file = {};               // the image by default; empty: it only prints
    std::string_view draws;                   // "draws one image": what it does with one case
    std::string_view refusal;                 // of a strategy of another workload: "it draws no image; allowed: ..."
    std::span<const PictureSetting> settings; // the first is the strategy
    std::string_view flag = {};               // an option of its own: "tree"; empty: there is none
    std::string_view flag_help = {};
    // Why the case is not shown, beginning with the option; empty if it is. Null: all are.
    std::string (*why_not)(const StrategyInfo&, const Case&, bool flagged) = nullptr;
    // Printed before the case runs, on the device with this name. Null: nothing.
    std::string (*before)(const Case&, std::string_view device) = nullptr;
    // The sample may have any status.
    Drawing (*draw)(const Case&, const Sample&, bool flagged);
};

// ", 5 device launches"; empty if there were none.
std::string launches_text(const Sample& sample);

} // namespace nestbed
