#include "probes/plan_probe.hpp"

namespace aicf::probes {
namespace {

class TileStaging final : public PlanProbe {
 public:
  [[nodiscard]] ProbeText text() const override {
    ProbeText t = plan_text("tile_staging", "Tile staging", "viability, traffic and time by where a row is staged");
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
         {Form{"registers", "registers", {{"staging", "registers"}, {"state_form", "resident"}}},
          Form{"shared", "shared", {{"staging", "shared"}, {"state_form", "resident"}}},
          Form{"shared_async", "shared async", {{"staging", "shared_async"}, {"state_form", "resident"}}},
          Form{"shared_bulk", "shared bulk", {{"staging", "shared_bulk"}, {"state_form", "resident"}}}}) {
      for (std::int64_t n : {1024, 4096, 16384})
        out.push_back({std::string(f.id) + "." + std::to_string(n),
                       std::string(f.name) + ", " + std::to_string(n) + " elements",
                       row_softmax,
                       f.choices,
                       {{"M", 2}, {"N", n}},
                       {{"M", (1 << 24) / n}, {"N", n}},
                       DType::bf16,
                       static_cast<double>(n),
                       y});
      y += 1;
    }
    return out;
  }
};
const RegisterProbe tile_staging{"tile_staging", make_probe<TileStaging>};

} // namespace
} // namespace aicf::probes
