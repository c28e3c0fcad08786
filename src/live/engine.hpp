#pragma once

#include <cstddef>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "glassformer/live/live_settings.hpp"
#include "glassformer/page/explanation.hpp"
#include "glassformer/words/word_vocabulary.hpp"

/// The engine of the page in the browser: a session that is made from text, and whose results are JSON. The numbers of
/// matrices stay where they are: JSON has their address in memory, which the page's script can read.
///
/// Wrong arguments are refused with one message, as in a Session, and leave the engine as it was.
namespace glassformer {

/// A model that a page has made from its reader's settings and text.
class Engine {
 public:
  using Json = nlohmann::ordered_json;
  using Lines = std::span<const std::string>;

  Engine();
  ~Engine();

  /// What it was compiled for: version, instructions.
  static Json about();
  /// All keys with their defaults; see settings_json.
  static Json settings();

  /// A new session with an untrained model. Line i of `target` translates line i of `source`; both vocabularies are
  /// learned from these lines. Returns parameters, tensors (name, shape), vocabulary (source, target), pairs (how many
  /// are trained on), batches (in the first epoch), settings, and remarks about the text: what is left out, and why.
  /// `rank` of `ranks`: see MessageRanks.
  Json create(std::string_view settings, Lines source, Lines target, int rank = 0, int ranks = 1);

  /// How the vocabulary reads a sentence: ids, tokens and the words that are unknown.
  Json tokens(bool source, std::string_view sentence) const;

  /// One update. With several workers, they must have exchanged what receive() takes. Returns number, loss (the mean),
  /// tokens, gradient_norm, learning_rate, skipped, pairs.
  Json step();
  // For several workers; see Session.
  void run_shards();
  void add_shards(std::span<float> sum);
  std::span<std::byte> shard_results();
  /// What MessageRanks needs before step().
  void receive(std::span<const float> sum, std::span<const std::byte> results);

  /// A pass over these pairs, forward and backward, as page/trace_json.hpp describes, with the addresses of all
  /// matrices. They are valid until the next trace() or create(). `masks`: see mask_cells.hpp; empty: the model's own.
  Json trace(Lines sources, Lines targets, std::span<const std::uint8_t> masks);

  /// For each source, the best translations: text, ids, log_probability, score, finished. `search` are lines of
  /// settings, with keys decoding.*; n_best is as large as the beam.
  Json translate(Lines sources, std::string_view search) const;
  /// How the search for one translation went; see search_tree.hpp.
  Json search_tree(const std::string& source, std::string_view search) const;

  /// The addresses of a tensor's numbers: weights, gradient, m and v after the last update; weights_before, m_before
  /// and v_before it; and the update's scalars: number, gradient_norm, clip_scale, learning_rate. The addresses are
  /// valid until the next step() or create(). Refused before the first update, and after restore().
  Json update_numbers(std::string_view tensor) const;
  /// Turns attention heads off, all others on: a list of "part head", such as "decoder.layers.0.encoder_attn 1". It
  /// changes what trace, translate and search_tree compute, not what is trained.
  void turn_off_heads(Lines heads);

  /// All tensors of the weights: name, shape, and the address of the numbers, which are floats, valid until the next
  /// create().
  Json weights() const;
  std::vector<std::byte> snapshot() const;
  void restore(std::span<const std::byte> snapshot);
  std::uint64_t digest() const;

 private:
  struct State;
  State& state() const;  // refuses if there is no session yet

  std::unique_ptr<State> state_;
};

}  // namespace glassformer
