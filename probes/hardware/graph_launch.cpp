#include "probes/findings.hpp"
#include "probes/kernels.hpp"
#include "probes/launch_series.hpp"

namespace aicf::probes {
namespace {

/// Empty kernels as nodes of a graph, each after the one before, beside the same kernels launched one by one.
class GraphLaunch final : public Probe {
 public:
  [[nodiscard]] ProbeText text() const override {
    return {.id = "graph_launch",
            .lab = "hardware",
            .name = "Cost of kernels in a graph",
            .measures = "microseconds that each further kernel of a graph adds, and those of a graph of one, by blocks "
                        "of the grid",
            .method = "CUDA events around one launch of a graph that was captured from a stream, of 1, 8 and 24 empty "
                      "kernels in a row; a sixteenth of the difference of the latter two, spread from both quartiles",
            .control = "a kernel that waits 20 microseconds must take 20 to 30",
            .inputs = "none"};
  }
  [[nodiscard]] std::vector<Trial> trials(const Setting& setting) const override {
    std::vector<Trial> out{wait_control()};
    for (const std::int64_t grid : grids)
      for (const int launches : {1, 8, 24}) {
        out.push_back(empty_launches(name(grid, launches), grid, launches, setting));
        out.back().graph = true;
      }
    return out;
  }
  void conclude(const Setting&, const Observations& seen, Findings& findings) const override {
    check_wait(seen, findings);
    for (const std::int64_t grid : grids) {
      const std::string id = "grid_" + std::to_string(grid), blocks = std::to_string(grid) + " blocks";
      const Observation &few = seen.at(name(grid, 8)), &many = seen.at(name(grid, 24));
      findings.derived(id, "A further kernel of " + blocks + " in a graph", "us", {&few, &many},
                       each_further(few, many, 16), "");
      findings.measured(id + "_alone", "A graph of one kernel of " + blocks, "us", seen.at(name(grid, 1)));
    }
  }

 private:
  static constexpr std::int64_t grids[] = {1, 132, 2112};
  static std::string name(std::int64_t grid, int launches) {
    return "grid_" + std::to_string(grid) + "_kernels_" + std::to_string(launches);
  }
};
const RegisterProbe graph_launch{"graph_launch", make_probe<GraphLaunch>};

} // namespace
} // namespace aicf::probes
