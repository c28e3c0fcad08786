#include <algorithm>
#include <bit>
#include <cstring>
#include <limits>
#include <type_traits>

#include "glassformer/schema/model.hpp"
#include "glassformer/schema/training.hpp"
#include "glassformer/session/checks.hpp"
#include "glassformer/session/state.hpp"
#include "glassformer/verification/digest.hpp"

// A snapshot is a header, the weights, the optimizer's two vectors (after the first update; before, they are 0), and a
// digest of all these bytes. Numbers have the byte order of the processor; on all that we know of, that is
// little-endian.

namespace glassformer {
namespace {

/// Progress with integers of a fixed size: a snapshot may move from one processor to another.
struct StoredProgress {
  std::int64_t update = 0, epoch = 0, batch = 0, skipped = 0, skipped_in_row = 0;
};

StoredProgress stored(const Progress& p) { return {p.update, p.epoch, p.batch, p.skipped, p.skipped_in_row}; }

Progress loaded(const StoredProgress& p) {
  const auto index = [](std::int64_t number) { return static_cast<Index>(number); };
  return {index(p.update), index(p.epoch), index(p.batch), index(p.skipped), index(p.skipped_in_row)};
}

struct Header {
  std::uint64_t format = 0x31504153'524f4647;  // "GFORSAP1" read as a number: another byte order gives another one
  std::uint64_t settings = 0;                  // a digest: which settings this belongs to
  std::uint64_t text = 0;                      // and which sentence pairs; 0: no pairs
  StoredProgress progress;
  std::int64_t parameters = 0;

  bool has_training_state() const { return progress.update > 0; }
};
static_assert(std::is_trivially_copyable_v<Header>);

std::uint64_t bits_of(double number) { return std::bit_cast<std::uint64_t>(number); }
std::uint64_t bits_of(auto number) { return static_cast<std::uint64_t>(number); }

/// A digest of all settings that determine how training continues.
std::uint64_t digest_of(SessionSettings settings) {
  auto& [model, training, source_vocabulary, target_vocabulary, special] = settings;
  Digest digest;
  const auto add = [&](auto... numbers) { (digest.add(static_cast<std::uint64_t>(numbers)), ...); };
  const auto add_setting = [&](const char*, const std::string&, auto value, const auto&...) {
    digest.add(bits_of(value));
  };
  add(source_vocabulary, target_vocabulary);
  for (const SpecialIds& ids : {special.source, special.target}) {
    add(ids.pad, ids.bos, ids.eos, ids.unk);
  }
  for_each_setting(model, add_setting);
  for_each_setting(model.masks, add_setting);
  for_each_setting(training, add_setting);
  for_each_setting(training.optimizer, add_setting);
  for_each_setting(training.schedule, add_setting);
  return digest.value();
}

std::uint64_t digest_of(const SessionText& text) {
  if (text.size() == 0) {
    return 0;
  }
  Digest digest;
  for (const std::int64_t offset : text.view().offsets) {
    digest.add(static_cast<std::uint64_t>(offset));
  }
  for (const Id id : text.view().ids) {
    digest.add(static_cast<std::uint64_t>(id));
  }
  return digest.value();
}

void append(std::vector<std::byte>& bytes, std::span<const std::byte> more) {
  bytes.insert(bytes.end(), more.begin(), more.end());
}

/// Copies the next bytes to `to`, and moves `bytes` past them.
void take(std::span<const std::byte>& bytes, std::span<std::byte> to) {
  std::memcpy(to.data(), bytes.data(), to.size());
  bytes = bytes.subspan(to.size());
}

/// The header of a complete, undamaged snapshot.
Header read_header(std::span<const std::byte> snapshot) {
  Header header;
  std::uint64_t digest = 0;
  const std::size_t least = sizeof header + sizeof digest;
  if (snapshot.size() >= least) {
    std::memcpy(&header, snapshot.data(), sizeof header);
  }
  if (snapshot.size() < least || header.format != Header().format) {
    refuse("snapshot: expected the bytes of a snapshot, found something else");
  }
  const std::span<const std::byte> contents = snapshot.first(snapshot.size() - sizeof digest);
  std::memcpy(&digest, snapshot.data() + contents.size(), sizeof digest);
  if (digest != Digest().add(contents).value()) {
    refuse("snapshot: it is damaged or incomplete (its digest is wrong)");
  }
  return header;
}

/// Whether training can reach this state and go on. (Only the text tells how many batches an epoch has.)
bool is_possible(const StoredProgress& progress) {
  const auto& [update, epoch, batch, skipped, skipped_in_row] = progress;
  return update < std::numeric_limits<std::uint32_t>::max() &&  // dropout counts updates in 32 bits
         0 <= epoch && epoch <= update && 0 <= batch && 0 <= skipped_in_row && skipped_in_row <= skipped &&
         skipped <= update;
}

/// Refuses a header that contradicts itself or the size of its snapshot, or that belongs to another session.
void check_header(const Header& header, std::size_t size, const SessionSettings& settings, const SessionText& text,
                  Index parameters) {
  if (header.settings != digest_of(settings) || header.parameters != parameters) {
    refuse("snapshot: it belongs to a session with other settings");
  }
  const auto vectors = static_cast<std::size_t>(header.has_training_state() ? 3 : 1);
  const std::size_t expected =
      sizeof header + vectors * static_cast<std::size_t>(parameters) * sizeof(float) + sizeof(std::uint64_t);
  if (size != expected) {
    refuse("snapshot: expected " + std::to_string(expected) + " bytes, found " + std::to_string(size));
  }
  if (header.has_training_state() && (!is_possible(header.progress) || header.text == 0)) {
    refuse("snapshot: its progress is impossible");
  }
  if (text.size() > 0 && header.text != 0 && header.text != digest_of(text)) {
    refuse("snapshot: it belongs to a session with other sentence pairs");
  }
}

}  // namespace

std::vector<std::byte> Session::snapshot() const {
  State& state = *state_;
  Header header;
  header.settings = digest_of(state.settings);
  header.text = digest_of(state.text);
  header.progress = stored(state.progress());
  header.parameters = state.model.weights.size();
  std::vector<std::byte> bytes;
  append(bytes, std::as_bytes(std::span(&header, 1)));
  append(bytes, std::as_bytes(std::span<float>(state.model.weights.values())));
  if (header.has_training_state()) {
    append(bytes, std::as_bytes(state.ensure_trainer().optimizer().m()));
    append(bytes, std::as_bytes(state.ensure_trainer().optimizer().v()));
  }
  const std::uint64_t digest = Digest().add(std::span<const std::byte>(bytes)).value();
  append(bytes, std::as_bytes(std::span(&digest, 1)));
  return bytes;
}

void Session::restore(std::span<const std::byte> snapshot) {
  State& state = *state_;
  const Header header = read_header(snapshot);
  check_header(header, snapshot.size(), state.settings, state.text, state.model.weights.size());
  const bool continues = header.has_training_state() && state.text.size() > 0;
  if (continues && !state.ensure_trainer().continue_from(loaded(header.progress))) {
    refuse("snapshot: its progress is impossible: its epoch has no batch " + std::to_string(header.progress.batch));
  }
  // Up to here, nothing has changed if the snapshot is refused. From here on, nothing can fail.
  std::span<const std::byte> rest = snapshot.subspan(sizeof header);
  take(rest, std::as_writable_bytes(std::span<float>(state.model.weights.values())));
  if (continues) {
    take(rest, std::as_writable_bytes(state.trainer->optimizer().m()));
    take(rest, std::as_writable_bytes(state.trainer->optimizer().v()));
  } else if (state.trainer) {
    std::ranges::fill(state.trainer->optimizer().m(), 0.0F);
    std::ranges::fill(state.trainer->optimizer().v(), 0.0F);
    state.trainer->continue_from(Progress{});
  }
}

void Session::continue_from(const Progress& progress, std::span<const float> weights, std::span<const float> m,
                            std::span<const float> v) {
  State& state = *state_;
  require_pairs(state);
  for (const std::span<const float> numbers : {weights, m, v}) {
    if (std::ssize(numbers) != state.model.weights.size()) {
      refuse("progress: expected " + std::to_string(state.model.weights.size()) + " numbers, found " +
             std::to_string(numbers.size()));
    }
  }
  if (!is_possible(stored(progress))) {
    refuse("progress: it is impossible");
  }
  if (!state.ensure_trainer().continue_from(progress)) {
    refuse("progress: its epoch has no batch " + std::to_string(progress.batch));
  }
  std::ranges::copy(weights, state.model.weights.values().begin());
  std::ranges::copy(m, state.trainer->optimizer().m().begin());
  std::ranges::copy(v, state.trainer->optimizer().v().begin());
}

}  // namespace glassformer
