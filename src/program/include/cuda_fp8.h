#pragma once
#error "nestbed's executor does not support 8-bit floating-point types"
