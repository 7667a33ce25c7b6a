// Products of small matrices by warps: mma.h and mma.sync with each type and shape, against sums of one thread. The numbers are small
// integers, which all types have exactly; and numbers of any size, where sums may be rounded in another order. Also: ldmatrix, stmatrix,
// movmatrix, redux.sync, elect.sync and bar.red. The fragments are as in PTX ISA, "Matrix Fragments for mma".
#include "../check.h"

#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_fp8.h>
#include <mma.h>

#include <cmath>
#include <cstdint>
#include <type_traits>
#include <vector>

namespace wmma = nvcuda::wmma;

static unsigned next_random()
{
    static unsigned long long state = 1;
    state = state * 6364136223846793005ULL + 1442695040888963407ULL;
    return static_cast<unsigned>(state >> 33);
}
// Small integers, or numbers of which few are large.
static float random_number(bool exact, bool is_signed)
{
    const float whole = static_cast<float>(next_random() % 13) - (is_signed ? 6.0F : 0.0F);
    return exact ? whole
                 : whole * std::ldexp(1.0F + static_cast<float>(next_random() % 1000) / 1000.0F,
                                      -static_cast<int>(next_random() % 9));
}

static int failed = 0;
static int checked = 0;
static void check(const char* name, double result, double expected, double size, double tolerance)
{
    ++checked;
    if (std::fabs(result - expected) <= tolerance * size)
        return;
    if (failed++ < 5)
        std::printf("%s: %.9g, not %.9g\n", name, result, expected);
}

template <class T>
T* copied(const std::vector<T>& host)
{
    T* const on_device = memory<T>(host.size());
    CHECK(cudaMemcpy(on_device, host.data(), host.size() * sizeof(T), cudaMemcpyHostToDevice));
    return on_device;
}
template <class T>
std::vector<T> read(const T* on_device, std::size_t count)
{
    std::vector<T> host(count);
    CHECK(cudaDeviceSynchronize());
    CHECK(cudaMemcpy(host.data(), on_device, count * sizeof(T), cudaMemcpyDeviceToHost));
    return host;
}
template <class T>
std::vector<T> random_numbers(std::size_t count, bool exact)
{
    std::vector<T> numbers(count);
    for (T& number : numbers)
        number = static_cast<T>(random_number(exact, !std::is_unsigned<T>::value));
    return numbers;
}
template <class T>
double number_of(T value)
{
    return static_cast<double>(static_cast<float>(value));
}
template <>
double number_of(double value)
{
    return value;
}
template <>
double number_of(int value)
{
    return value;
}

// ---- mma.h ----

template <int rows, int columns, int depth, class T, class LayoutA, class LayoutB, class M, class C, class D>
__global__ void multiply(const M* a, const M* b, const C* c, D* d, wmma::layout_t layout)
{
    wmma::fragment<wmma::matrix_a, rows, columns, depth, T, LayoutA> in_a;
    wmma::fragment<wmma::matrix_b, rows, columns, depth, T, LayoutB> in_b;
    wmma::fragment<wmma::accumulator, rows, columns, depth, C> in_c;
    wmma::fragment<wmma::accumulator, rows, columns, depth, D> out;
    wmma::load_matrix_sync(in_a, a, std::is_same<LayoutA, wmma::row_major>::value ? depth : rows);
    wmma::load_matrix_sync(in_b, b, std::is_same<LayoutB, wmma::row_major>::value ? columns : depth);
    wmma::load_matrix_sync(in_c, c, layout == wmma::mem_row_major ? columns : rows, layout);
    if (std::is_same<T, wmma::precision::tf32>::value) {
        for (int i = 0; i < in_a.num_elements; ++i)
            in_a.x[i] = static_cast<M>(wmma::__float_to_tf32(static_cast<float>(in_a.x[i])));
        for (int i = 0; i < in_b.num_elements; ++i)
            in_b.x[i] = static_cast<M>(wmma::__float_to_tf32(static_cast<float>(in_b.x[i])));
    }
    wmma::fill_fragment(out, static_cast<D>(0.0F));
    for (int i = 0; i < in_c.num_elements; ++i)
        in_c.x[i] = in_c.x[i] + in_c.x[i];
    wmma::mma_sync(out, in_a, in_b, in_c);
    wmma::store_matrix_sync(d, out, layout == wmma::mem_row_major ? columns : rows, layout);
}

template <int rows, int columns, int depth, class T, class LayoutA, class LayoutB, class M, class C, class D>
void check_layouts(double tolerance)
{
    for (int which = 0; which < 4; ++which) {
        const bool exact = which < 2;
        const bool by_row = which % 2 == 0;
        const auto a = random_numbers<M>(rows * depth, exact), b = random_numbers<M>(depth * columns, exact);
        const auto c = random_numbers<C>(rows * columns, exact);
        D* const d = zeros<D>(rows * columns);
        multiply<rows, columns, depth, T, LayoutA, LayoutB>
            <<<1, 32>>>(copied(a), copied(b), copied(c), d, by_row ? wmma::mem_row_major : wmma::mem_col_major);
        const auto result = read(d, rows * columns);
        for (int row = 0; row < rows; ++row)
            for (int column = 0; column < columns; ++column) {
                const int at = by_row ? row * columns + column : column * rows + row;
                double sum = 2 * number_of(c[at]), size = std::fabs(sum);
                for (int step = 0; step < depth; ++step) {
                    const double product =
                        number_of(a[std::is_same<LayoutA, wmma::row_major>::value ? row * depth + step
                                                                                  : step * rows + row]) *
                        number_of(b[std::is_same<LayoutB, wmma::row_major>::value ? step * columns + column
                                                                                  : column * depth + step]);
                    sum += product;
                    size += std::fabs(product);
                }
                check("wmma", number_of(result[at]), sum, size, exact ? 0 : tolerance);
            }
    }
}
template <int rows, int columns, int depth, class T, class M, class C, class D>
void check_wmma(double tolerance = 0)
{
    check_layouts<rows, columns, depth, T, wmma::row_major, wmma::row_major, M, C, D>(tolerance);
    check_layouts<rows, columns, depth, T, wmma::row_major, wmma::col_major, M, C, D>(tolerance);
    check_layouts<rows, columns, depth, T, wmma::col_major, wmma::row_major, M, C, D>(tolerance);
    check_layouts<rows, columns, depth, T, wmma::col_major, wmma::col_major, M, C, D>(tolerance);
}

// ---- mma.sync ----

struct Place {
    int row, column;
};
// Elements of A, B, C by the lane and their number; `together`: those of one register.
struct F16K8 {
    static constexpr int rows = 16, depth = 8, together = 2;
    static __device__ Place a(int lane, int i) { return {lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + i % 2}; }
    static __device__ Place b(int lane, int i) { return {lane % 4 * 2 + i, lane / 4}; }
};
struct F16K16 {
    static constexpr int rows = 16, depth = 16, together = 2;
    static __device__ Place a(int lane, int i)
    {
        return {lane / 4 + (i < 2 || (i >= 4 && i < 6) ? 0 : 8), lane % 4 * 2 + i % 2 + (i >= 4 ? 8 : 0)};
    }
    static __device__ Place b(int lane, int i) { return {lane % 4 * 2 + i % 2 + (i >= 2 ? 8 : 0), lane / 4}; }
};
struct Tf32K4 {
    static constexpr int rows = 16, depth = 4, together = 1;
    static __device__ Place a(int lane, int i) { return {lane / 4 + 8 * i, lane % 4}; }
    static __device__ Place b(int lane, int) { return {lane % 4, lane / 4}; }
};
struct Tf32K8 {
    static constexpr int rows = 16, depth = 8, together = 1;
    static __device__ Place a(int lane, int i)
    {
        return {lane / 4 + (i % 2 == 0 ? 0 : 8), lane % 4 + (i < 2 ? 0 : 4)};
    }
    static __device__ Place b(int lane, int i) { return {lane % 4 + 4 * i, lane / 4}; }
};
struct F64K4 : Tf32K4 {
};
struct F64K8 : Tf32K8 {
};
struct F64Small {
    static constexpr int rows = 8, depth = 4, together = 1;
    static __device__ Place a(int lane, int) { return {lane / 4, lane % 4}; }
    static __device__ Place b(int lane, int) { return {lane % 4, lane / 4}; }
};
struct F64K16 {
    static constexpr int rows = 16, depth = 16, together = 1;
    static __device__ Place a(int lane, int i)
    {
        return {lane / 4 + (i % 2 == 0 ? 0 : 8), (i % 2 == 0 ? i * 2 : i * 2 - 2) + lane % 4};
    }
    static __device__ Place b(int lane, int i) { return {lane % 4 + 4 * i, lane / 4}; }
};
struct S8Small {
    static constexpr int rows = 8, depth = 16, together = 4;
    static __device__ Place a(int lane, int i) { return {lane / 4, lane % 4 * 4 + i}; }
    static __device__ Place b(int lane, int i) { return {lane % 4 * 4 + i, lane / 4}; }
};
struct S8K16 {
    static constexpr int rows = 16, depth = 16, together = 4;
    static __device__ Place a(int lane, int i) { return {lane / 4 + (i < 4 ? 0 : 8), lane % 4 * 4 + i % 4}; }
    static __device__ Place b(int lane, int i) { return {lane % 4 * 4 + i, lane / 4}; }
};
struct S8K32 {
    static constexpr int rows = 16, depth = 32, together = 4;
    static __device__ Place a(int lane, int i)
    {
        return {lane / 4 + (i < 4 || (i >= 8 && i < 12) ? 0 : 8), lane % 4 * 4 + i % 4 + (i < 8 ? 0 : 16)};
    }
    static __device__ Place b(int lane, int i) { return {lane % 4 * 4 + i % 4 + (i < 4 ? 0 : 16), lane / 4}; }
};
static __device__ Place place_of_sum(int lane, int i)
{
    return {lane / 4 + (i < 2 ? 0 : 8), lane % 4 * 2 + i % 2};
}

// Registers of 32 bits, or numbers of 64.
#define FORM(name, T_A, T_B, T_C, Form_, Register, tolerance_, ...)                                                  \
    struct name {                                                                                                    \
        using A = T_A;                                                                                               \
        using B = T_B;                                                                                               \
        using C = T_C;                                                                                               \
        using Form = Form_;                                                                                          \
        static constexpr double tolerance = tolerance_;                                                              \
        static __device__ void run(Register* d, const Register* a, const Register* b) { __VA_ARGS__; }               \
    };
#define D4 "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
#define D2 "+r"(d[0]), "+r"(d[1])
#define A4 "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3])
#define A2 "r"(a[0]), "r"(a[1])
#define B2 "r"(b[0]), "r"(b[1])
#define B1 "r"(b[0])
using U32 = unsigned;
using S8 = signed char;
using U8 = unsigned char;
using E4m3 = __nv_fp8_e4m3;
using E5m2 = __nv_fp8_e5m2;
#define OF_K16(name, T_A, T_C, tolerance, types)                                                                     \
    FORM(name, T_A, T_A, T_C, F16K16, U32, tolerance,                                                                \
         asm volatile("mma.sync.aligned.m16n8k16.row.col." types                                                     \
                      " {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};"                             \
                      : D4                                                                                           \
                      : A4, B2))
#define OF_K32(name, T_A, T_B, T_C, tolerance, types)                                                                \
    FORM(name, T_A, T_B, T_C, S8K32, U32, tolerance,                                                                 \
         asm volatile("mma.sync.aligned.m16n8k32.row.col." types                                                     \
                      " {%0,%1,%2,%3}, {%4,%5,%6,%7}, {%8,%9}, {%0,%1,%2,%3};\n"                                     \
                      : D4                                                                                           \
                      : A4, B2))
// clang-format off
FORM(HalfK8, __half, __half, float, F16K8, U32, 1e-5, asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" : D4 : A2, B1))
FORM(HalfK8Half, __half, __half, __half, F16K8, U32, 4e-3, asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%0, %1};" : D2 : A2, B1))
OF_K16(HalfK16, __half, float, 1e-5, "f32.f16.f16.f32")
FORM(HalfK16Half, __half, __half, __half, F16K16, U32, 4e-3, asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};" : "=r"(d[0]), "=r"(d[1]) : A4, B2, "r"(d[0]), "r"(d[1])))
FORM(BfloatK8, __nv_bfloat16, __nv_bfloat16, float, F16K8, U32, 1e-5, asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" : D4 : A2, B1))
OF_K16(BfloatK16, __nv_bfloat16, float, 1e-5, "f32.bf16.bf16.f32")
FORM(TfK4, float, float, float, Tf32K4, U32, 1e-2, asm volatile("mma.sync.aligned.m16n8k4.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" : D4 : A2, B1))
FORM(TfK8, float, float, float, Tf32K8, U32, 1e-2, asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : D4 : A4, B2))
FORM(BytesSmall, S8, S8, int, S8Small, U32, 0, asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%0, %1};" : D2 : "r"(a[0]), B1))
FORM(BytesK16, U8, S8, int, S8K16, U32, 0, asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.u8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" : D4 : A2, B1))
OF_K32(BytesK32, S8, U8, int, 0, "s32.s8.u8.s32")
OF_K32(BytesK32Unsigned, U8, U8, int, 0, "satfinite.s32.u8.u8.s32")
OF_K32(Bytes8, E4m3, E4m3, float, 1e-2, "f32.e4m3.e4m3.f32")
OF_K32(Bytes8Mixed, E5m2, E4m3, float, 1e-2, "f32.e5m2.e4m3.f32")
FORM(DoublesSmall, double, double, double, F64Small, double, 1e-14, asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%0, %1};" : "+d"(d[0]), "+d"(d[1]) : "d"(a[0]), "d"(b[0])))
FORM(DoublesK4, double, double, double, F64K4, double, 1e-14, asm volatile("mma.sync.aligned.m16n8k4.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};" : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3]) : "d"(a[0]), "d"(a[1]), "d"(b[0])))
FORM(DoublesK8, double, double, double, F64K8, double, 1e-14, asm volatile("mma.sync.aligned.m16n8k8.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%0, %1, %2, %3};" : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3]) : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(b[0]), "d"(b[1])))
FORM(DoublesK16, double, double, double, F64K16, double, 1e-14, asm volatile("mma.sync.aligned.m16n8k16.row.col.f64.f64.f64.f64 {%0, %1, %2, %3}, {%4, %5, %6, %7, %8, %9, %10, %11}, {%12, %13, %14, %15}, {%0, %1, %2, %3};" : "+d"(d[0]), "+d"(d[1]), "+d"(d[2]), "+d"(d[3]) : "d"(a[0]), "d"(a[1]), "d"(a[2]), "d"(a[3]), "d"(a[4]), "d"(a[5]), "d"(a[6]), "d"(a[7]), "d"(b[0]), "d"(b[1]), "d"(b[2]), "d"(b[3])))
// clang-format on

template <class Use>
__global__ void multiply_by_ptx(const typename Use::A* a, const typename Use::B* b, const typename Use::C* c,
                                typename Use::C* d)
{
    using Form = typename Use::Form;
    constexpr int columns = 8;
    const int lane = static_cast<int>(threadIdx.x);
    alignas(8) typename Use::A in_a[Form::rows * Form::depth / 32];
    alignas(8) typename Use::B in_b[columns * Form::depth / 32];
    alignas(8) typename Use::C sums[Form::rows * columns / 32];
    int i = 0;
    for (auto& element : in_a) {
        const Place at = Form::a(lane, i++);
        element = a[at.row * Form::depth + at.column];
    }
    i = 0;
    for (auto& element : in_b) {
        const Place at = Form::b(lane, i++);
        element = b[at.row * columns + at.column];
    }
    i = 0;
    for (auto& element : sums) {
        const Place at = place_of_sum(lane, i++);
        element = c[at.row * columns + at.column];
    }
    using Register = std::conditional_t<std::is_same<typename Use::A, double>::value, double, unsigned>;
    Register of_a[sizeof in_a / sizeof(Register)], of_b[sizeof in_b / sizeof(Register)],
        of_d[sizeof sums / sizeof(Register)];
    memcpy(of_a, in_a, sizeof in_a);
    memcpy(of_b, in_b, sizeof in_b);
    memcpy(of_d, sums, sizeof sums);
    Use::run(of_d, of_a, of_b);
    memcpy(sums, of_d, sizeof sums);
    i = 0;
    for (const auto& element : sums) {
        const Place at = place_of_sum(lane, i++);
        d[at.row * columns + at.column] = element;
    }
}
template <class Use>
void check_mma(const char* name)
{
    using Form = typename Use::Form;
    constexpr int columns = 8;
    for (const bool exact : {true, false}) {
        const auto a = random_numbers<typename Use::A>(Form::rows * Form::depth, exact);
        const auto b = random_numbers<typename Use::B>(Form::depth * columns, exact);
        const auto c = random_numbers<typename Use::C>(Form::rows * columns, exact);
        auto* const d = zeros<typename Use::C>(Form::rows * columns);
        multiply_by_ptx<Use><<<1, 32>>>(copied(a), copied(b), copied(c), d);
        const auto result = read(d, Form::rows * columns);
        for (int row = 0; row < Form::rows; ++row)
            for (int column = 0; column < columns; ++column) {
                double sum = number_of(c[row * columns + column]), size = std::fabs(sum);
                for (int step = 0; step < Form::depth; ++step) {
                    const double product =
                        number_of(a[row * Form::depth + step]) * number_of(b[step * columns + column]);
                    sum += product;
                    size += std::fabs(product);
                }
                check(name, number_of(result[row * columns + column]), sum, size, exact ? 0 : Use::tolerance);
            }
    }
}
__global__ void saturated(int* to)
{
    int d[4] = {0x7FFFFFF0, -0x7FFFFFF0, 1, 2};
    int e[4] = {0x7FFFFFF0, -0x7FFFFFF0, 1, 2};
    const unsigned left = 0x64646464, ten = 0x0A0A0A0A; // 100 and 10, or -10, 16 times
    const unsigned right = threadIdx.x % 2 == 0 ? ten : 0;
    asm volatile("mma.sync.aligned.m16n8k16.row.col.satfinite.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, "
                 "%1, %2, %3};"
                 : "+r"(d[0]), "+r"(d[1]), "+r"(d[2]), "+r"(d[3])
                 : "r"(left), "r"(left), "r"(right));
    asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
                 : "+r"(e[0]), "+r"(e[1]), "+r"(e[2]), "+r"(e[3])
                 : "r"(left), "r"(left), "r"(right));
    for (int i = 0; i < 4; ++i) {
        to[8 * threadIdx.x + i] = d[i];
        to[8 * threadIdx.x + 4 + i] = e[i];
    }
}

// ---- conversions to TF32 ----

__global__ void converted(const unsigned* from, unsigned* to)
{
    const unsigned bits = from[threadIdx.x];
    const float value = __uint_as_float(bits);
    unsigned* const own = to + 5 * threadIdx.x;
    asm("cvt.rna.tf32.f32 %0, %1;" : "=r"(own[0]) : "f"(value));
    asm("cvt.rn.tf32.f32 %0, %1;" : "=r"(own[1]) : "f"(value));
    asm("cvt.rz.tf32.f32 %0, %1;" : "=r"(own[2]) : "f"(value));
    asm("cvt.rna.satfinite.tf32.f32 %0, %1;" : "=r"(own[3]) : "f"(value));
    own[4] = __float_as_uint(wmma::__float_to_tf32(value));
}
static void check_conversions()
{
    // What each becomes: away from 0, to the even number, towards 0, and the first but finite.
    static const unsigned kBits[][5] = {{0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000, 0x3F800000},
                                        {0x3F801000, 0x3F802000, 0x3F800000, 0x3F800000, 0x3F802000},
                                        {0x3F803000, 0x3F804000, 0x3F804000, 0x3F802000, 0x3F804000},
                                        {0xBF801001, 0xBF802000, 0xBF802000, 0xBF800000, 0xBF802000},
                                        {0xBF800FFF, 0xBF800000, 0xBF800000, 0xBF800000, 0xBF800000},
                                        {0x00001000, 0x00002000, 0x00000000, 0x00000000, 0x00002000},
                                        {0x7F7FF000, 0x7F800000, 0x7F800000, 0x7F7FE000, 0x7F7FE000},
                                        {0x80000000, 0x80000000, 0x80000000, 0x80000000, 0x80000000}};
    unsigned from[8];
    for (int i = 0; i < 8; ++i)
        from[i] = kBits[i][0];
    unsigned* const to = zeros<unsigned>(40);
    converted<<<1, 8>>>(copy_of(from), to);
    const auto result = read(to, 40);
    for (int i = 0; i < 8; ++i)
        for (int form = 0; form < 5; ++form)
            check("cvt.tf32", result[5 * i + form], kBits[i][form < 4 ? form + 1 : 1], 1, 0);
}

// ---- matrices of 8 x 8, and warps ----

__device__ unsigned address(const void* at)
{
    return static_cast<unsigned>(__cvta_generic_to_shared(at));
}
__global__ void matrices(unsigned* to)
{
    __shared__ alignas(16) unsigned short in[4][8][8], out[4][8][8], turned[2][8][8];
    const unsigned lane = threadIdx.x;
    for (unsigned i = lane; i < 256; i += 32)
        (&in[0][0][0])[i] = static_cast<unsigned short>(i * i + 7);
    for (unsigned i = lane; i < 128; i += 32)
        (&turned[0][0][0])[i] = 0;
    __syncwarp();
    unsigned r[12];
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];"
                 : "=r"(r[0]), "=r"(r[1]), "=r"(r[2]), "=r"(r[3])
                 : "r"(address(in[lane / 8][lane % 8])));
    asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];\n"
                 : "=r"(r[4]), "=r"(r[5]), "=r"(r[6]), "=r"(r[7])
                 : "r"(address(in[3 - lane / 8][lane % 8])));
    asm volatile("ldmatrix.sync.aligned.x2.m8n8.shared::cta.b16 {%0,%1}, [%2 + 0];"
                 : "=r"(r[8]), "=r"(r[9])
                 : "r"(address(in[lane / 8 % 2][7 - lane % 8]))
                 : "memory");
    asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
                 : "=r"(r[10])
                 : "r"(address(in[2][lane % 8])));
    asm volatile("movmatrix.sync.aligned.m8n8.trans.b16 %0, %1;" : "=r"(r[11]) : "r"(r[0]));
    asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1, %2, %3, %4};" ::"r"(
                     address(out[3 - lane / 8][lane % 8])),
                 "r"(r[0]), "r"(r[1]), "r"(r[2]), "r"(r[3])
                 : "memory");
    asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1, %2};" ::"r"(
                     address(turned[lane / 8 % 2][lane % 8])),
                 "r"(r[2]), "r"(r[3])
                 : "memory");
    __syncwarp();
    for (int i = 0; i < 12; ++i)
        to[12 * lane + i] = r[i];
    for (unsigned i = lane; i < 256; i += 32)
        to[384 + i] = (&out[0][0][0])[i];
    for (unsigned i = lane; i < 128; i += 32)
        to[640 + i] = (&turned[0][0][0])[i];
}
static void check_matrices()
{
    unsigned* const on_device = zeros<unsigned>(768);
    matrices<<<1, 32>>>(on_device);
    const auto to = read(on_device, 768);
    const auto in = [](unsigned matrix, unsigned row, unsigned column) {
        const unsigned at = matrix * 64 + row * 8 + column;
        return at * at + 7U & 0xFFFFU;
    };
    const auto expect = [&](const char* name, unsigned value, unsigned expected) {
        check(name, value, expected, 1, 0);
    };
    for (unsigned lane = 0; lane < 32; ++lane) {
        const unsigned row = lane / 4, column = lane % 4 * 2;
        const unsigned* const of = &to[12 * lane];
        for (unsigned matrix = 0; matrix < 4; ++matrix) {
            expect("ldmatrix.x4", of[matrix], in(matrix, row, column) | in(matrix, row, column + 1) << 16);
            expect("ldmatrix.x4.trans", of[4 + matrix],
                   in(3 - matrix, column, row) | in(3 - matrix, column + 1, row) << 16);
        }
        for (unsigned matrix = 0; matrix < 2; ++matrix)
            expect("ldmatrix.x2", of[8 + matrix],
                   in(matrix, 7 - row, column) | in(matrix, 7 - row, column + 1) << 16);
        expect("ldmatrix.x1.trans", of[10], in(2, column, row) | in(2, column + 1, row) << 16);
        expect("movmatrix", of[11], in(0, column, row) | in(0, column + 1, row) << 16);
    }
    for (unsigned at = 0; at < 256; ++at)
        expect("stmatrix.x4", to[384 + at], in(3 - at / 64, at / 8 % 8, at % 8));
    for (unsigned at = 0; at < 128; ++at)
        expect("stmatrix.x2.trans", to[640 + at], in(2 + at / 64, at % 8, at / 8 % 8));
}

__global__ void of_warps(unsigned* to)
{
    const unsigned lane = threadIdx.x % 32, value = (lane * 2654435761U) ^ blockIdx.x;
    const unsigned mask = lane < 20 ? 0xFFFFFU : 0xFFF00000U;
    unsigned r[9] = {};
    int is_leader = 0;
    asm volatile("redux.sync.add.u32 %0, %1, %2;" : "=r"(r[0]) : "r"(value), "r"(mask));
    asm volatile("redux.sync.add.s32 %0, %1, %2;" : "=r"(r[1]) : "r"(value), "r"(mask));
    asm volatile("redux.sync.min.u32 %0, %1, %2;" : "=r"(r[2]) : "r"(value), "r"(mask));
    asm volatile("redux.sync.max.s32 %0, %1, %2;" : "=r"(r[3]) : "r"(value), "r"(mask));
    asm volatile("redux.sync.xor.b32 %0, %1, %2;" : "=r"(r[4]) : "r"(value), "r"(mask));
    asm volatile("redux.sync.and.b32 %0, %1, 0xffffffff;" : "=r"(r[5]) : "r"(value | 0xFF));
    asm volatile("{\n .reg .pred p;\n elect.sync _|p, 0xffffffff;\n selp.b32 %0, 1, 0, p;\n}" : "=r"(is_leader));
    r[6] = __popc(__ballot_sync(0xFFFFFFFFU, is_leader));
    unsigned leader = 99;
    is_leader = 0;
    asm volatile("{\n.reg .b32 %%rx;\n.reg .pred %%px;\n elect.sync %%rx|%%px, %2;\n@%%px mov.s32 %1, 1;\n mov.s32 "
                 "%0, %%rx;\n}\n"
                 : "+r"(leader), "+r"(is_leader)
                 : "r"(0xFFFFFFFFU));
    r[7] = __ballot_sync(0xFFFFFFFFU, is_leader) == 1U << leader;
    for (int i = 0; i < 9; ++i)
        atomicAdd(&to[i], r[i]);
}
// The votes of a block, and of parts of it, each of which has a barrier.
__global__ void of_blocks(unsigned* to)
{
    const unsigned thread = threadIdx.x;
    unsigned count, all, any, of_part, all_of_part;
    asm volatile("{.reg .pred p; setp.ne.u32 p, %1, 0; bar.red.popc.u32 %0, 0, p;}"
                 : "=r"(count)
                 : "r"(static_cast<int>(thread % 3 == 0))
                 : "memory");
    asm volatile("{.reg .pred p, q; setp.ne.u32 p, %1, 0; barrier.red.and.pred q, 0, p; selp.u32 %0, 1, 0, q;}"
                 : "=r"(all)
                 : "r"(static_cast<int>(thread < 200))
                 : "memory");
    asm volatile("{.reg .pred p; .reg .pred q; setp.ne.s32 p, %1, 0; bar.red.or.pred q, 0, p; selp.b32 %0, 1, 0, q;}"
                 : "=r"(any)
                 : "r"(static_cast<int>(thread == 77))
                 : "memory");
    const unsigned part = thread / 64;
    asm volatile("{.reg .pred p; setp.ne.u32 p, %3, 0; bar.red.popc.u32 %0, %1, %2, p;}"
                 : "=r"(of_part)
                 : "r"(part + 1), "n"(64), "r"(static_cast<int>(thread % 64 < 10 * part))
                 : "memory");
    asm volatile("{.reg .pred p, q; setp.ne.u32 p, %2, 0; bar.red.and.pred q, %1, 64, p; selp.u32 %0, 1, 0, q;}"
                 : "=r"(all_of_part)
                 : "r"(part + 1), "r"(static_cast<int>(part == 0 || thread != 70))
                 : "memory");
    atomicAdd(&to[0], count);
    atomicAdd(&to[1], all);
    atomicAdd(&to[2], any);
    atomicAdd(&to[3], of_part);
    atomicAdd(&to[4], all_of_part);
}

int main()
{
    check_wmma<16, 16, 16, __half, __half, float, float>(1e-5);
    check_wmma<16, 16, 16, __half, __half, __half, float>(2e-3);
    check_wmma<16, 16, 16, __half, __half, float, __half>(4e-3);
    check_wmma<32, 8, 16, __half, __half, __half, __half>(4e-3);
    check_wmma<8, 32, 16, __half, __half, float, float>(1e-5);
    check_wmma<16, 16, 16, __nv_bfloat16, __nv_bfloat16, float, float>(1e-5);
    check_wmma<32, 8, 16, __nv_bfloat16, __nv_bfloat16, float, float>(1e-5);
    check_wmma<8, 32, 16, __nv_bfloat16, __nv_bfloat16, float, float>(1e-5);
    check_wmma<16, 16, 8, wmma::precision::tf32, float, float, float>(1e-3);
    check_wmma<16, 16, 16, signed char, signed char, int, int>();
    check_wmma<32, 8, 16, unsigned char, unsigned char, int, int>();
    check_wmma<8, 32, 16, signed char, signed char, int, int>();
    check_wmma<8, 8, 4, double, double, double, double>(1e-14);
    std::printf("mma.h: %d of %d wrong\n", failed, checked);

#define CHECK_MMA(name) check_mma<name>(#name);
    CHECK_MMA(HalfK8)
    CHECK_MMA(HalfK8Half)
    CHECK_MMA(HalfK16)
    CHECK_MMA(HalfK16Half)
    CHECK_MMA(BfloatK8)
    CHECK_MMA(BfloatK16)
    CHECK_MMA(TfK4)
    CHECK_MMA(TfK8)
    CHECK_MMA(BytesSmall)
    CHECK_MMA(BytesK16)
    CHECK_MMA(BytesK32)
    CHECK_MMA(BytesK32Unsigned)
    CHECK_MMA(Bytes8)
    CHECK_MMA(Bytes8Mixed)
    CHECK_MMA(DoublesSmall)
    CHECK_MMA(DoublesK4)
    CHECK_MMA(DoublesK8)
    CHECK_MMA(DoublesK16)
    int* const sums = zeros<int>(256);
    saturated<<<1, 32>>>(sums);
    for (const int sum : read(sums, 4))
        std::printf("%d ", sum);
    for (const int sum : read(sums + 4, 4))
        std::printf("%d ", sum);
    std::printf("\nmma.sync: %d of %d wrong\n", failed, checked);

    check_conversions();
    check_matrices();
    unsigned* const to = zeros<unsigned>(16);
    of_warps<<<2, 64>>>(to);
    for (const unsigned sum : read(to, 8))
        std::printf("%x ", sum);
    unsigned* const votes = zeros<unsigned>(8);
    of_blocks<<<1, 256>>>(votes);
    for (const unsigned sum : read(votes, 5))
        std::printf("%u ", sum);
    std::printf("\n");
    return verdict(failed, 0);
}
