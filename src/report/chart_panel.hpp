#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "report/chart.hpp"

namespace glassformer {

/// A line of a chart.
struct ChartCurve {
  std::string name, colour;
  ChartSeries points;
  bool strong = false;                       ///< thick, and with dots as long as there are few points
  std::function<std::string(double)> label;  ///< a value as text
};

/// One coordinate system of a picture. Lengths are pixels.
struct ChartPanel {
  std::string title;
  double top = 0, height = 100;
  std::vector<ChartCurve> curves;
  ChartAxisStyle y_axis;
  std::string without_points;  ///< said in place of curves without points
};

/// What stacked panels share.
struct ChartFrame {
  double left = 0, right = 100;
  ChartAxis updates;           ///< the x axis
  std::optional<double> best;  ///< the update of the best checkpoint, where each strong curve gets a ring
};

/// SVG elements of the panel: grid, labels of the y axis, curves, their last values and a legend.
std::string draw_panel(const ChartPanel& panel, const ChartFrame& frame);

}  // namespace glassformer
