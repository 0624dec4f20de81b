#include "probes/launch_series.hpp"

#include "probes/kernels.hpp"

namespace aicf::probes {

Trial empty_launches(const std::string& id, std::int64_t grid, int launches, const Setting& setting) {
  KernelText k;
  k.source = "extern \"C\" __global__ void probe(unsigned* sink) {\n  if (blockIdx.x == 0xffffffffu) sink[0] = 1;\n}\n";
  k.grid = setting.device ? grid : 1;
  k.block = 128;
  k.buffers = {{"sink", DType::i32, 1, Arg::Role::output}};
  Trial t = trial(id, Trial::Reads::time, k);
  const Call call = t.calls.front();
  t.calls.assign(static_cast<std::size_t>(launches), call);
  return t;
}

Spread each_further(const Observation& few, const Observation& many, int further) {
  return {(many.spread.value - few.spread.value) / further, (many.spread.lo - few.spread.hi) / further,
          (many.spread.hi - few.spread.lo) / further, few.spread.samples};
}

} // namespace aicf::probes
