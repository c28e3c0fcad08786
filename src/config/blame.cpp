#include "glassformer/config/blame.hpp"

#include "glassformer/files/user_error.hpp"

namespace glassformer {

std::string Blame::at(const std::vector<std::string>& keys) const {
  const Place* nearest = nullptr;
  for (const std::string& key : keys) {
    const auto found = places.find(key);
    if (found != places.end() && (nearest == nullptr || found->second.distance < nearest->distance)) {
      nearest = &found->second;
    }
  }
  return (nearest != nullptr ? nearest->name : file.string() + ": " + keys.front()) + ": ";
}

void Blame::refuse(const std::vector<std::string>& keys, const std::string& why) const {
  throw UserError(at(keys) + why);
}

}  // namespace glassformer
