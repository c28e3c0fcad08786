#include "text/corpus_files.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <nlohmann/json.hpp>
#include <utility>

#include "files/durable_files.hpp"
#include "files/lines.hpp"

namespace glassformer {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

constexpr const char *kIds = "ids", *kOffsets = "offsets", *kLines = "lines", *kAbout = "corpus.json";

template <class Number>
void write_numbers(Descriptor& file, std::span<const Number> numbers) {
  file.write(std::as_bytes(numbers));
}

/// The numbers in a file, which stay mapped as long as `memory` keeps them.
template <class Number>
std::span<const Number> map_numbers(const Descriptor& file, MappedArrays& arrays) {
  struct stat status {};
  if (::fstat(file.number(), &status) != 0) throw_disk_error("cannot be read", file.path(), last_error());
  const auto bytes = static_cast<std::size_t>(status.st_size);
  if (bytes == 0) return {};
  void* const mapped = ::mmap(nullptr, bytes, PROT_READ, MAP_SHARED, file.number(), 0);
  if (mapped == MAP_FAILED) throw_disk_error("cannot be mapped into memory", file.path(), last_error());
  arrays.memory.emplace_back(mapped, [bytes](void* memory) { ::munmap(memory, bytes); });
  return {static_cast<const Number*>(mapped), bytes / sizeof(Number)};
}

MappedArrays map_files(const Descriptor& ids, const Descriptor& offsets, const Descriptor& lines) {
  MappedArrays arrays;
  arrays.ids = map_numbers<Id>(ids, arrays);
  arrays.offsets = map_numbers<std::int64_t>(offsets, arrays);
  arrays.lines = map_numbers<Index>(lines, arrays);
  return arrays;
}

/// The files of the arrays, while they grow.
class CorpusFiles {
 public:
  explicit CorpusFiles(const fs::path& directory)
      : ids_(directory / kIds, kNew), offsets_(directory / kOffsets, kNew), lines_(directory / kLines, kNew) {
    const std::int64_t begin = 0;
    write_numbers(offsets_, std::span(&begin, 1));
  }

  void append(const CorpusArrays& piece) {
    std::vector<std::int64_t> ends(piece.offsets.begin() + 1, piece.offsets.end());
    for (std::int64_t& end : ends) end += tokens_;
    write_numbers(ids_, piece.ids);
    write_numbers(offsets_, std::span<const std::int64_t>(ends));
    write_numbers(lines_, piece.lines);
    tokens_ += std::ssize(piece.ids);
  }
  MappedArrays map() const { return map_files(ids_, offsets_, lines_); }

 private:
  static constexpr int kNew = O_RDWR | O_CREAT | O_TRUNC;
  Descriptor ids_, offsets_, lines_;
  std::int64_t tokens_ = 0;
};

/// Once the arrays are written and checked: sentences will be read in random order, so what follows one of them on the
/// disk need not be read with it; and the pages seen so far need not count as this process's memory.
void prepare_for_training(const CorpusArrays& arrays) {
  void* const ids = const_cast<Id*>(arrays.ids.data());  // NOLINT(*-const-cast)
  ::madvise(ids, arrays.ids.size_bytes(), MADV_RANDOM);
  ::madvise(ids, arrays.ids.size_bytes(), MADV_DONTNEED);
}

json describe(const Corpus& corpus, const std::string& key) {
  const LineCounts& counts = corpus.line_counts();
  return {{"key", key},
          {"fingerprint", fingerprint(corpus)},
          {"lines", counts.read},
          {"empty", counts.empty},
          {"too_long", counts.too_long}};
}

/// A directory for temporary files. Whoever has them open keeps them when its name goes.
class TemporaryDirectory {
 public:
  TemporaryDirectory() : path_((fs::temp_directory_path() / "glassformer-XXXXXX").string()) {
    if (::mkdtemp(path_.data()) == nullptr) throw_disk_error("a directory cannot be made", path_, last_error());
  }
  ~TemporaryDirectory() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  TemporaryDirectory(const TemporaryDirectory&) = delete;
  TemporaryDirectory& operator=(const TemporaryDirectory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void write_all(CorpusFiles& files, Corpus& corpus, const std::function<bool()>& read_more) {
  for (bool more = true; more || corpus.size() > 0;) {
    files.append(corpus.arrays());
    corpus.clear_pairs();
    if (more) more = read_more();
  }
  corpus.map(files.map(), corpus.line_counts());
}

}  // namespace

void move_to_files(Corpus& corpus, const fs::path& directory, const std::function<std::string()>& key,
                   const std::function<bool()>& read_more) {
  if (directory.empty()) {
    CorpusFiles files((TemporaryDirectory().path()));  // the names go at once
    write_all(files, corpus, read_more);
  } else {
    write_directory_durably(directory, [&](const fs::path& unfinished) {
      CorpusFiles files(unfinished);
      write_all(files, corpus, read_more);
      write_file_durably(unfinished / kAbout, describe(corpus, key()).dump(2) + "\n");
    });
  }
  prepare_for_training(corpus.arrays());
}

bool open_corpus(Corpus& corpus, const fs::path& directory, const std::string& key) try {
  const json about = json::parse(read_bytes(directory / kAbout));
  if (about.at("key") != key) return false;
  Corpus stored = corpus;
  MappedArrays arrays =
      map_files({directory / kIds, O_RDONLY}, {directory / kOffsets, O_RDONLY}, {directory / kLines, O_RDONLY});
  const bool is_whole =
      std::ssize(arrays.offsets) == 2 * std::ssize(arrays.lines) + 1 && arrays.offsets.back() == std::ssize(arrays.ids);
  stored.map(std::move(arrays), {about.at("lines"), about.at("empty"), about.at("too_long")});
  if (!is_whole || fingerprint(stored) != about.at("fingerprint")) return false;
  corpus = std::move(stored);
  prepare_for_training(corpus.arrays());
  return true;
} catch (const json::exception&) {
  return false;
} catch (const std::runtime_error&) {  // a file that is missing, or cannot be read
  return false;
}

}  // namespace glassformer
