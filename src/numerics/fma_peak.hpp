#pragma once

namespace glassformer {

/// How many GFLOP/s this machine can do at most, measured: fused multiply-adds in the widest vectors that this build
/// may use, on numbers that never leave the registers, as many chains of them side by side as hide their latency, on as
/// many threads as run_tasks uses. A multiply-add counts as two operations. No matrix product can be faster; how near
/// one comes says how well it uses the processor. The fastest of three tries counts; they take about 5 ms.
double measure_fma_peak();

}  // namespace glassformer
