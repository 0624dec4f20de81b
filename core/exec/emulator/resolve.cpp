// Where an address lies, whether it may be accessed there, and how a fault of shared memory is told.
#include "core/exec/emulator/machine.hpp"

#include <algorithm>

namespace aicf::emulator {
namespace {

using ptx::Space;

const char* name_of(Space s) {
  switch (s) {
  case Space::global: return "global";
  case Space::shared: return "shared";
  case Space::local: return "local";
  case Space::param: return "param";
  case Space::constant: return "const";
  case Space::shared_cluster: return "shared::cluster";
  default: return "generic";
  }
}

} // namespace

bool Worker::resolve(Warp& w, u32 pc, u32 lane, Space space, u64 address, u32 bytes, const char* what, bool writes,
                     Place& place) {
  if (space == Space::generic) {
    const u64 top = address & ~(window_bytes - 1);
    space = top == shared_window      ? Space::shared_cluster
            : top == local_window     ? Space::local
            : top == parameter_window ? Space::param
                                      : Space::global;
    if (space != Space::global) address &= window_bytes - 1;
  }
  place = {nullptr, w.block, address, space};
  const auto describe = [&] {
    return std::string(name_of(space)) + " " + what + " of " + std::to_string(bytes) + " bytes at ";
  };
  if ((address & (bytes - 1)) != 0) {
    const std::string at = space == Space::global || space == Space::constant ? launch.memory->describe(address)
                                                                              : "offset " + std::to_string(address);
    fault(w, pc, lane, "misaligned", describe() + at + ": the address must be a multiple of " + std::to_string(bytes),
          address);
    return false;
  }
  switch (space) {
  case Space::shared:
    if (address < launch.shared_bytes &&
        address + bytes <= launch.shared_bytes) { // of the block itself: the rank is absent
      place.host = w.block->shared.data() + address;
      return true;
    }
    [[fallthrough]];
  case Space::shared_cluster: return resolve_shared(w, pc, lane, space, address, bytes, what, place);
  case Space::local: {
    if (const u64 size = private_bytes(w, lane); address + bytes > size || address + bytes < address) {
      fault(w, pc, lane, "out-of-bounds",
            describe() + "offset " + std::to_string(static_cast<s64>(address)) + " (the thread has " +
                std::to_string(size) + " bytes of private memory)",
            address);
      return false;
    }
    place.host = private_place(w, lane, address);
    return true;
  }
  case Space::param:
    if (writes || address + bytes > launch.parameters.size() || address + bytes < address) {
      fault(w, pc, lane, "out-of-bounds", describe() + "offset " + std::to_string(address) + " of the parameters",
            address);
      return false;
    }
    place.host = reinterpret_cast<std::byte*>(const_cast<u8*>(launch.parameters.data())) + address;
    return true;
  default:
    place.host = launch.memory->find(address, bytes);
    if (place.host == nullptr && address >= heap_base && address < global_base) {
      const Heap::Found found = launch.heap.find(address, bytes);
      place.host = found.host;
      if (found.state == Heap::State::freed) {
        fault(w, pc, lane, "use-after-free", describe() + "memory that was freed", address);
        return false;
      }
      if (found.state == Heap::State::live && found.host == nullptr) {
        fault(w, pc, lane, "out-of-bounds",
              describe() + "offset " + std::to_string(found.offset) + " of memory that malloc gave (it has " +
                  std::to_string(found.bytes) + " bytes)",
              address);
        return false;
      }
    }
    if (place.host == nullptr) {
      fault(w, pc, lane, "out-of-bounds", describe() + launch.memory->describe(address), address);
      return false;
    }
    if (writes && launch.memory->read_only(address)) {
      fault(w, pc, lane, "read-only", describe() + launch.memory->describe(address) + ": it is constant", address);
      return false;
    }
    return true;
  }
}

bool Worker::resolve_shared(Warp& w, u32 pc, u32 lane, Space space, u64 address, u32 bytes, const char* kind,
                            Place& place) {
  const u64 offset = address & ((u64{1} << shared_rank_shift) - 1), rank = address >> shared_rank_shift;
  place.space = Space::shared;
  place.offset = offset;
  const auto what = [&] {
    return std::string(name_of(space)) + " " + kind + " of " + std::to_string(bytes) + " bytes at ";
  };
  if (rank > w.block->cluster->size()) {
    fault(w, pc, lane, "out-of-bounds", what() + "offset " + std::to_string(address) + " of shared memory", address);
    return false;
  }
  if (rank != 0) place.block = &(*w.block->cluster)[rank - 1];
  if (program.system_shared && rank == 0 && offset >= launch.system_shared &&
      offset + bytes <= launch.system_shared + system_shared_bytes) {
    place.host = place.block->shared.data() + offset;
    place.system = true;
    return true;
  }
  if (offset + bytes > launch.shared_bytes) {
    fault(w, pc, lane, "out-of-bounds",
          what() + "offset " + std::to_string(offset) + " (the block has " + std::to_string(launch.shared_bytes) +
              " bytes of shared memory)",
          address);
    return false;
  }
  place.host = place.block->shared.data() + offset;
  if (place.block == w.block) return true;
  const std::string peer = "block " + std::to_string(rank - 1) + " of the cluster";
  if (space == Space::shared) {
    fault(w, pc, lane, "cluster-space",
          what() + "offset " + std::to_string(offset) + " of " + peer + ": that needs .shared::cluster", address);
    return false;
  }
  if (place.block->exited) {
    fault(w, pc, lane, "cluster-exit",
          what() + "offset " + std::to_string(offset) + " of " + peer + ", which has exited", address);
    return false;
  }
  if (!launch.checks) return true;
  const bool started =
      w.peers_started || std::any_of(place.block->warps.begin(), place.block->warps.end(),
                                     [&](const Warp& other) { return clocks_.of(w.agent, other.agent) != 0; });
  if (!started) {
    fault(w, pc, lane, "cluster-start",
          what() + "offset " + std::to_string(offset) + " of " + peer +
              ": no barrier.cluster says that this block has started",
          address);
    return false;
  }
  place.block->peers[w.agent] = {clocks_.own(w.agent), pc, lane, &w};
  return true;
}

/// What a queue does.
std::string Worker::queue_name(u32 agent) const {
  for (const auto& [what, number] : blocks_[clocks_.rank_of(agent)].queues)
    if (launch.warps + number == clocks_.index_of(agent) && what.first == Queue::wgmma_groups) return "a wgmma";
  return "a bulk copy";
}

/// "thread 5", and its block where that is another one.
std::string Worker::thread_name(const Warp& w, u32 agent, u32 lane) const {
  const u32 rank = clocks_.rank_of(agent), warp = clocks_.index_of(agent);
  std::string text = clocks_.is_queue(agent)   ? queue_name(agent)
                     : lane == Shadow::several ? "several threads of warp " + std::to_string(warp)
                                               : "thread " + std::to_string(warp * lanes + lane);
  if (rank != w.block->rank) text += " of block " + std::to_string(rank) + " of the cluster";
  return text;
}

void Worker::shared_fault(Warp& w, u32 pc, u32 lane, const Shadow::Outcome& o, const char* what, u32 bytes,
                          u64 offset) {
  const std::string other = thread_name(w, o.agent, o.lane);
  const std::string head =
      "shared " + std::string(what) + " of " + std::to_string(bytes) + " bytes at offset " + std::to_string(offset);
  switch (o.problem) {
  case Shadow::Problem::uninitialised:
    fault(w, pc, lane, "uninitialised-shared", head + ": nothing has been written there", offset);
    break;
  case Shadow::Problem::pending_copy:
    fault(w, pc, lane, "shared-race",
          head + ": " + (clocks_.is_queue(o.agent) ? "" : "a cp.async of ") + other + " to it has not been waited for",
          offset);
    break;
  case Shadow::Problem::unfenced:
    fault(w, pc, lane, "proxy-fence", head + ": no fence.proxy.async makes the write by " + other + " visible to it",
          offset);
    break;
  default:
    fault(w, pc, lane, "shared-race",
          head + " races with a " + (o.problem == Shadow::Problem::race_with_write ? "write" : "read") + " by " +
              other +
              (o.agent == w.agent ? ": no warp synchronisation lies between them" : ": no barrier lies between them"),
          offset);
  }
}

} // namespace aicf::emulator
