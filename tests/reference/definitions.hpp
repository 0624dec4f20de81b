// Definitions from text, tensors from numbers, and results as numbers: what the tests of the reference share.
#pragma once
#include "core/exec/reference.hpp"
#include "core/expr/check.hpp"

#include <QtTest>

#include <cmath>
#include <memory>
#include <random>

namespace aicf::test {

inline std::shared_ptr<const Definition> parse(const std::string& text) {
  auto d = parse_definition(text, "test.op");
  std::string all;
  for (const auto& p : d.diagnostics) all += format(p, text) + "\n";
  if (!d) qFatal("%s\n%s", all.c_str(), text.c_str());
  return std::make_shared<const Definition>(std::move(*d));
}

inline HostTensor tensor(std::vector<std::int64_t> shape, const std::vector<double>& values, DType type = DType::f64) {
  HostTensor t(type, std::move(shape));
  for (std::size_t i = 0; i < values.size(); ++i) t.set(i, values[i]);
  return t;
}

inline std::vector<double> values(const HostTensor& t) {
  std::vector<double> out;
  for (std::size_t i = 0; i < t.element_count(); ++i) out.push_back(t.get(i));
  return out;
}

/// Normal deviates, rounded to f32 so that every precision starts from the same numbers.
inline HostTensor random_tensor(std::vector<std::int64_t> shape, unsigned seed) {
  std::mt19937 generator(seed);
  std::normal_distribution<float> normal;
  HostTensor t(DType::f32, std::move(shape));
  for (std::size_t i = 0; i < t.element_count(); ++i) t.set(i, normal(generator));
  return t;
}

inline std::vector<double> run(const Definition& d, const Bindings& b, int precision = 53,
                               const std::string& result = "y") {
  auto r = evaluate(d, b, {precision, {}});
  if (!r) qFatal("%s", format(r.diagnostics.at(0), d.text).c_str());
  return values(r->at(result));
}
inline std::vector<double> run(const std::string& text, const Bindings& b, int precision = 53,
                               const std::string& result = "y") {
  return run(*parse(text), b, precision, result);
}

/// The first error of an evaluation that must fail, as it is shown.
inline std::string failure(const std::string& text, const Bindings& b) {
  auto r = evaluate(*parse(text), b);
  return r ? std::string("no error") : format(r.diagnostics.at(0));
}

/// Equal, NaN being equal to NaN and -0 not to 0.
inline bool identical(double a, double b) {
  return std::isnan(a) ? std::isnan(b) : a == b && std::signbit(a) == std::signbit(b);
}
inline bool identical(const std::vector<double>& a, const std::vector<double>& b) {
  return a.size() == b.size() &&
         std::equal(a.begin(), a.end(), b.begin(), [](double x, double y) { return identical(x, y); });
}
inline std::string text_of(const std::vector<double>& v) {
  std::string out;
  for (double x : v) out += std::to_string(x) + " ";
  return out;
}

} // namespace aicf::test
