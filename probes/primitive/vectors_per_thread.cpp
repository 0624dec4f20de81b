#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class VectorsPerThread final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = plan_text("vectors_per_thread", "Accesses in flight a thread",
                            "instructions and time by accesses that a thread has in flight");

    return t;
  }
  [[nodiscard]] std::vector<PlanCase> cases(const Setting&) const override {
    std::vector<PlanCase> out;
    struct Form {
      const char *id, *name;
      std::map<std::string, std::string> choices;
    };
    double y = 0;
    for (const Form& f : {Form{"p1", "1 accesses", {{"vectors_per_thread", "1"}}},
                          Form{"p2", "2 accesses", {{"vectors_per_thread", "2"}}},
                          Form{"p4", "4 accesses", {{"vectors_per_thread", "4"}}}}) {
      for (std::int64_t n : {1024, 4096})
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
const RegisterProbe vectors_per_thread{"vectors_per_thread", make_probe<VectorsPerThread>};

} // namespace
} // namespace aicf::probes
