#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

class L1Bandwidth final : public RateProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return rate_text("l1_bandwidth", "Bandwidth of L1",
                     "bytes a clock and multiprocessor of global loads that hit L1, by width of a lane's access");
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    std::vector<Entry> out;
    struct Width {
      int bytes;
      const char* load;
    };
    for (const Width& w : {Width{4, "ld.global.ca.u32 %0, [%4];"},
                           {8, "ld.global.ca.v2.u32 {%0, %1}, [%4];"},
                           {16, "ld.global.ca.v4.u32 {%0, %1, %2, %3}, [%4];"}}) {
      const std::string width = std::to_string(w.bytes);
      out.push_back(
          {"load_" + width,
           "Global loads of " + width + " B a lane that hit L1",
           "B/clk/SM",
           {.state = filled(
                R"(const char* at = reinterpret_cast<const char*>(sink) + threadIdx.x % 256 * @W@; // 4 KiB that all blocks read
  const unsigned nothing = sink[0]; // zero, which the assembler cannot know: it makes equal loads one
  unsigned a = 0, x = 0, y = 0, z = 0, all = 0; // what nothing reads the assembler drops)",
                {{"W", width}}),
            .body = filled(
                R"(at += nothing; asm volatile("@LOAD@" : "+r"(a), "+r"(x), "+r"(y), "+r"(z) : "l"(at) : "memory"); all ^= a ^ x ^ y ^ z;)",
                {{"LOAD", w.load}}),
            .result = "a + all",
            .per_body = static_cast<double>(w.bytes),
            .expects = {{"ld.global.ca", 16}}},
           1,
           128});
    }
    return out;
  }
};
const RegisterProbe l1_bandwidth{"l1_bandwidth", make_probe<L1Bandwidth>};

} // namespace
} // namespace aicf::probes
