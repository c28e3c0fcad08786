#include <nlohmann/json.hpp>
#include <stdexcept>

#include "catch.hpp"
#include "glassformer/config/config.hpp"
#include "glassformer/config/key.hpp"
#include "glassformer/files/user_error.hpp"
#include "glassformer/live/live_settings.hpp"

using namespace glassformer;

namespace {

std::string live_refusal(const std::string& key, const std::string& value) {
  try {
    read_settings(key + ": " + value, {});
  } catch (const std::invalid_argument& error) {
    return error.what();
  }
  return "accepted";
}

/// What a config file would say about the value of this key, without the file's name.
std::string config_refusal(const std::string& key, const std::string& value) {
  Config config;
  for (const Key& known : keys_of(config)) {
    if (known.name == key) {
      try {
        Value given;
        given.text = value;
        Place place;
        place.name = key;
        known.field.read(given, place);
        return "accepted";
      } catch (const UserError& error) {
        const std::string message = error.what();
        return message.substr(0, message.find("; did you mean"));
      }
    }
  }
  return "no such key";
}

}  // namespace

TEST_CASE("A page's settings accept and refuse what a config file does, with the same words", "[live]") {
  const nlohmann::ordered_json settings = settings_json({});
  CHECK(settings.size() > 40);
  for (const nlohmann::ordered_json& setting : settings) {
    const auto key = setting.at("key").get<std::string>();
    for (const char* value :
         {"abc", "-1", "0", "0.5", "1", "2.5", "1e3", "1000000000000", "true", "adam", "post", "none"}) {
      CAPTURE(key, value);
      CHECK(live_refusal(key, value) == config_refusal(key, value));
    }
    CHECK(live_refusal(key, setting.at("value").get<std::string>()) == "accepted");
  }
}

TEST_CASE("Settings are lines of keys and values", "[live]") {
  const LiveSettings settings = read_settings(
      "model.heads: 2\n\n training.optimizer.kind :  adamw \r\nmodel.heads: 8\nmasks.look_ahead: false", {});
  CHECK(settings.model.heads == 8);
  CHECK(settings.training.optimizer.kind == OptimizerSettings::Kind::adamw);
  CHECK_FALSE(settings.model.masks.look_ahead);
  CHECK(live_refusal("model.hedas", "1") == "model.hedas: there is no such setting in a page");
  CHECK(live_refusal("model.heads", "") == "model.heads: expected an integer from 1 to 4096, found \"\"");
}
