#include <cstddef>
#include <string>

#include "catch.hpp"
#include "glassformer/schema/decoding.hpp"
#include "glassformer/schema/model.hpp"
#include "glassformer/schema/training.hpp"
#include "glassformer/settings/evaluation.hpp"
#include "glassformer/settings/run.hpp"
#include "glassformer/settings/text.hpp"

using namespace glassformer;

namespace {

/// Can initialise a field of any type. It is never converted: it only serves to count fields.
struct Anything {
  template <class Field>
  operator Field() const;
};

/// The number of fields of a struct: how many initialisers it accepts.
template <class Struct, class... Initialisers>
constexpr std::size_t field_count() {
  if constexpr (requires { Struct{Initialisers{}..., Anything{}}; }) {
    return field_count<Struct, Initialisers..., Anything>();
  } else {
    return sizeof...(Initialisers);
  }
}

/// The number of settings in the list of a struct.
template <class Struct>
std::size_t list_length() {
  Struct settings;
  std::size_t length = 0;
  for_each_setting(settings, [&](const char*, const std::string&, const auto&, const auto&...) { ++length; });
  return length;
}

}  // namespace

TEST_CASE("every field of a struct of settings is in its list", "[config]") {
  CHECK(list_length<MaskSettings>() == field_count<MaskSettings>());
  CHECK(list_length<TransformerSettings>() + 1 == field_count<TransformerSettings>());  // except masks, a section
  CHECK(list_length<ScheduleSettings>() == field_count<ScheduleSettings>());
  CHECK(list_length<OptimizerSettings>() == field_count<OptimizerSettings>());
  CHECK(list_length<TrainingSettings>() + 2 == field_count<TrainingSettings>());  // except optimizer and schedule
  CHECK(list_length<DecodingSettings>() + 1 == field_count<DecodingSettings>());  // except n_best, not a key

  CHECK(list_length<DataSettings>() == field_count<DataSettings>());
  CHECK(list_length<TokenizerSettings>() == field_count<TokenizerSettings>());
  CHECK(list_length<RunSettings>() + 2 == field_count<RunSettings>());  // except validation and checkpoints
  CHECK(list_length<ValidationSettings>() == field_count<ValidationSettings>());
  CHECK(list_length<CheckpointSettings>() == field_count<CheckpointSettings>());
  CHECK(list_length<EvaluationSettings>() == field_count<EvaluationSettings>());
}
