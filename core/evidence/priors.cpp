#include "core/evidence/priors.hpp"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <map>

namespace aicf {
namespace {

using Figures = std::vector<const HardwareFigure*>;
using Answer = PriorRule::Answer;

/// The number at the end of an id: 16 of "access_width.bytes_16".
double last_number(const std::string& id) {
  const std::size_t at = id.find_last_not_of("0123456789");
  return at + 1 < id.size() ? std::strtod(id.c_str() + at + 1, nullptr) : unknown_number;
}

Figures by_last_number(Figures figures) {
  std::sort(figures.begin(), figures.end(),
            [](const HardwareFigure* a, const HardwareFigure* b) { return last_number(a->id) < last_number(b->id); });
  return figures;
}

/// The largest last number up to which every figure is at least `least`; the next one bounds it from above.
Answer last_with(const Figures& figures, double least) {
  Answer answer;
  for (const HardwareFigure* f : by_last_number(figures)) {
    const double at = last_number(f->id);
    if (f->value < least) {
      answer.hi = std::isfinite(answer.value) ? at : unknown_number;
      return answer;
    }
    answer.value = answer.lo = answer.hi = at;
  }
  return answer;
}

/// The least last number whose figure has 95 % of the best one.
Answer least_of_the_best(const HardwareProfile&, const Figures& figures) {
  const Figures sorted = by_last_number(figures);
  const double best =
      (*std::max_element(sorted.begin(), sorted.end(), [](auto* a, auto* b) { return a->value < b->value; }))->value;
  Answer answer;
  auto first = [&](auto rate) {
    for (const HardwareFigure* f : sorted)
      if (rate(*f) >= 0.95 * best) return last_number(f->id);
    return last_number(sorted.back()->id);
  };
  answer.value = first([](const HardwareFigure& f) { return f.value; });
  answer.lo = first([](const HardwareFigure& f) { return f.hi; });
  answer.hi = first([](const HardwareFigure& f) { return f.lo; });
  return answer;
}

Answer stride_without_conflict(const HardwareProfile&, const Figures& figures) {
  Answer answer;
  for (const HardwareFigure* f : by_last_number(figures))
    if (f->value == 1) answer.value = answer.lo = answer.hi = last_number(f->id);
  return answer;
}

Answer quotient(const HardwareFigure& above, const HardwareFigure& below) {
  return {above.value / below.value, above.lo / below.hi, above.hi / below.lo};
}

Answer recompute_break_even(const HardwareProfile&, const Figures& f) { return quotient(*f[0], *f[1]); }

/// Hertz of the clock under which a figure was measured.
double hertz_of(const HardwareFigure& f) { return 1e6 * std::strtod(f.clock.c_str(), nullptr); }

/// Latency times bandwidth; the clock that the latency was measured under turns cycles into seconds.
Answer bytes_for_latency(const HardwareProfile& profile, const Figures& f) {
  const double hertz = hertz_of(*f[0]);
  const double scale = 1 / (hertz * profile.device.sm_count);
  if (!(hertz > 0) || profile.device.sm_count <= 0) return {};
  return {f[0]->value * f[1]->value * scale, f[0]->lo * f[1]->lo * scale, f[0]->hi * f[1]->hi * scale};
}

/// A figure alone, in another unit.
Answer scaled(const HardwareFigure& f, double by) { return {f.value * by, f.lo * by, f.hi * by}; }

Answer as_it_is(const HardwareProfile&, const Figures& f) { return scaled(*f[0], 1); }

Answer per_second(const HardwareProfile&, const Figures& f) {
  const double hertz = hertz_of(*f[0]);
  return hertz > 0 ? scaled(*f[0], hertz) : Answer{};
}

Answer in_nanoseconds(const HardwareProfile&, const Figures& f) {
  const double hertz = hertz_of(*f[0]);
  return hertz > 0 ? scaled(*f[0], 1e9 / hertz) : Answer{};
}

Answer reread_cost(const HardwareProfile&, const Figures& f) { return quotient(*f[0], *f[1]); }
Answer streaming_writeback(const HardwareProfile&, const Figures& f) { return quotient(*f[0], *f[1]); }

/// Exact counts of one kernel in two forms that differ in a function: what one call takes more.
Answer more_instructions(const Figures& f, double calls) {
  const double more = (f[0]->value - f[1]->value) / calls;
  return more >= 0 ? Answer{more, more, more} : Answer{};
}
Answer library_exp(const HardwareProfile&, const Figures& f) { return more_instructions(f, 2); }
Answer library_erf(const HardwareProfile&, const Figures& f) { return more_instructions(f, 1); }

/// Of "bytes_in_flight.loads_L_threads_T": 16 B times both.
double asked_at_once(const HardwareFigure& f) {
  const std::size_t at = f.id.find("loads_");
  if (at == std::string::npos) return unknown_number;
  return 16 * std::strtod(f.id.c_str() + at + 6, nullptr) * last_number(f.id);
}

Answer least_that_saturates(const HardwareProfile&, const Figures& figures) {
  double best = 0;
  for (const HardwareFigure* f : figures) best = std::max(best, f->value);
  auto least = [&](auto rate) {
    double bytes = unknown_number;
    for (const HardwareFigure* f : figures)
      if (rate(*f) >= 0.95 * best && !(bytes <= asked_at_once(*f))) bytes = asked_at_once(*f);
    return bytes;
  };
  Answer answer;
  answer.value = least([](const HardwareFigure& f) { return f.value; });
  answer.lo = least([](const HardwareFigure& f) { return f.hi; });
  answer.hi = least([](const HardwareFigure& f) { return f.lo; });
  if (!(answer.hi >= answer.value)) answer.hi = answer.value; // no quartile reaches it
  return answer;
}

/// The times of forms at one row length, by form: 17.4 by "t64" of "threads_per_row.t64.4096.time".
std::map<std::string, const HardwareFigure*> by_form(const Figures& figures, int length, const std::string& what) {
  std::map<std::string, const HardwareFigure*> out;
  const std::string end = "." + std::to_string(length) + "." + what;
  for (const HardwareFigure* f : figures)
    if (const std::size_t begin = f->id.find('.') + 1; f->id.ends_with(end) && begin + end.size() <= f->id.size())
      out[f->id.substr(begin, f->id.size() - end.size() - begin)] = f;
  return out;
}

/// Value of the form of least time; lo and hi of those whose spread of time meets its.
template <class F> Answer of_the_fastest(const std::map<std::string, const HardwareFigure*>& times, const F& value) {
  const HardwareFigure* best = nullptr;
  Answer answer;
  for (const auto& [form, time] : times)
    if (std::isfinite(value(form)) && (best == nullptr || time->value < best->value))
      best = time, answer.value = value(form);
  if (best == nullptr) return {};
  answer.lo = answer.hi = answer.value;
  for (const auto& [form, time] : times)
    if (const double v = value(form); std::isfinite(v) && time->lo <= best->hi)
      answer.lo = std::min(answer.lo, v), answer.hi = std::max(answer.hi, v);
  return answer;
}

template <int length> Answer threads_of_row(const HardwareProfile&, const Figures& figures) {
  return of_the_fastest(by_form(figures, length, "time"), last_number);
}

Answer drift_of_fastest(const HardwareProfile&, const Figures& figures) {
  const auto drifts = by_form(figures, 4096, "drift");
  return of_the_fastest(by_form(figures, 4096, "time"), [&](const std::string& form) {
    const auto found = drifts.find(form);
    return found == drifts.end() ? unknown_number : found->second->value;
  });
}

/// The last length up to which a row on chip is the faster one; the next one tried bounds it from above.
Answer resident_up_to(const HardwareProfile&, const Figures& figures) {
  Answer answer;
  for (int length = 1; length <= 1 << 20; length *= 2) {
    const auto times = by_form(figures, length, "time");
    const auto online = times.find("online"), resident = times.find("resident");
    if (online == times.end() || resident == times.end()) continue;
    if (resident->second->value >= online->second->value) {
      answer.hi = std::isfinite(answer.value) ? length : unknown_number;
      return answer;
    }
    answer.value = answer.lo = answer.hi = length;
  }
  return answer;
}

Answer two_blocks(const HardwareProfile&, const Figures& figures) { return last_with(figures, 2); }
Answer half_of_threads(const HardwareProfile&, const Figures& figures) { return last_with(figures, 4); }

const std::vector<PriorRule>& rules() {
  static const std::vector<PriorRule> all{
      {"access_bytes",
       "B",
       "the narrowest access of a lane whose copy has at least 95 % of the bandwidth of the best width; lo and hi by "
       "the "
       "quartiles",
       {"access_width.bytes_*"},
       180,
       least_of_the_best},
      {"conflict_free_stride",
       "words",
       "the largest power-of-two stride of 4-byte shared loads that is one wavefront",
       {"shared_conflicts.wavefronts_*"},
       0,
       stride_without_conflict},
      {"shared_kib_two_blocks",
       "KiB",
       "the most shared memory of a block of 256 threads at which a multiprocessor holds two; hi is the next size "
       "tried",
       {"occupancy_shared.blocks_*"},
       0,
       two_blocks},
      {"live_values_half_occupancy",
       "values",
       "the most values live in a thread at which a multiprocessor holds 4 blocks of 256 threads, half of all that it "
       "can; hi is the next number tried",
       {"occupancy_registers.blocks_*"},
       0,
       half_of_threads},
      {"threads_of_row_256",
       "threads",
       "threads whose sum of bf16 rows of 256 is fastest; lo and hi: of those whose spreads meet",
       {"threads_per_row.t*"},
       180,
       threads_of_row<256>},
      {"threads_of_row_1024",
       "threads",
       "threads whose sum of bf16 rows of 1024 is fastest; lo and hi: of those whose spreads meet",
       {"threads_per_row.t*"},
       180,
       threads_of_row<1024>},
      {"threads_of_row_4096",
       "threads",
       "threads whose sum of bf16 rows of 4096 is fastest; lo and hi: of those whose spreads meet",
       {"threads_per_row.t*"},
       180,
       threads_of_row<4096>},
      {"resident_row",
       "elements",
       "the longest row measured up to which a softmax that keeps it on chip is faster than one with an online state; "
       "hi is the next length tried, or the same where online has never been faster",
       {"online_forms.*"},
       180,
       resident_up_to},
      {"topology_drift",
       "1",
       "relative drift, 2-norm, of the fastest topology for sums of 4096: a budget of so much permits it; lo and hi: "
       "of "
       "those whose spreads of time meet",
       {"reduction_topology.*"},
       180,
       drift_of_fastest},
      {"bulk_copy_stages",
       "copies",
       "the fewest bulk copies of 16 KiB in flight a multiprocessor that have 95 % of the best bandwidth; lo and hi by "
       "the spreads",
       {"bulk_copy_bandwidth.bytes_16384_depth_*"},
       180,
       least_of_the_best},
      {"async_copy_stages",
       "stages",
       "the fewest stages of 16-byte cp.async in flight that have 95 % of the best bandwidth; lo and hi by the spreads",
       {"cp_async_bandwidth.bytes_16_depth_*"},
       180,
       least_of_the_best},
      {"recompute_break_even",
       "operations",
       "latency of an L2 hit over that of a dependent add: a value that takes fewer dependent operations is had sooner "
       "again than fetched",
       {"level_latency.l2", "arithmetic_latency.add_f32"},
       180,
       recompute_break_even},
      {"bytes_in_flight",
       "B",
       "Little's law: DRAM latency times DRAM read bandwidth of a multiprocessor's share; so much must be asked for at "
       "once to hide the latency",
       {"level_latency.dram", "dram_read.loads_8"},
       180,
       bytes_for_latency},
      {"memory_bandwidth",
       "B/s",
       "bytes a second of a large copy, read plus written",
       {"dram_copy.copy"},
       180,
       as_it_is},
      {"bytes_to_saturate",
       "B",
       "the fewest bytes that a multiprocessor has asked for at once at which reads have 95 % of the best bandwidth; "
       "lo "
       "and hi by the quartiles",
       {"bytes_in_flight.loads_*"},
       180,
       least_that_saturates},
      {"reread_cost",
       "1",
       "DRAM read bandwidth over L2 bandwidth at 16 MiB: time of a byte read again, of one read first 1",
       {"dram_read.loads_4", "l2_bandwidth.kib_16384"},
       180,
       reread_cost},
      {"issue_rate",
       "op/s",
       "instructions of lanes that a multiprocessor issues a second: fma, at its clock",
       {"arithmetic_rate.fma_f32"},
       180,
       per_second},
      {"block_meeting", "ns", "a barrier of 256 threads", {"barrier_latency.bar_256"}, 180, in_nanoseconds},
      {"cluster_meeting",
       "ns",
       "a barrier of a cluster of 4",
       {"cluster_barrier_latency.blocks_4"},
       180,
       in_nanoseconds},
      {"second_kernel",
       "us",
       "what a further launch of 132 blocks adds to a queued stream",
       {"launch_overhead.grid_132"},
       180,
       as_it_is},
      {"library_exp",
       "instructions",
       "what the library's exponential executes beyond ex2.approx: half the difference of a softmax, which calls it "
       "twice an element",
       {"exp_forms.precise.4096.instructions", "exp_forms.fast.4096.instructions"},
       0,
       library_exp},
      {"library_erf",
       "instructions",
       "what the library's error function executes beyond the polynomial: the difference of a map that calls it once "
       "an element",
       {"erf_forms.precise.4096.instructions", "erf_forms.fast.4096.instructions"},
       0,
       library_erf},
      {"streaming_writeback",
       "1",
       "time of a softmax whose stores are evicted first over that of its plain twin",
       {"writeback_forms.streaming.4096.time", "writeback_forms.plain.4096.time"},
       180,
       streaming_writeback}};
  return all;
}

/// The figures of a rule, or nothing when one has no value.
Figures needed(const PriorRule& rule, const HardwareProfile& profile) {
  auto has_value = [](const HardwareFigure& f) { return f.status == "exact" || f.status == "measured"; };
  Figures out;
  for (const std::string& id : rule.figures) {
    const std::size_t before = out.size();
    if (id.ends_with('*')) {
      for (const HardwareFigure& f : profile.figures)
        if (has_value(f) && f.id.starts_with(id.substr(0, id.size() - 1))) out.push_back(&f);
      if (out.size() < before + 2) return {};
    } else {
      const HardwareFigure* f = figure_of(profile, id);
      if (f == nullptr || !has_value(*f)) return {};
      out.push_back(f);
    }
  }
  return out;
}

/// Days since 1970 of "2026-01-31T12:34:56.789Z".
double days_of(const std::string& time) {
  int year = 0, month = 0, day = 0, hour = 0, minute = 0;
  double second = 0;
  if (std::sscanf(time.c_str(), "%d-%d-%dT%d:%d:%lf", &year, &month, &day, &hour, &minute, &second) != 6)
    return unknown_number;
  const std::chrono::year_month_day date{std::chrono::year(year), std::chrono::month(static_cast<unsigned>(month)),
                                         std::chrono::day(static_cast<unsigned>(day))};
  if (!date.ok()) return unknown_number;
  return std::chrono::sys_days(date).time_since_epoch().count() + (hour * 60 + minute + second / 60) / 1440;
}

} // namespace

std::span<const PriorRule> prior_rules() { return rules(); }

std::vector<Prior> derive_priors(const HardwareProfile& profile) {
  std::vector<Prior> out;
  for (const PriorRule& rule : rules()) {
    const Figures figures = needed(rule, profile);
    if (figures.empty()) continue;
    const Answer answer = rule.derive(profile, figures);
    if (!std::isfinite(answer.value)) continue;
    const bool exact = std::all_of(figures.begin(), figures.end(), [](const auto* f) { return f->status == "exact"; });
    Prior prior;
    prior.id = rule.id, prior.unit = rule.unit, prior.rule = rule.rule;
    prior.device = exact ? profile.device.arch : profile.device.name;
    prior.driver = exact ? "" : profile.device.driver;
    prior.measured = profile.finished;
    prior.value = answer.value, prior.lo = answer.lo, prior.hi = answer.hi;
    prior.expires_days = exact ? 0 : rule.expires_days;
    for (const HardwareFigure* f : figures) prior.evidence.push_back(f->id);
    out.push_back(std::move(prior));
  }
  return out;
}

std::vector<PriorState> judge_priors(const std::vector<Prior>& priors, const HardwareDevice& here,
                                     const std::string& now, const CompilerProfile& rules) {
  std::vector<PriorState> out;
  for (const Prior& prior : priors) {
    PriorState s;
    s.prior = prior;
    s.foreign = (prior.device != here.name && prior.device != here.arch) ||
                (!prior.driver.empty() && prior.driver != here.driver);
    s.age_days = days_of(now) - days_of(prior.measured);
    s.expired = prior.expires_days > 0 && !(s.age_days <= prior.expires_days);
    if (s.expired)
      s.why_not = "expired: valid for " + std::to_string(prior.expires_days) + " days";
    else if (s.foreign && !rules.foreign_priors)
      s.why_not = "foreign: of " + prior.device + (prior.driver.empty() ? "" : ", driver " + prior.driver);
    else if (!(s.age_days <= rules.prior_max_age_days))
      s.why_not = "older than the profile allows";
    s.usable = s.why_not.empty();
    out.push_back(std::move(s));
  }
  return out;
}

} // namespace aicf
