#pragma once
#error "nestbed's executor does not support asynchronous barriers (cuda_awbarrier.h)"
