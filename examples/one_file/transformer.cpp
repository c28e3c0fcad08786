// The whole transformer in one file: an encoder-decoder (Vaswani et al. 2017, "Attention Is All You Need") that learns
// to translate English into German, with a hand-written backward pass, in plain C++20: loops, arrays, standard library.
//
//   c++ -std=c++20 -O2 -ffp-contract=off examples/one_file/transformer.cpp -o transformer
//   ./transformer                                  50 updates; run it from the root of the repository
//   ./transformer 1350 data/toy my_digests.txt     number of updates, directory of the texts, file with the digests
//
// It trains on data/toy with the settings of configs/toy.yaml, as `glassformer train configs/toy.yaml` does, and prints
// the loss of some updates. At the end, it translates three sentences. (After 50 updates it has learned little more
// than which words are frequent. 1350 updates are the complete training, and the translations are then almost perfect.)
//
// How do you know that the fast program, with its threads, vector instructions and caches, computes nothing else than
// what you read here? data/toy/digests.txt lists a digest of every weight tensor after 0, 1, 50 and 1350 updates: the
// first 16 digits of the SHA-256 of all its bits. This program computes the same digests and says for each whether it
// is equal. One wrong bit in billions of operations would change them. The exit status is 0 if all are equal, 1 if one
// differs, and 2 if an argument or a file is wrong.
//
// Two rules make the bits equal. Numbers are floats unless they are declared as double, and every operation is rounded
// exactly as it is written: a * b + c is rounded twice, std::fma(a, b, c) once. (-ffp-contract=off forbids the compiler
// to turn one into the other.) And the order of every sum is fixed, because (a + b) + c is not a + (b + c) for floats.
// docs/arithmetic.md has the complete rules.
//
// How to read: from top to bottom; nothing is used before it is explained. Sections 6 to 8 are the transformer itself.
// The rest is what it takes to compute exactly the same numbers, and to prove it.
//
//    1  settings               5  matrices and parameters     9  initial weights
//    2  arithmetic             6  masks                      10  training: gradient, clipping, Adam
//    3  text and batches       7  layers, attention          11  translation, digests, main
//    4  random numbers         8  the transformer
//
// Each layer is a struct: its parameters, what its backward needs, forward, backward. d_x is always the derivative of
// the loss with respect to x. backward adds the gradients of parameters to those in the arena, and returns those of
// inputs.
//
// Shapes in comments: B sentences, S source length, T target length, N rows (tokens) of any matrix, D = d_model,
// F = d_ff, H heads, V words in a vocabulary. Token t of sentence b is row b * T + t of a matrix [B*T, D].

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <exception>
#include <fstream>
#include <limits>
#include <map>
#include <numbers>
#include <numeric>
#include <random>
#include <span>
#include <sstream>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#ifdef __FAST_MATH__
#error "-ffast-math changes the order of sums and so the results; build without it"
#endif

// For speed only: on x86, not every processor has an instruction for std::fma, so it usually becomes a function call,
// and the program is ten times slower. With this mark, a function is compiled a second time, with the instruction, and
// the program picks that version if it can. (-march=native or -mfma make the instruction available everywhere.)
#if defined(__x86_64__) && defined(__gnu_linux__) && !defined(__FMA__)
#define USE_FMA_INSTRUCTION __attribute__((target_clones("fma", "default")))
#else
#define USE_FMA_INSTRUCTION
#endif

namespace {

using Index = std::size_t;  // an index, a count, or the id of a word

// --- 1. Settings -----------------------------------------------------------------------------------------------------

// The names and values are those of configs/toy.yaml.
namespace config {
constexpr Index max_length = 40;         // pairs with a longer side are left out
constexpr Index vocabulary_size = 1000;  // an upper limit
constexpr Index d_model = 64;
constexpr Index heads = 4;
constexpr Index encoder_layers = 2;
constexpr Index decoder_layers = 2;
constexpr Index d_ff = 256;
constexpr double dropout = 0.1;  // of embeddings and of sublayer outputs; attention and activations have none
constexpr std::uint32_t seed = 1;
constexpr Index max_tokens = 2048;         // of a batch, on its larger side, with padding
constexpr Index shards = 8;                // parts of a batch, which the real program computes in parallel
constexpr Index micro_batch_tokens = 512;  // about how many tokens of a shard are computed at a time
constexpr double label_smoothing = 0.1;
constexpr double beta1 = 0.9;
constexpr double beta2 = 0.98;
constexpr double epsilon = 1e-9;
constexpr double clip_norm = 1;
constexpr double learning_rate = 0.002;
constexpr double warmup = 400;
constexpr double initial_rate = 1e-7;
constexpr double max_length_ratio = 2;  // a translation has at most this times the source's tokens + 10
}  // namespace config

constexpr Index D = config::d_model;         // the width of every token's vector
constexpr Index d_head = D / config::heads;  // the width of a head

// Ids that are not words.
constexpr Index pad = 0;  // fills sentences up to the length of the longest in their batch
constexpr Index bos = 1;  // begins the decoder's input
constexpr Index eos = 2;  // ends every sentence
constexpr Index unk = 3;  // stands for unknown words

// --- 2. Arithmetic that is the same on every processor ---------------------------------------------------------------

// The standard library's exp, log, pow, sin and cos give slightly different results on different machines. These use
// only operations with the same result everywhere: + - * / and std::fma, std::sqrt, std::frexp and std::ldexp. Each
// function reduces its argument to a small range, where a polynomial is accurate, and then undoes the reduction. If you
// trust that they are what their names say, continue with "Sums" below.
namespace same {

// exp(x) = 2^n exp(r), with x = n ln 2 + r, n an integer and |r| <= ln 2 / 2.
float exp(float x) {
  constexpr float to_integer = 0x1.8p23F;     // adding and subtracting it rounds to an integer
  x = std::min(std::max(x, -104.0F), 89.0F);  // beyond them, the result is 0 or infinite
  const float n = std::fma(x, 0x1.715476p0F, to_integer) - to_integer;           // x / ln 2, rounded
  const float r = std::fma(n, -0x1.7f7d1cp-20F, std::fma(n, -0x1.62e4p-1F, x));  // ln 2 in two parts
  float polynomial = 0.00138146957592F;
  polynomial = std::fma(polynomial, r, 0.00836878496527F);
  polynomial = std::fma(polynomial, r, 0.0416683915718F);
  polynomial = std::fma(polynomial, r, 0.166665200703F);
  polynomial = std::fma(polynomial, r, 0.499999934178F);
  const float y = std::fma(r * r, polynomial, r) + 1;
  return std::ldexp(y, static_cast<int>(n));
}

// c[0] + c[1] x + c[2] x^2 + ..., from the last coefficient to the first (Horner's method).
double polynomial(std::span<const double> c, double x) {
  double y = c.back();
  for (Index i = c.size() - 1; i > 0; --i) {
    y = std::fma(y, x, c[i - 1]);
  }
  return y;
}

// exp(x + rest) in double precision, where |rest| is tiny.
double exp(double x, double rest) {
  constexpr double to_integer = 0x1.8p52;
  constexpr double coefficients[] = {0.50000000000000107308,   0.16666666666666410732,   0.041666666666529096893,
                                     0.008333333333495212948,  0.0013888888943948748911, 0.00019841269505849163478,
                                     2.4801492733880429794e-5, 2.755758620442769107e-6,  2.7630389539301539855e-7,
                                     2.5000378268109633863e-8};
  x = std::min(std::max(x, -746.0), 710.0);
  const double n = std::fma(x, 0x1.71547652b82fep0, to_integer) - to_integer;
  const double r = std::fma(n, -0x1.ef35793c7673p-45, std::fma(n, -0x1.62e42fefa38p-1, x)) + rest;
  const double y = std::fma(r * r, polynomial(coefficients, r), r) + 1;
  return std::ldexp(y, static_cast<int>(n));
}

// A logarithm as the sum of two numbers, because pow needs it more accurately than one double can store it.
struct Logarithm {
  double large;
  double small;
};

// log(x) = e log 2 + log m, with x = 2^e m and m close to 1, for finite x > 0. With s = (m - 1) / (m + 1),
// log m = log((1 + s) / (1 - s)) = 2 s + s^3 (2/3 + 2/5 s^2 + ...).
Logarithm accurate_log(double x) {
  constexpr double ln_2 = 0x1.62e42fefa38p-1;
  constexpr double ln_2_rest = 0x1.ef35793c7673p-45;
  constexpr double coefficients[] = {0.66666666666667353819, 0.39999999999407485635, 0.28571428744142144956,
                                     0.22222198378379663061, 0.18183575171374029725, 0.15313755592449085413,
                                     0.14799067914629433112};
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // 1/2 <= m < 1
  if (m < 0x1.6a09e667f3bcdp-1) {       // sqrt(1/2)
    m *= 2;
    --exponent;
  }
  const double e = exponent;
  const double f = m - 1;
  const double t = 2 + f;
  const double s = f / t;
  const double t_rest = f - (t - 2);  // what rounding has removed from t and s
  const double s_rest = (std::fma(-s, t, f) - s * t_rest) / t;
  const double z = s * s;
  const double series = std::fma(s * z, polynomial(coefficients, z), 2 * s_rest);
  const double large = e * ln_2 + 2 * s;
  return {large, (e * ln_2 - large + 2 * s) + (series + e * ln_2_rest)};
}

double log(double x) {
  const Logarithm logarithm = accurate_log(x);
  return logarithm.large + logarithm.small;
}

// x^y = exp(y log x), for x > 0.
double pow(double x, double y) {
  const Logarithm logarithm = accurate_log(x);
  const double product = y * logarithm.large;
  const double rest = std::fma(y, logarithm.large, -product) + y * logarithm.small;
  return exp(product, std::abs(product) < 1000 ? rest : 0);
}

// sin(x + quarters pi / 2), with x = n pi / 2 + r and |r| <= pi / 4. With each quarter turn, sin r becomes cos r,
// cos r becomes -sin r, and so on.
double shifted_sin(double x, int quarters) {
  constexpr double to_integer = 0x1.8p52;
  constexpr double sine[] = {-0.16666666666666631652,  0.0083333333333223151659,  -0.00019841269829725213991,
                             2.7557313662060925078e-6, -2.5050753265066012346e-8, 1.5896504977315509278e-10};
  constexpr double cosine[] = {0.041666666666666592018,   -0.001388888888887289513, 2.480158728874818769e-5,
                               -2.7557314148622972006e-7, 2.0875696572407160612e-9, -1.1358310478262175726e-11};
  const double n = std::fma(x, 0x1.45f306dc9c883p-1, to_integer) - to_integer;                 // x / (pi / 2), rounded
  const double r = std::fma(n, -0x1.1a62633145c07p-54, std::fma(n, -0x1.921fb54442d18p0, x));  // pi / 2 in two parts
  const double z = r * r;
  const int turns = (quarters + static_cast<int>(n)) % 4;  // the angles here are never negative
  double y = std::fma(r * z, polynomial(sine, z), r);
  if (turns % 2 != 0) {
    const double h = 1 - z / 2;
    y = h + std::fma(z * z, polynomial(cosine, z), (1 - h) - z / 2);
  }
  return turns >= 2 ? -y : y;
}
double sin(double x) { return shifted_sin(x, 0); }
double cos(double x) { return shifted_sin(x, 1); }

}  // namespace same

// Sums: the numbers of a row are added up in sixteen accumulators; number j goes to accumulator j mod 16. (The real
// program adds 4, 8 or 16 numbers at a time with vector instructions; with sixteen accumulators, the result is always
// the same.) Then the sixteen are combined in pairs: k with k + 8, then k with k + 4, k + 2 and k + 1.
float combine(std::array<float, 16> sums) {
  for (Index half = 8; half > 0; half /= 2) {
    for (Index k = 0; k < half; ++k) {
      sums[k] = sums[k] + sums[k + half];
    }
  }
  return sums[0];
}
double combine(std::array<double, 16> sums) {
  for (Index half = 8; half > 0; half /= 2) {
    for (Index k = 0; k < half; ++k) {
      sums[k] = sums[k] + sums[k + half];
    }
  }
  return sums[0];
}

float sum(const float* x, Index size) {
  std::array<float, 16> sums = {};
  for (Index j = 0; j < size; ++j) {
    sums[j % 16] = sums[j % 16] + x[j];
  }
  return combine(sums);
}

// The dot product of two rows.
float dot(const float* x, const float* y, Index size) {
  std::array<float, 16> sums = {};
  for (Index j = 0; j < size; ++j) {
    sums[j % 16] = std::fma(x[j], y[j], sums[j % 16]);
  }
  return combine(sums);
}

double sum_of_squares(const float* x, Index size) {
  std::array<double, 16> sums = {};
  for (Index j = 0; j < size; ++j) {
    const double wide = x[j];
    sums[j % 16] = std::fma(wide, wide, sums[j % 16]);
  }
  return combine(sums);
}

float mean(const float* x, Index size) { return sum(x, size) / static_cast<float>(size); }
float mean_product(const float* x, const float* y, Index size) { return dot(x, y, size) / static_cast<float>(size); }

constexpr float minus_infinity = -std::numeric_limits<float>::infinity();

float largest(const float* x, Index size) {
  float best = minus_infinity;
  for (Index j = 0; j < size; ++j) {
    best = x[j] > best ? x[j] : best;
  }
  return best;
}

// x_j = exp(x_j) / sum over k of exp(x_k).  Subtracting the largest number first does not change the result, but keeps
// exp finite. exp(-infinity) is exactly 0. If all numbers are -infinity, all become 0. Returns the sum, for the loss.
float softmax_row(float* x, Index size) {
  const float shift = largest(x, size);
  for (Index j = 0; j < size; ++j) {
    x[j] = x[j] == minus_infinity ? 0 : same::exp(x[j] - shift);
  }
  const float total = sum(x, size);
  if (total != 0) {
    const float factor = 1 / total;
    for (Index j = 0; j < size; ++j) {
      x[j] *= factor;
    }
  }
  return total;
}

// --- 3. Text and batches ---------------------------------------------------------------------------------------------

using Lines = std::vector<std::string>;
using Sentence = std::vector<Index>;  // the ids of its words

// A mistake in an argument or a file: main prints it and returns 2.
struct UserError : std::runtime_error {
  using std::runtime_error::runtime_error;
};

Lines read_lines(const std::string& path) {
  std::ifstream file(path);
  Lines lines;
  for (std::string line; std::getline(file, line);) {
    lines.push_back(line);
  }
  if (lines.empty()) {
    throw UserError(path +
                    ": expected a text file, but it cannot be read or is empty. Run this program from the root " +
                    "of the repository, or name the directory of the texts and the file with the digests.");
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
  std::vector<std::string> words = {"<pad>", "<s>", "</s>", "<unk>"};  // by id
  std::map<std::string, Index> ids;                                    // of all but the special words

  // All words of the text, the most frequent first, then in alphabetical order (of their bytes).
  explicit Vocabulary(const Lines& lines) {
    std::map<std::string, Index> counts;  // in alphabetical order
    for (const std::string& line : lines) {
      for (const std::string& word : split_words(line)) {
        ++counts[word];
      }
    }
    std::vector<std::pair<std::string, Index>> by_count(counts.begin(), counts.end());
    std::stable_sort(by_count.begin(), by_count.end(),
                     [](const auto& a, const auto& b) { return a.second > b.second; });
    for (const auto& [word, count] : by_count) {
      if (words.size() < config::vocabulary_size) {
        ids[word] = words.size();
        words.push_back(word);
      }
    }
  }

  Sentence encode(const std::string& line) const {
    Sentence sentence;
    for (const std::string& word : split_words(line)) {
      const auto known = ids.find(word);
      sentence.push_back(known != ids.end() ? known->second : unk);
    }
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
  Sentence source;
  Sentence target;
};
using Pairs = std::vector<SentencePair>;  // all of the text

Pairs read_pairs(const Lines& source_lines, const Vocabulary& source_vocabulary, const Lines& target_lines,
                 const Vocabulary& target_vocabulary) {
  if (source_lines.size() != target_lines.size()) {
    throw UserError("train.en and train.de: expected equal numbers of lines, found " +
                    std::to_string(source_lines.size()) + " and " + std::to_string(target_lines.size()));
  }
  Pairs pairs;
  for (Index i = 0; i < source_lines.size(); ++i) {
    SentencePair pair = {source_vocabulary.encode(source_lines[i]), target_vocabulary.encode(target_lines[i])};
    const bool is_empty = pair.source.empty() || pair.target.empty();
    if (!is_empty && std::max(pair.source.size(), pair.target.size()) <= config::max_length) {
      pairs.push_back(std::move(pair));
    }
  }
  return pairs;
}

// The lengths of a pair in a batch, where each side has one special token more.
struct Lengths {
  Index source = 0;
  Index target = 0;

  Index longer() const { return std::max(source, target); }
};

Lengths lengths(const SentencePair& pair) { return {pair.source.size() + 1, pair.target.size() + 1}; }

Lengths longest_of(const Lengths& a, const Lengths& b) {
  return {std::max(a.source, b.source), std::max(a.target, b.target)};
}

// Orders pairs so that neighbours have similar lengths, longest first, because a batch of such pairs needs little
// padding. Pairs with equal longer sides are ordered by the difference between their sides. The direction alternates,
// so that the last pairs of one length resemble the first of the next.
bool is_before(const SentencePair& a, const SentencePair& b) {
  const Lengths length_a = lengths(a);
  const Lengths length_b = lengths(b);
  if (length_a.longer() != length_b.longer()) {
    return length_a.longer() > length_b.longer();
  }
  const bool is_even = length_a.longer() % 2 == 0;
  const auto difference_a = static_cast<long>(length_a.source) - static_cast<long>(length_a.target);
  const auto difference_b = static_cast<long>(length_b.source) - static_cast<long>(length_b.target);
  return is_even ? difference_a > difference_b : difference_a < difference_b;
}

using Group = std::vector<Index>;  // numbers of sentence pairs: a batch, or a part of one

void sort_longest_first(const Pairs& pairs, Group& group) {
  std::stable_sort(group.begin(), group.end(), [&](Index a, Index b) { return is_before(pairs[a], pairs[b]); });
}

// Cuts sorted sentences into consecutive groups, each as large as possible at a cost of at most `limit`. The cost is
// the number of padded tokens: of both sides, or of the larger side only.
enum class Side { both, larger };
std::vector<Group> cut(const Pairs& pairs, const Group& sorted, Index limit, Side side) {
  std::vector<Group> groups;
  Lengths longest;
  for (const Index sentence : sorted) {
    const Lengths current = lengths(pairs[sentence]);
    longest = longest_of(longest, current);
    const Index width = side == Side::both ? longest.source + longest.target : longest.longer();
    if (groups.empty() || (groups.back().size() + 1) * width > limit) {
      groups.emplace_back();
      longest = current;
    }
    groups.back().push_back(sentence);
  }
  return groups;
}

Lengths longest_in(const Pairs& pairs, const Group& group) {
  Lengths longest;
  for (const Index sentence : group) {
    longest = longest_of(longest, lengths(pairs[sentence]));
  }
  return longest;
}

Index padded_tokens(const Pairs& pairs, const Group& group) {
  const Lengths longest = longest_in(pairs, group);
  return group.size() * (longest.source + longest.target);
}

// Cuts a group into at most `parts` parts of about equal cost: bisects for the lowest limit that needs no more.
std::vector<Group> cut_into_parts(const Pairs& pairs, Group group, Index parts) {
  sort_longest_first(pairs, group);
  Index too_low = 0;
  Index enough = padded_tokens(pairs, group);
  while (enough - too_low > 1) {
    const Index middle = too_low + (enough - too_low) / 2;
    const bool fits = cut(pairs, group, middle, Side::both).size() <= parts;
    (fits ? enough : too_low) = middle;
  }
  return cut(pairs, group, enough, Side::both);
}

// The numbers 0 .. size - 1 in random order (Fisher & Yates): each position, starting with the last, gets a random one
// of those not yet placed. (std::shuffle may differ between standard libraries; std::mt19937_64 may not.)
std::vector<Index> random_order(std::mt19937_64& generator, Index size) {
  std::vector<Index> order(size);
  std::iota(order.begin(), order.end(), Index{0});
  for (Index left = size; left > 1; --left) {
    const std::uint64_t usable = std::mt19937_64::max() - std::mt19937_64::max() % left;
    std::uint64_t number = generator();
    while (number >= usable) {  // the largest numbers would favour small remainders
      number = generator();
    }
    std::swap(order[left - 1], order[number % left]);
  }
  return order;
}

// The batches of one epoch, in random order. A batch has pairs of similar lengths; those of equal lengths are shuffled.
std::vector<Group> plan_epoch(const Pairs& pairs, std::uint32_t epoch) {
  std::seed_seq seeds = {config::seed, 0U, epoch, 0U};
  std::mt19937_64 generator(seeds);
  Group sentences = random_order(generator, pairs.size());
  sort_longest_first(pairs, sentences);  // keeps the order of equal ones
  const std::vector<Group> sorted = cut(pairs, sentences, config::max_tokens, Side::larger);
  std::vector<Group> batches;
  for (const Index i : random_order(generator, sorted.size())) {
    batches.push_back(sorted[i]);
  }
  return batches;
}

// Ids of several sentences, one per row, filled up with `pad`.
struct Ids {
  Index rows;
  Index cols;
  std::vector<Index> ids;  // [rows * cols]

  Ids(Index row_count, Index col_count) : rows(row_count), cols(col_count), ids(row_count * col_count, pad) {}
  Index& operator()(Index b, Index t) { return ids[b * cols + t]; }
  Index operator()(Index b, Index t) const { return ids[b * cols + t]; }
};

//   source         the   dog   sleeps  .      eos        what the encoder reads
//   target_input   bos   der   hund    schläft  .        what the decoder reads: the target shifted right
//   target_output  der   hund  schläft .      eos        what it must predict at each position
struct Batch {
  Ids source;         // [B, S]
  Ids target_input;   // [B, T]
  Ids target_output;  // [B, T]
};

Batch make_batch(const Pairs& pairs, const Group& group) {
  const Lengths longest = longest_in(pairs, group);
  Batch batch = {Ids(group.size(), longest.source), Ids(group.size(), longest.target),
                 Ids(group.size(), longest.target)};
  for (Index b = 0; b < group.size(); ++b) {
    const Sentence& source = pairs[group[b]].source;
    const Sentence& target = pairs[group[b]].target;
    for (Index s = 0; s < source.size(); ++s) {
      batch.source(b, s) = source[s];
    }
    batch.source(b, source.size()) = eos;
    batch.target_input(b, 0) = bos;
    for (Index t = 0; t < target.size(); ++t) {
      batch.target_input(b, t + 1) = target[t];
      batch.target_output(b, t) = target[t];
    }
    batch.target_output(b, target.size()) = eos;
  }
  return batch;
}

// --- 4. Random numbers -----------------------------------------------------------------------------------------------

// Where a row of random numbers is used. The generator has no state: the numbers depend only on these coordinates and
// on the seed. So a sentence gets the same dropout in any batch, in any shard and on any thread.
struct RandomRow {
  std::uint32_t update = 0;    // 0 before training
  std::uint32_t site = 0;      // which layer, or which matrix
  std::uint32_t sentence = 0;  // its number in the text
  std::uint32_t row = 0;       // of the sentence or of the matrix
};

// Four random words for column `column` of the row: Philox4x32-10 (Salmon et al. 2011).
std::array<std::uint32_t, 4> philox(const RandomRow& at, std::uint32_t column) {
  std::array<std::uint32_t, 4> words = {column, at.row, at.sentence, at.site};
  std::uint32_t key0 = config::seed;
  std::uint32_t key1 = at.update;
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

// Number j of the row, uniform in [0, 1). The upper 24 bits of a word fit into a float without rounding.
double uniform(const RandomRow& at, Index j) {
  const std::uint32_t word = philox(at, static_cast<std::uint32_t>(j / 4))[j % 4];
  return (word >> 8) * 0x1p-24;
}

// --- 5. Matrices and parameters --------------------------------------------------------------------------------------

struct Matrix {
  Index rows = 0;
  Index cols = 0;
  std::vector<float> numbers;  // row after row

  Matrix() = default;
  Matrix(Index row_count, Index col_count) : rows(row_count), cols(col_count), numbers(row_count * col_count, 0.0F) {}
  float* row(Index i) { return numbers.data() + i * cols; }
  const float* row(Index i) const { return numbers.data() + i * cols; }
  float& operator()(Index i, Index j) { return numbers[i * cols + j]; }
  float operator()(Index i, Index j) const { return numbers[i * cols + j]; }
};

Matrix transposed(const Matrix& x) {
  Matrix y(x.cols, x.rows);
  for (Index i = 0; i < x.rows; ++i) {
    for (Index j = 0; j < x.cols; ++j) {
      y(j, i) = x(i, j);
    }
  }
  return y;
}

Matrix sum(const Matrix& x, const Matrix& y) {
  Matrix z(x.rows, x.cols);
  for (Index i = 0; i < z.numbers.size(); ++i) {
    z.numbers[i] = x.numbers[i] + y.numbers[i];
  }
  return z;
}

// A copy of a block of a matrix.
Matrix block(const Matrix& x, Index first_row, Index first_col, Index rows, Index cols) {
  Matrix y(rows, cols);
  for (Index i = 0; i < rows; ++i) {
    std::copy_n(x.row(first_row + i) + first_col, cols, y.row(i));
  }
  return y;
}

// Copies `x` to a block of `to`.
void set_block(const Matrix& x, Matrix& to, Index first_row, Index first_col) {
  for (Index i = 0; i < x.rows; ++i) {
    std::copy_n(x.row(i), x.cols, to.row(first_row + i) + first_col);
  }
}

// A product is computed in strips of 16 columns, because this suits the processor's registers.
constexpr Index strip_cols = 16;

// The columns of b that begin at `first`, as a strip [K, 16]. At the right edge, zeros fill it up.
Matrix strip_of(const Matrix& b, Index first) {
  Matrix strip(b.rows, strip_cols);
  const Index width = std::min(strip_cols, b.cols - first);
  for (Index k = 0; k < b.rows; ++k) {
    std::copy_n(b.row(k) + first, width, strip.row(k));
  }
  return strip;
}

// One row of a product with a strip:  sums_j = sum over k of a_k strip_kj.  Each sum starts at 0 and takes its terms in
// the order of k, with one rounding per term.
USE_FMA_INSTRUCTION void multiply_row(const float* a, const float* strip, Index terms, float* result) {
  float sums[strip_cols] = {};
  for (Index k = 0; k < terms; ++k) {
    for (Index j = 0; j < strip_cols; ++j) {
      sums[j] = std::fma(a[k], strip[k * strip_cols + j], sums[j]);
    }
  }
  std::copy_n(sums, strip_cols, result);
}

// c = a b + start, with a [N, K], b [K, M], c [N, M].  Row n of `start` begins at start + n * start_stride, so a stride
// of 0 adds the same row everywhere. If `start` is null, nothing is added.
void multiply(const Matrix& a, const Matrix& b, const float* start, Index start_stride, float* c) {
  if (b.rows > 512) {
    throw std::logic_error("the real program splits sums of more than 512 terms into parts; this one does not");
  }
  for (Index first = 0; first < b.cols; first += strip_cols) {
    const Matrix strip = strip_of(b, first);
    for (Index n = 0; n < a.rows; ++n) {
      float sums[strip_cols];
      multiply_row(a.row(n), strip.row(0), b.rows, sums);
      for (Index m = first; m < std::min(first + strip_cols, b.cols); ++m) {
        const float term = sums[m - first];
        c[n * b.cols + m] = start == nullptr ? term : term + start[n * start_stride + m];
      }
    }
  }
}

// a b
Matrix product(const Matrix& a, const Matrix& b) {
  Matrix c(a.rows, b.cols);
  multiply(a, b, nullptr, 0, c.numbers.data());
  return c;
}

// All weights are in one vector, the arena's, and their gradient is in another with the same layout. So clipping, Adam
// and the sum over shards are one loop each.
struct Tensor {
  std::string name;
  Index rows;
  Index cols;  // 1 if it is a vector
  Index offset;
};
struct Arena {
  std::vector<Tensor> tensors;
  std::vector<float> weights;
  std::vector<float> gradient;
};

// A tensor's place in the arena.
struct Parameter {
  Arena* arena = nullptr;
  Index offset = 0;
  Index rows = 0;
  Index cols = 0;

  const float* weights() const { return arena->weights.data() + offset; }
  float* gradient() const { return arena->gradient.data() + offset; }
  Matrix matrix() const {  // a copy of the weights
    Matrix copy(rows, cols);
    std::copy_n(weights(), rows * cols, copy.row(0));
    return copy;
  }
};

// Takes the next place in the arena. The names are those that Hugging Face uses in Marian models.
Parameter add_tensor(Arena& arena, const std::string& name, Index rows, Index cols = 1) {
  const Index offset = arena.weights.size();
  arena.tensors.push_back({name, rows, cols, offset});
  arena.weights.resize(offset + rows * cols);
  arena.gradient.resize(offset + rows * cols);
  return {&arena, offset, rows, cols};
}

// --- 6. Masks: 1 = blocked, 0 = visible ------------------------------------------------------------------------------

// In attention, every token reads from other tokens, or from all of its own sentence. The token that reads is called
// the query; those that it reads from are the keys. A mask says which keys each query must not see.
struct Mask {
  Index sentences;                     // B, or 1 if all sentences share the mask
  Index queries;                       // T, or 1 if all queries share the mask
  Index keys;                          // S
  std::vector<unsigned char> blocked;  // [sentences, queries, keys]

  Mask(Index sentence_count, Index query_count, Index key_count)
      : sentences(sentence_count),
        queries(query_count),
        keys(key_count),
        blocked(sentence_count * query_count * key_count, 0) {}
  unsigned char at(Index sentence, Index query, Index key) const {
    const Index b = sentences == 1 ? 0 : sentence;
    const Index t = queries == 1 ? 0 : query;
    return blocked[(b * queries + t) * keys + key];
  }
};

// Blocks padding: [B, 1, S]. Padding is blocked as a key only. Padding queries get results, but the loss ignores them.
Mask padding_mask(const Ids& ids) {
  Mask mask(ids.rows, 1, ids.cols);
  for (Index i = 0; i < ids.ids.size(); ++i) {
    mask.blocked[i] = ids.ids[i] == pad ? 1 : 0;
  }
  return mask;
}

// Blocks the future of each query: [1, T, T].
Mask look_ahead_mask(Index length) {
  Mask mask(1, length, length);
  for (Index query = 0; query < length; ++query) {
    for (Index key = query + 1; key < length; ++key) {
      mask.blocked[query * length + key] = 1;
    }
  }
  return mask;
}

// Blocks what either mask blocks, the elementwise maximum: [B, T, T] from [B, 1, T] and [1, T, T].
Mask combined_mask(const Mask& padding, const Mask& look_ahead) {
  const Index length = padding.keys;
  Mask mask(padding.sentences, length, length);
  for (Index b = 0; b < mask.sentences; ++b) {
    for (Index query = 0; query < length; ++query) {
      for (Index key = 0; key < length; ++key) {
        mask.blocked[(b * length + query) * length + key] =
            std::max(padding.at(b, query, key), look_ahead.at(b, query, key));
      }
    }
  }
  return mask;
}

struct Masks {
  Mask encoder_padding;   // [B, 1, S] encoder self-attention: source padding
  Mask decoder_combined;  // [B, T, T] decoder self-attention: target padding and the future
  Mask cross_padding;     // [B, 1, S] cross-attention: source padding again, because its keys are source tokens
};

Masks make_masks(const Ids& source, const Ids& target_input) {
  return {padding_mask(source), combined_mask(padding_mask(target_input), look_ahead_mask(target_input.cols)),
          padding_mask(source)};
}

// --- 7. Layers -------------------------------------------------------------------------------------------------------

// What is the same for all layers in one forward and backward pass. Outside training, there is no dropout.
struct Pass {
  bool training = false;
  std::uint32_t update = 0;
  Group sentences;  // [B] the number of each sentence in the text
};

// Dropout (Srivastava et al. 2014): in training, each number becomes 0 with probability `rate`; the others grow, so
// that the expected value stays the same:
//
//   y = x * kept / (1 - rate)        kept = 0 or 1
struct Dropout {
  std::uint32_t site;
  std::vector<float> kept;  // [N * D] saved by forward

  explicit Dropout(std::uint32_t its_site) : site(its_site) {}

  Matrix forward(const Pass& pass, const Matrix& x) {
    if (!pass.training) {
      return x;
    }
    draw(pass, x.rows, x.cols);
    return multiply_by_kept(x);
  }

  // y = x * kept / (1 - rate).  Each x affects only its own y:  d_x = d_y * kept / (1 - rate)
  Matrix backward(const Matrix& d_y) const { return multiply_by_kept(d_y); }

  // A decision needs 16 random bits. The four 32-bit words of column j have eight times as many, so they are used for
  // column j of eight consecutive rows.
  void draw(const Pass& pass, Index rows, Index cols) {
    const long threshold = std::lround(config::dropout * 0x1p16);  // 16-bit numbers below it are dropped
    const Index length = rows / pass.sentences.size();             // of each padded sentence
    kept.resize(rows * cols);
    for (Index n = 0; n < rows; ++n) {
      const auto sentence = static_cast<std::uint32_t>(pass.sentences[n / length]);
      const Index t = n % length;  // the position in the sentence
      const RandomRow at = {pass.update, site, sentence, static_cast<std::uint32_t>(t / 8 * 8)};
      for (Index j = 0; j < cols; ++j) {
        const std::uint32_t word = philox(at, static_cast<std::uint32_t>(j))[t % 8 / 2];
        const std::uint32_t half = t % 2 == 0 ? word & 0xFFFF : word >> 16;
        kept[n * cols + j] = half >= threshold ? 1.0F : 0.0F;
      }
    }
  }

  Matrix multiply_by_kept(const Matrix& x) const {
    const auto factor = static_cast<float>(1 / (1 - config::dropout));
    Matrix y(x.rows, x.cols);
    for (Index i = 0; i < y.numbers.size(); ++i) {
      y.numbers[i] = x.numbers[i] * (kept[i] * factor);
    }
    return y;
  }
};

// The position of a token in its sentence, as a vector (Vaswani et al. 2017, section 3.5):
//
//   position[t, i]       = sin(t / 10000^(2i / D))        i = 0 .. D/2 - 1
//   position[t, D/2 + i] = cos(t / 10000^(2i / D))        (the paper alternates sines and cosines)
Matrix positions(Index length) {
  constexpr Index half = D / 2;
  Matrix position(length, D);
  for (Index i = 0; i < half; ++i) {
    const double exponent = -2.0 * static_cast<double>(i) / static_cast<double>(D);
    const double frequency = same::pow(10000.0, exponent);
    for (Index t = 0; t < length; ++t) {
      const double angle = static_cast<double>(t) * frequency;
      position(t, i) = static_cast<float>(same::sin(angle));
      position(t, half + i) = static_cast<float>(same::cos(angle));
    }
  }
  return position;
}

// x[b, t] = dropout(sqrt(D) * table[id[b, t]] + position[t])        0 for padding, before dropout
struct Embedding {
  Parameter table;  // [V, D]
  Dropout dropout;
  Ids ids = Ids(0, 0);  // [B, T] saved by forward

  Embedding(Arena& arena, const std::string& name, Index words, std::uint32_t site)
      : table(add_tensor(arena, name, words, D)), dropout(site) {}

  // Maps ids [B, T] to x [B*T, D].
  Matrix forward(const Pass& pass, const Ids& input) {
    ids = input;
    const float scale = std::sqrt(static_cast<float>(D));
    const Matrix position = positions(ids.cols);
    Matrix x(ids.rows * ids.cols, D);
    for (Index n = 0; n < x.rows; ++n) {
      if (ids.ids[n] != pad) {
        const float* const row = table.weights() + ids.ids[n] * D;
        for (Index j = 0; j < D; ++j) {
          x(n, j) = scale * row[j] + position(n % ids.cols, j);
        }
      }
    }
    return dropout.forward(pass, x);
  }

  void backward(const Matrix& d_x) const {
    // x = dropout(embedded)
    const Matrix d_embedded = dropout.backward(d_x);
    // embedded_n = scale * table[id_n] + position.  Every token n with this id uses the row, so its gradient adds up.
    const float scale = std::sqrt(static_cast<float>(D));
    for (Index n = 0; n < d_x.rows; ++n) {
      if (ids.ids[n] != pad) {
        float* const d_row = table.gradient() + ids.ids[n] * D;
        for (Index j = 0; j < D; ++j) {
          d_row[j] += scale * d_embedded(n, j);
        }
      }
    }
  }
};

// y = x W^T + b        W [out, in], as torch.nn.Linear stores it
struct Linear {
  Parameter weight;  // [out, in]
  Parameter bias;    // [out]
  Matrix x;          // [N, in] saved by forward

  Linear(const Parameter& its_weight, const Parameter& its_bias) : weight(its_weight), bias(its_bias) {}
  Linear(Arena& arena, const std::string& name, Index in, Index out)
      : weight(add_tensor(arena, name + ".weight", out, in)), bias(add_tensor(arena, name + ".bias", out)) {}

  // Maps x [N, in] to y [N, out].
  Matrix forward(const Matrix& input) {
    x = input;
    Matrix y(x.rows, weight.rows);
    multiply(x, transposed(weight.matrix()), bias.weights(), 0, y.numbers.data());
    return y;
  }

  // y_nk = sum over i of x_ni W_ki + b_k.  By the chain rule, a gradient is the sum over all y_nk that depend on a
  // number of d_y_nk times the derivative of y_nk with respect to it.
  Matrix backward(const Matrix& d_y) const {
    // b_k is in y_nk for every row n:  d_b_k = sum over n of d_y_nk
    float* const d_bias = bias.gradient();
    for (Index n = 0; n < d_y.rows; ++n) {
      for (Index k = 0; k < d_y.cols; ++k) {
        d_bias[k] += d_y(n, k);
      }
    }
    // W_ki is in y_nk for every row n:  d_W_ki = sum over n of d_y_nk x_ni, that is,  d_W += d_y^T x   [out, in]
    float* const d_weight = weight.gradient();
    multiply(transposed(d_y), x, d_weight, weight.cols, d_weight);
    // x_ni is in y_nk for every output k:  d_x_ni = sum over k of d_y_nk W_ki, that is,  d_x = d_y W   [N, in]
    return product(d_y, weight.matrix());
  }
};

// weight_j = exp(score_j) / sum over k of exp(score_k), over the keys that a query may see.  Turns the scores [T, S] of
// one head into weights, in place. A weight is exactly 0 where the mask is 1.
void masked_softmax(Matrix& scores, const Mask& mask, Index sentence) {
  for (Index t = 0; t < scores.rows; ++t) {
    for (Index s = 0; s < scores.cols; ++s) {
      scores(t, s) = mask.at(sentence, t, s) == 1 ? minus_infinity : scores(t, s);
    }
    softmax_row(scores.row(t), scores.cols);
  }
}

// Raising one score raises its weight and lowers all others. With weight_k = exp(score_k) / Z, the quotient rule gives
// dweight_k/dscore_j = weight_k ([k = j] - weight_j), where [k = j] is 1 if k = j and otherwise 0. Summed over all
// weights of the row:
//
//   d_score_j = sum over k of d_weight_k weight_k ([k = j] - weight_j)
//             = weight_j (d_weight_j - sum over k of weight_k d_weight_k)        0 for a blocked key: its weight is 0
//
// Turns d_weights into d_scores, in place.
void masked_softmax_backward(const Matrix& weights, Matrix& d_weights) {
  for (Index t = 0; t < weights.rows; ++t) {
    const float weighted_sum = dot(weights.row(t), d_weights.row(t), weights.cols);
    for (Index s = 0; s < weights.cols; ++s) {
      d_weights(t, s) = weights(t, s) * (d_weights(t, s) - weighted_sum);
    }
  }
}

// Scaled dot-product attention (Vaswani et al. 2017, section 3.2.1). For each head of each sentence:
//
//   scores  = Q K^T / sqrt(d_head)        [T, S]
//   weights = masked softmax of scores    [T, S]
//   context = weights V                   [T, d_head]
//
// Head h owns the d_head = D / H columns of Q, K, V and the context that start at h * d_head.
struct ScaledDotProductAttention {
  Index B = 0;
  Index T = 0;
  Index S = 0;
  Matrix q;                     // [B*T, D] saved by forward, as are the others
  Matrix k;                     // [B*S, D]
  Matrix v;                     // [B*S, D]
  std::vector<Matrix> weights;  // [T, S] for each head of each sentence

  Matrix forward(const Matrix& queries, const Matrix& keys, const Matrix& values, const Mask& mask) {
    q = queries;
    k = keys;
    v = values;
    S = mask.keys;
    B = k.rows / S;
    T = q.rows / B;
    weights.clear();
    const float scale = 1 / std::sqrt(static_cast<float>(d_head));
    Matrix context(q.rows, q.cols);
    for (Index b = 0; b < B; ++b) {
      for (Index column = 0; column < D; column += d_head) {
        Matrix scores = product(block(q, b * T, column, T, d_head), transposed(block(k, b * S, column, S, d_head)));
        for (float& score : scores.numbers) {
          score *= scale;
        }
        masked_softmax(scores, mask, b);  // now these are the weights
        set_block(product(scores, block(v, b * S, column, S, d_head)), context, b * T, column);
        weights.push_back(scores);
      }
    }
    return context;
  }

  struct Gradients {
    Matrix d_q;
    Matrix d_k;
    Matrix d_v;
  };

  Gradients backward(const Matrix& d_context) const {
    const float scale = 1 / std::sqrt(static_cast<float>(d_head));
    Gradients d = {Matrix(q.rows, q.cols), Matrix(k.rows, k.cols), Matrix(v.rows, v.cols)};
    for (Index b = 0; b < B; ++b) {
      for (Index column = 0; column < D; column += d_head) {
        const Matrix& w = weights[b * config::heads + column / d_head];
        const Matrix d_c = block(d_context, b * T, column, T, d_head);
        // context = weights V:  d_V = weights^T d_context        d_weights = d_context V^T
        set_block(product(transposed(w), d_c), d.d_v, b * S, column);
        Matrix d_scores = product(d_c, transposed(block(v, b * S, column, S, d_head)));
        // weights = softmax(scores)
        masked_softmax_backward(w, d_scores);
        // scores = products / sqrt(d_head), products = Q K^T:  d_Q = d_products K        d_K = d_products^T Q
        for (float& d_score : d_scores.numbers) {
          d_score *= scale;
        }
        set_block(product(d_scores, block(k, b * S, column, S, d_head)), d.d_q, b * T, column);
        set_block(product(transposed(d_scores), block(q, b * T, column, T, d_head)), d.d_k, b * S, column);
      }
    }
    return d;
  }
};

// The maps to query, key and value: three matrices [D, D], one after the other in the arena, then three biases.
struct Projections {
  Parameter weight;  // [3D, D]
  Parameter bias;    // [3D]

  Projections(Arena& arena, const std::string& name)
      : weight(add_three(arena, name, ".weight", D)), bias(add_three(arena, name, ".bias", 1)) {}

  static Parameter add_three(Arena& arena, const std::string& name, const std::string& kind, Index cols) {
    Parameter all = add_tensor(arena, name + "q_proj" + kind, D, cols);
    add_tensor(arena, name + "k_proj" + kind, D, cols);
    add_tensor(arena, name + "v_proj" + kind, D, cols);
    all.rows = 3 * D;
    return all;
  }

  // The map to `count` of the 3D outputs, starting at output `first`.
  Linear map(Index first, Index count) const {
    return {{weight.arena, weight.offset + first * weight.cols, count, weight.cols},
            {bias.arena, bias.offset + first, count, 1}};
  }
};

// Queries, keys and values all come from x:  y = attention(x Wq^T, x Wk^T, x Wv^T) Wo^T, biases omitted
struct SelfAttention {
  Projections projections;
  Linear qkv_proj;  // D to 3D: q, k and v side by side
  Linear out_proj;  // D to D
  ScaledDotProductAttention attention;

  SelfAttention(Arena& arena, const std::string& name)
      : projections(arena, name), qkv_proj(projections.map(0, 3 * D)), out_proj(arena, name + "out_proj", D, D) {}

  Matrix forward(const Matrix& x, const Mask& mask) {
    const Index N = x.rows;
    const Matrix qkv = qkv_proj.forward(x);  // [N, 3D]
    const Matrix context =
        attention.forward(block(qkv, 0, 0, N, D), block(qkv, 0, D, N, D), block(qkv, 0, 2 * D, N, D), mask);
    return out_proj.forward(context);
  }

  Matrix backward(const Matrix& d_y) const {
    // y = context Wo^T
    const ScaledDotProductAttention::Gradients d = attention.backward(out_proj.backward(d_y));
    // q, k, v = x Wq^T, x Wk^T, x Wv^T.  x feeds all three:  d_x = d_q Wq + d_k Wk + d_v Wv.  That is one product,
    // [d_q d_k d_v] times the three stacked matrices, and one sum of 3D terms.
    Matrix d_qkv(d_y.rows, 3 * d_y.cols);
    set_block(d.d_q, d_qkv, 0, 0);
    set_block(d.d_k, d_qkv, 0, d_y.cols);
    set_block(d.d_v, d_qkv, 0, 2 * d_y.cols);
    return qkv_proj.backward(d_qkv);
  }
};

// Queries come from the decoder, keys and values from the encoder's output ("memory"):
//
//   y = attention(x Wq^T, memory Wk^T, memory Wv^T) Wo^T, biases omitted
struct CrossAttention {
  Projections projections;
  Linear q_proj;    // D to D
  Linear kv_proj;   // D to 2D: k and v side by side
  Linear out_proj;  // D to D
  ScaledDotProductAttention attention;

  CrossAttention(Arena& arena, const std::string& name)
      : projections(arena, name),
        q_proj(projections.map(0, D)),
        kv_proj(projections.map(D, 2 * D)),
        out_proj(arena, name + "out_proj", D, D) {}

  Matrix forward(const Matrix& x, const Matrix& memory, const Mask& mask) {
    const Index M = memory.rows;
    const Matrix kv = kv_proj.forward(memory);  // [M, 2D]
    const Matrix context = attention.forward(q_proj.forward(x), block(kv, 0, 0, M, D), block(kv, 0, D, M, D), mask);
    return out_proj.forward(context);
  }

  struct Gradients {
    Matrix d_x;
    Matrix d_memory;
  };

  Gradients backward(const Matrix& d_y) const {
    // y = context Wo^T
    const ScaledDotProductAttention::Gradients d = attention.backward(out_proj.backward(d_y));
    // k, v = memory Wk^T, memory Wv^T.  This gradient flows back into the encoder.
    Matrix d_kv(d.d_k.rows, 2 * d_y.cols);
    set_block(d.d_k, d_kv, 0, 0);
    set_block(d.d_v, d_kv, 0, d_y.cols);
    Matrix d_memory = kv_proj.backward(d_kv);
    // q = x Wq^T.  This gradient flows back through the decoder.
    return {q_proj.backward(d.d_q), std::move(d_memory)};
  }
};

// Layer normalisation (Ba, Kiros & Hinton 2016), for each row:
//
//   x_hat = (x - mean(x)) / sqrt(var(x) + epsilon)        y = gain * x_hat + bias
struct LayerNorm {
  static constexpr float epsilon = 1e-5F;
  Parameter gain;              // [D]
  Parameter bias;              // [D]
  Matrix x_hat;                // [N, D] saved by forward
  std::vector<float> inv_std;  // [N] 1 / sqrt(var + epsilon), saved by forward

  LayerNorm(Arena& arena, const std::string& name)
      : gain(add_tensor(arena, name + ".weight", D)), bias(add_tensor(arena, name + ".bias", D)) {}

  Matrix forward(const Matrix& x) {
    x_hat = Matrix(x.rows, x.cols);
    inv_std.resize(x.rows);
    Matrix y(x.rows, x.cols);
    for (Index n = 0; n < x.rows; ++n) {
      const float mean_x = mean(x.row(n), x.cols);
      for (Index j = 0; j < x.cols; ++j) {
        x_hat(n, j) = x(n, j) - mean_x;
      }
      const float variance = mean_product(x_hat.row(n), x_hat.row(n), x.cols);  // x_hat is only x - mean so far
      inv_std[n] = 1 / std::sqrt(variance + epsilon);
      for (Index j = 0; j < x.cols; ++j) {
        x_hat(n, j) *= inv_std[n];
        y(n, j) = gain.weights()[j] * x_hat(n, j) + bias.weights()[j];
      }
    }
    return y;
  }

  Matrix backward(const Matrix& d_y) const {
    Matrix d_x(d_y.rows, d_y.cols);
    std::vector<float> d_xhat(d_y.cols);
    for (Index n = 0; n < d_y.rows; ++n) {
      // y = gain * x_hat + bias.  All rows share gain and bias, so their gradients add up.
      for (Index j = 0; j < d_y.cols; ++j) {
        gain.gradient()[j] += d_y(n, j) * x_hat(n, j);
        bias.gradient()[j] += d_y(n, j);
        d_xhat[j] = d_y(n, j) * gain.weights()[j];
      }
      // x_hat_i = inv_std (x_i - mean).  x_j affects x_hat_j itself, and all x_hat_i through the mean and the variance:
      //   dx_hat_i/dx_j = inv_std ([i = j] - 1/D - x_hat_i x_hat_j / D)
      //   d_x_j = sum over i of d_xhat_i dx_hat_i/dx_j = inv_std (d_xhat_j - mean(d_xhat) - x_hat_j mean(d_xhat x_hat))
      const float via_mean = mean(d_xhat.data(), d_y.cols);
      const float via_variance = mean_product(d_xhat.data(), x_hat.row(n), d_y.cols);
      for (Index j = 0; j < d_y.cols; ++j) {
        d_x(n, j) = inv_std[n] * (d_xhat[j] - via_mean - x_hat(n, j) * via_variance);
      }
    }
    return d_x;
  }
};

// y = max(0, x W1^T + b1) W2^T + b2, for each token separately (Vaswani et al. 2017, section 3.3)
struct FeedForward {
  Linear fc1;       // W1 and b1, D to F
  Linear fc2;       // W2 and b2, F to D
  Matrix expanded;  // [N, F] x W1^T + b1, saved by forward

  FeedForward(Arena& arena, const std::string& name)
      : fc1(arena, name + "fc1", D, config::d_ff), fc2(arena, name + "fc2", config::d_ff, D) {}

  Matrix forward(const Matrix& x) {
    expanded = fc1.forward(x);
    Matrix activated = expanded;
    for (float& number : activated.numbers) {
      number = std::max(number, 0.0F);
    }
    return fc2.forward(activated);
  }

  Matrix backward(const Matrix& d_y) const {
    // y = activated W2^T + b2
    Matrix d_activated = fc2.backward(d_y);
    // activated = max(0, expanded).  The slope is 1 above 0, otherwise 0.
    for (Index i = 0; i < expanded.numbers.size(); ++i) {
      d_activated.numbers[i] = expanded.numbers[i] > 0 ? d_activated.numbers[i] : 0;
    }
    // expanded = x W1^T + b1
    return fc1.backward(d_activated);
  }
};

// Softmax and cross-entropy with label smoothing, summed over all tokens but padding:
//
//   p_v  = exp(logit_v) / sum over k of exp(logit_k)
//   loss = - sum over v of q_v log p_v        q_v = 1 - smoothing + smoothing / V   if v is the expected token
//                                             q_v = smoothing / V                   if not
struct CrossEntropy {
  Matrix p;                  // [N, V] saved by forward
  Ids expected = Ids(0, 0);  // [B, T] saved by forward

  double forward(const Matrix& logits, const Ids& target_output) {
    p = logits;
    expected = target_output;
    double total = 0;
    for (Index n = 0; n < p.rows; ++n) {
      // -log p_v = log sum exp(logit) - logit_v.  q spreads `smoothing` evenly over all V tokens, hence the mean, and
      // gives the rest to the expected token.
      const float mean_logit = mean(p.row(n), p.cols);
      const float largest_logit = largest(p.row(n), p.cols);
      const float sum_exp = softmax_row(p.row(n), p.cols);  // of exp(logit - largest)
      const float log_sum_exp = largest_logit + static_cast<float>(same::log(sum_exp));
      const Index token = expected.ids[n];
      if (token != pad) {
        const double cross_entropy = log_sum_exp - logits(n, token);
        const double over_vocabulary = log_sum_exp - mean_logit;
        total += (1 - config::label_smoothing) * cross_entropy + config::label_smoothing * over_vocabulary;
      }
    }
    return total;
  }

  // dloss/dlogit_j = p_j - q_j, so d_logit_j = d_loss (p_j - q_j).  (logit_j is in log p_j itself, which gives -q_j,
  // and in log sum exp, which all log p_v contain: sum over v of q_v p_j = p_j, because the q_v sum to 1.)
  Matrix backward(float d_loss) const {
    const auto everywhere = static_cast<float>(config::label_smoothing / static_cast<double>(p.cols));
    const auto at_expected = static_cast<float>(1 - config::label_smoothing);
    Matrix d_logits(p.rows, p.cols);
    for (Index n = 0; n < p.rows; ++n) {
      const Index token = expected.ids[n];
      if (token != pad) {
        for (Index v = 0; v < p.cols; ++v) {
          d_logits(n, v) = d_loss * (p(n, v) - everywhere);
        }
        d_logits(n, token) -= d_loss * at_expected;
      }
    }
    return d_logits;
  }
};

// --- 8. Encoder layer, decoder layer, transformer --------------------------------------------------------------------

// The residual connection around a sublayer: y = LayerNorm(x + dropout(sublayer(x))).  ("Add & Norm" in the paper)
struct AddAndNorm {
  Dropout dropout;
  LayerNorm layer_norm;

  AddAndNorm(Arena& arena, const std::string& name, std::uint32_t site) : dropout(site), layer_norm(arena, name) {}

  // Maps x and sublayer(x), both [N, D], to y [N, D].
  Matrix forward(const Pass& pass, const Matrix& x, const Matrix& sublayer) {
    return layer_norm.forward(sum(x, dropout.forward(pass, sublayer)));
  }

  struct Gradients {
    Matrix d_sum;       // one part of d_x; the other comes through the sublayer
    Matrix d_sublayer;  // of the sublayer's output
  };
  Gradients backward(const Matrix& d_y) const {
    // y = LayerNorm(sum), sum = x + dropout(sublayer).  Both terms get the gradient of the sum.
    Matrix d_sum = layer_norm.backward(d_y);
    Matrix d_sublayer = dropout.backward(d_sum);
    return {std::move(d_sum), std::move(d_sublayer)};
  }
};

//   h = add & norm(x, self-attention)        every source token attends to all source tokens except padding
//   y = add & norm(h, feed-forward)
struct EncoderLayer {
  SelfAttention self_attn;
  AddAndNorm self_attn_norm;
  FeedForward feed_forward;
  AddAndNorm final_norm;

  // The dropout sites are numbered as in the real program, which has two more: for attention weights and activations.
  EncoderLayer(Arena& arena, const std::string& name, std::uint32_t site)
      : self_attn(arena, name + "self_attn."),
        self_attn_norm(arena, name + "self_attn_layer_norm", site + 1),
        feed_forward(arena, name),
        final_norm(arena, name + "final_layer_norm", site + 3) {}

  Matrix forward(const Pass& pass, const Matrix& x, const Mask& padding) {
    const Matrix h = self_attn_norm.forward(pass, x, self_attn.forward(x, padding));
    return final_norm.forward(pass, h, feed_forward.forward(h));
  }

  Matrix backward(const Matrix& d_y) const {
    // y = add & norm(h, feed-forward(h)).  h reaches y by two paths, around feed-forward and through it.
    const AddAndNorm::Gradients d_2 = final_norm.backward(d_y);
    const Matrix d_h = sum(d_2.d_sum, feed_forward.backward(d_2.d_sublayer));
    // h = add & norm(x, self-attention(x))
    const AddAndNorm::Gradients d_1 = self_attn_norm.backward(d_h);
    return sum(d_1.d_sum, self_attn.backward(d_1.d_sublayer));
  }
};

//   h = add & norm(x, self-attention)                every target token attends to itself and to earlier ones
//   g = add & norm(h, cross-attention to memory)     and then to all source tokens except padding
//   y = add & norm(g, feed-forward)
struct DecoderLayer {
  SelfAttention self_attn;
  AddAndNorm self_attn_norm;
  CrossAttention encoder_attn;
  AddAndNorm encoder_attn_norm;
  FeedForward feed_forward;
  AddAndNorm final_norm;

  DecoderLayer(Arena& arena, const std::string& name, std::uint32_t site)
      : self_attn(arena, name + "self_attn."),
        self_attn_norm(arena, name + "self_attn_layer_norm", site + 1),
        encoder_attn(arena, name + "encoder_attn."),
        encoder_attn_norm(arena, name + "encoder_attn_layer_norm", site + 3),
        feed_forward(arena, name),
        final_norm(arena, name + "final_layer_norm", site + 5) {}

  Matrix forward(const Pass& pass, const Matrix& x, const Matrix& memory, const Masks& masks) {
    const Matrix h = self_attn_norm.forward(pass, x, self_attn.forward(x, masks.decoder_combined));
    const Matrix g = encoder_attn_norm.forward(pass, h, encoder_attn.forward(h, memory, masks.cross_padding));
    return final_norm.forward(pass, g, feed_forward.forward(g));
  }

  // Returns d_x and d_memory.
  CrossAttention::Gradients backward(const Matrix& d_y) const {
    // y = add & norm(g, feed-forward(g))
    const AddAndNorm::Gradients d_3 = final_norm.backward(d_y);
    const Matrix d_g = sum(d_3.d_sum, feed_forward.backward(d_3.d_sublayer));
    // g = add & norm(h, cross-attention(h, memory))
    const AddAndNorm::Gradients d_2 = encoder_attn_norm.backward(d_g);
    CrossAttention::Gradients d_cross = encoder_attn.backward(d_2.d_sublayer);
    const Matrix d_h = sum(d_2.d_sum, d_cross.d_x);
    // h = add & norm(x, self-attention(x))
    const AddAndNorm::Gradients d_1 = self_attn_norm.backward(d_h);
    return {sum(d_1.d_sum, self_attn.backward(d_1.d_sublayer)), std::move(d_cross.d_memory)};
  }
};

//   memory = encoder layers(embedding(source))
//   state  = decoder layers(embedding(target_input), memory)
//   logits = state E^T + b                                         E: the target embedding's table
//   loss   = cross-entropy(logits, target_output)
struct Transformer {
  Embedding source_embedding;
  Embedding target_embedding;
  Linear output;  // D to V; its weight is the target embedding's table
  std::vector<EncoderLayer> encoder_layers;
  std::vector<DecoderLayer> decoder_layers;
  CrossEntropy cross_entropy;

  Transformer(Arena& arena, Index source_words, Index target_words)
      : source_embedding(arena, "model.encoder.embed_tokens.weight", source_words, 0),
        target_embedding(arena, "model.decoder.embed_tokens.weight", target_words, 1),
        output(target_embedding.table, add_tensor(arena, "final_logits_bias", target_words)) {
    for (std::uint32_t i = 0; i < config::encoder_layers; ++i) {
      encoder_layers.emplace_back(arena, "model.encoder.layers." + std::to_string(i) + ".", 1000 + 4 * i);
    }
    for (std::uint32_t i = 0; i < config::decoder_layers; ++i) {
      decoder_layers.emplace_back(arena, "model.decoder.layers." + std::to_string(i) + ".", 1'000'000 + 6 * i);
    }
  }

  // Maps source [B, S] to memory [B*S, D].
  Matrix encode(const Pass& pass, const Ids& source, const Masks& masks) {
    Matrix x = source_embedding.forward(pass, source);
    for (EncoderLayer& layer : encoder_layers) {
      x = layer.forward(pass, x, masks.encoder_padding);
    }
    return x;
  }

  // Maps target_input [B, T] and memory to logits [B*T, V].
  Matrix decode(const Pass& pass, const Ids& target_input, const Matrix& memory, const Masks& masks) {
    Matrix x = target_embedding.forward(pass, target_input);
    for (DecoderLayer& layer : decoder_layers) {
      x = layer.forward(pass, x, memory, masks);
    }
    return output.forward(x);
  }

  // The loss of a batch, summed over its target tokens.
  double forward(const Pass& pass, const Batch& batch) {
    const Masks masks = make_masks(batch.source, batch.target_input);
    const Matrix memory = encode(pass, batch.source, masks);
    return cross_entropy.forward(decode(pass, batch.target_input, memory, masks), batch.target_output);
  }

  // Adds to the gradient of every parameter. d_loss is the derivative of the batch's mean loss by one token's loss.
  void backward(float d_loss) const {
    // loss = cross-entropy(logits), logits = state E^T + b
    Matrix d_x = output.backward(cross_entropy.backward(d_loss));
    // All decoder layers read the memory, so their gradients add up, beginning with the last layer.
    Matrix d_memory(source_embedding.ids.ids.size(), D);
    for (Index i = decoder_layers.size(); i > 0; --i) {
      CrossAttention::Gradients d = decoder_layers[i - 1].backward(d_x);
      d_x = std::move(d.d_x);
      d_memory = sum(d_memory, d.d_memory);
    }
    target_embedding.backward(d_x);  // the table already has the gradient of the output
    for (Index i = encoder_layers.size(); i > 0; --i) {
      d_memory = encoder_layers[i - 1].backward(d_memory);
    }
    source_embedding.backward(d_memory);
  }
};

// --- 9. Initial weights ----------------------------------------------------------------------------------------------

// The embeddings: normal, with standard deviation 1 / sqrt(D) (Box & Muller 1958). The row of padding is 0.
void draw_normal(const Tensor& table, RandomRow at, float* weights) {
  const double deviation = 1 / std::sqrt(static_cast<double>(table.cols));
  for (Index r = 0; r < table.rows; ++r) {
    at.row = static_cast<std::uint32_t>(r);
    for (Index c = 0; c < table.cols; ++c) {
      const double radius = std::sqrt(-2 * same::log(1 - uniform(at, 2 * c)));
      const double angle = 2 * std::numbers::pi * uniform(at, 2 * c + 1);
      weights[r * table.cols + c] = r == pad ? 0 : static_cast<float>(deviation * radius * same::cos(angle));
    }
  }
}

// Linear maps: uniform in +-sqrt(6 / (in + out)) (Glorot & Bengio 2010), for query, key and value divided by sqrt(2).
void draw_uniform(const Tensor& matrix, RandomRow at, float* weights) {
  const std::string& name = matrix.name;
  const bool is_projection =
      name.ends_with("q_proj.weight") || name.ends_with("k_proj.weight") || name.ends_with("v_proj.weight");
  const double gain = is_projection ? std::numbers::sqrt2 / 2 : 1;
  const double limit = gain * std::sqrt(6.0 / static_cast<double>(matrix.rows + matrix.cols));
  for (Index r = 0; r < matrix.rows; ++r) {
    at.row = static_cast<std::uint32_t>(r);
    for (Index c = 0; c < matrix.cols; ++c) {
      weights[r * matrix.cols + c] = static_cast<float>((2 * uniform(at, c) - 1) * limit);
    }
  }
}

// Biases are 0, gains of layer normalisation 1. The site of a matrix's random numbers is its number among the matrices.
void initialize(Arena& arena) {
  RandomRow at;
  for (const Tensor& tensor : arena.tensors) {
    float* const weights = arena.weights.data() + tensor.offset;
    if (tensor.cols == 1) {
      std::fill_n(weights, tensor.rows, tensor.name.ends_with("layer_norm.weight") ? 1.0F : 0.0F);
      continue;
    }
    if (tensor.name.ends_with("embed_tokens.weight")) {
      draw_normal(tensor, at, weights);
    } else {
      draw_uniform(tensor, at, weights);
    }
    ++at.site;
  }
}

// --- 10. Training ----------------------------------------------------------------------------------------------------

struct Gradient {
  std::vector<float> numbers;  // of all weights
  double loss = 0;             // summed over the target tokens
  Index tokens = 0;
};

// The gradient of a batch's mean loss. The batch is cut into shards, which the real program computes in parallel. A
// shard is computed one micro-batch at a time, each padded only to its own longest sentence. The gradients of the
// micro-batches add up in the shard's gradient, and then those of the shards, in order: ((g0 + g1) + g2) + ...
Gradient gradient_of(Transformer& model, Arena& arena, const Pairs& pairs, const Group& batch, std::uint32_t update) {
  Gradient result;
  for (const Index sentence : batch) {
    result.tokens += lengths(pairs[sentence]).target;
  }
  // The losses are summed over the tokens, and the division is done only once: here, in d_loss.
  const float d_loss = 1 / static_cast<float>(result.tokens);
  for (const Group& shard : cut_into_parts(pairs, batch, config::shards)) {
    double shard_loss = 0;
    std::fill(arena.gradient.begin(), arena.gradient.end(), 0.0F);
    const Index pieces = 1 + padded_tokens(pairs, shard) / config::micro_batch_tokens;
    for (const Group& micro_batch : cut_into_parts(pairs, shard, pieces)) {
      const Pass pass = {.training = true, .update = update, .sentences = micro_batch};
      shard_loss += model.forward(pass, make_batch(pairs, micro_batch));
      model.backward(d_loss);
    }
    result.loss += shard_loss;
    if (result.numbers.empty()) {
      result.numbers = arena.gradient;
    } else {
      for (Index i = 0; i < result.numbers.size(); ++i) {
        result.numbers[i] += arena.gradient[i];
      }
    }
  }
  return result;
}

// The Euclidean norm of the whole gradient, in double precision: a sum of squares for every 16,384 numbers, because the
// real program computes these in parallel, and then the sum of these sums.
double norm_of(const std::vector<float>& gradient) {
  constexpr Index range = 16384;
  double squares = 0;
  for (Index begin = 0; begin < gradient.size(); begin += range) {
    squares += sum_of_squares(gradient.data() + begin, std::min(range, gradient.size() - begin));
  }
  return std::sqrt(squares);
}

// Rises linearly to its peak in `warmup` updates, then falls with 1 / sqrt(update) (Vaswani et al. 2017, section 5.3).
double learning_rate(Index update) {
  const auto now = static_cast<double>(update);
  if (now < config::warmup) {
    return config::initial_rate + (config::learning_rate - config::initial_rate) * now / config::warmup;
  }
  return config::learning_rate * std::sqrt(config::warmup / now);
}

// Adam (Kingma & Ba 2015), for each weight p with gradient g at update t = 1, 2, 3, ...:
//
//   m = beta1 m + (1 - beta1) g                 the mean of recent gradients
//   v = beta2 v + (1 - beta2) g^2               and of their squares
//   p = p - rate * (m / (1 - beta1^t)) / (sqrt(v / (1 - beta2^t)) + epsilon)
//
// m and v start at 0, so at first they are too small; the divisors make up for this.
struct Adam {
  std::vector<float> m;
  std::vector<float> v;

  // First clips the gradient: if its norm is above clip_norm, it is scaled down to this norm.
  void update(std::vector<float>& weights, const Gradient& gradient, double norm, double rate, Index t) {
    const auto scale = static_cast<float>(norm > config::clip_norm ? config::clip_norm / norm : 1);
    const auto beta1 = static_cast<float>(config::beta1);
    const auto beta2 = static_cast<float>(config::beta2);
    const auto epsilon = static_cast<float>(config::epsilon);
    const auto power = static_cast<double>(t);
    // What is the same for all weights is computed in double precision, then rounded to a float.
    const auto step = static_cast<float>(rate / (1 - same::pow(config::beta1, power)));
    const auto inv_sqrt_v = static_cast<float>(1 / std::sqrt(1 - same::pow(config::beta2, power)));
    m.resize(weights.size());
    v.resize(weights.size());
    for (Index i = 0; i < weights.size(); ++i) {
      const float g = scale * gradient.numbers[i];
      m[i] = beta1 * m[i] + (1 - beta1) * g;
      v[i] = beta2 * v[i] + (1 - beta2) * (g * g);
      weights[i] -= step * m[i] / (std::sqrt(v[i]) * inv_sqrt_v + epsilon);
    }
  }
};

// --- 11. Translation, digests, main ----------------------------------------------------------------------------------

// Greedy search: keeps taking the most likely word until it is eos. (The real program computes only the new position in
// each step and caches keys and values of the earlier ones. Here, each step runs the decoder on all words so far.)
Sentence translate(Transformer& model, const Sentence& source) {
  const Pass pass;  // no dropout
  Ids source_ids(1, source.size() + 1);
  std::copy(source.begin(), source.end(), source_ids.ids.begin());
  source_ids.ids.back() = eos;
  Ids target_ids(1, 1);
  target_ids(0, 0) = bos;
  const Masks first_masks = make_masks(source_ids, target_ids);
  const Matrix memory = model.encode(pass, source_ids, first_masks);

  const auto limit = static_cast<Index>(config::max_length_ratio * static_cast<double>(source.size())) + 10;
  while (target_ids.cols <= limit) {
    const Masks masks = make_masks(source_ids, target_ids);
    const Matrix logits = model.decode(pass, target_ids, memory, masks);
    const float* const last = logits.row(logits.rows - 1);
    Index best = eos;
    for (Index id = eos; id < logits.cols; ++id) {  // never pad or bos
      best = last[id] > last[best] ? id : best;
    }
    if (best == eos) {
      break;
    }
    target_ids.ids.push_back(best);
    ++target_ids.cols;
  }
  return {target_ids.ids.begin() + 1, target_ids.ids.end()};
}

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

// SHA-256 (FIPS 180-4) mixes one block of 16 words after the other into its state.
void sha256_mix(std::array<std::uint32_t, 8>& state, std::span<const std::uint32_t> block) {
  std::array<std::uint32_t, 64> w = {};
  std::copy_n(block.begin(), 16, w.begin());
  for (Index i = 16; i < 64; ++i) {
    const std::uint32_t s0 = std::rotr(w[i - 15], 7) ^ std::rotr(w[i - 15], 18) ^ (w[i - 15] >> 3);
    const std::uint32_t s1 = std::rotr(w[i - 2], 17) ^ std::rotr(w[i - 2], 19) ^ (w[i - 2] >> 10);
    w[i] = w[i - 16] + s0 + w[i - 7] + s1;
  }
  auto [a, b, c, d, e, f, g, h] = state;
  for (Index i = 0; i < 64; ++i) {
    const std::uint32_t s1 = std::rotr(e, 6) ^ std::rotr(e, 11) ^ std::rotr(e, 25);
    const std::uint32_t first = h + s1 + ((e & f) ^ (~e & g)) + sha256_constants[i] + w[i];
    const std::uint32_t s0 = std::rotr(a, 2) ^ std::rotr(a, 13) ^ std::rotr(a, 22);
    const std::uint32_t second = s0 + ((a & b) ^ (a & c) ^ (b & c));
    h = g;
    g = f;
    f = e;
    e = d + first;
    d = c;
    c = b;
    b = a;
    a = first + second;
  }
  const std::array<std::uint32_t, 8> mixed = {a, b, c, d, e, f, g, h};
  for (Index i = 0; i < 8; ++i) {
    state[i] += mixed[i];
  }
}

// The first 16 digits of the SHA-256 of these floats, each as four bytes, the lowest first (as in a file on x86).
std::string digest_of(std::span<const float> numbers) {
  std::vector<std::uint32_t> words;  // SHA-256 reads four bytes as a word, the highest first
  for (const float number : numbers) {
    const auto bits = std::bit_cast<std::uint32_t>(number);
    words.push_back(bits << 24 | (bits & 0xFF00) << 8 | (bits >> 8 & 0xFF00) | bits >> 24);
  }
  words.push_back(0x80000000);  // after the message come a single 1, zeros, and the message's length in bits
  while (words.size() % 16 != 14) {
    words.push_back(0);
  }
  const std::uint64_t bits = 32 * std::uint64_t{numbers.size()};
  words.push_back(static_cast<std::uint32_t>(bits >> 32));
  words.push_back(static_cast<std::uint32_t>(bits));

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

using Digests = std::map<std::string, std::string>;  // by the name of the tensor

// The number that a text consists of, or -1.
std::int64_t number_in(const std::string& text) {
  const bool is_number = !text.empty() && text.size() <= 9 && text.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? std::stol(text) : -1;
}

// The lines "toy UPDATE TENSOR DIGEST", by update.
std::map<std::int64_t, Digests> read_digests(const std::string& path) {
  std::map<std::int64_t, Digests> digests;
  for (const std::string& line : read_lines(path)) {
    const std::vector<std::string> words = split_words(line);
    if (words.size() == 4 && words[0] == "toy" && number_in(words[1]) >= 0) {
      digests[number_in(words[1])][words[2]] = words[3];
    }
  }
  if (digests[0].empty()) {
    throw UserError(path + ": expected lines \"toy 0 TENSOR DIGEST\", found none. Is this the file of digests?");
  }
  return digests;
}

struct Comparison {
  Index digests = 0;
  Index different = 0;
};

// Prints the digest of each tensor and compares it with the expected one.
void compare_digests(const Arena& arena, Index update, Digests expected, Comparison& comparison) {
  for (const Tensor& tensor : arena.tensors) {
    const std::string digest = digest_of(std::span(arena.weights).subspan(tensor.offset, tensor.rows * tensor.cols));
    const std::string& wanted = expected[tensor.name];
    const std::string verdict =
        digest == wanted ? "equal" : "DIFFERENT, expected " + (wanted.empty() ? "none" : wanted);
    std::printf("update %4zu  %-58s %s  %s\n", update, tensor.name.c_str(), digest.c_str(), verdict.c_str());
    ++comparison.digests;
    comparison.different += digest == wanted ? 0U : 1U;
  }
  if (expected.size() > arena.tensors.size()) {
    const Index more = expected.size() - arena.tensors.size();
    std::printf("update %4zu  DIFFERENT: %zu more tensors are expected\n", update, more);
    comparison.different += more;
  }
}

// Trains the model and compares its weights with the expected digests.
Comparison train(Transformer& model, Arena& arena, const Pairs& pairs, std::uint32_t updates,
                 const std::map<std::int64_t, Digests>& expected) {
  Comparison comparison;
  compare_digests(arena, 0, expected.at(0), comparison);
  Adam adam;
  Index skipped = 0;
  std::uint32_t epoch = 0;
  std::vector<Group> batches = plan_epoch(pairs, epoch);
  Index next_batch = 0;
  for (std::uint32_t update = 1; update <= updates; ++update) {
    if (next_batch == batches.size()) {
      batches = plan_epoch(pairs, ++epoch);
      next_batch = 0;
    }
    const Gradient gradient = gradient_of(model, arena, pairs, batches[next_batch], update);
    ++next_batch;
    const double norm = norm_of(gradient.numbers);
    if (std::isfinite(gradient.loss + norm)) {
      adam.update(arena.weights, gradient, norm, learning_rate(update), update - skipped);
    } else {
      ++skipped;  // an overflow would make every weight NaN for good
    }
    if (update == 1 || update % (updates > 100 ? 50 : 10) == 0) {
      std::printf("update %4u  loss %.4f per token, norm of the gradient %.4f\n", update,
                  gradient.loss / static_cast<double>(gradient.tokens), norm);
      std::fflush(stdout);
    }
    const auto expected_now = expected.find(update);
    if (expected_now != expected.end()) {
      compare_digests(arena, update, expected_now->second, comparison);
    }
  }
  return comparison;
}

int run(const std::vector<std::string>& arguments) {
  if (arguments.size() > 3) {
    throw UserError("expected at most three arguments, found " + std::to_string(arguments.size()) +
                    ": the number of updates, the directory of the texts, the file with the digests");
  }
  const std::int64_t updates = arguments.empty() ? 50 : number_in(arguments[0]);
  if (updates < 0) {
    throw UserError("expected a number of updates, found \"" + arguments[0] + "\"");
  }
  const std::string directory = arguments.size() > 1 ? arguments[1] : "data/toy";
  const std::map<std::int64_t, Digests> expected =
      read_digests(arguments.size() > 2 ? arguments[2] : directory + "/digests.txt");
  const Lines english = read_lines(directory + "/train.en");
  const Lines german = read_lines(directory + "/train.de");
  const Lines test_english = read_lines(directory + "/test.en");
  const Lines test_german = read_lines(directory + "/test.de");

  const Vocabulary source_vocabulary(english);
  const Vocabulary target_vocabulary(german);
  const Pairs pairs = read_pairs(english, source_vocabulary, german, target_vocabulary);
  Arena arena;
  Transformer model(arena, source_vocabulary.words.size(), target_vocabulary.words.size());
  initialize(arena);
  std::printf("%zu sentence pairs, %zu English and %zu German words, %zu weights\n", pairs.size(),
              source_vocabulary.words.size(), target_vocabulary.words.size(), arena.weights.size());
  const Comparison comparison = train(model, arena, pairs, static_cast<std::uint32_t>(updates), expected);

  for (Index i = 0; i < std::min<Index>(3, std::min(test_english.size(), test_german.size())); ++i) {
    const Sentence translation = translate(model, source_vocabulary.encode(test_english[i]));
    std::printf("\nEnglish      %s\nGerman       %s\ntranslation  %s\n", test_english[i].c_str(),
                test_german[i].c_str(), target_vocabulary.decode(translation).c_str());
  }
  if (comparison.different > 0) {
    std::printf("\n%zu digests are DIFFERENT: these are not the weights of the real program.\n", comparison.different);
    return 1;
  }
  std::printf("\nAll %zu digests are equal: bit for bit, these are the weights of the real program.\n",
              comparison.digests);
  return 0;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(std::vector<std::string>(argv + 1, argv + argc));
  } catch (const std::exception& error) {
    std::fprintf(stderr, "transformer: %s\n", error.what());
    return 2;
  }
}
