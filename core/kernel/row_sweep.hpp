// One row of a row kernel under construction: the mapping of axis positions on lanes and registers, the loads that are
// staged, and sweeps over the axis.
#pragma once
#include "core/kernel/row_tensors.hpp"

#include <functional>
#include <map>
#include <optional>
#include <set>

namespace aicf::ir {

/// How a row is spread: position = ((tile * unroll + u) * lanes + lane) * vector + e.
struct RowMapping {
  std::uint32_t lanes = 1, vector = 1, unroll = 1;
  bool one_tile = false;              ///< the whole row is one tile: it stays in registers
  std::optional<std::int64_t> length; ///< of the row, where it is a constant of the kernel
  Hint hint = Hint::none;
};

/// A position of the axis at which elements are evaluated, and its place in the register tile.
struct Position {
  NodeId u = none, e = none, j = none;
};

class RowSweep {
 public:
  RowSweep(Builder& builder, const RowForm& form, RowTensors& tensors, RowMapping mapping, Type real);

  /// The lane and the number of positions, for everything below. `part`: where the positions begin on the axis, when a
  /// block of a cluster holds a part of the row; none: at its begin.
  void at_lane(NodeId lane, NodeId length, NodeId aligned, NodeId part = none);

  /// Allocates a register tile for a load and fills it in each tile of the sweeps that follow, until `unstage`. What
  /// all rows read alike comes from a cache, a packed group at a time, where it is used: it would cost registers for
  /// nothing.
  void stage(ExprId load);
  void unstage(ExprId load);
  /// Fills the tiles of all staged loads now; they stay (one_tile only).
  void fill();
  /// A second tile for each staged load (one_tile only): `fill_next` reads the row at hand into it, `take_next` makes
  /// that the row of the sweeps.
  void stage_next();
  void fill_next();
  void take_next();
  /// In the sweeps that follow: what earlier ones made of the tiles is made again, and costs no registers until then.
  void forget() { forgets_ = true; }
  void remember() { forgets_ = false; }
  /// Rows in shared memory: copies the loads there now; staged tiles are then filled from there. Direct and
  /// asynchronous copies: each lane moves what it will read. Bulk: thread 0 asks for the whole, and all wait for its
  /// bytes.
  void fill_shared(const std::vector<ExprId>& loads, NodeId row_in_block, std::uint32_t rows_in_block,
                   Transfer transfer);

  /// In each tile of the axis, after the staged loads are filled.
  void each_tile(const std::function<void()>& body);
  /// Calls `element` in loops over the positions of the tile at hand. `before` opens and `after` closes each packed
  /// group: the positions that one lane reads and writes at once.
  struct Body {
    std::function<void(NodeId u)> before;
    std::function<void(const Position&)> element;
    std::function<void(NodeId u, NodeId first)> after;
  };
  void elements(const Body& body);
  void sweep(const Body& body) {
    each_tile([&] { elements(body); });
  }

  /// Values at a position. Nodes of `known` are replaced.
  std::vector<NodeId> values(std::span<const ExprId> roots, const std::unordered_map<ExprId, NodeId>& known,
                             const Position& at, const std::unordered_map<std::uint32_t, NodeId>& symbols = {});
  /// Values that do not read the axis.
  NodeId row_value(ExprId root, const std::unordered_map<ExprId, NodeId>& known,
                   const std::unordered_map<std::uint32_t, NodeId>& symbols = {});

  BufferId tile_buffer(std::string name, DType dtype, Type type, bool computed); ///< one element a position of the tile
  /// One packed group of a tensor: of computed results, or as it is stored.
  BufferId group_buffer(BufferId global, bool computed = true);
  void store_group(const RowOutput& output, BufferId group, NodeId first); ///< a packed group of results

  [[nodiscard]] const RowMapping& mapping() const { return map_; }
  [[nodiscard]] bool stores_groups(const RowOutput& output) const;

 private:
  Builder& b;
  const RowForm& f;
  RowTensors& t;
  RowMapping map_;
  Type real_;
  NodeId lane_ = none, length_ = none, aligned_ = none, base_ = none, part_ = none;
  struct Staged {
    BufferId tile = none, next = none;
    bool filled = false;
  };
  std::map<ExprId, Staged> staged_;
  bool forgets_ = false;
  std::set<ExprId> alike_;              ///< staged, and the same for all rows
  std::map<ExprId, BufferId> group_of_; ///< of these, in the group at hand
  struct Shared {
    BufferId buffer = none;
    NodeId row = none;
  };
  std::map<ExprId, Shared> shared_;

  void tiles(const std::function<void(NodeId base)>& body);
  void groups(NodeId base, const std::function<void(NodeId u, NodeId first)>& body);
  void lane_elements(NodeId u, NodeId first, const std::function<void(const Position&)>& body);
  void guarded_group(NodeId first, const std::function<void()>& packed, const std::function<void()>& single);
  void fill_tiles(NodeId base);
  void read_tile(NodeId base, const std::map<ExprId, BufferId>& tiles);
  void fill_bulk();
  void renew_tiles(NodeId u);
  [[nodiscard]] NodeId on_axis(NodeId position) {
    return part_ == none ? position : b.apply(Op::add, {part_, position});
  }
  Address element_of_group(Address first, NodeId e);
  void fill_alike(NodeId first);
  void move(ExprId load, NodeId first, const std::function<std::vector<NodeId>(NodeId e)>& to, BufferId target,
            bool single, Transfer transfer = Transfer::direct);
  NodeId resolve(const Leaf& leaf, const Position& at, const std::unordered_map<std::uint32_t, NodeId>& symbols);
  [[nodiscard]] std::string axis_name() const;
  [[nodiscard]] bool exact() const;
  [[nodiscard]] bool whole_groups() const;
};

} // namespace aicf::ir
