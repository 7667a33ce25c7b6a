// Numbers that kernels give to the host while it works: it looks, and does not wait.
#pragma once

#include "device/workload_backend.hpp"

#include <memory>
#include <span>

namespace nestbed::inline NESTBED_BACKEND
{

#ifdef __CUDACC__

class Mailbox
{
  public:
    explicit Mailbox(Context& /*context*/) : report_(std::make_unique<Report>()) {}

    // For kernels: publish(word(), value), once for each clear(); the value is not 0.
    unsigned* word() const { return report_->flag_on_device(); }
    void clear() { report_->clear(); }
    // What a kernel has published since clear(); 0: none has. Throws CudaError if a kernel failed, and RunError if the stream has no more
    // work and nothing was published.
    unsigned poll(Context& context, unsigned stream)
    {
        constexpr unsigned kLooks = 1U << 16; // between questions whether the stream still works
        const unsigned seen = report_->seen();
        if (seen != 0 || ++looks_ % kLooks != 0 || cudaStreamQuery(context.stream(stream)) == cudaErrorNotReady)
            return seen;
        return report_->wait(context.stream(stream));
    }

  private:
    std::unique_ptr<Report> report_;
    unsigned looks_ = 0;
};

#else

// The host looks when all kernels are done.
class Mailbox
{
  public:
    explicit Mailbox(Context& context) : word_(context.allocate<unsigned>(1, "mailbox")), context_(&context)
    {
        clear();
    }

    unsigned* word() const { return word_.data(); }
    void clear() { context_->fill_bytes(word_, 0, 1); }
    unsigned poll(Context& context, unsigned /*stream*/)
    {
        unsigned seen = 0;
        context.read(std::span(&seen, 1), word_, 0);
        return seen;
    }

  private:
    Buffer<unsigned> word_;
    Context* context_;
};

__device__ inline void publish(unsigned* word, unsigned value)
{
    store_release(word, value);
}

#endif

} // namespace nestbed::inline NESTBED_BACKEND
