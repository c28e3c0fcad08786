#include "text/parallel_reader.hpp"

namespace glassformer {

bool ParallelReader::next(std::string& source, std::string& target) {
  const bool has_source = source_.next(source);
  const bool has_target = target_.next(target);
  if (has_source != has_target) throw unequal();
  if (!has_source) return false;
  lines_.mix(source);
  lines_.mix(target);
  return true;
}

Index ParallelReader::fingerprint() const {
  Fingerprint text;
  text.mix(lines_.value());
  return static_cast<Index>(text.value() >> 2) + 1;
}

UserError ParallelReader::unequal() {
  // One file has ended. Reading the other to its end gives the message both counts.
  std::string line;
  while (source_.next(line)) {
  }
  while (target_.next(line)) {
  }
  return UserError(target_file_.string() + ": expected " + std::to_string(source_.lines_read()) +
                   " lines, as many as " + source_file_.string() + " has, found " +
                   std::to_string(target_.lines_read()) + "; both files must hold one sentence a line");
}

}  // namespace glassformer
