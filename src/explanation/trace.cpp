#include "explanation/trace.hpp"

#include <cmath>
#include <set>

#include "explanation/embedded_files.hpp"
#include "explanation/step_code.hpp"
#include "explanation/tensor_axes.hpp"

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;

/// Builds the trace. Steps and tensors that are left out (heading.layer) shift the numbers of the others.
class TraceWriter {
 public:
  TraceWriter(const ExplainedModel& explained, const Explanation& explanation, const TraceHeading& heading,
              MatrixForm form)
      : explained_(explained), explanation_(explanation), heading_(heading), form_(form) {
    choose_steps();
  }

  Json write() const {
    return {{"format", "glassformer trace"},
            {"version", 1},
            {"glassformer", GLASSFORMER_VERSION},
            {"checkpoint", heading_.checkpoint},
            {"model", model()},
            {"sentences", sentences()},
            {"batch", batch()},
            {"masks", masks()},
            {"tensors", tensors()},
            {"steps", steps()},
            {"sources", sources()},
            {"attention", attention()},
            {"answer", answer()},
            {"d_logits", number_of_computed("loss", "d_logits")},
            {"loss", loss(explanation_.figures.front().loss)},
            {"gradients", gradients()},
            {"memory_gradient", memory_gradient()},
            {"what_if", what_if()}};
  }

 private:
  const Recording& recording() const { return explanation_.recording; }

  /// Whether the step stays: attention weights, losses and what else the page's sections show do so in any case.
  bool stays(const RecordedStep& step) const {
    if (!heading_.layer || step.part.find(".layers.") == std::string::npos) return true;
    const std::string layer = ".layers." + std::to_string(*heading_.layer) + ".";
    const std::string& name = recording().tensors()[step.output].name;
    return (step.part + ".").find(layer) != std::string::npos || name == "weights" ||
           (name == "d_x" && step.part.ends_with("encoder_attn.kv_proj"));
  }

  void choose_steps() {
    std::set<std::size_t> used;
    for (std::size_t i = 0; i < recording().steps().size(); ++i) {
      const RecordedStep& step = recording().steps()[i];
      if (!stays(step)) continue;
      step_numbers_[i] = steps_.size();
      steps_.push_back(i);
      used.insert(step.output);
      for (const RecordedStep::Input& input : step.inputs) used.insert(input.tensor);
    }
    for (const std::size_t tensor : used) {
      tensor_numbers_[tensor] = tensors_.size();
      tensors_.push_back(tensor);
    }
  }

  Json model() const {
    const TransformerSettings& settings = explained_.model.settings;
    constexpr const char* kActivations[] = {"relu", "gelu", "swish"};
    constexpr const char* kTyings[] = {"none", "target", "all"};
    Json without = Json::array();
    if (!settings.masks.encoder_padding) without.push_back("encoder_padding");
    if (!settings.masks.look_ahead) without.push_back("look_ahead");
    if (!settings.masks.target_padding) without.push_back("target_padding");
    if (!settings.masks.cross_padding) without.push_back("cross_padding");
    return {{"d_model", settings.d_model},
            {"heads", settings.heads},
            {"encoder_layers", settings.encoder_layers},
            {"decoder_layers", settings.decoder_layers},
            {"d_ff", settings.d_ff},
            {"norm", settings.norm == Norm::post ? "post" : "pre"},
            {"activation", kActivations[static_cast<int>(settings.activation)]},
            {"tied_embeddings", kTyings[static_cast<int>(settings.tied_embeddings)]},
            {"parameters", heading_.parameters},
            {"label_smoothing", explained_.label_smoothing},
            {"dropout", explained_.dropout},
            {"learned_without", without}};
  }

  Json sentences() const {
    Json list = Json::array();
    for (const ExplainedPair& pair : explanation_.pairs) {
      list.push_back({{"source", pair.source}, {"target", pair.target}, {"own_translation", pair.own_translation}});
    }
    return list;
  }

  static Json ids_and_tokens(const IdMatrix& ids, const Tokenizer& tokenizer) {
    Json id_rows = Json::array(), token_rows = Json::array();
    for (Index b = 0; b < ids.rows(); ++b) {
      Json id_row = Json::array(), token_row = Json::array();
      for (Index t = 0; t < ids.cols(); ++t) {
        id_row.push_back(ids(b, t));
        token_row.push_back(tokenizer.piece(ids(b, t)));
      }
      id_rows.push_back(std::move(id_row));
      token_rows.push_back(std::move(token_row));
    }
    return {{"ids", id_rows}, {"tokens", token_rows}};
  }

  Json batch() const {
    const auto& [source, target] = explained_.tokenizers;
    return {{"source", ids_and_tokens(explanation_.batch.source, *source)},
            {"target_input", ids_and_tokens(explanation_.batch.target_input, *target)},
            {"target_output", ids_and_tokens(explanation_.batch.target_output, *target)},
            {"pad", {{"source", source->special().pad}, {"target", target->special().pad}}}};
  }

  Json masks() const {
    const TransformerMasks& own = explanation_.variants.front().masks;
    return {{"encoder_padding", mask_json(own.encoder_padding.blocked, form_)},
            {"target_padding", mask_json(explanation_.target_padding.blocked, form_)},
            {"look_ahead", mask_json(explanation_.look_ahead.blocked, form_)},
            {"decoder_combined", mask_json(own.decoder_combined.blocked, form_)},
            {"cross_padding", mask_json(own.cross_padding.blocked, form_)}};
  }

  Json tensors() const {
    Json list = Json::array();
    for (const std::size_t number : tensors_) {
      const RecordedTensor& tensor = recording().tensors()[number];
      list.push_back({{"name", tensor.name},
                      {"part", tensor.part},
                      {"axes", tensor_axes(tensor)},
                      {"values", matrix_json(tensor.values, form_)}});
    }
    return list;
  }

  CodeLines code_of(const RecordedStep& step) const {
    return lines_that_computed(step, embedded_files().at(path_in_project(step.file)));
  }

  Json steps() const {
    const auto differentiated = differentiated_steps(recording());
    Json list = Json::array();
    for (const std::size_t number : steps_) {
      const RecordedStep& step = recording().steps()[number];
      Json inputs = Json::array();
      for (const RecordedStep::Input& input : step.inputs) {
        inputs.push_back({{"name", input.name}, {"tensor", tensor_numbers_.at(input.tensor)}});
      }
      const CodeLines code = code_of(step);
      Json differentiates;
      if (const auto forward = differentiated[number]; forward && step_numbers_.contains(*forward)) {
        const CodeLines lines = code_of(recording().steps()[*forward]);
        differentiates = {{"step", step_numbers_.at(*forward)}, {"file", lines.file},
                          {"lines", {lines.first, lines.last}}};
      }
      list.push_back({{"direction", is_backward(step) ? "backward" : "forward"},
                      {"part", step.part},
                      {"equation", recording().tensors()[step.output].name + (step.adds ? " += " : " = ") + step.formula},
                      {"output", tensor_numbers_.at(step.output)},
                      {"inputs", inputs},
                      {"code", {{"file", code.file}, {"function", code.function}, {"lines", {code.first, code.last}}}},
                      {"differentiates", differentiates}});
    }
    return list;
  }

  Json sources() const {
    Json files = Json::object();
    for (const std::size_t number : steps_) {
      const std::string file = path_in_project(recording().steps()[number].file);
      files[file] = embedded_files().at(file);
    }
    return files;
  }

  /// The last tensor of that name which a step of that part computed; null if none did.
  Json number_of_computed(const std::string& part, const std::string& name) const {
    Json number;
    for (const std::size_t i : steps_) {
      const RecordedStep& step = recording().steps()[i];
      const RecordedTensor& tensor = recording().tensors()[step.output];
      if (tensor.part == part && tensor.name == name) number = tensor_numbers_.at(step.output);
    }
    return number;
  }

  Json attention() const {
    const TransformerSettings& settings = explained_.model.settings;
    Json list = Json::array();
    const auto add = [&](const std::string& part, const char* kind, Index layer) {
      list.push_back({{"part", part}, {"kind", kind}, {"layer", layer},
                      {"weights", number_of_computed(part, "weights")}});
    };
    for (Index i = 0; i < settings.encoder_layers; ++i) {
      add("encoder.layers." + std::to_string(i) + ".self_attn", "encoder self", i);
    }
    for (Index i = 0; i < settings.decoder_layers; ++i) {
      add("decoder.layers." + std::to_string(i) + ".self_attn", "decoder self", i);
      add("decoder.layers." + std::to_string(i) + ".encoder_attn", "cross", i);
    }
    return list;
  }

  Json answer() const {
    Json sentences = Json::array();
    for (const std::vector<Answer>& places : explanation_.answers) {
      Json list = Json::array();
      for (const Answer& place : places) {
        Json likeliest = Json::array();
        for (const LikelyToken& token : place.likeliest) {
          likeliest.push_back({{"id", token.id},
                               {"token", explained_.tokenizers.target->piece(token.id)},
                               {"probability", token.probability}});
        }
        list.push_back({{"expected", place.expected},
                        {"counted", place.counted},
                        {"loss", place.counted ? Json(place.loss) : Json()},
                        {"cross_entropy", place.counted ? Json(place.cross_entropy) : Json()},
                        {"probability", place.probability},
                        {"likeliest", likeliest}});
      }
      sentences.push_back(std::move(list));
    }
    return sentences;
  }

  static Json loss(const LossSum& sum) {
    const auto tokens = static_cast<double>(sum.tokens);
    return {{"mean", sum.loss / tokens},
            {"perplexity", std::exp(sum.cross_entropy / tokens)},
            {"tokens", sum.tokens},
            {"correct", sum.correct}};
  }

  Json gradients() const {
    Json list = Json::array();
    const std::vector<TensorPlace>& places = explained_.parameters.tensors();
    for (std::size_t i = 0; i < places.size(); ++i) {
      list.push_back({{"name", places[i].name},
                      {"shape", places[i].shape},
                      {"norm", explanation_.figures.front().gradient_norms[i]},
                      {"values_norm", explanation_.parameter_norms[i]}});
    }
    return list;
  }

  Json memory_gradient() const {
    Json parts = Json::array();
    for (Index i = explained_.model.settings.decoder_layers; i-- > 0;) {
      const std::string part = "decoder.layers." + std::to_string(i) + ".encoder_attn.kv_proj";
      parts.push_back({{"layer", i}, {"tensor", number_of_computed(part, "d_x")}});
    }
    return {{"sum", number_of_computed("decoder", "d_memory")}, {"parts", parts}};
  }

  Json what_if() const {
    Json list = Json::array();
    for (std::size_t i = 0; i < explanation_.variants.size(); ++i) {
      const MaskVariant& variant = explanation_.variants[i];
      const PassFigures& figures = explanation_.figures[i];
      Json losses = Json::array(), weights = Json::array();
      for (Index b = 0; b < figures.losses.rows(); ++b) {
        Json row = Json::array();
        for (Index t = 0; t < figures.losses.cols(); ++t) {
          const Answer& place = explanation_.answers[static_cast<std::size_t>(b)][static_cast<std::size_t>(t)];
          row.push_back(place.counted ? Json(figures.losses(b, t)) : Json());
        }
        losses.push_back(std::move(row));
      }
      for (const Matrix<float>& attention : figures.attention) {
        weights.push_back(matrix_json(attention.cast<double>(), form_));
      }
      list.push_back({{"name", variant.name},
                      {"title", variant.title},
                      {"says", variant.says},
                      {"changed", variant.changed},
                      {"masks", {{"encoder_padding", mask_json(variant.masks.encoder_padding.blocked, form_)},
                                 {"decoder_combined", mask_json(variant.masks.decoder_combined.blocked, form_)},
                                 {"cross_padding", mask_json(variant.masks.cross_padding.blocked, form_)}}},
                      {"loss", loss(figures.loss)},
                      {"losses", losses},
                      {"attention", weights},
                      {"gradient_norms", figures.gradient_norms}});
    }
    return list;
  }

  const ExplainedModel& explained_;
  const Explanation& explanation_;
  const TraceHeading& heading_;
  MatrixForm form_;
  std::vector<std::size_t> steps_, tensors_;                     // those that stay
  std::map<std::size_t, std::size_t> step_numbers_, tensor_numbers_;  // from number in the recording to that in here
};

}  // namespace

nlohmann::ordered_json trace_json(const ExplainedModel& explained, const Explanation& explanation,
                                  const TraceHeading& heading, MatrixForm form) {
  return TraceWriter(explained, explanation, heading, form).write();
}

}  // namespace glassformer
