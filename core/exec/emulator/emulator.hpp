// The PTX emulator as a backend: no GPU needed. It executes the PTX of a compiled module on the CPU, finds faults and
// counts exactly (machine.hpp, shadow.hpp say how).
//
// Faults: out-of-bounds misaligned read-only uninitialised-shared uninitialised-global shared-race barrier-divergence
// barrier-operand deadlock member-mask inactive-lane sparse-metadata branch-index async-size cluster-rank cluster-space
// cluster-start cluster-exit proxy-fence mbarrier tensor-map bulk-exit global-race use-after-free assert trap
// step-limit unsupported. At most 3 of one kind at one instruction and 20 in all are kept; after 20 the launch ends.
//
// Metrics, each the sum over the calls of a run, source exact: thread_instructions (lanes whose guard holds; a branch
// counts for all active lanes), warp_instructions, both also by class (thread_instructions.f32 …, line_counters.hpp;
// absent where there were none), active_lane_efficiency (their ratio over 32), flops_{f32,f64,half} (fma is two),
// tensor_flops and tensor_integer_operations (2 m n k), global_{load,store,atomic}_{requests,sectors,lines,bytes} (a
// request is one warp instruction, sectors and lines the distinct pieces of 32 and 128 bytes in each; bulk and tensor
// copies count as loads and stores, one a copy, and by themselves in bulk_{load,store}_{requests,sectors}; a sector
// that several lanes of an atomic add to the same word of counts as often), shared_{load,store,atomic}_bytes
// (asynchronous copies and wgmma too), local_{load,store}_bytes, constant_load_bytes, parameter_load_bytes (also of
// parameters of functions), shared_{load,store}_wavefronts (of ld, st, ldmatrix, stmatrix: wmma leaves the order of its
// accesses open), shared_bank_conflicts (wavefronts beyond one a phase), barriers (warps that arrive), atomics (warp
// instructions), divergent_branches, tensor_instructions (warp instructions, with the loads of fragments). A hardware's
// own counts may differ: README, "Limits".
#pragma once
#include "core/exec/backend.hpp"

#include <memory>

namespace aicf {

class EmulatorBackend : public Backend {
 public:
  /// `threads`: workers; 0: one for each processor.
  explicit EmulatorBackend(unsigned threads = 0) : threads_(threads) {}
  [[nodiscard]] std::string id() const override { return "emulator"; }
  /// Diagnostics: "ptx.…" (the text), "emulator.call" (arguments), "emulator.launch" (extents, cluster, memory).
  Result<RunResult> run(std::span<const Call> calls, std::span<Buffer> buffers, const RunOptions& options,
                        std::stop_token stop) override;
  /// The generic address that buffer `index` has in a run of `call` with these buffers: what a tensor map of it holds
  /// (tensor_map.hpp). Diagnostics of the text as in run().
  [[nodiscard]] static Result<std::uint64_t> address_of(const Call& call, std::span<const Buffer> buffers,
                                                        std::size_t index);

 private:
  unsigned threads_;
};

[[nodiscard]] std::unique_ptr<Backend> make_emulator(unsigned threads = 0);

} // namespace aicf
