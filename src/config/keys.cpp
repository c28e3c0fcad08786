#include "config/config.hpp"
#include "config/key.hpp"

namespace glassformer {

// A table, so it is longer than other functions. Each row: name, comment, field and the values it takes.
std::vector<Key> keys_of(Config& config) {
  constexpr Index many = 1'000'000'000;
  auto& [data, tokenizer, model, training, run, decoding, evaluation, from] = config;
  std::vector<Key> keys;
  std::string section;
  const auto add = [&](const std::string& name, const std::string& comment, const Field& field) {
    keys.push_back({section + "." + name, field, comment});
  };

  section = "data";
  add("directory", "directory with the text files, NAME.LANGUAGE; relative to this file", data.directory);
  add("source_language", "file extension of the source language, as in train.en", data.source_language);
  add("target_language", "file extension of the target language, as in train.de", data.target_language);
  add("train", "NAME of the training text", data.train);
  add("valid", "NAME of the validation text; \"\": none, so no checkpoint is the best", {data.valid, Empty::allowed});
  add("tests", "NAMEs of the test texts; may be empty", data.tests);
  add("max_length", "tokens; training leaves out pairs that are longer on either side", {data.max_length, 1, many});

  section = "tokenizer";
  add("kind", "word (split at white space) | sentencepiece | marian (needs model.from)",
      {tokenizer.kind, {"word", "sentencepiece", "marian"}});
  add("joint", "true: one vocabulary for both languages; false: one for each", tokenizer.joint);
  add("vocabulary_size", "special tokens included; word: an upper limit",
      {tokenizer.vocabulary_size, kLeastVocabulary, kMostVocabulary});
  add("source_vocabulary_size", "of the source alone, if not joint; 0: as vocabulary_size",
      {tokenizer.source_vocabulary_size, 0, kMostVocabulary});
  add("target_vocabulary_size", "the same for the target", {tokenizer.target_vocabulary_size, 0, kMostVocabulary});
  add("min_frequency", "word only: words that occur less often become unk", {tokenizer.min_frequency, 1, many});
  add("model", "sentencepiece only: bpe | unigram", {tokenizer.model, {"bpe", "unigram"}});
  add("normalization", "sentencepiece: nmt_nfkc | nfkc | nmt_nfkc_cf | nfkc_cf | identity",
      {tokenizer.normalization, {"nmt_nfkc", "nfkc", "nmt_nfkc_cf", "nfkc_cf", "identity"}});
  add("character_coverage", "sentencepiece: share of characters that get a piece, 0.98 to 1",
      {tokenizer.character_coverage, kCoverage});
  add("source_model", "sentencepiece: use this .model file; \"\": train one", {tokenizer.source_model, Empty::allowed});
  add("target_model", "the same for the target; leave it \"\" if joint", {tokenizer.target_model, Empty::allowed});

  section = "model";
  add("from", "start from this checkpoint's weights and tokenizers; \"\": from scratch", {from, Empty::allowed});
  add("d_model", "width of every token's vector; an even number", {model.d_model, 2, kMostWidth});
  add("heads", "number of attention heads; must divide d_model", {model.heads, 1, kMostWidth});
  add("encoder_layers", "number of encoder layers, at least 1", {model.encoder_layers, 1, kMostLayers});
  add("decoder_layers", "number of decoder layers, at least 1", {model.decoder_layers, 1, kMostLayers});
  add("d_ff", "hidden width of the feed-forward networks", {model.d_ff, 1, kMostHidden});
  add("norm", "post | pre: layer norm after (Vaswani et al. 2017) or before a sublayer", {model.norm, {"post", "pre"}});
  add("activation", "relu | gelu | swish", {model.activation, {kActivationNames.begin(), kActivationNames.end()}});
  add("tied_embeddings", "none | target (target and output share one matrix) | all (source too)",
      {model.tied_embeddings, {"none", "target", "all"}});
  add("scale_embeddings", "true: multiply by sqrt(d_model) before adding positions", model.scale_embeddings);
  add("dropout", "rate on sublayer outputs, before the residual sum, 0 <= rate < 1", {model.dropout, kRate});
  add("embedding_dropout", "rate on the sum of embedding and position", {model.embedding_dropout, kRate});
  add("attention_dropout", "rate on the attention weights", {model.attention_dropout, kRate});
  add("activation_dropout", "rate after the feed-forward networks' activation", {model.activation_dropout, kRate});
  add("initial_gain", "scales sublayers' initial weights; below 1, post-norm converges faster",
      {model.initial_gain, kPositive});

  section = "masks";
  MaskSettings& masks = model.masks;
  add("encoder_padding", "true: encoder self-attention ignores padding; false: see configs/lessons",
      masks.encoder_padding);
  add("look_ahead", "true: decoder self-attention cannot see the tokens it has to predict", masks.look_ahead);
  add("target_padding", "true: decoder self-attention ignores padding", masks.target_padding);
  add("cross_padding", "true: cross-attention ignores padding in the source", masks.cross_padding);

  section = "training";
  add("seed", "random seed: initial weights, sentence order, dropout", training.seed);
  add("max_tokens", "maximum tokens in a batch, on its larger side with padding", {training.max_tokens, 1, many});
  add("accumulation", "batches per update; their gradients are summed", {training.accumulation, 1, many});
  add("shards", "parts of a batch computed in parallel; can exceed the number of threads", {training.shards, 1, 1000});
  add("micro_batch_tokens", "roughly how many tokens of a shard to compute at a time, with padding",
      {training.micro_batch_tokens, 1, many});
  add("label_smoothing", "probability spread over the vocabulary, 0 <= x < 1", {training.label_smoothing, kRate});
  add("max_updates", "stop after this many updates; 0: no limit", {training.max_updates, 0, many});
  add("max_epochs", "stop after this many passes over the text; 0: no limit", {run.max_epochs, 0, many});
  add("max_minutes", "stop after this many minutes; 0: no limit (set at least one limit)",
      {run.max_minutes, kNotNegative});
  add("max_skipped", "skipped updates allowed in a row (loss or gradient not finite)", {run.max_skipped, 0, many});
  add("log_every", "updates between log lines", {run.log_every, 1, many});

  section = "training.optimizer";
  OptimizerSettings& optimizer = training.optimizer;
  add("kind", "adam | adamw | muon (for the layers' matrices; adamw for the rest)",
      {optimizer.kind, {"adam", "adamw", "muon"}});
  add("beta1", "decay rate of the running mean of gradients, 0 <= beta1 < 1", {optimizer.beta1, kRate});
  add("beta2", "decay rate of the running mean of squared gradients, 0 <= beta2 < 1", {optimizer.beta2, kRate});
  add("epsilon", "added to the denominator, so that no update divides by 0", {optimizer.epsilon, kPositive});
  add("momentum", "muon: decay rate of the running mean of gradients, 0 <= momentum < 1", {optimizer.momentum, kRate});
  add("weight_decay", "adam: added to the gradient; adamw, muon: decoupled", {optimizer.weight_decay, kNotNegative});
  add("clip_norm", "maximum global norm of the gradient; 0: no clipping", {optimizer.clip_norm, kNotNegative});

  section = "training.schedule";
  ScheduleSettings& schedule = training.schedule;
  add("kind", "inverse_sqrt | cosine | constant, each after a linear warm-up",
      {schedule.kind, {"inverse_sqrt", "cosine", "constant"}});
  add("learning_rate", "peak learning rate, reached at the end of the warm-up", {schedule.learning_rate, kPositive});
  add("warmup", "updates of linear warm-up to learning_rate; 0: no warm-up", {schedule.warmup, 0, many});
  add("initial_rate", "learning rate before update 1, where warm-up starts", {schedule.initial_rate, kNotNegative});
  add("final_rate", "cosine: learning rate at the end, at update max_updates + 1", {schedule.final_rate, kNotNegative});

  section = "training.validation";
  ValidationSettings& validation = run.validation;
  add("every", "updates or epochs between validations; each writes a checkpoint", {validation.every, 1, many});
  add("unit", "updates | epochs: what `every` counts", {validation.unit, {"updates", "epochs"}});
  add("metric", "loss | perplexity | token_accuracy | bleu | exact_match: picks the best",
      {validation.metric, {"loss", "perplexity", "token_accuracy", "bleu", "exact_match"}});
  add("patience", "stop after this many validations without a new best; 0: never", {validation.patience, 0, many});
  add("translate", "true: translate, too, for BLEU, exact match and samples; false: faster", validation.translate);
  add("samples", "sample translations in the log at each validation", {validation.samples, 0, many});

  section = "training.checkpoints";
  CheckpointSettings& checkpoints = run.checkpoints;
  add("keep", "how many recent checkpoints to keep; best and last are always kept", {checkpoints.keep, 1, many});
  add("average", "at the end, also save the mean of the last N checkpoints; 0: none", {checkpoints.average, 0, many});

  section = "decoding";
  add("beam", "beam size: hypotheses kept at each step; 1: greedy search", {decoding.beam, 1, 1000});
  add("length_penalty", "score = log p / length^length_penalty", {decoding.length_penalty, kNotNegative});
  add("early_stopping", "true: stop a sentence's search once `beam` hypotheses are finished", decoding.early_stopping);
  add("batch", "sentences decoded at a time", {decoding.batch, 1, 1'000'000});
  add("max_length_ratio", "limits a translation to max_length_ratio * source tokens + 10 tokens",
      {decoding.max_length_ratio, kRatio});

  section = "evaluation";
  add("bleu_tokenizer", "13a (plain text) | none (tokenized) | zh (Chinese) | char (no spaces)",
      {evaluation.bleu_tokenizer, {kBleuTokenizerNames.begin(), kBleuTokenizerNames.end()}});
  add("lowercase", "true: BLEU and chrF ignore case", evaluation.lowercase);
  return keys;
}

const std::vector<RetiredKey>& retired_keys() {
  static const std::vector<RetiredKey> keys = {
      {"training.tensorboard", "false",
       "scripts/metrics_to_tensorboard.py converts a run's metrics.jsonl for TensorBoard"},
      {"training.sum", "ordered", "gradients are always summed in the same order, which is also faster"},
      {"tokenizer.sampling", "0", "each epoch has the same pieces"},
      {"data.lines_in_memory", "1000000",
       "the whole training text is held in memory: 4 bytes per token and 24 bytes per pair"},
  };
  return keys;
}

}  // namespace glassformer
