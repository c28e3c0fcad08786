#include "report/chart.hpp"

#include <spdlog/fmt/fmt.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "report/figure_text.hpp"

namespace glassformer {

namespace {

/// The round number (1, 2 or 5 times a power of ten) next above `size`.
double round_step(double size) {
  const double power = std::pow(10, std::floor(std::log10(size)));
  for (const double digit : {1.0, 2.0, 5.0}) {
    if (size <= digit * power * (1 + 1e-9)) return digit * power;
  }
  return 10 * power;
}

/// The highest value to show. A peak is more than three times both what 98 of 100 values reach and the first
/// value, which at the start of a training is high without being a mistake.
double below_peaks(std::vector<double> values) {
  const double first = values.front();
  std::sort(values.begin(), values.end());
  const double common = std::max(first, values[(values.size() - 1) * 98 / 100]);
  return common > 0 && values.back() > 3 * common ? 1.2 * common : values.back();
}

}  // namespace

std::vector<double> round_ticks(double low, double high, int count) {
  const double step = round_step((high - low) / count);
  const double first = std::ceil(low / step - 1e-6), last = std::floor(high / step + 1e-6);
  std::vector<double> ticks;
  for (int i = 0; first + i <= last; ++i) ticks.push_back((first + i) * step + 0.0);  // + 0.0: no minus before zero
  return ticks;
}

ChartAxis fitting_axis(const std::vector<const ChartSeries*>& series, const ChartAxisStyle& style) {
  std::vector<double> values;
  for (const ChartSeries* one : series) {
    for (const ChartPoint& point : *one) {
      if (std::abs(point.y) < 1e30) values.push_back(point.y);
    }
  }
  if (values.empty()) return {};
  double low = *std::min_element(values.begin(), values.end());
  double high = style.cut_peaks ? below_peaks(values) : *std::max_element(values.begin(), values.end());
  if (style.from_zero) {
    low = std::min(low, 0.0);
    high = std::max(high, style.reach);
  }
  if (high - low <= 1e-9 * std::max(std::abs(high), std::abs(low))) {  // one value: give it room on both sides
    const double room = low == 0 ? 1 : std::abs(low) / 2;
    high = low + room;
    if (!style.from_zero) low -= room;
  }
  const double step = round_step((high - low) / style.ticks);
  low = step * std::floor(low / step + 1e-6);
  high = step * std::ceil(high / step - 1e-6);
  return {low, high, round_ticks(low, high, style.ticks)};
}

std::string tick_label(const ChartAxis& axis, double tick) {
  if (tick == 0 || axis.ticks.size() < 2) return fmt::format("{:.4g}", tick);
  const double step = axis.ticks[1] - axis.ticks[0];
  const int places = static_cast<int>(std::ceil(-std::log10(step) - 1e-6));
  if (places > 5 || std::abs(tick) >= 1e9) return fmt::format("{:.2g}", tick);
  return places > 0 ? fmt::format("{:.{}f}", tick, places) : with_commas(std::llround(tick));
}

ChartSeries thin_out(const ChartSeries& series, const ChartAxis& x_axis, int columns) {
  if (series.size() <= 2 * static_cast<std::size_t>(columns)) return series;
  const auto column_of = [&](const ChartPoint& point) { return std::floor(x_axis.share(point.x) * columns); };
  ChartSeries thin;
  for (auto begin = series.begin(); begin != series.end();) {
    const auto end = std::find_if(
        begin, series.end(), [&](const ChartPoint& point) { return column_of(point) != column_of(*begin); });
    auto lowest = end, highest = end;
    for (auto point = begin; point != end; ++point) {
      if (!std::isfinite(point->y)) continue;
      if (lowest == end || point->y < lowest->y) lowest = point;
      if (highest == end || point->y > highest->y) highest = point;
    }
    if (lowest == end) {
      thin.push_back(*begin);  // nothing but gaps: one gap
    } else {
      thin.push_back(*std::min(lowest, highest));
      if (lowest != highest) thin.push_back(*std::max(lowest, highest));
    }
    begin = end;
  }
  return thin;
}

std::string xml_text(std::string_view text) {
  // A JSON library's care for UTF-8, there and back: broken bytes become U+FFFD.
  using Json = nlohmann::json;
  const std::string valid =
      Json::parse(Json(text).dump(-1, ' ', false, Json::error_handler_t::replace)).get<std::string>();
  std::string escaped;
  for (const char c : valid) {
    switch (c) {
      case '&':
        escaped += "&amp;";
        break;
      case '<':
        escaped += "&lt;";
        break;
      case '>':
        escaped += "&gt;";
        break;
      case '"':
        escaped += "&quot;";
        break;
      default:
        escaped += static_cast<unsigned char>(c) < 0x20 ? ' ' : c;
    }
  }
  return escaped;
}

}  // namespace glassformer
