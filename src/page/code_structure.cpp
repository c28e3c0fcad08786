#include "glassformer/page/code_structure.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

#include "glassformer/numerics/errors.hpp"

namespace glassformer {
namespace {

bool is_one_of(const CppToken& token, const auto& texts) {
  return std::any_of(std::begin(texts), std::end(texts), [&](std::string_view text) { return token.is(text); });
}

bool opens(const CppToken& token) { return is_one_of(token, std::array{"(", "[", "{"}); }
bool closes(const CppToken& token) { return is_one_of(token, std::array{")", "]", "}"}); }

bool match(const CppToken& open, const CppToken& close) {
  return (open.is("(") && close.is(")")) || (open.is("[") && close.is("]")) || (open.is("{") && close.is("}"));
}

}  // namespace

CodeStructure::CodeStructure(const std::vector<CppToken>& tokens) {
  std::copy_if(tokens.begin(), tokens.end(), std::back_inserter(code_), [](const auto& one) { return one.is_code(); });
  std::vector<std::size_t> open;
  for (std::size_t i = 0; i < code_.size(); ++i) {
    partner_.push_back(i);
    if (opens(code_[i])) {
      open.push_back(i);
    } else if (closes(code_[i])) {
      if (open.empty() || !match(code_[open.back()], code_[i])) {
        throw_or_abort(std::logic_error("line " + std::to_string(code_[i].line) + ": this bracket closes none"));
      }
      partner_[i] = open.back();
      partner_[open.back()] = i;
      open.pop_back();
    }
  }
  if (!open.empty()) {
    throw_or_abort(
        std::logic_error("line " + std::to_string(code_[open.back()].line) + ": this bracket is not closed"));
  }
}

/// The braces that are open at this token, from the outermost to the innermost.
std::vector<std::size_t> CodeStructure::braces_around(std::size_t token) const {
  std::vector<std::size_t> braces;
  for (std::size_t i = 0; i < token; ++i) {
    if (code_[i].is("{") && partner_[i] > token) {
      braces.push_back(i);
    }
  }
  return braces;
}

std::size_t CodeStructure::block_around(std::size_t token) const {
  const std::vector<std::size_t> braces = braces_around(token);
  if (braces.empty()) {
    throw_or_abort(std::logic_error("line " + std::to_string(code_[token].line) + " is not inside a block"));
  }
  return braces.back();
}

std::vector<TokenRange> CodeStructure::statements_in(std::size_t brace) const {
  std::vector<TokenRange> statements;
  for (std::size_t begin = brace + 1; begin < partner_[brace]; begin = statements.back().end) {
    statements.push_back({begin, end_of_statement(begin, partner_[brace])});
  }
  return statements;
}

/// A statement ends with a semicolon or, if it begins with a keyword such as `if`, with the brace that closes its
/// block, unless `else` or `catch` continues it.
std::size_t CodeStructure::end_of_statement(std::size_t begin, std::size_t end) const {
  const bool may_end_in_block = is_one_of(code_[begin], std::array{"if", "for", "while", "switch", "try", "{"});
  for (std::size_t i = begin; i < end; ++i) {
    // Other braces belong to an initialiser: `if (found) return Range{a, b};`
    const bool block = code_[i].is("{") && (i == begin || is_one_of(code_[i - 1], std::array{")", "else", "try"}));
    if (opens(code_[i])) {
      i = partner_[i];
    }
    if ((code_[i].is(";") || (block && may_end_in_block)) && !is(i + 1, "else") && !is(i + 1, "catch")) {
      return i + 1;
    }
  }
  return end;
}

/// What precedes a brace: "namespace a", "class A", "void A::f(int n)". A template's parameters are left out.
TokenRange CodeStructure::head_of(std::size_t brace) const {
  std::size_t begin = brace;
  while (begin > 0 && !is_one_of(code_[begin - 1], std::array{";", "{", "}"})) {
    begin = partner_[begin - 1];  // over arguments, at once
  }
  if (is(begin, "template")) {
    int depth = 0;
    do {
      ++begin;
      depth += is(begin, "<") ? 1 : is(begin, ">") ? -1 : 0;
    } while (begin < brace && depth > 0);
    ++begin;
  }
  return {begin, brace};
}

/// `Linear`, if the last token of `Linear<Scalar>` or of `Linear` is given.
std::size_t CodeStructure::before_template_arguments(std::size_t last) const {
  int depth = 0;
  for (; last > 0; --last) {
    depth += is(last, ">") ? 1 : is(last, "<") ? -1 : 0;
    if (depth == 0 && !is(last, "<")) {
      break;
    }
  }
  return last;
}

/// "Linear::forward", if the last token of `Linear<Scalar>::forward` is given.
std::string CodeStructure::qualified_name(std::size_t last) const {
  std::string name(code_[last].text);
  while (last >= 2 && is(last - 1, "::")) {
    last = before_template_arguments(last - 2);
    name.insert(0, std::string(code_[last].text) + "::");
  }
  return name;
}

CodeStructure::Function CodeStructure::function_around(std::size_t token) const {
  std::string scope;
  for (const std::size_t brace : braces_around(token)) {
    const TokenRange head = head_of(brace);
    if (is(head.begin, "namespace")) {
      continue;
    }
    if (is(head.begin, "class") || is(head.begin, "struct")) {
      scope += std::string(code_[head.begin + 1].text) + "::";
      continue;
    }
    for (std::size_t i = head.begin; i < head.end; ++i) {
      if (is(i + 1, "(") && code_[i].kind == TokenKind::identifier) {
        return {scope + qualified_name(i), brace};
      }
    }
  }
  throw_or_abort(std::logic_error("line " + std::to_string(code_[token].line) + " is not inside a function"));
}

}  // namespace glassformer
