#include "core/lang/parser.hpp"

#include "core/lang/expression_parser.hpp"

namespace aicf::lang {
namespace {

class Parser {
 public:
  Parser(const Source& source, Problems& problems) : tokens_(source, problems), expressions_(tokens_, file_) {}

  File run() {
    while (tokens_.peek().kind != Kind::end) {
      if (tokens_.take_if(Kind::newline)) continue;
      if (tokens_.at_word("op")) {
        op();
      } else if (tokens_.at_word("reducer")) {
        reducer();
      } else {
        tokens_.expected("'op' or 'reducer'");
        tokens_.take();
        skip_to_declaration();
      }
    }
    file_.names = std::move(tokens_.names());
    return std::move(file_);
  }

 private:
  using Kind = Token::Kind;
  using Level = ExpressionParser::Level;

  void skip_to_declaration() {
    while (tokens_.peek().kind != Kind::end && !tokens_.at_word("op") && !tokens_.at_word("reducer")) {
      tokens_.take();
      tokens_.recover();
      if (tokens_.peek().kind != Kind::end && !tokens_.at_word("op") && !tokens_.at_word("reducer")) tokens_.take();
    }
  }

  bool expect(Kind kind, std::string_view what) {
    if (tokens_.take_if(kind)) return true;
    tokens_.expected(what);
    return false;
  }

  bool open(Kind kind, std::string_view what) {
    if (tokens_.peek().kind != kind) {
      tokens_.expected(what);
      return false;
    }
    tokens_.open(tokens_.take());
    return true;
  }

  bool close(Kind kind, std::string_view what) {
    if (tokens_.peek().kind != kind) {
      tokens_.expected(what);
      return false;
    }
    tokens_.take();
    tokens_.close();
    return true;
  }

  bool line_end(std::string_view what) {
    if (tokens_.take_if(Kind::newline) || tokens_.peek().kind == Kind::end) return true;
    tokens_.expected(what);
    return false;
  }

  /// An operator may have the name of a function or a reducer (`op sum`), not of a keyword.
  bool declared_name(std::string_view what, NameId& name, Place& at) {
    const Token token = tokens_.peek();
    if (token.kind != Kind::name || is_keyword(tokens_.text(token))) {
      tokens_.expected(what);
      return false;
    }
    at = token.at;
    name = tokens_.intern(tokens_.text(tokens_.take()));
    return true;
  }

  bool name(std::string_view what, NameId& name, Place& at) {
    auto read = expressions_.name(what, at);
    if (read) name = *read;
    return read.has_value();
  }

  bool type(TypeName& type) {
    const Token token = tokens_.peek();
    if (token.kind != Kind::name) {
      tokens_.expected("a type");
      return false;
    }
    std::string_view word = tokens_.text(token);
    type.generic = word == "float";
    if (!type.generic) {
      auto fixed = dtype_from(word);
      if (!fixed) {
        Nearest nearest(word);
        for (std::string_view known : {"float", "f32", "f16", "bf16", "f64", "i8", "i32", "i64", "bool"})
          nearest.offer(known);
        tokens_.fail("lang.type", token.at, "no type '" + std::string(word.substr(0, 40)) + "'",
                     nearest.hint().empty() ? "types are float f32 f16 bf16 f64 i8 i32 i64 bool" : nearest.hint());
        return false;
      }
      type.fixed = *fixed;
    }
    tokens_.take();
    return true;
  }

  bool expression(Expression& into, Level level = Level::expression) {
    auto read = expressions_.parse(level);
    if (read) into = *read;
    return read.has_value();
  }

  bool tensors(std::vector<TensorNode>& list) {
    do {
      TensorNode& tensor = list.emplace_back();
      if (!name("a tensor", tensor.name, tensor.at) || !expect(Kind::colon, "':' and a type") || !type(tensor.type) ||
          !open(Kind::open_square, "'[' and the shape"))
        return false;
      if (tokens_.peek().kind != Kind::close_square) {
        do {
          if (!expression(tensor.shape.emplace_back(), Level::sum)) return false;
        } while (tokens_.take_if(Kind::comma));
      }
      if (!close(Kind::close_square, "',' or ']'")) return false;
    } while (tokens_.take_if(Kind::comma));
    return true;
  }

  bool scalars(std::vector<ScalarNode>& list) {
    do {
      ScalarNode& scalar = list.emplace_back();
      if (!name("a scalar", scalar.name, scalar.at)) return false;
      if (tokens_.take_if(Kind::colon) && !type(scalar.type)) return false;
      if (!expect(Kind::assign, "'=' and a default value")) return false;
      scalar.value_at = tokens_.peek().at;
      auto value = expressions_.literal(scalar.integer);
      if (!value) return false;
      scalar.value = *value;
      scalar.value_at = join(scalar.value_at, tokens_.last());
    } while (tokens_.take_if(Kind::comma));
    return true;
  }

  bool header(OpNode& op) {
    tokens_.take();
    if (!declared_name("the operator's name", op.name, op.at) || !open(Kind::open_round, "'(' and the inputs") ||
        !tensors(op.inputs))
      return false;
    if (tokens_.take_if(Kind::semicolon) && !scalars(op.scalars)) return false;
    return close(Kind::close_round, "',', ';' or ')'") && expect(Kind::arrow, "'->' and the results") &&
           tensors(op.results) && line_end("the end of the line");
  }

  void op() {
    OpNode op;
    if (!header(op)) {
      op.broken = true;
      tokens_.recover();
    }
    while (tokens_.peek().kind != Kind::end && !tokens_.at_word("op") && !tokens_.at_word("reducer")) {
      if (tokens_.take_if(Kind::newline)) continue;
      StatementNode statement;
      if (!this->statement(statement)) {
        statement.broken = true;
        tokens_.recover();
      }
      if (statement.name != no_name) op.statements.push_back(std::move(statement));
    }
    file_.ops.push_back(std::move(op));
  }

  bool binder(BinderNode& binder) {
    if (!name("an index", binder.name, binder.at)) return false;
    if (!tokens_.at_word("in")) return true;
    tokens_.take();
    if (!expression(binder.hi, Level::sum)) return false;
    if (!tokens_.take_if(Kind::dot_dot)) return true;
    binder.lo = binder.hi;
    return expression(binder.hi, Level::sum);
  }

  bool statement(StatementNode& statement) {
    if (!name("a statement", statement.name, statement.at)) {
      if (tokens_.peek().kind != Kind::end) tokens_.take();
      return false;
    }
    if (tokens_.peek().kind == Kind::open_square) {
      tokens_.open(tokens_.take());
      do {
        if (!binder(statement.binders.emplace_back())) return false;
      } while (tokens_.take_if(Kind::comma));
      if (!close(Kind::close_square, "',' or ']'")) return false;
    }
    if (!expect(Kind::assign, "'='") || !expression(statement.body)) return false;
    if (tokens_.at_word("from")) {
      tokens_.take();
      do {
        if (!initial(statement.initial.emplace_back())) return false;
      } while (tokens_.take_if(Kind::comma));
    }
    return line_end("an operator or the end of the statement");
  }

  bool initial(InitialNode& initial) {
    if (!name("a first value such as h[-1] = 0", initial.name, initial.at) ||
        !open(Kind::open_square, "'[' and the place of the first value"))
      return false;
    do {
      if (!expression(initial.indices.emplace_back(), Level::sum)) return false;
    } while (tokens_.take_if(Kind::comma));
    return close(Kind::close_square, "',' or ']'") && expect(Kind::assign, "'='") && expression(initial.value);
  }

  bool reducer_body(ReducerNode& reducer) {
    tokens_.take();
    if (!name("the reducer's name", reducer.name, reducer.at) || !open(Kind::open_round, "'(' and two names"))
      return false;
    std::size_t count = 0;
    Place at;
    do {
      NameId parameter = no_name;
      if (!name("a name", parameter, at)) return false;
      if (count == 0) reducer.first = parameter;
      if (count == 1) reducer.second = parameter;
      ++count;
    } while (tokens_.take_if(Kind::comma));
    if (!close(Kind::close_round, "',' or ')'")) return false;
    if (count != 2) {
      tokens_.fail("lang.arity", reducer.at, "a reducer combines two values, not " + std::to_string(count));
      return false;
    }
    if (!expect(Kind::assign, "'='") || !expression(reducer.combine)) return false;
    if (!tokens_.at_word("identity")) {
      tokens_.expected("'identity' and the value of nothing");
      return false;
    }
    tokens_.take();
    return expression(reducer.identity) && line_end("the end of the line");
  }

  void reducer() {
    ReducerNode& reducer = file_.reducers.emplace_back();
    if (!reducer_body(reducer)) {
      reducer.broken = true;
      tokens_.recover();
      if (!tokens_.at_word("op") && !tokens_.at_word("reducer")) skip_to_declaration();
    }
  }

  File file_;
  TokenStream tokens_;
  ExpressionParser expressions_;
};

} // namespace

File parse(const Source& source, Problems& problems) { return Parser(source, problems).run(); }

} // namespace aicf::lang
