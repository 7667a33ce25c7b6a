// Places in the program: an address in code with the calls that led there.
#pragma once

#include "model/races.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

namespace nestbed::races
{

// Numbers places, so that an access keeps four bytes of its own. A node of the tree of calls is a place too: 0 is the kernel's caller.
class Sites
{
  public:
    // The place that `address` (the one after the call or access) is in a function that was called at the node.
    std::uint32_t at(std::uint32_t node, const void* address)
    {
        const Named& latest = latest_[Hash{}({node, address}) >> (kHashBits - kLatestBits)];
        return latest.node == node && latest.address == address ? latest.number : looked_up(node, address);
    }
    // Where the node's function was called.
    std::uint32_t caller(std::uint32_t node) const { return sites_[node].caller; }
    // Whether the user's code makes the access, by itself or by functions of the C++ library; false: a stand-in header does. In nestbed's
    // own strategies false.
    bool is_of_user(std::uint32_t site);
    // The access, then the calls, from the inside out, in files of the project or of a user; never empty.
    std::vector<SourcePlace> places(std::uint32_t site) const;

    std::size_t bytes() const
    {
        return sites_.capacity() * sizeof(Site) + numbers_.size() * (sizeof(*numbers_.begin()) + 2 * sizeof(void*));
    }

  private:
    struct Site {
        std::uint32_t caller = 0;
        const void* address = nullptr;
    };
    struct Hash {
        std::size_t operator()(const std::pair<std::uint32_t, const void*>& key) const
        {
            constexpr std::size_t kMix = 0x9E3779B97F4A7C15U;
            return (reinterpret_cast<std::size_t>(key.second) + key.first * kMix) * kMix;
        }
    };
    std::uint32_t looked_up(std::uint32_t node, const void* address);

    // A program has few sites and comes to them again and again. By hash.
    struct Named {
        const void* address = nullptr;
        std::uint32_t node = ~std::uint32_t{0}; // of no site
        std::uint32_t number = 0;
    };
    static constexpr unsigned kHashBits = 64;
    static constexpr unsigned kLatestBits = 10;
    std::array<Named, std::size_t{1} << kLatestBits> latest_{};
    std::vector<Site> sites_{Site{}};
    std::unordered_map<std::uint32_t, bool> of_user_; // of those that were asked for
    std::unordered_map<std::pair<std::uint32_t, const void*>, std::uint32_t, Hash> numbers_;
};

// The variable of this program that is there: "arrived", or "sums, byte 12"; "a variable" where its name is not known.
std::string variable_at(std::uintptr_t address);

// Where accessed bytes are that are among the variables of a user's program: the nearest of these, and how many bytes behind its end the
// last one is, or (negative) before its begin the first one. 0: in a variable.
struct NearVariable {
    std::uintptr_t begin = 0;
    std::ptrdiff_t beyond = 0;
};
NearVariable near_variable(std::uintptr_t address, std::size_t bytes);

// Whether some of the bytes are what the executor works with: variables of its library.
bool are_of_library(std::uintptr_t address, std::size_t bytes);

// The source place of the instruction before the address, from this program's debug information (elfutils); line 0: there is none.
SourcePlace source_place(const void* address);

// The place of a call that the compiler gave as file and line; file nullptr: it is not known.
SourcePlace place_of_call(const char* file, unsigned line);

} // namespace nestbed::races
