// XORWOW of cuRAND, by many steps at once: a step without its counter is a linear map of 160 bits.
#include <array>
#include <utility>
#include <vector>

namespace nestbed::random
{

namespace
{

constexpr unsigned kWords = 5;
constexpr unsigned kWordBits = 32;
constexpr unsigned kCountBits = 64;
using State = std::array<unsigned, kWords>;
using Matrix = std::vector<State>; // what each bit becomes

State step(const State& x)
{
    const unsigned mixed = x[0] ^ (x[0] >> 2);
    return {x[1], x[2], x[3], x[4], x[4] ^ (x[4] << 4) ^ mixed ^ (mixed << 1)};
}

State product(const Matrix& matrix, const State& x)
{
    State result{};
    for (unsigned bit = 0; bit < matrix.size(); ++bit)
        if ((x[bit / kWordBits] >> (bit % kWordBits) & 1) != 0)
            for (unsigned word = 0; word < kWords; ++word)
                result[word] ^= matrix[bit][word];
    return result;
}

// Of 2^(first + k) steps, for each bit k of a count.
std::vector<Matrix> powers(unsigned first)
{
    Matrix matrix(kWords * kWordBits);
    for (unsigned bit = 0; bit < matrix.size(); ++bit) {
        State one{};
        one[bit / kWordBits] = 1U << (bit % kWordBits);
        matrix[bit] = step(one);
    }
    std::vector<Matrix> all;
    for (unsigned power = 0; power < first + kCountBits; ++power) {
        if (power >= first)
            all.push_back(matrix);
        Matrix square(matrix.size());
        for (unsigned bit = 0; bit < matrix.size(); ++bit)
            square[bit] = product(matrix, matrix[bit]);
        matrix = std::move(square);
    }
    return all;
}

} // namespace

void skip_xorwow(unsigned (&state)[kWords], unsigned long long count, unsigned first)
{
    constexpr unsigned kSequence = 67;
    static const std::vector<Matrix>& steps =
        *new std::vector<Matrix>(powers(0)); // programs end before their threads
    static const std::vector<Matrix>& sequences = *new std::vector<Matrix>(powers(kSequence));
    const std::vector<Matrix>& of = first == 0 ? steps : sequences;
    State x{};
    for (unsigned word = 0; word < kWords; ++word)
        x[word] = state[word];
    for (unsigned bit = 0; bit < kCountBits; ++bit)
        if ((count >> bit & 1) != 0)
            x = product(of[bit], x);
    for (unsigned word = 0; word < kWords; ++word)
        state[word] = x[word];
}

} // namespace nestbed::random
