#include "glassformer/report/curves.hpp"

#include <spdlog/fmt/fmt.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>

#include "glassformer/files/durable_files.hpp"
#include "glassformer/report/metric_lines.hpp"
#include "glassformer/report/metrics.hpp"

namespace glassformer {
namespace {

constexpr double kLeft = 60, kRight = 764, kHeight = 220;  // of a panel

constexpr const char* kStyle = R"(
<style>
svg { font: 12px system-ui, "Segoe UI", Roboto, "DejaVu Sans", sans-serif; fill: #57606a; text-anchor: end; }
.title { font-weight: 600; fill: #1f2328; text-anchor: start; }
.updates { text-anchor: middle; }
path { fill: none; stroke: #e3e7eb; stroke-linejoin: round; stroke-linecap: round; }
</style>
<rect width="800" height="624" rx="8" fill="#ffffff"/>
)";

struct NamedCurve {
  const char* name;
  const char* colour;
  const std::vector<CurvePoint>& points;
};

bool can_be_drawn(double value) { return std::abs(value) < 1e30; }  // other values leave a gap in the curve

/// The range of an axis, which begins and ends on a tick. The step between ticks is 1, 2 or 5 times a power of ten.
class Axis {
 public:
  Axis(double lowest, double highest) {
    if (highest - lowest <= 1e-6 * std::abs(highest)) {  // a flat curve: draw it in the middle
      const double margin = highest == 0 ? 1 : std::abs(highest) / 2;
      lowest -= margin;
      highest += margin;
    }
    step_ = round_step((highest - lowest) / 7);
    low_ = std::floor(lowest / step_ + 1e-9);
    count_ = std::ceil(highest / step_ - 1e-9) - low_;
  }
  double count() const { return count_; }                           // of the steps
  double tick(double i) const { return (low_ + i) * step_ + 0.0; }  // + 0.0: not "-0"
  double fraction(double value) const { return (value / step_ - low_) / count_; }

 private:
  static double round_step(double rough) {
    const double power = std::pow(10, std::floor(std::log10(rough)));
    for (const double factor : {1, 2, 5}) {
      if (rough <= factor * power) {
        return factor * power;
      }
    }
    return 10 * power;
  }

  double low_, step_, count_;  // the lowest tick in steps, a step, and the number of steps
};

std::string grid(const Axis& updates, const Axis& values) {
  std::string svg;
  for (int i = 0; i <= values.count(); ++i) {
    svg += fmt::format("<path d='M{0} {1:.1f}H{2}'/><text x='{3}' y='{1:.1f}' dy='4'>{4:.6g}</text>\n", kLeft,
                       (1 - i / values.count()) * kHeight, kRight, kLeft - 8, values.tick(i));
  }
  for (int i = 0; i <= updates.count(); ++i) {
    svg += fmt::format("<path d='M{0:.1f} 0V{1}'/><text x='{0:.1f}' y='{1}' dy='18' class='updates'>{2}</text>\n",
                       kLeft + i / updates.count() * (kRight - kLeft), kHeight,
                       with_commas(std::llround(updates.tick(i))));
  }
  return svg;
}

/// A line, with dots if there are at most 100 points. With 1000 points or more, draws only every second, third, ...
std::string line(const NamedCurve& curve, const Axis& updates, const Axis& values) {
  const std::size_t count = curve.points.size();
  const std::size_t stride = count / 1000 + 1;
  const bool has_dots = count <= 100;
  std::string path;
  std::string dots;
  bool gap = true;
  for (std::size_t i = (count - 1) % stride; i < count; i += stride) {  // ends with the last point
    const auto [update, value] = curve.points[i];
    if (can_be_drawn(value)) {
      const double x = kLeft + updates.fraction(static_cast<double>(update)) * (kRight - kLeft);
      const double y = (1 - values.fraction(value)) * kHeight;
      path += fmt::format("{}{:.1f} {:.1f}", gap ? "M" : "L", x, y);
      if (has_dots) {
        dots += fmt::format("<circle cx='{:.1f}' cy='{:.1f}' r='2.5'><title>{} {:.4g}, update {}</title></circle>\n", x,
                            y, curve.name, value, update);
      }
    }
    gap = !can_be_drawn(value);
  }
  return fmt::format("<g fill='{0}'><path d='{1}' style='stroke: {0}; stroke-width: 1.8'/>\n{2}</g>\n", curve.colour,
                     path, dots);
}

/// The axis covers `values` and all values of the curves. The legend has each curve's latest value.
std::string panel(double top, const char* title, const Axis& updates, const std::vector<NamedCurve>& curves,
                  std::vector<double> values) {
  std::string legend;
  for (const NamedCurve& curve : curves) {
    const std::size_t before = values.size();
    for (const CurvePoint& point : curve.points) {
      if (can_be_drawn(point.value)) {
        values.push_back(point.value);
      }
    }
    if (values.size() == before) {
      continue;
    }
    legend += fmt::format(" &#160; <tspan fill='{}'>●</tspan> {} {:.4g}", curve.colour, curve.name, values.back());
  }
  if (values.empty()) {
    values = {0, 1};
  }
  const Axis axis(*std::ranges::min_element(values), *std::ranges::max_element(values));
  std::string svg = fmt::format("<g transform='translate(0 {})'>\n", top);
  svg += fmt::format("<text x='{}' y='-14' class='title'>{}</text>\n", kLeft, title);
  svg += fmt::format("<text x='{}' y='-14'>{}</text>\n", kRight, legend.empty() ? "nothing yet" : legend);
  svg += grid(updates, axis);
  for (const NamedCurve& curve : curves) {
    svg += line(curve, updates, axis);
  }
  return svg + "</g>\n";
}

}  // namespace

void RunCurves::add(const std::string& line) {
  const auto metrics = nlohmann::json::parse(line, nullptr, false);  // without exceptions
  if (!metrics.is_object() || !metrics.contains("update") || !metrics["update"].is_number_integer()) {
    return;
  }
  const Index update = metrics["update"];
  const auto value_of = [&](const char* name) {
    const auto found = metrics.find(name);
    return found != metrics.end() && found->is_number() ? found->get<double>()
                                                        : std::numeric_limits<double>::quiet_NaN();
  };
  last_update = std::max(last_update, update);
  if (metrics.value("kind", nlohmann::json()) == "train") {
    training_loss.push_back({update, std::log(value_of("perplexity"))});
    return;
  }
  validation_loss.push_back({update, value_of("loss")});
  token_accuracy.push_back({update, 100 * value_of("token_accuracy")});
  bleu.push_back({update, value_of("bleu")});
  exact_match.push_back({update, 100 * value_of("exact_match")});
  if (metrics.value("best", nlohmann::json()) == true) {
    best_update = update;
  }
}

std::string curves_svg(const RunCurves& curves) {
  constexpr Index kShortestAxis = 5;  // updates
  const Axis updates(0, static_cast<double>(std::max(kShortestAxis, curves.last_update)));
  // Colours of Okabe & Ito (2008), which colour-blind readers can tell apart.
  const std::vector<NamedCurve> losses = {{"training", "#0072b2", curves.training_loss},
                                          {"validation", "#d55e00", curves.validation_loss}};
  const std::vector<NamedCurve> percents = {{"token accuracy", "#009e73", curves.token_accuracy},
                                            {"BLEU", "#d55e00", curves.bleu},
                                            {"exact match", "#a8578a", curves.exact_match}};
  std::string svg = std::string(kCurvesBeginning) + kStyle;
  svg += panel(48, "Loss: cross-entropy per target token", updates, losses, {});
  svg += panel(340, "Validation, in percent", updates, percents, {0, 10});
  const std::string best =
      curves.best_update > 0 ? "; the best validation is at update " + with_commas(curves.best_update) : "";
  return svg + "<text x='412' y='604' class='updates'>updates" + best + "</text>\n</svg>\n";
}

void CurvesPicture::update(const std::filesystem::path& metrics, const std::filesystem::path& picture) try {
  if (picture.empty() || !std::filesystem::exists(metrics)) {
    return;  // before the first metrics
  }
  read_new_lines(metrics);
  write_file_durably(picture, curves_svg(curves_));
} catch (const std::exception& error) {
  if (!has_warned_) {
    spdlog::warn("training continues, but its curves could not be drawn: {}", error.what());
  }
  has_warned_ = true;
}

void CurvesPicture::read_new_lines(const std::filesystem::path& metrics) {
  if (std::filesystem::file_size(metrics) < bytes_read_) {  // the file was replaced
    curves_ = {};
    bytes_read_ = 0;
  }
  std::ifstream in(metrics, std::ios::binary);
  in.exceptions(std::ios::badbit);
  in.seekg(static_cast<std::streamoff>(bytes_read_));
  for (std::string line; std::getline(in, line) && !in.eof(); bytes_read_ += line.size() + 1) {
    curves_.add(line);
  }
}

}  // namespace glassformer
