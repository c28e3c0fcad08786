#include "glassformer/session/checks.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <span>
#include <stdexcept>

#include "glassformer/numerics/errors.hpp"
#include "glassformer/numerics/random.hpp"
#include "glassformer/schema/decoding.hpp"
#include "glassformer/schema/model.hpp"
#include "glassformer/schema/training.hpp"

namespace glassformer {
namespace {

void require(bool condition, const std::string& message) {
  if (!condition) {
    refuse(message);
  }
}

/// The same for a number. `expected` says in words what it must be.
void require(bool condition, const std::string& name, const std::string& expected, auto found) {
  require(condition, name + ": expected " + expected + ", found " + std::to_string(found));
}

void check_count(const std::string& name, Index value, Index least, Index most) {
  require(least <= value && value <= most, name, std::to_string(least) + " to " + std::to_string(most), value);
}

/// Checks each setting that for_each_setting lists.
struct SettingCheck {
  std::string section;

  void operator()(const char* name, const std::string&, Index value, Index least, Index most) const {
    check_count(section + name, value, least, most);
  }
  void operator()(const char* name, const std::string&, double value, const Range& range) const {
    require(std::isfinite(value) && range.holds(value),
            section + name + ": expected " + range.words + ", found " + shortest(value));
    const std::string problem = problem_in_single_precision(range, value);
    require(problem.empty(), section + name + ": " + problem);
  }
  /// Catches a number that was cast to an enum.
  template <class Enum, std::size_t size>
  void operator()(const char* name, const std::string&, Enum value, const std::array<const char*, size>& names) const {
    std::string expected = names.front();
    for (const char* other : std::span(names).subspan(1)) {
      expected += std::string(", ") + other;
    }
    const auto number = static_cast<int>(value);
    require(0 <= number && number < static_cast<int>(size), section + name, "one of " + expected, number);
  }
  void operator()(const char*, const std::string&, const auto&) const {}  // accepts everything
};

/// Checks whether the settings fit each other.
void check_rules(const std::string& section, const auto& settings) {
  if (const std::optional<BrokenRule> broken = broken_rule(settings)) {
    refuse(section + broken->settings.front() + ": " + broken->why);
  }
}

void check_model(TransformerSettings model) {
  for_each_setting(model, SettingCheck{"model."});
  check_rules("model.", model);
}

void check_training(TrainingSettings training) {
  for_each_setting(training, SettingCheck{"training."});
  for_each_setting(training.optimizer, SettingCheck{"training.optimizer."});
  for_each_setting(training.schedule, SettingCheck{"training.schedule."});
  check_rules("training.", training);
}

void check_special_ids(const std::string& side, const SpecialIds& ids, Index vocabulary) {
  check_count(side + "_vocabulary", vocabulary, 1, std::numeric_limits<Id>::max());
  const auto check_id = [&](const char* name, Id id, Id least) {
    require(least <= id && id < vocabulary, "special." + side + "." + name,
            "an id from 0 to " + std::to_string(vocabulary - 1) + (least < 0 ? " (or kNoToken)" : ""), id);
  };
  check_id("pad", ids.pad, kNoToken);
  check_id("bos", ids.bos, 0);
  check_id("eos", ids.eos, 0);
  check_id("unk", ids.unk, 0);
  require(ids.pad != ids.eos,
          "special." + side + ": pad and eos are both " + std::to_string(ids.eos) +
              (side == "source" ? ", but the model does not see padding, so it would not see where a sentence ends"
                                : ", but the loss ignores padding, so the model would never learn to end a sentence"));
}

/// A search never hides padding, so it would see a bos that was hidden in training.
void check_target_bos(const SpecialIds& ids) {
  require(ids.pad != ids.bos, "special.target: pad and bos are both " + std::to_string(ids.bos) +
                                  ", but training hides padding from the model, so it would never see bos; if nothing "
                                  "else can be pad, use kNoToken");
}

/// One side of a sentence pair.
void check_sentence(std::span<const Id> sentence, Index vocabulary, Id pad, const std::string& what) {
  const Index most = kMostPositions - 1;  // and eos or bos
  const Index size = std::ssize(sentence);
  require(size <= most, what + ": expected at most " + std::to_string(most) + " tokens, found " + std::to_string(size));
  check_ids(sentence, vocabulary, pad, what);
}

void check_mask(const std::string& name, const Mask& mask, Index sentences, Index queries, Index keys) {
  const auto size = [](Index b, Index q, Index k) {
    return "[" + std::to_string(b) + ", " + std::to_string(q) + ", " + std::to_string(k) + "]";
  };
  const bool fits =
      mask.fits(sentences, queries) && mask.keys() == keys && mask.blocked.rows() == mask.sentences * mask.queries;
  require(fits, name + ": expected " + size(sentences, queries, keys) + " (sentences, queries, keys; the first two " +
                    "may be 1), found " + size(mask.sentences, mask.queries, mask.keys()));
  for (Index row = 0; row < mask.blocked.rows(); ++row) {
    const bool is_binary = std::ranges::all_of(mask.blocked.row(row), [](std::uint8_t cell) { return cell <= 1; });
    require(is_binary, name + ": expected only 0 (visible) and 1 (blocked)");
  }
}

}  // namespace

void refuse(const std::string& message) { throw_or_abort(std::invalid_argument(message)); }

void check_settings(const SessionSettings& settings) {
  check_model(settings.model);
  check_training(settings.training);
  check_special_ids("source", settings.special.source, settings.source_vocabulary);
  check_special_ids("target", settings.special.target, settings.target_vocabulary);
  check_target_bos(settings.special.target);
  if (settings.model.tied_embeddings == Tying::all) {
    require(settings.source_vocabulary == settings.target_vocabulary,
            "target_vocabulary: all embeddings are tied, so expected the size of the source vocabulary, " +
                std::to_string(settings.source_vocabulary) + ", found " + std::to_string(settings.target_vocabulary));
    require(settings.special.source.pad == settings.special.target.pad,
            "special.target.pad: all embeddings are tied, so expected the source's, " +
                std::to_string(settings.special.source.pad) + ", found " + std::to_string(settings.special.target.pad));
  }
}

void check_search(DecodingSettings search) {
  for_each_setting(search, SettingCheck{"search."});
  check_count("search.n_best", search.n_best, 1, search.beam);
}

void check_ids(std::span<const Id> sentence, Index vocabulary, Id pad, const std::string& what) {
  const auto wrong = std::ranges::find_if(sentence, [&](Id id) { return id < 0 || id >= vocabulary; });
  if (wrong != sentence.end()) {
    refuse(what + ": expected ids from 0 to " + std::to_string(vocabulary - 1) + ", found " + std::to_string(*wrong) +
           " at position " + std::to_string(wrong - sentence.begin()));
  }
  const auto padding = std::ranges::find(sentence, pad);
  if (padding != sentence.end()) {
    refuse(what + ": expected no padding inside a sentence, found the padding id, " + std::to_string(pad) +
           ", at position " + std::to_string(padding - sentence.begin()));
  }
}

void check_pairs(const SessionSettings& settings, std::span<const SentencePair> pairs) {
  for (std::size_t i = 0; i < pairs.size(); ++i) {
    const std::string pair = "pairs[" + std::to_string(i) + "]";
    check_sentence(pairs[i].source, settings.source_vocabulary, settings.special.source.pad, pair + ".source");
    check_sentence(pairs[i].target, settings.target_vocabulary, settings.special.target.pad, pair + ".target");
  }
}

void check_masks(const TransformerMasks& masks, const Batch& batch) {
  const Index B = batch.size();
  const Index S = batch.source.cols();
  const Index T = batch.target_input.cols();
  check_mask("masks.encoder_padding", masks.encoder_padding, B, S, S);
  check_mask("masks.decoder_combined", masks.decoder_combined, B, T, T);
  check_mask("masks.cross_padding", masks.cross_padding, B, T, S);
}

}  // namespace glassformer
