#pragma once
#error "nestbed's executor does not support thrust::device_malloc"
