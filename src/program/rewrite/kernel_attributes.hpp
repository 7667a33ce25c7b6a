// __launch_bounds__ and __cluster_dims__ of kernels.
#pragma once

#include "program/rewrite/changes.hpp"
#include "program/rewrite/functions.hpp"

#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace nestbed::program
{

// Removes them from the source, and keeps their arguments for the kernels: those of a definition, or of an earlier declaration.
class KernelAttribute
{
  public:
    KernelAttribute(std::string_view word, const Source& source, const std::vector<Function>& functions,
                    Changes& changes);

    // The arguments; empty: the kernel has none.
    std::string of(const Function& kernel) const;

  private:
    std::size_t header_end(const Function& kernel) const;

    const Source& source_;
    std::map<std::size_t, std::string> by_name_token_;
    std::map<std::pair<std::size_t, std::string_view>, std::string> declared_; // by the bracket around and the name
};

} // namespace nestbed::program
