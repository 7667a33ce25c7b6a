// The rewriter of users' CUDA files, in both modes.
#include "fuzz/property.hpp"
#include "program/rewriter_property.hpp"

#include <cstddef>
#include <cstdint>

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size)
{
    using namespace nestbed::program;
    const std::string_view text{reinterpret_cast<const char*>(data), size};
    nestbed::require(tokens_are_the_text(text), "the tokens are the text");
    for (const RewriteMode mode : {RewriteMode::count, RewriteMode::executor}) {
        std::string refusal;
        const std::string broken = broken_property(text, mode, refusal);
        nestbed::require(broken.empty(), "what is not rewritten stays", broken);
    }
    return 0;
}
