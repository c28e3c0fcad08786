#pragma once

namespace glassformer {

/// The most GFLOP/s this machine can do, measured: fused multiply-adds in the widest vectors this build may use, on
/// numbers that stay in registers, on as many threads as run_tasks uses. A multiply-add counts as two operations. No
/// matrix product can be faster. Takes about 5 ms: the fastest of three tries.
double measure_fma_peak();

}  // namespace glassformer
