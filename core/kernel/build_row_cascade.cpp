// Kernels of the family `row_cascade`: one row of rows x axis on a thread, a warp, a block or several blocks; its
// reductions level by level (two_pass, resident) or as one mergeable state (online); then the results.
//
//   for row in grid:  for level: r = reduce(lanes, fold(elements));  for position: y = map(elements, r)
//
// A row that is split over blocks takes a launch for each such reduce, and one for the results.
#include "core/kernel/cascade_algebra.hpp"
#include "core/kernel/family_builder.hpp"
#include "core/kernel/lower_collectives.hpp"
#include "core/kernel/row_sweep.hpp"
#include "core/plan/choice.hpp"

#include <algorithm>
#include <stdexcept>

namespace aicf::ir {
namespace {

using Known = std::unordered_map<ExprId, NodeId>;

class RowCascade {
 public:
  RowCascade(const StructureProfile& profile, const Plan& plan, const Problem& problem, std::size_t stage = 0)
      : p(profile), plan_(plan), problem_(problem), f(row_form(profile)), b(k),
        real_(real_type(*f.canonical->source, plan, problem)), t(b, f, problem, fixed_dims(f, plan), real_),
        s(b, f, t, mapping(), real_),
        c(p, f, b, real_, chosen(plan, "accumulate", "compensated"),
          [this](ExprId root, const auto& symbols) { return s.row_value(root, {}, symbols); }),
        stage_(stage) {}

  Kernel run() {
    const Definition& d = *f.canonical->source;
    k.name = d.name + "_" + word(plan_, "state_form");
    cooperation_ = word(plan_, "cooperation");
    k.threads = static_cast<std::uint32_t>(number(plan_, "threads"));
    k.resident_blocks = static_cast<std::uint32_t>(resident_blocks_of(plan_));
    if (cooperation_ == "cluster") k.cluster = static_cast<std::uint32_t>(number(plan_, "row_blocks"));
    if (splits()) {
      k.name += gives_results() ? "_results" : stages() == 1 ? "_parts" : "_parts_" + std::to_string(stage_ + 1);
      parts_ = static_cast<std::uint32_t>(number(plan_, "row_blocks"));
      // Without results along the axis, what is left to do is merging the parts: a warp a row.
      if (gives_results() && !has_axis_outputs()) cooperation_ = "warp", parts_ = 1;
    }
    turns_ = turns_of(plan_);
    rows_in_block_ = cooperation_ == "thread" ? k.threads : cooperation_ == "warp" ? k.threads / 32 : 1;
    launch();
    about();
    NodeId blocks = turns_ > 1 ? first_rows() : per(t.row_count(), rows_in_block_);
    blocks = b.apply(Op::mul, {blocks, b.integer(std::int64_t{k.cluster} * parts_)});
    b.loop(Binding::grid,
           cooperation_ == "block" ? "row"
           : parts_ > 1            ? "block"
                                   : "row_block",
           b.integer(0), blocks, [&](NodeId block) { rows(block); });
    return std::move(k);
  }

  /// A split row: launches that fold parts of the row before the one that gives the results.
  [[nodiscard]] std::size_t stages() const {
    return f.cascade == nullptr ? 0 : keeps_state(plan_) ? 1 : f.levels.size();
  }

 private:
  const StructureProfile& p;
  const Plan& plan_;
  const Problem& problem_;
  RowForm f;
  Kernel k;
  Builder b;
  Type real_;
  RowTensors t;
  RowSweep s;
  CascadeAlgebra c;
  std::string cooperation_;
  std::size_t stage_; ///< of a split row: which launch this is; those before it have left their parts in memory
  std::uint32_t rows_in_block_ = 1, parts_ = 1; ///< parts_: blocks that share a row through memory
  std::int64_t turns_ = 1;                      ///< rows that a block works through
  std::map<std::string, BufferId> workspaces_;
  NodeId lane_ = none, thread_ = none, rank_ = none, row_ = none;
  bool peers_started_ = false;       ///< of the cluster: they have met once
  Known known_;                      // reductions that are computed
  std::map<ExprId, BufferId> saved_; // expensive expressions kept from an earlier sweep

  [[nodiscard]] bool resident() const { return keeps_row(plan_); }
  [[nodiscard]] bool splits() const { return chosen(plan_, "cooperation", "split"); }
  [[nodiscard]] bool gives_results() const { return !splits() || stage_ == stages(); }
  [[nodiscard]] bool has_axis_outputs() const {
    return std::any_of(f.outputs.begin(), f.outputs.end(), [](const RowOutput& o) { return o.along_axis; });
  }
  /// A block of the cluster holds a part of the row in its shared memory.
  [[nodiscard]] bool in_parts() const { return cooperation_ == "cluster" && resident() && !in_registers(); }
  [[nodiscard]] bool in_registers() const { return resident() && word(plan_, "staging") == "registers"; }

  [[nodiscard]] bool fixed_length() const { return word(plan_, "row_length") == "static"; }

  RowMapping mapping() const {
    RowMapping m;
    bool parts = chosen(plan_, "cooperation", "cluster") && resident() && !in_registers();
    std::int64_t blocks = parts ? number(plan_, "row_blocks") : 1;
    m.lanes = static_cast<std::uint32_t>(row_lanes(plan_) / blocks);
    m.vector = static_cast<std::uint32_t>(number(plan_, "vector"));
    m.unroll = static_cast<std::uint32_t>(number(plan_, "vectors_per_thread"));
    m.one_tile = in_registers();
    if (fixed_length()) m.length = row_sizes(f, problem_).length / blocks;
    m.hint = chosen(plan_, "cache_hint", "streaming") ? Hint::streaming : Hint::none;
    return m;
  }

  void launch() {
    std::string count = t.row_count_text();
    if (std::int64_t rows = rows_in_block_ * turns_; rows > 1)
      count = "ceil(" + count + "/" + std::to_string(rows) + ")";
    k.launch.grid[0].text = "max(1," + count + ")"; // a launch of no block is an error; the rows are guarded
    if (k.cluster > 1) {
      k.launch.cluster[0].text = std::to_string(k.cluster);
      k.launch.grid[0].text += "*" + k.launch.cluster[0].text;
    }
    if (parts_ > 1) k.launch.grid[0].text += "*" + std::to_string(parts_);
    k.launch.block[0].text = std::to_string(k.threads);
  }

  void about() {
    const std::string& form = word(plan_, "state_form");
    std::string who = k.cluster > 1 ? "a cluster of " + std::to_string(k.cluster) + " blocks" : "one " + cooperation_;
    if (splits()) return about_split();
    std::string how = form == "resident_online"
                          ? "the row stays on chip, and one meeting merges the state of all levels"
                      : form == "online"   ? "one sweep keeps a mergeable state of the reductions"
                      : form == "resident" ? "the row stays on chip between its sweeps"
                                           : "one sweep of global memory a level";
    k.about = {f.canonical->source->name + ": " + who + " a row, " + how + "."};
    if (k.resident_blocks > 0)
      k.about.push_back("Registers are bounded, so that a multiprocessor has room for " +
                        std::to_string(k.resident_blocks) + " blocks (bounded_registers).");
    if (turns_ > 1) k.about.push_back("It works through " + std::to_string(turns_) + " rows and reads each one ahead.");
  }

  /// ceil(count / size)
  NodeId per(NodeId count, std::int64_t size) {
    return b.quotient(b.apply(Op::add, {count, b.integer(size - 1)}), b.integer(size));
  }
  /// Of blocks that work through several rows: as many rows as there are blocks come first, and as many next.
  NodeId first_rows() { return per(t.row_count(), turns_); }

  void about_split() {
    std::string count = std::to_string(number(plan_, "row_blocks")), of = std::to_string(stages() + 1);
    std::string what = !gives_results()     ? "each folds its part of the row and leaves the state in memory"
                       : has_axis_outputs() ? "each merges the states of all parts and writes its share of the results"
                                            : "a warp a row merges the states of all parts";
    k.about = {f.canonical->source->name + ", launch " + std::to_string(stage_ + 1) + " of " + of + ": " + count +
               " blocks a row; " + what + "."};
  }

  void rows(NodeId block) {
    NodeId per_block = b.integer(rows_in_block_);
    if (parts_ > 1) {
      NodeId of = b.integer(parts_), number = b.quotient(block, of);
      rank_ = b.convert(b.remainder(block, of), Type::i32);
      k.nodes[rank_].name = "part";
      b.loop(Binding::block, "thread", b.integer(0), b.integer(k.threads), [&](NodeId thread) {
        NodeId lane = b.apply(Op::add, {b.apply(Op::mul, {rank_, b.integer(k.threads)}), thread});
        k.nodes[lane].name = "lane";
        thread_ = thread;
        row(number, lane, b.integer(0));
      });
    } else if (cooperation_ == "block") {
      b.loop(Binding::block, "lane", b.integer(0), b.integer(k.threads),
             [&](NodeId lane) { row(block, lane, b.integer(0)); });
    } else if (cooperation_ == "cluster") {
      NodeId of = b.integer(k.cluster), number = b.quotient(block, of);
      b.loop(Binding::cluster, "rank", b.integer(0), of, [&](NodeId rank) {
        b.loop(Binding::block, "thread", b.integer(0), b.integer(k.threads), [&](NodeId thread) {
          NodeId lane = b.apply(Op::add, {b.apply(Op::mul, {rank, b.integer(k.threads)}), thread});
          k.nodes[lane].name = "lane";
          thread_ = thread, rank_ = rank;
          b.sync(Scope::cluster, Meeting::arrive);
          row(number, lane, b.integer(0));
        });
      });
    } else if (cooperation_ == "warp") {
      b.loop(Binding::warp, "warp", b.integer(0), per_block, [&](NodeId warp) {
        b.loop(Binding::lane, "lane", b.integer(0), b.integer(32), [&](NodeId lane) {
          row(b.apply(Op::add, {b.apply(Op::mul, {block, per_block}), warp}), lane, warp);
        });
      });
    } else {
      b.loop(Binding::block, "thread", b.integer(0), per_block, [&](NodeId thread) {
        row(b.apply(Op::add, {b.apply(Op::mul, {block, per_block}), thread}), b.integer(0), thread);
      });
    }
  }

  void row(NodeId row, NodeId lane, NodeId row_in_block) {
    row = b.convert(row, Type::i64);
    lane_ = lane;
    if (turns_ > 1) return rows_in_turn(row);
    if (cooperation_ != "block") k.nodes[row].name = "row";
    b.branch(b.apply(Op::lt, {row, t.row_count()}), [&] {
      enter(row);
      if (splits()) return launch_of_split();
      if (resident()) keep(row_in_block);
      work();
    });
  }

  /// Rows that follow each other in the grid's step. The tile of the next one fills while this one is worked on.
  void rows_in_turn(NodeId first) {
    NodeId step = b.convert(first_rows(), Type::i64);
    k.nodes[step].name = "row_step";
    k.nodes[first].name = "first_row";
    stage_row();
    s.stage_next();
    auto inside = [&](NodeId row, const std::function<void()>& body) {
      b.branch(b.apply(Op::lt, {row, t.row_count()}), body);
    };
    b.because("resident_row", "each row is read from global memory once and stays in registers");
    inside(first, [&] {
      enter(first);
      s.fill();
    });
    if (cooperation_ == "cluster") wait_for_peers();
    b.loop(Binding::sequential, "turn", b.integer(0), b.integer(turns_), [&](NodeId turn) {
      NodeId row = b.apply(Op::add, {first, b.apply(Op::mul, {b.convert(turn, Type::i64), step})});
      k.nodes[row].name = "row";
      inside(row, [&] {
        NodeId next = b.apply(Op::add, {row, step});
        k.nodes[next].name = "next_row";
        b.because("row_ahead", "the next row is under way while this one is worked on");
        inside(next, [&] {
          enter(next);
          s.fill_next();
        });
        enter(row);
        work();
        leave_row();
        s.take_next();
      });
    });
  }

  /// The parts of this row's lanes have been read when those of the next one are written.
  void leave_row() {
    if (cooperation_ != "block") return; // parts in registers, or in a ring of the cluster's meetings
    std::size_t meetings = 0;
    for (const auto& level : f.levels) meetings += level.size();
    if (keeps_state(plan_) || meetings == 1) b.sync(Scope::block); // of several, each has the others between its turns
  }

  void wait_for_peers() {
    b.because("cluster_reduce", "a block writes into another's shared memory only once that has started");
    b.sync(Scope::cluster, Meeting::wait);
    peers_started_ = true;
  }

  /// Everything below is about this row.
  void enter(NodeId row) {
    t.at_row(row);
    NodeId length = f.extent == no_expr ? b.integer(1) : b.convert(t.dim(f.arena, f.extent), Type::i32);
    if (f.extent != no_expr) k.nodes[length].name = "length";
    NodeId aligned = b.apply(Op::eq, {b.remainder(length, b.integer(s.mapping().vector)), b.integer(0)});
    if (!f.parts.empty() && s.mapping().vector > 1) { // a packed group lies in one run of the innermost variable
      NodeId run = b.convert(t.dim(f.arena, f.parts.back().extent), Type::i32);
      NodeId even = b.apply(Op::eq, {b.remainder(run, b.integer(s.mapping().vector)), b.integer(0)});
      aligned = b.apply(Op::and_, {aligned, even});
    }
    k.nodes[aligned].name = "aligned";
    if (in_parts()) {
      NodeId part = b.apply(Op::mul, {rank_, b.integer(*s.mapping().length)});
      k.nodes[part].name = "part_start";
      s.at_lane(thread_, b.integer(*s.mapping().length), aligned, part);
    } else {
      s.at_lane(lane_, length, aligned);
    }
    row_ = row;
  }

  void work() {
    s.remember();
    if (keeps_state(plan_) && f.cascade != nullptr)
      online();
    else
      for (std::size_t level = 0; level < f.levels.size(); ++level) {
        if (level > 0) sweep_again();
        if (!resident()) t.at_sweep(static_cast<std::uint32_t>(level));
        reduce_level(level, f.sweeps[level]);
      }
    row_outputs();
    sweep_again();
    if (!resident()) t.at_sweep(static_cast<std::uint32_t>(f.levels.size()));
    axis_outputs(f.sweeps.back());
  }

  /// What the plan recomputes, the compiler must not keep: it would, and fewer blocks would fit.
  void sweep_again() {
    if (chosen(plan_, "intermediates", "recompute")) s.forget();
  }

  std::vector<ExprId> loads_of(const std::vector<ExprId>& roots) const {
    std::vector<ExprId> loads = axis_nodes(f, roots);
    std::erase_if(loads, [&](ExprId id) { return f.arena[id].op != Op::load; });
    return loads;
  }

  /// Register tiles for the loads of more than one sweep.
  void stage_row() {
    for (ExprId load : f.kept) s.stage(load);
    staged_ = f.kept;
  }

  /// Loads of more than one sweep stay on chip; so do, in registers, expressions through a function of the library.
  void keep(NodeId row_in_block) {
    if (!in_registers()) {
      const std::string& staging = word(plan_, "staging");
      Transfer transfer = staging == "shared_bulk"    ? Transfer::bulk
                          : staging == "shared_async" ? Transfer::async
                                                      : Transfer::direct;
      b.because("resident_row",
                transfer == Transfer::bulk
                    ? "the row is read from global memory once, into shared memory, by the copy engine"
                    : "the row is read from global memory once, into shared memory; each lane reads back "
                      "what it wrote itself");
      bool alone = cooperation_ == "block" || cooperation_ == "cluster";
      s.fill_shared({f.kept.begin(), f.kept.end()}, alone ? b.integer(0) : row_in_block, rows_in_block_, transfer);
      return;
    }
    stage_row();
    b.because("resident_row", "the row is read from global memory once and stays in registers");
    s.fill();
  }

  /// What a later sweep wants of this one.
  std::vector<ExprId> saved_in(std::size_t sweep) const {
    std::vector<ExprId> found;
    for (const auto& [id, at] : f.saved)
      if (at == sweep && in_registers() && chosen(plan_, "intermediates", "keep")) found.push_back(id);
    return found;
  }

  /// known_ and what earlier sweeps left in registers for this position.
  Known known_at(const Position& at) {
    Known known = known_;
    for (const auto& [id, buffer] : saved_) known[id] = b.load(buffer, {at.u, at.e});
    return known;
  }

  void stage_all(const std::vector<ExprId>& loads) {
    if (!resident() && s.mapping().vector * s.mapping().unroll == 1) return; // used where it is loaded
    stage_unless_kept(loads);
  }
  void stage_unless_kept(const std::vector<ExprId>& loads) {
    for (ExprId load : loads)
      if (!staged_.contains(load)) s.stage(load);
  }
  std::set<ExprId> staged_; // kept for the whole row

  void unstage_all(const std::vector<ExprId>& loads) {
    for (ExprId load : loads)
      if (!staged_.contains(load)) s.unstage(load);
  }

  // ---- levels, one after the other ----

  struct Accumulator {
    Monoid monoid;
    std::vector<BufferId> variables;
    std::string name;
  };

  Accumulator accumulator(std::string name, Monoid m) {
    Accumulator a{std::move(m), {}, std::move(name)};
    for (std::size_t i = 0; i < a.monoid.types.size(); ++i)
      a.variables.push_back(
          b.variable(a.name + a.monoid.suffixes[i], b.constant(a.monoid.types[i], a.monoid.identity[i])));
    return a;
  }

  std::vector<NodeId> current(const Accumulator& a) {
    std::vector<NodeId> values;
    for (BufferId v : a.variables) values.push_back(b.load(v));
    return values;
  }

  /// Another element enters the accumulator.
  void fold(const Accumulator& a, const Position& at, NodeId element) {
    auto values = a.monoid.merge(b, current(a), a.monoid.lift(b, element, at.j));
    for (std::size_t i = 0; i < values.size(); ++i) b.store(a.variables[i], {}, values[i]);
  }

  /// What lanes, blocks and launches hand on of a reduction, or of the reductions of a summary: a tuple that merges.
  struct State {
    std::vector<std::string> names;
    std::vector<Type> types;
    std::vector<double> identity;
    bool symmetric = false;
    Builder::Merge merge;
  };

  State state_of(std::size_t reduction) {
    Monoid m = c.monoid(reduction);
    State state{{}, m.types, m.identity, m.symmetric, {}};
    const std::string& name = c.reduction(reduction).name;
    for (const std::string& suffix : m.suffixes) state.names.push_back(name + suffix);
    state.merge = [this, m = std::move(m)](const auto& l, const auto& r) { return m.merge(b, l, r); };
    return state;
  }

  State state_of_summary() {
    State state;
    for (std::size_t i = 0; i < f.cascade->summary->slots.size(); ++i) {
      state.names.push_back(c.slot_name(i));
      state.types.push_back(c.slot_type(i));
      state.identity.push_back(c.slot_identity(i));
    }
    state.merge = [this](const auto& l, const auto& r) { return c.merged(l, r); };
    return state;
  }

  std::vector<NodeId> over_lanes(const std::vector<NodeId>& values, const State& state) {
    if (cooperation_ == "thread") return values;
    if (cooperation_ == "cluster" && !peers_started_) wait_for_peers();
    b.because("tree_reduction", splits() ? "the lanes of the part merge in a fixed tree"
                                         : "the lanes of the row merge their parts in a fixed tree");
    Scope scope = cooperation_ == "warp" ? Scope::warp : cooperation_ == "cluster" ? Scope::cluster : Scope::block;
    return b.reduce(scope, values, state.identity, state.symmetric, state.merge);
  }

  void reduce_level(std::size_t level, const std::vector<ExprId>& roots) {
    auto folded = fold_level(level, roots);
    for (std::size_t i = 0; i < folded.size(); ++i) {
      std::size_t reduction = f.levels[level][i];
      known_as(reduction, over_lanes(folded[i], state_of(reduction)));
    }
  }

  void known_as(std::size_t reduction, const std::vector<NodeId>& merged) {
    Monoid m = c.monoid(reduction);
    NodeId value = m.value(b, merged);
    if (m.arg) trap_if_empty(b, value);
    b.k.nodes[value].name = c.reduction(reduction).name;
    known_[c.reduction(reduction).node] = value;
  }

  /// Of each reduction of the level, what this lane has folded.
  std::vector<std::vector<NodeId>> fold_level(std::size_t level, const std::vector<ExprId>& roots) {
    std::vector<Accumulator> all;
    for (std::size_t r : f.levels[level]) all.push_back(accumulator(c.reduction(r).name, c.monoid(r)));
    std::vector<ExprId> loads = loads_of(roots), saves = saved_in(level);
    for (ExprId id : saves) saved_here_[id] = s.tile_buffer("kept", DType::f32, real_, true);
    stage_all(loads);
    RowSweep::Body body;
    body.element = [&](const Position& at) {
      Known known = known_at(at);
      if (!saves.empty()) {
        auto values = s.values(saves, known, at);
        for (std::size_t i = 0; i < saves.size(); ++i) {
          b.store(saved_here_.at(saves[i]), {at.u, at.e}, values[i]);
          known[saves[i]] = values[i];
        }
      }
      for (std::size_t i = 0; i < all.size(); ++i) {
        std::size_t r = f.levels[level][i];
        auto predicate = [&](ExprId p) { return s.values(std::span(&p, 1), known, at)[0]; };
        b.branch(c.takes_part(r, at.j, predicate), [&] {
          NodeId element = s.values(std::span(&f.cascade->elements[r], 1), known, at)[0];
          fold(all[i], at, b.convert(element, all[i].monoid.types[0]));
        });
      }
    };
    if (level > 0 || !resident()) b.because(resident() ? "resident_row" : "multi_sweep", level_comment(level));
    s.sweep(body);
    unstage_all(loads);
    saved_.insert(saved_here_.begin(), saved_here_.end());
    saved_here_.clear();
    std::vector<std::vector<NodeId>> folded;
    for (const Accumulator& a : all) folded.push_back(current(a));
    return folded;
  }
  std::map<ExprId, BufferId> saved_here_;

  std::string level_comment(std::size_t level) const {
    std::string text = f.levels.size() > 1 ? "level " + std::to_string(level + 1) + ": " : "";
    for (std::size_t i = 0; i < f.levels[level].size(); ++i)
      text += (i == 0 ? "" : ", ") + p.reductions[f.cascade->reductions[f.levels[level][i]]].name;
    return text;
  }

  // ---- one mergeable state ----

  void online() { known_as_summary(over_lanes(fold_summary(), state_of_summary())); }

  /// The state of what this lane has read.
  std::vector<NodeId> fold_summary() {
    const auto& slots = f.cascade->summary->slots;
    std::vector<BufferId> state;
    for (std::size_t i = 0; i < slots.size(); ++i)
      state.push_back(b.variable(c.slot_name(i), b.constant(c.slot_type(i), c.slot_identity(i))));
    std::vector<ExprId> roots;
    roots.reserve(slots.size());
    for (const Slot& slot : slots) roots.push_back(slot.body);
    std::vector<ExprId> loads = loads_of(roots);
    // Even a chunk of one element is read once and folded several times.
    stage_unless_kept(loads);
    b.because("online_state", "one sweep: the state of each chunk merges into the running state");
    online_chunks(state);
    unstage_all(loads);
    std::vector<NodeId> values;
    values.reserve(slots.size());
    for (BufferId slot : state) values.push_back(b.load(slot));
    return values;
  }

  void known_as_summary(const std::vector<NodeId>& merged) {
    std::unordered_map<std::uint32_t, NodeId> symbols;
    for (std::size_t i = 0; i < merged.size(); ++i) symbols[slot_symbol(i)] = merged[i];
    for (std::size_t r = 0; r < f.cascade->reductions.size(); ++r) {
      const Reduction& reduction = p.reductions[f.cascade->reductions[r]];
      NodeId value = s.row_value(f.cascade->summary->finalize[r], known_, symbols);
      if (c.monoid(r).arg) trap_if_empty(b, value);
      known_[reduction.node] = value;
    }
  }

  void online_chunks(const std::vector<BufferId>& state) {
    const auto& slots = f.cascade->summary->slots;
    auto groups = c.slot_groups();
    s.each_tile([&] {
      std::unordered_map<std::uint32_t, NodeId> symbols;
      std::vector<NodeId> chunk(slots.size());
      for (const auto& group : groups) {
        std::vector<Accumulator> parts;
        parts.reserve(group.size());
        for (std::size_t i : group) parts.push_back(accumulator("chunk_" + c.slot_name(i), c.slot_monoid(i)));
        s.elements({{}, [&](const Position& at) { fold_slots(group, parts, symbols, at); }, {}});
        for (std::size_t g = 0; g < group.size(); ++g) {
          chunk[group[g]] = current(parts[g]).back();
          symbols[slot_symbol(group[g])] = chunk[group[g]];
        }
      }
      if (s.mapping().one_tile) { // the only chunk is the state
        for (std::size_t i = 0; i < state.size(); ++i) b.store(state[i], {}, chunk[i]);
        return;
      }
      std::vector<NodeId> running;
      running.reserve(state.size());
      for (BufferId v : state) running.push_back(b.load(v));
      auto next = c.merged(running, chunk);
      for (std::size_t i = 0; i < next.size(); ++i) b.store(state[i], {}, next[i]);
    });
  }

  void fold_slots(const std::vector<std::size_t>& group, const std::vector<Accumulator>& parts,
                  const std::unordered_map<std::uint32_t, NodeId>& symbols, const Position& at) {
    b.branch(c.in_range(at.j), [&] {
      std::vector<ExprId> bodies;
      bodies.reserve(group.size());
      for (std::size_t i : group) bodies.push_back(f.cascade->summary->slots[i].body);
      auto values = s.values(bodies, {}, at, symbols);
      for (std::size_t g = 0; g < group.size(); ++g) fold(parts[g], at, b.convert(values[g], parts[g].monoid.types[0]));
    });
  }

  // ---- a row split over blocks that meet in memory ----

  void launch_of_split() {
    for (std::size_t stage = 0; stage < stage_; ++stage) merge_parts(stage);
    if (gives_results()) {
      row_outputs();
      return axis_outputs(f.sweeps.back());
    }
    if (keeps_state(plan_)) return leave_part(state_of_summary(), fold_summary());
    auto folded = fold_level(stage_, f.sweeps[stage_]);
    for (std::size_t i = 0; i < folded.size(); ++i) leave_part(state_of(f.levels[stage_][i]), folded[i]);
  }

  /// One element for each row and part.
  BufferId workspace(const std::string& component, Type type) {
    auto [found, fresh] = workspaces_.try_emplace(component, none);
    if (!fresh) return found->second;
    Buffer buffer;
    buffer.name = component + "_of_part", buffer.space = Space::global, buffer.role = Arg::Role::workspace;
    buffer.type = type == Type::pred ? Type::i32 : type;
    buffer.dtype = buffer.type == Type::f64   ? DType::f64
                   : buffer.type == Type::f32 ? DType::f32
                   : buffer.type == Type::i64 ? DType::i64
                                              : DType::i32;
    buffer.extents = {t.row_count_text(), std::to_string(number(plan_, "row_blocks"))};
    return found->second = b.buffer(std::move(buffer));
  }

  NodeId parts_of_row(BufferId buffer) {
    return b.view(buffer, b.apply(Op::mul, {row_, b.integer(number(plan_, "row_blocks"))}));
  }

  void leave_part(const State& state, const std::vector<NodeId>& folded) {
    auto part = over_lanes(folded, state);
    b.because("split_state", "one state a part, which the next launch reads");
    b.branch(b.apply(Op::eq, {thread_, b.integer(0)}), [&] {
      for (std::size_t i = 0; i < part.size(); ++i) {
        BufferId buffer = workspace(state.names[i], state.types[i]);
        b.store(buffer, {parts_of_row(buffer), rank_}, b.convert(part[i], k.buffers[buffer].type));
      }
    });
  }

  void merge_parts(std::size_t stage) {
    b.because("split_state", "each warp merges the states that the blocks of the launch before have left");
    if (keeps_state(plan_)) return known_as_summary(merged_parts(state_of_summary()));
    for (std::size_t r : f.levels[stage]) known_as(r, merged_parts(state_of(r)));
  }

  std::vector<NodeId> merged_parts(const State& state) {
    constexpr std::int64_t warp = warp_size;
    std::int64_t count = number(plan_, "row_blocks");
    NodeId lane = cooperation_ == "warp" ? lane_ : b.remainder(thread_, b.integer(warp));
    k.nodes[lane].name = "lane_of_warp";
    auto part = [&](std::size_t i, std::int64_t from) {
      BufferId buffer = workspace(state.names[i], state.types[i]);
      NodeId at = b.apply(Op::add, {lane, b.integer(from)});
      NodeId there = b.apply(Op::lt, {at, b.integer(count)});
      if (count - from >= warp)
        there = b.constant(Type::pred, 1);
      else
        k.nodes[there].name = "has_part";
      NodeId identity = b.constant(k.buffers[buffer].type, state.identity[i]);
      return b.convert(b.guarded_load(buffer, {parts_of_row(buffer), at}, there, identity), state.types[i]);
    };
    std::vector<NodeId> total;
    for (std::int64_t from = 0; from < count; from += warp) {
      std::vector<NodeId> next;
      for (std::size_t i = 0; i < state.names.size(); ++i) next.push_back(part(i, from));
      total = from == 0 ? next : state.merge(total, next);
    }
    return b.reduce(Scope::warp, total, state.identity, state.symmetric, state.merge);
  }

  // ---- results ----

  void row_outputs() {
    bool any = std::any_of(f.outputs.begin(), f.outputs.end(), [](const RowOutput& o) { return !o.along_axis; });
    if (!any) return;
    b.branch(b.apply(Op::eq, {lane_, b.integer(0)}), [&] {
      for (const RowOutput& o : f.outputs) {
        if (o.along_axis) continue;
        NodeId value = s.row_value(o.body, known_);
        Address a = t.output_address(o, none);
        b.store(t.output(o.output), {a.pointer, a.offset}, value);
      }
    });
  }

  void axis_outputs(const std::vector<ExprId>& roots) {
    std::vector<const RowOutput*> along;
    for (const RowOutput& o : f.outputs)
      if (o.along_axis) along.push_back(&o);
    if (along.empty()) return;
    std::vector<ExprId> loads = loads_of(roots);
    std::erase_if(loads, [&](ExprId id) { // what a kept expression hides is not read again
      return !evaluated_below_saved(roots).contains(id);
    });
    stage_all(loads);
    std::vector<BufferId> groups(along.size(), none);
    RowSweep::Body body;
    body.before = [&](NodeId) {
      for (std::size_t i = 0; i < along.size(); ++i)
        if (s.stores_groups(*along[i])) groups[i] = s.group_buffer(t.output(along[i]->output));
    };
    body.element = [&](const Position& at) {
      std::vector<ExprId> bodies;
      bodies.reserve(along.size());
      for (const RowOutput* o : along) bodies.push_back(o->body);
      auto values = s.values(bodies, known_at(at), at);
      for (std::size_t i = 0; i < along.size(); ++i) {
        if (s.stores_groups(*along[i])) {
          b.store(groups[i], {b.integer(0), at.e}, values[i]);
          continue;
        }
        Address a = t.output_address(*along[i], at.j);
        b.store(t.output(along[i]->output), {a.pointer, a.offset}, values[i]);
      }
    };
    body.after = [&](NodeId, NodeId first) {
      for (std::size_t i = 0; i < along.size(); ++i)
        if (s.stores_groups(*along[i])) s.store_group(*along[i], groups[i], first);
    };
    b.because(resident() ? "resident_row" : "multi_sweep", "the results along the axis");
    s.sweep(body);
    unstage_all(loads);
  }

  std::set<ExprId> evaluated_below_saved(const std::vector<ExprId>& roots) const {
    std::vector<ExprId> stack = roots;
    std::set<ExprId> seen;
    while (!stack.empty()) {
      ExprId id = stack.back();
      stack.pop_back();
      if (saved_.contains(id) || f.arena[id].op == Op::reduce || !seen.insert(id).second) continue;
      for (ExprId operand : f.arena.operands(id)) stack.push_back(operand);
    }
    return seen;
  }
};

std::vector<Kernel> build(const StructureProfile& profile, const Plan& plan, const Problem& problem) {
  std::vector<Kernel> kernels;
  RowCascade first(profile, plan, problem);
  std::size_t launches = chosen(plan, "cooperation", "split") ? first.stages() + 1 : 1;
  kernels.push_back(first.run());
  while (kernels.size() < launches) kernels.push_back(RowCascade(profile, plan, problem, kernels.size()).run());
  return kernels;
}

const RegisterFamilyBuilder register_builder{{"row_cascade", build}};

} // namespace
} // namespace aicf::ir
