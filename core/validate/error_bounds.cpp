#include "core/validate/error_bounds.hpp"

#include "core/exec/reference.hpp"
#include "core/kernel/lower_collectives.hpp"
#include "core/plan/choice.hpp"
#include "core/plan/row_form.hpp"
#include "core/validate/bound_program.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <memory>
#include <stdexcept>

namespace aicf {
namespace {

/// Everything that one evaluation needs; reductions are remembered by the values of their free variables.
class Evaluation {
 public:
  Evaluation(const StructureProfile& structure, const Plan& plan, const Problem& problem,
             const std::map<std::string, HostTensor>& inputs, std::stop_token stop)
      : structure_(structure), canonical_(*structure.canonical), arena_(canonical_.arena), topology_(topology_of(plan)),
        model_(error_model_of(plan, problem.float_type)), rescaling_(model_), problem_(problem),
        stop_(std::move(stop)) {
    rescaling_.shifts = true;
    RowForm form = row_form(structure);
    if (form.mismatch.empty()) axis_length_ = row_sizes(form, problem).length;
    const Definition& d = *canonical_.source;
    for (std::size_t t = 0; t < d.inputs; ++t) tensors_.push_back(&inputs.at(d.tensors[t].name));
    may_lose_nan_ = topology_.online &&
                    std::any_of(structure.cascades.begin(), structure.cascades.end(), loses_weights) &&
                    std::any_of(tensors_.begin(), tensors_.end(), [](const HostTensor* t) { return has_infinity(*t); });
    environment_.arena = &arena_;
    environment_.model = &model_;
    environment_.load = [this](TensorId t, std::span<const std::int64_t> at) {
      std::int64_t flat = 0;
      for (std::size_t k = 0; k < at.size(); ++k) flat = flat * tensors_.at(t)->shape[k] + at[k];
      return Bounded{tensors_.at(t)->get(static_cast<std::size_t>(flat)), 0};
    };
    environment_.extent = [this](TensorId t, std::size_t axis) { return tensors_.at(t)->shape[axis]; };
    environment_.scalar = [this](std::uint32_t i) {
      const ScalarDecl& s = canonical_.source->scalars.at(i);
      auto set = problem_.scalars.find(s.name);
      return rounded(model_, set == problem_.scalars.end() ? s.value : set->second, 0, true);
    };
    environment_.dim = [this](std::uint32_t i) {
      return Bounded{static_cast<double>(problem_.dims.at(canonical_.source->dims.at(i))), 0};
    };
    environment_.symbol = [this](std::uint32_t s) { return symbols_.at(s); };
    environment_.reduction = [this](ExprId node) { return reduction(node); };
    for (std::size_t c = 0; c < structure.cascades.size(); ++c)
      for (std::size_t k = 0; k < structure.cascades[c].reductions.size(); ++k)
        home_[structure.reductions[structure.cascades[c].reductions[k]].node] = {c, k};
  }

  std::vector<Bounded> output(std::size_t o, const std::vector<std::int64_t>& shape) {
    const CanonicalValue& value = canonical_.outputs[o];
    std::vector<Bounded> out(element_count(shape));
    std::int64_t inner_extent = shape.empty() ? 1 : shape.back();
    VarId inner = shape.empty() ? axis_var : static_cast<VarId>(shape.size() - 1);
    BoundProgram program(arena_, std::span(&value.body, 1), inner);
    std::size_t rows = inner_extent == 0 ? 0 : out.size() / static_cast<std::size_t>(inner_extent);
    for (std::size_t row = 0; row < rows && !stop_.stop_requested(); ++row) {
      std::size_t rest = row;
      for (std::size_t k = shape.size(); k-- > 1;) {
        environment_.vars[static_cast<VarId>(k - 1)] =
            static_cast<std::int64_t>(rest % static_cast<std::size_t>(shape[k - 1]));
        rest /= static_cast<std::size_t>(shape[k - 1]);
      }
      environment_.vars[inner] = 0;
      program.begin(environment_);
      for (std::int64_t j = 0; j < inner_extent; ++j) {
        environment_.vars[inner] = j;
        out[row * static_cast<std::size_t>(inner_extent) + static_cast<std::size_t>(j)] = program.run(environment_)[0];
      }
    }
    return out;
  }

 private:
  struct Home {
    std::size_t cascade, place;
  };

  std::int64_t integer(ExprId id) {
    BoundProgram program(arena_, std::span(&id, 1), axis_var);
    environment_.vars.try_emplace(axis_var, 0);
    program.begin(environment_);
    return static_cast<std::int64_t>(program.run(environment_)[0].value);
  }

  Bounded reduction(ExprId node) {
    std::vector<std::int64_t> key{node};
    auto [it, fresh] = free_.try_emplace(node);
    if (fresh) it->second = free_vars(arena_, node);
    for (VarId v : it->second) key.push_back(environment_.vars.at(v));
    if (auto found = known_.find(key); found != known_.end()) return found->second;
    auto home = home_.find(node);
    Bounded value;
    if (topology_.open) {
      value = any_order(node);
    } else if (topology_.online && home != home_.end() && structure_.cascades[home->second.cascade].summary) {
      const Cascade& cascade = structure_.cascades[home->second.cascade];
      value = online(cascade, home->second.place);
      if (may_lose_nan_ && loses_weights(cascade) && !std::isnan(value.value)) {
        const Bounded written = fold(node);
        value.lost_nan = value.lost_nan || written.lost_nan || std::isnan(written.value);
      }
    } else {
      value = fold(node);
    }
    if (known_.size() > 4096) known_.clear(); // rows come one after another
    known_.emplace(std::move(key), value);
    return value;
  }

  /// The ledger says that its states lose the NaN of a weight without end: 0 * inf at an element of weight 0.
  static bool loses_weights(const Cascade& cascade) {
    return std::any_of(cascade.special.begin(), cascade.special.end(),
                       [](const auto& deviation) { return deviation.kind == "weights"; });
  }

  static bool has_infinity(const HostTensor& tensor) {
    for (std::size_t i = 0; i < tensor.element_count(); ++i)
      if (std::isinf(tensor.get(i))) return true;
    return false;
  }

  /// The wider of a fold and of states merged element by element, if an element depends on what it is merged with.
  Bounded any_order(ExprId node) {
    Bounded widest = fold(node);
    auto home = home_.find(node);
    if (home == home_.end()) return widest;
    const Cascade& cascade = structure_.cascades[home->second.cascade];
    if (!cascade.summary || structure_.reductions[cascade.reductions[home->second.place]].depends_on.empty())
      return widest;
    Bounded merged = online(cascade, home->second.place);
    if (merged.error == 0 && widest.error == 0) return widest; // nothing was rescaled or rounded, nor will be elsewhere
    environment_.model = &rescaling_;
    merged = online(cascade, home->second.place);
    environment_.model = &model_;
    if (std::isnan(widest.value) || std::isnan(merged.value)) return widest;
    widest.error = std::max(widest.error, merged.error + std::fabs(merged.value - widest.value));
    return widest;
  }

  /// A fold of the elements, whatever the order within the topology's depth. Several variables: the last is innermost.
  Bounded fold(ExprId node) {
    const Reduce& what = arena_.reduction(node);
    std::vector<std::int64_t> lo, hi;
    double count = 1;
    for (std::size_t k = 0; k < what.vars.size(); ++k) {
      lo.push_back(integer(arena_.operand(node, 2 * k)));
      hi.push_back(std::max(lo.back(), integer(arena_.operand(node, 2 * k + 1))));
      count *= static_cast<double>(hi.back() - lo.back());
    }
    auto n = static_cast<std::int64_t>(count);
    BoundedFold total(model_, static_cast<Builtin>(what.reducer), topology_.depth(n, std::max(n, axis_length_)));
    if (count > 0) walk(node, what, lo, hi, total);
    return total.result();
  }

  void walk(ExprId node, const Reduce& what, const std::vector<std::int64_t>& lo, const std::vector<std::int64_t>& hi,
            BoundedFold& total) {
    auto saved = environment_.vars;
    std::array<ExprId, 2> roots{arena_.predicate(node), arena_.body(node)};
    BoundProgram program(arena_, roots, what.vars.back());
    for (std::size_t k = 0; k < what.vars.size(); ++k) environment_.vars[what.vars[k]] = lo[k];
    for (bool more = true; more;) {
      program.begin(environment_);
      for (std::int64_t j = lo.back(); j < hi.back(); ++j) {
        environment_.vars[what.vars.back()] = j;
        std::span<const Bounded> element = program.run(environment_);
        if (element[0].error > 0)
          total.add({element[1].value, INFINITY}, static_cast<double>(j));
        else if (element[0].value != 0)
          total.add(element[1], static_cast<double>(j));
      }
      more = false;
      for (std::size_t k = what.vars.size() - 1; k-- > 0 && !more;) {
        more = ++environment_.vars[what.vars[k]] < hi[k];
        if (!more) environment_.vars[what.vars[k]] = lo[k];
      }
    }
    environment_.vars = std::move(saved);
  }

  using State = std::vector<Bounded>;

  State merged(const Summary& summary, std::vector<BoundProgram>& merges, const State& left, const State& right) {
    State out;
    for (std::size_t k = 0; k < left.size(); ++k)
      symbols_[left_symbol(k)] = left[k], symbols_[right_symbol(k)] = right[k];
    for (std::size_t k = 0; k < summary.slots.size(); ++k) {
      merges[k].begin(environment_);
      out.push_back(merges[k].run(environment_)[0]);
      symbols_[slot_symbol(k)] = out[k];
    }
    return out;
  }

  State chunk_state(const Summary& summary, std::vector<BoundProgram>& bodies, const std::vector<std::int64_t>& chunk) {
    State state;
    for (std::size_t k = 0; k < summary.slots.size(); ++k) {
      BoundedFold total(model_, static_cast<Builtin>(summary.slots[k].reducer), static_cast<double>(chunk.size()));
      environment_.vars[axis_var] = chunk.front();
      bodies[k].begin(environment_);
      for (std::int64_t j : chunk) {
        environment_.vars[axis_var] = j;
        total.add(bodies[k].run(environment_)[0], static_cast<double>(j));
      }
      state.push_back(total.result());
      symbols_[slot_symbol(k)] = state[k];
    }
    return state;
  }

  void tree(const Summary& summary, std::vector<BoundProgram>& merges, std::span<State> lanes) {
    for (std::size_t width = std::bit_ceil(lanes.size()) / 2; width > 0; width /= 2)
      for (std::size_t i = 0; i < width && i + width < lanes.size(); ++i)
        lanes[i] = merged(summary, merges, lanes[i], lanes[i + width]);
  }

  /// Parts of which a lane takes every 32nd, then their tree: the first becomes the merge of all.
  void merge_in_warp(const Summary& summary, std::vector<BoundProgram>& merges, std::vector<State>& parts) {
    constexpr std::size_t warp = ir::warp_size;
    for (std::size_t i = warp; i < parts.size(); ++i)
      parts[i % warp] = merged(summary, merges, parts[i % warp], parts[i]);
    tree(summary, merges, std::span(parts).first(std::min(warp, parts.size())));
  }

  /// As Topology::merges counts.
  void merge_lanes(const Summary& summary, std::vector<BoundProgram>& merges, std::vector<State>& lanes) {
    constexpr std::size_t warp = ir::warp_size;
    std::vector<State> warps;
    for (std::size_t i = 0; i < lanes.size(); i += warp) {
      std::span<State> of_warp(lanes.data() + i, std::min(warp, lanes.size() - i));
      tree(summary, merges, of_warp);
      warps.push_back(of_warp[0]);
    }
    if (warps.size() <= ir::longest_chain) {
      for (std::size_t i = 1; i < warps.size(); ++i) warps[0] = merged(summary, merges, warps[0], warps[i]);
    } else {
      merge_in_warp(summary, merges, warps);
    }
    lanes[0] = warps[0];
  }

  /// The lanes of each block, then the blocks: a tree of as many as a warp holds.
  void merge_blocks(const Summary& summary, std::vector<BoundProgram>& merges, std::vector<State>& lanes) {
    auto in_block = static_cast<std::ptrdiff_t>(topology_.lanes / topology_.blocks);
    std::vector<State> totals;
    for (auto first = lanes.begin(); first != lanes.end(); first += in_block) {
      std::vector<State> block(first, first + in_block);
      merge_lanes(summary, merges, block);
      totals.push_back(block[0]);
    }
    merge_in_warp(summary, merges, totals);
    lanes[0] = totals[0];
  }

  /// The states that the lanes keep, chunk by chunk, and their tree.
  Bounded online(const Cascade& cascade, std::size_t place) {
    const Summary& summary = *cascade.summary;
    auto saved = environment_.vars;
    std::int64_t lo = integer(cascade.lo), hi = std::max(lo, integer(cascade.hi));
    std::vector<BoundProgram> bodies, merges;
    for (const Slot& slot : summary.slots) {
      bodies.emplace_back(arena_, std::span(&slot.body, 1), axis_var);
      merges.emplace_back(arena_, std::span(&slot.merge, 1), axis_var);
    }
    State empty;
    for (const Slot& slot : summary.slots) empty.push_back({arena_.value(slot.identity), 0});
    std::int64_t shared = topology_.lanes / topology_.parts; // lanes of a part
    std::int64_t group = shared * topology_.vector, step = group * topology_.unroll;
    std::vector<State> lanes(static_cast<std::size_t>(topology_.lanes), empty);
    // Tiles lie on the axis; a range takes what is in it of each.
    std::int64_t length = (std::max(hi, axis_length_) + topology_.parts - 1) / topology_.parts;
    for (std::int64_t part = 0; part < topology_.parts; ++part) {
      std::int64_t from = part * length, to = std::min(hi, from + length);
      for (std::int64_t begin = from; begin < to; begin += step)
        for (std::int64_t t = 0; t < shared && begin + t * topology_.vector < to; ++t) {
          std::vector<std::int64_t> chunk;
          for (std::int64_t u = 0; u < topology_.unroll; ++u)
            for (std::int64_t e = 0; e < topology_.vector; ++e)
              if (std::int64_t j = begin + u * group + t * topology_.vector + e; lo <= j && j < to) chunk.push_back(j);
          if (chunk.empty()) continue;
          State& lane = lanes[static_cast<std::size_t>(part * shared + t)];
          lane = merged(summary, merges, lane, chunk_state(summary, bodies, chunk));
        }
    }
    if (topology_.blocks > 1) {
      merge_blocks(summary, merges, lanes);
    } else if (topology_.chain != 0) {
      auto block = static_cast<std::size_t>(topology_.chain);
      for (std::size_t i = 1; i < lanes.size(); ++i)
        if (i % block != 0) lanes[i / block * block] = merged(summary, merges, lanes[i / block * block], lanes[i]);
      for (std::size_t i = block; i < lanes.size(); i += block) lanes[0] = merged(summary, merges, lanes[0], lanes[i]);
    } else {
      merge_lanes(summary, merges, lanes);
    }
    for (std::size_t k = 0; k < summary.slots.size(); ++k) symbols_[slot_symbol(k)] = lanes[0][k];
    environment_.vars[axis_var] = lo;
    BoundProgram finalize(arena_, std::span(&summary.finalize[place], 1), axis_var);
    finalize.begin(environment_);
    Bounded value = finalize.run(environment_)[0];
    environment_.vars = std::move(saved);
    return value;
  }

  const StructureProfile& structure_;
  const Canonical& canonical_;
  const Arena& arena_;
  Topology topology_;
  std::int64_t axis_length_ = 0; ///< of the plan's rows
  ErrorModel model_, rescaling_; ///< rescaling_: of merges in an unknown order
  const Problem& problem_;
  std::stop_token stop_;
  std::vector<const HostTensor*> tensors_;
  bool may_lose_nan_ = false; ///< a cascade that does is kept as states, and inputs are infinite
  BoundEnvironment environment_;
  std::map<std::uint32_t, Bounded> symbols_;
  std::map<ExprId, Home> home_;
  std::map<ExprId, std::vector<VarId>> free_;
  std::map<std::vector<std::int64_t>, Bounded> known_;
};

} // namespace

std::int64_t Topology::merges() const {
  if (lanes <= 1) return 0;
  if (chain != 0) return chain + lanes / chain;
  auto tree = [](std::int64_t n) {
    return static_cast<std::int64_t>(std::bit_width(static_cast<std::uint64_t>(n - 1)));
  };
  constexpr std::int64_t warp = ir::warp_size;
  if (blocks > 1) return Topology{.lanes = lanes / blocks}.merges() + (blocks - 1) / warp + tree(warp);
  if (lanes <= warp) return tree(lanes);
  std::int64_t warps = lanes / warp;
  return tree(warp) + (warps <= ir::longest_chain ? warps - 1 : warps / warp + tree(warp));
}

double Topology::depth(std::int64_t n, std::int64_t length) const {
  if (n <= 1) return 1;
  std::int64_t in_part = std::min(n, (std::max(length, n) + parts - 1) / parts), sharing = lanes / parts;
  std::int64_t share =
      (in_part + sharing - 1) / sharing + vector * unroll; // a lane's own fold; its ends may be partial
  return static_cast<double>(share + merges() + 1);
}

Topology topology_of(const Plan& plan) {
  Topology t;
  if (!has(plan, "cooperation") && !has(plan, "threads")) {
    t.open = true;
    return t;
  }
  t.online = keeps_state(plan);
  t.lanes = row_lanes(plan);
  t.unroll = number(plan, "vectors_per_thread");
  if (chosen(plan, "cooperation", "cluster") && word(plan, "staging").starts_with("shared"))
    t.parts = number(plan, "row_blocks");
  if (chosen(plan, "cooperation", "split")) t.blocks = number(plan, "row_blocks");
  if (has(plan, "column_lanes")) // packed accesses hold neighbouring rows
    t.chain = number(plan, "threads") / number(plan, "column_lanes");
  else
    t.vector = number(plan, "vector");
  return t;
}

ErrorModel error_model_of(const Plan& plan, DType float_type) {
  ErrorModel m =
      ErrorModel::of(float_type == DType::f64 || chosen(plan, "accumulate", "f64") ? DType::f64 : DType::f32);
  m.compensated = chosen(plan, "accumulate", "compensated");
  m.fast_exp = chosen(plan, "exp", "fast");
  m.fast_log = chosen(plan, "log", "fast");
  m.fast_erf = chosen(plan, "erf", "fast");
  m.fast_tanh = chosen(plan, "tanh", "fast");
  m.fast_divide = chosen(plan, "divide", "fast");
  return m;
}

Result<std::map<std::string, std::vector<Bounded>>> error_bounds(const StructureProfile& structure, const Plan& plan,
                                                                 const Problem& problem,
                                                                 const std::map<std::string, HostTensor>& inputs,
                                                                 std::stop_token stop) {
  using Bounds = std::map<std::string, std::vector<Bounded>>;
  const Definition& d = *structure.canonical->source;
  for (const Reduction& r : structure.reductions)
    if (structure.canonical->arena.reduction(r.node).reducer >= first_user_reducer)
      return error("validate.user-reducer", "no error analysis of the user's reducer " + r.reducer + " in " + r.name);
  if (!structure.canonical->values.empty())
    return error("validate.recurrence", "no error analysis of recurrences: " + d.name + " has one");
  auto shapes = shapes_for(d, problem.dims, problem.scalars);
  if (!shapes) return shapes.failure<Bounds>();
  Evaluation evaluation(structure, plan, problem, inputs, std::move(stop));
  Bounds bounds;
  for (std::size_t o = 0; o < d.outputs.size(); ++o) {
    const TensorDecl& decl = d.tensors[d.outputs[o]];
    bounds[decl.name] = evaluation.output(o, shapes->at(decl.name));
  }
  return bounds;
}

} // namespace aicf
