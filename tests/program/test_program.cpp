#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <sstream>
#include <tuple>

#include "catch.hpp"
#include "glassformer/numerics/gemm.hpp"
#include "heap_count.hpp"
#include "program/program.hpp"

using namespace glassformer::program_test;
using glassformer::heap_allocations;

namespace {

/// The names of these files in the program's directory.
std::vector<std::string> files_that_begin_with(const std::string& start, const Program& program) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(program / ".")) {
    const std::string name = entry.path().filename().string();
    if (name.rfind(start, 0) == 0) {
      names.push_back(name);
    }
  }
  return names;
}

}  // namespace

TEST_CASE("train, evaluate and translate work together, and keep output and log apart", "[program]") {
  const Program program;
  const auto trained = program.run("train " + config("debug") + " --output run");
  CAPTURE(trained.err);
  REQUIRE(trained.status == 0);
  CHECK(trained.out.empty());

  const auto translated = program.run("translate run", "she sleeps .\n\nthe small dog sees a house .");
  CHECK(translated.status == 0);
  CHECK(translated.err.empty());
  CHECK(translated.out == "sie schläft .\n\nder kleine hund sieht ein haus .\n");
  CHECK(program.run("translate run/last --beam 3 --batch 1 --length-penalty 0.5", "she sleeps .\n").out ==
        "sie schläft .\n");
  // With this penalty the longest translation is the best, and only a search that runs to the end finds it.
  const std::string search = "translate run --beam 2 --length-penalty 50 --";
  CHECK(program.run(search + "early-stopping", "she sleeps .\n").out.size() <
        program.run(search + "no-early-stopping", "she sleeps .\n").out.size());

  // A program that sends a line and waits gets the answer before it sends another.
  CHECK(program
            .shell("mkfifo asked answered; timeout 60 \"$glassformer\" translate run <asked >answered & "
                   "exec 3>asked 4<answered; echo 'she sleeps .' >&3; read -r answer <&4; echo \"$answer\"; "
                   "exec 3>&-; wait")
            .out == "sie schläft .\n");

  write_bytes(program / "a.en", "she sleeps .\n");
  write_bytes(program / "a.de", "sie schläft .\n");
  const auto evaluated = program.run("evaluate run --source a.en --reference a.de --json");
  CHECK(evaluated.status == 0);
  const auto json = nlohmann::json::parse(evaluated.out);
  CHECK(json.at(0).at("parameters").get<int>() == 1725);
  const auto shorter = program.run("evaluate run --source a.en --reference a.de --length-penalty 0.5 --json");
  CHECK(nlohmann::json::parse(shorter.out).at(0).at("length_penalty") == 0.5);
  CHECK(json.at(0).at("exact_match") == 1.0);
  CHECK(json.at(0).at("bleu_signature").get<std::string>().find("tok:none") != std::string::npos);

  CHECK(program.run("translate run --input a.en --output b.de").status == 0);
  CHECK(read_bytes(program / "b.de") == "sie schläft .\n");
  CHECK(program
            .shell("mkfifo pipe; cat a.en >pipe & \"$glassformer\" evaluate run --source pipe "
                   "--reference a.de; wait")
            .out == program.run("evaluate run --source a.en --reference a.de").out.replace(0, 4, "pipe"));
  CHECK(program.run("evaluate run --source a.en --reference a.de >/dev/full").status == 1);

  // A mistake in a file is found before work starts.
  write_bytes(program / "bad.en", "she sleeps .\n\xFF\n");
  check_refused(program.run("translate run --input bad.en"), "bad.en:2");
  check_refused(program.run("translate run --input bad.en --output b.de"), "--invalid replace");
  CHECK(read_bytes(program / "b.de") == "sie schläft .\n");
  CHECK(files_that_begin_with("b.de", program).size() == 1);

  // `translate` and `evaluate` give a translation the same log-probability.
  write_bytes(program / "s.en", "she sleeps .\n");
  const auto ranked = program.run("translate run --beam 3 --n-best 3", "she sleeps .\n\n");
  CAPTURE(ranked.out);
  std::istringstream list(ranked.out);
  std::string line;
  for (int i = 0; i < 3; ++i) {
    REQUIRE(std::getline(list, line));
    REQUIRE(line.rfind("0 ||| ", 0) == 0);
    const std::size_t end = line.find(" ||| ", 6);
    const std::size_t number = line.find("logprob= ");
    REQUIRE(number != std::string::npos);
    const std::string translation = line.substr(6, end - 6);
    if (i == 0) {
      CHECK(translation == "sie schläft .");
    }
    write_bytes(program / "t.de", translation + "\n");
    const auto figures = nlohmann::json::parse(program.run("evaluate run --source s.en --reference t.de --json").out);
    const auto tokens = static_cast<double>(std::count(translation.begin(), translation.end(), ' ') + 2);  // with eos
    CHECK(figures.at(0).at("loss").get<double>() * tokens == Approx(-std::stod(line.substr(number + 9))).margin(1e-4));
  }
  REQUIRE(std::getline(list, line));
  CHECK(line == "1 |||  ||| logprob= 0.000000 ||| 0.000000");
  check_refused(program.run("translate run --beam 2 --n-best 3"), "--n-best");

  check_refused(program.run("train " + config("debug") + " --output run"), "--resume");
  check_refused(program.run("train " + config("debug") + " --output run --resume --set model.d_ff=32"), "model.d_ff");
}

TEST_CASE("a user error gives one message and status 2, and leaves no run directory", "[program]") {
  const Program program;
  check_refused(program.run("train nowhere.yaml --output run"), "nowhere.yaml");
  check_refused(program.run("train " + config("debug") + " --output run --set model.heads=3"), "heads");
  check_refused(program.run("train " + config("debug") + " --output run --set model.dropout=1.5"), "1.5");
  check_refused(program.run("train " + config("debug") + " --output run --set modle.dropout=0"), "modle");
  check_refused(program.run("train " + config("debug") + " --output run --set data.directory=nowhere"), "nowhere");
  check_refused(program.run("train " + config("debug") + " --output run --resume"), "run");

  fs::create_directory(program / "text");
  for (const char* name : {"valid.en", "valid.de", "train.de"}) {
    write_bytes(program / "text" / name, "a\nb\n");
  }
  const std::string with_text = "train " + config("debug") + " --output run --set data.directory=text";
  write_bytes(program / "text/train.en", "a\n");
  check_refused(program.run(with_text), "lines");
  write_bytes(program / "text/train.en", "a\n\xFF\n");
  check_refused(program.run(with_text), ":2:");
  write_bytes(program / "text/train.en", "");
  check_refused(program.run(with_text), "train.en");
  write_bytes(program / "text/train.en", "\n\n");
  check_refused(program.run(with_text), "train.en");
  CHECK_FALSE(fs::exists(program / "run"));
  check_refused(program.run("train " + config("debug") + " --output text"), "other files");

  check_refused(program.run("translate run"), "run");
  check_refused(program.run("evaluate text"), "text");
}

TEST_CASE("a run that ended before its first checkpoint does not block the next", "[program]") {
  const Program program;
  const std::string diverging = "train " + config("debug") +
                                " --output run --set training.schedule.kind=constant "
                                "--set training.schedule.warmup=0 --set training.schedule.learning_rate=1e30";
  const auto diverged = program.run(diverging);
  CHECK(diverged.status == 1);
  CHECK(diverged.err.find("diverged") != std::string::npos);
  CHECK(fs::exists(program / "run/train.log"));
  CHECK(program.run("train " + config("debug") + " --output run --set training.max_updates=1").status == 0);
}

TEST_CASE("a run resumed before its first checkpoint gets the same weights as one that never stopped", "[program]") {
  const Program program;
  const std::string train = "train " + config("debug") + " --output ";
  program.shell("\"$glassformer\" " + train +
                "run --set training.max_updates=0 --set training.max_minutes=1 "
                "--set training.validation.every=100000000 & "
                "until grep -q 'update *10 ' .err; do sleep 0.05; done; kill -KILL $!; wait $!");
  REQUIRE_FALSE(fs::exists(program / "run/last"));
  REQUIRE(program.run(train + "run --resume --set training.max_updates=3").status == 0);
  REQUIRE(program.run(train + "whole --set training.max_updates=3").status == 0);
  CHECK(read_bytes(program / "run/last/model.safetensors") == read_bytes(program / "whole/last/model.safetensors"));
}

TEST_CASE("an interrupted training run writes a checkpoint and says how to continue", "[program]") {
  const Program program;
  for (const auto& [signal, status] : {std::pair("INT", 130), {"TERM", 143}, {"HUP", 129}}) {
    const std::string run = signal;
    CAPTURE(run);
    const auto interrupted = program.shell(
        // The process that started the tests may ignore signals, as nohup does.
        "hear=; env --default-signal true 2>/dev/null && hear='env --default-signal'; $hear \"$glassformer\" train " +
        config("debug") + " --output " + run +
        " --set training.max_updates=0 --set training.max_minutes=1 --set training.validation.every=100000000 & "
        "while kill -0 $! && ! grep -q 'update *10 ' .err; do sleep 0.05; done; kill -" +
        run + " $!; wait $!");
    CAPTURE(interrupted.err);
    CHECK(interrupted.status == status);
    CHECK(interrupted.err.find("--resume") != std::string::npos);
    CHECK(fs::exists(program / run / "last" / "model.safetensors"));
  }
}

TEST_CASE("a second Ctrl-C ends training at once", "[program]") {
  const Program program;
  const auto interrupted = program.shell(  // signals come faster than a checkpoint can be written
      "mkdir text; for l in en de; do yes 'a b c d e f g h i j k l m' | head -n 4000 >text/train.$l; "
      "head -n 2 text/train.$l >text/valid.$l; done; \"$glassformer\" train " +
      config("debug") +
      " --output run --set data.directory=text --set data.tests=[] --set training.max_tokens=1000000000 "
      "--set model.d_model=128 --set model.d_ff=512 --set training.log_every=1 --set training.validation.every=1000 & "
      "while kill -0 $! && ! grep -q 'update *1 ' .err; do sleep 0.05; done; "
      "kill -INT $!; while kill -INT $! 2>/dev/null; do sleep 0.01; done; wait $!");
  CAPTURE(interrupted.err);
  CHECK(interrupted.status == 130);
  CHECK(interrupted.err.find("--resume") == std::string::npos);
  CHECK(program.run("train " + config("debug") + " --output run --set training.max_updates=1").status == 0);
}

TEST_CASE("if translate fails or is stopped, the translations before that are not lost", "[program]") {
  const Program program;
  REQUIRE(program.run("train " + config("debug") + " --output run").status == 0);
  const std::string line = "she sleeps .\n";
  const std::string translation = "sie schläft .\n";

  const auto appended =
      program.shell("echo older >log; \"$glassformer\" translate run --output /dev/stdout >>log", line);
  CHECK(appended.status == 0);
  CHECK(read_bytes(program / "log") == "older\n" + translation);

  const auto bad = program.run("translate run", line + line + "\xFF\n" + line);
  CHECK(bad.status == 2);
  CHECK(bad.out == translation + translation);
  CHECK(bad.err.find("standard input:3: ") != std::string::npos);

  const auto kept = [&](const Program::Result& result) {
    CAPTURE(result.err);
    const auto files = files_that_begin_with("out", program);
    REQUIRE(files.size() == 1);
    CHECK(result.err.find(" are in " + files[0]) != std::string::npos);
    CHECK(std::count(result.err.begin(), result.err.end(), '\n') == 1);
    std::string text = read_bytes(program / files[0]);
    fs::remove(program / files[0]);
    return text;
  };
  CHECK(kept(program.run("translate run --output out", line + "\xFF\n")) == translation);
  const std::string full =
      kept(program.shell("ulimit -f 8; GCOV_PREFIX=counters; export GCOV_PREFIX; yes 'she sleeps .' | "
                         "head -n 500 | \"$glassformer\" translate run --output out"));
  CHECK(full.rfind(translation + translation, 0) == 0);

  if (heap_allocations() >= 0) {  // a sanitizer needs more memory than this limit allows
    std::string endless;
    for (int i = 0; i < 60'000; ++i) {
      endless += "she ";  // its attention weights take gigabytes
    }
    CHECK(kept(program.shell("ulimit -v 3000000; \"$glassformer\" translate run --output out",
                             line + line + endless + '\n' + line)) == translation + translation);
  }

  const auto replaced = program.run("translate run --invalid replace --output out", line + "\xFF\n\xFF\n");
  CHECK(replaced.status == 0);
  CHECK(replaced.err.find("input:2: ") != std::string::npos);
  CHECK(replaced.err.find("input:3: ") == std::string::npos);
  CHECK(read_bytes(program / "out").rfind(translation, 0) == 0);
  fs::remove(program / "out");
  check_refused(program.run("translate run --invalid ignore"), "--invalid");
  write_bytes(program / "-", "x\n");  // not what --input - reads
  CHECK(program.run("translate run --input -", line).out == translation);

  const std::string until_written = "until [ -s out.* ]; do sleep 0.05; done; ";
  for (const auto& [signal, status] : {std::pair("INT", 130), {"TERM", 143}}) {
    CAPTURE(signal);
    const std::string translate = "\"$glassformer\" translate run --batch 1 --output out ";
    const std::string again = status == 143 ? "kill -TERM $! 2>/dev/null; " : "";  // as timeout does
    const std::string stop = std::string("kill -") + signal + " $!; " + again + "wait $!";
    const auto waiting = program.shell("mkfifo in; exec 3<>in; echo 'she sleeps .' >&3; " + translate + "<in & " +
                                       until_written + stop + "; status=$?; rm in; (exit $status)");
    CHECK(waiting.status == status);
    CHECK(waiting.err.find("interrupted after line 1; ") != std::string::npos);
    CHECK(kept(waiting) == translation);

    const auto working = program.shell("yes 'she sleeps .' | " + translate + "& " + until_written + stop);
    CHECK(working.status == status);
    const std::string text = kept(working);
    const auto lines = std::to_string(std::count(text.begin(), text.end(), '\n'));
    CHECK(working.err.find("interrupted after line " + lines + "; ") != std::string::npos);
  }
}

TEST_CASE("closed standard descriptors do not corrupt a run's files", "[program]") {
  const Program program;
  const std::string train = "\"$glassformer\" train " + config("debug") + " --output run --set training.max_updates=";
  CHECK(program.shell(train + "50 <&- >&- 2>&-").status == 0);
  CHECK(program.shell(train + "60 --resume").status == 0);
  const auto lines_of_log = [&](const std::string& run, const std::string& closed) {
    REQUIRE(program
                .shell("\"$glassformer\" train " + config("debug") + " --output " + run +
                       " --set training.max_updates=50 " + closed)
                .status == 0);
    const std::string log = read_bytes(program / (run + "/train.log"));
    return std::ranges::count(log, '\n');
  };
  CHECK(lines_of_log("silent", "<&- >&- 2>&-") == lines_of_log("ordinary", ""));  // no line is there twice
  check_refused(program.shell("\"$glassformer\" translate run <&-"), "standard input");
}

TEST_CASE("train --resume reports a damaged last checkpoint, and continues once you remove it", "[program]") {
  const Program program;
  const std::string train = "train " + config("debug") + " --output run --set training.validation.every=50" +
                            " --set training.checkpoints.keep=2 --set training.max_updates=";
  REQUIRE(program.run(train + "100").status == 0);
  const fs::path damaged = program / "run/step-00000100";
  std::string state = read_bytes(damaged / "training_state.safetensors");
  state.back() = static_cast<char>(state.back() ^ 1);
  write_bytes(damaged / "training_state.safetensors", state);
  const auto refused = program.run(train + "100 --resume");
  check_refused(refused, "training_state.safetensors");
  CHECK(refused.err.find("If you remove run/step-00000100") != std::string::npos);
  fs::remove_all(damaged);
  const auto resumed = program.run(train + "100 --resume");
  CAPTURE(resumed.err);
  CHECK(resumed.status == 0);
  CHECK(resumed.err.find("resuming from run/step-00000050") != std::string::npos);
}

TEST_CASE("train --resume names the changed keys, and says that checkpoints keep those for their use", "[program]") {
  const Program program;
  const std::string train = "train " + config("debug") + " --output run --set training.max_updates=1";
  REQUIRE(program.run(train).status == 0);
  for (const auto& [setting, changed, is_kept] :
       {std::tuple("decoding.beam=2", "decoding.beam was 1 and is now 2", true),
        {"evaluation.lowercase=true", "evaluation.lowercase was false and is now true", true},
        {"training.log_every=5", "training.log_every was 10 and is now 5", false}}) {
    const auto resumed = program.run(train + " --resume --set " + setting);
    CAPTURE(resumed.err);
    CHECK(resumed.status == 0);
    CHECK(resumed.err.find(changed) != std::string::npos);
    CHECK((resumed.err.find("existing checkpoints keep their decoding and evaluation keys") != std::string::npos) ==
          is_kept);
    REQUIRE(program.run(train + " --resume").status == 0);  // changes the key back
  }
}

TEST_CASE("train --resume warns if a changed key changes the metric that picks the best checkpoint", "[program]") {
  const Program program;
  for (const auto& [metric, setting, warns] : {std::tuple("bleu", "evaluation.lowercase=true", true),
                                               {"bleu", "decoding.max_length_ratio=3", true},
                                               {"bleu", "decoding.beam=2", false},
                                               {"exact_match", "decoding.max_length_ratio=3", true},
                                               {"exact_match", "evaluation.lowercase=true", false},
                                               {"loss", "decoding.max_length_ratio=3", false}}) {
    CAPTURE(metric, setting);
    const std::string run = std::string(metric) + "_" + setting;
    const std::string train = "train " + config("debug") + " --output " + run +
                              " --set training.max_updates=1 --set training.validation.metric=" + metric;
    REQUIRE(program.run(train).status == 0);
    const auto resumed = program.run(train + " --resume --set " + setting);
    CAPTURE(resumed.err);
    CHECK(resumed.status == 0);
    CHECK((resumed.err.find(std::string("changes how ") + metric + " is computed") != std::string::npos) == warns);
  }
}

TEST_CASE("evaluate uses the test texts of the config, or says that they are missing", "[program]") {
  const Program program;
  fs::create_directory(program / "text");
  for (const char* name : {"train.en", "train.de", "valid.en", "valid.de", "test.en", "test.de"}) {
    const std::string debug = std::regex_replace(name, std::regex("test"), "valid");
    write_bytes(program / "text" / name, read_bytes(fs::path(GLASSFORMER_SOURCE_DIR) / "data/debug" / debug));
  }
  const std::string train = "train " + config("debug") + " --set data.directory=text --set training.max_updates=1";
  REQUIRE(program.run(train + " --output run --set data.tests=[test]").status == 0);
  CHECK(program.run("evaluate run").out.find("test: 2 pairs") == 0);
  fs::remove(program / "text/test.de");
  check_refused(program.run("evaluate run"),
                "data.tests in its config (--source and --reference override it): no file");
  REQUIRE(program.run(train + " --output none --set data.tests=[]").status == 0);
  check_refused(program.run("evaluate none"), "data.tests is empty");
  check_refused(program.run("evaluate run --source text/test.en"), "--reference");
}

TEST_CASE("exceeding a limit on file sizes gives an error message", "[program]") {
  const Program program;
  const auto limited = program.shell("ulimit -f 8; GCOV_PREFIX=counters \"$glassformer\" train " + config("debug") +
                                     " --output run --set model.d_model=64");  // coverage counters are limited too
  CAPTURE(limited.err);
  CHECK(limited.status == 1);
  CHECK(limited.err.find("Free some space") != std::string::npos);
  CHECK(limited.err.find(".partial") == std::string::npos);
  CHECK_FALSE(fs::exists(program / "run/last"));
}

TEST_CASE("a model that certainly needs more memory than ulimit allows is refused before anything is written",
          "[program]") {
  if (heap_allocations() < 0) {
    return;  // a sanitizer needs more memory than this limit allows
  }
  const Program program;
  const std::string large =
      config("debug") + " --set model.d_model=2048 --set model.d_ff=100000 --set training.shards=8";
  for (const std::string command : {"train --output run ", "benchmark "}) {
    const auto refused = program.shell("ulimit -v 4000000; \"$glassformer\" " + command + large);
    check_refused(refused, "this run needs at least");
    CHECK(refused.err.find("ulimit -v leaves only") != std::string::npos);
  }
  CHECK_FALSE(fs::exists(program / "run"));
}

TEST_CASE("a training text too large for the memory allowed is refused", "[program]") {
  if (heap_allocations() < 0) {
    return;  // a sanitizer needs more memory than this limit allows
  }
  const Program program;
  // 40 MB of tokens are more than a third of the memory that the limit leaves.
  REQUIRE(
      program
          .shell("mkdir text; for l in en de; do yes 'a b c d e f g h i j k l m n o p q r s t u v w x y z' | head -n "
                 "200000 >text/train.$l; head -n 20 text/train.$l >text/valid.$l; done")
          .status == 0);
  const std::string train = "OMP_NUM_THREADS=1 \"$glassformer\" train " + config("debug") +
                            " --set data.directory=text --set data.tests=[] --set training.max_updates=2 --output run";
  check_refused(program.shell("ulimit -d 30000; " + train),
                "/text/train.de: the training text takes more than a third of the available memory");
  CHECK_FALSE(fs::exists(program / "run"));
  CHECK(program.shell(train).status == 0);
}

TEST_CASE("the command line explains itself", "[program]") {
  const Program program;
  for (const char* command : {"train", "evaluate", "translate", "score", "explain", "gradcheck"}) {
    const auto help = program.run(std::string(command) + " --help");
    CHECK(help.status == 0);
    CHECK(help.out.find("default") != std::string::npos);
  }
  CHECK(program.run("--version").out.find("glassformer 0.") == 0);
  check_refused(program.run(""), "--help");
  check_refused(program.run("trian x"), "did you mean train?");
  check_refused(program.run("train x --ouput y"), "did you mean --output?");
  check_refused(program.run("translate run --beam 0"), "from 1 to 1000");
  check_refused(program.run("translate run --length-penalty nan"), "found nan");
}

TEST_CASE("gradcheck confirms the gradients of the configs, with or without a ReLU kink nearby", "[program]") {
  const Program program;
  // 2 numbers of each tensor instead of the default 20, to save time; some of them may be near a kink too.
  for (const char* name : {"debug", "toy", "reverse"}) {
    const auto checked = program.run("gradcheck --samples 2 " + config(name));
    CAPTURE(name, checked.out);
    CHECK(checked.status == 0);
    CHECK(checked.out.find("model.decoder.layers.0.encoder_attn.k_proj.weight") != std::string::npos);
    CHECK(checked.out.find("\nall correct: ") != std::string::npos);
    std::istringstream lines(checked.out);
    for (std::string line; std::getline(lines, line);) {
      CHECK(line.size() <= 100);
    }
  }
}

TEST_CASE("pairs that are too long are left out by train, gradcheck and benchmark", "[program]") {
  const Program program;
  for (const std::string command : {"train --output run ", "gradcheck ", "benchmark "}) {
    check_refused(program.run(command + config("debug") + " --set data.max_length=2"),
                  "found none: of 2 lines, 0 have an empty side and 2 have more than 2 tokens on one side");
  }
}

TEST_CASE("if one gradient is wrong, gradcheck says which and ends with status 1", "[program]") {
  if (!fs::exists(GLASSFORMER_WRONG_GRADIENT)) {
    WARN("SKIPPED: the core is not a shared library, so its functions cannot be replaced");
    return;
  }
  const Program program;
  for (const int wrong : {0, 7, -1}) {
    const auto checked =
        program.shell("LD_PRELOAD='" GLASSFORMER_WRONG_GRADIENT "' WRONG_TENSOR=" + std::to_string(wrong) +
                      " \"$glassformer\" gradcheck " + config("debug"));
    CAPTURE(wrong, checked.out, checked.err);
    const bool is_wrong = wrong >= 0;
    CHECK(checked.status == (is_wrong ? 1 : 0));
    CHECK((checked.out.find("1.0e-06  WRONG\n") != std::string::npos) == is_wrong);
    CHECK((checked.out.find("\nWRONG: ") != std::string::npos) == is_wrong);
    CHECK((checked.out.find("\nall correct: ") != std::string::npos) != is_wrong);
  }
}

TEST_CASE("benchmark trains, saves nothing, and reports its speed", "[program]") {
  const Program program;
  const auto result =
      program.shell("OMP_NUM_THREADS=2 \"$glassformer\" benchmark " + config("debug") + " --seconds 0.05");
  CAPTURE(result.err);
  REQUIRE(result.status == 0);
  const auto figures = nlohmann::json::parse(result.out);
  for (const char* key : {"source_tokens_per_second", "target_tokens_per_second", "peak_rss_bytes"}) {
    CAPTURE(key);
    CHECK(figures.at(key).get<double>() > 0);
  }
  CHECK(figures.at("padding_share").get<double>() >= 0);
  CHECK(figures.at("threads") == 2);
  CHECK(figures.at("instructions") == glassformer::instructions());
  CHECK(figures.at("seconds").at("total").get<double>() > 0);
  CHECK_FALSE(fs::exists(program / "runs"));
  check_refused(program.run("benchmark " + config("debug") + " --seconds 0"), "expected a number from 0.001");
}

TEST_CASE("benchmark exports the model and batches for another program", "[program]") {
  const Program program;
  REQUIRE(program.run("benchmark " + config("debug") + " --export-batches batches.jsonl").status == 0);
  std::istringstream lines(read_bytes(program / "batches.jsonl"));
  std::string line;
  REQUIRE(std::getline(lines, line));
  CHECK(nlohmann::json::parse(line).at("model.d_model") == "8");
  std::size_t sentences = 0;
  while (std::getline(lines, line)) {
    const auto batch = nlohmann::json::parse(line);
    CHECK(batch.at("source").size() == batch.at("target").size());
    sentences += batch.at("source").size();
  }
  CHECK(sentences == 2);
  check_refused(program.run("benchmark " + config("debug") + " --export-batches nowhere/batches.jsonl"), "nowhere");
}

TEST_CASE("benchmark does not export over a file that it reads, or one of a checkpoint", "[program]") {
  const Program program;
  fs::copy(GLASSFORMER_SOURCE_DIR "/data/debug", program / "data");
  fs::copy_file(GLASSFORMER_SOURCE_DIR "/configs/debug.yaml", program / "own.yaml");
  fs::copy_file(GLASSFORMER_SOURCE_DIR "/configs/toy.yaml", program / "toy.yaml");  // its base
  const std::string benchmark = "benchmark own.yaml --set data.directory=data --export-batches ";
  for (const auto& file : fs::directory_iterator(program / "data")) {
    CAPTURE(file.path());
    const std::string before = read_bytes(file.path());
    if (file.path().stem() == "train") {
      check_refused(program.run(benchmark + "data/" + file.path().filename().string()), "which this command reads");
    }
    CHECK(read_bytes(file.path()) == before);
  }
  check_refused(program.run(benchmark + "own.yaml"), "which this command reads");
  REQUIRE(program.run("train " + config("debug") + " --output run --set training.max_updates=1").status == 0);
  check_refused(program.run(benchmark + "run/last/model.safetensors"), "belongs to the checkpoint");
}

TEST_CASE("before training, the log forecasts the peak memory to within a fifth", "[program]") {
  if (heap_allocations() < 0) {
    return;  // a sanitizer tracks the heap and needs memory of its own
  }
  const std::string arguments = GENERATE("'" GLASSFORMER_SOURCE_DIR "/configs/toy.yaml' --set training.max_epochs=2",
                                         "'" GLASSFORMER_SOURCE_DIR "/configs/debug.yaml'",
                                         "'" GLASSFORMER_SOURCE_DIR
                                         "/configs/debug.yaml' --set model.d_model=512 "
                                         "--set model.d_ff=2048 --set training.max_updates=3");
  const Program program;
  const auto result = program.run("train " + arguments + " --output run");
  CAPTURE(arguments, result.err);
  REQUIRE(result.status == 0);
  const auto number_after = [&](const std::string& words) {
    const std::size_t found = result.err.rfind(words);
    REQUIRE(found != std::string::npos);
    return std::stod(result.err.substr(found + words.size()));
  };
  const double forecast = number_after("about ");
  const double peak = number_after("peak memory: ");
  CHECK(std::abs(forecast - peak) < 0.2 * peak + 6);  // MB
}
