#include "workloads/matrix/picture.hpp"

#include <fmt/format.h>

namespace nestbed
{

namespace
{

constexpr PictureSetting kSettings[]{{"strategy", "blobs", "blobs, or blobs_wrong, which has no barrier"},
                                     {"backend"},
                                     {"nx", "1024"},
                                     {"ny", "1024"},
                                     {"block-shape"},
                                     {"schedule"},
                                     {"workers"}};

Drawing draw(const Case& point, const Sample& sample, bool /*flagged*/)
{
    constexpr float kWhite = 4; // the maximum of a pixel
    if (sample.image.empty())
        return {};
    return {.grey = sample.image,
            .white = kWhite,
            .width = point.nx,
            .text = fmt::format("{} x {} pixels by {}, blocks of {}\n", point.nx, point.ny, point.strategy,
                                name_of(point.shape))};
}

} // namespace

constinit const Picture kBlobsPicture{
    .arguments = "[--strategy blobs|blobs_wrong] [-o FILE.png]",
    .summary = "draw an image through shared memory",
    .text = "Draws an image that needs a barrier in each block; blobs_wrong leaves it out.\n",
    .file = "blobs.png",
    .draws = "draws one image",
    .refusal = "it draws no image; allowed for nestbed draw blobs: blobs, blobs_wrong",
    .settings = kSettings,
    .draw = draw,
};

} // namespace nestbed
