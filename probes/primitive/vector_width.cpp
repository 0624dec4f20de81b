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
    std::vector<PlanCase> out;
    struct Form {
      const char *id, *name;
      std::map<std::string, std::string> choices;
    };
    double y = 0;
    for (const Form& f :
         {Form{"v1", "1 elements an access", {{"vector", "1"}}}, Form{"v2", "2 elements an access", {{"vector", "2"}}},
          Form{"v4", "4 elements an access", {{"vector", "4"}}},
          Form{"v8", "8 elements an access", {{"vector", "8"}}}}) {
      for (std::int64_t n : {256, 1024, 4096})
        out.push_back({std::string(f.id) + "." + std::to_string(n),
                       std::string(f.name) + ", " + std::to_string(n) + " elements",
                       row_softmax,
                       f.choices,
                       {{"M", 4}, {"N", n}},
                       {{"M", (1 << 24) / n}, {"N", n}},
                       DType::bf16,
                       static_cast<double>(n),
                       y});
      y += 1;
    }
    return out;
  }
};
const RegisterProbe vector_width{"vector_width", make_probe<VectorWidth>};

} // namespace
} // namespace aicf::probes
