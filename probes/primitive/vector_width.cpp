#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class VectorWidth final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = plan_text("vector_width", "Vector widths of row kernels",
                            "instructions, requests and time by elements of an access");
    t.quick = true;
    return t;
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    return forms_by_length(row_softmax,
                           {{"v1", "1 elements an access", {{"vector", "1"}}},
                            {"v2", "2 elements an access", {{"vector", "2"}}},
                            {"v4", "4 elements an access", {{"vector", "4"}}},
                            {"v8", "8 elements an access", {{"vector", "8"}}}},
                           {256, 1024, 4096}, DType::bf16);
  }
};
const RegisterProbe vector_width{"vector_width", make_probe<VectorWidth>};

} // namespace
} // namespace aicf::probes
