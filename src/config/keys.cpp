#include "config/config.hpp"
#include "config/key.hpp"

namespace glassformer {
namespace {

constexpr Index many = 1'000'000'000;

std::vector<Key> keys_of(DataSettings& data) {
  return {
      {"directory", &data.directory, "where the files lie: NAME.LANGUAGE; relative to this file"},
      {"source_language", &data.source_language, "ending of the source files: train.en"},
      {"target_language", &data.target_language, "ending of the target files: train.de"},
      {"train", &data.train, "NAME of the training text"},
      {"valid", &data.valid, "NAME of the validation text"},
      {"tests", &data.tests, "NAMEs of the test texts; may be empty"},
      {"max_length", Whole{&data.max_length, 1, many}, "pairs with more tokens on one side are left out of training"},
      {"mapped_above", Whole{&data.mapped_above, 0, 1000 * many},
       "tokens; a larger training text lies in files, not in memory"},
  };
}

std::vector<Key> keys_of(TokenizerSettings& tokenizer) {
  return {
      {"kind", choice(tokenizer.kind, {"word", "sentencepiece", "marian"}),
       "word (white space) | sentencepiece | marian: that of model.from"},
      {"joint", &tokenizer.joint, "true: one vocabulary for both languages"},
      {"vocabulary_size", Whole{&tokenizer.vocabulary_size, 5, 10'000'000},
       "special ids included; word: at most so many"},
      {"min_frequency", Whole{&tokenizer.min_frequency, 1, many}, "word: rarer words become unk"},
      {"model", choice(tokenizer.model, {"bpe", "unigram"}), "sentencepiece: bpe | unigram"},
      {"sampling", Number{&tokenizer.sampling, kShare},
       "bpe: share of merges left out; unigram: alpha; each epoch anew; 0: none"},
      {"source_model", PathOrNone{&tokenizer.source_model}, "sentencepiece: a given .model file; \"\" trains one"},
      {"target_model", PathOrNone{&tokenizer.target_model}, "the same for the target"},
  };
}

std::vector<Key> keys_of(std::filesystem::path& from, TransformerSettings& model) {
  return {
      {"from", PathOrNone{&from}, "begin with the weights and tokenizers of this checkpoint; \"\": anew"},
      {"d_model", Whole{&model.d_model, 2, 100'000}, "width of every token's vector"},
      {"heads", Whole{&model.heads, 1, 100'000}, "attention heads; divides d_model"},
      {"encoder_layers", Whole{&model.encoder_layers, 1, 1000}, "layers that read the source; at least 1"},
      {"decoder_layers", Whole{&model.decoder_layers, 1, 1000}, "layers that write the target; at least 1"},
      {"d_ff", Whole{&model.d_ff, 1, 1'000'000}, "width of the feed-forward network"},
      {"norm", choice(model.norm, {"post", "pre"}),
       "post (Vaswani et al. 2017) | pre: where layer normalisation stands"},
      {"activation", choice(model.activation, {kActivationNames.begin(), kActivationNames.end()}),
       "relu | gelu | swish"},
      {"tied_embeddings", choice(model.tied_embeddings, {"none", "target", "all"}),
       "none | target (target and output share one matrix) | all (source too)"},
      {"scale_embeddings", &model.scale_embeddings, "true: by sqrt(d_model), before positions are added"},
      {"dropout", Number{&model.dropout, kShare}, "of what a sublayer adds to the residual stream, 0 to below 1"},
      {"embedding_dropout", Number{&model.embedding_dropout, kShare}, "of embedding + position"},
      {"attention_dropout", Number{&model.attention_dropout, kShare}, "of attention weights"},
      {"activation_dropout", Number{&model.activation_dropout, kShare}, "of the feed-forward network's activation"},
      {"initial_gain", Number{&model.initial_gain, kPositive},
       "of a sublayer's first weights; below 1, post-norm learns sooner"},
  };
}

std::vector<Key> keys_of(MaskSettings& masks) {
  return {
      {"encoder_padding", &masks.encoder_padding,
       "true: encoder self-attention ignores padding; false: see configs/lessons"},
      {"look_ahead", &masks.look_ahead, "true: decoder self-attention ignores the words it has to predict"},
      {"target_padding", &masks.target_padding, "true: decoder self-attention ignores padding"},
      {"cross_padding", &masks.cross_padding, "true: cross-attention ignores padding of the source"},
  };
}

std::vector<Key> keys_of(TrainingSettings& training, RunSettings& run) {
  return {
      {"seed", &training.seed, "of initial weights, order of sentences and dropout"},
      {"max_tokens", Whole{&training.max_tokens, 1, many}, "padded tokens of a batch's larger side"},
      {"accumulation", Whole{&training.accumulation, 1, many}, "batches whose gradients are summed for one update"},
      {"shards", Whole{&training.shards, 1, 1000}, "parts of a batch computed side by side; more than threads is fine"},
      {"micro_batch_tokens", Whole{&training.micro_batch_tokens, 1, many},
       "about so many padded tokens of a shard are computed at a time"},
      {"label_smoothing", Number{&training.label_smoothing, kShare}, "0 to below 1"},
      {"max_updates", Whole{&training.max_updates, 0, many}, "stop after so many updates; 0: no limit"},
      {"max_epochs", Whole{&run.max_epochs, 0, many}, "stop after so many passes over the text; 0: no limit"},
      {"max_minutes", Number{&run.max_minutes, kNotNegative},
       "stop after so many minutes; 0: no limit (one of the three is needed)"},
      {"max_skipped", Whole{&run.max_skipped, 0, many},
       "updates in a row that may be skipped: loss or gradient not finite"},
      {"log_every", Whole{&run.log_every, 1, many}, "updates between lines in the log"},
  };
}

std::vector<Key> keys_of(OptimizerSettings& optimizer) {
  return {
      {"kind", choice(optimizer.kind, {"adam", "adamw", "muon"}),
       "adam | adamw | muon: for the layers' matrices, adamw for the rest"},
      {"beta1", Number{&optimizer.beta1, kShare}, "decay of the mean of gradients, 0 to below 1"},
      {"beta2", Number{&optimizer.beta2, kShare}, "decay of the mean of squared gradients, 0 to below 1"},
      {"epsilon", Number{&optimizer.epsilon, kPositive}, "keeps the quotient finite"},
      {"momentum", Number{&optimizer.momentum, kShare}, "muon: decay of the mean of its gradients, 0 to below 1"},
      {"weight_decay", Number{&optimizer.weight_decay, kNotNegative},
       "adam: added to the gradient; adamw, muon: decoupled"},
      {"clip_norm", Number{&optimizer.clip_norm, kNotNegative}, "largest global norm of the gradient; 0: no clipping"},
  };
}

std::vector<Key> keys_of(ScheduleSettings& schedule) {
  return {
      {"kind", choice(schedule.kind, {"inverse_sqrt", "cosine", "constant"}),
       "inverse_sqrt | cosine | constant, each after a linear warm-up"},
      {"learning_rate", Number{&schedule.learning_rate, kPositive}, "the highest, at the end of the warm-up"},
      {"warmup", Whole{&schedule.warmup, 0, many}, "updates of linear rise to learning_rate; 0: none"},
      {"initial_rate", Number{&schedule.initial_rate, kNotNegative}, "where the warm-up starts"},
      {"final_rate", Number{&schedule.final_rate, kNotNegative}, "towards where cosine falls, at max_updates"},
  };
}

std::vector<Key> keys_of(ValidationSettings& validation) {
  return {
      {"every", Whole{&validation.every, 1, many}, "units between validations; each writes a checkpoint"},
      {"unit", choice(validation.unit, {"updates", "epochs"}), "updates | epochs"},
      {"metric", choice(validation.metric, {"loss", "perplexity", "token_accuracy", "bleu", "exact_match"}),
       "loss | perplexity | token_accuracy | bleu | exact_match: what is best"},
      {"patience", Whole{&validation.patience, 0, many}, "stop after so many validations without a new best; 0: never"},
      {"samples", Whole{&validation.samples, 0, many}, "sample translations in the log"},
  };
}

std::vector<Key> keys_of(CheckpointSettings& checkpoints) {
  return {
      {"keep", Whole{&checkpoints.keep, 1, many}, "the latest so many stay on disk; best and last always do"},
      {"average", Whole{&checkpoints.average, 0, many},
       "at the end, write the mean of the last so many as well; 0: none"},
  };
}

std::vector<Key> keys_of(DecodingSettings& decoding) {
  return {
      {"beam", Whole{&decoding.beam, 1, 1000}, "hypotheses kept; 1 is greedy search"},
      {"length_penalty", Number{&decoding.length_penalty, kNotNegative}, "score = log p / length^length_penalty"},
      {"early_stopping", &decoding.early_stopping, "true: a sentence is done once `beam` hypotheses are finished"},
      {"batch", Whole{&decoding.batch, 1, 1'000'000}, "sentences decoded together"},
      {"max_length_ratio", Number{&decoding.max_length_ratio, kNotNegative},
       "a translation has at most ratio * source tokens + 10 tokens"},
  };
}

std::vector<Key> keys_of(EvaluationSettings& evaluation) {
  return {
      {"bleu_tokenizer", choice(evaluation.bleu_tokenizer, {"none", "13a"}),
       "none (for text that is tokenized already) | 13a (for plain text)"},
      {"lowercase", &evaluation.lowercase, "true: BLEU and chrF without regard to case"},
  };
}

}  // namespace

std::vector<Key> keys_of(Config& config) {
  TrainingSettings& training = config.training;
  std::vector<Key> keys;
  const auto add = [&keys](const std::string& section, const std::vector<Key>& keys_of_section) {
    for (Key key : keys_of_section) {
      key.name = section + "." + key.name;
      keys.push_back(key);
    }
  };
  add("data", keys_of(config.data));
  add("tokenizer", keys_of(config.tokenizer));
  add("model", keys_of(config.model_from, config.model));
  add("masks", keys_of(config.model.masks));
  add("training", keys_of(training, config.run));
  add("training.optimizer", keys_of(training.optimizer));
  add("training.schedule", keys_of(training.schedule));
  add("training.validation", keys_of(config.run.validation));
  add("training.checkpoints", keys_of(config.run.checkpoints));
  add("decoding", keys_of(config.decoding));
  add("evaluation", keys_of(config.evaluation));
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
