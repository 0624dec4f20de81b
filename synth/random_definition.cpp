#include "synth/random_definition.hpp"

#include <algorithm>
#include <cctype>
#include <random>
#include <vector>

namespace aicf {
namespace {

class Writer {
 public:
  explicit Writer(std::uint64_t seed) : random_(seed) {
    names_ = {"x",     "a1", "signal", "u", "values", "Q", "left", "score", "w_2",  "bias", "r1",     "total",
              "state", "z9", "peak",   "g", "mix",    "s", "p0",   "big",   "tail", "rate", "output", "res"};
    dims_ = {"M", "N", "K", "B", "T", "C", "rows", "len", "D2"};
    indices_ = {"i", "j", "k", "t", "c", "b1", "pos"};
    for (auto* list : {&names_, &dims_, &indices_}) std::shuffle(list->begin(), list->end(), random_);
  }

  std::string text() {
    rank_ = 1 + below(3);
    first_axis_ = below(rank_);
    axes_ = {first_axis_};
    if (rank_ > 1 && chance(12)) axes_.push_back(first_axis_ == 0 ? 1 : first_axis_ - 1);
    std::sort(axes_.begin(), axes_.end());
    data_ = input("float", every());
    if (chance(15))
      map();
    else
      cascade();
    std::string text = "op " + name() + "(";
    for (std::size_t i = 0; i < inputs_.size(); ++i) text += (i > 0 ? ", " : "") + inputs_[i];
    if (!scalar_.empty()) text += "; " + scalar_ + " = " + (chance(50) ? "1e-5" : "0.75");
    text += ") -> ";
    for (std::size_t i = 0; i < results_.size(); ++i) text += (i > 0 ? ", " : "") + results_[i];
    return text + "\n" + statements_;
  }

 private:
  std::mt19937_64 random_;
  std::vector<std::string> names_, dims_, indices_, inputs_, results_;
  std::string statements_, data_, other_, mask_, weight_, of_row_, scalar_, element_;
  std::size_t rank_ = 1, first_axis_ = 0;
  std::vector<std::size_t> axes_;

  std::size_t below(std::size_t n) { return random_() % n; }
  bool chance(std::size_t percent) { return below(100) < percent; }
  std::string one_of(std::initializer_list<const char*> words) { return *(words.begin() + below(words.size())); }
  std::string name() {
    std::string n = names_.back();
    names_.pop_back();
    return n;
  }

  std::vector<std::size_t> every() const {
    std::vector<std::size_t> all;
    for (std::size_t k = 0; k < rank_; ++k) all.push_back(k);
    return all;
  }
  std::vector<std::size_t> rows() const {
    std::vector<std::size_t> kept;
    for (std::size_t k = 0; k < rank_; ++k)
      if (std::find(axes_.begin(), axes_.end(), k) == axes_.end()) kept.push_back(k);
    return kept;
  }
  static std::string listed(const std::vector<std::string>& words, const std::vector<std::size_t>& which) {
    std::string text;
    for (std::size_t k : which) text += (text.empty() ? "" : ", ") + words[k];
    return text;
  }
  std::string shape(const std::vector<std::size_t>& which) const { return "[" + listed(dims_, which) + "]"; }
  /// `name` at its indices; a number alone has none.
  std::string at(const std::string& name, const std::vector<std::size_t>& which) const {
    return which.empty() ? name : name + "[" + listed(indices_, which) + "]";
  }
  std::string length() const {
    std::string text;
    for (std::size_t k : axes_) text += (text.empty() ? "" : " * ") + dims_[k];
    return axes_.size() > 1 ? "(" + text + ")" : text;
  }

  std::string input(const std::string& type, const std::vector<std::size_t>& which) {
    std::string n = name();
    inputs_.push_back(n + ": " + type + shape(which));
    return n;
  }
  std::string of_input(std::string& known, const std::string& type, const std::vector<std::size_t>& which) {
    if (known.empty()) known = input(type, which);
    return known + "[" + listed(indices_, which) + "]";
  }

  std::string leaf() {
    switch (below(14)) {
    case 0: return one_of({"0.5", "2", "1.25", "3"});
    case 1: return of_input(other_, one_of({"float", "f32", "i8", "i32"}), every());
    case 2: return of_input(weight_, one_of({"float", "float", "f32"}), axes_);
    case 3: return rows().empty() ? at(data_, every()) : of_input(of_row_, "float", rows());
    case 4: return neighbour();
    default: return at(data_, every());
    }
  }

  /// The element beside on the axis, and a number beyond its ends.
  std::string neighbour() {
    std::string places;
    for (std::size_t k = 0; k < rank_; ++k)
      places += (k > 0 ? ", " : "") + indices_[k] + (k == first_axis_ ? one_of({" - 1", " + 1", " - 7"}) : "");
    return "pad(" + data_ + "[" + places + "], " + one_of({"0", "0.5"}) + ")";
  }

  /// A real expression of the elements, of values that stay moderate for moderate elements.
  std::string expression(int depth) {
    if (depth == 0 || chance(30)) return leaf();
    std::string a = expression(depth - 1);
    switch (below(16)) {
    case 0: return "tanh(" + a + ")";
    case 1: return "abs(" + a + ")";
    case 2: return "sigmoid(" + a + ")";
    case 3: return "exp(-abs(" + a + "))";
    case 4: return "sqrt(abs(" + a + "))";
    case 5: return "log1p(abs(" + a + "))";
    case 6: return "max(" + a + ", 0)";
    case 7: return "(" + a + ")^2";
    case 8: return "where(" + a + " > 0, " + a + ", " + expression(depth - 1) + ")";
    case 9: return one_of({"sin(", "cos(", "erf(", "atan("}) + a + ")";
    case 10: return "(" + a + ") / (1 + abs(" + expression(depth - 1) + "))";
    case 11: return one_of({"min(", "max("}) + a + ", " + expression(depth - 1) + ")";
    case 12: return one_of({"bf16(", "floor(", "round("}) + a + ")";
    case 13: return "(" + a + " - " + expression(depth - 1) + ")";
    case 14: return "(" + a + ") * (" + expression(depth - 1) + ")";
    default: return "(" + a + " + " + expression(depth - 1) + ")";
    }
  }

  /// The same, or with an element of the data added where it reads none: an unused input is an error, and a guarded
  /// access gives no range.
  std::string with_data(const std::string& e) const {
    std::size_t from = 0, found = std::string::npos;
    for (; (found = e.find(at(data_, every()), from)) != std::string::npos; from = found + 1)
      if (found == 0 || (std::isalnum(static_cast<unsigned char>(e[found - 1])) == 0 && e[found - 1] != '_')) return e;
    return "(" + e + " + " + at(data_, every()) + ")";
  }

  /// Head of a reduction over the axes.
  std::string over(const std::string& reducer) {
    std::string head = reducer + "[" + listed(indices_, axes_);
    if (!mask_.empty()) head += " where " + mask_;
    return head + "] ";
  }

  /// A value of a row, and how it is read.
  std::string row_value(const std::string& right) {
    std::string n = at(name(), rows());
    statements_ += "  " + n + " = " + right + "\n";
    return n;
  }

  void result(const std::string& type, const std::vector<std::size_t>& which, const std::string& right) {
    std::string n = name();
    results_.push_back(n + ": " + type + shape(which));
    statements_ += "  " + at(n, which) + " = " + right + "\n";
  }

  void result_along(const std::string& value) {
    std::string v = !mask_.empty() && chance(60) ? "where(" + mask_ + ", " + value + ", 0)" : value;
    switch (below(8)) {
    case 0: return result("i8", every(), "i8((" + v + ") * 40)");
    case 1: return result(one_of({"f32", "f64", "bf16", "f16"}), every(), v);
    case 2: return result("bool", every(), "(" + v + ") > 0.25");
    case 3: // below the smallest normal numbers of an f16, of an f32
      return result(one_of({"float", "f16"}), every(), "(" + v + ") * " + one_of({"3e-6", "1e-7", "2e-39"}));
    default: return result("float", every(), v);
    }
  }

  void map() {
    for (std::size_t n = 1 + below(3); n > 0; --n) result_along(with_data(expression(3)));
  }

  /// A value of each row that reads reductions over its axis; `deep`: how many levels.
  std::string reduced() {
    const std::string e = element_;
    auto mean = [&] { return row_value("(" + over("sum") + "(" + e + ")) / " + length()); };
    switch (below(12)) {
    case 0: return row_value(over(one_of({"max", "min"})) + "(" + e + ")");
    case 1: return mean();
    case 2: return row_value(over("sum") + "(" + e + ") * " + of_input(weight_, "float", axes_));
    case 3: { // a rescaled sum
      std::string m = row_value(over("max") + "(" + e + ")");
      std::string l = row_value(over("sum") + "exp(" + e + " - " + m + ")");
      if (chance(40)) return row_value(m + " + log(" + l + ")");
      return row_value("(" + over("sum") + "exp(" + e + " - " + m + ") * (" + leaf() + ")) / " + l);
    }
    case 4: { // moments
      std::string mu = mean(), power = one_of({"2", "2", "3", "4"});
      return row_value("(" + over("sum") + "(" + e + " - " + mu + ")^" + power + ") / " + length());
    }
    case 5: { // no finite state: two sweeps
      std::string mu = mean();
      return row_value(over(one_of({"sum", "max"})) + "abs(" + e + " - " + mu + ")");
    }
    case 6: return row_value("sqrt(" + over("sum") + "(" + e + ")^2)");
    case 7: { // a count of what lies above the mean
      std::string mu = mean();
      return row_value(over("sum") + "where(" + e + " > " + mu + ", 1, 0)");
    }
    case 8: { // three levels
      std::string m = row_value(over("max") + "(" + e + ")");
      std::string l = row_value(over("sum") + "exp(" + e + " - " + m + ")");
      return row_value(over("sum") + "(exp(" + e + " - " + m + ") / " + l + ")^2");
    }
    case 9: return row_value(over("prod") + "(1 + (" + e + ") / 64)");
    case 10: {
      std::string m = row_value(over("max") + "(" + e + ")"), n = row_value(over("min") + "(" + e + ")");
      return row_value(m + " - " + n);
    }
    default: return row_value(over("sum") + "(" + e + ")");
    }
  }

  void cascade() {
    element_ = chance(55) ? at(data_, every()) : expression(2);
    element_ = with_data(element_);
    if (chance(20)) {
      std::string m = input("bool", chance(60) ? every() : axes_);
      bool of_all = inputs_.back().ends_with(shape(every()));
      mask_ = m + "[" + listed(indices_, of_all ? every() : axes_) + "]";
    } else if (axes_.size() == 1 && rank_ > 1 && chance(8)) {
      mask_ = indices_[first_axis_] + " <= " + indices_[rows().front()];
    } else if (chance(8)) { // few elements, or none
      mask_ = at(data_, every()) + one_of({" > 0.5", " > 2", " < -1e30"});
    }
    std::vector<std::string> of_row{reduced()};
    if (chance(35)) of_row.push_back(reduced());
    bool position = axes_.size() == 1 && mask_.empty() && chance(12);
    if (position) result("i64", rows(), over(one_of({"argmax", "argmin"})) + "(" + element_ + ")");
    const std::string& r = of_row.front();
    if (chance(60)) {
      std::string value;
      switch (below(5)) {
      case 0: value = "(" + element_ + " - " + r + ")"; break;
      case 1: value = "(" + element_ + ") / (1 + abs(" + r + "))"; break;
      case 2: value = "exp(min(" + element_ + " - " + r + ", 0))"; break;
      case 3: {
        if (scalar_.empty()) scalar_ = name();
        value = "(" + element_ + ") * rsqrt(abs(" + r + ") + " + scalar_ + ")";
        break;
      }
      default: value = "tanh(" + element_ + ") * " + r;
      }
      if (chance(25)) value = "(" + value + ") * " + of_input(weight_, "float", axes_);
      if (of_row.size() > 1) value = "(" + value + ") + " + of_row[1];
      result_along(value);
      if (chance(30)) result("float", rows(), r);
      return;
    }
    if (axes_.size() == 1 && chance(15)) { // an element that an id of the row picks
      std::string ids = input("i64", rows()), index = at(ids, rows()), places;
      for (std::size_t k = 0; k < rank_; ++k)
        places += (k > 0 ? ", " : "") + (k == first_axis_ ? (rows().empty() ? ids + "[]" : index) : indices_[k]);
      if (!rows().empty()) {
        result("float", rows(), data_ + "[" + places + "] - " + r);
        return;
      }
      inputs_.pop_back();
    }
    for (std::size_t k = 0; k < of_row.size(); ++k) result(k > 0 && chance(30) ? "f32" : "float", rows(), of_row[k]);
  }
};

} // namespace

std::string random_definition(std::uint64_t seed) { return Writer(seed).text(); }

} // namespace aicf
