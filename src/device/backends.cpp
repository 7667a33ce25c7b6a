#include "device/backends.hpp"

#include "device/cuda/why_no_gpu.hpp"
#include "device/open_session.hpp"

namespace nestbed
{

std::unique_ptr<LocalSession> open_session(BackendKind backend, const SessionOptions& options)
{
#ifdef NESTBED_HAS_CUDA
    if (backend == BackendKind::cuda)
        return on_cuda::open_backend(options);
#else
    static_cast<void>(backend);
#endif
    return on_cpu::open_backend(options);
}

std::string why_not(BackendKind backend)
{
    if (backend == BackendKind::cpu)
        return {};
#ifdef NESTBED_HAS_CUDA
    return on_cuda::why_no_gpu();
#else
    return "this build has no CUDA code; `experiments/build.sh --cuda` builds with it";
#endif
}

std::string why_not_cuda()
{
    return why_not(BackendKind::cuda);
}

BackendKind default_backend()
{
    return why_not_cuda().empty() ? BackendKind::cuda : BackendKind::cpu;
}

} // namespace nestbed
