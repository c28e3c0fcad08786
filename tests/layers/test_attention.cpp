#include <string>
#include <vector>

#include "catch.hpp"
#include "gradients.hpp"
#include "layers/attention.hpp"

using namespace glassformer;
using Parameters = AttentionParameters<double>;

namespace {

constexpr Index kSentences[] = {5, 2};
constexpr Pass kPass{.training = true, .seed = 1, .update = 2, .sentences = kSentences};

}  // namespace

TEST_CASE("The parameters of attention carry Marian's names, and query, key and value lie side by side", "[layers]") {
  RandomValues random(1);
  Learned<Parameters, double> learned(random, "self_attn", Index{4});
  const auto& tensors = learned.parameters.tensors();
  const std::vector<std::pair<std::string, Index>> expected{
      {"self_attn.q_proj.weight", 0}, {"self_attn.k_proj.weight", 16}, {"self_attn.v_proj.weight", 32},
      {"self_attn.q_proj.bias", 48},  {"self_attn.k_proj.bias", 52},   {"self_attn.v_proj.bias", 56},
      {"self_attn.out_proj.weight", 60}, {"self_attn.out_proj.bias", 76}};
  REQUIRE(tensors.size() == expected.size());
  for (std::size_t i = 0; i < expected.size(); ++i) {
    CHECK(tensors[i].name == expected[i].first);
    CHECK(tensors[i].offset == expected[i].second);
    CHECK(tensors[i].shape == (tensors[i].name.ends_with("weight") ? std::vector<Index>{4, 4} : std::vector<Index>{4}));
  }
}

TEST_CASE("Each projection reads the tensor that bears its name", "[layers]") {
  RandomValues random(2);
  Learned<Parameters, double> learned(random, "attn", Index{4});
  const auto tensor = [&](std::size_t i) { return learned.parameters.values(learned.parameters.tensors()[i]).data(); };
  const Parameters& p = learned.p();
  CHECK(p.query_key_value.weight.rows() == 12);
  CHECK(p.query().weight.data() == tensor(0));
  CHECK(p.query().bias.data() == tensor(3));
  CHECK(p.query().weight.rows() == 4);
  CHECK(p.key_value().weight.data() == tensor(1));
  CHECK(p.key_value().weight.rows() == 8);
  CHECK(p.key_value().bias.data() == tensor(4));
  CHECK(&p.key_value().weight(4, 0) == tensor(2));
  CHECK(&p.key_value().bias(4) == tensor(5));
  CHECK(p.output.weight.data() == tensor(6));
  CHECK(p.width() == 4);
}

TEST_CASE("Self-attention is attention of three linear maps of the same rows, mapped once more", "[layers]") {
  RandomValues random(3);
  Learned<Parameters, double> learned(random, "attn", Index{6});
  const Parameters& p = learned.p();
  const Buffer<double> x = random.matrix(8, 6);
  SelfAttention<double>::Cache cache;
  SelfAttention<double>::forward(p, {.heads = 3}, 2, x, look_ahead_mask(4), {}, 0, cache);

  Buffer<double> q, k, v, context(8, 6), output;
  Linear<double>::forward(p.query_key_value.outputs(0, 6), x, q);
  Linear<double>::forward(p.query_key_value.outputs(6, 6), x, k);
  Linear<double>::forward(p.query_key_value.outputs(12, 6), x, v);
  ScaledDotProductAttention<double>::Cache attention;
  ScaledDotProductAttention<double>::forward(2, 3, q, k, v, look_ahead_mask(4), 0, {}, 0, attention, context);
  Linear<double>::forward(p.output, context, output);
  CHECK(largest_difference(cache.output, output) < 1e-14);
}

TEST_CASE("The gradients of self-attention are what differences say, with dropout and rows that see nothing",
          "[layers]") {
  const IdMatrix ids{{4, 7, 0}, {0, 4, 5}};  // sentence 1 is padded on the left: its first query sees nothing
  const Mask mask = combined_mask(padding_mask(ids, 0), look_ahead_mask(3));
  for (const double dropout : {0.0, 0.3}) {
    RandomValues random(4);
    Learned<Parameters, double> learned(random, "attn", Index{4});
    const AttentionSettings settings{.heads = 2, .dropout = dropout};
    Buffer<double> x = random.matrix(6, 4);
    const Buffer<double> d_y = random.matrix(6, 4);
    SelfAttention<double>::Cache cache;
    require_gradients<Parameters>(
        learned,
        [&] {
          SelfAttention<double>::forward(learned.p(), settings, 2, x, mask, kPass, 3, cache);
          return weighted_sum(cache.output, d_y);
        },
        [&](Parameters& grad) { SelfAttention<double>::backward(learned.p(), settings, 2, x, cache, d_y, grad); },
        {{"x", x, cache.d_input}});
  }
}

TEST_CASE("In cross-attention the queries come from the decoder, the keys and values from the memory", "[layers]") {
  // Two queries, three keys, weights and results worked out with numpy.
  RandomValues random(5);
  Learned<Parameters, double> learned(random, "attn", Index{2});
  Parameters& p = learned.p();
  p.query_key_value.weight << 1, -0.5, 0.5, 1,  // Wq^T
      0.5, 1, 0, -1,                            // Wk^T
      1, 0, 1, 2;                               // Wv^T
  p.output.weight.setIdentity();
  p.query_key_value.bias.setZero();
  p.output.bias.setZero();
  const Matrix<double> x{{1, 0}, {0.5, -1}}, memory{{1, 2}, {0, 1}, {-1, 0.5}};

  CrossAttention<double>::Cache cache;
  const Mask all_visible{1, 1, Matrix<std::uint8_t>::Zero(1, 3)};
  CrossAttention<double>::forward(p, {.heads = 1}, 1, x, memory, all_visible, {}, 0, cache);
  const Matrix<double> weights{{0.560790978332, 0.276508473832, 0.162700547836},
                               {0.780776197126, 0.15906267258, 0.0601611302939}};
  const Matrix<double> output{{0.398090430496, 3.35697183932}, {0.720615066832, 4.22200633079}};
  CHECK(largest_difference(cache.attention.weights, weights) < 1e-11);
  CHECK(largest_difference(cache.output, output) < 1e-10);

  CrossAttention<double>::forward(p, {.heads = 1}, 1, x, memory, padding_mask(IdMatrix{{5, 5, 0}}, 0), {}, 0, cache);
  const Matrix<double> masked_weights{{0.669761549327, 0.330238450673, 0}, {0.830755379771, 0.169244620229, 0}};
  const Matrix<double> masked_output{{0.669761549327, 4.00928464798}, {0.830755379771, 4.49226613931}};
  CHECK(largest_difference(cache.attention.weights, masked_weights) < 1e-11);
  CHECK(largest_difference(cache.output, masked_output) < 1e-10);
}

TEST_CASE("The gradients of cross-attention are what differences say, those of the memory too", "[layers]") {
  const IdMatrix source{{4, 0, 7, 5}, {0, 0, 0, 0}};  // padding in the middle; a sentence that is padding alone
  const Mask mask = padding_mask(source, 0);
  for (const double dropout : {0.0, 0.3}) {
    RandomValues random(6);
    Learned<Parameters, double> learned(random, "attn", Index{6});
    const AttentionSettings settings{.heads = 3, .dropout = dropout};
    Buffer<double> x = random.matrix(2 * 3, 6), memory = random.matrix(2 * 4, 6);
    const Buffer<double> d_y = random.matrix(2 * 3, 6);
    CrossAttention<double>::Cache cache;
    require_gradients<Parameters>(
        learned,
        [&] {
          CrossAttention<double>::forward(learned.p(), settings, 2, x, memory, mask, kPass, 3, cache);
          return weighted_sum(cache.output, d_y);
        },
        [&](Parameters& grad) {
          CrossAttention<double>::backward(learned.p(), settings, 2, x, memory, cache, d_y, grad);
        },
        {{"x", x, cache.d_input}, {"memory", memory, cache.d_memory}});
    CHECK(cache.d_memory.row(1).cwiseAbs().maxCoeff() == 0);         // padding
    CHECK(cache.d_memory.bottomRows(4).cwiseAbs().maxCoeff() == 0);  // nothing but padding
    CHECK(cache.d_memory.row(0).cwiseAbs().maxCoeff() > 0);
  }
}
