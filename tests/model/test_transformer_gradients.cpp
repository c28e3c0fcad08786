#include <string>

#include "catch.hpp"
#include "gradients.hpp"
#include "model/example.hpp"

using namespace glassformer;

namespace {

/// Checks `limit` numbers of every tensor (0: all), the loss being the mean over the batch's tokens.
void check_model(const TransformerSettings& settings, const VocabularyShape& vocabulary, double label_smoothing,
                 Index limit) {
  CAPTURE(settings.norm == Norm::post, static_cast<int>(settings.tied_embeddings),
          static_cast<int>(settings.activation), settings.encoder_layers, settings.decoder_layers, label_smoothing,
          settings.dropout);
  example::RandomModel<double> random(settings, vocabulary, label_smoothing);
  const example::PaddedBatch batch = example::batch();
  const TransformerMasks masks = random.model.masks(batch.source, batch.target_input);
  const ModelInput input{batch.source, batch.target_input, batch.target_output, masks};
  const double tokens = static_cast<double>(batch.tokens());
  require_gradients(
      random, [&] { return random.model.forward(batch.training(), input).loss / tokens; },
      [&]() -> InputGradients {
        random.model.backward(batch.training(), 1 / tokens);
        return {};
      },
      limit);
}

void check_model(const TransformerSettings& settings, double label_smoothing, Index limit) {
  check_model(settings, example::vocabulary(settings.tied_embeddings), label_smoothing, limit);
}

constexpr Index kSome = 7;  // numbers of each tensor

}  // namespace

TEST_CASE("The gradients of the post-norm transformer are what differences say, whatever is tied", "[model]") {
  check_model(example::settings(Norm::post, Tying::none, Activation::gelu), 0, kSome);
  check_model(example::settings(Norm::post, Tying::target, Activation::relu), 0.1, kSome);
  check_model(example::settings(Norm::post, Tying::all, Activation::swish), 0.1, kSome);
}

TEST_CASE("The gradients of the pre-norm transformer are what differences say, whatever is tied", "[model]") {
  check_model(example::settings(Norm::pre, Tying::none, Activation::relu), 0.1, kSome);
  check_model(example::settings(Norm::pre, Tying::target, Activation::swish), 0, kSome);
  check_model(example::settings(Norm::pre, Tying::all, Activation::gelu), 0.1, kSome);
}

TEST_CASE("The gradients of the transformer are what differences say while dropout drops at all four places",
          "[model]") {
  check_model(example::with_dropout(example::settings(Norm::post, Tying::target, Activation::relu)), 0.1, kSome);
  check_model(example::with_dropout(example::settings(Norm::post, Tying::all, Activation::gelu)), 0, kSome);
  check_model(example::with_dropout(example::settings(Norm::pre, Tying::none, Activation::swish)), 0.1, kSome);
  check_model(example::with_dropout(example::settings(Norm::pre, Tying::all, Activation::relu)), 0.1, kSome);
}

TEST_CASE("The gradients of the transformer are what differences say where masks are off", "[model]") {
  for (const MaskSettings& masks : {MaskSettings{.look_ahead = false}, MaskSettings{false, false, false, false}}) {
    TransformerSettings settings = example::settings(Norm::post, Tying::target, Activation::gelu);
    settings.masks = masks;
    check_model(settings, 0.1, kSome);
    settings.norm = Norm::pre;
    check_model(example::with_dropout(settings), 0, kSome);
  }
}

TEST_CASE("Gradients are right where buffers leave gaps between their rows", "[model]") {
  TransformerSettings settings = example::with_dropout(example::settings(Norm::post, Tying::all));
  settings.d_model = 256;
  settings.d_ff = 2048;
  settings.encoder_layers = settings.decoder_layers = 1;
  VocabularyShape vocabulary = example::vocabulary(settings.tied_embeddings);
  vocabulary.source_size = vocabulary.target_size = 256;
  check_model(settings, vocabulary, 0.1, 1);
}

TEST_CASE("Every single number of a smaller transformer's gradient is what differences say", "[model]") {
  for (const Norm norm : {Norm::post, Norm::pre}) {
    TransformerSettings settings = example::with_dropout(example::settings(norm, Tying::target));
    settings.d_model = 4;
    settings.d_ff = 5;
    settings.encoder_layers = settings.decoder_layers = 1;
    check_model(settings, 0.1, 0);
  }
}

TEST_CASE("A transformer may have an encoder or a decoder without layers; its gradients are right all the same",
          "[model]") {
  for (const Norm norm : {Norm::post, Norm::pre}) {
    TransformerSettings settings = example::settings(norm, Tying::target);
    settings.encoder_layers = 0;
    check_model(settings, 0, kSome);
    settings.decoder_layers = 0;
    check_model(settings, 0, kSome);
    settings.encoder_layers = 1;  // whose result nothing reads
    check_model(settings, 0, kSome);
  }
}

TEST_CASE("A gradient of the whole transformer that is wrong by a thousandth in one entry is found", "[model]") {
  const example::PaddedBatch batch = example::batch();
  example::RandomModel<double> random(example::settings(Norm::post, Tying::all));
  const auto loss = [&] { return random.model.forward(batch.training(), batch.input()).loss; };
  random.forward_backward(batch);

  for (const TensorPlace& tensor : random.weights.tensors()) {
    // A bias of the keys adds the same to all scores of a query: it changes nothing and has no gradient to spoil.
    if (tensor.name.ends_with("k_proj.bias")) continue;
    CAPTURE(tensor.name);
    Index largest = 0;
    random.gradient.values(tensor).eigen().cwiseAbs().maxCoeff(&largest);
    double& value = random.weights.values(tensor)[largest];
    const double right = random.gradient.values(tensor)[largest], spoiled = 1.001 * right;
    CHECK(check_gradient({&value, 1}, {&spoiled, 1}, loss).relative > kLargestGradientError);
    CHECK(check_gradient({&value, 1}, {&right, 1}, loss).relative < kLargestGradientError);
  }
}
