// Memory pools: of the device, of the program; what they hold, by allocations and frees in the order of streams.
#include "../check.h"

#include <cstdint>

__global__ void fill(int* to, int count, int from)
{
    for (int i = static_cast<int>(threadIdx.x); i < count; i += static_cast<int>(blockDim.x))
        to[i] = from + i;
}

static std::uint64_t size_of(cudaMemPool_t pool, cudaMemPoolAttr attribute)
{
    std::uint64_t size = 1;
    CHECK(cudaMemPoolGetAttribute(pool, attribute, &size));
    return size;
}
static void print(const char* what, cudaMemPool_t pool)
{
    CHECK(cudaDeviceSynchronize());
    std::printf("%s: used %d MiB, at most %d\n", what,
                static_cast<int>(size_of(pool, cudaMemPoolAttrUsedMemCurrent) >> 20),
                static_cast<int>(size_of(pool, cudaMemPoolAttrUsedMemHigh) >> 20));
}

int main()
{
    constexpr int kCount = 1 << 20;
    constexpr std::size_t kBytes = kCount * sizeof(int);
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    cudaMemPool_t of_device, current, own;
    CHECK(cudaDeviceGetDefaultMemPool(&of_device, 0));
    CHECK(cudaDeviceGetMemPool(&current, 0));
    std::printf("the device's own pool is %s\n", of_device == current ? "used" : "not used");
    std::uint64_t threshold = UINT64_MAX;
    CHECK(cudaMemPoolSetAttribute(of_device, cudaMemPoolAttrReleaseThreshold, &threshold));
    std::printf("threshold %d\n", size_of(of_device, cudaMemPoolAttrReleaseThreshold) == threshold);

    int *first, *second, *third;
    CHECK(cudaMallocAsync(&first, kBytes, stream));
    fill<<<1, 256, 0, stream>>>(first, kCount, 5);
    print("one", of_device);
    std::printf("reserved %d\n", size_of(of_device, cudaMemPoolAttrReservedMemCurrent) >= kBytes);

    cudaMemPoolProps properties{};
    properties.allocType = cudaMemAllocationTypePinned;
    properties.location.type = cudaMemLocationTypeDevice;
    properties.location.id = 0;
    CHECK(cudaMemPoolCreate(&own, &properties));
    CHECK(cudaMallocFromPoolAsync(&second, 2 * kBytes, own, stream));
    CHECK(cudaMallocAsync(&third, kBytes, own, stream));
    fill<<<1, 256, 0, stream>>>(second, 2 * kCount, 7);
    fill<<<1, 256, 0, stream>>>(third, kCount, 9);
    print("own", own);
    int host[3];
    CHECK(cudaMemcpyAsync(&host[0], first + kCount - 1, sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaMemcpyAsync(&host[1], second + 2 * kCount - 1, sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaMemcpyAsync(&host[2], third + 1, sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(second, stream));
    print("less", own);
    std::printf("%d %d %d\n", host[0] - kCount, host[1] - 2 * kCount, host[2]);

    CHECK(cudaDeviceSetMemPool(0, own));
    CHECK(cudaMallocAsync(&second, kBytes, stream));
    print("the device's", own);
    CHECK(cudaFreeAsync(second, stream));
    CHECK(cudaStreamSynchronize(stream));
    std::uint64_t none = 0;
    CHECK(cudaMemPoolSetAttribute(own, cudaMemPoolAttrUsedMemHigh, &none));
    print("forgotten", own);
    CHECK(cudaMemPoolTrimTo(own, 0));

    int reuse = 0;
    CHECK(cudaMemPoolSetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &reuse));
    reuse = 7;
    CHECK(cudaMemPoolGetAttribute(own, cudaMemPoolReuseAllowOpportunistic, &reuse));
    cudaMemAccessDesc access{};
    access.location = properties.location;
    access.flags = cudaMemAccessFlagsProtReadWrite;
    CHECK(cudaMemPoolSetAccess(own, &access, 1));
    cudaMemAccessFlags flags;
    CHECK(cudaMemPoolGetAccess(&flags, own, &access.location));
    std::printf("reuse %d, access %d\n", reuse, static_cast<int>(flags));

    CHECK(cudaMemPoolDestroy(own)); // with the third allocation, which stays
    CHECK(cudaDeviceGetMemPool(&current, 0));
    std::printf("then the device's own pool is %s\n", of_device == current ? "used" : "not used");
    fill<<<1, 256, 0, stream>>>(third, kCount, 1);
    CHECK(cudaMemcpyAsync(&host[2], third + 1, sizeof(int), cudaMemcpyDeviceToHost, stream));
    CHECK(cudaFreeAsync(third, stream));
    CHECK(cudaFree(first));
    CHECK(cudaStreamSynchronize(stream));
    std::printf("%d\n", host[2]);
    std::printf("%s\n", cudaGetErrorName(cudaMemPoolDestroy(of_device)));
    cudaGetLastError();
    properties.allocType = cudaMemAllocationTypeInvalid;
    std::printf("%s\n", cudaGetErrorName(cudaMemPoolCreate(&own, &properties)));
    cudaGetLastError();
    std::printf("%s\n", cudaGetErrorName(cudaDeviceGetMemPool(&own, 99)));
    cudaGetLastError();
    return 0;
}
