#include "weft/exec/evaluator.h"

#include <array>
#include <utility>

#include "weft/exec/evaluator_node.h"
#include "weft/exec/exists_condition.h"
#include "weft/exec/functions/functions.h"
#include "weft/rdf/term.h"

namespace weft::exec {

using rdf::Value;
using rdf::ValueKind;
using sparql::Function;

namespace {

std::optional<bool> negated(std::optional<bool> truth) {
  return truth ? std::optional<bool>(!*truth) : std::nullopt;
}

}  // namespace

void Evaluator::fail(Status status) {
  if (failure_.ok()) {
    failure_ = std::move(status);
  }
}

std::optional<bool> Evaluator::test(size_t expression, size_t row) {
  return truth(*roots_[expression], row);
}

Cell Evaluator::value(size_t expression, size_t row) {
  return eval(*roots_[expression], row, result_);
}

Result<rdf::TermId> Evaluator::id(size_t expression, size_t row) {
  WEFT_TRY(const rdf::TermId id, id_of(*roots_[expression], row));
  WEFT_TRY_STATUS(status());
  return id;
}

// --- Truth

std::optional<bool> Evaluator::truth(const Node& node, size_t row) {
  if (node.kind == Node::Kind::kCall) {
    return truth_of_call(node, row);
  }
  Value scratch;
  return rdf::effective_boolean(*eval(node, row, scratch).value);
}

std::optional<bool> Evaluator::truth_of_call(const Node& node, size_t row) {
  switch (node.function) {
    case Function::kAnd:
    case Function::kOr: {
      // The value that decides alone: false for &&, true for ||; an error only if nothing decides.
      const bool deciding = node.function == Function::kOr;
      bool failed = false;
      for (const Node& argument : node.arguments) {
        const std::optional<bool> part = truth(argument, row);
        if (part == deciding) {
          return deciding;
        }
        failed = failed || !part;
      }
      return failed ? std::nullopt : std::optional<bool>(!deciding);
    }
    case Function::kNot:
      return negated(truth(node.arguments[0], row));
    case Function::kEqual:
    case Function::kNotEqual:
    case Function::kLess:
    case Function::kLessOrEqual:
    case Function::kGreater:
    case Function::kGreaterOrEqual:
      return compare(node, row);
    case Function::kSameTerm:
      return same_term(node, row);
    case Function::kIn:
      return is_in(node, row);
    case Function::kNotIn:
      return negated(is_in(node, row));
    case Function::kBound: {
      const Input& input = inputs_[node.arguments[0].input];
      return input.column != SIZE_MAX && batch_->columns[input.column][row] != rdf::kNoTerm;
    }
    default: {
      Value scratch;
      return rdf::effective_boolean(*eval_call(node, row, scratch).value);
    }
  }
}

std::optional<bool> Evaluator::compare(const Node& node, size_t row) {
  Value left_scratch;
  Value right_scratch;
  const Cell left = eval(node.arguments[0], row, left_scratch);
  const Cell right = eval(node.arguments[1], row, right_scratch);
  const Value& a = *left.value;
  const Value& b = *right.value;
  switch (node.function) {
    case Function::kEqual:
      return rdf::equal(a, b);
    case Function::kNotEqual:
      return negated(rdf::equal(a, b));
    case Function::kLess:
      return rdf::less(a, b);
    case Function::kLessOrEqual:
      return rdf::less_or_equal(a, b);
    case Function::kGreater:
      return rdf::less(b, a);
    default:
      return rdf::less_or_equal(b, a);
  }
}

std::optional<bool> Evaluator::same_term(const Node& node, size_t row) {
  Value left_scratch;
  Value right_scratch;
  const Cell left = eval(node.arguments[0], row, left_scratch);
  const Cell right = eval(node.arguments[1], row, right_scratch);
  if (!left.value->is_defined() || !right.value->is_defined()) {
    return std::nullopt;
  }
  if (left.value->kind() != right.value->kind()) {
    return false;
  }
  return left.token() == right.token();
}

std::optional<bool> Evaluator::is_in(const Node& node, size_t row) {
  Value scratch;
  const Cell wanted = eval(node.arguments[0], row, scratch);
  bool failed = false;
  for (size_t i = 1; i < node.arguments.size(); ++i) {
    Value member_scratch;
    const Cell member = eval(node.arguments[i], row, member_scratch);
    const std::optional<bool> same = rdf::equal(*wanted.value, *member.value);
    if (same == true) {
      return true;
    }
    failed = failed || !same;
  }
  return failed ? std::nullopt : std::optional<bool>(false);
}

// --- Values

Cell Evaluator::eval(const Node& node, size_t row, Value& scratch) {
  switch (node.kind) {
    case Node::Kind::kConstant:
      return {&node.constant, node.raw.empty() ? nullptr : &node.raw};
    case Node::Kind::kVariable: {
      const Input& input = inputs_[node.input];
      return input.column == SIZE_MAX ? Cell{&undefined_, nullptr} : input.cells[row];
    }
    case Node::Kind::kCall:
      return eval_call(node, row, scratch);
    case Node::Kind::kExists:
      scratch = Value::boolean(exists_[node.input]->answer(row));
      return {&scratch, nullptr};
  }
  return {&undefined_, nullptr};
}

Cell Evaluator::eval_call(const Node& node, size_t row, Value& scratch) {
  switch (node.function) {
    case Function::kIf: {
      const std::optional<bool> condition = truth(node.arguments[0], row);
      if (!condition) {
        return {&undefined_, nullptr};
      }
      return eval(node.arguments[*condition ? 1 : 2], row, scratch);
    }
    case Function::kCoalesce:
      for (const Node& argument : node.arguments) {
        const Cell cell = eval(argument, row, scratch);
        if (cell.value->is_defined()) {
          return cell;
        }
      }
      return {&undefined_, nullptr};
    case Function::kOr:
    case Function::kAnd:
    case Function::kNot:
    case Function::kEqual:
    case Function::kNotEqual:
    case Function::kLess:
    case Function::kLessOrEqual:
    case Function::kGreater:
    case Function::kGreaterOrEqual:
    case Function::kSameTerm:
    case Function::kIn:
    case Function::kNotIn:
    case Function::kBound: {
      const std::optional<bool> result = truth_of_call(node, row);
      scratch = result ? Value::boolean(*result) : Value();
      return {&scratch, nullptr};
    }
    default:
      scratch = apply(node, row);
      return {&scratch, nullptr};
  }
}

Result<rdf::TermId> Evaluator::id_of(const Node& node, size_t row) {
  if (node.kind == Node::Kind::kVariable) {
    const Input& input = inputs_[node.input];
    return input.column == SIZE_MAX ? rdf::kNoTerm : batch_->columns[input.column][row];
  }
  if (node.kind == Node::Kind::kConstant) {
    return execution_.pool.intern(node.token);
  }
  if (node.kind == Node::Kind::kCall && node.function == Function::kIf) {
    const std::optional<bool> condition = truth(node.arguments[0], row);
    if (!condition) {
      return rdf::kNoTerm;
    }
    return id_of(node.arguments[*condition ? 1 : 2], row);
  }
  if (node.kind == Node::Kind::kCall && node.function == Function::kCoalesce) {
    for (const Node& argument : node.arguments) {
      WEFT_TRY(const rdf::TermId id, id_of(argument, row));
      if (id != rdf::kNoTerm) {
        return id;
      }
    }
    return rdf::kNoTerm;
  }
  Value scratch;
  const Cell cell = eval(node, row, scratch);
  if (!cell.value->is_defined()) {
    return rdf::kNoTerm;
  }
  return execution_.pool.intern(cell.token());
}

// --- Strict functions

namespace {

constexpr size_t kFewArguments = 4;

std::string uuid_text(base::Random& random) {
  std::array<uint64_t, 2> bits = {random.next(), random.next()};
  // RFC 9562: version 4, variant 10.
  bits[0] = (bits[0] & ~0xf000ULL) | 0x4000ULL;
  bits[1] = (bits[1] & ~(3ULL << 62U)) | (2ULL << 62U);
  static constexpr std::string_view kHex = "0123456789abcdef";
  std::string text;
  for (unsigned i = 0; i < 32; ++i) {
    if (i == 8 || i == 12 || i == 16 || i == 20) {
      text += '-';
    }
    text += kHex[(bits[i / 16] >> (60 - 4 * (i % 16))) & 15U];
  }
  return text;
}

std::optional<ValueKind> cast_target(Function function) {
  switch (function) {
    case Function::kCastBoolean:
      return ValueKind::kBoolean;
    case Function::kCastInteger:
      return ValueKind::kInteger;
    case Function::kCastDecimal:
      return ValueKind::kDecimal;
    case Function::kCastFloat:
      return ValueKind::kFloat;
    case Function::kCastDouble:
      return ValueKind::kDouble;
    case Function::kCastString:
      return ValueKind::kString;
    case Function::kCastDateTime:
      return ValueKind::kDateTime;
    case Function::kCastDate:
      return ValueKind::kDate;
    case Function::kCastTime:
      return ValueKind::kTime;
    case Function::kCastDuration:
      return ValueKind::kDuration;
    case Function::kCastDayTimeDuration:
      return ValueKind::kDayTimeDuration;
    case Function::kCastYearMonthDuration:
      return ValueKind::kYearMonthDuration;
    default:
      return std::nullopt;
  }
}

Value number_function(Function function, Arguments arguments) {
  const Value& a = *arguments[0].value;
  switch (function) {
    case Function::kAdd:
      return rdf::add(a, *arguments[1].value);
    case Function::kSubtract:
      return rdf::subtract(a, *arguments[1].value);
    case Function::kMultiply:
      return rdf::multiply(a, *arguments[1].value);
    case Function::kDivide:
      return rdf::divide(a, *arguments[1].value);
    case Function::kUnaryPlus:
      return rdf::unary_plus(a);
    case Function::kUnaryMinus:
      return rdf::negate(a);
    case Function::kAbs:
      return rdf::absolute(a);
    case Function::kRound:
      return rdf::round(a);
    case Function::kCeil:
      return rdf::ceiling(a);
    case Function::kFloor:
      return rdf::floor(a);
    default:
      return {};
  }
}

}  // namespace

Value Evaluator::apply(const Node& node, size_t row) {
  std::array<Value, kFewArguments> few;
  std::vector<Value> many;
  std::span<Value> scratch(few);
  std::array<Cell, kFewArguments> few_cells;
  std::vector<Cell> many_cells;
  std::span<Cell> cells(few_cells);
  const size_t count = node.arguments.size();
  if (count > kFewArguments) {
    many.resize(count);
    many_cells.resize(count);
    scratch = many;
    cells = many_cells;
  }
  for (size_t i = 0; i < count; ++i) {
    cells[i] = eval(node.arguments[i], row, scratch[i]);
    if (!cells[i].value->is_defined()) {
      return {};
    }
  }
  const Arguments arguments(cells.data(), count);
  const Function function = node.function;
  if (function == Function::kConcat && !concat_fits(arguments)) {
    return {};
  }
  if (function >= Function::kStrLen && function <= Function::kLangMatches) {
    return string_function(function, arguments);
  }
  if (function >= Function::kYear && function <= Function::kTz) {
    return date_function(function, *arguments[0].value);
  }
  if (function >= Function::kMd5 && function <= Function::kSha512) {
    return hash_function(function, *arguments[0].value);
  }
  if (const std::optional<ValueKind> target = cast_target(function)) {
    if (*target == ValueKind::kString && arguments[0].raw != nullptr) {
      return rdf::cast(Value::from_token(*arguments[0].raw), *target);
    }
    return rdf::cast(*arguments[0].value, *target);
  }
  switch (function) {
    case Function::kRegex:
    case Function::kReplace:
      return regex(node, arguments);
    case Function::kBnode:
      return blank_node(node, row, arguments);
    case Function::kUuid:
      return Value::from_token(rdf::make_iri("urn:uuid:" + uuid_text(execution_.random)));
    case Function::kStrUuid:
      return Value::string(uuid_text(execution_.random));
    case Function::kRand:
      return Value::double_number(static_cast<double>(execution_.random.next() >> 11U) * 0x1p-53);
    case Function::kNow:
      return Value::date_time(execution_.now_milliseconds);
    case Function::kAdd:
    case Function::kSubtract:
    case Function::kMultiply:
    case Function::kDivide:
    case Function::kUnaryPlus:
    case Function::kUnaryMinus:
    case Function::kAbs:
    case Function::kRound:
    case Function::kCeil:
    case Function::kFloor:
      return number_function(function, arguments);
    default:
      return term_function(function, arguments, execution_.base_iri);
  }
}

bool Evaluator::concat_fits(std::span<const Cell> arguments) {
  size_t bytes = 0;
  for (const Cell& argument : arguments) {
    bytes += argument.value->text().size();
    if (bytes > kExpressionBytesMax) {
      fail(Error(ErrorKind::kLimit, "result of CONCAT is too long")
               .with("expression_bytes_max", kExpressionBytesMax));
      return false;
    }
  }
  return true;
}

const Regex* Evaluator::dynamic_regex(std::string_view pattern, std::string_view flags) {
  if (regex_ != nullptr && regex_pattern_ == pattern && regex_flags_ == flags) {
    return regex_.get();
  }
  Result<std::unique_ptr<Regex>> compiled = Regex::compile(pattern, flags);
  if (!compiled.ok()) {
    if (compiled.error().kind() == ErrorKind::kUnsupported) {
      fail(std::move(compiled).error());  // never a silent "no match"
    }
    return nullptr;
  }
  regex_ = std::move(compiled).value();
  regex_pattern_ = pattern;
  regex_flags_ = flags;
  return regex_.get();
}

Value Evaluator::regex(const Node& node, std::span<const Cell> arguments) {
  const bool replaces = node.function == Function::kReplace;
  const size_t flags_at = replaces ? 3 : 2;
  const Value& text = *arguments[0].value;
  if (!is_text(text)) {
    return {};
  }
  const Regex* regex = node.regex.get();
  if (regex == nullptr) {
    const Value& pattern = *arguments[1].value;
    const bool has_flags = arguments.size() > flags_at;
    if (pattern.kind() != ValueKind::kString ||
        (has_flags && arguments[flags_at].value->kind() != ValueKind::kString)) {
      return {};
    }
    regex = dynamic_regex(pattern.text(),
                          has_flags ? arguments[flags_at].value->text() : std::string_view());
    if (regex == nullptr) {
      return {};
    }
  }
  if (!replaces) {
    return Value::boolean(regex->matches(text.text()));
  }
  const Value& replacement = *arguments[2].value;
  if (replacement.kind() != ValueKind::kString) {
    return {};
  }
  const Result<std::optional<std::string>> result =
      regex->replace(text.text(), replacement.text(), kExpressionBytesMax);
  if (!result.ok()) {
    fail(result.error());
    return {};
  }
  return *result ? text_like(text, **result) : Value();
}

Value Evaluator::blank_node(const Node& /*node*/, size_t row, std::span<const Cell> arguments) {
  if (arguments.empty()) {
    return Value::term(ValueKind::kBlankNode, execution_.labels.next());
  }
  const Value& name = *arguments[0].value;
  if (name.kind() != ValueKind::kString) {
    return {};
  }
  // The same name in one solution is the same node. The name itself may hold any character.
  std::string label =
      execution_.labels.prefix() + "s" + std::to_string(first_solution_ + row) + "_";
  static constexpr std::string_view kHex = "0123456789abcdef";
  for (const char c : name.text()) {
    label += kHex[static_cast<unsigned char>(c) >> 4U];
    label += kHex[static_cast<unsigned char>(c) & 15U];
  }
  return Value::term(ValueKind::kBlankNode, label);
}

}  // namespace weft::exec
