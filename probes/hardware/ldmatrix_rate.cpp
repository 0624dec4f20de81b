#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class LdmatrixRate final : public RateProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return rate_text("ldmatrix_rate", "Throughput of ldmatrix", "bytes a clock and multiprocessor");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    std::vector<Entry> out;
    struct Form {
      const char *id, *text;
      double bytes;
    };
    for (const Form& f : {Form{"x1", "ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%4];", 128},
                          {"x2", "ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%4];", 256},
                          {"x4", "ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];", 512}})
      out.push_back(
          {f.id,
           std::string("ldmatrix ") + f.id,
           "B/clk/SM",
           {.state = R"(extern __shared__ uint4 cells[];
  for (int i = threadIdx.x; i < 1024; i += blockDim.x) cells[i] = uint4{1, 2, 3, 4};
  __syncthreads();
  const unsigned nothing = sink[0]; // zero, which the assembler cannot know: it makes equal loads one
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(cells + threadIdx.x));
  unsigned a = sink[0], x = 0, y = 0, z = 0, all = 0; // what nothing reads the assembler drops)",
            .body = filled(
                R"(at += nothing; asm volatile("@TEXT@" : "+r"(a), "+r"(x), "+r"(y), "+r"(z) : "r"(at) : "memory"); all ^= a ^ x ^ y ^ z;)",
                {{"TEXT", f.text}}),
            .result = "a + all",
            .per_body = f.bytes,
            .per_warp = true,
            .shared = 16384,
            .expects = {{"ldmatrix", 16}}},
           1,
           128});
    return out;
  }
};
const RegisterProbe ldmatrix_rate{"ldmatrix_rate", make_probe<LdmatrixRate>};

} // namespace
} // namespace aicf::probes
