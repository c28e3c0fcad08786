#include <algorithm>
#include <utility>

#include "glassformer/batching/plan.hpp"
#include "glassformer/session/checks.hpp"
#include "glassformer/session/state.hpp"
#include "glassformer/verification/digest.hpp"

namespace glassformer {
namespace {

template <class Number, class Numbers>
std::vector<TensorView<Number>> views_of(const std::vector<TensorPlace>& tensors, Numbers values) {
  std::vector<TensorView<Number>> views;
  for (const TensorPlace& tensor : tensors) {
    views.push_back({tensor.name, tensor.shape,
                     values.subspan(static_cast<std::size_t>(tensor.offset), static_cast<std::size_t>(tensor.size))});
  }
  return views;
}

template <class Number>
TensorView<Number> find_tensor(const std::vector<TensorView<Number>>& tensors, std::string_view name) {
  const auto found =
      std::ranges::find_if(tensors, [&](const TensorView<Number>& tensor) { return tensor.name == name; });
  if (found == tensors.end()) {
    refuse("there is no tensor named \"" + std::string(name) + "\"; the first is \"" +
           std::string(tensors.front().name) + "\"");
  }
  return *found;
}

SessionSettings checked(const SessionSettings& settings, std::span<const SentencePair> pairs, const Ranks& ranks) {
  check_settings(settings);
  if (settings.training.shards < ranks.size()) {
    refuse("training.shards: expected at least as many as ranks, " + std::to_string(ranks.size()) + ", found " +
           std::to_string(settings.training.shards));
  }
  check_pairs(settings, pairs);
  return settings;
}

}  // namespace

void Session::require_pairs(const State& state) {
  if (state.text.size() == 0) {
    refuse("this session has no sentence pairs to train on");
  }
}

Session::Session(const SessionSettings& settings, std::span<const SentencePair> pairs, const Ranks& ranks)
    : state_(std::make_unique<State>(checked(settings, pairs, ranks), pairs, ranks)) {}
Session::~Session() = default;
Session::Session(Session&&) noexcept = default;
Session& Session::operator=(Session&&) noexcept = default;

const SessionSettings& Session::settings() const { return state_->settings; }
const Model<float>& Session::model() const { return state_->model; }

Session::Update Session::step() {
  require_pairs(*state_);
  const Trainer::Update update = state_->ensure_trainer().step();
  Update result{updates(), update.loss, update.gradient_norm, update.learning_rate, update.skipped, {}};
  for (const std::vector<Index>& batch : update.batches) {
    result.pairs.insert(result.pairs.end(), batch.begin(), batch.end());
  }
  return result;
}

void Session::run_shards() {
  require_pairs(*state_);
  state_->ensure_trainer().run_shards();
}

void Session::add_shards(std::span<float> sum) {
  if (std::ssize(sum) != state_->model.weights.size()) {
    refuse("sum: expected " + std::to_string(state_->model.weights.size()) + " numbers, found " +
           std::to_string(sum.size()));
  }
  state_->ensure_trainer().sharded_gradient().add_shards(sum);
}

std::span<std::byte> Session::shard_results() {
  return std::as_writable_bytes(state_->ensure_trainer().sharded_gradient().results());
}

Index Session::updates() const { return state_->progress().update; }

std::vector<Id> Session::translate(std::span<const Id> source) const {
  const std::vector<Id> sentence(source.begin(), source.end());
  return translate({&sentence, 1}, DecodingSettings{}).front().front().ids;
}

std::vector<std::vector<Hypothesis>> Session::translate(std::span<const std::vector<Id>> sources,
                                                        const DecodingSettings& search) const {
  check_search(search);
  const SessionSettings& settings = state_->settings;
  std::vector<std::vector<Id>> complete(sources.begin(), sources.end());
  for (std::size_t i = 0; i < complete.size(); ++i) {
    check_ids(complete[i], settings.source_vocabulary, settings.special.source.pad,
              "sources[" + std::to_string(i) + "]");
    complete[i].push_back(settings.special.source.eos);
  }
  return glassformer::translate(state_->model, search, settings.special.target, complete);
}

namespace {

/// The pairs as one padded batch, in their order.
Batch batch_of(const SessionSettings& settings, std::span<const SentencePair> pairs) {
  if (pairs.empty()) {
    refuse("pairs: expected at least one sentence pair, found none");
  }
  check_pairs(settings, pairs);
  const SessionText text(settings.special, pairs);
  return make_batch(text.view(), all_sentences(text.view()));
}

}  // namespace

TransformerMasks Session::masks(std::span<const SentencePair> pairs) const {
  const Batch batch = batch_of(state_->settings, pairs);
  return make_masks(batch.source, batch.target_input, state_->model.vocabulary.special, state_->settings.model.masks);
}

SessionTrace Session::trace(std::span<const SentencePair> pairs, const TransformerMasks& masks) const {
  SessionTrace result{batch_of(state_->settings, pairs), {}, {}};
  check_masks(masks, result.batch);
  const TracedModel traced{state_->model, state_->settings.training.label_smoothing};
  result.numbers = trace_pass(traced, result.batch, masks, &result.recording);
  return result;
}

std::vector<TensorView<float>> Session::weights() {
  return views_of<float>(state_->model.weights.tensors(), std::span<float>(state_->model.weights.values()));
}

std::vector<TensorView<const float>> Session::weights() const {
  const Arena<float>& weights = state_->model.weights;
  return views_of<const float>(weights.tensors(), std::span<const float>(weights.values()));
}

std::vector<TensorView<const float>> Session::gradients() const {
  return views_of<const float>(state_->model.weights.tensors(), state_->ensure_trainer().gradient());
}

std::vector<TensorView<const float>> Session::first_moments() const {
  return views_of<const float>(state_->model.weights.tensors(),
                               std::span<const float>(state_->ensure_trainer().optimizer().m()));
}

std::vector<TensorView<const float>> Session::second_moments() const {
  return views_of<const float>(state_->model.weights.tensors(),
                               std::span<const float>(state_->ensure_trainer().optimizer().v()));
}

TensorView<float> Session::weight(std::string_view name) { return find_tensor(weights(), name); }
TensorView<const float> Session::gradient(std::string_view name) const { return find_tensor(gradients(), name); }

std::uint64_t Session::digest() const {
  return Digest().add(std::span<const float>(std::as_const(state_->model.weights).values())).value();
}

}  // namespace glassformer
