// assert() of kernels ends the kernel with cudaErrorAssert, and that of the host the program. Without an include guard,
// as the standard demands.
#undef assert
#if !defined(__cplusplus) || defined(__NVCC_DIAG_PRAGMA_SUPPORT__) // a C file, or the real nvcc
#include_next <assert.h>
#elif defined(NDEBUG)
#define assert(expression) (static_cast<void>(0))
#else
namespace nestbed::program
{
[[noreturn]] void assertion_failed(const char* expression, const char* file, unsigned line, const char* function);
}
#define assert(expression)                                                                                           \
    (static_cast<bool>(expression) ? void(0)                                                                         \
                                   : ::nestbed::program::assertion_failed(#expression, __builtin_FILE(), __LINE__,   \
                                                                          __extension__ __PRETTY_FUNCTION__))
#endif
