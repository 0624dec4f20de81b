#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class RematForms final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return plan_text("remat_forms", "Store or recompute",
                     "cost of a value that two sweeps use, by the function that gives it: kept in registers, or "
                     "computed again from its argument");
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    std::vector<PlanCase> out = forms_by_length(
        row_softmax,
        {{"none", "each sweep as written, from memory", {{"intermediates", "none"}, {"state_form", "two_pass"}}},
         {"recompute", "computed again from the row", {{"intermediates", "recompute"}, {"state_form", "resident"}}},
         {"keep", "kept on chip", {{"intermediates", "keep"}, {"state_form", "resident"}}}},
        {1024, 4096}, DType::bf16);
    double place = 3;
    for (const Function& f : functions) {
      const std::string op = std::string("op rows(x: float[M, N]) -> y: float[M, N]\n  l[i] = sum[j] ") + f.text +
                             "^2\n  y[i, j] = " + f.text + " * l[i]\n";
      for (const PlanForm& form : {PlanForm{"recompute", "computed again", {}}, PlanForm{"keep", "kept", {}}})
        for (PlanCase& c : forms_by_length(op.c_str(),
                                           {{f.id + ("_" + form.id),
                                             f.text + (", " + form.name),
                                             {{"intermediates", form.id}, {"state_form", "resident"}}}},
                                           {4096}, DType::bf16)) {
          c.y = place++;
          out.push_back(std::move(c));
        }
    }
    return out;
  }

 private:
  struct Function {
    const char *id, *text;
  };
  /// In the order of what they cost.
  static constexpr Function functions[] = {
      {"exp", "exp(x[i, j])"}, {"tanh", "tanh(x[i, j])"}, {"erf", "erf(x[i, j])"}, {"erf_tanh", "erf(tanh(x[i, j]))"}};
};
const RegisterProbe remat_forms{"remat_forms", make_probe<RematForms>};

} // namespace
} // namespace aicf::probes
