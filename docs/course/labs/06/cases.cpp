#include "cases.hpp"

#include <limits>

#include "glassformer/layers/scaled_dot_product_attention.hpp"
#include "single_layer.hpp"

namespace glassformer::labs {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kRate = 0.5;

/// What attention reads: q [B*T, D], k and v [B*S, D], d_context [B*T, D].
struct Inputs {
  Index heads;
  Buffer<double> q, k, v, d_context;
  Mask mask;
};

/// One attention layer and its inputs. `rate` is that of the dropout on the weights.
class Example {
 public:
  Example(const Inputs& inputs, double rate = 0)
      : in_(inputs), rate_(rate), attention_(random_, AttentionSettings{in_.q.cols(), in_.heads, rate}) {
    input("heads", static_cast<double>(in_.heads));
    input("q", in_.q);
    input("k", in_.k);
    input("v", in_.v);
    input("blocked", in_.mask);
  }
  void forward() {
    if (rate_ > 0) {
      show_dropout();
    }
    const Buffer<double>& context = attention_->forward(pass(), in_.q, in_.k, in_.v, in_.mask);
    output("weights", attention_->weights());
    output("context", context);
  }
  /// If `again`, a pass with other numbers comes first: d_q, d_k, d_v and the layer's buffers hold old numbers.
  void backward(bool again = false) {
    input("d_context", in_.d_context);
    if (rate_ > 0) {
      show_dropout();
    }
    Buffer<double> d_q(in_.q.rows(), in_.q.cols());
    Buffer<double> d_k(in_.k.rows(), in_.k.cols());
    Buffer<double> d_v(in_.v.rows(), in_.v.cols());
    if (again) {
      input("backward has run before: d_q, d_k and d_v hold old numbers", 1);
      Buffer<double> d_other(in_.k.rows(), in_.k.cols());
      attention_->forward(pass(), in_.k, in_.k, in_.k, all_visible(1, 1, in_.mask.keys()));
      attention_->backward(pass(), in_.v, d_other, d_k, d_v);
      d_q.fill(1);
    }
    attention_->forward(pass(), in_.q, in_.k, in_.v, in_.mask);
    attention_->backward(pass(), in_.d_context, d_q, d_k, d_v);
    output("d_v", d_v);
    output("d_q", d_q);
    output("d_k", d_k);
  }

 private:
  Pass pass() const { return rate_ > 0 ? kTrainingPass : Pass{}; }
  /// Dropout multiplies by these numbers: the same dropout, applied to a matrix of ones.
  void show_dropout() {
    Buffer<double> factors(in_.q.rows() * in_.heads, in_.mask.keys());
    factors.fill(1);
    SingleLayer<Dropout<double>>(random_, rate_, in_.heads)->forward_in_place(kTrainingPass, factors);
    input("dropout multiplies the weights by", factors);
  }

  Inputs in_;
  double rate_;
  RandomValues random_{1};
  SingleLayer<ScaledDotProductAttention<double>> attention_;
};

/// Two sentences with T queries and three keys each (in `grade`: four), and two heads of width 2. The last key is
/// padding, if `padded`.
Inputs two_sentences(Index T, bool padded) {
  RandomValues random = random_values(12);
  const auto rows = [&](Index count) { return round_numbers(random, count, 4, 0.5); };
  const Id last = padded ? 0 : 4;
  const auto ids = either<IdMatrix>({{5, 6, 8}, {7, 9, last}}, {{5, 6, 8, 4}, {7, 9, 5, last}});
  const Index S = ids.cols();
  Buffer<double> q = rows(2 * T), k = rows(2 * S), v = rows(2 * S);
  return {2, std::move(q), std::move(k), std::move(v), rows(2 * T), padding_mask(ids, 0)};
}

/// One sentence, two heads. One key is padding, and this key and its value are NaN.
Inputs blocked_nan() {
  return either<Inputs>({2,
                         {{1, 0, 2, 0}, {0, 1, 1, 1}},
                         {{1, 1, 0, 2}, {kNaN, kNaN, kNaN, kNaN}, {2, 0, 1, 0}},
                         {{1, 2, 3, 4}, {kNaN, kNaN, kNaN, kNaN}, {5, 6, 7, 8}},
                         {{1, 0, 0, 1}, {0, 1, 1, 0}},
                         padding_mask(IdMatrix{{5, 0, 6}}, 0)},
                        {2,
                         {{0, 2, 1, 0}},
                         {{2, 1, 0, 1}, {1, 0, 2, 0}, {kNaN, kNaN, kNaN, kNaN}},
                         {{4, 1, 2, 8}, {3, 7, 5, 6}, {kNaN, kNaN, kNaN, kNaN}},
                         {{1, 2, 0, 1}},
                         padding_mask(IdMatrix{{5, 6, 0}}, 0)});
}

/// One sentence with two queries and two keys (in `grade`: three), one head.
Inputs one_head() {
  return either<Inputs>({1,
                         {{2, 0, 0, 0}, {0, 0, 0, 0}},
                         {{1, 0, 0, 0}, {0, 1, 0, 0}},
                         {{3, 0, 0, 0}, {0, 1, 0, 0}},
                         {{1, 0, 0, 0}, {0, 2, 0, 0}},
                         all_visible(1, 1, 2)},
                        {1,
                         {{0, 2, 0, 0}, {0, 0, 1, 0}, {0, 0, 0, 0}},
                         {{1, 0, 0, 0}, {0, 1, 0, 0}, {0, 0, 3, 0}},
                         {{0, 4, 0, 0}, {2, 0, 0, 0}, {0, 1, 0, 0}},
                         {{1, 0, 0, 0}, {0, 2, 0, 0}, {0, 1, 0, 0}},
                         all_visible(1, 1, 3)});
}

}  // namespace

const std::vector<Case> cases = {
    {"forward, one head", "weights are the softmax of q . k / sqrt(d_head); the context is the sum of weight * value",
     [] {
       Example(either<Inputs>({1,
                               {{2, 0, 0, 0}},
                               {{1, 0, 0, 0}, {0, 1, 0, 0}},
                               {{10, 0, 0, 1}, {0, 10, 0, 1}},
                               {},
                               all_visible(1, 1, 2)},
                              {1,
                               {{0, 0, 4, 0}},
                               {{0, 1, 0, 0}, {0, 0, 1, 0}, {1, 0, 0, 0}},
                               {{10, 0, 1, 0}, {0, 10, 1, 0}, {0, 0, 1, 10}},
                               {},
                               all_visible(1, 1, 3)}))
           .forward();
     }},
    {"forward, two heads", "each head uses only its own d_head columns of q, k and v, and divides by sqrt(d_head)",
     [] {
       Example(either<Inputs>({2,
                               {{2, 0, 0, 1}},
                               {{1, 0, 0, 0}, {0, 1, 0, 2}},
                               {{10, 0, 0, 1}, {0, 10, 2, 0}},
                               {},
                               all_visible(1, 1, 2)},
                              {2,
                               {{0, 1, 2, 0}},
                               {{0, 2, 0, 1}, {1, 0, 2, 0}, {0, 1, 1, 1}},
                               {{10, 0, 0, 3}, {0, 10, 2, 0}, {5, 0, 1, 1}},
                               {},
                               all_visible(1, 1, 3)}))
           .forward();
     }},
    {"forward, two sentences", "head h of sentence b has the number b * H + h, and sees only the keys of its sentence",
     [] { Example(two_sentences(1, true)).forward(); }},
    {"forward, a blocked key and its value are NaN", "a blocked key has no effect, whatever it and its value hold",
     [] { Example(blocked_nan()).forward(); }},
    {"forward, with dropout", "the context uses the weights after dropout; weights() are those before dropout",
     [] { Example(two_sentences(2, false), kRate).forward(); }},
    {"backward, one head",
     "a number's gradient is a sum over all products that contain it; the scale is a factor in backward, too",
     [] { Example(one_head()).backward(); }},
    {"backward, two sentences, two heads",
     "each head's gradients go to its own columns, in the rows of its own sentence",
     [] { Example(two_sentences(1, true)).backward(); }},
    {"backward, a blocked key and its value are NaN", "a blocked key gets a gradient of 0, and d_q is not NaN",
     [] { Example(blocked_nan()).backward(); }},
    {"backward, with dropout", "backward goes through the steps of forward in reverse: dropout first, then softmax",
     [] { Example(two_sentences(2, false), kRate).backward(); }},
    {"backward, old numbers", "d_q, d_k and d_v are overwritten: they may hold the numbers of an older batch",
     [] { Example(two_sentences(1, true)).backward(true); }},
};

}  // namespace glassformer::labs
