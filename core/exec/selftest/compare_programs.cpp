#include "core/exec/selftest/compare.hpp"
#include "core/exec/selftest/random_program.hpp"
#include "core/exec/selftest/trial.hpp"

#include <algorithm>

namespace aicf::selftest {
namespace {

/// CU_JIT_OPTIMIZATION_LEVEL; the last is what a driver does unasked.
constexpr int highest_level = 4;
constexpr int no_level = -1;

/// The index of the first 32-bit word in which the two outputs of a program differ; their number: in none.
std::size_t first_difference(const std::vector<std::byte>& a, const std::vector<std::byte>& b) {
  std::size_t i = 0;
  while (i < a.size() / 4 && at<std::uint32_t>(a, i) == at<std::uint32_t>(b, i)) ++i;
  return i;
}

/// "level 4", "levels 0, 1".
std::string named(const std::vector<int>& levels) {
  std::string text = levels.size() == 1 ? "level" : "levels";
  for (const int level : levels) text += (level == levels.front() ? " " : ", ") + std::to_string(level);
  return text;
}

/// What came of a program at each level of the other machine's compiler.
struct Levels {
  std::vector<int> agree, differ, failed;
  bool steady = false; ///< the highest gave the same words as before
  [[nodiscard]] bool compilers() const { return steady && !agree.empty(); }
  [[nodiscard]] std::string text() const {
    std::string all;
    const auto add = [&](const std::vector<int>& levels, const char* one, const char* more) {
      if (levels.empty()) return;
      all += (all.empty() ? "" : ", ") + named(levels) + (levels.size() == 1 ? one : more);
    };
    add(differ, " differs", " differ");
    add(agree, " agrees", " agree");
    add(failed, " does not run", " do not run");
    return all;
  }
};

/// Two machines on a random program, and on its beginnings.
class Match {
 public:
  Match(Backend& other, Backend& emulator, RandomProgram p)
      : other_(other), emulator_(emulator), program_(std::move(p)) {}

  [[nodiscard]] bool agrees() { return agrees(program_.statements.size(), no_level); }
  /// What differs.
  [[nodiscard]] std::string difference() const {
    if (!problem.empty()) return problem;
    return "thread " + std::to_string(where / words) + ", offset " + std::to_string(where % words * 4) + ": " +
           hexadecimal(at<std::uint32_t>(there, where)) + " beside " + hexadecimal(at<std::uint32_t>(here, where));
  }
  /// The first statement after which it does, with what its registers held before.
  [[nodiscard]] std::string statement() {
    if (!problem.empty()) return {};
    std::size_t good = 0, bad = program_.statements.size(); // by halves: registers that differ seldom agree again
    while (bad - good > 1) {
      const std::size_t middle = good + (bad - good) / 2;
      (agrees(middle, no_level) ? good : bad) = middle;
    }
    if (agrees(bad, no_level)) return ", only sometimes";
    const std::size_t thread = where / words;
    agrees(good, no_level);
    const std::string& statement = program_.statements[bad - 1];
    std::string text = " after: " + statement, seen;
    std::replace(text.begin(), text.end(), '\n', ' ');
    for (std::size_t i = 0; i + 2 < statement.size() && !there.empty(); ++i) {
      const std::string name = statement.substr(i, 3);
      const StoredRegister r = stored_register(name);
      if (r.bytes == 0 || seen.find(name) != std::string::npos) continue;
      seen += name;
      std::uint64_t v = 0;
      std::memcpy(&v, there.data() + thread * words * 4 + r.offset, r.bytes);
      text += name + "=" + hexadecimal(v) + " ";
    }
    return text;
  }
  /// Nothing is asked of a machine on which the program did not run: it may run none any more.
  [[nodiscard]] Levels levels() {
    Levels result;
    if (agrees() || !problem.empty()) return result;
    const std::vector<std::byte> before = there;
    for (int level = 0; level <= highest_level; ++level) {
      const bool same = agrees(program_.statements.size(), level);
      (!problem.empty() ? result.failed : same ? result.agree : result.differ).push_back(level);
      result.steady = level == highest_level && there == before;
    }
    return result;
  }

 private:
  static constexpr std::size_t words = std::size_t{RandomProgram::words_out} * 2;
  Backend &other_, &emulator_;
  RandomProgram program_;
  std::vector<std::byte> there, here;
  std::string problem;
  std::size_t where = 0;

  /// False: the outputs of the first `count` statements differ, or one has none.
  bool agrees(std::size_t count, int level) {
    Trial trial(program_.first(count), program_.grid, program_.block);
    if (level != no_level) trial.call.module.options = {"--ptxas-options=-O" + std::to_string(level)};
    trial.buffer(Arg::Role::input, program_.input.data(), program_.input.size() * 8);
    trial.buffer(Arg::Role::output, nullptr, std::size_t{program_.grid} * program_.block * words * 4);
    problem.clear();
    there = trial.run(other_, problem);
    here = problem.empty() ? trial.run(emulator_, problem) : there;
    where = problem.empty() ? first_difference(there, here) : 0;
    return problem.empty() && where == there.size() / 4;
  }
};

template <class F, class... A> void tell(const F& event, const A&... what) {
  if (event) event(what...);
}

} // namespace

Comparison compare_programs(Backend& other, Backend& emulator, int programs, std::uint64_t first_seed,
                            const ProgramEvents& events) {
  Comparison result{.name = "programs"};
  for (int n = 0; n < programs; ++n) {
    const std::uint64_t seed = first_seed + static_cast<std::uint64_t>(n);
    tell(events.begins, seed);
    Match match(other, emulator, random_program(seed));
    ++result.compared;
    if (match.agrees()) continue;
    std::string text = match.difference();
    const std::string name = "seed " + std::to_string(seed) + ", ";
    tell(events.differs, name + text);
    text += match.statement();
    tell(events.differs, name + text);
    const Levels levels = match.levels();
    if (levels.compilers()) {
      text = "compiler disagrees with itself: " + name + levels.text() + ": " + text;
      keep_example(result.compilers, result.compilers_examples, text);
      tell(events.compilers, text);
      continue;
    }
    if (const std::string said = levels.text(); !said.empty()) text += " (" + said + ")";
    keep_example(result.different, result.examples, name + text);
    tell(events.differs, name + text);
  }
  return result;
}

} // namespace aicf::selftest
