#include <fcntl.h>
#include <sys/file.h>

#include "catch.hpp"
#include "checkpoint/stand_ins.hpp"
#include "glassformer/checkpoint/checkpoint.hpp"
#include "glassformer/checkpoint/checksums.hpp"
#include "glassformer/checkpoint/file_names.hpp"
#include "glassformer/checkpoint/run_directory.hpp"
#include "glassformer/checkpoint/run_names.hpp"
#include "glassformer/files/descriptor.hpp"
#include "glassformer/report/curves.hpp"

using namespace glassformer;
using namespace glassformer::stand_in;

namespace {

const std::string kConfig = std::string(kConfigBeginning) + ".\nmodel: {}\n";

void write_small_config(const fs::path& directory) { write_bytes(directory / kConfigFile, kConfig); }

void save_small_checkpoint(const fs::path& directory) {
  SmallArena arena;
  fill(arena);
  save_checkpoint(directory, description(), arena);
}

RunDirectory run_with(const fs::path& path, const std::vector<Index>& updates) {
  RunDirectory run = RunDirectory::create(path, write_small_config);
  for (const Index update : updates) {
    save_small_checkpoint(run.checkpoint(update));
  }
  return run;
}

std::vector<std::string> names(const std::vector<fs::path>& paths) {
  std::vector<std::string> result;
  for (const fs::path& path : paths) {
    result.push_back(path.filename().string());
  }
  return result;
}

}  // namespace

TEST_CASE("a new run directory has its config, and lists its checkpoints in order of update", "[checkpoint]") {
  const TemporaryDirectory directory;
  const RunDirectory run = run_with(directory / "runs" / "toy", {1200, 5, 123456789});
  CHECK(read_bytes(directory / "runs" / "toy" / "config.yaml") == kConfig);
  CHECK(run.checkpoint(1200) == directory / "runs" / "toy" / "step-00001200");
  CHECK(names(run.checkpoints()) == std::vector<std::string>{"step-00000005", "step-00001200", "step-123456789"});
}

TEST_CASE("the run directory of a rank that writes nothing has no last checkpoint", "[checkpoint]") {
  const TemporaryDirectory directory;
  run_with(directory / "run", {3}).point("last", directory / "run" / "step-00000003");
  const fs::path before = fs::current_path();
  fs::current_path(directory / "run");
  CHECK_FALSE(RunDirectory::create("", nullptr).last().has_value());
  fs::current_path(before);
}

TEST_CASE("a directory that holds a run is not overwritten by a new run", "[checkpoint]") {
  const TemporaryDirectory directory;
  { run_with(directory / "toy", {100}); }
  CHECK_THAT(complaint([&] { RunDirectory::create(directory / "toy", write_small_config); }),
             Says("toy: ") && Says("already holds a run") && Says("--resume") && Says("--output"));
  fs::create_directory(directory / "other");
  write_bytes(directory / "other" / "metrics.jsonl", "");
  CHECK_THAT(complaint([&] { RunDirectory::create(directory / "other", write_small_config); }),
             Says("other files (metrics.jsonl)"));
  fs::create_directory(directory / "empty");
  CHECK(complaint([&] { RunDirectory::create(directory / "empty", write_small_config); }).empty());
  write_bytes(directory / "file", "");
  CHECK_THAT(complaint([&] { RunDirectory::create(directory / "file" / "toy", write_small_config); }),
             Says("cannot be created") && Says("Not a directory"));
  CHECK_THAT(complaint([&] { RunDirectory::create(directory / "file", write_small_config); }), Says("file: "));
}

TEST_CASE("a run that ended before its first checkpoint can be restarted; one that lost its checkpoints cannot",
          "[checkpoint]") {
  const TemporaryDirectory directory;
  { RunDirectory::create(directory / "toy", write_small_config); }
  write_bytes(directory / "toy" / "train.log", "");
  write_bytes(directory / "toy" / "metrics.jsonl", "");
  fs::create_directory(directory / "toy" / ".step-00000010.partial");  // killed while saving the first one
  CHECK(complaint([&] { RunDirectory::create(directory / "toy", write_small_config); }).empty());
  CHECK_FALSE(fs::exists(directory / "toy" / ".step-00000010.partial"));
  for (const char* left : {"best", "last", "average-00000010", "step-00000010", "notes"}) {
    CAPTURE(left);
    fs::create_directory(directory / "toy" / left);
    CHECK_THAT(complaint([&] { RunDirectory::create(directory / "toy", write_small_config); }), Says("already"));
    fs::remove(directory / "toy" / left);
  }
}

TEST_CASE("a log that is a link is refused instead of followed", "[checkpoint]") {
  for (const char* name : {"train.log", "metrics.jsonl"}) {
    const TemporaryDirectory directory;
    { run_with(directory / "toy", {100}); }
    write_bytes(directory / "victim", "precious");
    fs::remove(directory / "toy" / name);
    fs::create_symlink("../victim", directory / "toy" / name);
    CHECK_THAT(complaint([&] { RunDirectory::resume(directory / "toy"); }),
               Says(std::string(name) + ": expected a file, found a link"));
    CHECK(read_bytes(directory / "victim") == "precious");
  }
}

TEST_CASE("a run with a broken checkpoint is not resumed as if that checkpoint did not exist", "[checkpoint]") {
  const TemporaryDirectory directory;
  { run_with(directory / "toy", {100, 200}); }
  fs::remove(directory / "toy" / "step-00000200" / "model.safetensors");
  CHECK_THAT(complaint([&] { RunDirectory::resume(directory / "toy"); }), Says("step-00000200: expected a checkpoint"));
}

TEST_CASE("the error for a run's damaged config says that checkpoints have copies of it", "[checkpoint]") {
  const TemporaryDirectory directory;
  const RunDirectory run = run_with(directory / "toy", {100});
  write_bytes(directory / "toy" / "config.yaml", "data:\n");
  CHECK_THAT(complaint([&] { accept_changes(run, Config{}); }), Says("Every checkpoint"));
}

TEST_CASE("resuming needs an existing run, and removes what an interrupted save left", "[checkpoint]") {
  const TemporaryDirectory directory;
  CHECK_THAT(complaint([&] { RunDirectory::resume(directory / "toy"); }), Says("no run") && Says("--resume"));
  CHECK_THAT(complaint([&] { RunDirectory::resume(directory.path()); }), Says("no run"));

  run_with(directory / "toy", {100, 200});
  fs::copy(directory / "toy" / "step-00000200", directory / "toy" / ".step-00000300.partial");
  fs::rename(directory / "toy" / "step-00000200", directory / "toy" / ".step-00000200.replaced");
  const RunDirectory run = RunDirectory::resume(directory / "toy");
  CHECK(names(run.checkpoints()) == std::vector<std::string>{"step-00000100", "step-00000200"});
  CHECK(count_entries(run.path()) == 5);  // config.yaml, train.log, two checkpoints and last
}

TEST_CASE("an unfinished checkpoint does not count as a checkpoint", "[checkpoint]") {
  const TemporaryDirectory directory;
  const RunDirectory run = run_with(directory / "toy", {100});
  fs::copy(run.checkpoint(100), run.path() / ".step-00000200.partial");
  CHECK_FALSE(is_checkpoint(run.path() / ".step-00000200.partial"));
  CHECK(names(run.checkpoints()) == std::vector<std::string>{"step-00000100"});
  CHECK_THAT(complaint([&] { resolve_checkpoint(run.path() / ".step-00000200.partial/"); }),
             Says("interrupted") && Says("step-00000100"));
  fs::create_directory(run.checkpoint(300));  // without model.safetensors
  CHECK(names(run.checkpoints()) == std::vector<std::string>{"step-00000100"});
}

TEST_CASE("best and last are relative links, so that a run can be moved", "[checkpoint]") {
  const TemporaryDirectory directory;
  std::optional<RunDirectory> run = run_with(directory / "toy", {100, 200});
  run->point("best", run->checkpoint(100));
  run->point("last", run->checkpoint(100));
  run->point("last", run->checkpoint(200));
  CHECK(fs::read_symlink(run->path() / "best") == "step-00000100");
  CHECK(fs::read_symlink(run->path() / "last") == "step-00000200");
  run.reset();  // releases the lock too
  fs::rename(directory / "toy", directory / "moved");
  CHECK(resolve_checkpoint(directory / "moved") == directory / "moved" / "step-00000100");
  CHECK(RunDirectory::resume(directory / "moved").last() == directory / "moved" / "step-00000200");
}

TEST_CASE("a run without a valid link to its last checkpoint continues from the latest", "[checkpoint]") {
  const TemporaryDirectory directory;
  const RunDirectory run = RunDirectory::create(directory / "toy", write_small_config);
  CHECK_FALSE(run.last());
  save_small_checkpoint(run.checkpoint(100));
  save_small_checkpoint(run.checkpoint(200));
  CHECK(run.last() == run.checkpoint(200));
  run.point("last", run.checkpoint(100));
  CHECK(run.last() == run.checkpoint(100));
  fs::remove_all(run.checkpoint(100));
  CHECK(run.last() == run.checkpoint(200));
}

TEST_CASE("a path that cannot be read is an error, and not taken for one that does not exist", "[checkpoint]") {
  const TemporaryDirectory directory;
  CHECK(link_target(directory / "nothing").empty());
  CHECK(link_target(directory.path()).empty());
  CHECK_THAT(complaint([&] { link_target(directory / std::string(300, 'x')); }), Says("cannot be read: File name too"));
  CHECK_FALSE(is_config_of_run(directory / "nothing"));
  fs::create_symlink("loop", directory / "loop");
  CHECK_THAT(complaint([&] { is_config_of_run(directory / "loop"); }), Says("cannot be read: Too many levels"));
}

TEST_CASE("pruning keeps the latest checkpoints, the best and the last", "[checkpoint]") {
  const TemporaryDirectory directory;
  const RunDirectory run = run_with(directory / "toy", {100, 200, 300, 400, 500});
  save_small_checkpoint(run.path() / "average");
  run.point("best", run.checkpoint(100));
  run.point("last", run.checkpoint(500));
  run.prune(5);
  CHECK(run.checkpoints().size() == 5);
  run.prune(2);
  CHECK(names(run.checkpoints()) == std::vector<std::string>{"step-00000100", "step-00000400", "step-00000500"});
  run.point("last", run.checkpoint(400));
  run.prune(0);
  CHECK(names(run.checkpoints()) == std::vector<std::string>{"step-00000100", "step-00000400"});
  CHECK(is_checkpoint(run.path() / "average"));
  CHECK(count_entries(run.path()) == 7);  // config.yaml, train.log, best, last, average, two steps
}

TEST_CASE("pruning keeps the latest mean of checkpoints, and the best", "[checkpoint]") {
  const TemporaryDirectory directory;
  const RunDirectory run = run_with(directory / "toy", {100, 200});
  for (const Index update : {100, 200, 300}) {
    save_small_checkpoint(run.average(update));
  }
  run.point("best", run.average(100));
  run.prune(2);
  CHECK(names(checkpoints_in(run.path(), kAverage)) ==
        std::vector<std::string>{"average-00000100", "average-00000300"});
  run.point("best", run.checkpoint(100));
  run.prune(2);
  CHECK(names(checkpoints_in(run.path(), kAverage)) == std::vector<std::string>{"average-00000300"});
  CHECK(run.checkpoints().size() == 2);
}

TEST_CASE("a checkpoint is found by its own path or by the path of its run", "[checkpoint]") {
  const TemporaryDirectory directory;
  const RunDirectory run = run_with(directory / "toy", {100, 200});
  CHECK(resolve_checkpoint(run.checkpoint(100)) == run.checkpoint(100));
  CHECK(resolve_checkpoint(run.checkpoint(100) / "") == run.checkpoint(100));
  run.point("last", run.checkpoint(200));
  CHECK(resolve_checkpoint(run.path()) == run.checkpoint(200));
  run.point("best", run.checkpoint(100));
  CHECK(resolve_checkpoint(run.path() / "") == run.checkpoint(100));
  CHECK(resolve_checkpoint(run.path() / "last") == run.checkpoint(200));  // follows the link only once
}

TEST_CASE("a path without a checkpoint is refused, and the error shows what is there instead", "[checkpoint]") {
  const TemporaryDirectory directory;
  const RunDirectory run = run_with(directory / "toy", {100, 200});
  const auto complaint_about = [](const fs::path& path) { return complaint([&] { resolve_checkpoint(path); }); };
  const auto both = Says("step-00000100, step-00000200");
  CHECK_THAT(complaint_about(run.checkpoint(300)), Says("no such directory") && Says("Expected a checkpoint") && both);
  CHECK_THAT(complaint_about(run.path()), Says("neither") && Says("Checkpoints in ") && both);
  CHECK_THAT(complaint_about(run.checkpoint(100) / "model.safetensors"), Says("a file"));
  CHECK_THAT(complaint_about(directory / "toi"), Says("no such directory") && Says("Runs in") && Says("toy"));
  CHECK_THAT(complaint_about(directory.path()), Says("Runs in") && Says("toy"));
  fs::create_directories(directory / "bin" / "last");  // like /bin, which has a program of this name
  CHECK_THAT(complaint_about(directory.path()), Says("Runs in") && !Says("bin"));
  CHECK_THAT(complaint_about(directory / "no" / "where"), Says("no such directory"));
  CHECK_THAT(complaint_about(""), Says("no such directory"));
  run.point("best", "step-00000300");
  CHECK_THAT(complaint_about(run.path()), Says("best points to step-00000300") && both);
  const RunDirectory young = RunDirectory::create(directory / "young", write_small_config);
  CHECK_THAT(complaint_about(young.path()), Says("no checkpoint yet"));
}

TEST_CASE("two training runs cannot write into the same directory", "[checkpoint]") {
  const TemporaryDirectory directory;
  {
    const RunDirectory first = RunDirectory::create(directory / "toy", write_small_config);
    CHECK_THAT(complaint([&] { RunDirectory::resume(directory / "toy"); }), Says("is training in this directory"));
    write_bytes(directory / "toy" / "train.log", "");
    CHECK_THAT(complaint([&] { RunDirectory::create(directory / "toy", write_small_config); }),
               Says("is training in this"));
  }
  CHECK(complaint([&] { RunDirectory::resume(directory / "toy"); }).empty());
}

TEST_CASE("a checkpoint is not used as a run's directory, with or without --resume", "[checkpoint]") {
  const TemporaryDirectory directory;
  const fs::path checkpoint = directory / "toy" / "step-00000100";
  {
    const RunDirectory run = run_with(directory / "toy", {100});
    run.point("last", run.checkpoint(100));
  }
  const std::string before = read_bytes(checkpoint / "config.yaml");
  const std::string advice = "--output \"" + (directory / "toy").string() + "\" --resume";
  for (const fs::path& path : {checkpoint, directory / "toy" / "last"}) {
    CHECK_THAT(complaint([&] { RunDirectory::create(path, write_small_config); }),
               Says("this is a checkpoint") && Says(advice));
    CHECK_THAT(complaint([&] { RunDirectory::resume(path); }), Says("this is a checkpoint") && Says(advice));
  }
  CHECK(read_bytes(checkpoint / "config.yaml") == before);
  fs::rename(checkpoint, directory / "alone");
  CHECK_THAT(complaint([&] { RunDirectory::resume(directory / "alone"); }), Says("model.from"));
}

TEST_CASE("files that another program wrote are not replaced", "[checkpoint]") {
  const TemporaryDirectory directory;
  const fs::path other = directory / "other";
  fs::create_directory(other);
  write_bytes(other / "config.yaml", "# mine\nbase: toy.yaml\n");
  const auto is_refused = [&] {
    CHECK_THAT(complaint([&] { RunDirectory::create(other, write_small_config); }),
               Says("config.yaml") && Says("--output"));
    CHECK_THAT(complaint([&] { RunDirectory::resume(other); }), Says("which Glassformer did not write"));
    CHECK(read_bytes(other / "config.yaml") == "# mine\nbase: toy.yaml\n");
  };
  is_refused();
  write_bytes(other / "train.log", "of another program");
  is_refused();
  CHECK(read_bytes(other / "train.log") == "of another program");

  // A run whose config was replaced: its checkpoints have copies of the right one.
  { run_with(directory / "toy", {100}); }
  write_bytes(directory / "toy" / "config.yaml", "# mine\n");
  CHECK_THAT(complaint([&] { RunDirectory::resume(directory / "toy"); }), Says("copy one here"));
  CHECK(read_bytes(directory / "toy" / "config.yaml") == "# mine\n");

  // A config that somebody has copied from a run is not yet a run.
  fs::create_directory(directory / "copied");
  write_bytes(directory / "copied" / "config.yaml", kConfig);
  CHECK_THAT(complaint([&] { RunDirectory::resume(directory / "copied"); }), Says("no run to continue"));
}

TEST_CASE("a copy of a run's config beside another program's log is not taken for a run", "[checkpoint]") {
  const TemporaryDirectory directory;
  const fs::path copied = directory / "copied";
  fs::create_directory(copied);
  write_bytes(copied / "config.yaml", kConfig + "# my notes\n");
  for (const char* log : {"train.log", "curves.svg", "metrics.jsonl"}) {
    CAPTURE(log);
    write_bytes(copied / log, "precious");
    CHECK_THAT(complaint([&] { RunDirectory::create(copied, write_small_config); }), Says("other files"));
    CHECK_THAT(complaint([&] { RunDirectory::resume(copied); }), Says("no run to continue"));
    CHECK(read_bytes(copied / log) == "precious");
    fs::remove(copied / log);
  }
  CHECK(read_bytes(copied / "config.yaml") == kConfig + "# my notes\n");
}

TEST_CASE("a run that was killed while it began can be resumed or replaced", "[checkpoint]") {
  const TemporaryDirectory directory;
  const fs::path run = directory / "toy";
  { RunDirectory::create(run, write_small_config); }
  const auto check = [&] {
    CHECK(complaint([&] { RunDirectory::resume(run); }).empty());
    CHECK(complaint([&] { RunDirectory::create(run, write_small_config); }).empty());
  };
  check();
  write_bytes(run / "train.log", "2026-11-28 01:07:18  2 training pairs\n");
  write_bytes(run / "metrics.jsonl", "");
  check();
  for (const char* digests : {"", "{\"upd", "{\"update\":0,\"progr"}) {
    CAPTURE(digests);
    write_bytes(run / "digests.jsonl", digests);
    check();
  }
  write_bytes(run / "metrics.jsonl", "{\"update\":1,\"loss\":2}\n");  // of another program
  CHECK_THAT(complaint([&] { RunDirectory::resume(run); }), Says("no run to continue"));
  CHECK_THAT(complaint([&] { RunDirectory::create(run, write_small_config); }), Says("metrics.jsonl"));
}

TEST_CASE("an empty train.log does not make a directory of other files a run", "[checkpoint]") {
  const TemporaryDirectory directory;
  for (const char* name : {"metrics.jsonl", "curves.svg", "digests.jsonl"}) {
    CAPTURE(name);
    const fs::path other = directory / (std::string("with-") + name);
    fs::create_directory(other);
    write_bytes(other / "train.log", "");
    write_bytes(other / name, "precious");
    CHECK_THAT(complaint([&] { RunDirectory::create(other, write_small_config); }), Says("has other files"));
    CHECK(read_bytes(other / name) == "precious");
  }
}

TEST_CASE("a picture curves.svg that the program did not draw is not replaced", "[checkpoint]") {
  const TemporaryDirectory directory;
  { run_with(directory / "toy", {100}); }
  write_bytes(directory / "toy" / "curves.svg", "<svg>mine</svg>");
  CHECK_THAT(complaint([&] { RunDirectory::resume(directory / "toy"); }),
             Says("curves.svg: the run would replace this picture"));
  write_bytes(directory / "toy" / "curves.svg", curves_svg({}));
  CHECK(complaint([&] { RunDirectory::resume(directory / "toy"); }).empty());
}

TEST_CASE("a checkpoint that is written again keeps the files of others", "[checkpoint]") {
  const TemporaryDirectory directory;
  const fs::path checkpoint = directory / "step-00000100";
  save_small_checkpoint(checkpoint);
  write_bytes(checkpoint / "notes.txt", "precious");
  fs::create_directory(checkpoint / "converted");
  write_bytes(checkpoint / "converted" / "model.bin", "large");
  write_bytes(checkpoint / "config.json", "changed");
  save_small_checkpoint(checkpoint);
  CHECK(other_files_in(checkpoint) == std::vector<std::string>{"converted", "notes.txt"});
  CHECK(read_bytes(checkpoint / "notes.txt") == "precious");
  CHECK(read_bytes(checkpoint / "converted" / "model.bin") == "large");
  CHECK(read_bytes(checkpoint / "config.json") != "changed");
  CHECK(complaint([&] { verify_checksums(checkpoint, Verify::all); }).empty());
}

TEST_CASE("a run whose only checkpoint was being replaced when the process was killed can be continued",
          "[checkpoint]") {
  const TemporaryDirectory directory;
  { run_with(directory / "toy", {100}); }
  CHECK(can_continue(directory / "toy"));
  fs::rename(directory / "toy" / "step-00000100", directory / "toy" / ".step-00000100.replaced");
  CHECK_FALSE(last_checkpoint(directory / "toy"));
  CHECK(can_continue(directory / "toy"));
  fs::rename(directory / "toy" / ".step-00000100.replaced", directory / "toy" / ".step-00000100.partial");
  CHECK_FALSE(can_continue(directory / "toy"));
}

TEST_CASE("a directory or file called best or last that is no checkpoint stays", "[checkpoint]") {
  const TemporaryDirectory directory;
  { run_with(directory / "toy", {100}); }
  for (const char* name : {"best", "last"}) {
    const fs::path place = directory / "toy" / name;
    fs::create_directory(place);
    write_bytes(place / "notes", "precious");
    CHECK_THAT(complaint([&] { RunDirectory::resume(directory / "toy"); }), Says("Move it out of this directory"));
    CHECK(read_bytes(place / "notes") == "precious");
    fs::remove_all(place);
    write_bytes(place, "precious");
    CHECK_THAT(complaint([&] { RunDirectory::resume(directory / "toy"); }), Says("Move it out of this directory"));
    CHECK(read_bytes(place) == "precious");
    fs::remove(place);
  }
  const RunDirectory run = RunDirectory::resume(directory / "toy");
  fs::create_directory(directory / "toy" / "best");
  write_bytes(directory / "toy" / "best" / "notes", "precious");
  CHECK_THROWS(run.point("best", run.checkpoint(100)));
  CHECK(read_bytes(directory / "toy" / "best" / "notes") == "precious");
}

TEST_CASE("a run whose checkpoints are missing does not start from the beginning", "[checkpoint]") {
  const TemporaryDirectory directory;
  const fs::path toy = directory / "toy";
  const auto says_missing = Says("this run has trained, but its checkpoints are missing");
  {
    const RunDirectory run = run_with(toy, {100});
    run.point("best", run.checkpoint(100));
    run.point("last", run.checkpoint(100));
  }
  fs::rename(toy / "step-00000100", directory / "elsewhere");
  CHECK_THAT(complaint([&] { RunDirectory::resume(toy); }), says_missing && Says("last points to step-00000100"));
  fs::remove(toy / "best");
  fs::remove(toy / "last");
  CHECK(complaint([&] { RunDirectory::resume(toy); }).empty());  // nothing shows that it has ever trained
  write_bytes(toy / "digests.jsonl", "{\"update\":0,\"program\":\"\"}\n");
  CHECK(complaint([&] { RunDirectory::resume(toy); }).empty());
  write_bytes(toy / "digests.jsonl", "{\"update\":0,\"program\":\"\"}\n{\"update\":100,\"weights\":{}}\n");
  CHECK_THAT(complaint([&] { RunDirectory::resume(toy); }), says_missing);
  CHECK_THAT(complaint([&] { RunDirectory::create(toy, write_small_config); }), says_missing);
}

TEST_CASE("a run that was copied without links gets its links back", "[checkpoint]") {
  const TemporaryDirectory directory;
  {
    const RunDirectory run = RunDirectory::create(directory / "toy", write_small_config);
    for (const Index update : {100, 200}) {
      SmallArena arena;
      fill(arena, static_cast<float>(update));
      save_checkpoint(run.checkpoint(update), description(), arena);
    }
    run.point("best", run.checkpoint(100));
    run.point("last", run.checkpoint(200));
  }
  fs::copy(directory / "toy", directory / "copy", fs::copy_options::recursive);  // like cp -rL
  REQUIRE(fs::is_directory(fs::symlink_status(directory / "copy" / "last")));
  {
    const RunDirectory run = RunDirectory::resume(directory / "copy");
    CHECK(run.last() == directory / "copy" / "step-00000200");
    CHECK(fs::read_symlink(directory / "copy" / "last") == "step-00000200");
    CHECK(fs::read_symlink(directory / "copy" / "best") == "step-00000100");
  }
  // A copy that is still needed stays: the original is damaged, or there are other files in the copy.
  const fs::path copied = directory / "copy" / "best";
  fs::remove(copied);
  fs::copy(directory / "copy" / "step-00000100", copied, fs::copy_options::recursive);
  write_bytes(copied / "notes", "precious");
  CHECK_THAT(complaint([&] { RunDirectory::resume(directory / "copy"); }),
             Says("a link to step-00000100, but is a copy in which notes was changed or added"));
  CHECK(read_bytes(copied / "notes") == "precious");
  fs::remove(copied / "notes");
  const std::string config = read_bytes(copied / "config.json");
  write_bytes(copied / "config.json", config + " ");
  CHECK_THAT(complaint([&] { RunDirectory::resume(directory / "copy"); }),
             Says("in which config.json was changed or added"));
  CHECK(read_bytes(copied / "config.json") == config + " ");
  write_bytes(copied / "config.json", config);
  const fs::path model = directory / "copy" / "step-00000100" / kModelFile;
  const std::string whole = read_bytes(model);
  write_bytes(model, whole.substr(0, whole.size() - 1));
  CHECK_THAT(complaint([&] { RunDirectory::resume(directory / "copy"); }), Says("There is a copy of it"));
  CHECK(read_bytes(copied / kModelFile) == whole);
  write_bytes(model, whole);

  // The only copy of a checkpoint is not removed.
  fs::remove_all(directory / "copy" / "best");
  fs::rename(directory / "copy" / "step-00000100", directory / "copy" / "best");
  CHECK_THAT(complaint([&] { RunDirectory::resume(directory / "copy"); }), Says("only copy") && Says("step-NUMBER"));
  CHECK(is_checkpoint(directory / "copy" / "best"));
}

TEST_CASE("a copy in the place of a link stays as long as any file of the original is damaged", "[checkpoint]") {
  const TemporaryDirectory directory;
  const fs::path original = directory / "toy" / "step-00000100";
  const fs::path copy = directory / "toy" / "last";
  {
    run_with(directory / "toy", {});
    SmallArena arena;
    fill(arena);
    const std::vector<float> moments(static_cast<std::size_t>(arena.size()), 1.0F);
    const TrainingState state{moments, moments, some_progress()};
    save_checkpoint(original, description(), arena, &state);
  }
  fs::copy(original, copy, fs::copy_options::recursive);
  REQUIRE(fs::exists(copy / kStateFile));
  for (const auto& entry : fs::directory_iterator(copy)) {
    const std::string name = entry.path().filename().string();
    if (name == kChecksumFile) {
      continue;
    }
    CAPTURE(name);
    const std::string whole = read_bytes(original / name);
    write_bytes(original / name, whole + " ");
    CHECK_THAT(complaint([&] { RunDirectory::resume(directory / "toy"); }),
               Says(name) && Says("There is a copy of it, " + copy.string()));
    CHECK(read_bytes(copy / name) == whole);
    write_bytes(original / name, whole);
  }
  CHECK(complaint([&] { RunDirectory::resume(directory / "toy"); }).empty());
  CHECK(fs::read_symlink(copy) == "step-00000100");
}

TEST_CASE("a checkpoint with files that this program did not write is not removed", "[checkpoint]") {
  const TemporaryDirectory directory;
  const RunDirectory run = run_with(directory / "toy", {100, 200, 300});
  write_bytes(run.checkpoint(100) / "notes.txt", "precious");
  CHECK(other_files_in(run.checkpoint(100)) == std::vector<std::string>{"notes.txt"});
  CHECK(other_files_in(run.checkpoint(200)).empty());
  run.prune(1);
  CHECK(names(run.checkpoints()) == std::vector<std::string>{"step-00000100", "step-00000300"});
  CHECK(read_bytes(run.checkpoint(100) / "notes.txt") == "precious");
}

TEST_CASE("a run is not put into a checkpoint, or in the place of one", "[checkpoint]") {
  const TemporaryDirectory directory;
  { run_with(directory / "toy", {100}); }
  for (const char* place : {"step-00000100/new", "step-00000100/a/b", "step-00000200", "step-00000200/a",
                            "average-00000100", "best", "last/"}) {
    CAPTURE(place);
    CHECK_THAT(complaint([&] { RunDirectory::create(directory / "toy" / place, write_small_config); }),
               Says("inside a"));
  }
  CHECK(complaint([&] { RunDirectory::create(directory / "toy" / "finetuned", write_small_config); }).empty());
}

TEST_CASE("a process of version 0.2, which locks the file .lock, keeps others out", "[checkpoint]") {
  const TemporaryDirectory directory;
  { run_with(directory / "toy", {100}); }
  const Descriptor older(directory / "toy" / ".lock", O_WRONLY | O_CREAT);
  REQUIRE(::flock(older.number(), LOCK_EX | LOCK_NB) == 0);
  CHECK_THAT(complaint([&] { RunDirectory::resume(directory / "toy"); }), Says("is training in this directory"));
}

TEST_CASE("removing .lock does not let a second process in", "[checkpoint]") {
  const TemporaryDirectory directory;
  const RunDirectory run = run_with(directory / "toy", {100});
  fs::remove(directory / "toy" / ".lock");
  CHECK_THAT(complaint([&] { RunDirectory::resume(directory / "toy"); }), Says("is training in this directory"));
}
