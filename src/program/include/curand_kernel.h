// Random numbers in kernels, as cuRAND's: XORWOW, which is the default, and Philox 4x32-10. Calls of other generators are errors.
#pragma once

#include "curand.h"

#include <cmath>
#include <cstdint>

// NOLINTBEGIN: these names are cuRAND's.
namespace nestbed::random
{

// What XORWOW without its counter becomes by count * 2^first steps; first: 0 or 67. Of the library, which keeps tables.
void skip_xorwow(unsigned (&state)[5], unsigned long long count, unsigned first);

// Of 32 bits, above 0 and up to 1.
inline float uniform(unsigned x)
{
    return x * 2.3283064365386963e-10F + 2.3283064365386963e-10F / 2;
}
inline float2 normal(unsigned x, unsigned y)
{
    const float u = uniform(x);
    const float v = y * (2.3283064365386963e-10F * 6.2831855F) + 2.3283064365386963e-10F * 6.2831855F / 2;
    const float size = std::sqrt(-2.0F * std::log(u));
    return make_float2(std::sin(v) * size, std::cos(v) * size);
}

} // namespace nestbed::random

struct curandStateXORWOW {
    unsigned d, v[5];
    int boxmuller_flag;
    float boxmuller_extra;
};
typedef curandStateXORWOW curandStateXORWOW_t;
typedef curandStateXORWOW curandState;
typedef curandStateXORWOW curandState_t;
struct curandStatePhilox4_32_10 {
    uint4 ctr, output;
    uint2 key;
    unsigned STATE;
    int boxmuller_flag;
    float boxmuller_extra;
};
typedef curandStatePhilox4_32_10 curandStatePhilox4_32_10_t;

// ---- XORWOW ----

inline void nestbed_skip(curandStateXORWOW* state, unsigned long long count, unsigned first)
{
    unsigned own[5]; // accesses of the state are those of the kernel
    for (int i = 0; i < 5; ++i)
        own[i] = state->v[i];
    nestbed::random::skip_xorwow(own, count, first);
    for (int i = 0; i < 5; ++i)
        state->v[i] = own[i];
}
inline void skipahead(unsigned long long count, curandStateXORWOW* state)
{
    nestbed_skip(state, count, 0);
    state->d += 362437 * static_cast<unsigned>(count);
}
inline void skipahead_sequence(unsigned long long count, curandStateXORWOW* state)
{
    nestbed_skip(state, count, 67);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                        curandStateXORWOW* state)
{
    const unsigned low = 1099087573U * (static_cast<unsigned>(seed) ^ 0xAAD26B49U);
    const unsigned high = 2591861531U * (static_cast<unsigned>(seed >> 32) ^ 0xF7DCEFDDU);
    state->d = 6615241 + high + low;
    state->v[0] = 123456789U + low;
    state->v[1] = 362436069U ^ low;
    state->v[2] = 521288629U + high;
    state->v[3] = 88675123U ^ high;
    state->v[4] = 5783321U + low;
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
    state->boxmuller_flag = 0;
    state->boxmuller_extra = 0;
}
inline unsigned curand(curandStateXORWOW* state)
{
    const unsigned t = state->v[0] ^ (state->v[0] >> 2);
    for (int i = 0; i < 4; ++i)
        state->v[i] = state->v[i + 1];
    state->v[4] = (state->v[4] ^ (state->v[4] << 4)) ^ (t ^ (t << 1));
    state->d += 362437;
    return state->v[4] + state->d;
}

// ---- Philox ----

inline void nestbed_refill(curandStatePhilox4_32_10* state)
{
    uint4 c = state->ctr;
    uint2 key = state->key;
    for (int round = 0; round < 10; ++round) {
        const std::uint64_t first = std::uint64_t{0xD2511F53} * c.x, second = std::uint64_t{0xCD9E8D57} * c.z;
        c = make_uint4(static_cast<unsigned>(second >> 32) ^ c.y ^ key.x, static_cast<unsigned>(second),
                       static_cast<unsigned>(first >> 32) ^ c.w ^ key.y, static_cast<unsigned>(first));
        key.x += 0x9E3779B9;
        key.y += 0xBB67AE85;
    }
    state->output = c;
}
inline void nestbed_add(unsigned& low, unsigned& high, unsigned long long count)
{
    const unsigned long long sum = (static_cast<unsigned long long>(high) << 32 | low) + count;
    low = static_cast<unsigned>(sum);
    high = static_cast<unsigned>(sum >> 32);
}
inline void nestbed_count(curandStatePhilox4_32_10* state, unsigned long long count)
{
    const unsigned long long before = static_cast<unsigned long long>(state->ctr.y) << 32 | state->ctr.x;
    nestbed_add(state->ctr.x, state->ctr.y, count);
    if (before + count < before)
        nestbed_add(state->ctr.z, state->ctr.w, 1);
}
inline void skipahead(unsigned long long count, curandStatePhilox4_32_10* state)
{
    state->STATE += static_cast<unsigned>(count & 3);
    count /= 4;
    if (state->STATE > 3) {
        ++count;
        state->STATE -= 4;
    }
    nestbed_count(state, count);
    nestbed_refill(state);
}
inline void skipahead_sequence(unsigned long long count, curandStatePhilox4_32_10* state)
{
    nestbed_add(state->ctr.z, state->ctr.w, count);
    nestbed_refill(state);
}
inline void curand_init(unsigned long long seed, unsigned long long subsequence, unsigned long long offset,
                        curandStatePhilox4_32_10* state)
{
    *state = {};
    state->key = make_uint2(static_cast<unsigned>(seed), static_cast<unsigned>(seed >> 32));
    skipahead_sequence(subsequence, state);
    skipahead(offset, state);
}
inline unsigned curand(curandStatePhilox4_32_10* state)
{
    const unsigned numbers[] = {state->output.x, state->output.y, state->output.z, state->output.w};
    const unsigned number = numbers[state->STATE++];
    if (state->STATE == 4) {
        nestbed_count(state, 1);
        nestbed_refill(state);
        state->STATE = 0;
    }
    return number;
}
inline uint4 curand4(curandStatePhilox4_32_10* state)
{
    const uint4 before = state->output;
    nestbed_count(state, 1);
    nestbed_refill(state);
    const uint4 behind = state->output;
    switch (state->STATE) {
    case 1:
        return make_uint4(before.y, before.z, before.w, behind.x);
    case 2:
        return make_uint4(before.z, before.w, behind.x, behind.y);
    case 3:
        return make_uint4(before.w, behind.x, behind.y, behind.z);
    default:
        return before;
    }
}
inline float4 curand_uniform4(curandStatePhilox4_32_10* state)
{
    const uint4 x = curand4(state);
    return make_float4(nestbed::random::uniform(x.x), nestbed::random::uniform(x.y), nestbed::random::uniform(x.z),
                       nestbed::random::uniform(x.w));
}
inline float4 curand_normal4(curandStatePhilox4_32_10* state)
{
    const uint4 x = curand4(state);
    const float2 a = nestbed::random::normal(x.x, x.y), b = nestbed::random::normal(x.z, x.w);
    return make_float4(a.x, a.y, b.x, b.y);
}

// ---- of both ----

template <class State>
float curand_uniform(State* state)
{
    return nestbed::random::uniform(curand(state));
}
inline double curand_uniform_double(curandStateXORWOW* state)
{
    const unsigned low = curand(state), high = curand(state);
    const unsigned long long bits = low ^ (static_cast<unsigned long long>(high) << (53 - 32));
    return bits * 1.1102230246251565e-16 + 1.1102230246251565e-16 / 2;
}
template <class State>
float2 curand_normal2(State* state)
{
    const unsigned x = curand(state), y = curand(state);
    return nestbed::random::normal(x, y);
}
template <class State>
float curand_normal(State* state)
{
    if (state->boxmuller_flag != 0) {
        state->boxmuller_flag = 0;
        return state->boxmuller_extra;
    }
    const float2 both = curand_normal2(state);
    state->boxmuller_flag = 1;
    state->boxmuller_extra = both.y;
    return both.x;
}
template <class State>
float curand_log_normal(State* state, float mean, float deviation)
{
    return std::exp(mean + deviation * curand_normal(state));
}
// NOLINTEND
