#include "glassformer/page/backward_steps.hpp"

#include <map>
#include <utility>

namespace glassformer {

std::vector<std::optional<std::size_t>> differentiated_steps(const Recording& recording) {
  std::map<std::pair<std::string, std::string>, std::size_t> readers;  // (part, input) -> the last step that reads it
  std::map<std::size_t, std::size_t> producers;                        // tensor -> the step that computed it
  std::vector<std::optional<std::size_t>> differentiated(recording.steps().size());
  for (std::size_t i = 0; i < recording.steps().size(); ++i) {
    const RecordedStep& step = recording.steps()[i];
    producers[step.output] = i;
    if (step.direction == Direction::forward) {
      for (const RecordedStep::Input& input : step.inputs) {
        readers[{step.part, input.name}] = i;
      }
      continue;
    }
    const std::string& name = recording.tensors()[step.output].name;
    if (!name.starts_with("d_")) {
      continue;
    }
    const auto reader = readers.find({step.part, name.substr(2)});
    if (reader != readers.end()) {
      differentiated[i] = reader->second;
    } else if (const auto summand = producers.find(step.inputs.front().tensor);
               step.adds && summand != producers.end()) {
      differentiated[i] = differentiated[summand->second];  // a sum over parts: the same step as its summand
    }
  }
  return differentiated;
}

}  // namespace glassformer
