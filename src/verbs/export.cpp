#include <spdlog/spdlog.h>

#include <filesystem>
#include <memory>

#include "checkpoint/checkpoint.hpp"
#include "checkpoint/loaded_model.hpp"
#ifdef GLASSFORMER_ONNX  // the build has found what it takes
#include "export/onnx_transformer.hpp"
#endif
#include "files/durable_files.hpp"
#include "user_error.hpp"
#include "verbs/verbs.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

struct ExportOptions {
  fs::path checkpoint, output;
  std::string format;
};

void export_onnx([[maybe_unused]] const ExportOptions& options) {
#ifdef GLASSFORMER_ONNX
  const LoadedModel loaded(options.checkpoint);
  write_directory_durably(options.output, [&](const fs::path& unfinished) {
    write_description(unfinished, loaded.config, loaded.tokenizers);
    write_file_durably(unfinished / "encoder_model.onnx", onnx_encoder(loaded.model, loaded.parameters));
    write_file_durably(unfinished / "decoder_model.onnx", onnx_decoder(loaded.model, loaded.parameters));
  });
  spdlog::info("encoder_model.onnx and decoder_model.onnx, in {}", options.output.string());
#else
  throw UserError("export --format onnx: this build has no ONNX; install libonnx-dev, libprotobuf-dev and "
                  "protobuf-compiler, as Debian calls them, and let CMake configure and build again.");
#endif
}

int export_model(const ExportOptions& options) {
  if (options.format != "onnx") {
    throw UserError("--format: expected onnx, found " + options.format + "; there is no other format so far.");
  }
  refuse_existing(options.output);
  export_onnx(options);
  return 0;
}

}  // namespace

void add_export(CLI::App& program, int& status) {
  const auto options = std::make_shared<ExportOptions>();
  CLI::App* const verb = program.add_subcommand("export", "Write a model as other programs run it");
  verb->add_option("checkpoint", options->checkpoint, kCheckpointHelp)->required()->type_name("");
  verb->add_option("--format", options->format,
                   "onnx: encoder_model.onnx and decoder_model.onnx, with the\n"
                   "names that Hugging Face's optimum has for what goes in and\n"
                   "comes out; beside them config.json and the tokenizers")
      ->required()->type_name("FORMAT");
  verb->add_option("--output", options->output, "the directory for it; nothing may stand there")
      ->required()->type_name("DIR");
  verb->callback([options, &status] { status = export_model(*options); });
}

}  // namespace glassformer
