#pragma once

#include <map>
#include <string>
#include <string_view>
#include <tuple>
#include <type_traits>
#include <vector>

#include "numerics/matrix.hpp"

/// The glass. A recorder can be handed to forward and backward; where a layer has computed something worth showing, it
/// says so in one line, which holds the equation, the matrix, and what the equation was given:
///
///   recorder.record("scores [B*H*T, S] = {products} / sqrt(d_head)", scores, products);
///
/// Without a recording, which is how training goes, that line costs a test of a null pointer.
namespace glassformer {

/// One matrix, as it was at one moment.
struct RecordedTensor {
  std::string name;        ///< as in the equation: "scores"
  std::string part;        ///< of the model that computed it, or read it first: "encoder.layers.0.self_attn"
  std::string axes;        ///< what rows and columns are, in the layer's own letters: "B*H*T, S"; "": not said
  Matrix<double> values;
  bool computed = false;   ///< false: it was given: a parameter, ids, a mask
};

/// One equation, computed once.
struct RecordedStep {
  /// What stands in a pair of braces.
  struct Input {
    std::string name;
    std::size_t tensor;  ///< its number among the tensors
  };
  std::string part;
  std::string formula;        ///< the right side: "{products} / sqrt(d_head)"
  bool adds = false;          ///< "+=": what was there before is the last input, if anything was
  std::size_t output = 0;     ///< its number among the tensors
  std::vector<Input> inputs;  ///< in the order of the braces
  std::string file;           ///< of the line that recorded it, as the compiler names it
  int line = 0;
  std::string function;       ///< "forward", "backward", ...
};

/// What an equation says, checked when it is compiled: "name [rows, columns] = formula with {inputs}". Behind an
/// input's name, its axes may stand, for those that no step computes: "{weight [out, in]}". It knows its line.
template <std::size_t kInputs>
struct Equation {
  std::string_view text;
  const char* file;
  int line;
  const char* function;

  // (std::source_location would say the same; Clang 14 does not have it yet.)
  consteval Equation(const char* equation, const char* file_name = __builtin_FILE(), int line_number = __builtin_LINE(),
                     const char* function_name = __builtin_FUNCTION())
      : text(equation), file(file_name), line(line_number), function(function_name) {
    std::size_t inputs = 0;
    for (const char letter : text) inputs += letter == '{';
    if (inputs != kInputs) throw "an equation has a pair of braces for each input";
    if (text.find(" [") >= text.find("] = ") && text.find(" [") >= text.find("] += ")) {
      throw "an equation is \"name [rows, columns] = formula\" or \"... += formula\"";
    }
  }
};

/// All that was recorded of one pass, in the order in which it was computed. An input is recognised by its place in
/// memory: what was last recorded there, if the numbers are still the same, and else something new that was given.
class Recording {
 public:
  const std::vector<RecordedTensor>& tensors() const { return tensors_; }
  const std::vector<RecordedStep>& steps() const { return steps_; }

  /// A matrix at a place in memory.
  struct Seen {
    const void* data;
    Matrix<double> values;
  };
  void add(std::string part, std::string_view equation, Seen output, std::vector<Seen> inputs, const char* file,
           int line, const char* function);
  /// The matrix at `to` is the one at `from`, copied: no step worth showing.
  void add_copy(const Seen& from, const Seen& to);

 private:
  using Place = std::tuple<const void*, Index, Index>;  // and the shape: a matrix begins where its first column does

  static Place place_of(const Seen& seen) { return {seen.data, seen.values.rows(), seen.values.cols()}; }
  std::size_t input(const std::string& part, std::string_view braces, const Seen& seen, bool overwritten);

  std::vector<RecordedTensor> tensors_;
  std::vector<RecordedStep> steps_;
  std::map<Place, std::size_t> latest_;  // the tensor that was last recorded at a place
};

/// Where in the model something is computed, and the recording to which it goes, if any: four words. A part's recorder
/// points to that of the part around it, which lives as long. A part that has parameters is called as they are in a
/// checkpoint, and the others after what they do: "loss".
class Recorder {
 public:
  Recorder() = default;  ///< records nothing
  explicit Recorder(Recording& recording) : recording_(&recording) {}

  /// The recorder of a part of this part: at("encoder"), at("layers", 0).
  Recorder at(const char* part, Index number = kNone) const& {
    Recorder inner;
    if (recording_ == nullptr) return inner;
    inner.recording_ = recording_, inner.outer_ = this, inner.part_ = part, inner.number_ = number;
    return inner;
  }
  Recorder at(const char* part, Index number = kNone) const&& = delete;  // it would point to what is gone

  /// In-place steps are recorded after they are done: where an input lies where the output does, it is what was there.
  template <class Output, class... Inputs>
  void record(std::type_identity_t<Equation<sizeof...(Inputs)>> equation, const Output& output,
              const Inputs&... inputs) const {
    if (recording_ == nullptr) return;
    recording_->add(path(), equation.text, seen(output), {seen(inputs)...}, equation.file, equation.line,
                    equation.function);
  }

  /// `to` holds a copy of what `from` holds.
  template <class From, class To>
  void copied(const From& from, const To& to) const {
    if (recording_ != nullptr) recording_->add_copy(seen(from), seen(to));
  }

 private:
  static constexpr Index kNone = -1;

  template <class Numbers>
  static Recording::Seen seen(const Numbers& numbers) {
    return {numbers.data(), numbers.template cast<double>()};
  }
  std::string path() const;  // "encoder.layers.0.self_attn"

  Recording* recording_ = nullptr;
  const Recorder* outer_ = nullptr;
  const char* part_ = "";
  Index number_ = kNone;
};

}  // namespace glassformer
