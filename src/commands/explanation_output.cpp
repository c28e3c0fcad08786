#include "glassformer/commands/explanation_output.hpp"

#include <spdlog/spdlog.h>

#include <cmath>
#include <iostream>
#include <nlohmann/json.hpp>

#include "glassformer/commands/commands.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/page/page.hpp"
#include "glassformer/report/explanation_screen.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;

constexpr const char* kDefaultPage = "explain.html";

/// \throws UserError: explain.html exists, and explain did not write it
void check_default_page() {
  std::error_code error;
  if (fs::exists(fs::symlink_status(kDefaultPage, error)) && !is_page(kDefaultPage)) {
    throw UserError(std::string(kDefaultPage) + ": this file exists, but explain did not write it; move it, or " +
                    "choose another file with --html FILE.");
  }
}

/// Opens explain.html. Returns why this failed, for example in a directory where the user may not write, and the way
/// out; "" if it is open.
std::string open_default_page(std::optional<OutputFile>& file) try {
  file.emplace(kDefaultPage);
  return "";
} catch (const UserError& error) {
  std::string problem = error.what();
  if (problem.ends_with('.')) {
    problem.pop_back();
  }
  return problem + "; write the page to another file with --html FILE.";
}

}  // namespace

ExplanationOutput::ExplanationOutput(const std::optional<fs::path>& html, const std::optional<fs::path>& json)
    : has_summary_(!html), html_(html.value_or(kDefaultPage)), json_(json) {
  for (const auto& [option, file] : {std::pair("--html", html), {"--json", json}}) {
    if (file) {
      check_output(option, *file);
    }
  }
  if (!html) {
    check_default_page();
  }
  if (json) {
    check_two_files(html_, *json);
  }
  if (html) {
    html_file_.emplace(*html);
  } else {
    no_page_ = open_default_page(html_file_);
  }
  if (json) {
    json_file_.emplace(*json);
  }
}

void ExplanationOutput::write(const ExplainedModel& explained, const Explanation& explanation,
                              const TraceOptions& numbers) {
  if (has_summary_) {
    write_screen(explained, explanation, std::cout);
    std::cout.flush();  // the log, on standard error, should come after this
  }
  if (html_file_) {
    TraceOptions packed = numbers;
    packed.form = MatrixForm::packed;
    write_page(trace_json(explained, explanation, packed), html_file_->stream());
    html_file_->finish();
    spdlog::info("wrote the page {}; open it in a browser", html_.string());
  }
  if (json_file_) {
    const auto trace = trace_json(explained, explanation, numbers);
    json_file_->stream() << trace.dump(-1, ' ', false, nlohmann::ordered_json::error_handler_t::replace) << '\n';
    json_file_->finish();
    spdlog::info("wrote the trace {}", json_->string());
  }
  if (!std::isfinite(explanation.right().trace.loss.cross_entropy)) {
    spdlog::warn("the model's logits overflow, so the loss is infinite or NaN; the page shows where that begins");
  }
  if (!no_page_.empty()) {
    throw UserError(no_page_);
  }
}

}  // namespace glassformer
