#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class SharedLatency final : public LatencyProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = latency_text("shared_latency", "Latency of shared memory",
                               "cycles of a dependent 4-byte load that hits no conflict");
    t.quick = true;
    return t;
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    Chain load{.state = R"(__shared__ unsigned ring[64];
  for (int i = threadIdx.x; i < 64; i += blockDim.x) ring[i] = static_cast<unsigned>(__cvta_generic_to_shared(ring + (i + 1) % 64));
  __syncthreads();
  unsigned a = static_cast<unsigned>(__cvta_generic_to_shared(ring)) + sink[0];)",
               .body = R"(asm volatile("ld.shared.u32 %0, [%0];" : "+r"(a) :: "memory");)",
               .result = "a",
               .expects = {{"ld.shared.u32", 16}}};
    Chain indexed = load; // the way that published figures chase: an element's index, of which an address is made first
    indexed.state = R"(__shared__ unsigned ring[64];
  for (int i = threadIdx.x; i < 64; i += blockDim.x) ring[i] = (i + 1) % 64;
  __syncthreads();
  unsigned a = sink[0];)";
    indexed.body = "a = const_cast<volatile unsigned*>(ring)[a];";
    indexed.expects = {{"ld.volatile.shared.u32", 16}};
    Chain exchange = load;
    exchange.body = R"(asm volatile("atom.shared.exch.b32 %0, [%0], %0;" : "+r"(a) :: "memory");)";
    exchange.state = R"(__shared__ unsigned cell;
  cell = static_cast<unsigned>(__cvta_generic_to_shared(&cell));
  __syncthreads();
  unsigned a = static_cast<unsigned>(__cvta_generic_to_shared(&cell)) + sink[0];)";
    exchange.expects = {{"atom.shared.exch.b32", 16}};
    return {{"load", "Load from shared memory, dependent, by address", load},
            {"indexed", "Load from shared memory, dependent, by index (address arithmetic included)", indexed},
            {"exchange", "Atomic exchange in shared memory, dependent", exchange}};
  }
};
const RegisterProbe shared_latency{"shared_latency", make_probe<SharedLatency>};

} // namespace
} // namespace aicf::probes
