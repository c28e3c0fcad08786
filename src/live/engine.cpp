#include "glassformer/live/engine.hpp"

#include <algorithm>
#include <bit>
#include <nlohmann/json.hpp>
#include <utility>

#include "glassformer/batching/plan.hpp"
#include "glassformer/live/heads_off.hpp"
#include "glassformer/live/live_text.hpp"
#include "glassformer/live/mask_cells.hpp"
#include "glassformer/live/message_ranks.hpp"
#include "glassformer/live/search_tree.hpp"
#include "glassformer/numerics/gemm.hpp"
#include "glassformer/page/trace_json.hpp"
#include "glassformer/session/checks.hpp"

namespace glassformer {
namespace {

using Json = Engine::Json;
using Lines = Engine::Lines;

Json address(std::span<const float> numbers) { return std::bit_cast<std::uintptr_t>(numbers.data()); }

}  // namespace

struct Engine::State {
  LiveSettings settings;
  LiveText text;
  std::unique_ptr<MessageRanks> ranks;  // the session refers to it
  Session session;
  Explanation explanation;                                // of the last trace
  std::vector<float> weights_before, m_before, v_before;  // the last update
  Session::Update update;
  std::vector<std::string> heads_off;

  ExplainedModel explained() const {
    return {{session.model(), settings.training.label_smoothing}, text.vocabularies()};
  }
};

namespace {

void copy_all(const std::vector<TensorView<const float>>& tensors, std::vector<float>& to) {
  to.clear();
  for (const TensorView<const float>& tensor : tensors) {
    to.insert(to.end(), tensor.values.begin(), tensor.values.end());
  }
}

DecodingSettings search_settings(const LiveSettings& settings, std::string_view lines) {
  DecodingSettings search = read_settings(lines, settings).decoding;
  search.n_best = search.beam;
  check_search(search);  // before a HeadsOff exists
  return search;
}

}  // namespace

Engine::Engine() = default;
Engine::~Engine() = default;

Engine::State& Engine::state() const {
  if (!state_) {
    refuse("there is no model yet");
  }
  return *state_;
}

Json Engine::about() { return {{"version", GLASSFORMER_VERSION}, {"instructions", instructions()}}; }

Json Engine::settings() { return settings_json({}); }

Json Engine::create(std::string_view settings_lines, Lines source, Lines target, int rank, int ranks) {
  if (ranks < 1 || rank < 0 || rank >= ranks) {
    refuse("rank: expected one of " + std::to_string(ranks) + ", from 0, found " + std::to_string(rank));
  }
  const LiveSettings settings = read_settings(settings_lines, {});
  LiveText text = read_text(settings, source, target);
  const SessionSettings of_session = session_settings(settings, text);
  auto message_ranks = std::make_unique<MessageRanks>(rank, ranks);
  Session session(of_session, text.pairs, *message_ranks);

  Json tensors = Json::array();
  for (const TensorPlace& place : session.model().weights.tensors()) {
    tensors.push_back({{"name", place.name}, {"shape", place.shape}});
  }
  const SessionText ids(of_session.special, text.pairs);
  const auto batches = plan_epoch(ids.view(), settings.training.max_tokens, settings.training.seed, 0);
  Json created{{"parameters", session.model().weights.size()},
               {"tensors", std::move(tensors)},
               {"vocabulary", {{"source", text.source->words()}, {"target", text.target->words()}}},
               {"pairs", text.pairs.size()},
               {"batches", batches.size()},
               {"settings", settings_json(settings)},
               {"remarks", text.remarks}};
  // NOLINTNEXTLINE(modernize-make-unique): before Clang 16, make_unique cannot make an aggregate
  state_.reset(
      new State{settings, std::move(text), std::move(message_ranks), std::move(session), {}, {}, {}, {}, {}, {}});
  return created;
}

Json Engine::tokens(bool source, std::string_view sentence) const {
  const VocabularyPair vocabularies = state().text.vocabularies();
  const Vocabulary& vocabulary = source ? *vocabularies.source : *vocabularies.target;
  const std::vector<Id> ids = vocabulary.encode(sentence);
  Json tokens = Json::array();
  for (const Id id : ids) {
    tokens.push_back(vocabulary.piece(id));
  }
  return {{"ids", ids}, {"tokens", tokens}, {"unknown", vocabulary.unknown(sentence)}};
}

void Engine::run_shards() { state().session.run_shards(); }

void Engine::add_shards(std::span<float> sum) { state().session.add_shards(sum); }

std::span<std::byte> Engine::shard_results() { return state().session.shard_results(); }

void Engine::receive(std::span<const float> sum, std::span<const std::byte> results) {
  State& s = state();
  if (std::ssize(sum) != s.session.model().weights.size() || results.size() != s.session.shard_results().size()) {
    refuse("ranks: a message from another worker has the wrong size");
  }
  s.ranks->sum.assign(sum.begin(), sum.end());
  s.ranks->results.assign(results.begin(), results.end());
}

Json Engine::step() {
  State& s = state();
  if (s.ranks->size() > 1 && s.ranks->sum.empty()) {
    refuse("step: expected receive() before, with the sum of all workers");
  }
  copy_all(std::as_const(s.session).weights(), s.weights_before);
  copy_all(s.session.first_moments(), s.m_before);
  copy_all(s.session.second_moments(), s.v_before);
  s.update = s.session.step();
  s.ranks->sum.clear();
  return {{"number", s.update.number},
          {"loss", s.update.loss.mean()},
          {"tokens", s.update.loss.tokens},
          {"gradient_norm", s.update.gradient_norm},
          {"learning_rate", s.update.learning_rate},
          {"skipped", s.update.skipped},
          {"pairs", s.update.pairs}};
}

Json Engine::trace(Lines sources, Lines targets, std::span<const std::uint8_t> masks) {
  State& s = state();
  if (sources.empty() || sources.size() != targets.size()) {
    refuse("trace: expected a target for each source, found " + std::to_string(sources.size()) + " sources and " +
           std::to_string(targets.size()) + " targets");
  }
  std::vector<ExplainedPair> pairs;
  for (std::size_t i = 0; i < sources.size(); ++i) {
    pairs.push_back({sources[i], targets[i], false});
  }
  const ExplainedModel explained = s.explained();
  TransformerMasks given;
  if (!masks.empty()) {
    const SessionText ids = ids_of(explained.tokenizers, pairs);
    const Batch batch = make_batch(ids.view(), all_sentences(ids.view()));
    given = masks_of_cells(masks, batch);
  }
  const bool has_masks = given.cross_padding.blocked.size() > 0;
  const HeadsOff off(s.session, s.heads_off);
  s.explanation = explain_masks(explained, std::move(pairs), has_masks ? &given : nullptr);
  return trace_json(explained, s.explanation, {"live", std::nullopt, MatrixForm::address});
}

Json Engine::translate(Lines sources, std::string_view search) const {
  State& s = state();
  const DecodingSettings settings = search_settings(s.settings, search);
  std::vector<std::vector<Id>> ids;
  for (const std::string& source : sources) {
    ids.push_back(s.text.source->encode(source));
  }
  const HeadsOff off(s.session, s.heads_off);
  Json list = Json::array();
  for (const std::vector<Hypothesis>& found : s.session.translate(ids, settings)) {
    list.push_back(hypotheses_json(found, *s.text.target));
  }
  return list;
}

Json Engine::search_tree(const std::string& source, std::string_view search) const {
  State& s = state();
  std::vector<Id> ids = s.text.source->encode(source);
  ids.push_back(s.text.source->special().eos);
  const DecodingSettings settings = search_settings(s.settings, search);
  const HeadsOff off(s.session, s.heads_off);
  return glassformer::search_tree(s.session.model(), settings, *s.text.target, ids);
}

Json Engine::update_numbers(std::string_view tensor) const {
  State& s = state();
  const std::vector<TensorPlace>& places = s.session.model().weights.tensors();
  const auto place = std::ranges::find(places, tensor, &TensorPlace::name);
  if (place == places.end()) {
    refuse("there is no tensor named \"" + std::string(tensor) + "\"");
  }
  if (s.weights_before.empty()) {
    refuse("there has been no update yet");
  }
  const auto i = static_cast<std::size_t>(place - places.begin());
  const auto before = [&](const std::vector<float>& all) {
    return address(
        std::span(all).subspan(static_cast<std::size_t>(place->offset), static_cast<std::size_t>(place->size)));
  };
  const double clip = s.settings.training.optimizer.clip_norm;
  const bool clipped = clip > 0 && s.update.gradient_norm > clip;
  return {{"name", place->name},
          {"shape", place->shape},
          {"number", s.update.number},
          {"gradient_norm", s.update.gradient_norm},
          {"clip_scale", clipped ? clip / s.update.gradient_norm : 1},
          {"learning_rate", s.update.learning_rate},
          {"weights_before", before(s.weights_before)},
          {"m_before", before(s.m_before)},
          {"v_before", before(s.v_before)},
          {"gradient", address(s.session.gradients()[i].values)},
          {"m", address(s.session.first_moments()[i].values)},
          {"v", address(s.session.second_moments()[i].values)},
          {"weights", address(std::as_const(s.session).weights()[i].values)}};
}

void Engine::turn_off_heads(Lines heads) {
  State& s = state();
  check_heads(s.settings.model, heads);
  s.heads_off.assign(heads.begin(), heads.end());
}

Json Engine::weights() const {
  Json list = Json::array();
  for (const TensorView<const float>& tensor : std::as_const(state().session).weights()) {
    list.push_back({{"name", tensor.name},
                    {"shape", std::vector<Index>(tensor.shape.begin(), tensor.shape.end())},
                    {"values", address(tensor.values)}});
  }
  return list;
}

std::vector<std::byte> Engine::snapshot() const { return state().session.snapshot(); }

void Engine::restore(std::span<const std::byte> snapshot) {
  State& s = state();
  s.session.restore(snapshot);
  s.weights_before.clear();  // update_numbers() has nothing to show: a snapshot has no gradient
}

std::uint64_t Engine::digest() const { return state().session.digest(); }

}  // namespace glassformer
