#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "glassformer/decoding/search.hpp"
#include "glassformer/numerics/ranks.hpp"
#include "glassformer/recording/recording.hpp"
#include "glassformer/recording/trace.hpp"
#include "glassformer/training/settings.hpp"

/// The core as a library: with this header, a C++ program, a web page or Python can create, train, inspect and use a
/// transformer. It needs no threads (it uses several if it is built with OpenMP), no files and no operating system.
///
///   Session session(settings, pairs);
///   while (session.updates() < 200) {
///     std::cout << session.step().loss.mean() << "\n";
///   }
///   std::vector<Id> translation = session.translate(source);
///
/// **Errors.** Every argument is checked, in every build. A wrong one throws std::invalid_argument, whose message names
/// the argument, what was expected and what was found; the session is then as it was before the call. Nothing behind
/// the checks throws, except std::bad_alloc. If the core is compiled without exceptions, a wrong argument ends the
/// program with std::abort.
///
/// **Ownership.** A session copies its arguments. What it returns by value is yours. A view (TensorView, std::span)
/// refers to numbers of the session, which change when the session trains; it is valid until the session is destroyed
/// or assigned to. A moved-from session can only be destroyed or assigned to.
///
/// **Threads.** A session belongs to one thread at a time. Different sessions share nothing.
///
/// **The same bits.** Settings, pairs and seed determine every number, on every processor and with any number of
/// threads.
namespace glassformer {

struct Progress;  // see training/trainer.hpp

/// A sentence and its translation, as token ids without bos and eos. Either may be empty.
struct SentencePair {
  std::vector<Id> source;
  std::vector<Id> target;
};

/// What a session is created from. The headers of the structs describe their fields.
struct SessionSettings {
  TransformerSettings model;
  TrainingSettings training;    ///< training.seed also determines the initial weights
  Index source_vocabulary = 0;  ///< number of source tokens: their ids are 0 .. source_vocabulary - 1
  Index target_vocabulary = 0;  ///< the same for the target; equal to source_vocabulary if all embeddings are tied
  SpecialIdPair special;        ///< pad, bos, eos and unk of both vocabularies
};

/// One tensor of the model, such as "model.encoder.layers.0.fc1.weight": its numbers, row by row.
template <class Number>
struct TensorView {
  std::string_view name;         ///< as in a checkpoint; docs/architecture.md lists the names
  std::span<const Index> shape;  ///< [rows, cols] or [size]
  std::span<Number> values;
};

/// The numbers of one pass, forward and backward, as training computes them (but without dropout).
struct SessionTrace {
  Batch batch;          ///< the padded batch
  Trace numbers;        ///< loss, answers, attention weights, gradient norms
  Recording recording;  ///< every step of the pass: its equation, inputs and result
};

/// A transformer, its training text and its optimizer.
class Session {
 public:
  /// An untrained model with random initial weights. \param pairs  the training text; it may be empty if the session is
  /// only to be used, for example after restore()
  /// \throws std::invalid_argument  a setting is out of range or does not fit another (5 heads over a width of 64); an
  /// id is not in its vocabulary, or is that of padding
  /// \param ranks  the processes or workers that train together, all with the same settings and pairs; it must outlive
  /// the session
  Session(const SessionSettings& settings, std::span<const SentencePair> pairs, const Ranks& ranks = alone);
  ~Session();
  Session(Session&&) noexcept;
  Session& operator=(Session&&) noexcept;
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  const SessionSettings& settings() const;
  /// The model itself, for code that needs its parts.
  const Model<float>& model() const;

  /// The result of one update.
  struct Update {
    Index number = 0;          ///< from 1
    LossSum loss;              ///< summed over target tokens; loss.mean() is the mean
    double gradient_norm = 0;  ///< before clipping
    double learning_rate = 0;  ///< that the schedule gave
    bool skipped = false;      ///< loss or gradient was not finite, so the weights did not change
    std::vector<Index> pairs;  ///< which sentence pairs it used, from 0
  };
  /// Trains on the next batch of the text (or on training.accumulation batches). Begins the text again, in a new order,
  /// when all of it has been used. \throws std::invalid_argument  the session has no sentence pairs
  Update step();

  // For ranks that exchange messages and cannot wait for one inside step(): run_shards() on all ranks; add_shards() and
  // shard_results() on one after the other; then step() on all, with `ranks` returning the sum and the results of all.

  /// Runs this rank's shards of the next step() beforehand. \throws std::invalid_argument  as step()
  void run_shards();
  /// Adds the gradients of this rank's shards to the sum of the ranks before it, [parameters]; the first rank begins
  /// the sum. \throws std::invalid_argument  it has another size
  void add_shards(std::span<float> sum);
  /// Loss and tokens of all shards, as bytes; run_shards() fills this rank's block.
  std::span<std::byte> shard_results();

  /// How many updates have been made, skipped ones included.
  Index updates() const;

  /// Translates a sentence (ids without eos) by greedy search. \throws std::invalid_argument  an id is not in the
  /// source vocabulary, or is that of padding
  std::vector<Id> translate(std::span<const Id> source) const;
  /// Translates sentences by greedy search or beam search: for each, the search.n_best best hypotheses, best first.
  /// \throws std::invalid_argument  an id is not in the source vocabulary, or is that of padding; a setting is out of
  /// range
  std::vector<std::vector<Hypothesis>> translate(std::span<const std::vector<Id>> sources,
                                                 const DecodingSettings& search) const;

  /// The masks under which the model would read these pairs as one padded batch. To see what a mask does, change its
  /// cells (1 = blocked) and pass it to trace(): masks.decoder_combined.blocked(masks.decoder_combined.row(b, t), key).
  /// A padding mask has one row for all queries of a sentence; to change it for a single query, expand it first:
  /// combined_mask(masks.cross_padding, all_visible(B, T, S)).
  /// \throws std::invalid_argument  no pairs; an id is not in its vocabulary, or is that of padding
  TransformerMasks masks(std::span<const SentencePair> pairs) const;
  /// Runs these pairs as one padded batch, forward and backward, under these masks, and records every number. Changes
  /// neither weights nor gradient. Reads encoder_padding, decoder_combined and cross_padding of the masks; the other
  /// two only show what decoder_combined was made of.
  /// \throws std::invalid_argument  as masks(); a mask does not fit the batch; a cell is neither 0 nor 1
  SessionTrace trace(std::span<const SentencePair> pairs, const TransformerMasks& masks) const;

  /// All tensors of the weights, in the order of the model's parts. You may change their values.
  std::vector<TensorView<float>> weights();
  std::vector<TensorView<const float>> weights() const;
  /// The gradient of the last update's mean loss, before clipping; all 0 before the first update and after restore().
  /// The first call before any update reserves the memory for training.
  std::vector<TensorView<const float>> gradients() const;
  /// One tensor of the weights or of the gradient. \throws std::invalid_argument  there is none with this name
  TensorView<float> weight(std::string_view name);
  TensorView<const float> gradient(std::string_view name) const;
  /// The optimizer's state, m and v of training/optimizer.hpp, tensor by tensor; all 0 before the first update.
  std::vector<TensorView<const float>> first_moments() const;
  std::vector<TensorView<const float>> second_moments() const;

  /// Everything that training changes (weights, optimizer state, progress), as bytes: restore() continues from there as
  /// if training had never stopped. The bytes are meant for the same version of the library.
  std::vector<std::byte> snapshot() const;
  /// Returns to a snapshot of a session with the same settings and the same pairs. If either session has no pairs, only
  /// the weights are restored: updates() is then 0, and training begins anew from these weights.
  /// \throws std::invalid_argument  not a snapshot, or a damaged one; other settings; other pairs
  void restore(std::span<const std::byte> snapshot);
  /// Continues training that was done elsewhere, with the same settings and the same pairs: takes over its progress,
  /// its weights and the optimizer's m and v, [parameters] each. \throws std::invalid_argument  a size is wrong; the
  /// progress is impossible; the session has no sentence pairs
  void continue_from(const Progress& progress, std::span<const float> weights, std::span<const float> m,
                     std::span<const float> v);

  /// A digest of all weights, bit for bit. Equal settings, pairs and updates give equal digests everywhere.
  std::uint64_t digest() const;

 private:
  struct State;
  static void require_pairs(const State& state);
  std::unique_ptr<State> state_;
};

}  // namespace glassformer
