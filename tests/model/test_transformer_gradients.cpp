#include <string>

#include "catch.hpp"
#include "gradients.hpp"
#include "model/example.hpp"

using namespace glassformer;

namespace {

/// Checks the gradient of the mean loss over the batch's tokens, for `limit` numbers of every tensor (0: all).
void check_model(const TransformerSettings& settings, const VocabularyShape& vocabulary, double label_smoothing,
                 Index limit) {
  CAPTURE(settings.norm == Norm::post, static_cast<int>(settings.tied_embeddings),
          static_cast<int>(settings.activation), settings.encoder_layers, settings.decoder_layers, label_smoothing,
          settings.dropout);
  example::RandomModel<double> random(settings, vocabulary, label_smoothing);
  const example::PaddedBatch batch = example::batch();
  const TransformerMasks masks = random.model.masks(batch.source, batch.target_input);
  const ModelInput input{batch.source, batch.target_input, batch.target_output, masks};
  const auto tokens = static_cast<double>(batch.tokens());
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

constexpr Index kSome = 7;  // numbers checked per tensor

}  // namespace

TEST_CASE("The post-norm transformer's gradients match finite differences, whatever is tied", "[model]") {
  check_model(example::settings(Norm::post, Tying::none, Activation::gelu), 0, kSome);
  check_model(example::settings(Norm::post, Tying::target, Activation::relu), 0.1, kSome);
  check_model(example::settings(Norm::post, Tying::all, Activation::swish), 0.1, kSome);
}

TEST_CASE("The pre-norm transformer's gradients match finite differences, whatever is tied", "[model]") {
  check_model(example::settings(Norm::pre, Tying::none, Activation::relu), 0.1, kSome);
  check_model(example::settings(Norm::pre, Tying::target, Activation::swish), 0, kSome);
  check_model(example::settings(Norm::pre, Tying::all, Activation::gelu), 0.1, kSome);
}

TEST_CASE("The transformer's gradients match finite differences with dropout at all four places", "[model]") {
  check_model(example::with_dropout(example::settings(Norm::post, Tying::target, Activation::relu)), 0.1, kSome);
  check_model(example::with_dropout(example::settings(Norm::post, Tying::all, Activation::gelu)), 0, kSome);
  check_model(example::with_dropout(example::settings(Norm::pre, Tying::none, Activation::swish)), 0.1, kSome);
  check_model(example::with_dropout(example::settings(Norm::pre, Tying::all, Activation::relu)), 0.1, kSome);
}

TEST_CASE("The transformer's gradients match finite differences with masks off", "[model]") {
  for (const MaskSettings& masks : {MaskSettings{.look_ahead = false}, MaskSettings{false, false, false, false}}) {
    TransformerSettings settings = example::settings(Norm::post, Tying::target, Activation::gelu);
    settings.masks = masks;
    check_model(settings, 0.1, kSome);
    settings.norm = Norm::pre;
    check_model(example::with_dropout(settings), 0, kSome);
  }
}

TEST_CASE("The transformer's gradients match finite differences without scaled scores, positions or residual sums",
          "[model]") {
  for (bool TransformerSettings::*part :
       {&TransformerSettings::scale_scores, &TransformerSettings::positions, &TransformerSettings::residual}) {
    for (const Norm norm : {Norm::post, Norm::pre}) {
      TransformerSettings settings = example::settings(norm, Tying::target, Activation::gelu);
      settings.*part = false;
      check_model(settings, 0.1, kSome);
      check_model(example::with_dropout(settings), 0, kSome);
    }
  }
}

TEST_CASE("Gradients are right even if buffers have gaps between rows", "[model]") {
  TransformerSettings settings = example::with_dropout(example::settings(Norm::post, Tying::all));
  settings.d_model = 256;
  settings.d_ff = 2048;
  settings.encoder_layers = settings.decoder_layers = 1;
  VocabularyShape vocabulary = example::vocabulary(settings.tied_embeddings);
  vocabulary.source_size = vocabulary.target_size = 256;
  check_model(settings, vocabulary, 0.1, 1);
}

TEST_CASE("Every number of a smaller transformer's gradient matches finite differences", "[model]") {
  for (const Norm norm : {Norm::post, Norm::pre}) {
    TransformerSettings settings = example::with_dropout(example::settings(norm, Tying::target));
    settings.d_model = 4;
    settings.d_ff = 5;
    settings.encoder_layers = settings.decoder_layers = 1;
    check_model(settings, 0.1, 0);
  }
}

TEST_CASE("Gradients are right even if the encoder or the decoder has no layers", "[model]") {
  for (const Norm norm : {Norm::post, Norm::pre}) {
    TransformerSettings settings = example::settings(norm, Tying::target);
    settings.encoder_layers = 0;
    check_model(settings, 0, kSome);
    settings.decoder_layers = 0;
    check_model(settings, 0, kSome);
    settings.encoder_layers = 1;  // nothing reads its result
    check_model(settings, 0, kSome);
  }
}

TEST_CASE("The check finds an error of 0.1% in one entry of the whole transformer's gradient", "[model]") {
  const example::PaddedBatch batch = example::batch();
  example::RandomModel<double> random(example::settings(Norm::post, Tying::all));
  const auto loss = [&] { return random.model.forward(batch.training(), batch.input()).loss; };
  random.forward_backward(batch);

  for (const TensorPlace& tensor : random.weights.tensors()) {
    // A key bias adds the same to all scores of a query, so it changes nothing and has no gradient to corrupt.
    if (tensor.name.ends_with("k_proj.bias")) {
      continue;
    }
    CAPTURE(tensor.name);
    Index largest = 0;
    random.gradient.values(tensor).eigen().cwiseAbs().maxCoeff(&largest);
    double& value = random.weights.values(tensor)[largest];
    const double correct = random.gradient.values(tensor)[largest];
    const double corrupted = 1.001 * correct;
    CHECK(check_gradient({&value, 1}, {&corrupted, 1}, loss).relative > kLargestGradientError);
    CHECK(check_gradient({&value, 1}, {&correct, 1}, loss).relative < kLargestGradientError);
  }
}
