#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

#include "catch.hpp"
#include "report/chart.hpp"

using namespace glassformer;

namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

}  // namespace

TEST_CASE("Thinning out keeps the highest and the lowest value, the order and a short series whole",
          "[report][chart]") {
  ChartSeries series;
  for (int i = 0; i < 10000; ++i) series.push_back({static_cast<double>(i), std::sin(i * 0.01)});
  series[4711].y = 5;
  series[815].y = -5;
  for (int i = 6000; i < 7000; ++i) series[static_cast<std::size_t>(i)].y = kNaN;
  const ChartAxis axis{0, 9999, {}};
  const ChartSeries thin = thin_out(series, axis, 100);
  CHECK(thin.size() <= 202);
  const auto has = [&](double y) {
    return std::any_of(thin.begin(), thin.end(), [y](const ChartPoint& p) { return p.y == y; });
  };
  CHECK(has(5));
  CHECK(has(-5));
  CHECK(std::is_sorted(thin.begin(), thin.end(), [](auto& a, auto& b) { return a.x < b.x; }));
  CHECK(std::any_of(thin.begin(), thin.end(), [](const ChartPoint& p) { return std::isnan(p.y); }));
  CHECK(thin_out(series, axis, 5000).size() == series.size());
}

TEST_CASE("Axes have round ticks that hold all values", "[report][chart]") {
  const auto axis_of = [](double low, double high, ChartAxisStyle style = {}) {
    const ChartSeries series{{0, low}, {1, high}};
    return fitting_axis({&series}, style);
  };
  CHECK(axis_of(1.2, 5.9).ticks == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(axis_of(1, 6).ticks == std::vector<double>{1, 2, 3, 4, 5, 6});
  CHECK(axis_of(20, 45, {.ticks = 5, .from_zero = true}).ticks == std::vector<double>{0, 10, 20, 30, 40, 50});
  CHECK(axis_of(3, 3).low < 3);
  CHECK(axis_of(3, 3).high > 3);
  CHECK(axis_of(0, 0, {.ticks = 2, .from_zero = true}).ticks == std::vector<double>{0, 0.5, 1});
  CHECK(axis_of(kNaN, kNaN).ticks == std::vector<double>{0, 1});
  CHECK(tick_label(axis_of(0, 0.002), 0.0005) == "0.0005");
  CHECK(tick_label(axis_of(0, 2e-6), 5e-7) == "5e-07");
  CHECK(tick_label(axis_of(0, 50000), 20000) == "20,000");
  CHECK(tick_label(axis_of(-1, 1), 0) == "0");
}
