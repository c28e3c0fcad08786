// The whole transformer in one file: an encoder-decoder (Vaswani et al. 2017, "Attention Is All You Need") that learns
// to translate English into German, with a hand-written backward pass, in plain C++20: loops, arrays, standard library.
//
//   c++ -std=c++20 -O3 -ffp-contract=off examples/one_file/transformer.cpp -o transformer
//   ./transformer                      50 updates; run it from the root of the repository, it takes half a minute
//   ./transformer 1350 data/toy        number of updates, directory with the texts and digests.txt
//   ./transformer gradients data/toy   checks the backward pass
//
// It trains on data/toy as `glassformer train configs/toy.yaml` does, and then translates three sentences. After 50
// updates, it has learned little more than which words are frequent. The complete training takes 1350 updates; then the
// translations are almost perfect.
//
// Does glassformer, with its threads and vector instructions, really compute what you read here? You can check.
// data/toy/digests.txt has a digest of each of its weight tensors (matrices and vectors) after 0, 1, 50 and 1350
// updates: the first 16 hexadecimal digits of the SHA-256 of its values. This program computes the same digests and
// compares them. One wrong bit in billions of operations would almost certainly change them.
//
// Are the derivatives right? Both programs could make the same mistake. So `gradients` nudges the weights and compares
// the change of the loss with the gradient.
//
// The exit status is 0 if the check passes, 1 if it fails, and 2 if an argument or a file is wrong.
//
// To get the same bits, both programs follow three rules:
//
// 1. Every operation on floats is rounded as it is written: a * b + c is rounded twice, std::fma(a, b, c) only once.
//    (-ffp-contract=off stops the compiler from turning the first into the second.)
// 2. Every sum of floats has a fixed order, because (a + b) + c is not always a + (b + c).
// 3. Some numbers are computed in double precision, then rounded to floats. Another order of a sum or another machine's
//    std::sin can change a double's last bits, but rounding hides them. (A rare exception would show in a digest.)
//
// How to read: from top to bottom. The transformer itself is in sections 5 to 7, about 600 of the 1500 lines. If you
// know what a vocabulary and a batch are, skip section 2; if you trust the arithmetic, skip 3. On a first reading, also
// skip 8, 9 and 13, and the bodies of random_words and Dropout::forward.
//
//   1  settings                          2  text and batches   3  arithmetic         4  parameters, random numbers
//   5  masks                             6  layers             7  the transformer    8  initial weights
//   9  which sentences train together   10  training          11  translation       12  gradient check
//  13  digests, main
//
// Each layer is a struct: its parameters, what forward saves for backward, forward, backward. d_x is always the
// derivative of the mean loss with respect to x.
//
// Shapes in comments: B sentences, S source length, T target length, D width of a token's vector, F width inside the
// feed-forward network, H heads, V words in the vocabulary. A matrix [N, D] has one row per token, N = B*T or B*S:
// token t of sentence b is in row b * T + t. In equations, x_nj is the number in row n and column j, and W^T is W
// transposed. In attention, V is the values, not the vocabulary.
//
//   source [B, S]                target_input [B, T]
//        |                               |
//   source embedding             target embedding
//        | [B*S, D]                      | [B*T, D]
//   encoder layers -- memory ->  decoder layers
//                    [B*S, D]            | state [B*T, D]
//                                output
//                                        | logits [B*T, V]
//   target_output [B, T] ----->  cross-entropy
//                                        |
//                                      loss
//
// Differences from the paper:
//
// - The vector of a position has all sines first, then all cosines; the paper alternates them.
// - Source and target have separate embeddings.
// - The peak of the learning rate is a setting; in the paper, it follows from D and the warm-up.
// - The gradient is clipped.
// - The search is greedy, without a beam.
//
// Then try something: change H, let a mask block nothing, or set dropout_rate to 0. The digests will differ, but the
// gradients must still be right.

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <deque>
#include <exception>
#include <fstream>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <random>
#include <set>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

namespace {

using Index = std::size_t;  // an index, a size, or the id of a word

// --- 1. Settings -----------------------------------------------------------------------------------------------------

// The values are those of configs/toy.yaml. (That config also limits the lengths of sentences and the
// sizes of vocabularies, but the toy is far below these limits.)
constexpr Index D = 64;   // d_model
constexpr Index F = 256;  // d_ff
constexpr Index H = 4;    // heads
constexpr Index head_width = D / H;
constexpr Index encoder_layers = 2;
constexpr Index decoder_layers = 2;
constexpr double dropout_rate = 0.1;
constexpr double label_smoothing = 0.1;  // section 6

constexpr std::uint32_t seed = 1;
constexpr Index max_tokens = 2048;         // per batch, with padding: the larger of its source and target tokens
constexpr Index shards = 8;                // parts of a batch, which glassformer computes in parallel (section 10)
constexpr Index micro_batch_tokens = 512;  // about how many tokens of a shard are computed at a time
constexpr double clip_norm = 1;            // the largest norm of a gradient (section 10)
constexpr double beta1 = 0.9;
constexpr double beta2 = 0.98;
constexpr double adam_epsilon = 1e-9;
constexpr double peak_rate = 0.002;  // the learning rate after the warm-up (section 10)
constexpr double initial_rate = 1e-7;
constexpr double warmup = 400;  // updates

// The first four ids of a vocabulary are not words.
constexpr Index pad = 0;  // fills sentences up to the length of the longest in their batch
constexpr Index bos = 1;  // "beginning of sentence", begins the decoder's input
constexpr Index eos = 2;  // "end of sentence", ends every sentence
constexpr Index unk = 3;  // stands for unknown words

// --- 2. Text and batches ---------------------------------------------------------------------------------------------

using Lines = std::vector<std::string>;
using Sentence = std::vector<Index>;  // the ids of its words, then eos

Lines read_lines(const std::string& path) {
  std::ifstream file(path);
  Lines lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  if (lines.empty()) {
    throw std::runtime_error(path + ": expected a text file, but it cannot be read or is empty. Run this program " +
                             "from the root of the repository, or name the directory of the texts.");
  }
  return lines;
}

std::vector<std::string> split_words(const std::string& line) {
  std::istringstream stream(line);
  std::vector<std::string> words;
  for (std::string word; stream >> word;) {
    words.push_back(word);
  }
  return words;
}

struct Vocabulary {
  std::vector<std::string> words = {"<pad>", "<s>", "</s>", "<unk>"};  // [V] by id
  std::map<std::string, Index> ids;                                    // the reverse, for words only

  // All words of the text, the most frequent first, then in alphabetical order (of their bytes).
  explicit Vocabulary(const Lines& lines) {
    std::map<std::string, Index> counts;  // in alphabetical order
    for (const std::string& line : lines) {
      for (const std::string& word : split_words(line)) {
        ++counts[word];
      }
    }
    for (const auto& [word, count] : counts) {
      words.push_back(word);
    }
    std::stable_sort(words.begin() + 4, words.end(),
                     [&](const std::string& a, const std::string& b) { return counts[a] > counts[b]; });
    for (Index id = 4; id < words.size(); ++id) {
      ids[words[id]] = id;
    }
  }

  Sentence encode(const std::string& line) const {
    Sentence sentence;
    for (const std::string& word : split_words(line)) {
      const auto known = ids.find(word);
      sentence.push_back(known != ids.end() ? known->second : unk);
    }
    sentence.push_back(eos);
    return sentence;
  }

  std::string decode(const Sentence& sentence) const {
    std::string line;
    for (const Index id : sentence) {
      line += (line.empty() ? "" : " ") + words[id];
    }
    return line;
  }
};

struct SentencePair {
  std::uint32_t number;  // its line in the text, counted from 0
  Sentence source;
  Sentence target;
};
using Pairs = std::vector<SentencePair>;  // a text, a batch, or a part of one

// Several sentences; after `padded`, all of the same length.
using Tokens = std::vector<Sentence>;  // [B, T], or [B, S] for sources

// Pads all sentences to the length of the longest.
Tokens padded(Tokens sentences) {
  Index length = 0;
  for (const Sentence& sentence : sentences) {
    length = std::max(length, sentence.size());
  }
  for (Sentence& sentence : sentences) {
    sentence.resize(length, pad);
  }
  return sentences;
}

// The id of token n, counting across all sentences: the token in row n of a matrix.
Index id_at(const Tokens& tokens, Index n) { return tokens[n / tokens[0].size()][n % tokens[0].size()]; }

//   source         the   dog   sleeps  .     eos        what the encoder reads
//   target_input   bos   der   hund    schläft  .       what the decoder reads: the target shifted right
//   target_output  der   hund  schläft .     eos        what it must predict at each position
struct Batch {
  Tokens source;         // [B, S]
  Tokens target_input;   // [B, T]
  Tokens target_output;  // [B, T]
};

Batch make_batch(const Pairs& pairs) {
  Batch batch;
  for (const SentencePair& pair : pairs) {
    Sentence shifted = {bos};
    shifted.insert(shifted.end(), pair.target.begin(), pair.target.end() - 1);
    batch.source.push_back(pair.source);
    batch.target_input.push_back(shifted);
    batch.target_output.push_back(pair.target);
  }
  return {padded(batch.source), padded(batch.target_input), padded(batch.target_output)};
}

// --- 3. Arithmetic ---------------------------------------------------------------------------------------------------

// exp(x) for x <= 0, made of operations that give the same bits on every machine, which std::exp does not:
//
//   exp(x) = 2^n exp(r)        with x = n ln 2 + r, n an integer and |r| <= ln 2 / 2
//
// For such an r, a polynomial is accurate: exp(r) = 1 + r + r^2 (1/2 + r/6 + r^2/24 + ...), with slightly changed
// coefficients that make up for the missing terms.
float exponential(float x) {
  constexpr float to_integer = 0x1.8p23F;  // adding and subtracting it rounds to an integer
  x = std::max(x, -104.0F);                // below, the result is 0
  const float n = std::fma(x, 0x1.715476p0F, to_integer) - to_integer;           // x / ln 2, rounded
  const float r = std::fma(n, -0x1.7f7d1cp-20F, std::fma(n, -0x1.62e4p-1F, x));  // x - n ln 2, with ln 2 in two parts
  float polynomial = 0;
  for (const float c : {0.00138146957592F, 0.00836878496527F, 0.0416683915718F, 0.166665200703F, 0.499999934178F}) {
    polynomial = std::fma(polynomial, r, c);
  }
  const float y = std::fma(r * r, polynomial, r) + 1;
  return std::ldexp(y, static_cast<int>(n));
}

// The sums along a row have sixteen parts: number j belongs to part j mod 16. (glassformer adds 4, 8 or 16 numbers at
// a time with vector instructions; with sixteen parts, the result is always the same.) At the end, the parts are
// added in pairs: k and k + 8, then k and k + 4, k + 2 and k + 1.
float combine(std::array<float, 16> parts) {
  for (Index half = 8; half > 0; half /= 2) {
    for (Index k = 0; k < half; ++k) {
      parts[k] += parts[k + half];
    }
  }
  return parts[0];
}

float sum(std::span<const float> x) {
  std::array<float, 16> parts = {};
  for (Index j = 0; j < x.size(); ++j) {
    parts[j % 16] += x[j];
  }
  return combine(parts);
}

// The sum over j of x_j y_j.
float dot(std::span<const float> x, std::span<const float> y) {
  std::array<float, 16> parts = {};
  for (Index j = 0; j < x.size(); ++j) {
    parts[j % 16] = std::fma(x[j], y[j], parts[j % 16]);
  }
  return combine(parts);
}

// Each x_j becomes exp(x_j) / sum over k of exp(x_k). Subtracting the largest number first does not change the result,
// but keeps exp finite.
void softmax(std::span<float> x) {
  const float largest = *std::max_element(x.begin(), x.end());
  for (float& number : x) {
    number = exponential(number - largest);
  }
  const float factor = 1 / sum(x);
  for (float& number : x) {
    number *= factor;
  }
}

struct Matrix {
  Index rows = 0;
  Index cols = 0;
  std::vector<float> numbers;  // row after row

  Matrix() = default;
  Matrix(Index row_count, Index col_count) : rows(row_count), cols(col_count), numbers(rows * cols) {}  // zeros
  float& operator()(Index i, Index j) { return numbers[i * cols + j]; }
  float operator()(Index i, Index j) const { return numbers[i * cols + j]; }
  std::span<float> row(Index i) { return {numbers.data() + i * cols, cols}; }
  std::span<const float> row(Index i) const { return {numbers.data() + i * cols, cols}; }
};

// For matrices, +, * and transposed mean what they mean in equations.
Matrix transposed(const Matrix& x) {
  Matrix y(x.cols, x.rows);
  for (Index i = 0; i < x.rows; ++i) {
    for (Index j = 0; j < x.cols; ++j) {
      y(j, i) = x(i, j);
    }
  }
  return y;
}

Matrix operator+(const Matrix& x, const Matrix& y) {
  Matrix z(x.rows, x.cols);
  for (Index i = 0; i < z.numbers.size(); ++i) {
    z.numbers[i] = x.numbers[i] + y.numbers[i];
  }
  return z;
}

Matrix elementwise_product(const Matrix& x, const Matrix& y) {
  Matrix z(x.rows, x.cols);
  for (Index i = 0; i < z.numbers.size(); ++i) {
    z.numbers[i] = x.numbers[i] * y.numbers[i];
  }
  return z;
}

Matrix operator*(float factor, Matrix x) {
  for (float& number : x.numbers) {
    number *= factor;
  }
  return x;
}

// c += a b, with a [N, K], b [K, M], c [N, M]:  c_nm = c_nm + a_n0 b_0m + a_n1 b_1m + ..., from left to right, with one
// rounding per term.  This takes nearly all of the time. The innermost loop runs over m, so that the compiler can use
// vector instructions (g++ does so with -O3). Not every x86 processor has an instruction for std::fma, so the function
// is compiled there with it and without, and the program picks the version that runs. (glassformer cuts sums of more
// than 512 terms into parts; here, none is so long.)
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__FMA__)
[[gnu::target_clones("fma", "default")]]
#endif
void add_product(const Matrix& a, const Matrix& b, Matrix& c) {
  for (Index n = 0; n < a.rows; ++n) {
    float* const row = &c.numbers[n * c.cols];
    for (Index k = 0; k < a.cols; ++k) {
      const float a_nk = a(n, k);
      for (Index m = 0; m < b.cols; ++m) {
        row[m] = std::fma(a_nk, b(k, m), row[m]);
      }
    }
  }
}

Matrix operator*(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows, b.cols);
  add_product(a, b, c);
  return c;
}

// --- 4. Parameters and random numbers --------------------------------------------------------------------------------

// What a tensor is for decides its initial weights (section 8).
enum class Role { embedding, query_key_value, linear, bias, gain };

struct Parameter {
  std::string name;  // as in the Marian models of Hugging Face, a format that glassformer saves
  Role role;
  Matrix value;           // the weights; a vector is a matrix with one row
  Matrix gradient;        // the derivative of the loss with respect to them; each backward adds its part
  Matrix total_gradient;  // of a whole batch (this and the next two: section 10)
  Matrix m;               // means of recent gradients and of their squares
  Matrix v;
};
using Parameters = std::deque<Parameter>;  // a deque never moves its elements, so layers can point to them

Parameter* add_parameter(Parameters& all, const std::string& name, Role role, Index rows, Index cols) {
  const Matrix zeros(rows, cols);
  all.push_back({name, role, zeros, zeros, zeros, zeros, zeros});
  return &all.back();
}

// Where a row of random numbers is used. The generator has no state: the numbers depend only on this place and on the
// seed. So a sentence gets the same dropout in any batch, in any shard and on any thread.
struct Place {
  std::uint32_t update = 0;    // 0 before training
  std::uint32_t site = 0;      // the number of the dropout or of the matrix
  std::uint32_t sentence = 0;  // its number in the text
  std::uint32_t row = 0;       // of the sentence or of the matrix
};

// Four random words of 32 bits for one counter value, which stands for a column in dropout and for four columns in
// `uniform`: Philox4x32-10 (Salmon et al. 2011).
std::array<std::uint32_t, 4> random_words(const Place& place, Index counter) {
  std::array<std::uint32_t, 4> words = {static_cast<std::uint32_t>(counter), place.row, place.sentence, place.site};
  std::uint32_t key0 = seed;
  std::uint32_t key1 = place.update;
  for (int round = 0; round < 10; ++round) {
    const std::uint64_t left = std::uint64_t{words[0]} * 0xD2511F53;
    const std::uint64_t right = std::uint64_t{words[2]} * 0xCD9E8D57;
    words = {static_cast<std::uint32_t>(right >> 32) ^ words[1] ^ key0, static_cast<std::uint32_t>(right),
             static_cast<std::uint32_t>(left >> 32) ^ words[3] ^ key1, static_cast<std::uint32_t>(left)};
    key0 += 0x9E3779B9;
    key1 += 0xBB67AE85;
  }
  return words;
}

// Number j of the row, uniform in [0, 1), from the upper 24 bits of a word.
double uniform(const Place& place, Index j) { return (random_words(place, j / 4)[j % 4] >> 8) * 0x1p-24; }

// --- 5. Masks --------------------------------------------------------------------------------------------------------

// In attention, a token reads from other tokens. The token that reads is called the query; those that it reads from are
// the keys. A mask says which keys a query must not see: 1 = blocked, 0 = visible. There are three:
//
//   encoder_padding   [B, S, S]  encoder self-attention: blocks padding in the source
//   decoder_combined  [B, T, T]  decoder self-attention: blocks padding in the target, and the future of each query
//   cross_padding     [B, T, S]  cross-attention, in which target tokens read from the source: blocks its padding
//
// The second, for the target "der hund" and one token of padding:
//
//   query   keys:  bos  der  hund  pad
//   bos             0    1    1     1
//   der             0    0    1     1
//   hund            0    0    0     1
//   pad             0    0    0     1       (the loss ignores what a padding query finds)
struct Mask {
  Tokens keys;              // [B, S]
  bool look_ahead = false;  // true: blocks the future, too

  bool is_blocked(Index b, Index query, Index key) const { return keys[b][key] == pad || (look_ahead && key > query); }
};

// --- 6. Layers -------------------------------------------------------------------------------------------------------

// What dropout has to know about a pass; forward saves the rest.
struct Pass {
  bool training = false;  // if not, there is no dropout
  std::uint32_t update = 0;
  std::vector<std::uint32_t> sentences;  // [B] the number of each sentence in the text
};

// Dropout (Srivastava et al. 2014): in training, each number becomes 0 with probability `rate`. The others grow, so
// that the expected value stays the same:
//
//   y = x * factor        factor = 0 or 1 / (1 - rate)
struct Dropout {
  std::uint32_t site;  // the number of this dropout
  Matrix factor;       // [N, D] saved by forward

  explicit Dropout(std::uint32_t its_site) : site(its_site) {}

  // One decision takes 16 random bits. A column's four words have eight times as many, so they are shared by eight
  // consecutive tokens: token t takes half of word (t % 8) / 2 in the row of the first of them, (t / 8) * 8. This is
  // only to reproduce glassformer's bits; any random bits would do.
  Matrix forward(const Pass& pass, const Matrix& x) {
    if (!pass.training) {
      return x;
    }
    const long threshold = std::lround(dropout_rate * 0x1p16);  // 16-bit numbers below it are dropped
    const Index length = x.rows / pass.sentences.size();
    factor = Matrix(x.rows, x.cols);
    for (Index n = 0; n < x.rows; ++n) {
      const Index t = n % length;
      const Place place = {pass.update, site, pass.sentences[n / length], static_cast<std::uint32_t>((t / 8) * 8)};
      for (Index j = 0; j < x.cols; ++j) {
        const std::uint32_t word = random_words(place, j)[(t % 8) / 2];
        const std::uint32_t half = t % 2 == 0 ? word & 0xFFFF : word >> 16;
        factor(n, j) = half < threshold ? 0 : static_cast<float>(1 / (1 - dropout_rate));
      }
    }
    return elementwise_product(x, factor);
  }

  // y = x * factor, so  d_x = d_y * factor
  Matrix backward(const Matrix& d_y) const { return elementwise_product(d_y, factor); }
};

// The position of a token in its sentence, as a vector (Vaswani et al. 2017, section 3.5):
//
//   position[t, i]       = sin(t / 10000^(2i / D))        i = 0 .. D/2 - 1
//   position[t, D/2 + i] = cos(t / 10000^(2i / D))
Matrix positions(Index length) {
  Matrix position(length, D);
  for (Index i = 0; i < D / 2; ++i) {
    const double divisor = std::pow(10000.0, 2 * static_cast<double>(i) / D);
    for (Index t = 0; t < length; ++t) {
      const double angle = static_cast<double>(t) / divisor;
      position(t, i) = static_cast<float>(std::sin(angle));
      position(t, D / 2 + i) = static_cast<float>(std::cos(angle));
    }
  }
  return position;
}

// x = dropout(embedded)        embedded[b, t] = sqrt(D) * table[id[b, t]] + position[t]
//
// The table starts with numbers of about 1 / sqrt(D) (section 8). The factor sqrt(D) makes them about as large as those
// of the position (Vaswani et al. 2017, section 3.4).
//
// Padding gets a vector, too, but it affects nothing: the masks block it as a key, and the loss ignores it.
struct Embedding {
  const float scale = std::sqrt(static_cast<float>(D));
  Parameter* table;  // [V, D]
  Dropout dropout;
  Tokens tokens;  // [B, T] saved by forward

  Embedding(Parameters& all, const std::string& name, Index words, std::uint32_t site)
      : table(add_parameter(all, name, Role::embedding, words, D)), dropout(site) {}

  // Maps tokens [B, T] to x [B*T, D].
  Matrix forward(const Pass& pass, const Tokens& input) {
    tokens = input;
    const Index T = tokens[0].size();
    const Matrix position = positions(T);
    Matrix embedded(tokens.size() * T, D);
    for (Index n = 0; n < embedded.rows; ++n) {
      const Index id = id_at(tokens, n);
      for (Index j = 0; j < D; ++j) {
        embedded(n, j) = scale * table->value(id, j) + position(n % T, j);
      }
    }
    return dropout.forward(pass, embedded);
  }

  void backward(const Matrix& d_x) const {
    // x = dropout(embedded)
    const Matrix d_embedded = dropout.backward(d_x);
    // embedded_n = sqrt(D) * table[id_n] + position_t.  All tokens with this id read this row: their gradients add up.
    for (Index n = 0; n < d_x.rows; ++n) {
      const Index id = id_at(tokens, n);
      for (Index j = 0; j < D; ++j) {
        table->gradient(id, j) += scale * d_embedded(n, j);
      }
    }
  }
};

// y = x W^T + b        W [out, in], as torch.nn.Linear stores it
struct Linear {
  Parameter* weight;  // [out, in]
  Parameter* bias;    // [1, out]
  Matrix x;           // [N, in] saved by forward

  Linear(Parameter* its_weight, Parameter* its_bias) : weight(its_weight), bias(its_bias) {}
  Linear(Parameters& all, const std::string& name, Role role, Index in, Index out)
      : weight(add_parameter(all, name + ".weight", role, out, in)),
        bias(add_parameter(all, name + ".bias", Role::bias, 1, out)) {}

  // Maps x [N, in] to y [N, out].
  Matrix forward(const Matrix& input) {
    x = input;
    Matrix y = x * transposed(weight->value);
    for (Index n = 0; n < y.rows; ++n) {
      for (Index k = 0; k < y.cols; ++k) {
        y(n, k) += bias->value(0, k);
      }
    }
    return y;
  }

  // y_nk = b_k + sum over i of x_ni W_ki
  //
  // Chain rule: the gradient of a number z is the sum, over all y_nk that contain z, of d_y_nk * dy_nk/dz.
  //
  // Adds to d_x instead of returning it: in attention, several maps share the same x, and d_x is one long sum.
  void backward(const Matrix& d_y, Matrix& d_x) const {
    // b_k is in y_nk for every row n:  d_b_k = sum over n of d_y_nk
    for (Index n = 0; n < d_y.rows; ++n) {
      for (Index k = 0; k < d_y.cols; ++k) {
        bias->gradient(0, k) += d_y(n, k);
      }
    }
    // W_ki is in y_nk for every row n:  d_W_ki = sum over n of d_y_nk x_ni, that is,  d_W = d_y^T x   [out, in]
    weight->gradient = weight->gradient + transposed(d_y) * x;
    // x_ni is in y_nk for every output k:  d_x_ni = sum over k of d_y_nk W_ki, that is,  d_x = d_y W   [N, in]
    add_product(d_y, weight->value, d_x);
  }
};

// weight_j = exp(score_j) / sum over k of exp(score_k), over the keys that a query may see.  Maps the scores [T, S] of
// one head of sentence b to weights [T, S]. A blocked score becomes -infinity, so its weight is exactly 0.
Matrix masked_softmax(Matrix scores, const Mask& mask, Index b) {
  for (Index t = 0; t < scores.rows; ++t) {
    for (Index s = 0; s < scores.cols; ++s) {
      if (mask.is_blocked(b, t, s)) {
        scores(t, s) = -std::numeric_limits<float>::infinity();
      }
    }
    softmax(scores.row(t));
  }
  return scores;
}

// Raising one score raises its weight and lowers all others. With weight_k = exp(score_k) / Z, the quotient rule gives
// dweight_k/dscore_j = weight_k ([k = j] - weight_j), where [k = j] is 1 if k = j and otherwise 0. Summed over all
// weights of the row:
//
//   d_score_j = sum over k of d_weight_k weight_k ([k = j] - weight_j)
//             = weight_j (d_weight_j - sum over k of weight_k d_weight_k)        0 for a blocked key: its weight is 0
Matrix masked_softmax_backward(const Matrix& weights, const Matrix& d_weights) {
  Matrix d_scores(weights.rows, weights.cols);
  for (Index t = 0; t < weights.rows; ++t) {
    const float weighted_sum = dot(weights.row(t), d_weights.row(t));
    for (Index s = 0; s < weights.cols; ++s) {
      d_scores(t, s) = weights(t, s) * (d_weights(t, s) - weighted_sum);
    }
  }
  return d_scores;
}

// The part of a matrix [B*T, D] that belongs to head h of sentence b, [T, head_width]: head h owns the head_width
// columns that start at h * head_width.
Matrix head_of(const Matrix& x, Index b, Index h, Index T) {
  Matrix head(T, head_width);
  for (Index t = 0; t < T; ++t) {
    for (Index j = 0; j < head_width; ++j) {
      head(t, j) = x(b * T + t, h * head_width + j);
    }
  }
  return head;
}

// The reverse: copies a head [T, head_width] to its place in x [B*T, D].
void set_head(Matrix& x, Index b, Index h, const Matrix& head) {
  for (Index t = 0; t < head.rows; ++t) {
    for (Index j = 0; j < head_width; ++j) {
      x(b * head.rows + t, h * head_width + j) = head(t, j);
    }
  }
}

// Multi-head attention (Vaswani et al. 2017, section 3.2). Each token of x reads from the tokens of `memory`, its
// keys. In self-attention, memory is x itself; in cross-attention, it is the encoder's output.
//
//   Q = x Wq^T        K = memory Wk^T        V = memory Wv^T        (biases omitted)
//
//   for each head h of each sentence, with the columns j = h * head_width .. (h + 1) * head_width - 1:
//     scores  = Q K^T / sqrt(head_width)     [T, S]            scores_ts  = sum over j of Q_tj K_sj / sqrt(head_width)
//     weights = masked softmax of scores     [T, S]
//     context = weights V                    [T, head_width]   context_tj = sum over s of weights_ts V_sj
//
//   y = context Wo^T                         the contexts of all heads, side by side
struct Attention {
  const float scale = 1 / std::sqrt(static_cast<float>(head_width));
  Linear q_proj;  // all are maps from D to D
  Linear k_proj;
  Linear v_proj;
  Linear out_proj;
  Matrix q;                     // [B*T, D] saved by forward, as are the others
  Matrix k;                     // [B*S, D] S: the number of keys; in decoder self-attention, T
  Matrix v;                     // [B*S, D]
  std::vector<Matrix> weights;  // [T, S] for each head of each sentence

  Attention(Parameters& all, const std::string& name)
      : q_proj(all, name + ".q_proj", Role::query_key_value, D, D),
        k_proj(all, name + ".k_proj", Role::query_key_value, D, D),
        v_proj(all, name + ".v_proj", Role::query_key_value, D, D),
        out_proj(all, name + ".out_proj", Role::linear, D, D) {}

  // Maps x [B*T, D] and memory [B*S, D] to y [B*T, D].
  Matrix forward(const Matrix& x, const Matrix& memory, const Mask& mask) {
    q = q_proj.forward(x);
    k = k_proj.forward(memory);
    v = v_proj.forward(memory);
    weights.clear();
    Matrix context(x.rows, D);
    const Index B = mask.keys.size();
    const Index S = mask.keys[0].size();
    const Index T = x.rows / B;
    for (Index b = 0; b < B; ++b) {
      for (Index h = 0; h < H; ++h) {
        const Matrix scores = scale * (head_of(q, b, h, T) * transposed(head_of(k, b, h, S)));
        weights.push_back(masked_softmax(scores, mask, b));
        set_head(context, b, h, weights.back() * head_of(v, b, h, S));
      }
    }
    return out_proj.forward(context);
  }

  // Adds to d_x and d_memory. In self-attention, both are the same matrix.
  void backward(const Matrix& d_y, Matrix& d_x, Matrix& d_memory) const {
    // y = context Wo^T
    Matrix d_context(q.rows, D);
    out_proj.backward(d_y, d_context);
    Matrix d_q(q.rows, D);
    Matrix d_k(k.rows, D);
    Matrix d_v(v.rows, D);
    for (Index i = 0; i < weights.size(); ++i) {
      const Index b = i / H;
      const Index h = i % H;
      const Index T = weights[i].rows;
      const Index S = weights[i].cols;
      // context = weights V:  d_V = weights^T d_context        d_weights = d_context V^T
      const Matrix d_head_context = head_of(d_context, b, h, T);
      set_head(d_v, b, h, transposed(weights[i]) * d_head_context);
      const Matrix d_weights = d_head_context * transposed(head_of(v, b, h, S));
      // weights = masked softmax of scores
      const Matrix d_scores = masked_softmax_backward(weights[i], d_weights);
      // scores = products / sqrt(head_width), products = Q K^T:  d_Q = d_products K        d_K = d_products^T Q
      const Matrix d_products = scale * d_scores;
      set_head(d_q, b, h, d_products * head_of(k, b, h, S));
      set_head(d_k, b, h, transposed(d_products) * head_of(q, b, h, T));
    }
    // Q = x Wq^T, K = memory Wk^T, V = memory Wv^T
    q_proj.backward(d_q, d_x);
    k_proj.backward(d_k, d_memory);
    v_proj.backward(d_v, d_memory);
  }
};

// Layer normalisation (Ba, Kiros & Hinton 2016), for each row:
//
//   x_hat = (x - mean(x)) / sqrt(var(x) + epsilon)        y = gain * x_hat + bias
//
// var divides by D, not by D - 1.
struct LayerNorm {
  static constexpr float epsilon = 1e-5F;
  static constexpr float width = D;  // as a float, to divide by
  Parameter* gain;                   // [1, D]
  Parameter* bias;                   // [1, D]
  Matrix x_hat;                      // [N, D] saved by forward
  std::vector<float> inv_std;        // [N] 1 / sqrt(var + epsilon), saved by forward

  LayerNorm(Parameters& all, const std::string& name)
      : gain(add_parameter(all, name + ".weight", Role::gain, 1, D)),
        bias(add_parameter(all, name + ".bias", Role::bias, 1, D)) {}

  Matrix forward(const Matrix& x) {
    x_hat = Matrix(x.rows, D);
    inv_std.resize(x.rows);
    Matrix y(x.rows, D);
    for (Index n = 0; n < x.rows; ++n) {
      const float mean = sum(x.row(n)) / width;
      std::array<float, D> deviation = {};
      for (Index j = 0; j < D; ++j) {
        deviation[j] = x(n, j) - mean;
      }
      const float variance = dot(deviation, deviation) / width;
      inv_std[n] = 1 / std::sqrt(variance + epsilon);
      for (Index j = 0; j < D; ++j) {
        x_hat(n, j) = deviation[j] * inv_std[n];
        y(n, j) = gain->value(0, j) * x_hat(n, j) + bias->value(0, j);
      }
    }
    return y;
  }

  Matrix backward(const Matrix& d_y) const {
    Matrix d_x(d_y.rows, D);
    std::array<float, D> d_xhat = {};
    for (Index n = 0; n < d_y.rows; ++n) {
      // y = gain * x_hat + bias.  All rows share gain and bias, so their gradients add up.
      for (Index j = 0; j < D; ++j) {
        gain->gradient(0, j) += d_y(n, j) * x_hat(n, j);
        bias->gradient(0, j) += d_y(n, j);
        d_xhat[j] = d_y(n, j) * gain->value(0, j);
      }
      // x_hat_i = inv_std (x_i - mean).  x_j affects x_hat_j itself, and all x_hat_i through the mean and the variance:
      //   var = mean of (x_i - mean)^2, so dinv_std/dx_j = -inv_std^2 x_hat_j / D; with x_i - mean = x_hat_i / inv_std:
      //   dx_hat_i/dx_j = inv_std ([i = j] - 1/D - x_hat_i x_hat_j / D)
      //   d_x_j = sum over i of d_xhat_i dx_hat_i/dx_j = inv_std (d_xhat_j - mean(d_xhat) - x_hat_j mean(d_xhat x_hat))
      const float via_mean = sum(d_xhat) / width;
      const float via_variance = dot(d_xhat, x_hat.row(n)) / width;
      for (Index j = 0; j < D; ++j) {
        d_x(n, j) = inv_std[n] * (d_xhat[j] - via_mean - x_hat(n, j) * via_variance);
      }
    }
    return d_x;
  }
};

// y = max(0, x W1^T + b1) W2^T + b2, for each token separately (Vaswani et al. 2017, section 3.3)
struct FeedForward {
  Linear fc1;  // W1 and b1, from D to F
  Linear fc2;  // W2 and b2, from F to D

  FeedForward(Parameters& all, const std::string& name)
      : fc1(all, name + ".fc1", Role::linear, D, F), fc2(all, name + ".fc2", Role::linear, F, D) {}

  Matrix forward(const Matrix& x) {
    Matrix activated = fc1.forward(x);
    for (float& number : activated.numbers) {
      number = std::max(number, 0.0F);
    }
    return fc2.forward(activated);
  }

  Matrix backward(const Matrix& d_y) const {
    // y = activated W2^T + b2
    const Matrix& activated = fc2.x;
    Matrix d_activated(d_y.rows, F);
    fc2.backward(d_y, d_activated);
    // activated = max(0, expanded).  The slope is 1 where expanded > 0, otherwise 0.
    Matrix d_expanded(d_y.rows, F);
    for (Index i = 0; i < activated.numbers.size(); ++i) {
      d_expanded.numbers[i] = activated.numbers[i] > 0 ? d_activated.numbers[i] : 0;
    }
    // expanded = x W1^T + b1
    Matrix d_x(d_y.rows, D);
    fc1.backward(d_expanded, d_x);
    return d_x;
  }
};

// A logit is the decoder's score for a word as the next one. Softmax turns the logits of a token into probabilities p.
// Cross-entropy with label smoothing compares them with the expected token, summed over all tokens but padding:
//
//   p_v  = exp(logit_v) / sum over k of exp(logit_k)
//   loss = - sum over v of q_v log p_v        q_v = 1 - smoothing + smoothing / V   if v is the expected token
//                                             q_v = smoothing / V                   if not
struct CrossEntropy {
  Matrix p;         // [B*T, V] saved by forward
  Tokens expected;  // [B, T] saved by forward

  double forward(const Matrix& logits, const Tokens& target_output) {
    p = logits;
    expected = target_output;
    const double everywhere = label_smoothing / static_cast<double>(p.cols);
    double loss = 0;
    for (Index n = 0; n < p.rows; ++n) {
      softmax(p.row(n));
      const Index token = id_at(expected, n);
      if (token != pad) {
        for (Index v = 0; v < p.cols; ++v) {
          const double q = v == token ? 1 - label_smoothing + everywhere : everywhere;
          // p > 0, because smoothing keeps a row's logits close together.
          loss -= q * std::log(static_cast<double>(p(n, v)));
        }
      }
    }
    return loss;
  }

  // log p_v = logit_v - log sum over k of exp(logit_k), so dlog p_v/dlogit_j = [v = j] - p_j
  //
  //   dloss/dlogit_j = - sum over v of q_v ([v = j] - p_j) = p_j - q_j        (the q_v sum to 1)
  Matrix backward(float d_loss) const {
    const auto everywhere = static_cast<float>(label_smoothing / static_cast<double>(p.cols));
    const auto at_expected = static_cast<float>(1 - label_smoothing);
    Matrix d_logits(p.rows, p.cols);
    for (Index n = 0; n < p.rows; ++n) {
      const Index token = id_at(expected, n);
      if (token != pad) {
        // p_j - smoothing / V; the expected token also loses 1 - smoothing.
        for (Index v = 0; v < p.cols; ++v) {
          d_logits(n, v) = d_loss * (p(n, v) - everywhere);
        }
        d_logits(n, token) -= d_loss * at_expected;
      }
    }
    return d_logits;
  }
};

// --- 7. Encoder layer, decoder layer, transformer --------------------------------------------------------------------

// Each sublayer is followed by "Add & Norm": LayerNorm(x + dropout(sublayer(x))).
//
//   sum1 = x + dropout1(self_attn(x));        h = norm1(sum1)    every source token reads from all but padding
//   sum2 = h + dropout2(feed_forward(h));     y = norm2(sum2)
struct EncoderLayer {
  Attention self_attn;
  LayerNorm norm1;
  FeedForward feed_forward;
  LayerNorm norm2;
  Dropout dropout1;
  Dropout dropout2;

  // The dropout sites are numbered as in glassformer, which has two more: for attention weights and activations.
  EncoderLayer(Parameters& all, const std::string& name, std::uint32_t site)
      : self_attn(all, name + ".self_attn"),
        norm1(all, name + ".self_attn_layer_norm"),
        feed_forward(all, name),
        norm2(all, name + ".final_layer_norm"),
        dropout1(site + 1),
        dropout2(site + 3) {}

  // Maps x [B*S, D] to y [B*S, D].
  Matrix forward(const Pass& pass, const Matrix& x, const Mask& encoder_padding) {
    const Matrix h = norm1.forward(x + dropout1.forward(pass, self_attn.forward(x, x, encoder_padding)));
    return norm2.forward(h + dropout2.forward(pass, feed_forward.forward(h)));
  }

  Matrix backward(const Matrix& d_y) const {
    // sum2 = h + dropout2(feed_forward(h)), y = norm2(sum2).  h has two paths to y: around feed_forward and through it.
    const Matrix d_sum2 = norm2.backward(d_y);
    const Matrix d_h = d_sum2 + feed_forward.backward(dropout2.backward(d_sum2));
    // sum1 = x + dropout1(self_attn(x)), h = norm1(sum1).  x has two paths to h: around self_attn and through it.
    const Matrix d_sum1 = norm1.backward(d_h);
    Matrix d_x(d_y.rows, D);
    self_attn.backward(dropout1.backward(d_sum1), d_x, d_x);
    return d_sum1 + d_x;
  }
};

//   sum1 = x + dropout1(self_attn(x));             h = norm1(sum1)    every target token reads from itself and earlier
//   sum2 = h + dropout2(cross_attn(h, memory));    g = norm2(sum2)    ones, then from all source tokens but padding
//   sum3 = g + dropout3(feed_forward(g));          y = norm3(sum3)
struct DecoderLayer {
  Attention self_attn;
  LayerNorm norm1;
  Attention cross_attn;
  LayerNorm norm2;
  FeedForward feed_forward;
  LayerNorm norm3;
  Dropout dropout1;
  Dropout dropout2;
  Dropout dropout3;

  DecoderLayer(Parameters& all, const std::string& name, std::uint32_t site)
      : self_attn(all, name + ".self_attn"),
        norm1(all, name + ".self_attn_layer_norm"),
        cross_attn(all, name + ".encoder_attn"),
        norm2(all, name + ".encoder_attn_layer_norm"),
        feed_forward(all, name),
        norm3(all, name + ".final_layer_norm"),
        dropout1(site + 1),
        dropout2(site + 3),
        dropout3(site + 5) {}

  // Maps x [B*T, D] and memory [B*S, D] to y [B*T, D].
  Matrix forward(const Pass& pass, const Matrix& x, const Matrix& memory, const Mask& decoder_combined,
                 const Mask& cross_padding) {
    const Matrix h = norm1.forward(x + dropout1.forward(pass, self_attn.forward(x, x, decoder_combined)));
    const Matrix g = norm2.forward(h + dropout2.forward(pass, cross_attn.forward(h, memory, cross_padding)));
    return norm3.forward(g + dropout3.forward(pass, feed_forward.forward(g)));
  }

  // Returns d_x. Adds to d_memory.
  Matrix backward(const Matrix& d_y, Matrix& d_memory) const {
    // sum3 = g + dropout3(feed_forward(g)), y = norm3(sum3)
    const Matrix d_sum3 = norm3.backward(d_y);
    const Matrix d_g = d_sum3 + feed_forward.backward(dropout3.backward(d_sum3));
    // sum2 = h + dropout2(cross_attn(h, memory)), g = norm2(sum2)
    const Matrix d_sum2 = norm2.backward(d_g);
    Matrix d_h(d_y.rows, D);
    Matrix d_memory_here(d_memory.rows, D);  // added at once, as glassformer does (rule 2)
    cross_attn.backward(dropout2.backward(d_sum2), d_h, d_memory_here);
    d_memory = d_memory + d_memory_here;
    d_h = d_sum2 + d_h;
    // sum1 = x + dropout1(self_attn(x)), h = norm1(sum1).  x has two paths to h: around self_attn and through it.
    const Matrix d_sum1 = norm1.backward(d_h);
    Matrix d_x(d_y.rows, D);
    self_attn.backward(dropout1.backward(d_sum1), d_x, d_x);
    return d_sum1 + d_x;
  }
};

//   memory = encoder layers(embedding(source))                     [B*S, D]
//   state  = decoder layers(embedding(target_input), memory)       [B*T, D]
//   logits = state E^T + b                                         [B*T, V]   E: the target embedding's table
//   loss   = cross-entropy(logits, target_output)
struct Transformer {
  Parameters parameters;
  Embedding source_embedding;
  Embedding target_embedding;
  Linear output;  // from D to V; its weight is the target embedding's table
  std::vector<EncoderLayer> encoder;
  std::vector<DecoderLayer> decoder;
  CrossEntropy cross_entropy;

  Transformer(Index source_words, Index target_words)
      : source_embedding(parameters, "model.encoder.embed_tokens.weight", source_words, 0),
        target_embedding(parameters, "model.decoder.embed_tokens.weight", target_words, 1),
        output(target_embedding.table, add_parameter(parameters, "final_logits_bias", Role::bias, 1, target_words)) {
    for (std::uint32_t i = 0; i < encoder_layers; ++i) {
      encoder.emplace_back(parameters, "model.encoder.layers." + std::to_string(i), 1000 + 4 * i);
    }
    for (std::uint32_t i = 0; i < decoder_layers; ++i) {
      decoder.emplace_back(parameters, "model.decoder.layers." + std::to_string(i), 1'000'000 + 6 * i);
    }
  }

  Matrix encode(const Pass& pass, const Tokens& source) {
    const Mask encoder_padding = {.keys = source};
    Matrix x = source_embedding.forward(pass, source);
    for (EncoderLayer& layer : encoder) {
      x = layer.forward(pass, x, encoder_padding);
    }
    return x;
  }

  // Maps target_input and memory to logits. `source` is only for the mask.
  Matrix decode(const Pass& pass, const Tokens& target_input, const Matrix& memory, const Tokens& source) {
    const Mask decoder_combined = {.keys = target_input, .look_ahead = true};
    const Mask cross_padding = {.keys = source};
    Matrix x = target_embedding.forward(pass, target_input);
    for (DecoderLayer& layer : decoder) {
      x = layer.forward(pass, x, memory, decoder_combined, cross_padding);
    }
    return output.forward(x);
  }

  // The loss of a batch, summed over its target tokens.
  double forward(const Pass& pass, const Batch& batch) {
    const Matrix memory = encode(pass, batch.source);
    return cross_entropy.forward(decode(pass, batch.target_input, memory, batch.source), batch.target_output);
  }

  // Adds to the gradient of every parameter. Training minimises loss / tokens, so d_loss = 1 / tokens.
  void backward(float d_loss) const {
    // loss = cross-entropy(logits), logits = state E^T + b
    const Matrix d_logits = cross_entropy.backward(d_loss);
    Matrix d_state(d_logits.rows, D);
    output.backward(d_logits, d_state);
    // state = decoder layers(embedding(target_input), memory).  All layers read the memory, so their gradients add up.
    const Tokens& source = source_embedding.tokens;
    Matrix d_memory(source.size() * source[0].size(), D);
    for (Index i = decoder_layers; i > 0; --i) {
      d_state = decoder[i - 1].backward(d_state, d_memory);
    }
    target_embedding.backward(d_state);  // adds to what output.backward put into the same table
    // memory = encoder layers(embedding(source))
    for (Index i = encoder_layers; i > 0; --i) {
      d_memory = encoder[i - 1].backward(d_memory);
    }
    source_embedding.backward(d_memory);
  }
};

// --- 8. Initial weights ----------------------------------------------------------------------------------------------

// Embeddings are normal with standard deviation 1 / sqrt(D) (Box & Muller 1958):
//
//   sqrt(-2 log(1 - u1)) cos(2 pi u2) is normal with standard deviation 1        u1, u2 uniform in [0, 1)
//
// Matrices are uniform in +-sqrt(6 / (in + out)) (Glorot & Bengio 2010): with these limits, results are about as large
// as inputs, forward and backward. For query, key and value, the limit is divided by sqrt(2).
float random_weight(const Parameter& parameter, const Place& place, Index j) {
  if (parameter.role == Role::embedding) {
    const double radius = std::sqrt(-2 * std::log(1 - uniform(place, 2 * j)));
    const double angle = 2 * std::numbers::pi * uniform(place, 2 * j + 1);
    return static_cast<float>(1 / std::sqrt(static_cast<double>(D)) * radius * std::cos(angle));
  }
  const double factor = parameter.role == Role::query_key_value ? std::numbers::sqrt2 / 2 : 1;
  const double limit = factor * std::sqrt(6.0 / static_cast<double>(parameter.value.rows + parameter.value.cols));
  return static_cast<float>((2 * uniform(place, j) - 1) * limit);
}

void initialize(Parameters& parameters) {
  Place place;
  for (Parameter& parameter : parameters) {
    Matrix& value = parameter.value;
    if (parameter.role == Role::bias || parameter.role == Role::gain) {
      std::fill(value.numbers.begin(), value.numbers.end(), parameter.role == Role::gain ? 1.0F : 0.0F);
      continue;
    }
    for (Index i = 0; i < value.rows; ++i) {
      if (parameter.role == Role::embedding && i == pad) {
        continue;  // the weights of padding stay 0
      }
      place.row = static_cast<std::uint32_t>(i);
      for (Index j = 0; j < value.cols; ++j) {
        value(i, j) = random_weight(parameter, place, j);
      }
    }
    ++place.site;  // the matrices are numbered in the order in which they were added
  }
}

// --- 9. Which sentences train together -------------------------------------------------------------------------------

// Sorts pairs so that neighbours have similar lengths, longest first, because a batch of such pairs needs little
// padding. Pairs with equal longer sides are sorted by the difference between their sides. The direction alternates, so
// that the last pairs of one length resemble the first of the next. Pairs of equal lengths stay in order.
void sort_longest_first(Pairs& pairs) {
  const auto key = [](const SentencePair& pair) {
    const auto S = static_cast<long>(pair.source.size());
    const auto T = static_cast<long>(pair.target.size());
    const long longer = std::max(S, T);
    return std::pair(-longer, longer % 2 == 0 ? T - S : S - T);
  };
  std::stable_sort(pairs.begin(), pairs.end(),
                   [&](const SentencePair& a, const SentencePair& b) { return key(a) < key(b); });
}

// The number of tokens with padding, on both sides or on the larger side.
enum class Sides { both, larger };
Index padded_tokens(const Pairs& pairs, Sides sides) {
  Index S = 0;
  Index T = 0;
  for (const SentencePair& pair : pairs) {
    S = std::max(S, pair.source.size());
    T = std::max(T, pair.target.size());
  }
  return pairs.size() * (sides == Sides::both ? S + T : std::max(S, T));
}

// Cuts sorted pairs into consecutive groups, each as large as possible with at most `limit` padded tokens (but at least
// one pair).
std::vector<Pairs> cut(const Pairs& sorted, Index limit, Sides sides) {
  std::vector<Pairs> groups(1);
  for (const SentencePair& pair : sorted) {
    groups.back().push_back(pair);
    if (groups.back().size() > 1 && padded_tokens(groups.back(), sides) > limit) {
      groups.back().pop_back();
      groups.push_back({pair});
    }
  }
  return groups;
}

// Cuts pairs into at most `count` parts of about equal size: bisects for the lowest limit that is enough.
std::vector<Pairs> cut_into_parts(Pairs pairs, Index count) {
  sort_longest_first(pairs);
  Index too_low = 0;
  Index enough = padded_tokens(pairs, Sides::both);
  while (enough - too_low > 1) {
    const Index middle = (too_low + enough) / 2;
    if (cut(pairs, middle, Sides::both).size() <= count) {
      enough = middle;
    } else {
      too_low = middle;
    }
  }
  return cut(pairs, enough, Sides::both);
}

// The numbers 0 .. size - 1 in random order (Fisher & Yates): each position, starting with the last, gets a random one
// of those not yet placed. (std::shuffle differs between standard libraries; std::mt19937_64 does not.)
std::vector<Index> random_order(std::mt19937_64& generator, Index size) {
  std::vector<Index> order(size);
  std::iota(order.begin(), order.end(), Index{0});
  for (Index left = size; left > 1; --left) {
    std::swap(order[left - 1], order[generator() % left]);
  }
  return order;
}

// The batches of one epoch (one pass over the text), in random order. A batch has pairs of similar lengths; those of
// equal lengths are shuffled.
std::vector<Pairs> plan_epoch(const Pairs& text, std::uint32_t epoch) {
  std::seed_seq seeds = {seed, 0U, epoch, 0U};  // 64 bits each: lower half, upper half
  std::mt19937_64 generator(seeds);
  Pairs shuffled;
  for (const Index i : random_order(generator, text.size())) {
    shuffled.push_back(text[i]);
  }
  sort_longest_first(shuffled);
  const std::vector<Pairs> batches_by_length = cut(shuffled, max_tokens, Sides::larger);
  std::vector<Pairs> batches;
  for (const Index i : random_order(generator, batches_by_length.size())) {
    batches.push_back(batches_by_length[i]);
  }
  return batches;
}

// --- 10. Training ----------------------------------------------------------------------------------------------------

Pass training_pass(const Pairs& pairs, std::uint32_t update) {
  Pass pass = {.training = true, .update = update, .sentences = {}};
  for (const SentencePair& pair : pairs) {
    pass.sentences.push_back(pair.number);
  }
  return pass;
}

// Computes the gradient of a batch's mean loss, and returns that loss. The batch is cut into shards, which glassformer
// computes in parallel. A shard is computed one micro-batch at a time, each padded only to its own longest sentence.
// The gradients of the micro-batches add up in `gradient`, and then those of the shards in `total_gradient`.
double compute_gradient(Transformer& model, const Pairs& batch, std::uint32_t update) {
  Index tokens = 0;
  for (const SentencePair& pair : batch) {
    tokens += pair.target.size();
  }
  // The losses are summed over the tokens, and the division is done only once: here, in d_loss.
  const float d_loss = 1 / static_cast<float>(tokens);
  double loss = 0;
  for (Parameter& parameter : model.parameters) {
    parameter.total_gradient = Matrix(parameter.value.rows, parameter.value.cols);
  }
  for (const Pairs& shard : cut_into_parts(batch, shards)) {
    for (Parameter& parameter : model.parameters) {
      parameter.gradient = Matrix(parameter.value.rows, parameter.value.cols);
    }
    for (const Pairs& micro_batch : cut_into_parts(shard, 1 + padded_tokens(shard, Sides::both) / micro_batch_tokens)) {
      loss += model.forward(training_pass(micro_batch, update), make_batch(micro_batch));
      model.backward(d_loss);
    }
    for (Parameter& parameter : model.parameters) {
      parameter.total_gradient = parameter.total_gradient + parameter.gradient;
    }
  }
  return loss / static_cast<double>(tokens);
}

// The Euclidean norm of the whole gradient.
double gradient_norm(const Parameters& parameters) {
  double squares = 0;
  for (const Parameter& parameter : parameters) {
    for (const double g : parameter.total_gradient.numbers) {
      squares += g * g;
    }
  }
  return std::sqrt(squares);
}

// Rises linearly to its peak in `warmup` updates, then falls with 1 / sqrt(update) (Vaswani et al. 2017, section 5.3):
//
//   rate = initial_rate + (peak_rate - initial_rate) * update / warmup        if update < warmup
//   rate = peak_rate * sqrt(warmup / update)                                  if not
double learning_rate(double update) {
  if (update < warmup) {
    return initial_rate + (peak_rate - initial_rate) * update / warmup;
  }
  return peak_rate * std::sqrt(warmup / update);
}

// Adam (Kingma & Ba 2015), for each weight w with gradient g at update t = 1, 2, 3, ...:
//
//   m = beta1 m + (1 - beta1) g                 the mean of recent gradients
//   v = beta2 v + (1 - beta2) g^2               and of their squares
//   w = w - rate * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
//
// m and v start at 0, so at first they are too small; the divisors make up for this.
//
// First clips the gradient. If its norm is above clip_norm, it is scaled down to this norm:
//
//   g = g * clip_norm / norm
void adam(Parameters& parameters, double norm, double t) {
  const auto clip = static_cast<float>(norm > clip_norm ? clip_norm / norm : 1);
  const auto b1 = static_cast<float>(beta1);
  const auto b2 = static_cast<float>(beta2);
  const auto epsilon = static_cast<float>(adam_epsilon);
  const auto step = static_cast<float>(learning_rate(t) / (1 - std::pow(beta1, t)));
  const auto v_correction = static_cast<float>(1 / std::sqrt(1 - std::pow(beta2, t)));
  for (Parameter& parameter : parameters) {
    for (Index i = 0; i < parameter.value.numbers.size(); ++i) {
      const float g = clip * parameter.total_gradient.numbers[i];
      float& m = parameter.m.numbers[i];
      float& v = parameter.v.numbers[i];
      m = b1 * m + (1 - b1) * g;
      v = b2 * v + (1 - b2) * (g * g);
      parameter.value.numbers[i] -= step * m / (std::sqrt(v) * v_correction + epsilon);
    }
  }
}

// --- 11. Translation -------------------------------------------------------------------------------------------------

// Greedy search: keeps taking the most likely word until it is eos. (glassformer caches keys and values, so each step
// computes only the new position. Here, each step runs the decoder on all words so far.)
Sentence translate(Transformer& model, const Sentence& source) {
  const Pass pass;  // no dropout
  const Matrix memory = model.encode(pass, {source});
  Sentence target_input = {bos};
  const Index limit = 2 * (source.size() - 1) + 10;  // in words; -1 leaves out eos
  while (target_input.size() <= limit) {
    const Matrix logits = model.decode(pass, {target_input}, memory, {source});
    const std::span<const float> last = logits.row(logits.rows - 1);
    const auto best = std::max_element(last.begin() + eos, last.end()) - last.begin();  // never pad or bos
    if (best == eos) {
      break;
    }
    target_input.push_back(static_cast<Index>(best));
  }
  return {target_input.begin() + 1, target_input.end()};
}

// --- 12. Gradient check ----------------------------------------------------------------------------------------------

// Nudges a few weights of each tensor, and compares the slope of the loss with the gradient:
//
//   (loss(w + epsilon) - loss(w - epsilon)) / (2 epsilon)  is about  d_w
//
// The two differ a little, because epsilon is not infinitely small and floats are rounded. The error is relative to the
// largest gradient in the tensor, or to `least_scale` if that is larger: the gradient of k_proj.bias is 0, because this
// bias adds the same number to all scores of a query, which does not change their softmax.
bool check_gradients(Transformer& model, const Pairs& pairs) {
  constexpr float epsilon = 0.01F;
  constexpr double least_scale = 0.1;
  constexpr double tolerance = 0.05;
  std::mt19937_64 generator(seed);
  for (Parameter& parameter : model.parameters) {  // biases of 0 and gains of 1 could hide mistakes
    for (float& weight : parameter.value.numbers) {
      weight += generator() % 2 == 0 ? 0.05F : -0.05F;
    }
  }
  const Pass pass = training_pass(pairs, 1);
  const Batch batch = make_batch(pairs);
  model.forward(pass, batch);
  model.backward(1);  // the gradient of the sum over the tokens, which forward returns

  double largest_error = 0;
  for (Parameter& parameter : model.parameters) {
    const std::vector<float>& gradient = parameter.gradient.numbers;
    const auto is_smaller = [](float a, float b) { return std::abs(a) < std::abs(b); };
    const auto steepest = std::max_element(gradient.begin(), gradient.end(), is_smaller);
    const double scale = std::max(least_scale, std::abs(static_cast<double>(*steepest)));
    auto i = static_cast<Index>(steepest - gradient.begin());
    double error = 0;
    for (int trial = 0; trial < 5; ++trial) {
      float& weight = parameter.value.numbers[i];
      const float original = weight;
      weight = original + epsilon;
      const double loss_above = model.forward(pass, batch);
      weight = original - epsilon;
      const double loss_below = model.forward(pass, batch);
      weight = original;
      const double slope = (loss_above - loss_below) / (2 * static_cast<double>(epsilon));
      error = std::max(error, std::abs(slope - static_cast<double>(gradient[i])) / scale);
      i = generator() % gradient.size();  // the first weight was the steepest, the others are random
    }
    if (error > tolerance) {
      std::printf("%-60s  error %.4f\n", parameter.name.c_str(), error);
    }
    largest_error = std::max(largest_error, error);
  }
  const bool is_right = largest_error <= tolerance;
  std::printf("The gradients are %s: largest relative error %.4f, tolerance %.2f.\n", is_right ? "right" : "wrong",
              largest_error, tolerance);
  return is_right;
}

// --- 13. Digests, main -----------------------------------------------------------------------------------------------

// The fractional parts of the cube roots of the first 64 primes, for SHA-256.
constexpr std::uint32_t sha256_constants[64] = {
    0x428a2f98, 0x71374491, 0xb5c0fbcf, 0xe9b5dba5, 0x3956c25b, 0x59f111f1, 0x923f82a4, 0xab1c5ed5,
    0xd807aa98, 0x12835b01, 0x243185be, 0x550c7dc3, 0x72be5d74, 0x80deb1fe, 0x9bdc06a7, 0xc19bf174,
    0xe49b69c1, 0xefbe4786, 0x0fc19dc6, 0x240ca1cc, 0x2de92c6f, 0x4a7484aa, 0x5cb0a9dc, 0x76f988da,
    0x983e5152, 0xa831c66d, 0xb00327c8, 0xbf597fc7, 0xc6e00bf3, 0xd5a79147, 0x06ca6351, 0x14292967,
    0x27b70a85, 0x2e1b2138, 0x4d2c6dfc, 0x53380d13, 0x650a7354, 0x766a0abb, 0x81c2c92e, 0x92722c85,
    0xa2bfe8a1, 0xa81a664b, 0xc24b8b70, 0xc76c51a3, 0xd192e819, 0xd6990624, 0xf40e3585, 0x106aa070,
    0x19a4c116, 0x1e376c08, 0x2748774c, 0x34b0bcb5, 0x391c0cb3, 0x4ed8aa4a, 0x5b9cca4f, 0x682e6ff3,
    0x748f82ee, 0x78a5636f, 0x84c87814, 0x8cc70208, 0x90befffa, 0xa4506ceb, 0xbef9a3f7, 0xc67178f2};

// SHA-256 (FIPS 180-4) mixes blocks of 16 words into its state, one after the other.
void sha256_mix(std::array<std::uint32_t, 8>& state, std::span<const std::uint32_t> block) {
  std::array<std::uint32_t, 64> w = {};
  std::copy(block.begin(), block.end(), w.begin());
  for (Index i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  std::array<std::uint32_t, 8> mixed = state;
  for (Index i = 0; i < 64; ++i) {
    const auto [a, b, c, d, e, f, g, h] = mixed;
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t first = h + s1 + ((e & f) ^ (~e & g)) + sha256_constants[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t second = s0 + ((a & b) ^ (a & c) ^ (b & c));
    mixed = {first + second, a, b, c, d + first, e, f, g};
  }
  for (Index i = 0; i < 8; ++i) {
    state[i] += mixed[i];
  }
}

// The first 16 digits of the SHA-256 of these floats, each as four bytes, the lowest first (as in a file on x86).
std::string digest_of(const std::vector<float>& numbers) {
  std::vector<std::uint32_t> words;  // SHA-256 reads four bytes as a word, the highest first
  for (const float number : numbers) {
    const auto bits = std::bit_cast<std::uint32_t>(number);
    words.push_back(bits << 24 | (bits & 0xFF00) << 8 | (bits >> 8 & 0xFF00) | bits >> 24);
  }
  words.push_back(0x80000000);  // after the message come a single 1, zeros, and the message's length in bits
  while (words.size() % 16 != 14) {
    words.push_back(0);
  }
  words.push_back(0);  // the upper half of the length
  words.push_back(static_cast<std::uint32_t>(32 * numbers.size()));
  // The fractional parts of the square roots of the first eight primes.
  std::array<std::uint32_t, 8> state = {0x6a09e667, 0xbb67ae85, 0x3c6ef372, 0xa54ff53a,
                                        0x510e527f, 0x9b05688c, 0x1f83d9ab, 0x5be0cd19};
  for (Index i = 0; i < words.size(); i += 16) {
    sha256_mix(state, std::span(words).subspan(i, 16));
  }
  char digits[17] = {};
  std::snprintf(digits, sizeof digits, "%08x%08x", static_cast<unsigned>(state[0]), static_cast<unsigned>(state[1]));
  return digits;
}

// What the comparisons have shown so far.
struct Comparison {
  bool all_equal = true;
  Index last_update = 0;  // the last one after which digests were compared
};

// Compares the digest of each tensor with those in `digests`, the lines "toy UPDATE TENSOR DIGEST". Prints the
// different ones.
void compare_digests(const Parameters& parameters, Index update, const Lines& digests, Comparison& comparison) {
  const std::string start = "toy " + std::to_string(update) + " ";
  std::set<std::string> expected;
  for (const std::string& line : digests) {
    if (line.starts_with(start)) {
      expected.insert(line);
    }
  }
  if (expected.empty() && update > 0) {
    return;  // there is nothing to compare after this update
  }
  const Index count = std::max(parameters.size(), expected.size());
  Index equal = 0;
  for (const Parameter& parameter : parameters) {
    const std::string line = start + parameter.name + " " + digest_of(parameter.value.numbers);
    if (expected.erase(line) == 1) {
      ++equal;
    } else {
      std::printf("%-75s  DIFFERENT\n", line.c_str());
    }
  }
  std::printf("update %zu: %zu of %zu digests equal\n", update, equal, count);
  comparison.all_equal = comparison.all_equal && equal == count;
  comparison.last_update = update;
}

// Trains the model, and compares its weights with the digests.
Comparison train(Transformer& model, const Pairs& text, std::uint32_t updates, const Lines& digests) {
  Comparison comparison;
  compare_digests(model.parameters, 0, digests, comparison);
  std::vector<Pairs> batches;
  Index next_batch = 0;
  std::uint32_t epoch = 0;
  for (std::uint32_t update = 1; update <= updates; ++update) {
    if (next_batch == batches.size()) {
      batches = plan_epoch(text, epoch);
      next_batch = 0;
      ++epoch;
    }
    const double loss = compute_gradient(model, batches[next_batch], update);
    const double norm = gradient_norm(model.parameters);
    adam(model.parameters, norm, update);
    ++next_batch;
    if (update == 1 || update % 10 == 0) {
      std::printf("update %u: loss %.4f per token, norm of the gradient %.4f\n", update, loss, norm);
      std::fflush(stdout);
    }
    compare_digests(model.parameters, update, digests, comparison);
  }
  return comparison;
}

// Trains for `updates` and translates. If there are none, checks the gradients instead.
int run(std::uint32_t updates, const std::string& directory) {
  const Lines digests = read_lines(directory + "/digests.txt");
  const Lines english = read_lines(directory + "/train.en");
  const Lines german = read_lines(directory + "/train.de");
  const Lines test_english = read_lines(directory + "/test.en");
  const Lines test_german = read_lines(directory + "/test.de");
  if (english.size() != german.size() || test_english.size() < 3 || test_german.size() < 3) {
    throw std::runtime_error(directory + ": expected as many lines in train.en as in train.de, and at least three in " +
                             "test.en and test.de");
  }

  const Vocabulary source_vocabulary(english);
  const Vocabulary target_vocabulary(german);
  Pairs text;
  for (Index i = 0; i < english.size(); ++i) {
    text.push_back(
        {static_cast<std::uint32_t>(i), source_vocabulary.encode(english[i]), target_vocabulary.encode(german[i])});
  }

  Transformer model(source_vocabulary.words.size(), target_vocabulary.words.size());
  initialize(model.parameters);
  if (updates == 0) {
    text.resize(std::min(text.size(), Index{4}));
    return check_gradients(model, text) ? 0 : 1;
  }
  const Comparison comparison = train(model, text, updates, digests);

  for (Index i = 0; i < 3; ++i) {
    const Sentence translation = translate(model, source_vocabulary.encode(test_english[i]));
    std::printf("\nEnglish      %s\nGerman       %s\ntranslation  %s\n", test_english[i].c_str(),
                test_german[i].c_str(), target_vocabulary.decode(translation).c_str());
  }
  if (!comparison.all_equal) {
    std::printf("\nNot all digests are equal: these are not the weights of glassformer.\n");
    return 1;
  }
  std::printf("\nAll digests are equal: bit for bit, these are the weights of glassformer after update %zu.\n",
              comparison.last_update);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  const std::string first = argc > 1 ? argv[1] : "50";
  const long updates = first == "gradients" ? 0 : std::strtol(first.c_str(), nullptr, 10);
  if (argc > 3 || (updates < 1 && first != "gradients")) {
    std::fprintf(stderr, "usage: transformer [UPDATES|gradients [DIRECTORY]], for example: transformer 50 data/toy\n");
    return 2;
  }
  try {
    return run(static_cast<std::uint32_t>(updates), argc > 2 ? argv[2] : "data/toy");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "transformer: %s\n", error.what());
    return 2;
  }
}
