#include "probes/findings.hpp"
#include "probes/kernels.hpp"

namespace aicf::probes {
namespace {

/// A warp's accesses to neighbouring elements that begin off the line.
class CoalescingAlignment final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return {.id = "coalescing_alignment",
            .lab = "hardware",
            .name = "Sectors by alignment and width",
            .measures = "32-byte sectors of a warp's access to neighbouring elements, by the first's offset",
            .method = "sectors counted by the emulator: the distinct 32-byte ones that the lanes of a warp touch",
            .control = "32 aligned 4-byte loads are 4 sectors",
            .inputs = "zeros",
            .quick = true};
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting&) const override {
    std::vector<Trial> out;
    for (int width : {1, 2, 4, 8, 16})
      for (int offset : {0, 1, 2, 4, 8, 12, 16, 20, 24, 28, 32, 64, 96}) {
        if (offset % width != 0) continue;
        KernelText k;
        k.source = filled(R"(extern "C" __global__ void probe(const @TYPE@* from, @TYPE@* to, long long offset) {
  const int i = static_cast<int>(offset) + threadIdx.x;
  to[i] = from[i];
}
)",
                          {{"TYPE", width == 1   ? "unsigned char"
                                    : width == 2 ? "unsigned short"
                                    : width == 4 ? "unsigned"
                                    : width == 8 ? "uint2"
                                                 : "uint4"}});
        k.buffers = {{"from", DType::i32, 256, Arg::Role::input}, {"to", DType::i32, 256}};
        k.values = {{"offset", offset / width}};
        k.expects = {{"ld.global", 1}, {"st.global", 1}};
        out.push_back(exact_trial("bytes_" + std::to_string(width) + "_offset_" + std::to_string(offset), k));
        out.back().x = offset;
        out.back().y = width;
      }
    return out;
  }
  void conclude(const Setting&, const Observations& seen, Findings& findings) const override {
    const double aligned = seen.at("bytes_4_offset_0").counter("global_load_sectors");
    findings.control_exact(aligned == 4,
                           "32 aligned 4-byte loads must be 4 sectors, came out " + std::to_string(aligned));
    fill_map(findings.map("sectors", "Sectors of a warp's load by offset and width", "traffic", {"offset", "B", false},
                          {"access", "B", true}, {"sectors", "", false}, false),
             seen, trials_of(seen, "bytes_"),
             [](const Trial&, const Observation& o) { return o.counter("global_load_sectors"); });
    for (int width : {1, 2, 4, 8, 16})
      for (int offset : {0, 16}) {
        const std::string id = "bytes_" + std::to_string(width) + "_offset_" + std::to_string(offset);
        findings.exact(id,
                       "Sectors of a warp's load of " + std::to_string(width) + " B a lane, " + std::to_string(offset) +
                           " B off",
                       "sectors", seen.at(id), seen.at(id).counter("global_load_sectors"));
      }
  }
};
const RegisterProbe coalescing_alignment{"coalescing_alignment", make_probe<CoalescingAlignment>};

} // namespace
} // namespace aicf::probes
