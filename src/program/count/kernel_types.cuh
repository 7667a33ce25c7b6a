// The types that kernels have for the program, which knows no level of them.
#pragma once
#pragma GCC system_header

namespace nestbed_count
{

template <class... Parameters>
using KernelPointer = void (*)(Parameters...);
template <class Result, class... Parameters>
using Other = Result (*)(Parameters...);

// The types of a cast of a kernel. Through the second one, because compilers warn of a cast between other types of functions. What is no
// kernel stays as it is.
template <class Level, class... Parameters>
KernelPointer<Parameters...> user(void (*)(Level, Parameters...));
template <class Level, class T>
T user(T&&);
template <class Level, class... Parameters>
KernelPointer<> bare(void (*)(Level, Parameters...));
template <class Level, class T>
T bare(T&&);

// The same in functions, where it may be a function by reference.
template <class Level, class... Parameters>
__host__ __device__ inline void (&value(void (*kernel)(Level, Parameters...)))(Parameters...)
{
    return *reinterpret_cast<KernelPointer<Parameters...>>(kernel);
}
template <class Level, class T>
__host__ __device__ constexpr T&& value(T&& other)
{
    return static_cast<T&&>(other);
}

// Of decltype(kernel).
template <class T>
struct Pointed {
    using type = T;
};
template <class T>
struct Pointed<T*> {
    using type = T;
};
template <class T>
using Function = typename Pointed<T>::type;

template <class T>
struct ToType {
    using type = T;
};
// Several kernels with one name: the type that is wanted says which.
template <class F, class Level>
struct NamedKernels {
    F cast_to;
#pragma nv_exec_check_disable
    template <class... Parameters,
              class = decltype((*static_cast<F*>(nullptr))(ToType<KernelPointer<Level, Parameters...>>{}))>
    __host__ __device__ operator KernelPointer<Parameters...>() const
    {
        return reinterpret_cast<KernelPointer<Parameters...>>(cast_to(ToType<KernelPointer<Level, Parameters...>>{}));
    }
    // A function of the host with that name.
#pragma nv_exec_check_disable
    template <class Result, class... Parameters,
              class = decltype((*static_cast<F*>(nullptr))(ToType<Result (*)(Parameters...)>{}))>
    __host__ __device__ operator Other<Result, Parameters...>() const
    {
        return cast_to(ToType<Result (*)(Parameters...)>{});
    }
};

template <class Level, class F>
inline __host__ __device__ NamedKernels<F, Level> named(F cast_to)
{
    return {cast_to};
}

// The same, or the kernel itself where its name and template arguments are those of one function: then `to_one` can be called.
template <class Level, class To, class Kernel>
__host__ __device__ inline auto one(To, Kernel* kernel) -> decltype(value<Level>(kernel))
{
    return value<Level>(kernel);
}
template <class Level, class F, class G>
inline __host__ __device__ auto named_or_one(F, G to_one, int) -> decltype(to_one(0))
{
    return to_one(0);
}
template <class Level, class F, class G>
inline __host__ __device__ NamedKernels<F, Level> named_or_one(F cast_to, G, long)
{
    return {cast_to};
}
template <class Level, class F, class G>
inline __host__ __device__ auto named(F cast_to, G to_one) -> decltype(named_or_one<Level>(cast_to, to_one, 0))
{
    return named_or_one<Level>(cast_to, to_one, 0);
}

} // namespace nestbed_count
