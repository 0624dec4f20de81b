// Running PTX text in the emulator from a test.
#pragma once
#include "core/exec/emulator/emulator.hpp"

#include <cstring>
#include <string>
#include <vector>

namespace aicf::test {

/// A kernel with buffers in the order of its pointer parameters, then 64-bit integers.
struct Kernel {
  std::string ptx, entry = "k";
  unsigned grid = 1, grid_y = 1, block = 32, cluster = 1, shared = 0, threads = 1;
  std::vector<std::vector<std::byte>> buffers{};
  std::vector<std::int64_t> dims{};
  std::vector<Arg::Role> roles{}; ///< of the buffers; those without one are read and written
  RunOptions options{};

  template <class T> Kernel& with(const std::vector<T>& values) {
    std::vector<std::byte> bytes(values.size() * sizeof(T));
    if (!values.empty()) std::memcpy(bytes.data(), values.data(), bytes.size());
    buffers.push_back(std::move(bytes));
    return *this;
  }
  template <class T> std::vector<T> values(std::size_t buffer) const {
    std::vector<T> v(buffers[buffer].size() / sizeof(T));
    if (!v.empty()) std::memcpy(v.data(), buffers[buffer].data(), v.size() * sizeof(T));
    return v;
  }
  Result<RunResult> run(std::stop_token stop = {});
  /// The generic address of a buffer in a run.
  [[nodiscard]] std::uint64_t address(std::size_t buffer);
  /// Runs, and returns "" or the first diagnostics and faults in words.
  std::string problem();

 private:
  Call call(std::vector<Buffer>& views);
};

[[nodiscard]] std::string problems(const Result<RunResult>& result);
/// "" unless the metric is there, exact, and equal.
[[nodiscard]] double metric(const RunResult& result, const std::string& id);

/// `.version 9.0 …` and one entry `k` with `pointers` parameters p0, p1 … of 64 bits, each loaded into %p0, %p1 …;
/// registers %r0-31 (b32), %l0-31 (b64), %h0-15 (b16), %q0-15 (pred) and %t (b32) are declared.
[[nodiscard]] std::string entry(unsigned pointers, const std::string& body, const std::string& module = {},
                                const std::string& declarations = {});
/// The PTX of CUDA source whose entry is `k`; empty where it does not compile.
[[nodiscard]] std::string compiled(const std::string& source, std::vector<std::string> options = {});
/// A file of tests/data/ptx.
[[nodiscard]] std::string sample(const std::string& name);

} // namespace aicf::test
