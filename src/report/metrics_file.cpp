#include "glassformer/report/metrics_file.hpp"

#include <fcntl.h>
#include <spdlog/fmt/fmt.h>

#include <nlohmann/json.hpp>
#include <span>
#include <sstream>

#include "glassformer/files/checkpoint_file.hpp"
#include "glassformer/files/descriptor.hpp"
#include "glassformer/files/durable_files.hpp"
#include "glassformer/files/suggestion.hpp"
#include "glassformer/files/user_error.hpp"

namespace glassformer {
namespace {

using Json = nlohmann::ordered_json;

Json to_json(const TrainingMetrics& metrics) {
  return {{"kind", "train"},
          {"update", metrics.update},
          {"epoch", metrics.epoch},
          {"loss", metrics.loss},
          {"perplexity", metrics.perplexity},
          {"gradient_norm", metrics.gradient_norm},
          {"learning_rate", metrics.learning_rate},
          {"skipped", metrics.skipped},
          {"source_tokens_per_second", metrics.source_tokens_per_second},
          {"target_tokens_per_second", metrics.target_tokens_per_second},
          {"padding_share", metrics.padding_share},
          {"minutes", metrics.minutes},
          {"minutes_left", metrics.minutes_left < 0 ? Json() : Json(metrics.minutes_left)}};
}

Json to_json(const ValidationMetrics& metrics) {
  return {{"kind", "validation"}, {"update", metrics.update},           {"epoch", metrics.epoch},
          {"loss", metrics.loss}, {"perplexity", metrics.perplexity},   {"token_accuracy", metrics.token_accuracy},
          {"bleu", metrics.bleu}, {"exact_match", metrics.exact_match}, {"minutes", metrics.minutes},
          {"best", metrics.best}};
}

/// The update in a line of metrics.jsonl. `place`: for the error message.
Index update_of(const std::string& line, const std::string& place) try {
  return Json::parse(line).at("update");
} catch (const Json::exception& error) {
  throw UserError(place + ": expected a JSON object with an \"update\", found \"" + brief(line, 60) + "\" (" +
                  brief(error.what(), 200) + "). Delete this line and those below it, or the whole file.");
}

}  // namespace

void MetricsFile::truncate_after(Index update) const {
  if (file_.empty() || !std::filesystem::exists(file_)) {
    return;
  }
  std::istringstream in(read_checkpoint_file(file_, kUnlimited));  // std::ifstream would treat an error as the end
  in.exceptions(std::ios::badbit);  // otherwise, getline would treat a lack of memory as the end
  std::string kept;
  std::string line;
  for (Index number = 1; std::getline(in, line) && !in.eof(); ++number) {  // an unterminated last line does not count
    if (update_of(line, fmt::format("{}:{}", file_.string(), number)) <= update) {
      kept += line + '\n';
    }
  }
  if (kept.size() != std::filesystem::file_size(file_)) {
    write_file_durably(file_, kept);
  }
}

void MetricsFile::append(const TrainingMetrics& metrics) const { append(to_json(metrics).dump() + '\n'); }
void MetricsFile::append(const ValidationMetrics& metrics) const { append(to_json(metrics).dump() + '\n'); }

void MetricsFile::append(const std::string& line) const {
  if (file_.empty()) {
    return;
  }
  Descriptor(file_, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW).write(std::as_bytes(std::span(line)));
}

}  // namespace glassformer
