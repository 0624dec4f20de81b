#include "core/exec/cuda/counting.hpp"

#include "core/exec/cuda/cupti_api.hpp"
#include "core/exec/cuda/timing.hpp"
#include "core/exec/occupancy.hpp"

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <mutex>

namespace aicf::cuda {
namespace {

constexpr int timed_runs = 5, most_passes = 200;
constexpr std::size_t beyond_l2 = std::size_t{32} << 20U; // on top of twice the L2

/// Why there are no counters.
struct NotCounted {
  Metric::Source source;
  std::string why;
};

const char* const how_to_permit =
    "the driver keeps the counters for administrators: run as root, or let the module option "
    "NVreg_RestrictProfilingToAdminUsers=0 be set (options nvidia NVreg_RestrictProfilingToAdminUsers=0 in a file of "
    "/etc/modprobe.d, then load the driver again); in a container also --cap-add=SYS_ADMIN";

NotCounted refusal(const cupti::Api& api, int code, const char* call) {
  const std::string said = std::string(call) + ": " + cupti::describe(api, code);
  switch (code) {
  case cupti::insufficient_privileges:
  case cupti::virtualized_privileges: return {Metric::Source::not_permitted, said + "; " + how_to_permit};
  case cupti::not_supported:
  case cupti::virtualized:
  case cupti::confidential:
  case cupti::cmp:
  case cupti::mig:
  case cupti::sli:
  case cupti::wsl:
  case cupti::invalid_chip_name: return {Metric::Source::not_supported, said};
  default: return {Metric::Source::not_measured, said};
  }
}

// Reads n vectors of 16 bytes at p, once: afterwards L2 holds them, unwritten. A volatile load is not left out.
const char* const reader = R"(.version 6.0
.target sm_50
.address_size 64
.visible .entry aicf_read(.param .u64 p, .param .u64 n)
{
  .reg .pred %q;
  .reg .b32 %r<9>;
  .reg .b64 %d<7>;
  ld.param.u64 %d1, [p];
  ld.param.u64 %d2, [n];
  cvta.to.global.u64 %d1, %d1;
  mov.u32 %r1, %ctaid.x;
  mov.u32 %r2, %ntid.x;
  mov.u32 %r3, %tid.x;
  mov.u32 %r4, %nctaid.x;
  mul.wide.u32 %d3, %r1, %r2;
  cvt.u64.u32 %d4, %r3;
  add.u64 %d3, %d3, %d4;
  mul.wide.u32 %d4, %r4, %r2;
next:
  setp.ge.u64 %q, %d3, %d2;
  @%q bra done;
  shl.b64 %d5, %d3, 4;
  add.u64 %d5, %d5, %d1;
  ld.volatile.global.v4.u32 {%r5, %r6, %r7, %r8}, [%d5];
  add.u64 %d3, %d3, %d4;
  bra next;
done:
  ret;
}
)";

/// Fills L2 with other data, clean.
class Sweep {
 public:
  explicit Sweep(Session& s)
      : session(s), memory(s, 2 * static_cast<std::size_t>(s.info.l2_bytes) + beyond_l2), address(memory.address()),
        vectors(memory.size() / 16) {
    session.check(s.driver.module_load(&module, reader, 0, nullptr, nullptr), "cuModuleLoadDataEx");
    int code = s.driver.module_function(&function, module, "aicf_read");
    if (code != success) s.driver.module_unload(module);
    session.check(code, "cuModuleGetFunction");
    session.check(s.driver.fill_async(address, 0x5a, memory.size(), s.stream), "cuMemsetD8Async");
  }
  ~Sweep() {
    if (!session.lost()) session.driver.module_unload(module);
  }
  Sweep(const Sweep&) = delete;
  Sweep& operator=(const Sweep&) = delete;

  void enqueue() {
    LaunchConfig config;
    config.grid_x = static_cast<unsigned>(std::max(1, 8 * session.info.sm_count));
    config.block_x = 256;
    config.stream = session.stream;
    void* parameters[] = {&address, &vectors};
    session.check(session.driver.launch(&config, function, parameters, nullptr), "cuLaunchKernelEx");
  }

 private:
  Session& session;
  GuardedMemory memory;
  DevicePointer address;
  std::uint64_t vectors;
  Module module = nullptr;
  Function function = nullptr;
};

/// CUPTI hands records to plain functions; one tracing at a time in a process.
struct Records {
  std::mutex one, writing; // records may come on a thread of CUPTI's
  const cupti::Api* api = nullptr;
  std::vector<std::pair<std::string, double>> kernels; ///< name, us
  bool registered = false;
};
Records& records() {
  static Records all;
  return all;
}

void ask_buffer(std::uint8_t** buffer, std::size_t* bytes, std::size_t* most) {
  *bytes = std::size_t{64} << 10U;
  *most = 0;
  *buffer = static_cast<std::uint8_t*>(std::aligned_alloc(8, *bytes)); // NOLINT: CUPTI's own form
}

void take_buffer(Context /*context*/, std::uint32_t /*stream*/, std::uint8_t* buffer, std::size_t /*bytes*/,
                 std::size_t valid) {
  Records& r = records();
  const std::lock_guard lock(r.writing);
  std::uint8_t* record = nullptr;
  while (r.api->activity_next(buffer, valid, &record) == cupti::success) {
    int kind = 0;
    std::uint64_t start = 0, end = 0;
    const char* name = nullptr;
    std::memcpy(&kind, record, sizeof kind);
    if (kind != cupti::kind_kernel) continue;
    std::memcpy(&start, record + cupti::record_start, sizeof start);
    std::memcpy(&end, record + cupti::record_end, sizeof end);
    std::memcpy(&name, record + cupti::record_name, sizeof name);
    if (name != nullptr && end >= start) r.kernels.emplace_back(name, 1e-3 * static_cast<double>(end - start));
  }
  std::free(buffer); // NOLINT: from aligned_alloc above
}

class Counting {
 public:
  Counting(Session& s, const CountingRequest& r, const std::stop_token& t, const cupti::Api& a)
      : session(s), request(r), stop(t), api(a), sweep(s) {}

  /// The kernels' own times, without the gaps between them.
  Metric activity() {
    const std::lock_guard lock(records().one);
    Records& r = records();
    r.api = &api;
    Metric m;
    m.id = "time_us.activity";
    m.unit = "us";
    int code = cupti::success;
    if (!r.registered) code = api.activity_callbacks(ask_buffer, take_buffer);
    r.registered = r.registered || code == cupti::success;
    if (code == cupti::success) code = api.activity_enable(cupti::kind_kernel);
    if (code != cupti::success) {
      auto [source, why] = refusal(api, code, "cuptiActivityEnable");
      m.source = source;
      m.method = why;
      return m;
    }
    std::vector<double> times;
    for (int i = 0; i < timed_runs; ++i) {
      request.begin();
      sweep.enqueue();
      for (const auto& kernel : request.kernels) kernel();
      if (!drained()) break;
      api.activity_flush(cupti::flush_forced);
      const std::lock_guard reading(r.writing);
      double sum = 0;
      std::size_t found = 0;
      for (const auto& [name, us] : r.kernels)
        if (std::find(request.entries.begin(), request.entries.end(), name) != request.entries.end())
          sum += us, ++found;
      if (found == request.kernels.size()) times.push_back(sum);
      r.kernels.clear();
    }
    api.activity_disable(cupti::kind_kernel);
    if (times.empty()) {
      m.method = "CUPTI gave no activity record of the kernels";
      return m;
    }
    return summarise(m.id,
                     "CUPTI activity records, the kernels' own times summed, median, quartiles as spread; L2 full of "
                     "other data, clean",
                     std::move(times));
  }

  /// Sums by name over all kernels. Throws NotCounted.
  std::map<std::string, double> counted(const CounterPlan& plan) {
    request.begin();
    std::map<std::string, double> sums;
    for (const auto& kernel : request.kernels) {
      request.keep();
      Profiler profiler(*this, plan);
      for (int pass = 0;; ++pass) {
        request.before();
        sweep.enqueue();
        if (!drained()) return {};
        const bool last = profiler.pass(kernel);
        if (stopped) return {};
        if (last) break;
        if (pass > most_passes) throw NotCounted{Metric::Source::not_measured, "CUPTI asks for passes without end"};
      }
      const std::vector<double> values = profiler.values(plan);
      for (std::size_t i = 0; i < values.size(); ++i) sums[plan.names[i]] += values[i];
    }
    return sums;
  }

  CounterPlan planned() {
    cupti::ChipName chip;
    chip.device = static_cast<std::size_t>(session.info.ordinal);
    call(api.chip_name(&chip), "cuptiDeviceGetChipName");
    cupti::DeviceSupported supported;
    supported.device = session.device_handle();
    call(api.device_supported(&supported), "cuptiProfilerDeviceSupported");
    if (supported.supported != cupti::level_supported) throw NotCounted{Metric::Source::not_supported, why(supported)};
    cupti::Availability size;
    size.context = session.context_handle();
    call(api.availability(&size), "cuptiProfilerGetCounterAvailability");
    std::vector<std::uint8_t> image(size.image_bytes);
    size.image = image.data();
    call(api.availability(&size), "cuptiProfilerGetCounterAvailability");
    const std::vector<std::string> names = counter_names();
    auto plan = plan_counters(chip.name, names, image);
    if (!plan)
      throw NotCounted{Metric::Source::not_supported,
                       plan.missing ? plan.missing->what : plan.diagnostics.front().message};
    return std::move(*plan);
  }

  bool stopped = false;

 private:
  Session& session;
  const CountingRequest& request;
  const std::stop_token& stop;
  const cupti::Api& api;
  Sweep sweep;

  void call(int code, const char* name) const {
    if (code != cupti::success) throw refusal(api, code, name);
  }
  bool drained() {
    stopped = session.wait(stop) != Session::Waited::done || stop.stop_requested();
    return !stopped;
  }
  static std::string why(const cupti::DeviceSupported& s) {
    std::string text = "CUPTI counts nothing on this device:";
    auto add = [&](int level, const char* what) {
      if (level != cupti::level_supported)
        text += std::string(" ") + what + (level == cupti::level_disabled ? " (switched off)" : "");
    };
    add(s.architecture, "its architecture is too old;");
    add(s.sli, "SLI is in use;");
    add(s.vgpu, "it is a virtual GPU;");
    add(s.confidential, "confidential computing is on;");
    add(s.cmp, "it is a mining processor;");
    add(s.wsl, "it is seen through WSL;");
    return text;
  }

  /// One kernel's profiling.
  class Profiler {
   public:
    Profiler(Counting& owner, const CounterPlan& plan) : counting(owner), names(plan.names) {
      cupti::RangeEnable enable;
      enable.context = counting.session.context_handle();
      counting.call(counting.api.range_enable(&enable), "cuptiRangeProfilerEnable");
      profiler = enable.profiler;
      try {
        set_up(plan);
      } catch (...) {
        disable();
        throw;
      }
    }
    ~Profiler() { disable(); }
    Profiler(const Profiler&) = delete;
    Profiler& operator=(const Profiler&) = delete;

    /// True after the last one.
    bool pass(const std::function<void()>& kernel) {
      cupti::RangeObject start;
      start.profiler = profiler;
      counting.call(counting.api.range_start(&start), "cuptiRangeProfilerStart");
      kernel();
      counting.drained();
      cupti::RangeStop end;
      end.profiler = profiler;
      counting.call(counting.api.range_stop(&end), "cuptiRangeProfilerStop");
      return end.all_passes != 0;
    }
    std::vector<double> values(const CounterPlan& plan) {
      cupti::RangeDecode decode;
      decode.profiler = profiler;
      counting.call(counting.api.range_decode(&decode), "cuptiRangeProfilerDecodeData");
      cupti::DataInfo info;
      info.data = data.data();
      info.bytes = data.size();
      counting.call(counting.api.data_info(&info), "cuptiRangeProfilerGetCounterDataInfo");
      if (info.ranges == 0) return std::vector<double>(names.size(), 0); // an empty grid: nothing was launched
      std::vector<double> out = evaluate(plan, data);
      if (out.empty()) throw NotCounted{Metric::Source::not_measured, "what CUPTI collected cannot be read"};
      return out;
    }

   private:
    Counting& counting;
    const std::vector<std::string>& names;
    std::vector<std::uint8_t> data;
    void* profiler = nullptr;

    void set_up(const CounterPlan& plan) {
      std::vector<const char*> list;
      for (const std::string& name : names) list.push_back(name.c_str());
      cupti::DataSize size;
      size.profiler = profiler;
      size.names = list.data();
      size.count = list.size();
      counting.call(counting.api.data_size(&size), "cuptiRangeProfilerGetCounterDataSize");
      data.assign(size.bytes, 0);
      cupti::DataInitialize initialize;
      initialize.profiler = profiler;
      initialize.bytes = data.size();
      initialize.data = data.data();
      counting.call(counting.api.data_initialize(&initialize), "cuptiRangeProfilerCounterDataImageInitialize");
      cupti::RangeConfig config;
      config.profiler = profiler;
      config.config_bytes = plan.config.size();
      config.config = plan.config.data();
      config.data_bytes = data.size();
      config.data = data.data();
      counting.call(counting.api.range_config(&config), "cuptiRangeProfilerSetConfig");
    }
    void disable() const {
      cupti::RangeObject off;
      off.profiler = profiler;
      counting.api.range_disable(&off);
    }
  };
};

/// The profiler of the process, for as long as it is needed.
class Initialised {
 public:
  explicit Initialised(const cupti::Api& a) : api(a) {
    cupti::Nothing p;
    if (int code = api.initialize(&p); code != cupti::success) throw refusal(api, code, "cuptiProfilerInitialize");
  }
  ~Initialised() {
    cupti::Nothing p;
    api.deinitialize(&p);
  }
  Initialised(const Initialised&) = delete;
  Initialised& operator=(const Initialised&) = delete;

 private:
  const cupti::Api& api;
};

} // namespace

std::vector<Metric> count_kernels(Session& session, const CountingRequest& request, const std::stop_token& stop) {
  auto api = cupti::api();
  if (!api) {
    const std::string why = api.missing->what + ": " + api.missing->how_to_get;
    auto out = absent_counters(Metric::Source::not_measured, why);
    out.insert(out.begin(), Metric{Metric::Source::not_measured, "time_us.activity", "us", why, {}});
    return out;
  }
  Counting counting(session, request, stop, **api);
  std::vector<Metric> out{counting.activity()};
  std::vector<Metric> counters;
  try {
    const Initialised profiler(**api);
    const CounterPlan plan = counting.planned();
    const auto sums = counting.counted(plan);
    if (counting.stopped) return {};
    auto sm = sm_limits(session.info.arch);
    counters = counter_metrics(sums, sm ? sm->threads / 32 : 0,
                               "CUPTI range profiler, one range a kernel, " + std::to_string(plan.passes) +
                                   " passes, each after L2 was filled with other, clean data");
  } catch (const NotCounted& refused) {
    counters = absent_counters(refused.source, refused.why);
  }
  if (counting.stopped) return {};
  out.insert(out.end(), std::make_move_iterator(counters.begin()), std::make_move_iterator(counters.end()));
  return out;
}

} // namespace aicf::cuda
