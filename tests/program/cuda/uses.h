// What the files of labelled uses share: `./my` prints the names, + before one that is right, - before a race; `./my NAME` runs one.
#pragma once

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <map>
#include <string>
#include <type_traits>

// CUDA refused what the file takes for allowed.
inline void check(cudaError_t error)
{
    if (error == cudaSuccess)
        return;
    std::fprintf(stderr, "error: %s\n", cudaGetErrorName(error));
    std::exit(9);
}

struct Case {
    bool right;
    void (*run)();
};
inline std::map<std::string, Case>& cases()
{
    static std::map<std::string, Case> all;
    return all;
}
inline bool add(const char* name, bool right, void (*run)())
{
    cases()[name] = {right, run};
    return true;
}
// NAME with the constant `right`, and NAME_wrong without.
template <class Use>
bool add(const std::string& name, Use)
{
    cases()[name] = {true, [] { Use()(std::true_type()); }};
    cases()[name + "_wrong"] = {false, [] { Use()(std::false_type()); }};
    return true;
}
inline int list_cases()
{
    for (const auto& [name, of] : cases())
        std::printf("%s%s\n", of.right ? "+" : name[0] == '!' ? "" : "-", name.c_str());
    return 0;
}

#define RIGHT(name)                                                                                                  \
    static void name();                                                                                              \
    static const bool added_##name = add(#name, true, name);                                                         \
    static void name()
#define WRONG(name)                                                                                                  \
    static void name();                                                                                              \
    static const bool added_##name = add(#name, false, name);                                                        \
    static void name()
