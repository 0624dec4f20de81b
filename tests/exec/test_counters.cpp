// The hardware's counters without hardware: what CUPTI's host half plans for a chip, and what is made of sums.
#include "core/exec/cuda/counters.hpp"
#include "core/exec/cuda/cupti_api.hpp"

#include <nlohmann/json.hpp>

#include <QtTest>

#include <set>

using namespace aicf;
using namespace aicf::cuda;

namespace {

const Metric& find(const std::vector<Metric>& metrics, const std::string& id) {
  return *std::find_if(metrics.begin(), metrics.end(), [&](const Metric& m) { return m.id == id; });
}

} // namespace

class TestCounters : public QObject {
  Q_OBJECT

 private slots:
  void idsAreUnique() {
    std::set<std::string> ids;
    for (const ShownCounter& c : shown_counters()) QVERIFY2(ids.insert(c.id).second, c.id);
    QVERIFY(ids.size() >= 40);
  }

  void sumsBecomeMetrics() {
    std::map<std::string, double> sums;
    for (const std::string& name : counter_names()) sums[name] = 0;
    sums["dram__bytes_read.sum"] = 4096;
    sums["l1tex__t_sectors_pipe_lsu_mem_global_op_ld.sum"] = 400; // 100 requests of 4 sectors
    sums["l1tex__t_requests_pipe_lsu_mem_global_op_ld.sum"] = 100;
    sums["l1tex__data_bank_conflicts_pipe_lsu_mem_shared_op_ld.sum"] = 35; // 31, and 4 of arbitration, which
    sums["l1tex__data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] = 36;     // the pipe counts as wavefronts too
    sums["smsp__sass_l1tex_data_pipe_lsu_wavefronts_mem_shared_op_ld.sum"] = 32;
    sums["lts__t_sectors_lookup_hit.sum"] = 30; // of 40
    sums["lts__t_sectors_lookup_miss.sum"] = 10;
    sums["sm__warps_active.sum"] = 16 * 1000.0; // 16 warps of the 64 that fit
    sums["sm__cycles_active.sum"] = 1000;
    sums["smsp__warps_issue_stalled_barrier.sum"] = 50;
    sums["smsp__issue_active.sum"] = 200;
    sums.erase("smsp__warps_issue_stalled_gmma.sum"); // a chip without it
    const auto metrics = counter_metrics(sums, 64, "as played");
    QCOMPARE(metrics.size(), shown_counters().size());
    auto value = [&](const char* id) {
      const Metric& m = find(metrics, id);
      return m.source == Metric::Source::measured ? m.value : -1;
    };
    QCOMPARE(value("dram_read_bytes"), 4096.0);
    QCOMPARE(value("dram_write_bytes"), 0.0); // counted, and none
    QCOMPARE(value("global_load_sectors"), 400.0);
    QCOMPARE(value("global_load_sectors_per_request"), 4.0);
    QCOMPARE(value("shared_load_wavefronts"), 32.0);
    QCOMPARE(value("shared_bank_conflicts"), 31.0);
    QCOMPARE(value("l2_hit_rate"), 0.75);
    QCOMPARE(value("achieved_occupancy"), 0.25);
    QCOMPARE(value("stall.barrier"), 0.25);
    QVERIFY(find(metrics, "stall.gmma").source == Metric::Source::not_supported);
    const Metric& none = find(metrics, "global_store_sectors_per_request"); // nothing was stored
    QVERIFY(none.source == Metric::Source::not_measured);
    QVERIFY(to_json(none)["value"].is_null());
    QVERIFY(find(metrics, "l1_hit_rate").source == Metric::Source::not_measured);
    QVERIFY(find(metrics, "dram_read_bytes").method.find("dram__bytes_read.sum") != std::string::npos);
    QVERIFY(find(counter_metrics(sums, 0, ""), "achieved_occupancy").source == Metric::Source::not_measured);
  }

  void whatCannotBeHadHasNoValue() {
    for (auto source : {Metric::Source::not_permitted, Metric::Source::not_supported, Metric::Source::not_measured})
      for (const Metric& m : absent_counters(source, "why")) {
        QVERIFY(to_json(m)["value"].is_null());
        QCOMPARE(to_json(m)["source"].get<std::string>(), std::string(name_of(source)));
        QCOMPARE(m.method, std::string("why"));
      }
  }

  void aChipPlansItsPasses() {
    if (!cupti::api()) QSKIP("SKIPPED: no CUPTI here");
    const auto names = counter_names();
    auto plan = plan_counters("GH100", names);
    QVERIFY(plan);
    QCOMPARE(plan->names.size(), names.size()); // a Hopper has them all
    QVERIFY(plan->lacking.empty());
    QVERIFY(plan->passes >= 2 && plan->passes <= 20);
    QVERIFY(!plan->config.empty());
    const std::vector<std::string> one{"smsp__inst_executed.sum"};
    auto single = plan_counters("GH100", one);
    QVERIFY(single);
    QCOMPARE(single->passes, std::size_t{1});
  }

  void olderChipsLackSome() { // Ampere has no wgmma to wait for
    if (!cupti::api()) QSKIP("SKIPPED: no CUPTI here");
    auto plan = plan_counters("GA100", counter_names());
    QVERIFY(plan);
    const auto& lacking = plan->lacking;
    QVERIFY(std::find(lacking.begin(), lacking.end(), "smsp__warps_issue_stalled_gmma.sum") != lacking.end());
    QCOMPARE(plan->names.size() + lacking.size(), counter_names().size());
    QVERIFY(plan->passes > 0);
  }

  void unknownNamesAreSaid() {
    if (!cupti::api()) QSKIP("SKIPPED: no CUPTI here");
    QCOMPARE(plan_counters("GX999", counter_names()).diagnostics.at(0).code, std::string("counters.chip"));
    const std::vector<std::string> names{"smsp__inst_executed.sum", "no_such_counter.sum"};
    auto plan = plan_counters("GH100", names);
    QVERIFY(plan);
    QCOMPARE(plan->lacking, std::vector<std::string>{"no_such_counter.sum"});
    QCOMPARE(plan->names.size(), std::size_t{1});
  }
};

QTEST_GUILESS_MAIN(TestCounters)
#include "test_counters.moc"
