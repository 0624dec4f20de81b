// Which blocks of a launch touch the same global bytes with nothing to order them. Each block's accesses are kept as
// ranges, compared when the launch has ended. An order comes from flags and counters: a strong access (atomic,
// volatile, relaxed, acquire, release) releases what its block did before, if the block has fenced before it, and
// acquires what others released through the same address. Within a block the shadow of shared memory and the barriers
// are the checks; global accesses of one block, or of one cluster (group), are not compared with each other.
#pragma once
#include <cstdint>
#include <map>
#include <mutex>
#include <string>
#include <vector>

namespace aicf::emulator {

enum class GlobalUse : std::uint8_t { read, write, strong_read, strong_write };

struct GlobalRange {
  std::uint64_t begin = 0, end = 0;
  std::uint32_t block = 0, group = 0, epoch = 0, pc = 0; ///< linear; epoch: strong accesses of the block before
  GlobalUse use = GlobalUse::read;
};

/// The ranges of one worker. `begin_block`, then `touch` in any order.
class GlobalTrace {
 public:
  static constexpr std::size_t most = std::size_t{1} << 21; ///< ranges of a worker; past it nothing more is kept
  void reset(std::size_t operations) {
    last_.assign(operations, none);
    ranges_.clear();
    first_ = 0;
  }
  void begin_block(std::uint32_t block, std::uint32_t group);
  void touch(std::uint32_t pc, GlobalUse use, std::uint64_t begin, std::uint64_t end) {
    const std::uint32_t l = last_[pc];
    if (l != none) {
      GlobalRange& r = ranges_[l];
      if (r.use == use && r.epoch == epoch && begin <= r.end && begin >= r.begin) {
        if (end > r.end) r.end = end;
        return;
      }
    }
    append(pc, use, begin, end);
  }
  std::uint32_t epoch = 0;
  [[nodiscard]] bool full() const { return full_; }
  [[nodiscard]] const std::vector<GlobalRange>& ranges() const { return ranges_; }
  void end_block() { compact(); }

 private:
  static constexpr std::uint32_t none = 0xffffffffu;
  void append(std::uint32_t pc, GlobalUse use, std::uint64_t begin, std::uint64_t end);
  void compact(); ///< joins the ranges of this block

  std::vector<GlobalRange> ranges_;
  std::vector<std::uint32_t> last_; ///< by operation: the range that it extends
  std::vector<std::uint32_t> touched_;
  std::size_t first_ = 0, next_compaction_ = 4096; ///< of this block
  std::uint32_t block_ = 0, group_ = 0;
  bool full_ = false;
};

/// Releases and acquisitions through global addresses. Lock `mutex` around the access and its entry.
class GlobalOrder {
 public:
  std::mutex mutex;
  void strong_access(std::uint64_t address, std::uint32_t block, bool releases, std::uint32_t& epoch);
  /// What block `a` did up to epoch `ea` is ordered before what `b` does from epoch `eb` on.
  [[nodiscard]] bool before(std::uint32_t a, std::uint32_t ea, std::uint32_t b, std::uint32_t eb) const;
  [[nodiscard]] bool full() const { return entries_ > most; }

 private:
  static constexpr std::size_t most = std::size_t{1} << 20;
  struct Release {
    std::uint32_t block, epoch;
  };
  struct Acquisition {
    std::uint32_t epoch = 0; ///< of the block that acquires, after it
    std::uint64_t address = 0;
    std::size_t length = 0; ///< of the releases through the address at that time
  };
  std::map<std::uint64_t, std::vector<Release>> releases_;
  std::map<std::uint32_t, std::vector<Acquisition>> acquired_;
  std::size_t entries_ = 0;
};

struct GlobalRace {
  GlobalRange first, second;
};
/// At most `limit` races, each pair of operations once.
[[nodiscard]] std::vector<GlobalRace> find_races(std::vector<GlobalRange> ranges, const GlobalOrder& order,
                                                 std::size_t limit);

} // namespace aicf::emulator
