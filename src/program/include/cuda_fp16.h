#pragma once
#error "nestbed's executor does not support half precision (cuda_fp16.h)"
