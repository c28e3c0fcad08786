#include <set>

#include "program/program.hpp"

using namespace glassformer::program_test;

#ifdef GLASSFORMER_ONNX
TEST_CASE("export writes a directory that another program can run, or says why not", "[program][export]") {
  const Program program;
  REQUIRE(program.run("train " + config("debug") + " --output run --set training.max_updates=50").status == 0);
  const auto exported = program.run("export run --format onnx --output onnx");
  CAPTURE(exported.err);
  CHECK(exported.status == 0);
  CHECK(exported.out.empty());
  std::set<std::string> files;
  for (const auto& entry : fs::directory_iterator(program / "onnx")) files.insert(entry.path().filename().string());
  CHECK(files == std::set<std::string>{"config.json", "decoder_model.onnx", "encoder_model.onnx",
                                       "generation_config.json", "source.spm", "source.vocab.json", "target.spm",
                                       "target.vocab.json", "target_vocab.json", "tokenizer_config.json",
                                       "vocab.json"});
  files.erase("encoder_model.onnx");
  files.erase("decoder_model.onnx");
  for (const std::string& same : files) {
    CHECK(read_bytes(program / "onnx" / same) == read_bytes(program / "run/best" / same));
  }
  const std::string first = read_bytes(program / "onnx/decoder_model.onnx");
  REQUIRE(program.run("export run/last --format onnx --output again").status == 0);
  CHECK(read_bytes(program / "again/decoder_model.onnx") == first);

  check_refused(program.run("export run --format onnx --output onnx"), "nothing stands");
  CHECK(read_bytes(program / "onnx/decoder_model.onnx") == first);
  check_refused(program.run("export run --format torch --output other"), "expected onnx, found torch");
  check_refused(program.run("export run --output other"), "--format");
  check_refused(program.run("export run --format onnx"), "--output");
  check_refused(program.run("export nowhere --format onnx --output other"), "nowhere");
  check_refused(program.run("export run --format onnx --output run/train.log/onnx"), "train.log");
  CHECK_FALSE(fs::exists(program / "other"));
}
#else
TEST_CASE("a build without ONNX says so", "[program][export]") {
  const Program program;
  check_refused(program.run("export run --format onnx --output onnx"), "libonnx-dev");
  check_refused(program.run("export run --format torch --output onnx"), "expected onnx, found torch");
}
#endif
