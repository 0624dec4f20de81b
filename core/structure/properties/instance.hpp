// A definition at small sizes, written out: every element of every result as an expression over the elements of the
// real inputs, with no reduction, index or recurrence left. Integer and truth-value inputs hold fixed random values.
// Sums, products, extrema and truth values have their operands in one order, so that equal elements are equal nodes.
// Internal to core/structure.
#pragma once
#include "core/structure/structure.hpp"

#include <functional>
#include <map>
#include <memory>
#include <optional>

namespace aicf {

class Instance {
 public:
  struct Input {
    std::string name;
    std::vector<std::int64_t> shape;
    bool real = true;
    std::size_t first = 0;     ///< real: symbol of its first element
    std::vector<double> fixed; ///< otherwise: its values
    std::vector<int> axis_dim; ///< of each axis, the dim that is its extent, or -1
    [[nodiscard]] std::size_t count() const;
  };
  struct Output {
    std::string name;
    std::vector<std::int64_t> shape;
    Kind kind = Kind::real;
    std::vector<int> axis_dim;
    [[nodiscard]] std::size_t count() const;
  };
  using Elements = std::vector<std::vector<ExprId>>; ///< by output, row-major
  /// The value of an element of an input: of a real one by its symbol, of another by its place.
  using Load = std::function<ExprId(std::size_t input, std::size_t element)>;

  /// Sizes of at least 2 an axis where such exist; null, with the reason, where no sizes work.
  static std::unique_ptr<Instance> find(const Canonical& canonical, std::uint64_t seed, std::string& why);

  /// The results with the inputs replaced by what `load` gives; nothing when it grows too large.
  std::optional<Elements> written_out(const Load& load);
  [[nodiscard]] ExprId element(std::size_t input, std::size_t element) const; ///< the symbol, or the fixed number
  [[nodiscard]] const Elements& results() const { return results_; }
  [[nodiscard]] const std::vector<Input>& inputs() const { return inputs_; }
  [[nodiscard]] const std::vector<Output>& outputs() const { return outputs_; }
  [[nodiscard]] const std::map<std::string, std::int64_t>& dims() const { return dims_; }
  [[nodiscard]] std::size_t symbols() const { return symbols_; }
  [[nodiscard]] Arena& arena() { return *arena_; }
  /// A symbol beside those of the inputs: a shift, a factor.
  ExprId extra(std::size_t k);
  /// The dims in words: "M = 3, N = 3".
  [[nodiscard]] std::string sizes() const;
  /// For each node of `roots`' arena, whether a symbol occurs in it, by symbol: which elements it reads.
  [[nodiscard]] std::vector<bool> reads(ExprId root) const;
  /// Values of the inputs by name, from values of the symbols.
  [[nodiscard]] std::map<std::string, std::vector<double>> named(const std::vector<double>& symbols) const;

 private:
  Instance() = default;
  bool bind(const Canonical& canonical, std::map<std::string, std::int64_t> dims, std::uint64_t seed);

  const Canonical* canonical_ = nullptr;
  std::map<std::string, std::int64_t> dims_;
  std::vector<std::int64_t> dim_values_;
  std::vector<Input> inputs_;
  std::vector<Output> outputs_;
  std::shared_ptr<Arena> arena_;
  std::size_t symbols_ = 0;
  Elements results_;
  std::string failure_;
};

} // namespace aicf
