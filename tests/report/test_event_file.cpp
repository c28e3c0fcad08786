#include <algorithm>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "report/event_file.hpp"
#include "report/log.hpp"
#include "report/screen.hpp"

using namespace glassformer;
using stand_in::read_bytes;
using stand_in::TemporaryDirectory;

namespace {

bool can_be_tested() {
  if (!can_make_event_records()) WARN("skipped: built without protozero or RHash");
  return can_make_event_records();
}

std::string from_hex(const std::string& digits) {
  std::string bytes;
  for (std::size_t i = 0; i < digits.size(); i += 2) {
    bytes += static_cast<char>(std::stoi(digits.substr(i, 2), nullptr, 16));
  }
  return bytes;
}

/// The files in the order in which TensorBoard reads them.
std::vector<std::filesystem::path> files_in(const std::filesystem::path& directory) {
  std::vector<std::filesystem::path> files;
  for (const auto& entry : std::filesystem::directory_iterator(directory)) files.push_back(entry.path());
  std::sort(files.begin(), files.end());
  return files;
}

/// Cuts a file into its records. Their checksums are compared by check_records.
std::vector<std::string> records_of(const std::filesystem::path& file) {
  const std::string bytes = read_bytes(file);
  std::vector<std::string> records;
  for (std::size_t at = 0; at < bytes.size();) {
    std::uint64_t length = 0;
    REQUIRE(at + 16 <= bytes.size());
    std::memcpy(&length, bytes.data() + at, sizeof length);
    records.push_back(bytes.substr(at, length + 16));
    REQUIRE(records.back().size() == length + 16);
    at += length + 16;
  }
  return records;
}

/// Whether the file holds these events. What time it was stands in its records: at the ninth byte of the message.
void check_records(const std::filesystem::path& file, std::vector<Event> events) {
  const std::vector<std::string> records = records_of(file);
  REQUIRE(records.size() == events.size());
  for (std::size_t i = 0; i < records.size(); ++i) {
    CAPTURE(i);
    std::memcpy(&events[i].wall_time, records[i].data() + 13, sizeof events[i].wall_time);
    CHECK(events[i].wall_time > 1.7e9);
    CHECK((i == 0 || events[i].wall_time >= events[i - 1].wall_time));
    CHECK(records[i] == event_record(events[i]));
  }
}

}  // namespace

TEST_CASE("CRC32C is that of RFC 3720, appendix B.4", "[report][tensorboard]") {
  if (!can_be_tested()) return;
  std::string rising;
  for (char byte = 0; byte < 32; ++byte) rising += byte;
  CHECK(crc32c(std::string(32, '\0')) == 0x8A9136AA);
  CHECK(crc32c(std::string(32, '\xFF')) == 0x62A8AB43);
  CHECK(crc32c(rising) == 0x46DD794E);
  CHECK(crc32c(std::string(rising.rbegin(), rising.rend())) == 0x113FDB5C);
  CHECK(crc32c("") == 0);
}

// As tensorboard 2.21 writes them: RecordWriter.write(Event(...).SerializeToString()).
TEST_CASE("an event is written as by TensorBoard itself, byte for byte", "[report][tensorboard]") {
  if (!can_be_tested()) return;
  CHECK(event_record({.wall_time = 1.5, .file_version = "brain.Event:2"}) ==
        from_hex("1800000000000000a37f4b2209000000000000f83f1a0d627261696e2e4576656e743a322a28646c"));
  CHECK(event_record({.wall_time = 2, .step = 301, .starts_session = true}) ==
        from_hex("100000000000000095fbfe1809000000000000004010ad023a0208013264e72b"));
  CHECK(event_record({.wall_time = 2.5,
                      .step = 7,
                      .scalars = {{"train/loss", 0.25F}, {"x", -3}},
                      .text = {"t", 1, {"a", "ß"}}}) ==
        from_hex("4e00000000000000c4b905ad09000000000000044010072a410a110a0a747261696e2f6c6f7373150000803e0a080a01781500"
                 "0040c00a220a017442130807120812020802120208014201614202c39f4a080a060a04746578740dcced1f"));
}

TEST_CASE("an event file holds the finite figures, and sample translations as they are", "[report][tensorboard]") {
  if (!can_be_tested()) return;
  const TemporaryDirectory run;
  TrainingFigures trained = some_figures();
  trained.perplexity = std::numeric_limits<double>::infinity();
  trained.gradient_norm = 1e300;
  trained.minutes_left = -1;
  EventFile file(run / "tensorboard", -1);
  file.append(trained);
  file.append(ValidationFigures{.update = 1250, .epoch = 3, .loss = 2, .perplexity = 8, .best = true},
              {{"a *man*", "ein Mann", "<b>"}});
  file.append(ValidationFigures{.update = 1500, .epoch = 4, .bleu = 30}, {});
  check_records(
      files_in(run / "tensorboard").at(0),
      {{.file_version = "brain.Event:2"},
       {.step = 0, .starts_session = true},
       {.step = 1200,
        .scalars = {{"train/epoch", 3}, {"train/loss", 2.1345F}, {"train/learning_rate", 1.2e-3F}, {"train/skipped", 0},
                    {"train/source_tokens_per_second", 12345}, {"train/target_tokens_per_second", 11800},
                    {"train/padding_share", 0.1F}, {"train/minutes", 2}}},
       {.step = 1250,
        .scalars = {{"validation/epoch", 3}, {"validation/loss", 2}, {"validation/perplexity", 8},
                    {"validation/token_accuracy", 0}, {"validation/minutes", 0}},
        .text = {"validation/samples", 3,
                 {"source", "reference", "translation", "    a *man*", "    ein Mann", "    <b>"}}},
       {.step = 1500,
        .scalars = {{"validation/epoch", 4}, {"validation/loss", 0}, {"validation/perplexity", 0},
                    {"validation/token_accuracy", 0}, {"validation/bleu", 30}, {"validation/minutes", 0}}}});
}

TEST_CASE("each start of a run has a file of its own, the last by name, and says from where it goes on",
          "[report][tensorboard]") {
  if (!can_be_tested()) return;
  const TemporaryDirectory run;
  { EventFile first(run.path(), -1); }
  const auto first = files_in(run.path()).at(0);
  const std::string before = read_bytes(first);
  { EventFile second(run.path(), 300); }  // in the same second
  { EventFile third(run.path(), 400); }
  const auto files = files_in(run.path());
  REQUIRE(files.size() == 3);
  CHECK(files[0] == first);
  CHECK(read_bytes(first) == before);
  check_records(files[1], {{.file_version = "brain.Event:2"}, {.step = 301, .starts_session = true}});
  check_records(files[2], {{.file_version = "brain.Event:2"}, {.step = 401, .starts_session = true}});
}

TEST_CASE("where no event file can be, there is one warning, and all goes on", "[report][tensorboard]") {
  if (!can_be_tested()) return;
  const TemporaryDirectory run;
  stand_in::write_bytes(run / "tensorboard", "a file in the way");
  Screen screen;
  {
    RunLog log(run.path(), {}, screen.target(false));
    EventFile file(run / "tensorboard", -1);
    file.append(some_figures());
    file.append(ValidationFigures{}, {});
  }
  CHECK(contains(screen.written, "warning: " + (run / "tensorboard").string() + ": "));
  CHECK(std::count(screen.written.begin(), screen.written.end(), '\n') == 1);
  CHECK(read_bytes(run / "tensorboard") == "a file in the way");
}
