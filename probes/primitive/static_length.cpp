#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class StaticLength final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return plan_text("static_length", "Length known to the compiler",
                     "instructions by whether the row length is a constant");
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    return forms_by_length(row_softmax,
                           {{"dynamic", "length at run time", {{"row_length", "dynamic"}}},
                            {"static", "length a constant", {{"row_length", "static"}}}},
                           {1024, 4096}, DType::bf16);
  }
};
const RegisterProbe static_length{"static_length", make_probe<StaticLength>};

} // namespace
} // namespace aicf::probes
