#include <string>
#include <vector>

#include "catch.hpp"
#include "glassformer/layers/attention.hpp"
#include "gradients.hpp"
#include "single_layer.hpp"

using namespace glassformer;

TEST_CASE("The parameters of attention have Marian's names, and query, key and value are adjacent", "[layers]") {
  RandomValues random(1);
  SingleLayer<SelfAttention<double>> attention(random, AttentionSettings{4, 1, 0});
  const auto& tensors = attention.weights.tensors();
  const std::vector<std::pair<std::string, Index>> expected{{"layer.q_proj.weight", 0},    {"layer.k_proj.weight", 16},
                                                            {"layer.v_proj.weight", 32},   {"layer.q_proj.bias", 48},
                                                            {"layer.k_proj.bias", 52},     {"layer.v_proj.bias", 56},
                                                            {"layer.out_proj.weight", 60}, {"layer.out_proj.bias", 76}};
  REQUIRE(tensors.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(tensors[i].name == expected[i].first);
    CHECK(tensors[i].offset == expected[i].second);
    CHECK(tensors[i].shape == (tensors[i].name.ends_with("weight") ? std::vector<Index>{4, 4} : std::vector<Index>{4}));
  }
}

TEST_CASE("Each projection reads the tensor with its name", "[layers]") {
  RandomValues random(2);
  SingleLayer<SelfAttention<double>> self(random, AttentionSettings{4, 1, 0});
  SingleLayer<CrossAttention<double>> cross(random, AttentionSettings{4, 1, 0});
  const auto tensor = [](const auto& layer, std::size_t i) {
    return layer.weights.values(layer.weights.tensors()[i]).data();
  };
  CHECK(self->qkv_proj.weight.rows() == 12);
  CHECK(self->qkv_proj.weight.value().data() == tensor(self, 0));
  CHECK(self->qkv_proj.bias.value().data() == tensor(self, 3));
  CHECK(self->out_proj.weight.value().data() == tensor(self, 6));
  CHECK(cross->q_proj.weight.value().data() == tensor(cross, 0));
  CHECK(cross->q_proj.bias.value().data() == tensor(cross, 3));
  CHECK(cross->q_proj.weight.rows() == 4);
  CHECK(cross->kv_proj.weight.value().data() == tensor(cross, 1));
  CHECK(cross->kv_proj.weight.rows() == 8);
  CHECK(cross->kv_proj.bias.value().data() == tensor(cross, 4));
  CHECK(cross->kv_proj.weight.value().row(4).data() == tensor(cross, 2));
  CHECK(&cross->kv_proj.bias.value()[4] == tensor(cross, 5));
  CHECK(cross->out_proj.weight.value().data() == tensor(cross, 6));
}

TEST_CASE("Self-attention maps the same rows to queries, keys and values, attends, and maps the result", "[layers]") {
  RandomValues random(3);
  const AttentionSettings settings{6, 3, 0};
  SingleLayer<SelfAttention<double>> self(random, settings);
  SingleLayer<ScaledDotProductAttention<double>> attention(random, settings);
  const Buffer<double> x = random.matrix(8, 6);
  const Mask mask = look_ahead_mask(4);
  const Buffer<double> y = self->forward({}, x, mask);

  const auto project = [&](Index first) -> Buffer<double> {
    return Linear<double>("map", self->projections.weight.middle_rows(first, 6),
                          self->projections.bias.middle(first, 6))
        .forward({}, x);
  };
  const Buffer<double> q = project(0);
  const Buffer<double> k = project(6);
  const Buffer<double> v = project(12);
  const Buffer<double>& context = attention->forward({}, q, k, v, mask);
  CHECK(largest_difference(y, self->out_proj.forward({}, context)) < 1e-14);
}

TEST_CASE("The gradients of self-attention are right, with dropout and with rows that see nothing", "[layers]") {
  const IdMatrix ids{{4, 7, 0}, {0, 4, 5}};  // sentence 1 is padded on the left: its first query sees nothing
  const Mask mask = combined_mask(padding_mask(ids, 0), look_ahead_mask(3));
  for (const double dropout : {0.0, 0.3}) {
    RandomValues random(4);
    SingleLayer<SelfAttention<double>> attention(random, AttentionSettings{4, 2, dropout});
    Buffer<double> x = random.matrix(6, 4);
    const Buffer<double> d_y = random.matrix(6, 4);
    require_gradients(
        attention, [&] { return weighted_sum(attention->forward(kTrainingPass, x, mask), d_y); },
        [&]() -> InputGradients {
          return {{"x", x, attention->backward(kTrainingPass, d_y)}};
        });
  }
}

TEST_CASE("In cross-attention the queries come from the decoder, the keys and values from the memory", "[layers]") {
  // Two queries and three keys. The weights and results were computed with NumPy.
  RandomValues random(5);
  SingleLayer<CrossAttention<double>> attention(random, AttentionSettings{2, 1, 0});
  attention->projections.weight.in(attention.weights).eigen() << 1, -0.5, 0.5, 1,  // Wq^T
      0.5, 1, 0, -1,                                                               // Wk^T
      1, 0, 1, 2;                                                                  // Wv^T
  attention->projections.bias.in(attention.weights).eigen().setZero();
  attention->out_proj.weight.in(attention.weights).eigen().setIdentity();
  attention->out_proj.bias.in(attention.weights).eigen().setZero();
  const Buffer<double> x{{1, 0}, {0.5, -1}};
  const Buffer<double> memory{{1, 2}, {0, 1}, {-1, 0.5}};

  const Buffer<double> y = attention->forward({}, x, memory, all_visible(1, 1, 3));
  const Matrix<double> weights{{0.560790978332, 0.276508473832, 0.162700547836},
                               {0.780776197126, 0.15906267258, 0.0601611302939}};
  const Matrix<double> expected{{0.398090430496, 3.35697183932}, {0.720615066832, 4.22200633079}};
  CHECK(largest_difference(attention->attention.weights(), weights) < 1e-11);
  CHECK(largest_difference(y, expected) < 1e-10);

  const Buffer<double>& masked_y = attention->forward({}, x, memory, padding_mask(IdMatrix{{5, 5, 0}}, 0));
  const Matrix<double> masked_weights{{0.669761549327, 0.330238450673, 0}, {0.830755379771, 0.169244620229, 0}};
  const Matrix<double> masked_expected{{0.669761549327, 4.00928464798}, {0.830755379771, 4.49226613931}};
  CHECK(largest_difference(attention->attention.weights(), masked_weights) < 1e-11);
  CHECK(largest_difference(masked_y, masked_expected) < 1e-10);
}

TEST_CASE("The gradients of cross-attention are right, including that of the memory", "[layers]") {
  const IdMatrix source{{4, 0, 7, 5}, {0, 0, 0, 0}};  // padding in the middle; a sentence that is all padding
  const Mask mask = padding_mask(source, 0);
  for (const double dropout : {0.0, 0.3}) {
    RandomValues random(6);
    SingleLayer<CrossAttention<double>> attention(random, AttentionSettings{6, 3, dropout});
    Buffer<double> x = random.matrix(2 * 3, 6);
    Buffer<double> memory = random.matrix(2 * 4, 6);
    const Buffer<double> d_y = random.matrix(2 * 3, 6);
    const auto backward = [&]() -> InputGradients {
      const auto [d_x, d_memory] = attention->backward(kTrainingPass, d_y);
      return {{"x", x, d_x}, {"memory", memory, d_memory}};
    };
    require_gradients(
        attention, [&] { return weighted_sum(attention->forward(kTrainingPass, x, memory, mask), d_y); }, backward);
    attention->forward(kTrainingPass, x, memory, mask);
    const auto d_memory = attention->backward(kTrainingPass, d_y).d_memory.eigen();
    CHECK(d_memory.row(1).isZero(0));         // padding
    CHECK(d_memory.bottomRows(4).isZero(0));  // nothing but padding
    CHECK_FALSE(d_memory.row(0).isZero(0));
  }
}
