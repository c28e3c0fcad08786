#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <vector>

#include "glassformer/layers/recorder.hpp"

namespace glassformer {

/// The contents of one matrix at one moment.
struct RecordedTensor {
  std::string name;  ///< as in the equation: "scores"
  std::string part;  ///< the part of the model that computed it, or read it first: "encoder.layers.0.self_attn"
  std::string axes;  ///< what rows and columns are, in the layer's letters: "B*H*T, S"; "" if not given
  Matrix<double> values;
  bool computed = false;  ///< false for given tensors: a parameter, ids, a mask
};

enum class Direction { forward, backward };

/// One computation of an equation.
struct RecordedStep {
  /// The contents of a pair of braces.
  struct Input {
    std::string name;
    std::size_t tensor;  ///< its index in tensors()
  };
  Direction direction = Direction::forward;
  std::string part;
  std::string formula;        ///< the right side: "{products} / sqrt(d_head)"
  bool adds = false;          ///< "+=": the old value is the last input, if it was recorded
  std::size_t output = 0;     ///< its index in tensors()
  std::vector<Input> inputs;  ///< in the order of the braces
  std::string file;           ///< of the line that recorded it, as the compiler gives it
  int line = 0;
  std::string function;  ///< "forward", "backward", ...
};

/// Everything recorded in one pass, in the order of computation. An input is recognised by its location in memory: it
/// is the tensor last recorded there, if the numbers are unchanged. Otherwise it is a new tensor that no step computed.
class Recording final : public Recorder {
 public:
  const std::vector<RecordedTensor>& tensors() const { return tensors_; }
  const std::vector<RecordedStep>& steps() const { return steps_; }

  /// An in-place step is recorded after it has overwritten its input, so an input at the same location as the output is
  /// taken to be the tensor last recorded there.
  void add(std::string part, const EquationSource& source, Snapshot output, std::vector<Snapshot> inputs) override;
  void begin_backward() override { direction_ = Direction::backward; }

 private:
  using Place = std::tuple<const void*, Index, Index>;  // address, shape: a matrix and its first row share an address

  static Place place_of(const Snapshot& matrix) { return {matrix.data, matrix.values.rows(), matrix.values.cols()}; }
  std::size_t input(const std::string& part, std::string_view text, const Snapshot& matrix, bool overwritten);

  std::vector<RecordedTensor> tensors_;
  std::vector<RecordedStep> steps_;
  Direction direction_ = Direction::forward;
  std::map<Place, std::size_t> latest_;  // the tensor that was last recorded at each location
};

}  // namespace glassformer
