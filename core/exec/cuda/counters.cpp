#include "core/exec/cuda/counters.hpp"

#include "core/exec/cuda/cupti_api.hpp"

#include <algorithm>

namespace aicf::cuda {
namespace {

const std::vector<ShownCounter>& table() {
  static const std::vector<ShownCounter> all{
      {"sass_warp_instructions", "instructions", {"smsp__inst_executed"}, {}},
      {"sass_thread_instructions", "instructions", {"smsp__thread_inst_executed"}, {}},
      {"sass_thread_instructions_on", "instructions", {"smsp__thread_inst_executed_pred_on"}, {}},
      {"dram_read_bytes", "bytes", {"dram__bytes_read"}, {}},
      {"dram_write_bytes", "bytes", {"dram__bytes_write"}, {}},
      {"dram_bytes", "bytes", {"dram__bytes_read", "dram__bytes_write"}, {}},
      {"l2_bytes", "bytes", {"lts__t_bytes"}, {}},
      {"l2_hit_rate",
       "fraction",
       {"lts__t_sectors_lookup_hit"},
       {"lts__t_sectors_lookup_hit", "lts__t_sectors_lookup_miss"}},
      {"l1_hit_rate",
       "fraction",
       {"l1tex__t_sectors_lookup_hit"},
       {"l1tex__t_sectors_lookup_hit", "l1tex__t_sectors_lookup_miss"}},
      {"global_load_requests", "requests", {"l1tex__t_requests_pipe_lsu_mem_global_op_ld"}, {}},
      {"global_load_sectors", "sectors", {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld"}, {}},
      {"global_load_sectors_per_request",
       "sectors",
       {"l1tex__t_sectors_pipe_lsu_mem_global_op_ld"},
       {"l1tex__t_requests_pipe_lsu_mem_global_op_ld"}},
      {"global_store_requests", "requests", {"l1tex__t_requests_pipe_lsu_mem_global_op_st"}, {}},
      {"global_store_sectors", "sectors", {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st"}, {}},
      {"global_store_sectors_per_request",
       "sectors",
       {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_st"},
       {"l1tex__t_requests_pipe_lsu_mem_global_op_st"}},
      {"global_atomic_requests",
       "requests",
       {"l1tex__t_requests_pipe_lsu_mem_global_op_atom", "l1tex__t_requests_pipe_lsu_mem_global_op_red"},
       {}},
      {"global_atomic_sectors",
       "sectors",
       {"l1tex__t_sectors_pipe_lsu_mem_global_op_atom", "l1tex__t_sectors_pipe_lsu_mem_global_op_red"},
       {}},
      {"global_copy_requests", "requests", {"smsp__sass_l1tex_t_requests_pipe_lsu_mem_global_op_ldgsts"}, {}},
      {"global_copy_sectors", "sectors", {"smsp__sass_l1tex_t_sectors_pipe_lsu_mem_global_op_ldgsts"}, {}},
      // The pipe's own counts of wavefronts hold some that waited for another client of L1; those by instruction do
      // not.
      {"shared_load_wavefronts",
       "wavefronts",
       {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm"},
       {}},
      {"shared_store_wavefronts",
       "wavefronts",
       {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm"},
       {}},
      {"shared_atomic_wavefronts", "wavefronts", {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_atom"}, {}},
      {"shared_copy_wavefronts", "wavefronts", {"smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldgsts"}, {}},
      {"shared_bank_conflicts",
       "wavefronts",
       {"l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld", "l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_st",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ldsm",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_st",
        "smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_stsm"},
       {},
       {"l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld", "l1tex__data_pipe_lsu_wavefronts_mem_shared_op_st"}},
      {"achieved_occupancy", "fraction", {"sm__warps_active"}, {"sm__cycles_active"}, {}, true},
      {"local_load_sectors", "sectors", {"l1tex__t_sectors_pipe_lsu_mem_local_op_ld"}, {}},
      {"local_store_sectors", "sectors", {"l1tex__t_sectors_pipe_lsu_mem_local_op_st"}, {}},
      {"tensor_instructions", "instructions", {"sm__inst_executed_pipe_tensor"}, {}},
      {"tensor_pipe_active", "fraction", {"sm__pipe_tensor_cycles_active"}, {"sm__cycles_active"}},
      {"stall.barrier", "warps", {"smsp__warps_issue_stalled_barrier"}, {"smsp__issue_active"}},
      {"stall.branch_resolving", "warps", {"smsp__warps_issue_stalled_branch_resolving"}, {"smsp__issue_active"}},
      {"stall.dispatch", "warps", {"smsp__warps_issue_stalled_dispatch_stall"}, {"smsp__issue_active"}},
      {"stall.drain", "warps", {"smsp__warps_issue_stalled_drain"}, {"smsp__issue_active"}},
      {"stall.gmma", "warps", {"smsp__warps_issue_stalled_gmma"}, {"smsp__issue_active"}},
      {"stall.imc_miss", "warps", {"smsp__warps_issue_stalled_imc_miss"}, {"smsp__issue_active"}},
      {"stall.lg_throttle", "warps", {"smsp__warps_issue_stalled_lg_throttle"}, {"smsp__issue_active"}},
      {"stall.long_scoreboard", "warps", {"smsp__warps_issue_stalled_long_scoreboard"}, {"smsp__issue_active"}},
      {"stall.math_pipe_throttle", "warps", {"smsp__warps_issue_stalled_math_pipe_throttle"}, {"smsp__issue_active"}},
      {"stall.membar", "warps", {"smsp__warps_issue_stalled_membar"}, {"smsp__issue_active"}},
      {"stall.mio_throttle", "warps", {"smsp__warps_issue_stalled_mio_throttle"}, {"smsp__issue_active"}},
      {"stall.misc", "warps", {"smsp__warps_issue_stalled_misc"}, {"smsp__issue_active"}},
      {"stall.no_instruction", "warps", {"smsp__warps_issue_stalled_no_instruction"}, {"smsp__issue_active"}},
      {"stall.not_selected", "warps", {"smsp__warps_issue_stalled_not_selected"}, {"smsp__issue_active"}},
      {"stall.selected", "warps", {"smsp__warps_issue_stalled_selected"}, {"smsp__issue_active"}},
      {"stall.short_scoreboard", "warps", {"smsp__warps_issue_stalled_short_scoreboard"}, {"smsp__issue_active"}},
      {"stall.sleeping", "warps", {"smsp__warps_issue_stalled_sleeping"}, {"smsp__issue_active"}},
      {"stall.tex_throttle", "warps", {"smsp__warps_issue_stalled_tex_throttle"}, {"smsp__issue_active"}},
      {"stall.wait", "warps", {"smsp__warps_issue_stalled_wait"}, {"smsp__issue_active"}},
  };
  return all;
}

std::string summed(const std::vector<const char*>& names) {
  std::string text;
  for (const char* name : names) text += (text.empty() ? "" : " + ") + std::string(name) + ".sum";
  return names.size() > 1 ? "(" + text + ")" : text;
}

/// "smsp__inst_executed.sum", "(a.sum + b.sum)/c.sum".
std::string formula(const ShownCounter& c) {
  if (c.over.empty() && c.of.size() == 1) return std::string(c.of.front()) + ".sum";
  return summed(c.of) + (c.less.empty() ? "" : " - " + summed(c.less)) + (c.over.empty() ? "" : "/" + summed(c.over)) +
         (c.of_warps_held ? " of the warps that a multiprocessor holds" : "");
}

} // namespace

class CounterHost {
 public:
  CounterHost(const cupti::Api& a, const std::string& chip, std::span<const std::uint8_t> availability) : api(a) {
    cupti::HostInitialize p;
    p.chip = chip.c_str();
    p.availability = availability.empty() ? nullptr : availability.data();
    status = api.host_initialize(&p);
    if (status == cupti::success) object = p.host;
  }
  ~CounterHost() {
    if (object == nullptr) return;
    cupti::HostObject p;
    p.host = object;
    api.host_deinitialize(&p);
  }
  CounterHost(const CounterHost&) = delete;
  CounterHost& operator=(const CounterHost&) = delete;

  int add(std::span<const std::string> names) {
    std::vector<const char*> list = pointers(names);
    cupti::HostMetrics p;
    p.host = object;
    p.names = list.data();
    p.count = list.size();
    return api.host_metrics(&p);
  }
  int configure(std::vector<std::uint8_t>& image, std::size_t& passes) {
    cupti::ConfigSize size;
    size.host = object;
    if (int code = api.config_size(&size); code != cupti::success) return code;
    image.assign(size.bytes, 0);
    cupti::ConfigImage get;
    get.host = object;
    get.bytes = image.size();
    get.image = image.data();
    if (int code = api.config_image(&get); code != cupti::success) return code;
    cupti::Passes count;
    count.bytes = image.size();
    count.image = image.data();
    int code = api.passes(&count);
    passes = count.passes;
    return code;
  }
  int values(std::span<const std::string> names, std::span<const std::uint8_t> data, std::vector<double>& out) {
    std::vector<const char*> list = pointers(names);
    out.assign(names.size(), 0);
    cupti::Evaluate p;
    p.host = object;
    p.data = data.data();
    p.data_bytes = data.size();
    p.names = list.data();
    p.count = list.size();
    p.values = out.data();
    return api.evaluate(&p);
  }

  const cupti::Api& api;
  int status = cupti::success;

 private:
  void* object = nullptr;
  static std::vector<const char*> pointers(std::span<const std::string> names) {
    std::vector<const char*> list;
    for (const std::string& name : names) list.push_back(name.c_str());
    return list;
  }
};

std::span<const ShownCounter> shown_counters() { return table(); }

std::vector<std::string> counter_names() {
  std::vector<std::string> names;
  for (const ShownCounter& c : table())
    for (const auto* list : {&c.of, &c.over, &c.less})
      for (const char* name : *list) names.push_back(std::string(name) + ".sum");
  std::sort(names.begin(), names.end());
  names.erase(std::unique(names.begin(), names.end()), names.end());
  return names;
}

Result<CounterPlan> plan_counters(const std::string& chip, std::span<const std::string> names,
                                  std::span<const std::uint8_t> availability) {
  auto api = cupti::api();
  if (!api) return api.failure<CounterPlan>();
  CounterPlan plan;
  plan.chip = chip;
  auto failed = [&](int code) {
    return error("counters.plan", "CUPTI plans no counters for " + chip + ": " + cupti::describe(**api, code));
  };
  { // one at a time: of several, CUPTI does not say which it lacks
    CounterHost asked(**api, chip, availability);
    if (asked.status != cupti::success)
      return error("counters.chip", "CUPTI knows no chip \"" + chip + "\": " + cupti::describe(**api, asked.status));
    for (const std::string& name : names) {
      const int code = asked.add({&name, 1});
      (code == cupti::success ? plan.names : plan.lacking).push_back(name);
    }
  }
  plan.host = std::make_shared<CounterHost>(**api, chip, availability);
  if (plan.host->status != cupti::success) return failed(plan.host->status);
  if (int code = plan.host->add(plan.names); code != cupti::success) return failed(code);
  if (int code = plan.host->configure(plan.config, plan.passes); code != cupti::success) return failed(code);
  return plan;
}

std::vector<double> evaluate(const CounterPlan& plan, std::span<const std::uint8_t> data) {
  std::vector<double> out;
  if (plan.host->values(plan.names, data, out) != cupti::success) out.clear();
  return out;
}

std::vector<Metric> counter_metrics(const std::map<std::string, double>& sums, int warps_held,
                                    const std::string& method) {
  std::vector<Metric> out;
  for (const ShownCounter& c : table()) {
    Metric m;
    m.id = c.id;
    m.unit = c.unit;
    m.method = method + "; " + formula(c);
    bool whole = true;
    auto sum = [&](const std::vector<const char*>& names) {
      double total = 0;
      for (const char* name : names) {
        auto at = sums.find(std::string(name) + ".sum");
        whole = whole && at != sums.end();
        if (at != sums.end()) total += at->second;
      }
      return total;
    };
    const double of = sum(c.of) - sum(c.less), over = sum(c.over) * (c.of_warps_held ? warps_held : 1);
    if (!whole) {
      m.source = Metric::Source::not_supported;
      m.method += ": the device does not count it";
    } else if (!c.over.empty() && over == 0) {
      m.method += ": nothing of it was done";
    } else {
      m.source = Metric::Source::measured;
      m.value = m.lo = m.hi = c.over.empty() ? of : of / over;
      m.samples = 1;
    }
    out.push_back(std::move(m));
  }
  return out;
}

std::vector<Metric> absent_counters(Metric::Source source, const std::string& why) {
  std::vector<Metric> out;
  for (const ShownCounter& c : table()) {
    Metric m;
    m.source = source;
    m.id = c.id;
    m.unit = c.unit;
    m.method = why;
    out.push_back(std::move(m));
  }
  return out;
}

} // namespace aicf::cuda
