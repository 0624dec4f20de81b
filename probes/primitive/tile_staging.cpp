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
    return forms_by_length(row_softmax,
                           {{"registers", "registers", {{"staging", "registers"}, {"state_form", "resident"}}},
                            {"shared", "shared", {{"staging", "shared"}, {"state_form", "resident"}}},
                            {"shared_async", "shared async", {{"staging", "shared_async"}, {"state_form", "resident"}}},
                            {"shared_bulk", "shared bulk", {{"staging", "shared_bulk"}, {"state_form", "resident"}}}},
                           {1024, 4096, 16384}, DType::bf16, 2);
  }
};
const RegisterProbe tile_staging{"tile_staging", make_probe<TileStaging>};

} // namespace
} // namespace aicf::probes
