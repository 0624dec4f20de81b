#include "probes/patterns.hpp"

namespace aicf::probes {
namespace {

/// Two warpgroups a multiprocessor, operands in shared memory without swizzle, accumulators in registers.
class WgmmaRate final : public RateProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = rate_text("wgmma_rate", "Throughput of wgmma",
                            "floating-point or integer operations a clock and multiprocessor, by columns and type, on "
                            "zeros and on random data");
    t.inputs = "zeros, and random bits that are numbers of magnitude about one";
    t.quick = true;
    return t;
  }
  [[nodiscard]] std::vector<Entry> entries(const Setting& setting) const override {
    struct Type {
      const char *id, *text, *tail, *one, *sign;
      int depth;
      bool integer;
    };
    std::vector<Entry> out;
    for (const Type& t : {Type{"bf16", "k16.f32.bf16.bf16", ", 1, 1, 0, 0", "0x3f803f00u", "0x80008000u", 16, false},
                          {"f16", "k16.f32.f16.f16", ", 1, 1, 0, 0", "0x38003a00u", "0x80008000u", 16, false},
                          {"tf32", "k8.f32.tf32.tf32", ", 1, 1", "0x3f8a2000u", "0x80000000u", 8, false},
                          {"e4m3", "k32.f32.e4m3.e4m3", ", 1, 1", "0x38343a36u", "0x80808080u", 32, false},
                          {"s8", "k32.s32.s8.s8", "", "0x01fe0302u", "0xfefefefeu", 32, true}})
      for (int columns : {64, 128, 256})
        for (const char* data : {"zeros", "random"}) {
          if (columns != 256 && (data[0] == 'z' || (setting.quick && t.depth != 16))) continue;
          out.push_back(entry(t.id, t.text, t.tail, t.one, t.sign, t.depth, t.integer, columns, data));
        }
    return out;
  }

 private:
  static Entry entry(const std::string& id, const std::string& type, const std::string& tail, const char* one,
                     const char* sign, int depth, bool integer, int columns, const char* data) {
    const int registers = columns / 2;
    std::string list, operands;
    for (int i = 0; i < registers; ++i) {
      list += (i > 0 ? ", %" : "%") + std::to_string(i);
      operands += std::string(i > 0 ? ", " : "") + (integer ? "\"+r\"(c[" : "\"+f\"(c[") + std::to_string(i) + "])";
    }
    const std::string a = "%" + std::to_string(registers), b = "%" + std::to_string(registers + 1);
    const std::string instruction = "wgmma.mma_async.sync.aligned.m64n" + std::to_string(columns) + type;
    // A fence for the registers, four instructions, a commit and a wait: what a main loop does a stage.
    const std::string body =
        "asm volatile(\"wgmma.fence.sync.aligned;\" ::: \"memory\");\n" +
        std::string("#pragma unroll\n          for (int j = 0; j < 4; ++j)\n            asm volatile(\"") +
        instruction + " {" + list + "}, " + a + ", " + b + ", 1" + tail + ";\" : " + operands +
        " : \"l\"(da), \"l\"(db));\n          asm volatile(\"wgmma.commit_group.sync.aligned; "
        "wgmma.wait_group.sync.aligned 0;\" ::: \"memory\");";
    const bool random = data[0] == 'r';
    return {id + "_n" + std::to_string(columns) + "_" + data,
            instruction.substr(28) + " on " + data,
            integer ? "OP/clk/SM" : "FLOP/clk/SM",
            {.state = filled(R"(extern __shared__ __align__(1024) unsigned tiles[];
  for (int i = threadIdx.x; i < 12288; i += blockDim.x)
    tiles[i] = @RANDOM@ ? @ONE@ ^ (i * 37u >> 2 & 15) ^ (i * 2654435761u >> 31 ? @SIGN@ : 0u) : 0u;
  asm volatile("fence.proxy.async.shared::cta;" ::: "memory");
  __syncthreads();
  // Descriptors without swizzle: start address, 128 bytes between core matrices along K, 256 along M or N, over 16.
  const unsigned base = static_cast<unsigned>(__cvta_generic_to_shared(tiles));
  const unsigned long long shape = (128ull >> 4) << 16 | (256ull >> 4) << 32;
  const unsigned long long da = shape | (base >> 4 & 0x3fff), db = shape | (base + 16384 >> 4 & 0x3fff);
  @T@ c[@N@] = {};)",
                             {{"RANDOM", random ? "true" : "false"},
                              {"ONE", one},
                              {"SIGN", sign},
                              {"T", integer ? "unsigned" : "float"},
                              {"N", std::to_string(registers)}}),
             .body = body,
             .result = "sum_of(c)",
             // Of the two warpgroups; counted by warps.
             .per_body = 4.0 * 2 * 64 * columns * depth / 4,
             .per_warp = true,
             .block = 256,
             .shared = 49152,
             .iterations = 64,
             .unroll = 2,
             .expects = {{instruction, 8}}}};
  }
};
const RegisterProbe wgmma_rate{"wgmma_rate", make_probe<WgmmaRate>};

} // namespace
} // namespace aicf::probes
