#include "core/exec/cuda/timing.hpp"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <cstdio>

namespace aicf::cuda {
namespace {

using Clock = std::chrono::steady_clock;
constexpr std::size_t beyond_l2 = std::size_t{32} << 20U; // on top of twice the L2
constexpr int most_in_batch = 32;
constexpr int most_queued = 512;          // the driver's queue holds about 1024 entries; beyond it the host waits
constexpr double host_us_per_call = 6;    // generous: 2 to 4 us are usual
constexpr double fill_bytes_per_us = 4e6; // generous: faster than today's memories
constexpr int warm_up_runs = 5, hot_lead_in = 3;             // the fills before a batch leave L2 full of other data
constexpr auto warm_up_time = std::chrono::milliseconds(20); // for the clocks to rise
constexpr auto batch_time = std::chrono::milliseconds(50);   // a cancelled batch ends by itself, soon
constexpr int attempts = 4;
constexpr double precise = 0.01;                           // of the median
constexpr int most_samples = 4;                            // times the repetitions asked for
constexpr double short_run_us = 100, cold_batch_us = 1000; // one interval of a cold batch
constexpr int most_in_interval = 64;

class Events {
 public:
  Events(Session& s, std::size_t count) : session(s), events(count, nullptr) {
    for (Event& event : events) session.check(session.driver.event_create(&event, event_default), "cuEventCreate");
  }
  ~Events() {
    if (session.lost()) return;
    for (Event event : events)
      if (event != nullptr) session.driver.event_destroy(event);
  }
  Events(const Events&) = delete;
  Events& operator=(const Events&) = delete;
  void record(std::size_t i) { session.check(session.driver.event_record(events[i], session.stream), "cuEventRecord"); }
  bool reached(std::size_t i) {
    int code = session.driver.event_query(events[i]);
    if (code != success && code != error_not_ready) session.check(code, "cuEventQuery");
    return code == success;
  }
  double elapsed_us(std::size_t from, std::size_t to) {
    float ms = 0;
    session.check(session.driver.event_elapsed_ms(&ms, events[from], events[to]), "cuEventElapsedTime");
    return static_cast<double>(ms) * 1000;
  }

 private:
  Session& session;
  std::vector<Event> events;
};

class Timing {
 public:
  Timing(Session& s, const TimingRequest& r, const std::stop_token& t)
      : session(s), request(r), stop(t), sweep(s, 2 * static_cast<std::size_t>(s.info.l2_bytes) + beyond_l2),
        events(s, 2 * std::size_t{most_in_batch}) {}

  enum class What { cold, cold_batch, hot, floor };

  bool warm_up() {
    const auto begin = Clock::now();
    Clock::time_point last;
    for (int runs = 0; runs < warm_up_runs || Clock::now() - begin < warm_up_time; ++runs) {
      last = Clock::now();
      prepare();
      request.run(static_cast<std::size_t>(runs));
      if (!drained()) return false;
    }
    run_time = Clock::now() - last;
    return true;
  }

  /// False when stopped.
  bool measure(What what, std::string id, std::string method, std::vector<Metric>& out) {
    const int runs = what == What::cold_batch ? apart_runs : 1; // between two events
    const int calls = runs * request.launches + static_cast<int>(request.restores.size()) + 3;
    const auto fitting =
        static_cast<int>(Clock::duration(batch_time) / std::max<Clock::duration>(runs * run_time, Clock::duration(1)));
    const int batch = std::clamp(std::min(most_queued / calls, fitting), 1, most_in_batch);
    std::vector<double> values;
    const int most = what == What::floor ? request.repetitions : most_samples * request.repetitions;
    double uncertainty = 0;
    for (;;) {
      const auto taken = static_cast<int>(values.size());
      uncertainty = what == What::floor ? 0 : median_uncertainty(values);
      if (taken >= most || (taken >= request.repetitions && uncertainty <= precise)) break;
      const int count = std::min(batch, (taken < request.repetitions ? request.repetitions : most) - taken);
      double lead_us = host_us_per_call * calls * (count + hot_lead_in);
      bool held = false;
      for (int attempt = 0;; ++attempt, lead_us *= 2) {
        const bool behind = enqueue(what, count, lead_us);
        held = held_down();
        if (!drained()) return false;
        if (behind) break;
        if (attempt + 1 < attempts) continue;
        ++exposed;
        break;
      }
      if (held) throttled += count;
      for (int i = 0; i < count; ++i)
        values.push_back(events.elapsed_us(2 * static_cast<std::size_t>(i), 2 * static_cast<std::size_t>(i) + 1) /
                         runs);
    }
    if (what != What::floor) {
      method += "; 95 % interval of the median +-" + percent(uncertainty);
      if (uncertainty > precise) method += ", not within " + percent(precise) + " at the cap of samples";
    }
    if (exposed > 0) method += "; in " + std::to_string(exposed) + " batches the host may have been the slower";
    exposed = 0;
    out.push_back(summarise(std::move(id), std::move(method), std::move(values)));
    return true;
  }

  /// After the cold runs, whose time is `cold_us`. False when stopped.
  bool measure_apart(double cold_us, const std::string& method, std::vector<Metric>& out) {
    const auto without = [&](std::string why) {
      out.push_back({Metric::Source::not_measured, "time_us.cold_batch", "us", std::move(why), {}});
      return true;
    };
    if (cold_us >= short_run_us) return without("a cold run takes 100 us or more and is timed by itself");
    apart_runs = std::min({static_cast<int>(std::ceil(cold_batch_us / std::max(cold_us, 1.0))), most_in_interval,
                           most_queued / request.launches});
    if (apart_runs < 2) return without("a run is so many launches that the queue holds no two");
    Apart made = request.apart();
    if (!made.run) return without(std::move(made.text));
    apart = std::move(made.run);
    out.push_back(
        exact_metric("time_us.cold_batch_runs", "runs", apart_runs, "between two events of time_us.cold_batch"));
    return measure(What::cold_batch, "time_us.cold_batch",
                   method + std::to_string(apart_runs) +
                       " runs between two events, over as many, the gaps between launches included; " + made.text,
                   out);
  }

  void clock_metrics(std::vector<Metric>& out) const {
    auto add = [&](const char* id, const char* unit, const std::vector<double>& read, const std::string& method) {
      Metric m;
      m.id = id;
      m.unit = unit;
      m.method = method;
      if (!read.empty()) {
        m = summarise(id, method, read);
        m.unit = unit;
        m.lo = *std::min_element(read.begin(), read.end());
        m.hi = *std::max_element(read.begin(), read.end());
      }
      out.push_back(std::move(m));
    };
    const std::string how = sm.empty() ? "NVML gives no clocks here"
                                       : "NVML, read while the device worked on each batch; median, least and most";
    add("clock.sm", "MHz", sm, how);
    add("clock.memory", "MHz", memory, how);
    Metric held = exact_metric("clock.throttled", "samples", throttled,
                               "samples of batches during which NVML named a reason" +
                                   (reasons == 0 ? std::string() : ": " + throttled_by(reasons)));
    if (sm.empty()) held.source = Metric::Source::not_measured, held.method = how;
    out.push_back(std::move(held));
  }

 private:
  Session& session;
  const TimingRequest& request;
  const std::stop_token& stop;
  GuardedMemory sweep;
  Events events;
  Clock::duration run_time{}; // of one run, the host's part included
  unsigned char pattern = 0;
  int exposed = 0, throttled = 0;
  std::function<void(std::size_t)> apart;
  int apart_runs = 1;
  std::size_t apart_turn = 0;
  std::vector<double> sm, memory; // MHz, as read
  std::uint64_t reasons = 0;      // that were ever named

  /// Reads the clocks, while the device works; true when something holds them down.
  bool held_down() {
    const auto now = request.clocks ? request.clocks() : std::nullopt;
    if (!now) return false;
    sm.push_back(now->sm_mhz);
    memory.push_back(now->memory_mhz);
    if (throttled_by(now->reasons).empty()) return false;
    reasons |= now->reasons;
    return true;
  }
  static std::string percent(double share) {
    std::array<char, 32> text{};
    std::snprintf(text.data(), text.size(), "%.2g %%", 100 * share);
    return text.data();
  }
  void flush() {
    session.check(session.driver.fill_async(sweep.address(), ++pattern, sweep.size(), session.stream),
                  "cuMemsetD8Async");
  }
  void prepare() {
    for (const Restore& r : request.restores)
      session.check(session.driver.copy_async(r.to, r.from, r.bytes, session.stream), "cuMemcpyDtoDAsync");
  }
  bool drained() { return session.wait(stop) == Session::Waited::done && !stop.stop_requested(); }

  /// Queues a batch; true when the device was still busy with what stands before it at the end.
  bool enqueue(What what, int count, double lead_us) {
    session.check(session.driver.reset_persisting(), "cuCtxResetPersistingL2Cache"); // no kernel keeps lines for itself
    const double one_fill_us = static_cast<double>(sweep.size()) / fill_bytes_per_us;
    for (auto fills = static_cast<int>(std::ceil(lead_us / one_fill_us)); fills > 0; --fills) flush();
    for (int i = 0; what == What::hot && i < hot_lead_in; ++i) {
      prepare();
      request.run(0);
    }
    for (int i = 0; what == What::cold_batch && i < hot_lead_in; ++i) apart(apart_turn++);
    for (int i = 0; i < count; ++i) {
      if (what == What::cold || what == What::hot) prepare();
      if (what == What::cold) flush();
      events.record(2 * static_cast<std::size_t>(i));
      if (what == What::cold || what == What::hot) request.run(what == What::cold ? static_cast<std::size_t>(i) : 0);
      for (int run = 0; what == What::cold_batch && run < apart_runs; ++run) apart(apart_turn++);
      events.record(2 * static_cast<std::size_t>(i) + 1);
    }
    return !events.reached(0);
  }
};

} // namespace

double median_uncertainty(std::vector<double> values) {
  const auto n = static_cast<double>(values.size());
  if (values.size() < 6) return INFINITY;
  std::sort(values.begin(), values.end());
  const double reach = 0.98 * std::sqrt(n);
  const auto low = static_cast<std::size_t>(std::max(0.0, std::floor(n / 2 - reach)));
  const auto high = std::min(values.size() - 1, static_cast<std::size_t>(std::ceil(n / 2 + reach)));
  const double median = values[values.size() / 2];
  return median > 0 ? (values[high] - values[low]) / 2 / median : INFINITY;
}

Metric summarise(std::string id, std::string method, std::vector<double> values) {
  std::sort(values.begin(), values.end());
  auto quantile = [&](double q) {
    const double at = q * static_cast<double>(values.size() - 1), below = std::floor(at);
    const auto i = static_cast<std::size_t>(below);
    return i + 1 == values.size() ? values[i] : values[i] + (at - below) * (values[i + 1] - values[i]);
  };
  return {Metric::Source::measured,
          std::move(id),
          "us",
          std::move(method),
          {},
          quantile(0.5),
          quantile(0.25),
          quantile(0.75),
          static_cast<int>(values.size())};
}

std::vector<Metric> time_runs(Session& session, const TimingRequest& request, const std::stop_token& stop) {
  std::vector<Metric> out;
  Timing timing(session, request, stop);
  const std::string events = "CUDA events on a queued stream, median, quartiles as spread; ";
  if (!timing.warm_up()) return {};
  if (request.cold &&
      !timing.measure(Timing::What::cold, "time_us.cold",
                      events + "L2 filled with other data (more than twice its size) before each run", out))
    return {};
  if (request.cold && request.apart && !timing.measure_apart(out.front().value, events, out)) return {};
  if (!timing.measure(Timing::What::hot, "time_us.hot", events + "runs right after one another", out)) return {};
  if (!timing.measure(Timing::What::floor, "time_us.floor", events + "nothing between the two events", out)) return {};
  timing.clock_metrics(out);
  return out;
}

} // namespace aicf::cuda
