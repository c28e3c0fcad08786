#include <cstdio>

#include "glassformer/commands/commands.hpp"
#include "glassformer/run/diagnostics.hpp"
#include "glassformer/setup/read_config.hpp"
#include "glassformer/setup/training_setup.hpp"
#include "glassformer/text/corpus.hpp"

namespace glassformer {
namespace {

struct GradcheckOptions {
  ConfigOptions config;
  Index samples = 20;
};

int gradcheck(const GradcheckOptions& options) {
  constexpr double kTolerance = 1e-7;
  bool correct = true;
  Index kinks = 0;
  const Config config = read_config(options.config.config, options.config.overrides);
  const DataSettings& data = config.data;
  const TokenizerPair tokenizers = starting_tokenizers(config, options.config.config);
  const Corpus text =
      Corpus::read(data.source_file(data.train), data.target_file(data.train), tokenizers, data.max_length);
  std::printf("%-56s %13s %8s %12s\n", "tensor", "shape", "checked", "error");
  Model<double> model(config.model, vocabulary_shape(tokenizers));
  for (const TensorCheck& check : check_model_gradient(model, config.training, text, options.samples)) {
    std::string shape = std::to_string(check.shape.front());
    if (check.shape.size() == 2) {
      shape += " x " + std::to_string(check.shape.back());
    }
    const bool passes = check.error.relative < kTolerance;
    correct = correct && passes;
    kinks += check.error.kinks;
    std::printf("%-56s %13s %8ld %12.1e%s\n", check.name.c_str(), shape.c_str(), static_cast<long>(check.error.checked),
                check.error.relative, passes ? "" : "  WRONG");
  }
  if (kinks > 0) {
    std::printf("skipped: %ld numbers at a kink in the loss\n", static_cast<long>(kinks));
  }
  std::printf("%s: the hand-written gradient's error against finite differences must be below %.0e\n",
              correct ? "all correct" : "WRONG", kTolerance);
  return correct ? 0 : 1;
}

}  // namespace

void add_gradcheck(CLI::App& program, int& status) {
  const auto [command, options] =
      add_command(program, status, "gradcheck",
                  "Compare the hand-written gradient with finite differences,\none row per tensor", gradcheck);
  options.config.add_to(command, "configs/debug.yaml");
  check_range(command.add_option("--samples", options.samples, "numbers to check per tensor; 0: all\n(default: 20)"), 0,
              1e9);
}

}  // namespace glassformer
