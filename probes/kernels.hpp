// Trials from CUDA text: launches, memory, and the forms of timing loops that most probes share. Instructions under
// measurement are `asm volatile`, so that the compiler neither drops nor moves them, and what they compute is stored.
#pragma once
#include "probes/probe.hpp"

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace aicf::probes {

struct TrialBuffer {
  std::string name;
  DType dtype = DType::f32;
  std::int64_t count = 1;
  Arg::Role role = Arg::Role::inout;
  std::function<void(HostTensor&)> fill = {}; ///< empty: zeros
  std::vector<std::int64_t> shape = {};       ///< of `count` elements; empty: one dimension
  std::optional<Tile> tile = {};              ///< comes in as a tensor map
};

/// A kernel named `probe`, whose arguments are the buffers and then `values` as long long.
struct KernelText {
  std::string source;
  std::int64_t grid = 1, block = 32, cluster = 1, shared = 0; ///< shared: dynamic bytes
  std::vector<TrialBuffer> buffers;
  std::vector<std::pair<std::string, std::int64_t>> values;
  std::vector<Expected> expects;
};

/// "@NAME@" in `text` replaced.
[[nodiscard]] std::string filled(std::string text, const std::vector<std::pair<std::string, std::string>>& names);
[[nodiscard]] Trial trial(const std::string& id, Trial::Reads reads, const KernelText& kernel);

/// Deviates uniform in [-1, 1), or all bits random for integers: a splitmix64 sequence (S. Vigna's constants). Narrow
/// and wide floats repeat after 2^20 of them.
[[nodiscard]] std::function<void(HostTensor&)> random_fill(std::uint64_t seed);
[[nodiscard]] std::function<void(HostTensor&)> constant_fill(double value);
/// `rings` of `count` nodes each, node i of ring r at element (i * rings + r) * stride; each holds the element of the
/// next. One cycle through all of a ring in random order (Sattolo's algorithm), so that no prefetcher finds a pattern.
[[nodiscard]] std::function<void(HostTensor&)> ring_fill(std::int64_t count, std::int64_t stride, std::uint64_t seed,
                                                         std::int64_t rings = 1);

/// An instruction in a dependent chain of one thread: cycles an operation, from the difference between two lengths, so
/// that the loop's and the clock's own cost drop out.
struct Chain {
  std::string state;         ///< declarations before the clock; may read `sink[threadIdx.x]`, zero at run time, and
                             ///< write to the 128 bytes at `own`, which no other block does
  std::string body;          ///< one step
  std::string result;        ///< an unsigned that depends on the state
  std::string prologue = {}; ///< text before the kernel
  int per_body = 1;          ///< operations in a step
  std::int64_t block = 1, cluster = 1, shared = 0;
  std::vector<Expected> expects;
  /// One on each multiprocessor (one of each cluster's) at once, too few to be in each other's way: for what depends on
  /// how far that multiprocessor is from a part of L2, or from its neighbours.
  bool everywhere = false;
};
[[nodiscard]] Trial chain_trial(const std::string& id, const Chain& chain, const Setting& setting);

/// Independent instructions of a full block on every multiprocessor: cycles of a block for `per` operations.
struct Flood {
  std::string state, body, result, prologue = {};
  double per_body = 1; ///< operations of one thread in a step, or of the warp when `per_warp`
  bool per_warp = false;
  std::int64_t block = 1024, shared = 0, blocks_per_sm = 1;
  int iterations = 64, unroll = 64; ///< so many that neither branches nor the first and last warp weigh
  std::vector<Expected> expects;
};
/// Samples are cycles a operation of the multiprocessor; the rate is its inverse.
[[nodiscard]] Trial flood_trial(const std::string& id, const Flood& flood, const Setting& setting);

/// Controls. A dependent fma takes 4 cycles since Volta (Jia et al., arXiv:1804.06826, table 4.1); a multiprocessor has
/// 128 FP32 lanes (CUDA C++ Programming Guide, arithmetic instructions, compute capability 9.0); a kernel that waits
/// 20 microseconds by %globaltimer cannot end sooner.
[[nodiscard]] Trial alu_chain_control(const Setting& setting);
[[nodiscard]] Trial fma_rate_control(const Setting& setting);
[[nodiscard]] Trial wait_control();
/// Reads and writes n bytes each way once, 16 bytes a thread and access: control of bandwidths.
[[nodiscard]] Trial copy_trial(const std::string& id, std::int64_t bytes, const Setting& setting);
void check_alu_chain(const Observations& seen, Findings& findings);
void check_fma_rate(const Observations& seen, Findings& findings);
void check_wait(const Observations& seen, Findings& findings);
/// The copy control, 60 % to 100 % of what bus width and memory clock give.
void check_copy(const Setting& setting, const Observations& seen, Findings& findings, const std::string& id,
                std::int64_t bytes);

/// Exact trials run on the emulator at a size of their own; per launch.
[[nodiscard]] Trial exact_trial(const std::string& id, const KernelText& kernel);

} // namespace aicf::probes
