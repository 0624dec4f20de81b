#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

/// Two independent accumulators a warp, all warps of a multiprocessor.
class MmaSyncRate final : public RateProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = rate_text("mma_sync_rate", "Throughput of mma.sync",
                            "floating-point or integer operations a clock and multiprocessor, by shape and type, on "
                            "zeros and on random data");
    t.inputs = "zeros, and random bits that are numbers of magnitude about one";
    t.quick = true;
    return t;
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting&) const override {
    struct Form {
      const char *id, *instruction;
      int a, b, c;       // registers
      double operations; // of one instruction
      const char* one;   // a register whose lanes are ordinary numbers
    };
    std::vector<Entry> out;
    for (const Form& f :
         {Form{"f16_k16", "mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32", 4, 2, 4, 4096, "0x38003a00u"},
          {"f16_k8", "mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32", 2, 1, 4, 2048, "0x38003a00u"},
          {"f16_acc_f16", "mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16", 4, 2, 2, 4096, "0x38003a00u"},
          {"bf16_k16", "mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32", 4, 2, 4, 4096, "0x3f803f00u"},
          {"tf32_k8", "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32", 4, 2, 4, 2048, "0x3f8a2000u"},
          {"s8_k32", "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32", 4, 2, 4, 8192, "0x01fe0302u"}})
      for (const char* data : {"zeros", "random"}) {
        const bool random = data[0] == 'r';
        const bool wide = f.c == 4;
        const bool integer = f.id[0] == 's';
        const char* type = wide && !integer ? "float" : "unsigned";
        const char* letter = wide && !integer ? "f" : "r";
        auto list = [](int from, int count) {
          std::string text = "{";
          for (int i = 0; i < count; ++i) text += (i > 0 ? ", %" : "%") + std::to_string(from + i);
          return text + "}";
        };
        auto operands = [](const char* constraint, const char* name, int count) {
          std::string text;
          for (int i = 0; i < count; ++i)
            text += std::string(i > 0 ? ", " : "") + "\"" + constraint + "\"(" + name + "[" + std::to_string(i) + "])";
          return text;
        };
        std::string body;
        for (const char* acc : {"c", "d"})
          body += "asm volatile(\"" + std::string(f.instruction) + " " + list(0, f.c) + ", " + list(f.c, f.a) + ", " +
                  list(f.c + f.a, f.b) + ", " + list(0, f.c) +
                  ";\" : " + operands((std::string("+") + letter).c_str(), acc, f.c) + " : " + operands("r", "a", f.a) +
                  ", " + operands("r", "b", f.b) + ");\n          ";
        out.push_back({std::string(f.id) + "_" + data,
                       std::string(f.instruction).substr(17) + " on " + data,
                       integer ? "OP/clk/SM" : "FLOP/clk/SM",
                       {.state = filled(R"(unsigned a[4], b[2];
  for (int i = 0; i < 4; ++i) a[i] = @RANDOM@ ? @ONE@ ^ (threadIdx.x * 37 + i * 11 & 15) ^ (threadIdx.x + i & 1 ? @SIGN@ : 0u) : sink[threadIdx.x];
  for (int i = 0; i < 2; ++i) b[i] = @RANDOM@ ? @ONE@ ^ (threadIdx.x * 53 + i * 7 & 15) ^ (threadIdx.x / 2 + i & 1 ? @SIGN@ : 0u) : sink[threadIdx.x];
  @T@ c[4] = {}, d[4] = {};)",
                                        {{"RANDOM", random ? "true" : "false"},
                                         {"ONE", f.one},
                                         {"SIGN", integer ? "0xfefefefeu" : "0x80008000u"},
                                         {"T", type}}),
                        .body = body,
                        .result = "static_cast<unsigned>(c[0] + c[1] + c[2] + c[3] + d[0] + d[1] + d[2] + d[3])",
                        .per_body = 2 * f.operations,
                        .per_warp = true,
                        .block = 512,
                        .iterations = 64,
                        .unroll = 8,
                        .expects = {{f.instruction, 16}}}});
      }
    return out;
  }
};
const RegisterProbe mma_sync_rate{"mma_sync_rate", make_probe<MmaSyncRate>};

} // namespace
} // namespace aicf::probes
