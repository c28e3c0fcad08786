#include "report/curves.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <optional>

#include "files/durable_files.hpp"
#include "report/chart_panel.hpp"
#include "report/figure_text.hpp"

namespace glassformer {

namespace {

// Colours of Okabe & Ito (2008), which colour-blind readers can tell apart.
constexpr const char* kBlue = "#0072b2";
constexpr const char* kVermillion = "#d55e00";
constexpr const char* kGreen = "#009e73";
constexpr const char* kPurple = "#a8578a";  // reddish purple, a little darker for white paper

constexpr double kWidth = 960, kHeight = 812, kLeft = 76, kRight = 868;

constexpr const char* kStyle = R"(<style>
text { font-family: system-ui, -apple-system, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: #57606a; }
.title { font-size: 20px; font-weight: 600; fill: #1f2328; }
.summary { font-size: 13px; }
.panel { font-size: 13px; font-weight: 600; fill: #1f2328; }
.legend, .tick, .note, .best-label { font-size: 12px; font-weight: 400; fill: #57606a; }
.sign { font-weight: 700; }
.tick { font-variant-numeric: tabular-nums; }
.value { font-size: 13px; font-weight: 600; }
.value { paint-order: stroke; stroke: #ffffff; stroke-width: 4px; stroke-linejoin: round; }
.grid { stroke: #e7eaee; stroke-width: 1; fill: none; }
.axis { stroke: #8c959f; stroke-width: 1; fill: none; }
.curve { fill: none; stroke-linejoin: round; stroke-linecap: round; }
.dot { stroke: #ffffff; stroke-width: 1; }
.best { fill: #ffffff; stroke-width: 2.6; }
.best-line { stroke: #8c959f; stroke-width: 1; stroke-dasharray: 3 4; fill: none; }
</style>
)";

template <class Figures>
ChartSeries series_of(const std::vector<Figures>& figures, double Figures::*figure, double factor = 1) {
  ChartSeries series;
  for (const Figures& f : figures) series.push_back({static_cast<double>(f.update), factor * f.*figure});
  return series;
}

ChartSeries cross_entropy_of(const std::vector<TrainingFigures>& training) {
  ChartSeries series = series_of(training, &TrainingFigures::perplexity);
  for (ChartPoint& point : series) point.y = std::log(point.y);
  return series;
}

std::string number(double value, int places) {
  return std::abs(value) < 1e6 ? fmt::format("{:.{}f}", value, places) : fmt::format("{:.2e}", value);
}

std::function<std::string(double)> with_places(int places, const std::string& unit = "") {
  return [places, unit](double value) { return number(value, places) + unit; };
}

std::vector<ChartPanel> make_panels(const std::vector<TrainingFigures>& training,
                                    const std::vector<ValidationFigures>& validation) {
  using V = ValidationFigures;
  const auto rate = [](double value) { return fmt::format("{:.2g}", value); };
  return {
      {"Loss: cross-entropy per target token",
       118,
       250,
       {{"training", kBlue, cross_entropy_of(training), false, with_places(3)},
        {"validation", kVermillion, series_of(validation, &V::loss), true, with_places(3)}},
       {.ticks = 7, .cut_peaks = true},
       "no loss yet"},
      {"Learning rate",
       428,
       90,
       {{"learning rate", kGreen, series_of(training, &TrainingFigures::learning_rate), false, rate}},
       {.ticks = 3, .from_zero = true},
       "no update yet"},
      {"Greedy translations of the validation text",
       578,
       170,
       {{"BLEU", kVermillion, series_of(validation, &V::bleu), true, with_places(1)},
        {"exact match in %", kPurple, series_of(validation, &V::exact_match, 100), true, with_places(1, " %")}},
       {.ticks = 5, .from_zero = true, .reach = 10},
       "no validation with translations yet"},
  };
}

/// From 0 to the last update, so that the curves end at the right edge.
ChartAxis update_axis(const std::vector<TrainingFigures>& training,
                      const std::vector<ValidationFigures>& validation) {
  Index last = 1;
  for (const auto& f : training) last = std::max(last, f.update);
  for (const auto& f : validation) last = std::max(last, f.update);
  ChartAxis axis{0, static_cast<double>(last), {}};
  axis.ticks = round_ticks(0, axis.high, 8);
  std::erase_if(axis.ticks, [](double tick) { return tick != std::floor(tick); });
  return axis;
}

const ValidationFigures* best_of(const std::vector<ValidationFigures>& validation) {
  const auto best = std::find_if(validation.rbegin(), validation.rend(), [](const auto& f) { return f.best; });
  return best == validation.rend() ? nullptr : &*best;
}

std::string length_of_run(const auto& last) {
  std::string time = short_time(last.minutes);
  time.erase(0, time.find_first_not_of(' '));
  return fmt::format("{} updates, {} epoch{}, {}", with_commas(last.update), with_commas(last.epoch),
                     last.epoch == 1 ? "" : "s", time);
}

std::string summary(const std::vector<TrainingFigures>& training, const std::vector<ValidationFigures>& validation,
                    const ValidationFigures* best) {
  std::string text = "no update yet";
  if (!training.empty()) text = length_of_run(training.back());
  if (!validation.empty() && (training.empty() || validation.back().update >= training.back().update)) {
    text = length_of_run(validation.back());
  }
  if (!best) return text;
  text += fmt::format(" · best validation at update {}: loss {}, perplexity {}", with_commas(best->update),
                      number(best->loss, 3), number(best->perplexity, 2));
  if (std::isfinite(best->bleu)) text += ", BLEU " + number(best->bleu, 1);
  if (std::isfinite(best->exact_match)) text += ", exact match " + number(100 * best->exact_match, 1) + " %";
  return text;
}

std::string best_label(const ChartFrame& frame, double top) {
  const double share = frame.updates.share(*frame.best), x = frame.left + share * (frame.right - frame.left);
  return fmt::format(
             R"(<text class="best-label" x="{:.1f}" y="{:.1f}" text-anchor="{}">best: update {}</text>)",
             share > 0.5 ? x - 8 : x + 8, top + 15, share > 0.5 ? "end" : "start",
             with_commas(std::llround(*frame.best))) +
         '\n';
}

std::string tick_labels(const ChartFrame& frame, double bottom) {
  std::string svg;
  for (const double tick : frame.updates.ticks) {
    fmt::format_to(std::back_inserter(svg),
                   R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
                   frame.left + frame.updates.share(tick) * (frame.right - frame.left), bottom + 20,
                   with_commas(std::llround(tick)));
    svg += '\n';
  }
  return svg +
         fmt::format(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="middle">updates</text>)",
                     (frame.left + frame.right) / 2, bottom + 42) +
         '\n';
}

}  // namespace

void write_curves(const std::filesystem::path& file, const std::vector<TrainingFigures>& training,
                  const std::vector<ValidationFigures>& validation, const std::string& title) {
  const std::vector<ChartPanel> panels = make_panels(training, validation);
  const double bottom = panels.back().top + panels.back().height;
  const ValidationFigures* best = best_of(validation);
  ChartFrame frame{kLeft, kRight, update_axis(training, validation), std::nullopt};
  if (best) frame.best = static_cast<double>(best->update);

  const std::string name = xml_text(title), summed_up = summary(training, validation, best);
  std::string svg = fmt::format(
      R"(<svg xmlns="http://www.w3.org/2000/svg" width="{0}" height="{1}" viewBox="0 0 {0} {1}" role="img">
<title>{2}</title>
<desc>Loss, learning rate and BLEU over updates. {3}</desc>
)",
      kWidth, kHeight, name, summed_up);
  svg += kStyle;
  svg += fmt::format(R"(<rect x="0.5" y="0.5" width="{}" height="{}" rx="8" fill="#ffffff" stroke="#d0d7de"/>
<text class="title" x="28" y="42">{}</text>
<text class="summary" x="28" y="66">{}</text>
)",
                     kWidth - 1, kHeight - 1, name, summed_up);
  for (const ChartPanel& panel : panels) svg += draw_panel(panel, frame);
  if (best && std::isfinite(best->loss)) svg += best_label(frame, panels.front().top);
  svg += tick_labels(frame, bottom) + "</svg>\n";
  write_file_durably(file, svg);
}

}  // namespace glassformer
