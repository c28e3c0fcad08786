#include "glassformer/run/digests.hpp"

#include <spdlog/fmt/fmt.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <utility>

#include "glassformer/checkpoint/checksums.hpp"
#include "glassformer/checkpoint/file_names.hpp"
#include "glassformer/config/config_file.hpp"
#include "glassformer/files/checkpoint_file.hpp"
#include "glassformer/machine/program.hpp"
#include "glassformer/report/metrics_file.hpp"
#include "glassformer/verification/self_test.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;
using Json = nlohmann::ordered_json;

fs::path file_of(const RunDirectory& run) { return run.file("digests.jsonl"); }

void append(const RunDirectory& run, Json line, const Arena<float>& weights) {
  Json tensors = Json::object();
  for (const TensorPlace& tensor : weights.tensors()) {
    tensors[tensor.name] = sha256_of(std::as_bytes(std::span<const float>(weights.values(tensor)))).substr(0, 16);
  }
  line["weights"] = std::move(tensors);
  line["before"] = fs::exists(file_of(run)) && !fs::is_empty(file_of(run)) ? sha256_of(file_of(run)) : "";
  MetricsFile(file_of(run)).append(line.dump() + '\n');
}

}  // namespace

void record_start(const RunDirectory& run, Index update, const Arena<float>& weights, const DataSettings& data) {
  if (file_of(run).empty()) {
    return;
  }
  append(run,
         {{"update", update},
          {"program", fs::exists(program_file()) ? sha256_of(program_file()) : "unknown"},
          {"config", sha256_of(run.file(kConfigFile))},
          {"source", sha256_of(data.source_file(data.train))},
          {"target", sha256_of(data.target_file(data.train))}},
         weights);
}

void record_weights(const RunDirectory& run, Index update, const Arena<float>& weights) {
  if (file_of(run).empty()) {
    return;
  }
  // Not at the start: there, a debugger would stop in the self-test's layers instead of the run's.
  append(run,
         {{"update", update},
          {"arithmetic", fmt::format("{:016x}", arithmetic_digest())},
          {"checksums", sha256_of(run.checkpoint(update) / kChecksumFile)}},
         weights);
}

void record_average(const RunDirectory& run, Index update, const std::vector<fs::path>& averaged, bool is_best,
                    const Arena<float>& mean) {
  if (file_of(run).empty()) {
    return;
  }
  std::vector<std::string> names;
  for (const fs::path& checkpoint : averaged) {
    names.push_back(checkpoint.filename().string());
  }
  // "update" is not the first key, so that verify.sh of version 0.2 does not take this line for that of the checkpoint.
  append(run,
         {{"average", names},
          {"update", update},
          {"best", is_best},
          {"checksums", sha256_of(run.average(update) / kChecksumFile)}},
         mean);
}

bool mean_was_best(const RunDirectory& run, Index update) {
  if (file_of(run).empty() || !fs::exists(file_of(run))) {
    return false;
  }
  std::istringstream lines(read_checkpoint_file(file_of(run), kUnlimited));
  bool is_best = false;
  for (std::string line; std::getline(lines, line);) {
    if (!line.starts_with("{\"average\":")) {
      continue;
    }
    const Json record = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (record.is_object() && record.value("update", Json()) == update) {
      is_best = is_best || record.value("best", Json()) == true;
    }
  }
  return is_best;
}

void drop_digests_after(const RunDirectory& run, Index update) { MetricsFile(file_of(run)).truncate_after(update); }

}  // namespace glassformer
