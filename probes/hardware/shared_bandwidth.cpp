#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class SharedBandwidth final : public RateProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = rate_text("shared_bandwidth", "Bandwidth of shared memory",
                            "bytes a clock and multiprocessor, by width of a lane's access");
    t.quick = true;
    return t;
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    std::vector<Entry> out;
    struct Width {
      int bytes;
      const char *load, *store;
    };
    for (const Width& w :
         {Width{4, "ld.shared.u32 %0, [%4];", "st.shared.u32 [%0], %1;"},
          {8, "ld.shared.v2.u32 {%0, %1}, [%4];", "st.shared.v2.u32 [%0], {%1, %1};"},
          {16, "ld.shared.v4.u32 {%0, %1, %2, %3}, [%4];", "st.shared.v4.u32 [%0], {%1, %1, %1, %1};"}}) {
      const std::string width = std::to_string(w.bytes);
      const std::string state = filled(R"(extern __shared__ uint4 cells[];
  for (int i = threadIdx.x; i < 2048; i += blockDim.x) cells[i] = uint4{1, 2, 3, 4};
  __syncthreads();
  const unsigned nothing = sink[0]; // zero, which the assembler cannot know: it makes equal accesses one
  unsigned at = static_cast<unsigned>(__cvta_generic_to_shared(cells)) + threadIdx.x % 1024 * @W@;
  unsigned a = sink[0], x = 0, y = 0, z = 0, all = 0; // what nothing reads the assembler drops)",
                                       {{"W", width}});
      out.push_back(
          {"load_" + width,
           "Loads of " + width + " B a lane",
           "B/clk/SM",
           {.state = state,
            .body = filled(
                R"(at += nothing; asm volatile("@LOAD@" : "+r"(a), "+r"(x), "+r"(y), "+r"(z) : "r"(at) : "memory"); all ^= a ^ x ^ y ^ z;)",
                {{"LOAD", w.load}}),
            .result = "a + all",
            .per_body = static_cast<double>(w.bytes),
            .shared = 32768,
            .expects = {{"ld.shared", 16}}},
           1,
           128});
      out.push_back({"store_" + width,
                     "Stores of " + width + " B a lane",
                     "B/clk/SM",
                     {.state = state,
                      .body = filled(R"(at += nothing; asm volatile("@STORE@" :: "r"(at), "r"(a) : "memory");)",
                                     {{"STORE", w.store}}),
                      .result = "a + all",
                      .per_body = static_cast<double>(w.bytes),
                      .shared = 32768,
                      .expects = {{"st.shared", 16}}},
                     1,
                     128});
    }
    return out;
  }
};
const RegisterProbe shared_bandwidth{"shared_bandwidth", make_probe<SharedBandwidth>};

} // namespace
} // namespace aicf::probes
