#pragma once
#error "nestbed's executor does not support asynchronous copies (cuda_pipeline.h)"
