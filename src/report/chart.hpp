#pragma once

#include <string>
#include <string_view>
#include <vector>

/// The arithmetic of a chart: which numbers stand beside an axis, and which points of a long series are drawn.
namespace glassformer {

/// A point, in the units of the axes.
struct ChartPoint {
  double x = 0, y = 0;
};
using ChartSeries = std::vector<ChartPoint>;  ///< by ascending x; a y that is not finite is a gap

/// Part of the number line with round numbers to label.
struct ChartAxis {
  double low = 0, high = 1;
  std::vector<double> ticks{0, 1};

  double share(double value) const { return (value - low) / (high - low); }  ///< 0 at low, 1 at high
};

/// About `count` ticks at multiples of 1, 2 or 5 times a power of ten, all between low and high.
std::vector<double> round_ticks(double low, double high, int count);

/// What an axis should be like.
struct ChartAxisStyle {
  int ticks = 5;           ///< about so many
  bool from_zero = false;  ///< 0 is part of the axis
  double reach = 0;        ///< with from_zero: so is this, lest a little look like much
  bool cut_peaks = false;  ///< what lies far above all else (a run that diverged for a moment) stays outside
};

/// An axis that holds all finite y and ends on ticks.
ChartAxis fitting_axis(const std::vector<const ChartSeries*>& series, const ChartAxisStyle& style);

/// A tick of this axis: "12,000", "0.25", "5e-06".
std::string tick_label(const ChartAxis& axis, double tick);

/// At most about two points for each of `columns` equal parts of the x axis: the lowest and the highest of the
/// part, so that no peak is lost. A series that is short enough stays as it is.
ChartSeries thin_out(const ChartSeries& series, const ChartAxis& x_axis, int columns);

/// Characters that XML keeps for itself are escaped, those which it forbids are replaced.
std::string xml_text(std::string_view text);

}  // namespace glassformer
