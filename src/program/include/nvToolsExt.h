// NVTX marks ranges for NVIDIA's profilers. Here they do nothing.
#pragma once

#include <stdint.h>

// NOLINTBEGIN: these names are NVTX's.
#define NVTX_VERSION 3
#define NVTX_EVENT_ATTRIB_STRUCT_SIZE ((uint16_t)sizeof(nvtxEventAttributes_t))
enum nvtxColorType_t { NVTX_COLOR_UNKNOWN, NVTX_COLOR_ARGB };
enum nvtxMessageType_t { NVTX_MESSAGE_UNKNOWN, NVTX_MESSAGE_TYPE_ASCII, NVTX_MESSAGE_TYPE_UNICODE };
typedef int nvtxRangeId_t;
typedef struct nvtxDomain* nvtxDomainHandle_t;
typedef union nvtxMessageValue_t {
    const char* ascii;
    const wchar_t* unicode;
} nvtxMessageValue_t;
typedef struct nvtxEventAttributes_v2 {
    uint16_t version, size;
    uint32_t category;
    int32_t colorType;
    uint32_t color;
    int32_t payloadType, reserved0;
    union {
        uint64_t ullValue;
        int64_t llValue;
        double dValue;
    } payload;
    int32_t messageType;
    nvtxMessageValue_t message;
} nvtxEventAttributes_t;
#define NESTBED_NVTX(Result, name, ...)                                                                              \
    inline Result name(__VA_ARGS__)                                                                                  \
    {                                                                                                                \
        return Result();                                                                                             \
    }
NESTBED_NVTX(int, nvtxRangePushA, const char*)
NESTBED_NVTX(int, nvtxRangePush, const char*)
NESTBED_NVTX(int, nvtxRangePushEx, const nvtxEventAttributes_t*)
NESTBED_NVTX(int, nvtxRangePop, )
NESTBED_NVTX(nvtxRangeId_t, nvtxRangeStartA, const char*)
NESTBED_NVTX(nvtxRangeId_t, nvtxRangeStart, const char*)
NESTBED_NVTX(nvtxRangeId_t, nvtxRangeStartEx, const nvtxEventAttributes_t*)
NESTBED_NVTX(void, nvtxRangeEnd, nvtxRangeId_t)
NESTBED_NVTX(void, nvtxMarkA, const char*)
NESTBED_NVTX(void, nvtxMark, const char*)
NESTBED_NVTX(void, nvtxMarkEx, const nvtxEventAttributes_t*)
NESTBED_NVTX(void, nvtxNameOsThreadA, uint32_t, const char*)
NESTBED_NVTX(void, nvtxNameCategoryA, uint32_t, const char*)
NESTBED_NVTX(nvtxDomainHandle_t, nvtxDomainCreateA, const char*)
NESTBED_NVTX(void, nvtxDomainDestroy, nvtxDomainHandle_t)
NESTBED_NVTX(int, nvtxDomainRangePushEx, nvtxDomainHandle_t, const nvtxEventAttributes_t*)
NESTBED_NVTX(int, nvtxDomainRangePop, nvtxDomainHandle_t)
#undef NESTBED_NVTX
// NOLINTEND
