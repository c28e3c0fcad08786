#include "program/mpirun.hpp"

using namespace glassformer::program_test;

TEST_CASE("each rank may have its texts, tokenizers and starting model in a directory of its own", "[program][mpi]") {
  if (!can_start_ranks()) {
    return;
  }
  const Program program;
  write_bytes(program / "c.yaml",
              "data: {directory: here, source_language: en, target_language: de}\n"
              "tokenizer: {kind: sentencepiece, vocabulary_size: 60}\n"
              "model: {d_model: 8, heads: 2, encoder_layers: 1, decoder_layers: 1, d_ff: 8}\n"
              "training: {max_updates: 1}\n");
  REQUIRE(program
              .shell("mkdir here there; for l in en de; do head -n 200 '" GLASSFORMER_SOURCE_DIR
                     "/data/toy/valid.'$l >here/train.$l; head -n 5 here/train.$l >here/valid.$l; done; "
                     "\"$glassformer\" train c.yaml --output first && cp -r first/last/. here && cp -r here/. there")
              .status == 0);
  const auto with_tokenizers = [](const std::string& place) {
    return " --set tokenizer.source_model=" + place + "/source.spm --set tokenizer.target_model=" + place +
           "/target.spm ";
  };
  const auto with_model = [](const std::string& place) { return " --set model.from=" + place + " "; };
  const auto check_accepted = [&](const auto& options) {
    const auto rank = [&](const std::string& place) {
      return "-n 1 \"$glassformer\" train c.yaml --output run --set data.directory=" + place + options(place);
    };
    const auto result = program.shell(mpirun() + rank("here") + ": " + rank("there"));
    CAPTURE(result.err);
    CHECK(result.status == 0);
    fs::remove_all(program / "run");
  };
  check_accepted(with_tokenizers);
  check_accepted(with_model);
}
