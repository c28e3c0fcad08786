#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "glassformer/files/output_file.hpp"
#include "glassformer/page/explanation.hpp"
#include "glassformer/page/trace_json.hpp"

namespace glassformer {

/// Where `explain` writes: a page, or a summary on standard output and a page; and the trace as JSON.
class ExplanationOutput {
 public:
  /// Opens the files, so that a mistake is reported before the computation. Without `html`, the page is explain.html;
  /// if it cannot be opened, `write` says so after it has written everything else.
  /// \throws UserError: a file that the user named cannot be opened; both names mean the same file; a file belongs to a
  ///         checkpoint or a run; explain.html exists, and explain did not write it
  ExplanationOutput(const std::optional<std::filesystem::path>& html, const std::optional<std::filesystem::path>& json);

  /// `numbers`: what the trace shows, and how.
  /// \throws std::runtime_error: a file cannot be written
  /// \throws UserError: explain.html could not be opened
  void write(const ExplainedModel& explained, const Explanation& explanation, const TraceOptions& numbers);

 private:
  const bool has_summary_;  // unless the user names the page
  const std::filesystem::path html_;
  std::optional<std::filesystem::path> json_;
  std::optional<OutputFile> html_file_;
  std::optional<OutputFile> json_file_;
  std::string no_page_;  // why explain.html could not be opened
};

}  // namespace glassformer
