#include "report/chart_panel.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <utility>

#include "report/figure_text.hpp"

namespace glassformer {

namespace {

constexpr std::size_t kMostDots = 80;  // more would run into each other

class PanelPainter {
 public:
  PanelPainter(const ChartPanel& panel, const ChartFrame& frame) : panel_(panel), frame_(frame) {
    std::vector<const ChartSeries*> series;
    for (const ChartCurve& curve : panel.curves) series.push_back(&curve.points);
    axis_ = fitting_axis(series, panel.y_axis);
  }

  std::string paint() {
    heading();
    const bool empty = std::none_of(panel_.curves.begin(), panel_.curves.end(), has_values);
    if (!empty) grid();
    add(R"(<path class="axis" d="M{:.1f} {:.1f}H{:.1f}"/>)", frame_.left, bottom(), frame_.right);
    if (empty) {
      add(R"(<text class="note" x="{:.1f}" y="{:.1f}" text-anchor="middle">{}</text>)",
          (frame_.left + frame_.right) / 2, panel_.top + panel_.height / 2 + 4, panel_.without_points);
      return svg_;
    }
    // An inner <svg> cuts off what lies outside.
    add(R"(<svg x="{0:.1f}" y="{1:.1f}" width="{2:.1f}" height="{3:.1f}" )"
        R"(viewBox="{0:.1f} {1:.1f} {2:.1f} {3:.1f}">)",
        frame_.left - 8, panel_.top - 8, frame_.right - frame_.left + 16, panel_.height + 16);
    for (const ChartCurve& curve : panel_.curves) line(curve);
    for (const ChartCurve& curve : panel_.curves) ring(curve);
    add("</svg>");
    best_values();
    legend();
    last_values();
    return svg_;
  }

 private:
  template <class... Values>
  void add(fmt::format_string<Values...> format, Values&&... values) {
    fmt::format_to(std::back_inserter(svg_), format, std::forward<Values>(values)...);
    svg_ += '\n';
  }

  static bool has_values(const ChartCurve& curve) {
    return std::any_of(curve.points.begin(), curve.points.end(),
                       [](ChartPoint p) { return std::isfinite(p.y); });
  }
  double x(double update) const {
    return frame_.left + frame_.updates.share(update) * (frame_.right - frame_.left);
  }
  double bottom() const { return panel_.top + panel_.height; }
  /// Values beyond the axis lie a little beyond the panel, where they are cut off.
  double y(double value) const { return bottom() - std::clamp(axis_.share(value), -0.5, 1.5) * panel_.height; }

  void heading() {
    add(R"(<text class="panel" x="{:.1f}" y="{:.1f}">{}<tspan class="note" dx="10">{}</tspan></text>)",
        frame_.left, panel_.top - 14, panel_.title, what_lies_outside());
  }

  void grid() {
    for (const double tick : frame_.updates.ticks) {
      add(R"(<path class="grid" d="M{:.1f} {:.1f}V{:.1f}"/>)", x(tick), panel_.top, bottom());
    }
    for (const double tick : axis_.ticks) {
      add(R"(<path class="grid" d="M{:.1f} {:.1f}H{:.1f}"/>)", frame_.left, y(tick), frame_.right);
      add(R"(<text class="tick" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", frame_.left - 10,
          y(tick) + 4, tick_label(axis_, tick));
    }
    if (frame_.best) {
      add(R"(<path class="best-line" d="M{:.1f} {:.1f}V{:.1f}"/>)", x(*frame_.best), panel_.top, bottom());
    }
  }

  std::string what_lies_outside() const {
    double highest = axis_.high;
    for (const ChartCurve& curve : panel_.curves) {
      for (const ChartPoint& point : curve.points) {
        if (std::isfinite(point.y)) highest = std::max(highest, point.y);
      }
    }
    return highest > axis_.high * (1 + 1e-9) ? fmt::format("peaks up to {:.3g} are cut off", highest) : "";
  }

  /// Gaps (values that are not finite) break the line; a point between two gaps is a dot.
  void line(const ChartCurve& curve) {
    const int columns = static_cast<int>(frame_.right - frame_.left);
    const ChartSeries points = thin_out(curve.points, frame_.updates, columns);
    std::string path, dots;
    for (std::size_t i = 0; i < points.size(); ++i) {
      const ChartPoint& p = points[i];
      if (!std::isfinite(p.y)) continue;
      const bool begins = i == 0 || !std::isfinite(points[i - 1].y);
      const bool ends = i + 1 == points.size() || !std::isfinite(points[i + 1].y);
      fmt::format_to(std::back_inserter(path), "{}{:.1f} {:.1f}", begins ? 'M' : 'L', x(p.x), y(p.y));
      if ((begins && ends) || (curve.strong && points.size() <= kMostDots)) {
        fmt::format_to(std::back_inserter(dots),
                       R"(<circle class="dot" cx="{:.1f}" cy="{:.1f}" r="3.2" fill="{}">)"
                       R"(<title>{} {}, update {}</title></circle>)",
                       x(p.x), y(p.y), curve.colour, curve.name, curve.label(p.y),
                       with_commas(std::llround(p.x)));
        dots += '\n';
      }
    }
    add(R"(<path class="curve" stroke="{}" stroke-width="{}" d="{}"/>)", curve.colour, curve.strong ? 2.4 : 1.4,
        path);
    svg_ += dots;
  }

  const ChartPoint* best_point(const ChartCurve& curve) const {
    const auto best = std::find_if(curve.points.begin(), curve.points.end(),
                                   [&](const ChartPoint& p) { return curve.strong && p.x == frame_.best; });
    return best == curve.points.end() || !std::isfinite(best->y) ? nullptr : &*best;
  }

  void ring(const ChartCurve& curve) {
    const ChartPoint* best = best_point(curve);
    if (!best) return;
    add(R"(<circle class="best" cx="{:.1f}" cy="{:.1f}" r="5.5" stroke="{}">)"
        R"(<title>best checkpoint: {} {}</title></circle>)",
        x(best->x), y(best->y), curve.colour, curve.name, curve.label(best->y));
  }

  /// Above the rings; below where the panel's top or another ring is near. Where the best is the last,
  /// last_values() says it.
  void best_values() {
    std::vector<std::pair<const ChartPoint*, const ChartCurve*>> labels;
    for (const ChartCurve& curve : panel_.curves) {
      const ChartPoint* best = best_point(curve);
      if (best && best != &curve.points.back()) labels.emplace_back(best, &curve);
    }
    std::sort(labels.begin(), labels.end(), [](auto& a, auto& b) { return a.first->y > b.first->y; });
    double above = panel_.top, label_above = above;  // the next ring and the next label upwards
    for (const auto& [best, curve] : labels) {
      const double ring = y(best->y);
      label_above = std::max(ring - above < 36 ? ring + 24 : ring - 13, label_above + 16);
      above = ring;
      add(R"(<text class="value" x="{:.1f}" y="{:.1f}" text-anchor="{}" style="fill:{}">{}</text>)", x(best->x),
          label_above, x(best->x) > frame_.right - 30 ? "end" : "middle", curve->colour, curve->label(best->y));
    }
  }

  /// Above the panel's right end. The signs are letters: each viewer knows the widths of its own font.
  void legend() {
    if (panel_.curves.size() < 2) return;
    std::string entries;
    for (const ChartCurve& curve : panel_.curves) {
      if (!has_values(curve)) continue;
      fmt::format_to(std::back_inserter(entries), R"({}<tspan class="sign" style="fill:{}">{}</tspan> {})",
                     entries.empty() ? "" : "&#160;&#160;&#160; ", curve.colour, curve.strong ? "●" : "—",
                     curve.name);
    }
    add(R"(<text class="legend" x="{:.1f}" y="{:.1f}" text-anchor="end">{}</text>)", frame_.right,
        panel_.top - 14, entries);
  }

  /// Right of the panel, each as near to the end of its curve as the others leave room.
  void last_values() {
    struct Label {
      double y;
      const ChartCurve* curve;
      double value;
    };
    std::vector<Label> labels;
    for (const ChartCurve& curve : panel_.curves) {
      if (curve.points.empty() || !std::isfinite(curve.points.back().y)) continue;
      const double value = curve.points.back().y;
      labels.push_back({std::clamp(y(value), panel_.top, bottom()), &curve, value});
    }
    std::sort(labels.begin(), labels.end(), [](const Label& a, const Label& b) { return a.y < b.y; });
    for (std::size_t i = 1; i < labels.size(); ++i) {
      const double overlap = 16 - (labels[i].y - labels[i - 1].y);
      if (overlap <= 0) continue;
      labels[i - 1].y -= overlap / 2;
      labels[i].y += overlap / 2;
    }
    for (const Label& label : labels) {
      add(R"(<text class="value" x="{:.1f}" y="{:.1f}" style="fill:{}">{}</text>)", frame_.right + 12,
          label.y + 4.5, label.curve->colour, label.curve->label(label.value));
    }
  }

  const ChartPanel& panel_;
  const ChartFrame& frame_;
  ChartAxis axis_;
  std::string svg_;
};

}  // namespace

std::string draw_panel(const ChartPanel& panel, const ChartFrame& frame) {
  return PanelPainter(panel, frame).paint();
}

}  // namespace glassformer
