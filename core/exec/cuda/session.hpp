// A device's primary context with a stream, and what lives in it. Owners of device things free them when they go,
// unless the context is lost: then nothing works any more, and only the process's end frees them.
#pragma once
#include "core/exec/cuda/device.hpp"
#include "core/exec/cuda/driver.hpp"
#include "core/exec/cuda/marshal.hpp"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <stdexcept>
#include <stop_token>

namespace aicf::cuda {

/// A driver call that failed. Thrown within core/exec/cuda only; Backend::run makes a Fault of it.
struct CallFailed : std::runtime_error {
  CallFailed(int result, const std::string& text) : std::runtime_error(text), code(result) {}
  int code;
};

class Session {
 public:
  Session(const Driver& loaded, DeviceInfo described); ///< throws CallFailed
  ~Session();
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const Driver& driver;
  const DeviceInfo info;
  Stream stream = nullptr;

  [[nodiscard]] bool lost() const { return context_lost; }
  void lose();
  /// Throws CallFailed, naming `call`, unless `code` is success. A sticky code loses the session.
  void check(int code, const char* call);
  /// Makes the context current on this thread.
  void enter();
  [[nodiscard]] std::string bus_id() const; ///< "0000:3b:00.0"
  [[nodiscard]] Context context_handle() const { return context; }
  [[nodiscard]] Device device_handle() const { return device; }

  enum class Waited { done, cancelled, too_long };
  /// Until the stream is empty. A kernel cannot be interrupted: after `cancelled` (a little grace included) and
  /// `too_long` the session is lost.
  [[nodiscard]] Waited wait(const std::stop_token& stop);

 private:
  Context context = nullptr;
  Device device = 0;
  bool context_lost = false;
};

/// Device memory between two guard zones.
class GuardedMemory {
 public:
  GuardedMemory(Session& owner, std::size_t size);
  ~GuardedMemory();
  GuardedMemory(GuardedMemory&& other) noexcept;
  GuardedMemory(const GuardedMemory&) = delete;
  GuardedMemory& operator=(const GuardedMemory&) = delete;
  GuardedMemory& operator=(GuardedMemory&&) = delete;

  [[nodiscard]] DevicePointer address() const { return base + guard; }
  [[nodiscard]] std::size_t size() const { return bytes; }
  void upload(std::span<const std::byte> from);
  void download(std::span<std::byte> to);
  /// The offset of the first byte written outside, relative to the memory's begin; nothing when the zones are whole.
  [[nodiscard]] std::optional<std::int64_t> damage();

  static constexpr std::size_t guard = std::size_t{64} << 10U; ///< bytes on either side; keeps 256-byte alignment

 private:
  Session* session;
  DevicePointer base = 0;
  std::size_t bytes;
};

/// A loaded kernel with its launch.
class Kernel {
 public:
  /// Loads the cubin, or the PTX where the cubin is absent or the driver refuses it: the driver then compiles it at the
  /// level that the module's options give ptxas ("--ptxas-options=-O1"). Throws CallFailed.
  Kernel(Session& owner, const Call& call, LaunchShape launch, std::span<const GuardedMemory> buffers);
  ~Kernel();
  Kernel(Kernel&& other) noexcept;
  Kernel(const Kernel&) = delete;
  Kernel& operator=(const Kernel&) = delete;
  Kernel& operator=(Kernel&&) = delete;

  void launch(); ///< throws CallFailed
  /// Further launches take their buffers at these addresses, one a buffer.
  void point(std::span<const DevicePointer> addresses);
  std::string name;

 private:
  Session* session;
  Module module = nullptr;
  Function function = nullptr;
  LaunchShape shape;
  std::vector<TensorMapBytes> values; ///< what the parameters point to; most use their first eight bytes
  void place(std::size_t argument, DevicePointer address);
  void load(const Call& call);
  void allow_shared_memory();
};

/// What was put on the session's stream, to be launched again as one.
class LaunchGraph {
 public:
  /// Captures what `enqueue` puts there; nothing of it runs. Throws CallFailed.
  LaunchGraph(Session& owner, const std::function<void()>& enqueue);
  ~LaunchGraph();
  LaunchGraph(const LaunchGraph&) = delete;
  LaunchGraph& operator=(const LaunchGraph&) = delete;

  void launch(); ///< throws CallFailed

 private:
  Session* session;
  GraphExec graph = nullptr;
};

/// The backend on a given driver: make_cuda's, or one that a test plays. Throws CallFailed.
[[nodiscard]] std::unique_ptr<Backend> make_backend(const Driver& driver, const DeviceInfo& device);

} // namespace aicf::cuda
