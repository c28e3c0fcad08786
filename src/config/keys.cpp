#include "config/config.hpp"
#include "config/key.hpp"

namespace glassformer {

// A table, and therefore longer than other functions: name, comment, field, and what it takes.
std::vector<Key> keys_of(Config& config) {
  constexpr Index many = 1'000'000'000;
  auto& [data, tokenizer, model, training, run, decoding, evaluation, from] = config;
  std::vector<Key> keys;
  std::string section;
  const auto add = [&](const std::string& name, const std::string& comment, const Field& field) {
    keys.push_back({section + "." + name, field, comment});
  };

  section = "data";
  add("directory", "where the files lie: NAME.LANGUAGE; relative to this file", data.directory);
  add("source_language", "ending of the source files: train.en", data.source_language);
  add("target_language", "ending of the target files: train.de", data.target_language);
  add("train", "NAME of the training text", data.train);
  add("valid", "NAME of the validation text", data.valid);
  add("tests", "NAMEs of the test texts; may be empty", data.tests);
  add("max_length", "pairs with more tokens on one side are left out of training", {data.max_length, 1, many});
  add("mapped_above", "tokens; a larger training text lies in files, not in memory",
      {data.mapped_above, 0, 1000 * many});

  section = "tokenizer";
  add("kind", "word (white space) | sentencepiece | marian: that of model.from",
      {tokenizer.kind, {"word", "sentencepiece", "marian"}});
  add("joint", "true: one vocabulary for both languages", tokenizer.joint);
  add("vocabulary_size", "special ids included; word: at most so many", {tokenizer.vocabulary_size, 5, 10'000'000});
  add("min_frequency", "word: rarer words become unk", {tokenizer.min_frequency, 1, many});
  add("model", "sentencepiece: bpe | unigram", {tokenizer.model, {"bpe", "unigram"}});
  add("sampling", "bpe: share of merges left out; unigram: alpha; each epoch anew; 0: none",
      {tokenizer.sampling, kShare});
  add("source_model", "sentencepiece: a given .model file; \"\" trains one", {tokenizer.source_model, Empty::allowed});
  add("target_model", "the same for the target", {tokenizer.target_model, Empty::allowed});

  section = "model";
  add("from", "begin with the weights and tokenizers of this checkpoint; \"\": anew", {from, Empty::allowed});
  add("d_model", "width of every token's vector", {model.d_model, 2, 100'000});
  add("heads", "attention heads; divides d_model", {model.heads, 1, 100'000});
  add("encoder_layers", "layers that read the source; at least 1", {model.encoder_layers, 1, 1000});
  add("decoder_layers", "layers that write the target; at least 1", {model.decoder_layers, 1, 1000});
  add("d_ff", "width of the feed-forward network", {model.d_ff, 1, 1'000'000});
  add("norm", "post (Vaswani et al. 2017) | pre: where layer normalisation stands", {model.norm, {"post", "pre"}});
  add("activation", "relu | gelu | swish", {model.activation, {kActivationNames.begin(), kActivationNames.end()}});
  add("tied_embeddings", "none | target (target and output share one matrix) | all (source too)",
      {model.tied_embeddings, {"none", "target", "all"}});
  add("scale_embeddings", "true: by sqrt(d_model), before positions are added", model.scale_embeddings);
  add("dropout", "of what a sublayer adds to the residual stream, 0 to below 1", {model.dropout, kShare});
  add("embedding_dropout", "of embedding + position", {model.embedding_dropout, kShare});
  add("attention_dropout", "of attention weights", {model.attention_dropout, kShare});
  add("activation_dropout", "of the feed-forward network's activation", {model.activation_dropout, kShare});
  add("initial_gain", "factor of a sublayer's initial weights; below 1, post-norm converges faster",
      {model.initial_gain, kPositive});

  section = "masks";
  MaskSettings& masks = model.masks;
  add("encoder_padding", "true: encoder self-attention ignores padding; false: see configs/lessons",
      masks.encoder_padding);
  add("look_ahead", "true: decoder self-attention ignores the words it has to predict", masks.look_ahead);
  add("target_padding", "true: decoder self-attention ignores padding", masks.target_padding);
  add("cross_padding", "true: cross-attention ignores padding of the source", masks.cross_padding);

  section = "training";
  add("seed", "of initial weights, order of sentences and dropout", training.seed);
  add("max_tokens", "padded tokens of a batch's larger side", {training.max_tokens, 1, many});
  add("accumulation", "batches whose gradients are summed for one update", {training.accumulation, 1, many});
  add("shards", "parts of a batch computed side by side; more than threads is fine", {training.shards, 1, 1000});
  add("micro_batch_tokens", "about so many padded tokens of a shard are computed at a time",
      {training.micro_batch_tokens, 1, many});
  add("label_smoothing", "0 to below 1", {training.label_smoothing, kShare});
  add("max_updates", "stop after so many updates; 0: no limit", {training.max_updates, 0, many});
  add("max_epochs", "stop after so many passes over the text; 0: no limit", {run.max_epochs, 0, many});
  add("max_minutes", "stop after so many minutes; 0: no limit (one of the three is needed)",
      {run.max_minutes, kNotNegative});
  add("max_skipped", "updates in a row that may be skipped: loss or gradient not finite", {run.max_skipped, 0, many});
  add("log_every", "updates between lines in the log", {run.log_every, 1, many});

  section = "training.optimizer";
  OptimizerSettings& optimizer = training.optimizer;
  add("kind", "adam | adamw | muon: for the layers' matrices, adamw for the rest",
      {optimizer.kind, {"adam", "adamw", "muon"}});
  add("beta1", "decay of the mean of gradients, 0 to below 1", {optimizer.beta1, kShare});
  add("beta2", "decay of the mean of squared gradients, 0 to below 1", {optimizer.beta2, kShare});
  add("epsilon", "keeps the quotient finite", {optimizer.epsilon, kPositive});
  add("momentum", "muon: decay of the mean of its gradients, 0 to below 1", {optimizer.momentum, kShare});
  add("weight_decay", "adam: added to the gradient; adamw, muon: decoupled", {optimizer.weight_decay, kNotNegative});
  add("clip_norm", "largest global norm of the gradient; 0: no clipping", {optimizer.clip_norm, kNotNegative});

  section = "training.schedule";
  ScheduleSettings& schedule = training.schedule;
  add("kind", "inverse_sqrt | cosine | constant, each after a linear warm-up",
      {schedule.kind, {"inverse_sqrt", "cosine", "constant"}});
  add("learning_rate", "the highest, at the end of the warm-up", {schedule.learning_rate, kPositive});
  add("warmup", "updates of linear rise to learning_rate; 0: none", {schedule.warmup, 0, many});
  add("initial_rate", "where the warm-up starts: the rate before update 1", {schedule.initial_rate, kNotNegative});
  add("final_rate", "where cosine ends, at update max_updates + 1", {schedule.final_rate, kNotNegative});

  section = "training.validation";
  ValidationSettings& validation = run.validation;
  add("every", "units between validations; each writes a checkpoint", {validation.every, 1, many});
  add("unit", "updates | epochs", {validation.unit, {"updates", "epochs"}});
  add("metric", "loss | perplexity | token_accuracy | bleu | exact_match: what is best",
      {validation.metric, {"loss", "perplexity", "token_accuracy", "bleu", "exact_match"}});
  add("patience", "stop after so many validations without a new best; 0: never", {validation.patience, 0, many});
  add("samples", "sample translations in the log", {validation.samples, 0, many});

  section = "training.checkpoints";
  CheckpointSettings& checkpoints = run.checkpoints;
  add("keep", "the latest so many stay on disk; best and last always do", {checkpoints.keep, 1, many});
  add("average", "at the end, write the mean of the last so many as well; 0: none", {checkpoints.average, 0, many});

  section = "decoding";
  add("beam", "hypotheses kept; 1 is greedy search", {decoding.beam, 1, 1000});
  add("length_penalty", "score = log p / length^length_penalty", {decoding.length_penalty, kNotNegative});
  add("early_stopping", "true: a sentence is done once `beam` hypotheses are finished", decoding.early_stopping);
  add("batch", "sentences decoded together", {decoding.batch, 1, 1'000'000});
  add("max_length_ratio", "a translation has at most ratio * source tokens + 10 tokens",
      {decoding.max_length_ratio, kNotNegative});

  section = "evaluation";
  add("bleu_tokenizer", "none (for text that is tokenized already) | 13a (for plain text)",
      {evaluation.bleu_tokenizer, {"none", "13a"}});
  add("lowercase", "true: BLEU and chrF without regard to case", evaluation.lowercase);
  return keys;
}

const std::vector<RetiredKey>& retired_keys() {
  static const std::vector<RetiredKey> keys = {
      {"training.tensorboard", "false",
       "scripts/metrics_to_tensorboard.py converts a run's metrics.jsonl for TensorBoard"},
      {"training.sum", "ordered", "gradients are always summed in the same order, which also turned out faster"},
      {"data.lines_in_memory", "1000000",
       "set data.mapped_above: a text with more tokens lies in files, and is shuffled as a whole"},
  };
  return keys;
}

}  // namespace glassformer
