// Builds kernel IR at an insertion point. Values are folded as they are made (constants, x + 0, x * 1), so that what a
// pass substitutes simplifies itself.
#pragma once
#include "core/kernel/ir.hpp"

#include <array>
#include <functional>
#include <optional>
#include <string>

namespace aicf::ir {

class Builder {
 public:
  explicit Builder(Kernel& kernel) : k(kernel), at_{{none, 0}} {}

  /// What follows stands on this rule, for this reason.
  void because(std::string rule, std::string comment);

  NodeId constant(Type type, double value);
  NodeId integer(std::int64_t value) { return constant(Type::i32, static_cast<double>(value)); }
  NodeId param(const std::string& name); ///< of Kernel::params; throws if absent
  /// Operands of different types meet in the widest of them (pred < i32 < i64 < f32 < f64).
  NodeId apply(Op op, std::vector<NodeId> args, Accuracy accuracy = Accuracy::named);
  NodeId quotient(NodeId a, NodeId b);  ///< a / b of integers that are not negative
  NodeId remainder(NodeId a, NodeId b); ///< likewise a % b
  NodeId convert(NodeId value, Type type);
  NodeId round(NodeId value, DType dtype);
  /// `sweep` > 0: the compiler must not know that an earlier sweep read the same elements.
  NodeId view(BufferId buffer, NodeId offset, std::uint32_t sweep = 0);
  NodeId load(BufferId buffer, std::vector<NodeId> indices = {});
  /// Loads where `guard` holds; `otherwise` elsewhere, with no access.
  NodeId guarded_load(BufferId buffer, std::vector<NodeId> indices, NodeId guard, NodeId otherwise);
  NodeId extreme(Op op, BufferId buffer, std::vector<NodeId> first); ///< of the packed group that begins there
  NodeId shuffle(Shuffle kind, NodeId value, NodeId lane);

  BufferId buffer(Buffer what); ///< declares it; `alloc` makes it live
  void alloc(BufferId buffer);
  BufferId variable(std::string name, NodeId initial); ///< a register, alive from here
  void store(BufferId buffer, std::vector<NodeId> indices, NodeId value);
  /// Into the shared memory of the block of that rank in the cluster. Peers must have started: sync(cluster) before.
  void store_peer(BufferId buffer, NodeId rank, std::vector<NodeId> indices, NodeId value);
  /// Likewise, asynchronously: its bytes complete on that block's barrier, where they are awaited.
  void send_peer(BufferId buffer, NodeId rank, std::vector<NodeId> indices, NodeId value, BarrierId barrier,
                 NodeId stage);
  void renew(BufferId buffer, std::vector<NodeId> first); ///< a packed group in registers
  NodeId copy(BufferId to, std::vector<NodeId> there, BufferId from, std::vector<NodeId> here, std::uint32_t width,
              Transfer transfer = Transfer::direct);
  /// A bulk copy that completes `bytes` on a stage of the barrier.
  NodeId bulk_copy(BufferId to, std::vector<NodeId> there, BufferId from, std::vector<NodeId> here, std::uint32_t width,
                   BarrierId barrier, NodeId stage);
  NodeId arrive(BarrierId barrier, NodeId stage);               ///< one arrival
  NodeId expect(BarrierId barrier, NodeId stage, NodeId bytes); ///< one arrival, and so many bytes to come
  NodeId wait(BarrierId barrier, NodeId stage, NodeId parity, Scope scope = Scope::block); ///< scope: of who arrives
  NodeId sync(Scope scope, Meeting meeting = Meeting::whole);
  NodeId mma(BufferId accumulator, BufferId left, BufferId right);
  /// Row and column of the element that a register of a lane holds.
  std::array<NodeId, 2> place(const Fragment& fragment, NodeId lane, std::uint32_t reg);
  NodeId loop(Binding binding, std::string name, NodeId lo, NodeId hi, const std::function<void(NodeId)>& body,
              bool unroll = false);
  NodeId branch(NodeId condition, const std::function<void()>& body, const std::function<void()>& otherwise = {});
  NodeId role(std::string name, std::uint32_t first, std::uint32_t count, std::uint32_t registers,
              const std::function<void()>& body);
  /// The merged tuple over all lanes of the scope, in every lane. `merge` takes left and right.
  using Merge = std::function<std::vector<NodeId>(const std::vector<NodeId>&, const std::vector<NodeId>&)>;
  std::vector<NodeId> reduce(Scope scope, const std::vector<NodeId>& values, const std::vector<double>& identity,
                             bool symmetric, const Merge& merge);
  NodeId statement(Node node); ///< any other one

  [[nodiscard]] Type type(NodeId id) const { return k.nodes[id].type; }
  [[nodiscard]] std::optional<double> known(NodeId id) const; ///< the value of a constant

  /// Everything that `body` makes goes into region `region` of `owner` (none: the kernel's body).
  void inside(NodeId owner, std::size_t region, const std::function<void()>& body);

  Kernel& k;

 private:
  struct Point {
    NodeId owner;
    std::size_t region;
  };
  NodeId append(Node node);
  NodeId make_apply(Op op, Type type, std::vector<NodeId> args, Accuracy accuracy, bool nonnegative);
  NodeId open(Node node, const std::vector<std::pair<Type, std::string>>& params, const std::function<void()>& body);
  std::vector<Point> at_;
};

/// The region itself; the reference lives until the next node is made.
[[nodiscard]] Region& region_of(Kernel& kernel, NodeId owner, std::size_t region);

} // namespace aicf::ir
