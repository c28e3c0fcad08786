#include <algorithm>
#include <nlohmann/json.hpp>
#include <sstream>

#include "fuzz/input.hpp"
#include "glassformer/checkpoint/checkpoint.hpp"
#include "glassformer/evaluation/evaluation.hpp"
#include "glassformer/page/page.hpp"
#include "glassformer/page/trace_json.hpp"
#include "glassformer/report/explanation_screen.hpp"
#include "glassformer/setup/loaded_model.hpp"
#include "glassformer/setup/read_config.hpp"
#include "glassformer/setup/training_setup.hpp"

using namespace glassformer;

namespace {

namespace fs = std::filesystem;

constexpr const char* kText = "a man sleeps .\nshe sees a house .\n";

/// Three good checkpoints, one for each kind of tokenizer, and a text to evaluate them on.
class Checkpoints {
 public:
  Checkpoints() {
    for (const char* name : {"text.en", "text.de"}) {
      directory_.write(name, kText);
    }
    write("word", "{kind: word}");
    write("pieces", "{kind: sentencepiece, vocabulary_size: 32, joint: true}");
    fs::copy(GLASSFORMER_SOURCE_DIR "/tests/fixtures/marian/opus", directory_.path() / "marian");
    for (const char* name : {"word", "pieces", "marian"}) {
      std::vector<fs::path> files;
      for (const auto& entry : fs::directory_iterator(directory_.path() / name)) {
        files.push_back(entry.path());
      }
      std::ranges::sort(files);
      files_.insert(files_.end(), files.begin(), files.end());
    }
  }

  /// The file that this byte stands for: any file of the three checkpoints.
  const fs::path& file(std::uint8_t number) const { return files_[number % files_.size()]; }
  fs::path text(const char* language) const { return directory_.path() / (std::string("text.") + language); }

 private:
  void write(const std::string& name, const std::string& tokenizer) const {
    const fs::path file = directory_.write(
        "config.yaml",
        "data: {directory: " + directory_.path().string() + ", train: text, valid: text, source_language: en, " +
            "target_language: de}\ntokenizer: " + tokenizer + "\nmodel: {d_model: 8, heads: 2, d_ff: 8, " +
            "encoder_layers: 1, decoder_layers: 1}\n" + "training: {max_epochs: 1}\n");
    const Config config = read_config(file);
    const TokenizerPair tokenizers = starting_tokenizers(config, "config.yaml");
    Model<float> model(config.model, vocabulary_shape(tokenizers));
    initialize(model, 1);
    save_checkpoint(
        directory_.path() / name, [&](const fs::path& directory) { describe_model(config, tokenizers, directory); },
        model.weights);
    fs::remove(directory_.path() / name / "SHA256SUMS");  // the checksums would catch every change
  }

  const test::TemporaryDirectory directory_;
  std::vector<fs::path> files_;
};

void use(const fs::path& checkpoint, const Checkpoints& all) {
  const LoadedModel loaded(checkpoint);
  DecodingSettings decoding = loaded.config.decoding;  // a config may ask for a search that takes minutes
  decoding.beam = std::min<Index>(decoding.beam, 3);
  decoding.max_length_ratio = std::min(decoding.max_length_ratio, 2.0);
  const TestText text = TestText::read(all.text("en"), all.text("de"), loaded.tokenizers);
  static_cast<void>(evaluate(loaded.model, loaded.tokenizers, decoding, loaded.config.evaluation, text));
  const ExplainedModel explained{{loaded.model, loaded.config.training.label_smoothing, true, 1}, loaded.tokenizers};
  const Explanation explanation = explain(explained, {{text.sources[0], text.references[0]}, {text.sources[1], "a"}});
  const auto trace = trace_json(explained, explanation, {"checkpoint", std::nullopt, MatrixForm::packed});
  std::ostringstream page;
  write_page(trace, page);
  write_screen(explained, explanation, page);
}

}  // namespace

/// The first byte chooses a file of a checkpoint, and the rest becomes its contents. If the program still accepts the
/// checkpoint, it must be able to evaluate and explain it.
extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static const Checkpoints checkpoints;
  if (size == 0) {
    return 0;
  }
  const fs::path& file = checkpoints.file(data[0]);
  const std::string good = fuzz::bytes_of(file);
  fuzz::write(file, data + 1, size - 1);
  fuzz::may_refuse([&] { use(file.parent_path(), checkpoints); });
  fuzz::write(file, reinterpret_cast<const std::uint8_t*>(good.data()), good.size());
  return 0;
}
