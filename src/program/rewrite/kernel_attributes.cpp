#include "program/rewrite/kernel_attributes.hpp"

namespace nestbed::program
{

KernelAttribute::KernelAttribute(std::string_view word, const Source& source, const std::vector<Function>& functions,
                                 Changes& changes)
    : source_(source)
{
    auto kernel = functions.begin();
    for (std::size_t token = 0; token < source.size(); ++token) {
        if (!source.is(token, word) || !source.is(token + 1, "(") || source.match(token + 1) == kNoToken)
            continue;
        const std::size_t closing = source.match(token + 1);
        for (std::size_t at = token + 2; at < closing; ++at)
            for (const std::string_view not_here : {"__device__", "__global__", "__host__", "<<<"})
                if (source.is(at, not_here))
                    source.fail(at, std::string(not_here) + " in the arguments of " + std::string(word));
        changes.remove(token, closing + 1);
        while (kernel != functions.end() && (!kernel->is_kernel || header_end(*kernel) < token))
            ++kernel;
        if (kernel == functions.end())
            break;
        const std::string arguments = source.on_one_line(token + 2, closing);
        by_name_token_[kernel->name] = arguments;
        declared_.insert({{source.parent(kernel->name), source.text(kernel->name)}, arguments});
    }
}

std::string KernelAttribute::of(const Function& kernel) const
{
    if (const auto own = by_name_token_.find(kernel.name); own != by_name_token_.end())
        return own->second;
    const auto declared = declared_.find({source_.parent(kernel.name), source_.text(kernel.name)});
    return declared == declared_.end() ? "" : declared->second;
}

// The `{` or `;`.
std::size_t KernelAttribute::header_end(const Function& kernel) const
{
    std::size_t end = kernel.body == kNoToken ? kernel.parameters_end : kernel.body;
    while (kernel.body == kNoToken && end < source_.size() && !source_.is(end, ";"))
        ++end;
    return end;
}

} // namespace nestbed::program
