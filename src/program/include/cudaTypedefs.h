// The types of the driver's functions that make maps of tensors.
#pragma once

#include "cuda.h"

// NOLINTBEGIN: these names are CUDA's.
typedef decltype(&cuTensorMapEncodeTiled) PFN_cuTensorMapEncodeTiled_v12000;
typedef PFN_cuTensorMapEncodeTiled_v12000 PFN_cuTensorMapEncodeTiled;
typedef decltype(&cuTensorMapReplaceAddress) PFN_cuTensorMapReplaceAddress_v12000;
typedef PFN_cuTensorMapReplaceAddress_v12000 PFN_cuTensorMapReplaceAddress;
// NOLINTEND
