#include <algorithm>
#include <cmath>
#include <cstring>
#include <functional>
#include <limits>
#include <stdexcept>
#include <utility>

#include "catch.hpp"
#include "glassformer/glassformer.hpp"
#include "glassformer/model/model.hpp"
#include "glassformer/verification/digest.hpp"
#include "heap_count.hpp"
#include "session/small_session.hpp"

using namespace glassformer;
using session_test::small_session;

namespace {

SessionSettings small_settings() {
  SessionSettings settings = small_session();
  settings.model.decoder_layers = 2;
  settings.training.max_tokens = 40;
  settings.training.shards = 3;
  settings.training.schedule = {.kind = ScheduleSettings::Kind::constant, .learning_rate = 3e-3, .warmup = 2};
  return settings;
}

/// Fifty pairs: the target is the source in reverse, with lower ids.
std::vector<SentencePair> reversed_pairs() {
  std::vector<SentencePair> pairs;
  for (int i = 0; i < 50; ++i) {
    SentencePair pair;
    for (int t = 0; t < 2 + i % 5; ++t) {
      pair.source.push_back(static_cast<Id>(4 + (i * 3 + t * t) % 8));
    }
    pair.target.assign(pair.source.rbegin(), pair.source.rend());
    for (Id& id : pair.target) {
      id = std::max<Id>(4, id - 1);
    }
    pairs.push_back(pair);
  }
  return pairs;
}

Session trained(int updates) {
  Session session(small_settings(), reversed_pairs());
  for (int i = 0; i < updates; ++i) {
    session.step();
  }
  return session;
}

bool is_zero(const std::vector<TensorView<const float>>& tensors) {
  return std::ranges::all_of(tensors, [](const TensorView<const float>& tensor) {
    return std::ranges::all_of(tensor.values, [](float value) { return value == 0; });
  });
}

/// The snapshot with the digest that its bytes should have.
std::vector<std::byte> sealed(std::vector<std::byte> snapshot) {
  const std::size_t size = snapshot.size() - sizeof(std::uint64_t);
  const std::uint64_t digest = Digest().add(std::span<const std::byte>(snapshot).first(size)).value();
  std::memcpy(snapshot.data() + size, &digest, sizeof digest);
  return snapshot;
}

/// The snapshot with another number in its header.
std::vector<std::byte> forged(std::vector<std::byte> snapshot, std::size_t field, std::int64_t value) {
  std::memcpy(snapshot.data() + field * sizeof value, &value, sizeof value);
  return sealed(std::move(snapshot));
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

/// The message of the std::invalid_argument that `action` throws; "" if it throws none.
std::string refusal(const std::function<void()>& action) {
  try {
    action();
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "";
}

/// What the constructor says about small_settings() after `change`.
std::string refusal_of(const std::function<void(SessionSettings&)>& change) {
  SessionSettings settings = small_settings();
  change(settings);
  return refusal([&] { Session(settings, reversed_pairs()); });
}

}  // namespace

TEST_CASE("A session trains as the trainer does, and equal sessions have equal digests", "[session]") {
  Session session(small_settings(), reversed_pairs());
  CHECK(session.updates() == 0);
  const std::uint64_t before = session.digest();
  CHECK(Session(small_settings(), {}).digest() == before);  // the text does not matter for the initial weights
  double first = 0;
  double last = 0;
  for (int i = 1; i <= 60; ++i) {
    const Session::Update update = session.step();
    CHECK(update.number == i);
    CHECK(session.updates() == i);
    CHECK_FALSE(update.skipped);
    CHECK_FALSE(update.pairs.empty());
    CHECK(update.gradient_norm > 0);
    CHECK(update.learning_rate == Approx(i == 1 ? 0.5 * (3e-3 + 1e-7) : 3e-3));
    (i == 1 ? first : last) = update.loss.mean();
  }
  CHECK(last < 0.8 * first);
  CHECK(session.digest() != before);
  CHECK(trained(60).digest() == session.digest());
}

TEST_CASE("An epoch of a session uses every pair once", "[session]") {
  Session session(small_settings(), reversed_pairs());
  std::vector<Index> used;
  while (used.size() < 50) {
    const Session::Update update = session.step();
    used.insert(used.end(), update.pairs.begin(), update.pairs.end());
  }
  std::ranges::sort(used);
  REQUIRE(used.size() == 50);
  for (Index i = 0; i < 50; ++i) {
    CHECK(used[static_cast<std::size_t>(i)] == i);
  }
}

TEST_CASE("A session continues from a snapshot as if it had never stopped", "[session]") {
  Session whole = trained(7);
  const std::vector<std::byte> snapshot = whole.snapshot();
  Session other = trained(2);
  other.restore(snapshot);
  CHECK(other.updates() == 7);
  CHECK(other.digest() == whole.digest());
  CHECK(other.snapshot() == snapshot);
  for (int i = 0; i < 5; ++i) {
    CHECK(whole.step().pairs == other.step().pairs);
  }
  CHECK(other.digest() == whole.digest());

  Session without_text(small_settings(), {});
  without_text.restore(snapshot);
  CHECK(without_text.updates() == 0);
  CHECK(without_text.digest() == trained(7).digest());
}

TEST_CASE("A session refuses a snapshot that is not its own, and stays as it was", "[session]") {
  Session session = trained(3);
  const std::uint64_t before = session.digest();
  const std::vector<std::byte> snapshot = trained(4).snapshot();
  const auto refusal_to_restore = [&](std::vector<std::byte> bytes) {
    return refusal([&] { session.restore(bytes); });
  };
  CHECK(contains(refusal_to_restore({}), "expected the bytes of a snapshot"));
  CHECK(contains(refusal_to_restore(std::vector<std::byte>(1000)), "expected the bytes of a snapshot"));
  for (const std::size_t at : {snapshot.size() / 2, snapshot.size() - 1, std::size_t{30}}) {
    std::vector<std::byte> damaged = snapshot;
    damaged[at] ^= std::byte{1};
    CHECK(contains(refusal_to_restore(damaged), "damaged"));
  }
  std::vector<std::byte> cut = snapshot;
  cut.pop_back();
  CHECK(contains(refusal_to_restore(cut), "damaged or incomplete"));

  SessionSettings other = small_settings();
  other.training.optimizer.beta2 = 0.99;
  CHECK(contains(refusal_to_restore(Session(other, reversed_pairs()).snapshot()), "other settings"));
  other = small_settings();
  other.model.d_ff = 25;
  CHECK(contains(refusal_to_restore(Session(other, reversed_pairs()).snapshot()), "other settings"));
  std::vector<SentencePair> pairs = reversed_pairs();
  pairs[20].target.push_back(5);
  CHECK(contains(refusal_to_restore(Session(small_settings(), pairs).snapshot()), "other sentence pairs"));
  CHECK(session.digest() == before);
  CHECK(session.updates() == 3);
}

TEST_CASE("A session refuses a forged snapshot, whose digest is right, and stays as it was", "[session]") {
  Session session = trained(3);
  const std::vector<std::byte> before = session.snapshot();
  const std::vector<std::byte> snapshot = trained(4).snapshot();
  const auto refusal_to_restore = [&](const std::vector<std::byte>& bytes) {
    return refusal([&] { session.restore(bytes); });
  };
  const std::string size_of_weights = std::to_string(Session(small_settings(), {}).snapshot().size());
  for (const std::size_t size : {std::size_t{80}, std::size_t{108}, snapshot.size() - 4, snapshot.size() + 4}) {
    std::vector<std::byte> other = snapshot;
    other.resize(size);
    const std::string expected =
        "snapshot: expected " + std::to_string(snapshot.size()) + " bytes, found " + std::to_string(size);
    CHECK(refusal_to_restore(sealed(other)) == expected);
    CHECK(session.snapshot() == before);
    CHECK(refusal([&] { Session(small_settings(), {}).restore(sealed(other)); }) == expected);
  }
  constexpr std::int64_t kMostUpdates = std::numeric_limits<std::uint32_t>::max();
  const std::string wrong_size =  // for a snapshot of weights alone
      "expected " + size_of_weights + " bytes, found " + std::to_string(snapshot.size());
  const std::string impossible = "its progress is impossible";
  const std::string other_settings = "it belongs to a session with other settings";
  enum Field { text = 2, update, epoch, batch, skipped, skipped_in_row, parameters };
  struct Forgery {
    Field field;
    std::int64_t value;
    std::string message;
  };
  for (const auto& [field, value, message] : std::vector<Forgery>{
           {text, 0, impossible},
           {update, -1, wrong_size},
           {update, 0, wrong_size},
           {update, kMostUpdates, impossible},
           {update, std::numeric_limits<std::int64_t>::max(), impossible},
           {epoch, -1, impossible},
           {epoch, 5, impossible},
           {batch, -1, impossible},
           {batch, 1000, impossible + ": its epoch has no batch 1000"},
           {skipped, -1, impossible},
           {skipped, 5, impossible},
           {skipped_in_row, -1, impossible},
           {skipped_in_row, 1, impossible},
           {parameters, -1, other_settings},
           {parameters, 0, other_settings},
       }) {
    CAPTURE(field, value);
    CHECK(refusal_to_restore(forged(snapshot, field, value)) == "snapshot: " + message);
    CHECK(session.snapshot() == before);
  }
  CHECK(session.step().pairs == trained(3).step().pairs);
  session.restore(forged(snapshot, skipped, 4));  // four updates, all skipped
  CHECK(session.updates() == 4);
  session.restore(forged(snapshot, update, kMostUpdates - 1));
  CHECK(session.step().number == kMostUpdates);
}

TEST_CASE("From a snapshot without training state, a session begins training anew", "[session]") {
  Session without_text(small_settings(), {});
  without_text.restore(trained(7).snapshot());
  const std::vector<std::byte> weights_only = without_text.snapshot();

  Session expected(small_settings(), reversed_pairs());
  for (const TensorView<float>& tensor : expected.weights()) {
    std::ranges::copy(without_text.weight(tensor.name).values, tensor.values.begin());
  }
  for (int i = 0; i < 3; ++i) {
    expected.step();
  }
  for (const int updates : {0, 2}) {
    Session session = trained(updates);
    session.restore(weights_only);
    CHECK(session.updates() == 0);
    CHECK(session.digest() == without_text.digest());
    for (int i = 0; i < 3; ++i) {
      session.step();
    }
    CHECK(session.digest() == expected.digest());
    CHECK(session.snapshot() == expected.snapshot());
  }
}

TEST_CASE("restore() clears the gradient, but its views stay valid", "[session]") {
  Session session = trained(2);
  const TensorView<const float> view = session.gradient("model.decoder.layers.1.fc1.weight");
  CHECK_FALSE(is_zero({view}));
  session.restore(trained(3).snapshot());
  CHECK(is_zero(session.gradients()));
  session.step();
  CHECK_FALSE(is_zero({view}));
  session.restore(Session(small_settings(), {}).snapshot());
  CHECK(is_zero(session.gradients()));
  session.step();
  CHECK_FALSE(is_zero({view}));
}

TEST_CASE("Until a session trains, it needs memory only for its weights", "[session]") {
  if (heap_bytes() < 0) {
    WARN("SKIPPED: heap memory is not counted on this system or under this sanitizer");
    return;
  }
  SessionSettings settings = small_settings();
  settings.model.d_model = 128;
  settings.model.d_ff = 1024;
  const std::vector<std::byte> snapshot = Session(settings, {}).snapshot();
  const std::int64_t bytes_of_model = [&] {
    const std::int64_t before = heap_bytes();
    const Model<float> model(settings.model,
                             {settings.source_vocabulary, settings.target_vocabulary, settings.special});
    return heap_bytes() - before;
  }();
  for (const bool has_text : {false, true}) {
    const std::int64_t before = heap_bytes();
    Session session(settings, has_text ? reversed_pairs() : std::vector<SentencePair>());
    std::int64_t weights = 0;
    for (const TensorView<float>& tensor : session.weights()) {
      weights += std::ssize(tensor.values) * 4;
    }
    session.restore(snapshot);
    CHECK(heap_bytes() - before < bytes_of_model + weights / 2);  // not another vector, such as m, v or a gradient
    if (has_text) {
      session.step();
      CHECK(heap_bytes() - before > 5 * weights);  // the optimizer's m and v, and the gradients of three shards
    }
  }
}

TEST_CASE("A session's translations are those of the search", "[session]") {
  const Session session = trained(150);
  const std::vector<Id> source = {4, 7, 9};
  const std::vector<Id> greedy = session.translate(source);
  const auto hypotheses = session.translate({&source, 1}, {.beam = 3, .n_best = 2});
  REQUIRE(hypotheses.size() == 1);
  REQUIRE(hypotheses[0].size() == 2);
  CHECK(hypotheses[0][0].score >= hypotheses[0][1].score);
  CHECK(session.translate({&source, 1}, {}).front().front().ids == greedy);
}

TEST_CASE("A trace shows the numbers under masks that the caller has changed", "[session]") {
  const Session session = trained(20);
  const std::vector<SentencePair> pairs = {{{4, 5, 6, 7}, {6, 5}}, {{8, 9}, {8, 7, 4}}};
  TransformerMasks masks = session.masks(pairs);
  CHECK(masks.encoder_padding.is_blocked(1, 0, 3));
  CHECK(masks.decoder_combined.is_blocked(0, 0, 1));

  const SessionTrace own = session.trace(pairs, masks);
  CHECK(own.batch.source.rows() == 2);
  CHECK(own.numbers.loss.tokens == 7);  // with eos
  CHECK_FALSE(own.recording.steps().empty());
  CHECK(own.numbers.attention.front().weights(0, 1) > 0);

  Mask& encoder = masks.encoder_padding;
  encoder.blocked(encoder.row(0, 0), 1) = 1;
  const SessionTrace changed = session.trace(pairs, masks);
  CHECK(changed.numbers.attention.front().weights(0, 1) == 0);
  CHECK(changed.numbers.loss.loss != own.numbers.loss.loss);
  CHECK(changed.numbers.answers[1][0].probability == Approx(own.numbers.answers[1][0].probability).epsilon(1e-6));
}

TEST_CASE("A padding mask can be expanded, so that a cell belongs to a single query", "[session]") {
  const Session session = trained(1);
  const std::vector<SentencePair> pairs = {{{4, 5, 6, 7}, {6, 5}}, {{8, 9}, {8, 7, 4}}};
  constexpr Index B = 2;
  constexpr Index T = 4;  // with bos
  constexpr Index S = 5;  // with eos
  TransformerMasks masks = session.masks(pairs);
  const SessionTrace own = session.trace(pairs, masks);

  Mask& cross = masks.cross_padding;
  cross = combined_mask(cross, all_visible(B, T, S));
  cross.blocked(cross.row(0, 1), 2) = 1;
  const SessionTrace changed = session.trace(pairs, masks);
  // The first layer's cross-attention, of the first head of the first sentence.
  const auto is_cross = [](const AttentionWeights& found) { return found.kind == AttentionKind::cross; };
  const auto& attention = std::ranges::find_if(changed.numbers.attention, is_cross)->weights;
  const auto& before = std::ranges::find_if(own.numbers.attention, is_cross)->weights;
  CHECK(attention(1, 2) == 0);
  CHECK(before(1, 2) > 0);
  CHECK(attention(0, 2) == before(0, 2));
  CHECK(attention(2, 2) > 0);
}

TEST_CASE("A session refuses masks that do not fit", "[session]") {
  const Session session = trained(1);
  const std::vector<SentencePair> pairs = {{{4, 5, 6, 7}, {6, 5}}, {{8, 9}, {8, 7, 4}}};
  const auto refusal_of_masks = [&](const std::function<void(TransformerMasks&)>& change) {
    TransformerMasks masks = session.masks(pairs);
    change(masks);
    return refusal([&] { session.trace(pairs, masks); });
  };
  CHECK(contains(refusal_of_masks([](auto& masks) { masks.cross_padding = Mask(); }), "masks.cross_padding"));
  CHECK(contains(refusal_of_masks([](auto& masks) { masks.cross_padding = Mask(); }), "[2, 4, 5]"));
  CHECK(contains(refusal_of_masks([](auto& masks) { masks.cross_padding = Mask(); }), "found [1, 1, 0]"));
  CHECK(
      contains(refusal_of_masks([](auto& masks) { masks.decoder_combined.sentences = 3; }), "masks.decoder_combined"));
  CHECK(contains(refusal_of_masks([](auto& masks) { masks.encoder_padding.blocked(0, 0) = 2; }),
                 "masks.encoder_padding"));
  CHECK(contains(refusal_of_masks([](auto& masks) { masks.encoder_padding.blocked(0, 0) = 2; }),
                 "only 0 (visible) and 1 (blocked)"));
  CHECK(contains(refusal([&] { session.masks({}); }), "at least one sentence pair"));
  const std::vector<SentencePair> wrong = {{{4}, {11}}};
  CHECK(contains(refusal([&] { session.masks(wrong); }), "pairs[0].target"));
  CHECK(contains(refusal([&] { session.masks(wrong); }), "found 11"));
}

TEST_CASE("Weights and gradients are views of the session, by name", "[session]") {
  Session session = trained(0);
  const std::string name = "model.decoder.layers.1.fc1.weight";
  TensorView<float> weight = session.weight(name);
  CHECK(weight.name == name);
  CHECK(std::vector<Index>(weight.shape.begin(), weight.shape.end()) == std::vector<Index>{24, 16});
  CHECK(weight.values.size() == 24 * 16);
  CHECK(is_zero({session.gradient(name)}));

  const std::uint64_t before = session.digest();
  const float old = weight.values[5];
  weight.values[5] = old + 1;
  CHECK(session.digest() != before);
  weight.values[5] = old;
  CHECK(session.digest() == before);

  const Session::Update update = session.step();
  CHECK(weight.values[5] != old);  // a view, not a copy
  double squares = 0;
  for (const TensorView<const float>& tensor : session.gradients()) {
    for (const float g : tensor.values) {
      squares += double{g} * double{g};
    }
  }
  CHECK(std::sqrt(squares) == Approx(update.gradient_norm));
  CHECK(session.gradients().size() == session.weights().size());
  CHECK(contains(refusal([&] { session.weight("fc1"); }), "no tensor named \"fc1\""));
}

TEST_CASE("A session checks every setting, in every build", "[session]") {
  using Settings = SessionSettings;
  CHECK(refusal_of([](Settings&) {}).empty());
  const std::vector<std::pair<std::string, std::function<void(Settings&)>>> wrong = {
      {"model.heads: heads must divide d_model, but 5 does not divide 64",
       [](Settings& s) {
         s.model.d_model = 64;
         s.model.heads = 5;
       }},
      {"model.heads", [](Settings& s) { s.model.heads = 0; }},
      {"model.heads: expected 1 to 4096, found 4098", [](Settings& s) { s.model.heads = 4098; }},
      {"model.d_model: expected an even number", [](Settings& s) { s.model.d_model = s.model.heads = 7; }},
      {"model.d_model", [](Settings& s) { s.model.d_model = 0; }},
      {"model.encoder_layers", [](Settings& s) { s.model.encoder_layers = 0; }},
      {"model.decoder_layers", [](Settings& s) { s.model.decoder_layers = -1; }},
      {"model.d_ff", [](Settings& s) { s.model.d_ff = 0; }},
      {"model.norm: expected one of post, pre, found 2", [](Settings& s) { s.model.norm = static_cast<Norm>(2); }},
      {"model.activation", [](Settings& s) { s.model.activation = static_cast<Activation>(kActivationNames.size()); }},
      {"model.tied_embeddings", [](Settings& s) { s.model.tied_embeddings = static_cast<Tying>(-1); }},
      {"model.dropout", [](Settings& s) { s.model.dropout = 1; }},
      {"model.dropout", [](Settings& s) { s.model.dropout = 0.99999999; }},
      {"model.embedding_dropout", [](Settings& s) { s.model.embedding_dropout = -0.1; }},
      {"model.attention_dropout", [](Settings& s) { s.model.attention_dropout = std::nan(""); }},
      {"model.activation_dropout", [](Settings& s) { s.model.activation_dropout = 2; }},
      {"model.initial_gain", [](Settings& s) { s.model.initial_gain = 0; }},
      {"training.max_tokens", [](Settings& s) { s.training.max_tokens = 0; }},
      {"training.accumulation", [](Settings& s) { s.training.accumulation = 0; }},
      {"training.shards", [](Settings& s) { s.training.shards = 0; }},
      {"training.micro_batch_tokens", [](Settings& s) { s.training.micro_batch_tokens = 0; }},
      {"training.label_smoothing", [](Settings& s) { s.training.label_smoothing = 1; }},
      {"training.max_updates", [](Settings& s) { s.training.max_updates = -1; }},
      {"training.optimizer.kind",
       [](Settings& s) {
         s.training.optimizer.kind = static_cast<OptimizerSettings::Kind>(OptimizerSettings::kNames.size());
       }},
      {"training.optimizer.beta1", [](Settings& s) { s.training.optimizer.beta1 = 1; }},
      {"training.optimizer.beta2", [](Settings& s) { s.training.optimizer.beta2 = -1; }},
      {"training.optimizer.epsilon", [](Settings& s) { s.training.optimizer.epsilon = 1e-60; }},
      {"training.optimizer.momentum", [](Settings& s) { s.training.optimizer.momentum = 1; }},
      {"training.optimizer.weight_decay", [](Settings& s) { s.training.optimizer.weight_decay = -1; }},
      {"training.optimizer.weight_decay: expected a number of at least 0, found 1e-60; in single precision, that is 0",
       [](Settings& s) { s.training.optimizer.weight_decay = 1e-60; }},
      {"training.optimizer.clip_norm", [](Settings& s) { s.training.optimizer.clip_norm = std::nan(""); }},
      {"training.schedule.kind",
       [](Settings& s) { s.training.schedule.kind = static_cast<ScheduleSettings::Kind>(3); }},
      {"training.schedule.learning_rate", [](Settings& s) { s.training.schedule.learning_rate = 0; }},
      {"training.schedule.learning_rate",
       [](Settings& s) { s.training.schedule.learning_rate = std::numeric_limits<double>::infinity(); }},
      {"training.schedule.warmup", [](Settings& s) { s.training.schedule.warmup = -1; }},
      {"training.schedule.initial_rate", [](Settings& s) { s.training.schedule.initial_rate = -1; }},
      {"training.schedule.final_rate", [](Settings& s) { s.training.schedule.final_rate = -1; }},
      {"training.schedule.warmup: the warm-up, 2 updates, must be shorter than training.max_updates, 2",
       [](Settings& s) {
         s.training.schedule.kind = ScheduleSettings::Kind::cosine;
         s.training.max_updates = s.training.schedule.warmup;
       }},
      {"source_vocabulary", [](Settings& s) { s.source_vocabulary = 0; }},
      {"pairs[0].source", [](Settings& s) { s.source_vocabulary = 4; }},
      {"special.target.eos: expected an id from 0 to 10, found 11", [](Settings& s) { s.special.target.eos = 11; }},
      {"special.source.pad: expected an id from 0 to 11 (or kNoToken), found -2",
       [](Settings& s) { s.special.source.pad = -2; }},
      {"special.source.bos: expected an id from 0 to 11, found -1", [](Settings& s) { s.special.source.bos = -1; }},
      {"special.target.unk", [](Settings& s) { s.special.target.unk = 12; }},
      {"special.source: pad and eos are both 2, but the model does not see padding",
       [](Settings& s) { s.special.source.pad = 2; }},
      {"special.target: pad and eos are both 2, but the loss ignores padding",
       [](Settings& s) { s.special.target.pad = 2; }},
      {"special.target: pad and bos are both 1", [](Settings& s) { s.special.target.pad = 1; }},
      {"target_vocabulary: all embeddings are tied", [](Settings& s) { s.model.tied_embeddings = Tying::all; }},
  };
  for (const auto& [expected, change] : wrong) {
    CAPTURE(expected);
    CHECK(contains(refusal_of(change), expected));
  }
}

TEST_CASE("A session refuses wrong ids, searches and training without a text", "[session]") {
  const std::vector<SentencePair> pairs = {{{4, 5}, {6}}, {{4, 12}, {6}}};
  CHECK(contains(refusal([&] { Session(small_settings(), pairs); }),
                 "pairs[1].source: expected ids from 0 to 11, found 12 at position 1"));
  Session session(small_settings(), {});
  CHECK(contains(refusal([&] { session.step(); }), "no sentence pairs"));
  const std::vector<Id> wrong = {4, -1};
  CHECK(contains(refusal([&] { session.translate(wrong); }), "found -1"));

  // Masks would hide it, and the loss would leave it out, although the gradient counts it as a token.
  const std::vector<Id> padded = {4, 0};
  const std::string problem = ": expected no padding inside a sentence, found the padding id, 0, at position 1";
  CHECK(contains(refusal([&] { session.translate(padded); }), "sources[0]" + problem));
  const std::vector<SentencePair> padded_source = {{{4}, {6}}, {padded, {6}}};
  const std::vector<SentencePair> padded_target = {{{4}, padded}};
  CHECK(contains(refusal([&] { Session(small_settings(), padded_source); }), "pairs[1].source" + problem));
  CHECK(contains(refusal([&] { session.masks(padded_target); }), "pairs[0].target" + problem));
  const std::vector<Id> source = {4};
  for (const DecodingSettings& search :
       {DecodingSettings{.beam = 0}, DecodingSettings{.beam = 1001}, DecodingSettings{.beam = 2, .n_best = 3},
        DecodingSettings{.n_best = 0}, DecodingSettings{.batch = 0}, DecodingSettings{.batch = 1'000'001},
        DecodingSettings{.max_length_ratio = -1}, DecodingSettings{.max_length_ratio = 100.5},
        DecodingSettings{.length_penalty = -0.5}, DecodingSettings{.length_penalty = 1e-60},
        DecodingSettings{.length_penalty = std::nan("")}}) {
    CAPTURE(search.beam, search.n_best, search.batch, search.max_length_ratio, search.length_penalty);
    CHECK(contains(refusal([&] { session.translate({&source, 1}, search); }), "search."));
  }
  CHECK(session.translate(std::vector<std::vector<Id>>{}, {}).empty());
  CHECK(session.translate(std::vector<Id>{}).size() <= 10);  // an empty sentence is translated like any other
}

TEST_CASE("A session refuses sentences in which dropout could not number the tokens", "[session]") {
  std::vector<SentencePair> pairs = reversed_pairs();
  pairs[7].target.assign(1 << 20, 4);
  CHECK(contains(refusal([&] { Session(small_settings(), pairs); }),
                 "pairs[7].target: expected at most 1048575 tokens, found 1048576"));
  pairs[7].target.pop_back();
  CHECK(refusal([&] { Session(small_settings(), pairs); }).empty());
}

TEST_CASE("A padding id that is also bos must be kNoToken", "[session]") {
  SessionSettings settings = small_settings();
  settings.special.target.bos = settings.special.target.pad;
  CHECK(contains(refusal([&] { Session(settings, {}); }), "kNoToken"));
  settings.special.target.pad = kNoToken;
  Session session(settings, reversed_pairs());
  CHECK_FALSE(session.step().skipped);
}

TEST_CASE("A session can be moved", "[session]") {
  Session session = trained(2);
  const std::uint64_t digest = session.digest();
  Session moved = std::move(session);
  CHECK(moved.digest() == digest);
  moved.step();
  session = trained(3);
  CHECK(session.digest() == moved.digest());
}
