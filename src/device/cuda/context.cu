// Compiled alone: it has a definition of its own.
#include "device/cuda/context.cuh"

#include "device/cuda/why_no_gpu.hpp"
#include "model/case_text.hpp"

#include <fstream>
#include <map>
#include <nvtx3/nvToolsExt.h>

namespace nestbed::inline on_cuda
{

namespace
{
std::string describe(cudaError_t code, std::source_location where)
{
    const std::string_view path = where.file_name();
    return std::string(cudaGetErrorName(code)) + ": " + cudaGetErrorString(code) + " (" +
           std::string(path.substr(path.rfind('/') + 1)) + ":" + std::to_string(where.line()) + ")";
}
} // namespace

CudaError::CudaError(cudaError_t code, std::source_location where) : RunError(describe(code, where)) {}

namespace
{

int attribute(cudaDeviceAttr which, int device)
{
    int value = 0;
    check(cudaDeviceGetAttribute(&value, which, device));
    return value;
}

std::size_t pending_limit()
{
    std::size_t limit = 0;
    check(cudaDeviceGetLimit(&limit, cudaLimitDevRuntimePendingLaunchCount));
    return limit;
}

std::string version(int number)
{
    return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
}

std::int64_t free_bytes()
{
    std::size_t free = 0;
    std::size_t total = 0;
    check(cudaMemGetInfo(&free, &total));
    return static_cast<std::int64_t>(free);
}

// Reads the release, such as "580.159.03", from the driver's own file, because the runtime API only knows which CUDA
// version a driver supports. The first line of the file is like "NVRM version: NVIDIA UNIX Open Kernel Module for
// x86_64  580.159.03  Release Build ...".
std::string driver_release()
{
    std::ifstream file("/proc/driver/nvidia/version");
    for (std::string word; file >> word;)
        if (word.find('.') != std::string::npos && word.find_first_not_of("0123456789.") == std::string::npos)
            return word;
    return {};
}

// CUDA C++ Programming Guide, table "Technical Specifications per Compute Capability", row "Maximum number of
// resident grids per device".
std::uint32_t resident_grids(int major, int minor)
{
    const int capability = major * 10 + minor;
    switch (capability) {
    case 53:
    case 62:
    case 72:
        return 16;
    case 61:
        return 32;
    default:
        return capability < 50 ? 32 : 128;
    }
}

} // namespace

std::string why_no_gpu()
{
    int devices = 0;
    const cudaError_t code = cudaGetDeviceCount(&devices);
    if (code != cudaSuccess)
        return std::string(cudaGetErrorName(code)) + ": " + cudaGetErrorString(code);
    return devices == 0 ? "no CUDA device was found" : "";
}

namespace
{

constexpr int kDevice = 0; // CUDA_VISIBLE_DEVICES selects another device

__global__ void any_kernel() {}

// Throws RunError if this program has no code for the GPU.
void check_code(const cudaDeviceProp& gpu)
{
    cudaFuncAttributes attributes{};
    const cudaError_t code = cudaFuncGetAttributes(&attributes, any_kernel);
    if (code != cudaErrorNoKernelImageForDevice && code != cudaErrorInvalidDeviceFunction &&
        code != cudaErrorUnsupportedPtxVersion && code != cudaErrorInvalidPtx)
        return check(code);
    const std::string capability = std::to_string(gpu.major) + std::to_string(gpu.minor);
    throw RunError(std::string(gpu.name) + " has compute capability " + std::to_string(gpu.major) + "." +
                   std::to_string(gpu.minor) +
                   ", and this nestbed has code for " NESTBED_ARCHITECTURES
                   " (CMAKE_CUDA_ARCHITECTURES); to build it for this GPU: cmake --preset release "
                   "-DCMAKE_CUDA_ARCHITECTURES=" +
                   capability + " && cmake --build --preset release; or --backend cpu");
}

} // namespace

Context::Context(const SessionOptions& options) : alive_(options.alive), nvml_(kDevice)
{
    check(cudaSetDevice(kDevice));
    cudaDeviceProp properties{};
    check(cudaGetDeviceProperties(&properties, kDevice));
    check_code(properties);
    int driver = 0;
    int runtime = 0;
    check(cudaDriverGetVersion(&driver));
    check(cudaRuntimeGetVersion(&runtime));
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    check(cudaMemGetInfo(&free_bytes, &total_bytes));
    // Read once per process, because a later session would read the limit that an earlier session set.
    static const std::size_t pending = pending_limit();

    facts_.name = properties.name;
    const std::string release = driver_release();
    facts_.driver = release.empty() ? "CUDA " + version(driver) : release;
    facts_.runtime = version(runtime);
    for (const char byte : properties.uuid.bytes) {
        constexpr const char* kDigits = "0123456789abcdef";
        facts_.uuid += kDigits[static_cast<unsigned char>(byte) / 16];
        facts_.uuid += kDigits[static_cast<unsigned char>(byte) % 16];
    }
    facts_.compute_capability = std::to_string(properties.major) + "." + std::to_string(properties.minor);
    facts_.multiprocessors = static_cast<std::uint32_t>(properties.multiProcessorCount);
    facts_.max_threads_per_block = static_cast<std::uint32_t>(properties.maxThreadsPerBlock);
    facts_.max_threads_per_multiprocessor = static_cast<std::uint32_t>(properties.maxThreadsPerMultiProcessor);
    facts_.max_blocks_per_multiprocessor = static_cast<std::uint32_t>(properties.maxBlocksPerMultiProcessor);
    facts_.max_grid = static_cast<std::uint32_t>(properties.maxGridSize[0]);
    facts_.resident_grids = resident_grids(properties.major, properties.minor);
    facts_.default_pending_limit = static_cast<std::uint32_t>(pending);
    facts_.memory_bytes = total_bytes;
    facts_.free_memory_bytes = free_bytes;
    facts_.l2_bytes = static_cast<std::uint64_t>(attribute(cudaDevAttrL2CacheSize, kDevice));
    const double clock_hz = 1000.0 * attribute(cudaDevAttrMemoryClockRate, kDevice);
    const double bus_bytes = attribute(cudaDevAttrGlobalMemoryBusWidth, kDevice) / 8.0;
    facts_.peak_bandwidth_gb_s = 2 * clock_hz * bus_bytes / 1e9;
}

// Sets the default limit first, to measure how much more memory the new limit takes.
std::uint32_t Context::set_pending_limit(std::uint32_t launches, const std::function<void()>& settle)
{
    const auto change = [&](std::uint32_t limit) {
        check(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, limit));
        settle();
    };
    limit_.set(launches, [&] {
        change(facts_.default_pending_limit);
        const std::int64_t before = free_bytes();
        if (launches != facts_.default_pending_limit)
            change(launches);
        limit_bytes_ = before - free_bytes();
    });
    return static_cast<std::uint32_t>(pending_limit());
}

Graph::Graph(cudaGraph_t graph, bool for_device) : graph_(graph)
{
    const cudaError_t code =
        cudaGraphInstantiate(&executable_, graph_, for_device ? cudaGraphInstantiateFlagDeviceLaunch : 0);
    if (code != cudaSuccess)
        static_cast<void>(cudaGraphDestroy(graph_));
    check(code);
}

Graph::Graph(Graph&& other) noexcept
    : graph_(std::exchange(other.graph_, nullptr)), executable_(std::exchange(other.executable_, nullptr))
{
}

Graph::~Graph()
{
    if (executable_ == nullptr)
        return;
    static_cast<void>(cudaGraphExecDestroy(executable_));
    static_cast<void>(cudaGraphDestroy(graph_));
}

namespace
{
nvtxDomainHandle_t range_domain()
{
    static const nvtxDomainHandle_t domain = nvtxDomainCreateA(kRangeDomain);
    return domain;
}
// nsys selects a range by its name only if the name is registered.
nvtxStringHandle_t registered(const std::string& name)
{
    static std::map<std::string, nvtxStringHandle_t> handles;
    const auto [found, is_new] = handles.emplace(name, nullptr);
    if (is_new)
        found->second = nvtxDomainRegisterStringA(range_domain(), name.c_str());
    return found->second;
}
} // namespace

TimedRange::TimedRange(const Context& context) : open_(!context.range().empty())
{
    if (!open_)
        return;
    nvtxEventAttributes_t range{};
    range.version = NVTX_VERSION;
    range.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
    range.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
    range.message.registered = registered(context.range());
    nvtxDomainRangePushEx(range_domain(), &range);
}

TimedRange::~TimedRange()
{
    if (open_)
        nvtxDomainRangePop(range_domain());
}

void Context::reserve_printf(std::uint64_t lines)
{
    constexpr std::uint64_t kBytesPerLine = 128; // a record contains the address of the format and the arguments
    std::size_t size = 0;
    check(cudaDeviceGetLimit(&size, cudaLimitPrintfFifoSize));
    if (size < lines * kBytesPerLine)
        check(cudaDeviceSetLimit(cudaLimitPrintfFifoSize, lines * kBytesPerLine));
}

void Context::begin(unsigned streams)
{
    while (streams_.size() < streams) {
        streams_.push_back(std::make_unique<Stream>());
        joins_.push_back(std::make_unique<Event>(cudaEventDisableTiming));
    }
    check(cudaDeviceSynchronize());
    host_launches_ = 0;
}

void Context::fork(unsigned streams)
{
    check(cudaEventRecord(start_, stream(0)));
    for (unsigned other = 1; other < streams; ++other)
        check(cudaStreamWaitEvent(stream(other), start_));
}

void Context::join(unsigned streams)
{
    for (unsigned other = 1; other < streams; ++other) {
        check(cudaEventRecord(*joins_[other], stream(other)));
        check(cudaStreamWaitEvent(stream(0), *joins_[other]));
    }
    check(cudaEventRecord(stop_, stream(0)));
}

void Context::flush_l2()
{
    if (other_data_.size() == 0)
        other_data_ = allocate<unsigned char>(2 * facts_.l2_bytes);
    fill_bytes(other_data_, 0, other_data_.size());
}

} // namespace nestbed::inline on_cuda
