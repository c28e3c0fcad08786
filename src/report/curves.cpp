#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>

#include "files/durable_files.hpp"
#include "report/figures.hpp"

namespace glassformer {
namespace {

constexpr double kLeft = 60, kRight = 764, kHeight = 220;  // of a panel

constexpr const char* kBegin = R"(<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 800 624">
<style>
svg { font: 12px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: #57606a; text-anchor: end; }
.title { font-weight: 600; fill: #1f2328; text-anchor: start; }
.updates { text-anchor: middle; }
path { fill: none; stroke: #e3e7eb; stroke-linejoin: round; stroke-linecap: round; }
</style>
<rect width="800" height="624" rx="8" fill="#ffffff"/>
)";

struct Curve {
  const char *name, *colour;
  std::vector<std::pair<Index, double>> points;  // update and value
};

bool can_be_drawn(double value) { return std::abs(value) < 1e30; }  // other values leave a gap in the curve

/// The range of an axis, which begins and ends on a tick. The step between ticks is 1, 2 or 5 times a power of ten.
struct Axis {
  double low, step, count;

  Axis(double lowest, double highest) {
    if (highest - lowest <= 1e-6 * std::abs(highest)) {  // a flat curve: draw it in the middle
      const double margin = highest == 0 ? 1 : std::abs(highest) / 2;
      lowest -= margin;
      highest += margin;
    }
    const double rough = (highest - lowest) / 7, power = std::pow(10, std::floor(std::log10(rough)));
    step = power * (rough <= power ? 1 : rough <= 2 * power ? 2 : rough <= 5 * power ? 5 : 10);
    low = std::floor(lowest / step + 1e-9);
    count = std::ceil(highest / step - 1e-9) - low;
  }
  double tick(double i) const { return (low + i) * step + 0.0; }  // + 0.0: not "-0"
  double fraction(double value) const { return (value / step - low) / count; }
};

std::string grid(const Axis& updates, const Axis& values) {
  std::string svg;
  for (int i = 0; i <= values.count; ++i)
    svg += fmt::format("<path d='M{0} {1:.1f}H{2}'/><text x='{3}' y='{1:.1f}' dy='4'>{4:.6g}</text>\n", kLeft,
                       (1 - i / values.count) * kHeight, kRight, kLeft - 8, values.tick(i));
  for (int i = 0; i <= updates.count; ++i)
    svg +=
        fmt::format("<path d='M{0:.1f} 0V{1}'/><text x='{0:.1f}' y='{1}' dy='18' class='updates'>{2}</text>\n",
                    kLeft + i / updates.count * (kRight - kLeft), kHeight, with_commas(std::llround(updates.tick(i))));
  return svg;
}

/// A line, with dots if there are at most 100 points. With 1000 points or more, draws only every second, third, ...
std::string line(const Curve& curve, const Axis& updates, const Axis& values) {
  const std::size_t count = curve.points.size(), stride = count / 1000 + 1;
  std::string path, dots;
  bool gap = true;
  for (std::size_t i = (count - 1) % stride; i < count; i += stride) {  // ends with the last point
    const auto [update, value] = curve.points[i];
    if (can_be_drawn(value)) {
      const double x = kLeft + updates.fraction(static_cast<double>(update)) * (kRight - kLeft);
      const double y = (1 - values.fraction(value)) * kHeight;
      path += fmt::format("{}{:.1f} {:.1f}", gap ? "M" : "L", x, y);
      dots += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='2.5'><title>{} {:.4g}, update {}</title></circle>\n", x,
                          y, curve.name, value, update);
    }
    gap = !can_be_drawn(value);
  }
  return fmt::format("<g fill='{0}'><path d='{1}' style='stroke: {0}; stroke-width: 1.8'/>\n{2}</g>\n", curve.colour,
                     path, count <= 100 ? dots : "");
}

/// The axis covers `values` and all values of the curves.
std::string panel(double top, const char* title, const Axis& updates, const std::vector<Curve>& curves,
                  std::vector<double> values) {
  std::string legend;
  for (const Curve& curve : curves) {
    const std::size_t before = values.size();
    for (const auto& [update, value] : curve.points)
      if (can_be_drawn(value)) values.push_back(value);
    if (values.size() == before) continue;
    legend += fmt::format(" &#160; <tspan fill='{}'>●</tspan> {} {:.4g}", curve.colour, curve.name, values.back());
  }
  if (values.empty()) values = {0, 1};
  const Axis axis(*std::ranges::min_element(values), *std::ranges::max_element(values));
  std::string svg = fmt::format("<g transform='translate(0 {})'>\n", top);
  svg += fmt::format("<text x='{}' y='-14' class='title'>{}</text>\n", kLeft, title);
  svg += fmt::format("<text x='{}' y='-14'>{}</text>\n", kRight, legend.empty() ? "nothing yet" : legend);
  svg += grid(updates, axis);
  for (const Curve& curve : curves) svg += line(curve, updates, axis);
  return svg + "</g>\n";
}

}  // namespace

void write_curves(const std::filesystem::path& file, const Metrics& metrics) {
  // Colours of Okabe & Ito (2008), which colour-blind readers can tell apart.
  Curve training{"training", "#0072b2", {}}, loss{"validation", "#d55e00", {}};
  Curve bleu{"BLEU", "#d55e00", {}}, exact{"exact match", "#a8578a", {}}, accuracy{"token accuracy", "#009e73", {}};
  Index last = 5, best = 0;
  for (const TrainingFigures& f : metrics.training) {
    last = std::max(last, f.update);
    training.points.emplace_back(f.update, std::log(f.perplexity));
  }
  for (const ValidationFigures& f : metrics.validation) {
    last = std::max(last, f.update);
    if (f.best) best = f.update;
    loss.points.emplace_back(f.update, f.loss);
    bleu.points.emplace_back(f.update, f.bleu);
    exact.points.emplace_back(f.update, 100 * f.exact_match);
    accuracy.points.emplace_back(f.update, 100 * f.token_accuracy);
  }
  const Axis updates(0, static_cast<double>(last));
  std::string svg = kBegin;
  svg += panel(48, "Loss: cross-entropy per target token", updates, {training, loss}, {});
  svg += panel(340, "Validation, in percent", updates, {accuracy, bleu, exact}, {0, 10});
  const std::string best_text = best > 0 ? "; the best validation is at update " + with_commas(best) : "";
  svg += "<text x='412' y='604' class='updates'>updates" + best_text + "</text>\n</svg>\n";
  write_file_durably(file, svg);
}

}  // namespace glassformer
