#include <algorithm>
#include <cmath>

#include "laws/draws.hpp"
#include "layers/attention_example.hpp"
#include "model/recorded_run.hpp"

/// Values that a mask blocks can change in any way without changing a single bit of the results.
using namespace glassformer;
using namespace glassformer::laws;
using example::AttentionExample, example::AttentionShape;

namespace {

/// 1 to 3 sentences, 1 to 9 queries and keys, 1 to 3 heads of 1 to 17 columns.
AttentionShape draw_shape(RandomValues& random) {
  const Index heads = between(random, 1, 3);
  return {between(random, 1, 3), between(random, 1, 9), between(random, 1, 9), heads, heads * between(random, 1, 17)};
}

/// A mask of any kind. `key` is blocked for all queries of sentence 0. (The causal masks make the shape square.)
Mask draw_mask(RandomValues& random, AttentionShape& shape, Index key) {
  Mask padding = example::random_padding(random, shape);
  padding.blocked(0, key) = 1;
  switch (random.index(4)) {
    case 0:
      return padding;
    case 1:
      return combined_mask(padding, example::random_mask(random, shape));
    case 2:
      shape.T = shape.S;
      return combined_mask(padding, prefix_mask(shape.T, random.index(shape.T + 1)));
    default:
      shape.T = shape.S;
      return combined_mask(padding, look_ahead_mask(shape.T));
  }
}

double draw_dropout_rate(RandomValues& random) { return random.index(2) == 0 ? 0 : random.number(0.1, 0.9); }

bool blocked_for_all(const Mask& mask, Index sentence, Index key) {
  bool blocked = true;
  for (Index query = 0; query < mask.queries; ++query) {
    blocked &= mask.is_blocked(sentence, query, key);
  }
  return blocked;
}

bool sees_nothing(const Mask& mask, Index sentence, Index query) {
  return (mask.blocked.row(mask.row(sentence, query)).eigen().array() == 1).all();
}

bool all_zero(const auto& numbers) { return (as_eigen(numbers).array() == 0).all(); }

/// Equal as numbers: -0 equals 0.
bool equal(const auto& a, const auto& b) { return (a.eigen().array() == b.eigen().array()).all(); }

/// Sets each row that belongs to source padding to `number`. rows [M, any]
void set_where_padded(auto& rows, const IdMatrix& source, auto number) {
  for (Index n = 0; n < source.size(); ++n) {
    if (source.data()[n] == example::kSourcePad) {
      std::ranges::fill(rows.row(n), number);
    }
  }
}

/// Records the forward and backward pass of a batch in training mode.
template <class Scalar>
Recording record(DrawnModel<Scalar>& drawn, const example::PaddedBatch& batch) {
  Recording recording;
  Pass pass = batch.training();
  pass.recorder = &recording;
  drawn.model.forward(pass, batch.input());
  drawn.model.backward(pass, 1);
  return recording;
}

/// The gradient of the input of an encoder or decoder layer.
Matrix<double> d_input(const Recording& recording, const std::string& stack, std::size_t layer) {
  const std::string part = stack + ".layers." + std::to_string(layer) + ".self_attn_layer_norm.residual";
  return example::last_recorded(recording, part, "d_x");
}

}  // namespace

TEMPLATE_TEST_CASE("Law: a key and value blocked for all queries change no bit of the context or of any gradient",
                   "[laws]", float, double) {
  hold(1, [](RandomValues& random) {
    AttentionShape shape = draw_shape(random);
    const Mask mask = draw_mask(random, shape, random.index(shape.S));
    AttentionExample<TestType> e(random, shape, mask, draw_dropout_rate(random));
    e.forward_backward();
    const Buffer<TestType> context = e.context;
    const Buffer<TestType> d_q = e.d_q;
    const Buffer<TestType> d_k = e.d_k;
    const Buffer<TestType> d_v = e.d_v;
    for (Index b = 0; b < shape.B; ++b) {
      for (Index j = 0; j < shape.S; ++j) {
        if (!blocked_for_all(mask, b, j)) {
          continue;
        }
        CHECK(all_zero(e.d_k.row(b * shape.S + j)));
        CHECK(all_zero(e.d_v.row(b * shape.S + j)));
        std::ranges::fill(e.key(b, j), static_cast<TestType>(draw_extreme_value(random)));
        std::ranges::fill(e.value(b, j), static_cast<TestType>(draw_extreme_value(random)));
      }
    }
    e.forward_backward();
    CHECK(same_bits(e.context, context));
    CHECK(same_bits(e.d_q, d_q));
    CHECK(same_bits(e.d_k, d_k));
    CHECK(same_bits(e.d_v, d_v));
  });
}

TEMPLATE_TEST_CASE("Law: a key and value that a query does not see change no bit of its context or its gradient",
                   "[laws]", float, double) {
  hold(2, [](RandomValues& random) {
    AttentionShape shape = draw_shape(random);
    const Index key = random.index(shape.S);
    const Mask mask = draw_mask(random, shape, key);
    AttentionExample<TestType> e(random, shape, mask, draw_dropout_rate(random));
    e.forward_backward();
    const Buffer<TestType> context = e.context;
    const Buffer<TestType> d_q = e.d_q;
    const auto anything = static_cast<TestType>(draw_extreme_value(random));
    for (Index b = 0; b < shape.B; ++b) {
      std::ranges::fill(e.key(b, key), anything);
      std::ranges::fill(e.value(b, key), anything);
    }
    e.forward_backward();
    for (Index b = 0; b < shape.B; ++b) {
      for (Index t = 0; t < shape.T; ++t) {
        const Index row = b * shape.T + t;
        if (mask.is_blocked(b, t, key)) {
          CHECK(same_bits(e.context.row(row), context.row(row)));
          CHECK(same_bits(e.d_q.row(row), d_q.row(row)));
        } else if (std::isnan(anything) && e.dropout == 0) {
          CHECK(e.context.row(row).eigen().hasNaN());  // a visible NaN must show up
        }
      }
    }
  });
}

TEMPLATE_TEST_CASE("Law: a query that sees nothing has weights, context and gradients of exactly 0", "[laws]", float,
                   double) {
  hold(3, [](RandomValues& random) {
    AttentionShape shape = draw_shape(random);
    const Mask drawn = draw_mask(random, shape, random.index(shape.S));
    // The same mask with a row for each query. At least one query sees nothing.
    Mask mask = combined_mask(drawn, all_visible(shape.B, shape.T, shape.S));
    mask.blocked.row(random.index(shape.B * shape.T)).eigen().setOnes();
    AttentionExample<TestType> e(random, shape, mask, draw_dropout_rate(random));
    e.forward_backward();
    for (const auto* result : {&e.context, &e.d_q, &e.d_k, &e.d_v}) {
      CHECK(result->eigen().allFinite());
    }
    const Buffer<TestType> d_k = e.d_k;
    const Buffer<TestType> d_v = e.d_v;
    for (Index b = 0; b < shape.B; ++b) {
      for (Index t = 0; t < shape.T; ++t) {
        if (!sees_nothing(mask, b, t)) {
          continue;
        }
        for (Index h = 0; h < shape.H; ++h) {
          CHECK(all_zero(e.layer->weights().row((b * shape.H + h) * shape.T + t)));
        }
        CHECK(all_zero(e.context.row(b * shape.T + t)));
        CHECK(all_zero(e.d_q.row(b * shape.T + t)));
        scale(e.d_context.row(b * shape.T + t), TestType{1000});  // must not change d_k or d_v
      }
    }
    e.forward_backward();
    CHECK(equal(e.d_k, d_k));
    CHECK(equal(e.d_v, d_v));
  });
}

TEMPLATE_TEST_CASE("Law: the encoder's output for padding and the embeddings of padding change no bit of the logits",
                   "[laws]", float, double) {
  hold(4, [](RandomValues& random) {
    TransformerSettings settings = draw_settings(random);
    settings.tied_embeddings = Tying::none;  // if tied, pad's embedding is an output class like any other
    const example::PaddedBatch batch = draw_batch(random);
    DrawnModel<TestType> drawn(random, settings);
    drawn.forward_backward(batch);
    const Matrix<TestType> logits = drawn.logits;
    const RowVector<TestType> gradient = drawn.gradient.values().eigen();

    const auto anything = static_cast<TestType>(draw_extreme_value(random));
    std::ranges::fill(drawn.model.source_embedding.table.in(drawn.weights).row(example::kSourcePad), anything);
    std::ranges::fill(drawn.model.target_embedding.table.in(drawn.weights).row(example::kTargetPad), anything);
    drawn.forward_backward(batch);
    CHECK(same_bits(drawn.logits, logits));
    CHECK(same_bits(drawn.gradient.values(), gradient));

    const Pass pass = batch.training();
    Buffer<TestType> memory = drawn.model.encode(pass, batch.source, batch.masks.encoder_padding);
    set_where_padded(memory, batch.source, anything);
    CHECK(same_bits(drawn.model.decode(pass, batch.target_input, memory, batch.masks), logits));
  });
}

// This holds for the keys and values, but not for the memory they are projected from. If the memory were NaN, the
// gradient of the projection matrix would be NaN too, because 0 * NaN is NaN.
TEMPLATE_TEST_CASE("Law: the keys and values of padding change no bit of any gradient of the model", "[laws]", float,
                   double) {
  hold(7, [](RandomValues& random) {
    const example::PaddedBatch batch = draw_batch(random);
    DrawnModel<TestType> drawn(random, draw_dropout(random, draw_settings(random)));
    drawn.forward_backward(batch);
    const RowVector<TestType> gradient = drawn.gradient.values().eigen();

    const auto anything = static_cast<TestType>(draw_extreme_value(random));
    const Pass pass = batch.training();
    const Buffer<TestType>& memory = drawn.model.encode(pass, batch.source, batch.masks.encoder_padding);
    auto& logits = drawn.model.decode(pass, batch.target_input, memory, batch.masks);
    drawn.model.cross_entropy.forward_in_place(pass, logits, batch.target_output);
    for (DecoderLayer<TestType>& layer : drawn.model.decoder_layers) {  // recomputed into the same buffer
      set_where_padded(layer.cross_attention.sublayer.kv_proj.forward(pass, memory), batch.source, anything);
    }
    std::ranges::fill(drawn.gradient.values(), TestType{0});
    drawn.model.backward(pass, 1);
    CHECK(same_bits(drawn.gradient.values(), gradient));
  });
}

TEMPLATE_TEST_CASE(
    "Law: an empty source gets no attention and no gradient, a left-padded target gives no NaN, and "
    "other sentences do not change",
    "[laws]", float, double) {
  hold(5, [](RandomValues& random) {
    example::PaddedBatch batch = draw_batch(random);
    const Index B = batch.source.rows();
    const Index S = batch.source.cols();
    const Index T = batch.target_input.cols();
    DrawnModel<TestType> drawn(random, draw_settings(random));
    const Index H = drawn.model.settings.heads;
    drawn.forward_backward(batch);
    const Matrix<TestType> logits = drawn.logits;

    const Index empty = random.index(B);
    const Index left = (empty + 1) % B;
    batch.source.row(empty).eigen().setConstant(example::kSourcePad);
    for (Index t = between(random, 1, T) - 1; t >= 0; --t) {
      batch.target_input(left, t) = example::kTargetPad;
    }
    batch.remake_masks();
    drawn.forward_backward(batch);
    CHECK(std::isfinite(drawn.loss.loss));
    CHECK(drawn.logits.allFinite());
    CHECK(drawn.gradient.values().eigen().allFinite());
    for (const auto& layer : drawn.model.encoder_layers) {
      const auto& attention = layer.self_attention.sublayer.attention;
      CHECK(all_zero(attention.weights().view().middle_rows(empty * H * S, H * S)));
    }
    const Recording recording = record(drawn, batch);
    for (const auto& layer : drawn.model.decoder_layers) {
      const auto& attention = layer.cross_attention.sublayer.attention;
      CHECK(all_zero(attention.weights().view().middle_rows(empty * H * T, H * T)));
      CHECK(all_zero(example::d_memory_of(recording, layer).middleRows(empty * S, S)));
    }
    const Matrix<double> d_memory = example::last_recorded(recording, "decoder", "d_memory");
    CHECK(all_zero(d_memory.middleRows(empty * S, S)));
    for (Index b = 0; b < B; ++b) {
      if (b == empty || b == left) {
        continue;
      }
      CHECK(same_bits(drawn.logits.middleRows(b * T, T), logits.middleRows(b * T, T)));
    }
  });
}

TEMPLATE_TEST_CASE("Law: padding gets no gradient: neither its embedding nor any row at a padded position", "[laws]",
                   float, double) {
  hold(6, [](RandomValues& random) {
    TransformerSettings settings = draw_dropout(random, draw_settings(random));
    settings.tied_embeddings = Tying::none;  // if tied, pad's embedding is an output class like any other
    const example::PaddedBatch batch = draw_batch(random);
    DrawnModel<TestType> drawn(random, settings);
    const Recording recording = record(drawn, batch);
    CHECK(all_zero(drawn.model.source_embedding.table.gradient().row(example::kSourcePad)));
    CHECK(all_zero(drawn.model.target_embedding.table.gradient().row(example::kTargetPad)));

    const auto zero_where_padded = [](const Matrix<double>& gradient, const IdMatrix& ids, Id pad) {
      REQUIRE(gradient.rows() == ids.size());
      for (Index n = 0; n < ids.size(); ++n) {
        if (ids.data()[n] == pad && !all_zero(gradient.row(n))) {
          return false;
        }
      }
      return true;
    };
    const Matrix<double> d_logits = example::last_recorded(recording, "loss", "d_logits");
    const Matrix<double> d_memory = example::last_recorded(recording, "decoder", "d_memory");
    CHECK(zero_where_padded(d_logits, batch.target_input, example::kTargetPad));
    CHECK(zero_where_padded(d_memory, batch.source, example::kSourcePad));
    for (std::size_t i = 0; i < drawn.model.decoder_layers.size(); ++i) {
      const Matrix<double> d_memory_of_layer = example::d_memory_of(recording, drawn.model.decoder_layers[i]);
      CHECK(zero_where_padded(d_input(recording, "decoder", i), batch.target_input, example::kTargetPad));
      CHECK(zero_where_padded(d_memory_of_layer, batch.source, example::kSourcePad));
    }
    for (std::size_t i = 0; i < drawn.model.encoder_layers.size(); ++i) {
      CHECK(zero_where_padded(d_input(recording, "encoder", i), batch.source, example::kSourcePad));
    }
  });
}
