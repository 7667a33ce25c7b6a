// Textures and surfaces: addressing, filters, kinds of memory and of texels. Numbers that every machine computes exactly.
#include "../check.h"

#include <cuda_runtime.h>

constexpr int kWidth = 8, kHeight = 4;

__global__ void read_linear(cudaTextureObject_t texture, float* to, int count)
{
    const int i = threadIdx.x;
    to[i] = i < count + 2 ? tex1Dfetch<float>(texture, i - 1) : 0.0F;
}
__global__ void sample_line(cudaTextureObject_t texture, float* to, float scale)
{
    to[threadIdx.x] = tex1D<float>(texture, (static_cast<float>(threadIdx.x) - 24.0F) * scale);
}
__global__ void sample(cudaTextureObject_t texture, float* to, float begin, float step)
{
    to[threadIdx.x] = tex2D<float>(texture, begin + step * static_cast<float>(threadIdx.x % 8),
                                   begin + step * static_cast<float>(threadIdx.x / 8));
}
__global__ void sample_pixels(cudaTextureObject_t texture, float* to)
{
    const float4 value = tex2D<float4>(texture, static_cast<float>(threadIdx.x % kWidth) + 0.5F,
                                       static_cast<float>(threadIdx.x / kWidth) + 0.5F);
    to[threadIdx.x] = value.x * 255 + 2 * value.y * 255 + 3 * value.z * 255 + 4 * value.w * 255;
}
__global__ void sample_volume(cudaTextureObject_t texture, float* to)
{
    to[threadIdx.x] = tex3D<float>(texture, 0.25F * static_cast<float>(threadIdx.x % 8), 0.75F, 1.25F);
}
__global__ void invert(cudaSurfaceObject_t from, cudaSurfaceObject_t to)
{
    const int x = threadIdx.x % kWidth, y = threadIdx.x / kWidth;
    float value = surf2Dread<float>(from, 4 * (x + 2), y, cudaBoundaryModeZero);
    float clamped;
    surf2Dread(&clamped, from, 4 * (x - 2), y - 1, cudaBoundaryModeClamp);
    surf2Dwrite(100 - value + clamped, to, 4 * (kWidth - 1 - x), y);
}

static float* results;
static double line(const char* name)
{
    CHECK(cudaDeviceSynchronize());
    double sum = 0;
    for (int i = 0; i < 64; ++i)
        sum += static_cast<double>(results[i]) * (i + 1);
    printf("%-10s %g %g %g %g\n", name, sum, results[0], results[9], results[31]);
    return sum;
}
static cudaTextureObject_t made(const cudaResourceDesc& resource, cudaTextureAddressMode mode,
                                cudaTextureFilterMode filter, bool normalized,
                                cudaTextureReadMode read = cudaReadModeElementType)
{
    cudaTextureDesc how = {};
    for (cudaTextureAddressMode& each : how.addressMode)
        each = mode;
    how.filterMode = filter;
    how.readMode = read;
    how.normalizedCoords = normalized;
    how.borderColor[0] = 64;
    cudaTextureObject_t texture = 0;
    CHECK(cudaCreateTextureObject(&texture, &resource, &how, nullptr));
    return texture;
}

int main()
{
    CHECK(cudaMallocManaged(&results, 64 * sizeof(float)));
    float image[kHeight][kWidth];
    for (int i = 0; i < kWidth * kHeight; ++i)
        image[i / kWidth][i % kWidth] = static_cast<float>(i * i % 61);
    double all = 0;

    float* linear;
    CHECK(cudaMalloc(&linear, sizeof image));
    CHECK(cudaMemcpy(linear, image, sizeof image, cudaMemcpyHostToDevice));
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeLinear;
    resource.res.linear.devPtr = linear;
    resource.res.linear.desc = cudaCreateChannelDesc<float>();
    resource.res.linear.sizeInBytes = 20 * sizeof(float);
    cudaTextureObject_t texture = made(resource, cudaAddressModeClamp, cudaFilterModePoint, false);
    read_linear<<<1, 64>>>(texture, results, 20);
    all += line("linear");
    CHECK(cudaDestroyTextureObject(texture));

    const cudaChannelFormatDesc format = cudaCreateChannelDesc<float>();
    cudaArray_t row, array, other;
    CHECK(cudaMallocArray(&row, &format, kWidth));
    CHECK(cudaMemcpy2DToArray(row, 0, 0, image, sizeof image[0], sizeof image[0], 1, cudaMemcpyHostToDevice));
    CHECK(cudaMallocArray(&array, &format, kWidth, kHeight, cudaArraySurfaceLoadStore));
    CHECK(cudaMallocArray(&other, &format, kWidth, kHeight, cudaArraySurfaceLoadStore));
    CHECK(cudaMemcpy2DToArray(array, 0, 0, image, sizeof image[0], sizeof image[0], kHeight, cudaMemcpyHostToDevice));
    resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = row;
    const cudaTextureAddressMode modes[] = {cudaAddressModeWrap, cudaAddressModeClamp, cudaAddressModeMirror,
                                            cudaAddressModeBorder};
    const char* names[] = {"wrap", "clamp", "mirror", "border"};
    for (int mode = 0; mode < 4; ++mode)
        for (const cudaTextureFilterMode filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
            texture = made(resource, modes[mode], filter, true);
            sample_line<<<1, 64>>>(texture, results, 1.0F / 16);
            all += line(names[mode]);
            CHECK(cudaDestroyTextureObject(texture));
        }
    resource.res.array.array = array;
    for (const cudaTextureFilterMode filter : {cudaFilterModePoint, cudaFilterModeLinear}) {
        texture = made(resource, cudaAddressModeClamp, filter, false);
        sample<<<1, 64>>>(texture, results, -0.75F, 1.25F);
        all += line("image");
        CHECK(cudaDestroyTextureObject(texture));
    }

    cudaResourceDesc to = resource;
    to.res.array.array = other;
    cudaSurfaceObject_t in, out;
    CHECK(cudaCreateSurfaceObject(&in, &resource));
    CHECK(cudaCreateSurfaceObject(&out, &to));
    invert<<<1, kWidth * kHeight>>>(in, out);
    CHECK(cudaMemcpy2DFromArray(results, sizeof image[0], other, 0, 0, sizeof image[0], kHeight,
                                cudaMemcpyDeviceToHost));
    all += line("surface");

    uchar4* pixels;
    size_t pitch;
    CHECK(cudaMallocPitch(&pixels, &pitch, kWidth * sizeof(uchar4), kHeight));
    uchar4 picture[kHeight][kWidth];
    for (int i = 0; i < kWidth * kHeight; ++i)
        picture[i / kWidth][i % kWidth] = make_uchar4(255, 0, i % 2 == 0 ? 255 : 0, i % 3 == 0 ? 255 : 0);
    CHECK(
        cudaMemcpy2D(pixels, pitch, picture, sizeof picture[0], sizeof picture[0], kHeight, cudaMemcpyHostToDevice));
    resource = {};
    resource.resType = cudaResourceTypePitch2D;
    resource.res.pitch2D.devPtr = pixels;
    resource.res.pitch2D.desc = cudaCreateChannelDesc<uchar4>();
    resource.res.pitch2D.width = kWidth;
    resource.res.pitch2D.height = kHeight;
    resource.res.pitch2D.pitchInBytes = pitch;
    texture = made(resource, cudaAddressModeClamp, cudaFilterModePoint, false, cudaReadModeNormalizedFloat);
    sample_pixels<<<1, kWidth * kHeight>>>(texture, results);
    all += line("pixels");
    cudaTextureDesc how = {};
    how.filterMode = cudaFilterModeLinear;
    printf("%s\n", cudaGetErrorName(cudaCreateTextureObject(&texture, &resource, &how, nullptr)));
    cudaGetLastError();

    cudaArray_t volume;
    CHECK(cudaMalloc3DArray(&volume, &format, make_cudaExtent(4, 4, 2)));
    cudaMemcpy3DParms copy = {};
    copy.srcPtr = make_cudaPitchedPtr(image, 4 * sizeof(float), 4, 4);
    copy.dstArray = volume;
    copy.extent = make_cudaExtent(4, 4, 2);
    copy.kind = cudaMemcpyHostToDevice;
    CHECK(cudaMemcpy3D(&copy));
    resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = volume;
    texture = made(resource, cudaAddressModeClamp, cudaFilterModeLinear, false);
    sample_volume<<<1, 64>>>(texture, results);
    all += line("volume");
    cudaExtent extent;
    unsigned flags = 7;
    cudaChannelFormatDesc found;
    CHECK(cudaArrayGetInfo(&found, &extent, &flags, array));
    printf("info %d %d %d %d %u\n", found.x, static_cast<int>(extent.width), static_cast<int>(extent.height),
           static_cast<int>(extent.depth), flags);
    CHECK(cudaGetChannelDesc(&found, volume));
    cudaArray_t copied;
    CHECK(cudaMallocArray(&copied, &format, 4, 2));
    cudaStream_t stream;
    CHECK(cudaStreamCreate(&stream));
    float there[8] = {1, 2, 3, 4, 5, 6, 7, 8}, back[8] = {};
    CHECK(cudaMemcpy2DToArrayAsync(copied, 0, 0, there, 16, 16, 2, cudaMemcpyHostToDevice, stream));
    CHECK(cudaMemcpy2DFromArrayAsync(back, 16, copied, 4, 0, 8, 2, cudaMemcpyDeviceToHost, stream));
    CHECK(cudaStreamSynchronize(stream));
    printf("arrays %d %g %g %g %g\n", found.x, back[0], back[1], back[4], back[5]);
    cudaArray_t second;
    CHECK(cudaMallocArray(&second, &format, 4, 2));
    CHECK(cudaMemcpy2DArrayToArray(second, 0, 0, copied, 8, 0, 8, 2));
    CHECK(cudaMemcpy2DFromArray(back, 8, second, 0, 0, 8, 2, cudaMemcpyDeviceToHost));
    printf("arrays %g %g %g %g\n", back[0], back[1], back[2], back[3]);
    for (const cudaArray_t each : {row, array, other, volume, copied, second})
        CHECK(cudaFreeArray(each));
    printf("right: %g\n", all);
    return 0;
}
