// Names of instantiations of kernels: their template arguments as a list of types, which the compiler spells. nvcc and g++ spell them
// differently; program/count/spelled_kernel.hpp makes one text of both. In C++14 without libraries, for counted programs too.
#pragma once
#pragma GCC system_header

#ifdef __CUDACC__
#define NESTBED_FOR_BOTH __host__ __device__
#else
#define NESTBED_FOR_BOTH
#endif

namespace nestbed_names
{

// Name: a type `nestbed_name_of_KERNEL`.
template <class Name, class... Arguments>
struct KernelNamed {
};

// Arguments that are no types.
template <class Type, Type value>
struct KernelValue;
template <template <class...> class Template>
struct KernelTemplate;

// In place of a lambda.
struct KernelLambda {
    template <class Type>
    NESTBED_FOR_BOTH operator Type() const;
};

// The type as which a value is spelled: nvcc 13.0 spells an unsigned char as the byte itself.
template <class Type>
struct Spelled {
    using type = Type;
};
template <>
struct Spelled<char> {
    using type = int;
};
template <>
struct Spelled<signed char> {
    using type = int;
};
template <>
struct Spelled<unsigned char> {
    using type = int;
};

// "KernelNamed<…>…"
template <class Kernel>
NESTBED_FOR_BOTH constexpr const char* text()
{
    constexpr char begin[] = "KernelNamed<";
    const char* from = __PRETTY_FUNCTION__;
    while (true) {
        unsigned same = 0;
        while (begin[same] != 0 && from[same] == begin[same])
            ++same;
        if (begin[same] == 0)
            return from;
        ++from;
    }
}

// FNV-1a of the text.
template <class Kernel>
NESTBED_FOR_BOTH constexpr unsigned hash()
{
    unsigned result = 2166136261u;
    for (const char* at = text<Kernel>(); *at != 0; ++at)
        result = (result ^ static_cast<unsigned char>(*at)) * 16777619u;
    return result;
}

// The number of a launch site for one instantiation of what it launches, which is not 0, and that one's name.
struct Launched {
    unsigned site;
    const char* kernel;
};
template <class Kernel, unsigned site>
struct LaunchedAt {
    static constexpr unsigned kMixed = site ^ hash<Kernel>();
    static constexpr unsigned kSite = kMixed == 0 ? 1 : kMixed;
    static constexpr const char* kText = text<Kernel>(); // not read when the program runs
};
template <class Kernel, unsigned site>
NESTBED_FOR_BOTH constexpr Launched launched()
{
    return {LaunchedAt<Kernel, site>::kSite, LaunchedAt<Kernel, site>::kText};
}

} // namespace nestbed_names
#undef NESTBED_FOR_BOTH
