// Arrays, texture objects and surface objects. Reads of textures are reads of memory that is read-only for the whole kernel. Filters have
// weights of 8 bits behind the point, as the guide says ("Texture Fetching").
#pragma once

#include "intrinsics.hpp"
#include "memory_api.hpp"

#include <cmath>

// NOLINTBEGIN: these names are CUDA's.
enum cudaResourceType {
    cudaResourceTypeArray,
    cudaResourceTypeMipmappedArray,
    cudaResourceTypeLinear,
    cudaResourceTypePitch2D
};
enum cudaTextureAddressMode {
    cudaAddressModeWrap,
    cudaAddressModeClamp,
    cudaAddressModeMirror,
    cudaAddressModeBorder
};
enum cudaTextureFilterMode { cudaFilterModePoint, cudaFilterModeLinear };
enum cudaTextureReadMode { cudaReadModeElementType, cudaReadModeNormalizedFloat };
enum cudaSurfaceBoundaryMode { cudaBoundaryModeZero, cudaBoundaryModeClamp, cudaBoundaryModeTrap };
struct cudaResourceDesc {
    cudaResourceType resType;
    union {
        struct {
            cudaArray_t array;
        } array;
        struct {
            void* devPtr;
            cudaChannelFormatDesc desc;
            size_t sizeInBytes;
        } linear;
        struct {
            void* devPtr;
            cudaChannelFormatDesc desc;
            size_t width, height, pitchInBytes;
        } pitch2D;
    } res;
};
struct cudaTextureDesc {
    cudaTextureAddressMode addressMode[3];
    cudaTextureFilterMode filterMode;
    cudaTextureReadMode readMode;
    int sRGB;
    float borderColor[4];
    int normalizedCoords;
    unsigned maxAnisotropy;
    cudaTextureFilterMode mipmapFilterMode;
    float mipmapLevelBias, minMipmapLevelClamp, maxMipmapLevelClamp;
    int disableTrilinearOptimization, seamlessCubemap;
};
struct cudaResourceViewDesc;
using cudaTextureObject_t = unsigned long long;
using cudaSurfaceObject_t = unsigned long long;
#define cudaArrayDefault 0
#define cudaArrayLayered 1
#define cudaArraySurfaceLoadStore 2
#define cudaArrayCubemap 4
#define cudaArrayTextureGather 8

namespace nestbed::program
{

struct Texture {
    char* memory;
    std::size_t size[3]; // in texels
    std::size_t pitch;   // bytes
    cudaChannelFormatDesc format;
    cudaTextureDesc how;
};

template <class T, class = void>
struct LanesOf {
    using Scalar = T;
};
template <class T>
struct LanesOf<T, std::void_t<decltype(T::x)>> {
    using Scalar = decltype(T::x);
};

inline std::size_t texel_bytes(const cudaChannelFormatDesc& format)
{
    return static_cast<std::size_t>(format.x + format.y + format.z + format.w) / 8;
}
inline Texture texture_of(const cudaResourceDesc& resource, const cudaTextureDesc& how)
{
    if (resource.resType == cudaResourceTypeArray) {
        const cudaArray& of = *resource.res.array.array;
        return {of.memory, {of.width, of.height, of.depth}, of.width * texel_bytes(of.format), of.format, how};
    }
    if (resource.resType == cudaResourceTypePitch2D) {
        const auto& of = resource.res.pitch2D;
        return {static_cast<char*>(of.devPtr), {of.width, of.height, 1}, of.pitchInBytes, of.desc, how};
    }
    const auto& of = resource.res.linear;
    const std::size_t width = of.sizeInBytes / texel_bytes(of.desc);
    return {static_cast<char*>(of.devPtr), {width, 1, 1}, of.sizeInBytes, of.desc, how};
}
// An object is the address of what it is, with other bits: no kernel may use memory of the host. The detector does not see that this does.
inline unsigned long long object_of(Texture* texture)
{
    return ~reinterpret_cast<unsigned long long>(texture);
}
inline Texture* texture_at(unsigned long long object)
{
    return reinterpret_cast<Texture*>(~object);
}
__attribute__((no_sanitize("thread"))) inline Texture texture(unsigned long long object)
{
    return *texture_at(object);
}

template <class T>
T* texel_at(const Texture& of, std::ptrdiff_t x, std::ptrdiff_t y, std::ptrdiff_t z)
{
    return reinterpret_cast<T*>(of.memory + (z * static_cast<std::ptrdiff_t>(of.size[1]) + y) *
                                                static_cast<std::ptrdiff_t>(of.pitch)) +
           x;
}
template <class Channel, class T>
T normalized_texel(const Texture& of, std::ptrdiff_t x, std::ptrdiff_t y, std::ptrdiff_t z)
{
    using Scalar = typename LanesOf<T>::Scalar;
    constexpr std::size_t kLanes = sizeof(T) / sizeof(Scalar);
    T result{};
    const Channel* const from =
        texel_at<Channel>(of, x * static_cast<std::ptrdiff_t>(texel_bytes(of.format) / sizeof(Channel)), y, z);
    for (std::size_t lane = 0; lane < kLanes && lane < texel_bytes(of.format) / sizeof(Channel); ++lane) {
        const float value =
            static_cast<float>(__ldg(from + lane)) / static_cast<float>(std::numeric_limits<Channel>::max());
        reinterpret_cast<Scalar*>(&result)[lane] = static_cast<Scalar>(value < -1 ? -1 : value);
    }
    return result;
}
template <class T>
T texel(const Texture& of, std::ptrdiff_t x, std::ptrdiff_t y, std::ptrdiff_t z)
{
    if (of.how.readMode == cudaReadModeElementType) {
        if (sizeof(T) != texel_bytes(of.format))
            fault(cudaErrorInvalidValue, "a texture is read as a type that has not the size of its texels");
        return __ldg(texel_at<T>(of, x, y, z));
    }
    const bool is_signed = of.format.f == cudaChannelFormatKindSigned;
    if (of.format.x == 8)
        return is_signed ? normalized_texel<signed char, T>(of, x, y, z)
                         : normalized_texel<unsigned char, T>(of, x, y, z);
    return is_signed ? normalized_texel<short, T>(of, x, y, z) : normalized_texel<unsigned short, T>(of, x, y, z);
}

// The place in `size` texels; less than 0: outside, where the border is.
inline std::ptrdiff_t addressed(std::ptrdiff_t at, std::ptrdiff_t size, cudaTextureAddressMode mode, bool normalized)
{
    if (mode == cudaAddressModeBorder)
        return at < 0 || at >= size ? -1 : at;
    if (normalized && mode == cudaAddressModeWrap)
        return (at % size + size) % size;
    if (normalized && mode == cudaAddressModeMirror) {
        const std::ptrdiff_t in_two = (at % (2 * size) + 2 * size) % (2 * size);
        return in_two < size ? in_two : 2 * size - 1 - in_two;
    }
    return at < 0 ? 0 : at >= size ? size - 1 : at;
}
template <class T>
T texel_or_border(const Texture& of, const std::ptrdiff_t (&at)[3])
{
    std::ptrdiff_t place[3];
    for (int i = 0; i < 3; ++i) {
        place[i] = addressed(at[i], static_cast<std::ptrdiff_t>(of.size[i]), of.how.addressMode[i],
                             of.how.normalizedCoords != 0);
        if (place[i] >= 0)
            continue;
        using Scalar = typename LanesOf<T>::Scalar;
        T border{};
        for (std::size_t lane = 0; lane < sizeof(T) / sizeof(Scalar); ++lane)
            reinterpret_cast<Scalar*>(&border)[lane] = static_cast<Scalar>(of.how.borderColor[lane]);
        return border;
    }
    return texel<T>(of, place[0], place[1], place[2]);
}
// Of so many coordinates. `layer`: of a layered texture, the third place.
template <class T, int dimensions>
T sampled(unsigned long long object, float x, float y, float z, int layer = 0)
{
    const Texture of = texture(object);
    const float coordinates[3] = {x, y, z};
    const bool is_linear = of.how.filterMode == cudaFilterModeLinear;
    std::ptrdiff_t begin[3] = {0, 0, layer};
    float weight[3] = {};
    // To a filter a line is the only row of an image, between two borders, and is read at y = 0: seen on an H200.
    constexpr int kFiltered = dimensions == 1 ? 2 : dimensions;
    for (int i = 0; i < (is_linear ? kFiltered : dimensions); ++i) {
        float at = coordinates[i];
        if (of.how.normalizedCoords != 0)
            at *= static_cast<float>(of.size[i]);
        if (is_linear)
            at -= 0.5F;
        begin[i] = static_cast<std::ptrdiff_t>(std::floor(at));
        weight[i] = std::floor((at - std::floor(at)) * 256.0F + 0.5F) / 256.0F;
    }
    if (!is_linear)
        return texel_or_border<T>(of, begin);
    using Scalar = typename LanesOf<T>::Scalar;
    T result{};
    for (int corner = 0; corner < 1 << kFiltered; ++corner) {
        std::ptrdiff_t at[3] = {begin[0], begin[1], begin[2]};
        float share = 1;
        for (int i = 0; i < kFiltered; ++i) {
            const int bit = corner >> i & 1;
            at[i] += bit;
            share *= bit != 0 ? weight[i] : 1 - weight[i];
        }
        if (share == 0)
            continue;
        T value = texel_or_border<T>(of, at);
        for (std::size_t lane = 0; lane < sizeof(T) / sizeof(Scalar); ++lane)
            reinterpret_cast<Scalar*>(&result)[lane] +=
                static_cast<Scalar>(share * static_cast<float>(reinterpret_cast<Scalar*>(&value)[lane]));
    }
    return result;
}

// Of a surface: x in bytes. nullptr: outside, where zeros are and writes do nothing.
template <class T>
T* surface_at(unsigned long long object, int x, int y, int z, cudaSurfaceBoundaryMode mode)
{
    const Texture of = texture(object);
    const std::ptrdiff_t at[3] = {x / static_cast<std::ptrdiff_t>(sizeof(T)), y, z};
    std::ptrdiff_t place[3];
    for (int i = 0; i < 3; ++i) {
        const auto size = static_cast<std::ptrdiff_t>(i == 0 ? of.pitch / sizeof(T) : of.size[i]);
        place[i] = at[i] < 0 ? 0 : at[i] >= size ? size - 1 : at[i];
        if (place[i] == at[i] || mode == cudaBoundaryModeClamp)
            continue;
        if (mode == cudaBoundaryModeZero)
            return nullptr;
        fault(cudaErrorIllegalAddress, "an access outside of a surface");
    }
    return texel_at<T>(of, place[0], place[1], place[2]);
}

} // namespace nestbed::program

inline cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, cudaChannelFormatKind kind)
{
    return {x, y, z, w, kind};
}
template <class T>
cudaChannelFormatDesc cudaCreateChannelDesc()
{
    using Scalar = typename nestbed::program::LanesOf<T>::Scalar;
    constexpr int kBits = 8 * sizeof(Scalar), kLanes = sizeof(T) / sizeof(Scalar);
    return {kBits, kLanes > 1 ? kBits : 0, kLanes > 2 ? kBits : 0, kLanes > 2 ? kBits : 0,
            std::is_floating_point<Scalar>::value ? cudaChannelFormatKindFloat
            : std::is_signed<Scalar>::value       ? cudaChannelFormatKindSigned
                                                  : cudaChannelFormatKindUnsigned};
}
inline cudaError_t cudaMalloc3DArray(cudaArray_t* array, const cudaChannelFormatDesc* format, cudaExtent extent,
                                     unsigned flags = 0, const char* name = "array",
                                     nestbed::program::Place place = {__builtin_FILE(), __builtin_LINE()})
{
    const size_t height = extent.height == 0 ? 1 : extent.height, depth = extent.depth == 0 ? 1 : extent.depth;
    const size_t texel = nestbed::program::texel_bytes(*format);
    void* memory = nullptr;
    const cudaError_t error = nestbed::program::allocate(&memory, extent.width * height * depth * texel, texel, name,
                                                         place, nestbed::program::MemoryKind::device);
    if (error == cudaSuccess)
        *array = new cudaArray{*format, extent.width, height, depth, static_cast<char*>(memory), extent, flags};
    return error;
}
inline cudaError_t cudaMallocArray(cudaArray_t* array, const cudaChannelFormatDesc* format, size_t width,
                                   size_t height = 0, unsigned flags = 0, const char* name = "array",
                                   nestbed::program::Place place = {__builtin_FILE(), __builtin_LINE()})
{
    return cudaMalloc3DArray(array, format, {width, height, 0}, flags, name, place);
}
inline cudaError_t cudaFreeArray(cudaArray_t array)
{
    if (array == nullptr)
        return cudaSuccess;
    const cudaError_t error = cudaFree(array->memory);
    delete array;
    return error;
}
inline cudaError_t cudaArrayGetInfo(cudaChannelFormatDesc* format, cudaExtent* extent, unsigned* flags,
                                    cudaArray_t array)
{
    if (array == nullptr)
        return cudaErrorInvalidResourceHandle;
    if (format != nullptr)
        *format = array->format;
    if (extent != nullptr)
        *extent = array->extent;
    if (flags != nullptr)
        *flags = array->flags;
    return cudaSuccess;
}
inline cudaError_t cudaGetChannelDesc(cudaChannelFormatDesc* format, cudaArray_const_t array)
{
    if (format == nullptr || array == nullptr)
        return cudaErrorInvalidValue;
    *format = array->format;
    return cudaSuccess;
}

namespace nestbed::program
{
inline size_t row_bytes(const cudaArray& array)
{
    return array.width * texel_bytes(array.format);
}
// `x` in bytes.
inline char* place_in(const cudaArray& array, size_t x, size_t y)
{
    return array.memory + y * row_bytes(array) + x;
}
} // namespace nestbed::program

// The widths are in bytes.
inline cudaError_t cudaMemcpy2DToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                       size_t width, size_t height, cudaMemcpyKind kind)
{
    return cudaMemcpy2D(nestbed::program::place_in(*to, x, y), nestbed::program::row_bytes(*to), from, pitch, width,
                        height, kind);
}
inline cudaError_t cudaMemcpy2DToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t pitch,
                                            size_t width, size_t height, cudaMemcpyKind kind,
                                            cudaStream_t stream = nullptr)
{
    return cudaMemcpy2DAsync(nestbed::program::place_in(*to, x, y), nestbed::program::row_bytes(*to), from, pitch,
                             width, height, kind, stream);
}
inline cudaError_t cudaMemcpy2DFromArray(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                         size_t width, size_t height, cudaMemcpyKind kind)
{
    return cudaMemcpy2D(to, pitch, nestbed::program::place_in(*from, x, y), nestbed::program::row_bytes(*from), width,
                        height, kind);
}
inline cudaError_t cudaMemcpy2DFromArrayAsync(void* to, size_t pitch, cudaArray_const_t from, size_t x, size_t y,
                                              size_t width, size_t height, cudaMemcpyKind kind,
                                              cudaStream_t stream = nullptr)
{
    return cudaMemcpy2DAsync(to, pitch, nestbed::program::place_in(*from, x, y), nestbed::program::row_bytes(*from),
                             width, height, kind, stream);
}
inline cudaError_t cudaMemcpy2DArrayToArray(cudaArray_t to, size_t to_x, size_t to_y, cudaArray_const_t from,
                                            size_t x, size_t y, size_t width, size_t height,
                                            cudaMemcpyKind kind = cudaMemcpyDeviceToDevice)
{
    return cudaMemcpy2D(nestbed::program::place_in(*to, to_x, to_y), nestbed::program::row_bytes(*to),
                        nestbed::program::place_in(*from, x, y), nestbed::program::row_bytes(*from), width, height,
                        kind);
}
// Rows of an array have no gaps.
inline cudaError_t cudaMemcpyToArray(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                                     cudaMemcpyKind kind)
{
    return cudaMemcpy(nestbed::program::place_in(*to, x, y), from, bytes, kind);
}
inline cudaError_t cudaMemcpyToArrayAsync(cudaArray_t to, size_t x, size_t y, const void* from, size_t bytes,
                                          cudaMemcpyKind kind, cudaStream_t stream = nullptr)
{
    return cudaMemcpyAsync(nestbed::program::place_in(*to, x, y), from, bytes, kind, stream);
}
inline cudaError_t cudaMemcpyFromArray(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                       cudaMemcpyKind kind)
{
    return cudaMemcpy(to, nestbed::program::place_in(*from, x, y), bytes, kind);
}
inline cudaError_t cudaMemcpyFromArrayAsync(void* to, cudaArray_const_t from, size_t x, size_t y, size_t bytes,
                                            cudaMemcpyKind kind, cudaStream_t stream = nullptr)
{
    return cudaMemcpyAsync(to, nestbed::program::place_in(*from, x, y), bytes, kind, stream);
}
inline cudaError_t cudaCreateTextureObject(cudaTextureObject_t* object, const cudaResourceDesc* resource,
                                           const cudaTextureDesc* how, const cudaResourceViewDesc* view)
{
    if (object == nullptr || resource == nullptr || how == nullptr || view != nullptr ||
        resource->resType == cudaResourceTypeMipmappedArray)
        return cudaErrorInvalidValue;
    nestbed::program::Texture texture = nestbed::program::texture_of(*resource, *how);
    const bool is_float = texture.format.f == cudaChannelFormatKindFloat;
    if (is_float)
        texture.how.readMode = cudaReadModeElementType;
    const bool normalizes = texture.how.readMode == cudaReadModeNormalizedFloat;
    if (how->filterMode == cudaFilterModeLinear && !normalizes && !is_float)
        return cudaErrorInvalidFilterSetting;
    if (normalizes && texture.format.x > 16)
        return cudaErrorInvalidNormSetting;
    *object = nestbed::program::object_of(new nestbed::program::Texture(texture));
    return cudaSuccess;
}
inline cudaError_t cudaDestroyTextureObject(cudaTextureObject_t object)
{
    delete nestbed::program::texture_at(object);
    return cudaSuccess;
}
inline cudaError_t cudaCreateSurfaceObject(cudaSurfaceObject_t* object, const cudaResourceDesc* resource)
{
    const cudaTextureDesc how = {};
    return resource != nullptr && resource->resType == cudaResourceTypeArray
               ? cudaCreateTextureObject(object, resource, &how, nullptr)
               : cudaErrorInvalidValue;
}
inline cudaError_t cudaDestroySurfaceObject(cudaSurfaceObject_t object)
{
    return cudaDestroyTextureObject(object);
}

// Of linear memory, in which a place outside is 0.
template <class T>
T tex1Dfetch(cudaTextureObject_t object, int x)
{
    const nestbed::program::Texture of = nestbed::program::texture(object);
    return x < 0 || (size_t)x >= of.size[0] ? T{} : nestbed::program::texel<T>(of, x, 0, 0);
}
#define NESTBED_TEX(name, parameters, arguments, ...)                                                                \
    template <class T>                                                                                               \
    T name parameters                                                                                                \
    {                                                                                                                \
        return nestbed::program::sampled<T, __VA_ARGS__> arguments;                                                  \
    }
NESTBED_TEX(tex1D, (cudaTextureObject_t object, float x), (object, x, 0, 0), 1)
NESTBED_TEX(tex2D, (cudaTextureObject_t object, float x, float y), (object, x, y, 0), 2)
NESTBED_TEX(tex3D, (cudaTextureObject_t object, float x, float y, float z), (object, x, y, z), 3)
NESTBED_TEX(tex1DLod, (cudaTextureObject_t object, float x, float), (object, x, 0, 0), 1)
NESTBED_TEX(tex2DLod, (cudaTextureObject_t object, float x, float y, float), (object, x, y, 0), 2)
NESTBED_TEX(tex2DLayered, (cudaTextureObject_t object, float x, float y, int layer), (object, x, y, 0, layer), 2)
#undef NESTBED_TEX
#define NESTBED_SURFACE(dimension, parameters, ...)                                                                  \
    template <class T>                                                                                               \
    void surf##dimension##read(T* value, cudaSurfaceObject_t object, parameters,                                     \
                               cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                  \
    {                                                                                                                \
        const T* const from = nestbed::program::surface_at<T>(object, __VA_ARGS__, mode);                            \
        *value = from == nullptr ? T{} : *from;                                                                      \
    }                                                                                                                \
    template <class T>                                                                                               \
    T surf##dimension##read(cudaSurfaceObject_t object, parameters,                                                  \
                            cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                     \
    {                                                                                                                \
        const T* const from = nestbed::program::surface_at<T>(object, __VA_ARGS__, mode);                            \
        return from == nullptr ? T{} : *from;                                                                        \
    }                                                                                                                \
    template <class T>                                                                                               \
    void surf##dimension##write(T value, cudaSurfaceObject_t object, parameters,                                     \
                                cudaSurfaceBoundaryMode mode = cudaBoundaryModeTrap)                                 \
    {                                                                                                                \
        if (T* const to = nestbed::program::surface_at<T>(object, __VA_ARGS__, mode))                                \
            *to = value;                                                                                             \
    }
#define NESTBED_XY int x, int y
#define NESTBED_XYZ int x, int y, int z
NESTBED_SURFACE(1D, int x, x, 0, 0)
NESTBED_SURFACE(2D, NESTBED_XY, x, y, 0)
NESTBED_SURFACE(3D, NESTBED_XYZ, x, y, z)
#undef NESTBED_SURFACE
// NOLINTEND
