#include "glassformer/text/unknown_tokens.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <utility>
#include <vector>

#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/utf8.hpp"

namespace glassformer {
namespace {

/// Whether most of the unknown parts are known after a change.
bool are_mostly_known(const UnknownTokens& unknown, const Tokenizer& tokenizer,
                      std::string (*change)(std::string_view)) {
  Index known = 0;
  Index all = 0;
  for (const auto& [part, count] : unknown.parts) {
    all += count;
    const std::string changed = change(part);
    if (changed != part && tokenizer.unknown(changed).empty()) {
      known += count;
    }
  }
  return known > 0 && 2 * known >= all;
}

}  // namespace

void UnknownTokens::add(const Tokenizer& tokenizer, std::string_view line, std::span<const Id> ids) {
  constexpr std::size_t kMostParts = 100'000;
  tokens += std::ssize(ids);
  const auto found = static_cast<Index>(std::ranges::count(ids, tokenizer.special().unk));
  unknown += found;
  if (found == 0) {
    return;
  }
  for (std::string& part : tokenizer.unknown(line)) {
    if (parts.size() < kMostParts || parts.contains(part)) {
      ++parts[std::move(part)];
    }
  }
}

std::string UnknownTokens::examples() const {
  constexpr std::size_t kShown = 5;
  constexpr std::size_t kLongest = 40;  // bytes of a part
  std::vector<std::pair<Index, std::string_view>> most;
  for (const auto& [part, count] : parts) {
    most.emplace_back(-count, part);
  }
  const std::size_t shown = std::min(kShown, most.size());
  std::ranges::partial_sort(most, most.begin() + static_cast<std::ptrdiff_t>(shown));
  std::string list;
  for (const auto& [count, part] : std::span(most).first(shown)) {
    list += fmt::format("{}{} ({})", list.empty() ? "" : ", ", brief(std::string(part), kLongest), -count);
  }
  return list;
}

std::string UnknownTokens::text(const std::string& what) const {
  const std::string list = examples();
  return fmt::format("{} of {} {} ({:.2f}%){}{}", unknown, tokens, what, 100 * share(),
                     list.empty() ? "" : ", most often ", list);
}

std::string UnknownTokens::advice_on_form(const Tokenizer& tokenizer) const {
  if (are_mostly_known(*this, tokenizer, lower_case)) {
    return "most are known in lower case: convert this text to lower case";
  }
  if (are_mostly_known(*this, tokenizer, composed)) {
    return "most are known in Unicode's composed form (NFC): convert this text to it, for example with uconv -x nfc";
  }
  if (are_mostly_known(*this, tokenizer, decomposed)) {
    return "most are known in Unicode's decomposed form (NFD): convert this text to it, for example with uconv -x "
           "nfd";
  }
  return "";
}

std::string UnknownTokens::advice(const Tokenizer& tokenizer) const {
  const std::string form = advice_on_form(tokenizer);
  return form.empty() ? "prepare the text like the training text (case, punctuation, splitting into words)" : form;
}

std::string UnknownTokens::remark(const Tokenizer& tokenizer, const std::string& what,
                                  const std::string& effect) const {
  const std::string found = "the model does not know " + text(what);
  return are_many() ? fmt::format("{}, so {}; {}", found, effect, advice(tokenizer)) : found;
}

}  // namespace glassformer
