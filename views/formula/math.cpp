#include "views/formula/math.hpp"

#include "core/expr/print.hpp"
#include "views/engine/text.hpp"

#include <QHash>
#include <QLocale>

#include <algorithm>
#include <cmath>
#include <numbers>

namespace aicf::views {
namespace {

constexpr int deepest = 48;          ///< levels of an expression; below it stands "…"
constexpr std::size_t longest = 600; ///< pieces of a line
constexpr int mostDigits = 6;

enum Strength { weakest, disjunction, conjunction, negation, comparison, sum, product, unary, postfix, atom };

using K = Math::Kind;

Math identifier(const QString& name) { return mathText(K::identifier, name); }
Math word(const QString& text) { return mathText(K::word, text); }
Math sign(const QString& text) { return mathText(K::sign, text); }
Math comma() { return mathText(K::mark, QStringLiteral(", ")); }
Math node(K kind, std::vector<Math> parts, const QString& text = {}) { return {kind, text, std::move(parts), {}}; }
Math fenced(Math inner, const QString& fences = QStringLiteral("()")) {
  return node(K::fence, {std::move(inner)}, fences);
}
Math empty() { return {}; }

/// Whether it is higher than a line of text, so that an exponent would hold it badly.
bool isTall(const Math& m) {
  if (m.kind == K::fraction || m.kind == K::big || m.kind == K::cases || m.kind == K::root) return true;
  return std::any_of(m.parts.begin(), m.parts.end(), isTall);
}

Math numeral(double value, Kind kind) {
  if (kind == Kind::boolean) return word(value != 0 ? QStringLiteral("true") : QStringLiteral("false"));
  if (std::isnan(value)) return word(QStringLiteral("NaN"));
  if (std::isinf(value)) return mathText(K::number, value < 0 ? QStringLiteral("−∞") : QStringLiteral("∞"));
  if (std::fabs(value) == std::numbers::pi)
    return mathText(K::number, value < 0 ? QStringLiteral("−π") : QStringLiteral("π"));
  QString text = QString::number(value, 'g', QLocale::FloatingPointShortest);
  const auto e = text.indexOf('e');
  if (e < 0) return mathText(K::number, text.replace('-', QStringLiteral("−")));
  const QString exponent = QString::number(text.mid(e + 1).toInt()).replace('-', QStringLiteral("−"));
  const QString digits = text.left(e).replace('-', QStringLiteral("−"));
  Math power = node(K::power, {mathText(K::number, QStringLiteral("10")), mathText(K::number, exponent)});
  if (digits == QLatin1String("1")) return power;
  return mathRow({mathText(K::number, digits), sign(QStringLiteral("·")), std::move(power)});
}

class Writer {
 public:
  explicit Writer(const Definition& d) : d_(d), names_(names_of(d)) {}

  Math line(const Statement& s) {
    pieces_ = 0;
    const QString name = qs(d_.tensors[s.target].name);
    std::vector<Math> indices;
    for (const VarId v : s.vars) indices.push_back(identifier(qs(d_.vars[v])));
    std::vector<Math> parts{indexed(identifier(name), std::move(indices)), sign(QStringLiteral("=")),
                            write(s.body, weakest, 0)};
    for (std::size_t i = 0; i < s.initial.size(); ++i) {
      std::vector<Math> at;
      for (const ExprId index : s.initial[i].indices) at.push_back(write(index, weakest, 0));
      parts.push_back(mathText(K::mark, i == 0 ? QStringLiteral(",   ") : QStringLiteral(", ")));
      parts.push_back(indexed(identifier(name), std::move(at)));
      parts.push_back(sign(QStringLiteral("=")));
      parts.push_back(write(s.initial[i].value, weakest, 0));
    }
    Math out = mathRow(std::move(parts));
    out.tag = name;
    return out;
  }

  Math signature() {
    pieces_ = 0;
    std::vector<Math> parts{word(qs(d_.name)), mathText(K::mark, QStringLiteral("   "))};
    const auto list = [&](std::size_t count, const auto& at) {
      for (std::size_t i = 0; i < count; ++i) {
        if (i > 0) parts.push_back(comma());
        parts.push_back(declaration(d_.tensors[at(i)]));
      }
    };
    list(d_.inputs, [](std::size_t i) { return i; });
    parts.push_back(sign(QStringLiteral("→")));
    list(d_.outputs.size(), [this](std::size_t i) { return std::size_t(d_.outputs[i]); });
    return mathRow(std::move(parts));
  }

  Math write(ExprId id, int strength, int depth) {
    if (depth > deepest || ++pieces_ > longest) return mathText(K::number, QStringLiteral("…"));
    int own = atom;
    Math out = written(id, own, depth + 1);
    return own < strength ? fenced(std::move(out)) : out;
  }

 private:
  Math declaration(const TensorDecl& t) {
    const QString type = t.type.generic ? QStringLiteral("float") : qs(name_of(t.type.fixed));
    std::vector<Math> sizes;
    for (const ExprId e : t.shape) {
      if (!sizes.empty()) sizes.push_back(sign(QStringLiteral("×")));
      sizes.push_back(write(e, product, 0));
    }
    std::vector<Math> parts{identifier(qs(t.name)), word(QStringLiteral(" : "))};
    parts.push_back(sizes.empty() ? word(type) : node(K::power, {word(type), mathRow(std::move(sizes))}));
    return mathRow(std::move(parts));
  }

  static Math indexed(Math base, std::vector<Math> indices) {
    if (indices.empty()) return base;
    std::vector<Math> list;
    for (Math& index : indices) {
      if (!list.empty()) list.push_back(comma());
      list.push_back(std::move(index));
    }
    return node(K::subscript, {std::move(base), mathRow(std::move(list))});
  }

  /// A line that is long enough ends in "…", whatever comes.
  [[nodiscard]] bool isFull(const std::vector<Math>& parts) const {
    return pieces_ > longest && !parts.empty() && parts.back().text == QStringLiteral("…");
  }

  Math infix(ExprId id, const QString& text, int left, int right, int depth) {
    return mathRow(
        {write(d_.arena.operand(id, 0), left, depth), sign(text), write(d_.arena.operand(id, 1), right, depth)});
  }

  Math call(const QString& name, std::span<const ExprId> operands, int depth) {
    std::vector<Math> list;
    for (const ExprId o : operands) {
      if (isFull(list)) break;
      if (!list.empty()) list.push_back(comma());
      list.push_back(write(o, weakest, depth));
    }
    return mathRow({word(name), fenced(mathRow(std::move(list)))});
  }

  Math access(TensorId tensor, std::span<const ExprId> operands, int depth) {
    std::vector<Math> indices;
    for (const ExprId o : operands) indices.push_back(write(o, weakest, depth));
    const QString name = qs(d_.tensors[tensor].name);
    Math out = indexed(identifier(name), std::move(indices));
    out.tag = name;
    return out;
  }

  Math exponential(const Math& base, const QString& name, ExprId operand, int depth) {
    Math exponent = write(operand, weakest, depth);
    if (isTall(exponent)) return mathRow({word(name), fenced(std::move(exponent))});
    return node(K::power, {base, std::move(exponent)});
  }

  Math addition(std::span<const ExprId> operands, int depth) {
    std::vector<Math> parts;
    for (const ExprId term : operands) {
      if (isFull(parts)) break;
      const Node& n = d_.arena[term];
      const bool negative = n.op == Op::number && d_.arena.value(term) < 0;
      if (!parts.empty() && negative) {
        parts.push_back(sign(QStringLiteral("−")));
        parts.push_back(numeral(-d_.arena.value(term), n.kind));
      } else if (!parts.empty() && n.op == Op::neg) {
        parts.push_back(sign(QStringLiteral("−")));
        parts.push_back(write(d_.arena.operand(term, 0), product, depth));
      } else {
        if (!parts.empty()) parts.push_back(sign(QStringLiteral("+")));
        parts.push_back(write(term, parts.empty() ? sum : product, depth));
      }
    }
    return mathRow(std::move(parts));
  }

  Math reduction(ExprId id, int depth) {
    const Reduce& what = d_.arena.reduction(id);
    const bool folded = what.reducer == ReducerId(Builtin::sum) || what.reducer == ReducerId(Builtin::prod);
    const QString name = what.reducer == ReducerId(Builtin::sum)    ? QStringLiteral("∑")
                         : what.reducer == ReducerId(Builtin::prod) ? QStringLiteral("∏")
                                                                    : qs(reducer_name(d_, what.reducer));
    const ExprId predicate = d_.arena.predicate(id);
    const bool always = d_.arena[predicate].op == Op::number && d_.arena.value(predicate) != 0;
    Math above = empty(), below;
    if (what.vars.size() == 1 && folded && always) {
      below = mathRow({identifier(qs(d_.vars[what.vars[0]])), sign(QStringLiteral("=")),
                       write(d_.arena.operand(id, 0), sum, depth)});
      above = last(d_.arena.operand(id, 1), depth);
    } else {
      std::vector<Math> parts;
      for (std::size_t i = 0; i < what.vars.size(); ++i) {
        if (i > 0) parts.push_back(comma());
        parts.push_back(write(d_.arena.operand(id, 2 * i), sum, depth));
        parts.push_back(sign(QStringLiteral("≤")));
        parts.push_back(identifier(qs(d_.vars[what.vars[i]])));
        parts.push_back(sign(QStringLiteral("<")));
        parts.push_back(write(d_.arena.operand(id, 2 * i + 1), sum, depth));
      }
      if (!always) {
        parts.push_back(comma());
        parts.push_back(write(predicate, weakest, depth));
      }
      below = mathRow(std::move(parts));
    }
    return node(K::big, {std::move(above), std::move(below), write(d_.arena.body(id), product, depth)}, name);
  }

  /// The last value of a half-open range.
  Math last(ExprId hi, int depth) {
    const Node& n = d_.arena[hi];
    if (n.op == Op::number) return numeral(d_.arena.value(hi) - 1, n.kind);
    if (n.op == Op::add && n.count == 2 && d_.arena.is_number(d_.arena.operand(hi, 1), 1))
      return write(d_.arena.operand(hi, 0), sum, depth);
    return mathRow({write(hi, sum, depth), sign(QStringLiteral("−")), mathText(K::number, QStringLiteral("1"))});
  }

  Math choice(ExprId id, int depth) {
    std::vector<Math> parts;
    while (d_.arena[id].op == Op::select && parts.size() < 12) {
      parts.push_back(write(d_.arena.operand(id, 1), weakest, depth));
      parts.push_back(write(d_.arena.operand(id, 0), weakest, depth));
      id = d_.arena.operand(id, 2);
    }
    parts.push_back(write(id, weakest, depth));
    parts.push_back(empty());
    return node(K::cases, std::move(parts));
  }

  Math written(ExprId id, int& own, int depth) {
    const Node& n = d_.arena[id];
    const std::span<const ExprId> o = d_.arena.operands(id);
    const auto is = [&own](int strength, Math m) {
      own = strength;
      return m;
    };
    switch (n.op) {
    case Op::number: {
      const double v = d_.arena.value(id);
      Math m = numeral(v, n.kind);
      const bool whole = m.kind == K::word || (m.kind == K::number && !std::signbit(v));
      const int strength = whole ? atom : m.kind == K::row ? product : unary;
      return is(strength, std::move(m));
    }
    case Op::index: return identifier(qs(names_.var(n.payload)));
    case Op::scalar: return identifier(qs(names_.scalar(n.payload)));
    case Op::dim: return identifier(qs(names_.dim(n.payload)));
    case Op::symbol: return identifier(qs(names_.symbol(n.payload)));
    case Op::load: return access(n.payload, o, depth);
    case Op::padded_load:
      return mathRow({word(QStringLiteral("pad")), fenced(mathRow({access(n.payload, o.first(o.size() - 1), depth),
                                                                   comma(), write(o.back(), weakest, depth)}))});
    case Op::neg: return is(unary, mathRow({mathText(K::number, QStringLiteral("−")), write(o[0], product, depth)}));
    case Op::add: return is(sum, addition(o, depth));
    case Op::sub: return is(sum, infix(id, QStringLiteral("−"), sum, product, depth));
    case Op::mul: {
      std::vector<Math> parts;
      for (const ExprId f : o) {
        if (isFull(parts)) break;
        if (!parts.empty()) parts.push_back(sign(QStringLiteral("·")));
        // A sum at the end needs no fence: nothing follows that it could swallow.
        const bool last = f == o.back() && d_.arena[f].op == Op::reduce;
        parts.push_back(write(f, last ? product : unary, depth));
      }
      return is(product, mathRow(std::move(parts)));
    }
    case Op::div: return is(unary, node(K::fraction, {write(o[0], weakest, depth), write(o[1], weakest, depth)}));
    case Op::floordiv:
      return fenced(node(K::fraction, {write(o[0], weakest, depth), write(o[1], weakest, depth)}),
                    QStringLiteral("⌊⌋"));
    case Op::mod: return is(product, infix(id, QStringLiteral("mod"), product, unary, depth));
    case Op::pow:
      if (d_.arena.is_number(o[1], 0.5)) return node(K::root, {write(o[0], weakest, depth)});
      return is(postfix, node(K::power, {write(o[0], atom, depth), write(o[1], weakest, depth)}));
    case Op::exp: return is(postfix, exponential(word(QStringLiteral("e")), QStringLiteral("exp"), o[0], depth));
    case Op::exp2:
      return is(postfix, exponential(mathText(K::number, QStringLiteral("2")), QStringLiteral("exp2"), o[0], depth));
    case Op::log2:
      return mathRow({node(K::subscript, {word(QStringLiteral("log")), mathText(K::number, QStringLiteral("2"))}),
                      fenced(write(o[0], weakest, depth))});
    case Op::sqrt: return node(K::root, {write(o[0], weakest, depth)});
    case Op::rsqrt:
      return is(unary, node(K::fraction,
                            {mathText(K::number, QStringLiteral("1")), node(K::root, {write(o[0], weakest, depth)})}));
    case Op::sigmoid: return call(QStringLiteral("σ"), o, depth);
    case Op::sign: return call(QStringLiteral("sgn"), o, depth);
    case Op::abs: return fenced(write(o[0], weakest, depth), QStringLiteral("||"));
    case Op::floor: return fenced(write(o[0], weakest, depth), QStringLiteral("⌊⌋"));
    case Op::ceil: return fenced(write(o[0], weakest, depth), QStringLiteral("⌈⌉"));
    case Op::lt: return is(comparison, infix(id, QStringLiteral("<"), sum, sum, depth));
    case Op::le: return is(comparison, infix(id, QStringLiteral("≤"), sum, sum, depth));
    case Op::eq: return is(comparison, infix(id, QStringLiteral("="), sum, sum, depth));
    case Op::ne: return is(comparison, infix(id, QStringLiteral("≠"), sum, sum, depth));
    case Op::and_: return is(conjunction, infix(id, QStringLiteral("and"), conjunction, negation, depth));
    case Op::or_: return is(disjunction, infix(id, QStringLiteral("or"), disjunction, conjunction, depth));
    case Op::not_: return is(negation, mathRow({word(QStringLiteral("not ")), write(o[0], negation, depth)}));
    case Op::select: return is(weakest, choice(id, depth));
    case Op::round_to: return call(qs(name_of(static_cast<DType>(n.payload))), o, depth);
    case Op::reduce: return is(product, reduction(id, depth));
    default: return call(qs(name_of(n.op)), o, depth); // functions by their own names
    }
  }

  const Definition& d_;
  Names names_;
  std::size_t pieces_ = 0;
};

/// Names that are Greek letters in print.
const QHash<QString, QString>& greek() {
  static const QHash<QString, QString> letters{{"alpha", "α"},  {"beta", "β"},    {"gamma", "γ"}, {"delta", "δ"},
                                               {"eps", "ε"},    {"epsilon", "ε"}, {"eta", "η"},   {"theta", "θ"},
                                               {"lambda", "λ"}, {"mu", "μ"},      {"nu", "ν"},    {"rho", "ρ"},
                                               {"sigma", "σ"},  {"tau", "τ"},     {"phi", "φ"},   {"omega", "ω"}};
  return letters;
}

QString latexName(const QString& name) {
  static const QHash<QString, QString> back = [] {
    QHash<QString, QString> out;
    for (auto it = greek().begin(); it != greek().end(); ++it)
      if (it.key() != QLatin1String("eps")) out.insert(it.value(), '\\' + it.key());
    return out;
  }();
  if (const auto known = back.constFind(name); known != back.constEnd()) return *known;
  if (name.size() == 1) return name;
  return QStringLiteral("\\mathit{%1}").arg(QString(name).replace('_', QStringLiteral("\\_")));
}

QString latexSign(const QString& text) {
  static const QHash<QString, QString> signs{{"−", "-"},        {"·", "\\cdot"}, {"×", "\\times"},   {"≤", "\\le"},
                                             {"≠", "\\ne"},     {"→", "\\to"},   {"and", "\\wedge"}, {"or", "\\vee"},
                                             {"mod", "\\bmod"}, {"∑", "\\sum"},  {"∏", "\\prod"},    {"max", "\\max"},
                                             {"min", "\\min"}};
  if (const auto known = signs.constFind(text); known != signs.constEnd()) return *known;
  return text.size() > 1 ? QStringLiteral("\\operatorname{%1}").arg(QString(text).replace('_', QStringLiteral("\\_")))
                         : text;
}

QString latexNumber(QString text) {
  return text.replace(QStringLiteral("−"), QStringLiteral("-"))
      .replace(QStringLiteral("∞"), QStringLiteral("\\infty"))
      .replace(QStringLiteral("π"), QStringLiteral("\\pi"))
      .replace(QStringLiteral("…"), QStringLiteral("\\dots"));
}

QString latexFence(QChar fence, bool opens) {
  const QString word = opens ? QStringLiteral("\\left") : QStringLiteral("\\right");
  if (fence == u'⌊') return word + QStringLiteral("\\lfloor ");
  if (fence == u'⌋') return word + QStringLiteral("\\rfloor ");
  if (fence == u'⌈') return word + QStringLiteral("\\lceil ");
  if (fence == u'⌉') return word + QStringLiteral("\\rceil ");
  return word + fence;
}

} // namespace

Math mathRow(std::vector<Math> parts) { return {Math::Kind::row, {}, std::move(parts), {}}; }
Math mathText(Math::Kind kind, const QString& text) {
  return {kind, kind == Math::Kind::identifier ? greek().value(text, text) : text, {}, {}};
}

std::vector<Math> mathOf(const Definition& definition) {
  Writer writer(definition);
  std::vector<Math> lines{writer.signature()};
  for (const Statement& s : definition.statements) lines.push_back(writer.line(s));
  return lines;
}

Math mathOf(const Definition& definition, ExprId expression) { return Writer(definition).write(expression, 0, 0); }

QString latexOf(const Math& m) {
  const auto part = [&m](std::size_t i) { return latexOf(m.parts[i]); };
  switch (m.kind) {
  case K::row: {
    QString out;
    for (const Math& p : m.parts) out += latexOf(p);
    return out;
  }
  case K::identifier: return latexName(m.text);
  case K::number: return latexNumber(m.text);
  case K::word:
    return m.text.size() == 1 && m.text != QStringLiteral("σ") ? QStringLiteral("\\mathrm{%1}").arg(m.text)
           : m.text == QStringLiteral("σ")
               ? QStringLiteral("\\sigma")
               : QStringLiteral("\\operatorname{%1}").arg(QString(m.text).replace('_', QStringLiteral("\\_")));
  case K::sign: return ' ' + latexSign(m.text) + ' ';
  case K::mark: return m.text.size() > 2 ? QStringLiteral(",\\quad ") : QStringLiteral(", ");
  case K::fraction: return QStringLiteral("\\frac{%1}{%2}").arg(part(0), part(1));
  case K::power: return QStringLiteral("{%1}^{%2}").arg(part(0), part(1));
  case K::subscript: return QStringLiteral("%1_{%2}").arg(part(0), part(1));
  case K::root: return QStringLiteral("\\sqrt{%1}").arg(part(0));
  case K::big: {
    QString out = latexSign(m.text);
    const bool stacked = m.text != QStringLiteral("∑") && m.text != QStringLiteral("∏");
    if (stacked && !out.startsWith(QLatin1String("\\max")) && !out.startsWith(QLatin1String("\\min")))
      out = QStringLiteral("\\operatorname*{%1}").arg(QString(m.text).replace('_', QStringLiteral("\\_")));
    if (!m.parts[1].parts.empty()) out += QStringLiteral("_{%1}").arg(part(1));
    if (!m.parts[0].parts.empty() || m.parts[0].kind != K::row) out += QStringLiteral("^{%1}").arg(part(0));
    return out + ' ' + part(2);
  }
  case K::fence: return latexFence(m.text[0], true) + part(0) + latexFence(m.text[1], false);
  case K::cases: {
    QStringList lines;
    for (std::size_t i = 0; i + 1 < m.parts.size(); i += 2) {
      const bool otherwise = m.parts[i + 1].kind == K::row && m.parts[i + 1].parts.empty();
      lines << part(i) + QStringLiteral(" & ") +
                   (otherwise ? QStringLiteral("\\text{otherwise}") : QStringLiteral("\\text{if } ") + part(i + 1));
    }
    return QStringLiteral("\\begin{cases} %1 \\end{cases}").arg(lines.join(QStringLiteral(" \\\\ ")));
  }
  }
  return {};
}

QString latexOf(const std::vector<Math>& lines) {
  QStringList out;
  for (const Math& line : lines) {
    QString text = latexOf(line);
    if (const auto at = text.indexOf(QStringLiteral(" = ")); at >= 0) text.insert(at + 1, '&');
    out << QStringLiteral("  ") + text;
  }
  return QStringLiteral("\\begin{align*}\n%1\n\\end{align*}\n").arg(out.join(QStringLiteral(" \\\\\n")));
}

QString spokenOf(const Math& m) {
  const auto part = [&m](std::size_t i) { return spokenOf(m.parts[i]); };
  switch (m.kind) {
  case K::row: {
    QString out;
    for (const Math& p : m.parts) out += spokenOf(p);
    return out;
  }
  case K::identifier:
  case K::number:
  case K::word:
  case K::mark: return m.text;
  case K::sign: return ' ' + m.text + ' ';
  case K::fraction: return QStringLiteral("(%1) / (%2)").arg(part(0), part(1));
  case K::power: return QStringLiteral("%1^(%2)").arg(part(0), part(1));
  case K::subscript: return QStringLiteral("%1[%2]").arg(part(0), part(1));
  case K::root: return QStringLiteral("√(%1)").arg(part(0));
  case K::big: return QStringLiteral("%1[%2] %3").arg(m.text, part(1), part(2));
  case K::fence: return m.text[0] + part(0) + m.text[1];
  case K::cases: {
    QStringList out;
    for (std::size_t i = 0; i + 1 < m.parts.size(); i += 2) {
      const QString when = part(i + 1);
      out << part(i) + (when.isEmpty() ? QStringLiteral(" otherwise") : QStringLiteral(" if ") + when);
    }
    return '{' + out.join(QStringLiteral("; ")) + '}';
  }
  }
  return {};
}

} // namespace aicf::views
