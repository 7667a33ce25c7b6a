// Inline PTX of barriers in memory, named barriers, asynchronous copies, vectors in memory, and addresses in shared memory: what the
// rewriter puts in place of a statement. Sources: PTX ISA, "mbarrier", "cp.async", "bar, barrier", "cvta".
#pragma once

#include "barrier_objects.hpp"
#include "ptx.hpp"

#include <tuple>

namespace nestbed::program
{

// An operand that is not used.
struct PtxSink {
    template <class Operands>
    static PtxSink at(Operands&)
    {
        return {};
    }
};
// An address that is so many bytes behind an operand.
template <int number, long long offset>
struct PtxOffset {
    template <class Operands>
    static std::uint64_t at(Operands& operands)
    {
        return ptx_converted<std::uint64_t>(std::get<number>(operands)) + static_cast<std::uint64_t>(offset);
    }
};
template <class To, class T>
void ptx_set(To& to, T value)
{
    if constexpr (!std::is_same<std::remove_cv_t<To>, PtxSink>::value)
        to = ptx_converted<To>(value);
}

// A function whose first argument is where the statement is.
struct PtxAtPlace {
};
template <class Function, class... Operands>
void ptx_apply(Place place, Operands&&... operands)
{
    if constexpr (std::is_base_of<PtxAtPlace, Function>::value)
        Function()(place, operands...);
    else
        Function()(operands...);
}
// Calls the function with the operands of the instruction, which are some of those of the statement.
template <class Function, class... Inputs, class... Operands>
void ptx_call(Place place, Operands&&... operands)
{
    auto all = std::forward_as_tuple(operands...);
    ptx_apply<Function>(place, Inputs::at(all)...);
}
// An operand that the instructions of a statement only read.
template <class T>
T ptx_input(T value)
{
    return value;
}
// One that they only write.
template <class T>
struct PtxOutput {
    T& variable;
};
template <class T>
PtxOutput<T> ptx_output(T& variable)
{
    return {variable};
}
// What its register has before the instructions.
template <class T>
T ptx_register(T value)
{
    return value;
}
template <class T>
std::remove_cv_t<T> ptx_register(PtxOutput<T>)
{
    return {};
}
template <class Operand>
struct PtxGiveBack { // to nothing: of an input
    template <class T>
    static void to(const Operand&, const T&)
    {
    }
};
template <class Variable>
struct PtxGiveBack<Variable&> {
    template <class T>
    static void to(Variable& variable, const T& value)
    {
        variable = value;
    }
};
template <class Variable>
struct PtxGiveBack<PtxOutput<Variable>> {
    template <class T>
    static void to(PtxOutput<Variable> output, const T& value)
    {
        output.variable = value;
    }
};
template <std::size_t first, class... Operands, class All, std::size_t... at>
void ptx_give_all_back(const All& all, std::index_sequence<at...>, std::remove_reference_t<Operands>&... operands)
{
    (PtxGiveBack<Operands>::to(operands, std::get<first + at>(all)), ...);
}
// Calls what the instructions of a statement are, with its own registers, which are 0, and with registers for its operands: a variable is
// read before them, and written behind them, in the order of the operands.
template <class... Registers, class Instructions, class... Operands>
void ptx_block(Place place, const Instructions& instructions, Operands&&... operands)
{
    std::tuple<Registers..., decltype(ptx_register(operands))...> all(Registers()..., ptx_register(operands)...);
    std::apply([&](auto&... each) { instructions(place, each...); }, all);
    ptx_give_all_back<sizeof...(Registers), Operands...>(all, std::index_sequence_for<Operands...>(), operands...);
}

// ---- barriers in memory; `shared`: of addresses in shared memory ----

template <bool shared, class Address>
cpu::BarrierObject* ptx_mbarrier(Address address)
{
    return ptx_pointer<cpu::BarrierObject, shared>(address);
}
template <bool shared>
struct PtxMbarrierInit {
    template <class Address>
    void operator()(Address at, unsigned count) const
    {
        begin_barrier(ptx_mbarrier<shared>(at), count);
    }
};
template <bool shared>
struct PtxMbarrierInval {
    template <class Address>
    void operator()(Address at) const
    {
        end_barrier(ptx_mbarrier<shared>(at));
    }
};
template <bool shared, cpu::Arrival kind>
struct PtxMbarrierArriveAs {
    template <class To, class Address>
    void operator()(To&& state, Address at, unsigned count = 1) const
    {
        ptx_set(state, cpu::arrive_at(ptx_mbarrier<shared>(at), count, kind));
    }
};
template <bool shared>
using PtxMbarrierArrive = PtxMbarrierArriveAs<shared, cpu::Arrival::once>;
template <bool shared>
using PtxMbarrierArriveDrop = PtxMbarrierArriveAs<shared, cpu::Arrival::drops>;
template <bool shared>
struct PtxMbarrierExpectTx {
    template <class Address>
    void operator()(Address at, unsigned bytes) const
    {
        cpu::expect_bytes_at(ptx_mbarrier<shared>(at), bytes);
    }
};
template <bool shared>
struct PtxMbarrierCompleteTx {
    template <class Address>
    void operator()(Address at, unsigned bytes) const
    {
        cpu::expect_bytes_at(ptx_mbarrier<shared>(at), -static_cast<std::int64_t>(bytes));
    }
};
template <bool shared>
struct PtxMbarrierArriveExpectTx {
    template <class To, class Address>
    void operator()(To&& state, Address at, unsigned bytes) const
    {
        PtxMbarrierExpectTx<shared>()(at, bytes);
        PtxMbarrierArrive<shared>()(state, at);
    }
};
template <bool shared>
struct PtxMbarrierTestParity {
    template <class To, class Address>
    void operator()(To&& ended, Address at, unsigned parity, unsigned /*ns*/ = 0) const
    {
        ptx_set(ended, try_wait(ptx_mbarrier<shared>(at), parity % 2 != 0) ? 1 : 0);
    }
};
template <bool shared>
struct PtxMbarrierTest {
    template <class To, class Address>
    void operator()(To&& ended, Address at, cpu::BarrierObject state, unsigned /*ns*/ = 0) const
    {
        PtxMbarrierTestParity<shared>()(ended, at, cpu::parity_of(state) ? 1 : 0);
    }
};
template <bool shared>
struct PtxMbarrierPendingCount {
    template <class To>
    void operator()(To&& count, cpu::BarrierObject state) const
    {
        ptx_set(count, cpu::pending_of(state));
    }
};

// ---- named barriers of a block ----

inline bool is_barrier_of_block(unsigned number, unsigned threads)
{
    const dim3 block = cpu::current_thread->block_dim;
    return number == 0 && (threads == 0 || threads >= block.x * block.y * block.z);
}
// Returns the parity of the phase, which has ended.
inline bool meet_at_named_barrier(unsigned number, unsigned threads, bool vote = false)
{
    const bool parity = cpu::arrive_at_named_barrier(number, threads, vote);
    while (!cpu::has_named_barrier_ended(number, parity))
        cpu::give_way();
    return parity;
}
template <bool>
struct PtxBarSync : PtxAtPlace {
    void operator()(Place place, unsigned number, unsigned threads = 0) const
    {
        if (is_barrier_of_block(number, threads))
            __syncthreads(place.file, place.line);
        else
            meet_at_named_barrier(number, threads);
    }
};
template <bool>
struct PtxBarArrive {
    void operator()(unsigned number, unsigned threads) const { cpu::arrive_at_named_barrier(number, threads); }
};
// For how many of the threads that meet the last operand holds, or whether it does for all of them or for one.
enum class PtxVote : unsigned char { count, all, any };
template <PtxVote vote>
struct PtxBarRed : PtxAtPlace {
    template <class To, class Holds>
    void operator()(Place place, To& to, unsigned number, Holds holds) const
    {
        (*this)(place, to, number, 0, holds);
    }
    template <class To, class Holds>
    void operator()(Place place, To& to, unsigned number, unsigned threads, Holds holds) const
    {
        unsigned met = 0, votes = 0;
        if (is_barrier_of_block(number, threads))
            votes = cpu::barrier_count(holds != 0, met, place.file, place.line);
        else
            votes = cpu::votes_at_named_barrier(number, meet_at_named_barrier(number, threads, holds != 0), met);
        ptx_set(to, vote == PtxVote::count ? votes : vote == PtxVote::all ? votes == met : votes != 0);
    }
};
template <bool>
using PtxBarRedPopc = PtxBarRed<PtxVote::count>;
template <bool>
using PtxBarRedAnd = PtxBarRed<PtxVote::all>;
template <bool>
using PtxBarRedOr = PtxBarRed<PtxVote::any>;

// ---- asynchronous copies ----

template <bool>
struct PtxCopyAsync {
    template <class To, class From>
    void operator()(To to, From from, unsigned bytes) const
    {
        (*this)(to, from, bytes, bytes);
    }
    // The bytes behind `copied` are 0.
    template <class To, class From>
    void operator()(To to, From from, unsigned bytes, unsigned copied) const
    {
        copy_with_zeros(ptx_pointer<char, true>(to), ptx_pointer<const char>(from), bytes,
                        copied < bytes ? copied : bytes);
    }
};
template <bool>
struct PtxCommitGroup {
    void operator()() const { cpu::commit_copies(); }
};
template <bool>
struct PtxWaitGroup {
    void operator()(unsigned prior) const { cpu::wait_for_copies(prior); }
};
template <bool>
struct PtxWaitAll {
    void operator()() const
    {
        cpu::commit_copies();
        cpu::wait_for_copies(0);
    }
};
template <bool shared>
struct PtxCopiesArrive {
    template <class Address>
    void operator()(Address at) const
    {
        cpu::copies_arrive_at(ptx_mbarrier<shared>(at));
    }
};
template <bool shared>
struct PtxCopiesArriveNoinc {
    template <class Address>
    void operator()(Address at) const
    {
        cpu::arrive_at(ptx_mbarrier<shared>(at), 1, cpu::Arrival::of_copies);
    }
};

// ---- addresses in shared memory ----

template <bool>
struct PtxCvtaToShared {
    template <class To, class From>
    void operator()(To& to, From from) const
    {
        to = static_cast<To>(cpu::shared_address(ptx_pointer<const void>(from)));
    }
};
template <bool>
struct PtxMapaShared {
    template <class To>
    void operator()(To& to, unsigned from, unsigned rank) const
    {
        to = static_cast<To>(cpu::mapped_shared_address(from, rank));
    }
};
// Orders memory that the executor orders anyway, or is a hint.
template <bool>
struct PtxNothing {
    template <class... Operands>
    void operator()(const Operands&...) const
    {
    }
};

} // namespace nestbed::program
