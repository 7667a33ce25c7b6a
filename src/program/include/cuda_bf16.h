#pragma once
#error "nestbed's executor does not support __nv_bfloat16"
