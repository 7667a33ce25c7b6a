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
inline int nvtxRangePushA(const char*)
{
    return 0;
}
inline int nvtxRangePush(const char*)
{
    return 0;
}
inline int nvtxRangePushEx(const nvtxEventAttributes_t*)
{
    return 0;
}
inline int nvtxRangePop()
{
    return 0;
}
inline nvtxRangeId_t nvtxRangeStartA(const char*)
{
    return 0;
}
inline nvtxRangeId_t nvtxRangeStart(const char*)
{
    return 0;
}
inline nvtxRangeId_t nvtxRangeStartEx(const nvtxEventAttributes_t*)
{
    return 0;
}
inline void nvtxRangeEnd(nvtxRangeId_t) {}
inline void nvtxMarkA(const char*) {}
inline void nvtxMark(const char*) {}
inline void nvtxMarkEx(const nvtxEventAttributes_t*) {}
inline void nvtxNameOsThreadA(uint32_t, const char*) {}
inline void nvtxNameCategoryA(uint32_t, const char*) {}
inline nvtxDomainHandle_t nvtxDomainCreateA(const char*)
{
    return nullptr;
}
inline void nvtxDomainDestroy(nvtxDomainHandle_t) {}
inline int nvtxDomainRangePushEx(nvtxDomainHandle_t, const nvtxEventAttributes_t*)
{
    return 0;
}
inline int nvtxDomainRangePop(nvtxDomainHandle_t)
{
    return 0;
}
// NOLINTEND
