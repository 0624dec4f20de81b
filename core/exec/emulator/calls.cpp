// Calls while they run. A function that a thread may enter again keeps its variables in a frame of the thread's stack,
// which lies after the thread's other private memory; the caller's registers that are live across such a call are kept
// beside it and put back when the lane returns. Lanes may be at different depths of one function at a time: registers
// hold each lane's innermost call.
#include "core/exec/emulator/machine.hpp"

#include <cstring>

namespace aicf::emulator {
namespace {

/// A function's name as its source has it: of _Z3fibi and _ZN4Tree4walkEii the identifiers; of others the whole.
std::string source_name(const std::string& name) {
  std::size_t at = name.starts_with("_ZN") ? 3 : name.starts_with("_Z") ? 2 : name.size();
  std::string text;
  while (at < name.size() && name[at] >= '0' && name[at] <= '9') {
    std::size_t length = 0;
    for (; at < name.size() && name[at] >= '0' && name[at] <= '9' && length < name.size(); ++at)
      length = 10 * length + static_cast<std::size_t>(name[at] - '0');
    if (length == 0 || length > name.size() - at) return name;
    text += (text.empty() ? "" : "::") + name.substr(at, length);
    at += length;
    if (name[2] != 'N') break;
  }
  return text.empty() ? name : text;
}

} // namespace

/// Parameters between the frames of a caller and of a function.
void Worker::param_copy(Warp& w, const Op& op, u32 exec) {
  const auto from = static_cast<s64>(static_cast<s32>(op.aux));
  for (u32 i = 0; i < lanes; ++i) {
    if (!has_lane(exec, i)) continue;
    const s64 top = op.flag == 0 ? 0 : static_cast<s64>(value64(w, program.stack_pointer, i));
    std::memmove(private_place(w, i, static_cast<u64>(op.imm + ((op.flag & param_to_stack) != 0 ? top : 0))),
                 private_place(w, i, static_cast<u64>(from + ((op.flag & param_from_stack) != 0 ? top : 0))), op.size);
  }
}

/// Makes room for a function's frame.
void Worker::stack_room(Warp& w, const Op& op, u32 pc, u32 exec) {
  if (w.stacks.empty()) w.stacks.resize(lanes), w.kept.resize(lanes);
  for (u32 i = 0; i < lanes; ++i) {
    if (!has_lane(exec, i)) continue;
    const u64 top = value64(w, program.stack_pointer, i) - program.local_bytes + op.size;
    const u64 all = top + 4 * w.kept[i].size() + u64{w.depth[i]} * stack_bytes_of_a_call;
    const bool deep = all > max_stack_bytes;
    if (!deep && all > w.stack_bytes[i]) {
      launch.stack_bytes.fetch_add(all - w.stack_bytes[i], std::memory_order_relaxed);
      w.stack_bytes[i] = all;
    }
    if (deep || launch.stack_bytes.load(std::memory_order_relaxed) > launch.stack_limit) {
      fault(w, pc, i, "stack-overflow",
            "'" + source_name(program.texts[op.aux]) + "' is called at depth " + std::to_string(w.depth[i] + 1) + ": " +
                (deep ? "the stack of a thread takes at most " + std::to_string(max_stack_bytes >> 10) + " KiB"
                      : "the stacks of all threads take at most " + std::to_string(launch.stack_limit >> 20) + " MiB"));
      launch.abort = true;
      return;
    }
    if (w.stacks[i].size() < top) w.stacks[i].resize(top);
  }
}

/// The lanes of `exec` enter a function.
void Worker::enter(Warp& w, const Op& op, u32 pc, u32 exec) {
  for (u32 i = 0; i < lanes; ++i) {
    if (!has_lane(exec, i)) continue;
    if (w.depth[i] == w.returns.size()) w.returns.emplace_back();
    w.returns[w.depth[i]++][i] = pc + 1;
    if (op.imm >= 0)
      for (const Kept& k : program.kept[static_cast<std::size_t>(op.imm)]) {
        const u64 v = k.width == Kept::wide        ? value64(w, k.offset, i)
                      : k.width == Kept::predicate ? (predicate(w, k.offset) >> i) & 1
                                                   : value32(w, k.offset, i);
        w.kept[i].push_back(static_cast<u32>(v));
        if (k.width == Kept::wide) w.kept[i].push_back(static_cast<u32>(v >> 32));
      }
    if (op.size != 0) reg<u64>(w, program.stack_pointer)[i] += op.size;
  }
}

/// A lane returns; to where.
u32 Worker::leave(Warp& w, u32 lane) {
  const u32 to = w.returns[--w.depth[lane]][lane];
  const Op& call = program.ops[to - 1];
  if (call.size != 0) reg<u64>(w, program.stack_pointer)[lane] -= call.size;
  if (call.imm < 0) return to;
  const auto& places = program.kept[static_cast<std::size_t>(call.imm)];
  auto& values = w.kept[lane];
  for (auto k = places.rbegin(); k != places.rend(); ++k) {
    u64 v = 0;
    for (u32 words = k->width == Kept::wide ? 2 : 1; words > 0; --words) {
      v = v << 32 | values.back();
      values.pop_back();
    }
    if (k->width == Kept::wide) {
      set64(w, k->offset, lane, v);
    } else if (k->width == Kept::narrow) {
      set32(w, k->offset, lane, static_cast<u32>(v));
    } else {
      u32* all = reg<u32>(w, k->offset);
      *all = (*all & ~(1u << lane)) | (v != 0 ? 1u << lane : 0);
    }
  }
  return to;
}

/// Forgets the calls of the block before.
void Worker::clear_stacks(Warp& w) {
  w.depth.fill(0);
  for (u32 i = 0; i < w.stacks.size(); ++i) {
    launch.stack_bytes.fetch_sub(w.stack_bytes[i], std::memory_order_relaxed);
    w.stack_bytes[i] = 0;
    w.stacks[i].clear();
    w.kept[i].clear();
    if (w.stacks[i].capacity() > stack_bytes_to_keep) w.stacks[i].shrink_to_fit();
    if (w.kept[i].capacity() * 4 > stack_bytes_to_keep) w.kept[i].shrink_to_fit();
  }
}

} // namespace aicf::emulator
