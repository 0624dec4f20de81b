#include "core/expr/check_recurrence.hpp"

#include "core/expr/check_graph.hpp"

#include <algorithm>
#include <set>

namespace aicf::check {

namespace {

constexpr std::uint32_t unknown_axis = 0xffffffff;

std::string quoted(std::string_view word) { return "'" + std::string(word) + "'"; }

class Recurrence {
 public:
  Recurrence(State& state, const std::vector<std::uint32_t>& members, const std::vector<GroupRead>& reads)
      : s_(&state), members_(&members), reads_(&reads) {
    for (std::uint32_t i = 0; i < members.size(); ++i) position_[members[i]] = i;
    axis_.assign(members.size(), unknown_axis);
  }

  std::vector<std::uint32_t> run() {
    if (!axes_of_first_values() || !spread_axes() || !find_step() || !check_first_values()) return {};
    return order();
  }

 private:
  Work& work(std::uint32_t member) { return s_->works[(*members_)[member]]; }
  [[nodiscard]] std::uint32_t owner(const GroupRead& read) const { return position_.at(s_->work_of.at(read.tensor)); }
  [[nodiscard]] std::uint32_t reader(const GroupRead& read) const { return position_.at(read.reader); }
  std::string name(std::uint32_t member) { return s_->d.tensors[work(member).target].name; }

  std::string element(const GroupRead& read) {
    std::string text = s_->d.tensors[read.tensor].name + "[";
    for (std::size_t i = 0; i < read.indices.size(); ++i) text += (i == 0 ? "" : ", ") + s_->show(read.indices[i]);
    return text + "]";
  }

  /// index = own variable of the reader at `axis`, plus a constant.
  std::optional<std::int64_t> shift(const GroupRead& read, std::uint32_t reader_axis, std::uint32_t axis) {
    auto found = s_->extents.shift(read.indices[axis]);
    if (!found || found->var != s_->works[read.reader].built.vars[reader_axis]) return std::nullopt;
    return found->by;
  }

  bool no_cycle_is_legal() {
    for (const GroupRead& read : *reads_) {
      for (ExprId index : read.indices) {
        auto found = s_->extents.shift(index);
        const auto& vars = s_->works[read.reader].built.vars;
        if (!found || found->by == 0 || std::find(vars.begin(), vars.end(), found->var) == vars.end()) continue;
        if (read.padded) return complain_of_pad(read);
        std::string target = s_->d.tensors[read.tensor].name;
        s_->error("lang.recurrence", read.at, element(read) + " is read before there is any value of " + quoted(target),
                  "give first values: … from " + target + "[…] = 0");
        return false;
      }
    }
    return complain_of_cycle();
  }

  bool complain_of_pad(const GroupRead& read) {
    s_->error("lang.recurrence", read.at, "a recurrence takes its first values from 'from', not from pad");
    return false;
  }

  bool complain_of_cycle() {
    constexpr std::size_t longest = 6;
    std::string path;
    for (std::uint32_t i = 0; i < members_->size() && i < longest; ++i) path += (i == 0 ? "" : ", ") + quoted(name(i));
    if (members_->size() > longest) path += ", …";
    bool alone = members_->size() == 1;
    s_->error("lang.cycle", work(0).node->at,
              alone ? path + " is defined by itself" : path + " are defined by one another",
              "a recurrence reads its own values at one index plus a constant: h[t - 1]");
    return false;
  }

  bool axes_of_first_values() {
    bool any = false;
    for (std::uint32_t m = 0; m < members_->size(); ++m) {
      const Statement& built = work(m).built;
      for (std::size_t k = 0; k < built.initial.size(); ++k) {
        const Initial& initial = built.initial[k];
        std::uint32_t axis = 0;
        while (s_->d.arena[initial.indices[axis]].op == Op::index &&
               s_->d.arena[initial.indices[axis]].payload == built.vars[axis])
          ++axis;
        if (axis_[m] != unknown_axis && axis_[m] != axis) {
          s_->error("lang.recurrence", work(m).node->initial[k].at,
                    "the first values of a recurrence fix one and the same index");
          return false;
        }
        axis_[m] = axis;
        any = true;
      }
    }
    return any || no_cycle_is_legal();
  }

  /// From the statements with first values along the reads to all others.
  bool spread_axes() {
    std::vector<std::vector<std::uint32_t>> touching(members_->size());
    for (std::uint32_t r = 0; r < reads_->size(); ++r) {
      touching[reader((*reads_)[r])].push_back(r);
      touching[owner((*reads_)[r])].push_back(r);
    }
    std::vector<std::uint32_t> queue;
    for (std::uint32_t m = 0; m < members_->size(); ++m)
      if (axis_[m] != unknown_axis) queue.push_back(m);
    while (!queue.empty()) {
      std::uint32_t m = queue.back();
      queue.pop_back();
      for (std::uint32_t r : touching[m]) {
        const GroupRead& read = (*reads_)[r];
        std::uint32_t from = reader(read), to = owner(read);
        if (axis_[from] != unknown_axis && axis_[to] == unknown_axis) {
          for (std::uint32_t q = 0; q < read.indices.size() && axis_[to] == unknown_axis; ++q)
            if (shift(read, axis_[from], q)) axis_[to] = q;
          if (axis_[to] != unknown_axis) queue.push_back(to);
        } else if (axis_[from] == unknown_axis && axis_[to] != unknown_axis) {
          for (std::uint32_t p = 0; p < work(from).built.vars.size() && axis_[from] == unknown_axis; ++p)
            if (shift(read, p, axis_[to])) axis_[from] = p;
          if (axis_[from] != unknown_axis) queue.push_back(from);
        }
      }
    }
    for (const GroupRead& read : *reads_) {
      std::uint32_t from = reader(read), to = owner(read);
      if (axis_[from] != unknown_axis && axis_[to] != unknown_axis && shift(read, axis_[from], axis_[to])) continue;
      std::string along = axis_[from] == unknown_axis ? std::string("one index")
                                                      : quoted(s_->text(work(from).bindings[axis_[from]].name));
      s_->error("lang.cycle", read.at,
                element(read) + " is part of a cycle and is not read at " + along + " plus a constant",
                "a cycle is legal exactly if it passes one shift of a fixed sign");
      return false;
    }
    return true;
  }

  bool find_step() {
    const GroupRead* first = nullptr;
    for (const GroupRead& read : *reads_) {
      std::int64_t by = *shift(read, axis_[reader(read)], axis_[owner(read)]);
      if (by == 0) continue;
      if (read.padded) return complain_of_pad(read);
      int step = by < 0 ? 1 : -1;
      if (first != nullptr && step != step_) {
        s_->error("lang.cycle", read.at,
                  element(read) + " and " + element(*first) + " (" + s_->where(first->at) +
                      ") run in opposite directions",
                  "a cycle is legal exactly if it passes one shift of a fixed sign");
        return false;
      }
      if (first == nullptr) first = &read;
      step_ = step;
    }
    if (first == nullptr) return complain_of_cycle();
    for (std::uint32_t m = 1; m < members_->size(); ++m) {
      const Statement &a = work(0).built, &b = work(m).built;
      if (s_->extents.equal(a.lo[axis_[0]], b.lo[axis_[m]]) && s_->extents.equal(a.hi[axis_[0]], b.hi[axis_[m]]))
        continue;
      s_->error("lang.range", work(m).node->at,
                quoted(name(0)) + " and " + quoted(name(m)) +
                    " are one recurrence and must have the same range along it");
      return false;
    }
    return true;
  }

  /// h[t - k] needs first values at lo - 1 … lo - k (backwards: from hi on).
  bool check_first_values() {
    std::vector<std::set<std::int64_t>> given(members_->size()); // 1 is the place next to the range
    bool right = true;
    for (std::uint32_t m = 0; m < members_->size(); ++m) {
      const Statement& built = work(m).built;
      ExprId edge = step_ > 0 ? built.lo[axis_[m]] : built.hi[axis_[m]];
      for (std::size_t k = 0; k < built.initial.size(); ++k) {
        ExprId index = built.initial[k].indices[axis_[m]];
        auto place = s_->extents.constant_difference(index, edge);
        std::int64_t distance = !place ? 0 : step_ > 0 ? -*place : *place + 1;
        lang::Place at = work(m).node->initial[k].at;
        if (distance < 1) {
          s_->error("lang.recurrence", at,
                    "the first value at " + s_->show(index) + " does not lie " + (step_ > 0 ? "before" : "after") +
                        " the range " + s_->show_range(built.lo[axis_[m]], built.hi[axis_[m]]));
          right = false;
        } else if (!given[m].insert(distance).second) {
          s_->error("lang.double", at, "the first value at " + s_->show(index) + " is given twice");
          right = false;
        }
      }
    }
    for (const GroupRead& read : *reads_) {
      std::uint32_t to = owner(read);
      std::int64_t by = *shift(read, axis_[reader(read)], axis_[to]);
      std::int64_t reach = by < 0 ? -by : by, known = 0;
      for (std::int64_t d : given[to]) {
        if (d != known + 1) break;
        known = d;
      }
      if (reach <= known || !right) continue;
      const Statement& built = work(to).built;
      std::string edge = s_->show(step_ > 0 ? built.lo[axis_[to]] : built.hi[axis_[to]]);
      std::string place =
          step_ > 0 ? (edge == "0" ? "" : edge + " ") + "-" + (edge == "0" ? "" : " ") + std::to_string(known + 1)
                    : edge + (known == 0 ? "" : " + " + std::to_string(known));
      s_->error("lang.recurrence", read.at,
                element(read) + " needs a first value of " + quoted(name(to)) + " at " + place,
                "give it: … from " + name(to) + "[…] = 0");
      right = false;
    }
    return right;
  }

  std::vector<std::uint32_t> order() {
    std::vector<std::vector<std::uint32_t>> same_step(members_->size());
    for (const GroupRead& read : *reads_)
      if (*shift(read, axis_[reader(read)], axis_[owner(read)]) == 0) same_step[reader(read)].push_back(owner(read));
    for (std::uint32_t m = 0; m < members_->size(); ++m) {
      std::sort(same_step[m].begin(), same_step[m].end());
      if (std::binary_search(same_step[m].begin(), same_step[m].end(), m))
        return complain_of_cycle(), std::vector<std::uint32_t>{};
    }
    std::vector<std::uint32_t> order;
    for (const auto& component : strong_components(same_step)) {
      if (component.size() > 1) return complain_of_cycle(), std::vector<std::uint32_t>{};
      order.push_back((*members_)[component[0]]);
    }
    for (std::uint32_t m = 0; m < members_->size(); ++m) {
      work(m).built.axis = axis_[m];
      work(m).built.step = step_;
    }
    return order;
  }

  State* s_;
  const std::vector<std::uint32_t>* members_;
  const std::vector<GroupRead>* reads_;
  std::unordered_map<std::uint32_t, std::uint32_t> position_; ///< of a work among the members
  std::vector<std::uint32_t> axis_;                           ///< along which a member's recurrence runs
  int step_ = 0;
};

} // namespace

std::vector<std::uint32_t> order_recurrence(State& state, const std::vector<std::uint32_t>& members,
                                            const std::vector<GroupRead>& reads) {
  return Recurrence(state, members, reads).run();
}

} // namespace aicf::check
