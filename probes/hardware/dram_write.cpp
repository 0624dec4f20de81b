#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class DramWrite final : public StreamProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = stream_text("dram_write", "DRAM write bandwidth", "bytes a second written to DRAM");
    t.quick = true;
    return t;
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting& setting) const override {
    const std::int64_t bytes = setting.device ? std::int64_t{1} << 30U : 1 << 16, n = bytes / 16;
    std::vector<Entry> out;
    for (const char* hint : {"", ".cs"}) {
      KernelText k;
      k.source = filled(R"(extern "C" __global__ void __launch_bounds__(512) probe(uint4* to, long long n) {
  const long long first = blockIdx.x * 2048ll + threadIdx.x;
#pragma unroll
  for (int i = 0; i < 4; ++i)
    if (first + 512 * i < n) {
      const unsigned v = static_cast<unsigned>(first) * 2654435761u + i;
      asm volatile("st.global@HINT@.v4.u32 [%0], {%1, %2, %3, %4};"
                   :: "l"(to + first + 512 * i), "r"(v), "r"(v ^ 1), "r"(v ^ 2), "r"(v ^ 3) : "memory");
    }
}
)",
                        {{"HINT", hint}});
      k.grid = (n + 2047) / 2048;
      k.block = 512;
      k.buffers = {{"to", DType::f32, 4 * n, Arg::Role::output}};
      k.values = {{"n", n}};
      k.expects = {{std::string("st.global") + hint + ".v4", 4}};
      out.push_back({*hint == 0 ? "plain" : "streaming", *hint == 0 ? "DRAM write" : "DRAM write, evict-first (.cs)", k,
                     static_cast<double>(bytes)});
    }
    return out;
  }
};
const RegisterProbe dram_write{"dram_write", make_probe<DramWrite>};

} // namespace
} // namespace aicf::probes
