#include "catch.hpp"
#include "config/workplace.hpp"
#include "glassformer/config/config.hpp"
#include "temporary_directory.hpp"

using namespace glassformer;
using test::contains;

namespace {

/// A workplace whose data directory has only these files.
struct Files : Workplace {
  explicit Files(const std::vector<std::string>& names) {
    std::filesystem::remove_all(directory / "data");
    for (const std::string& name : names) {
      write("data/" + name, "a .\n");
    }
  }
  std::string hint(const std::string& key, const std::string& value) const {
    const std::string message = complaint("", {key + "=" + value});
    const std::size_t at = message.find("; ");
    return at == std::string::npos ? message : message.substr(at + 2);
  }
};

}  // namespace

TEST_CASE("the names of other toolkits get commands that copy the files to NAME.LANGUAGE", "[config]") {
  const Files open_nmt({"src-train.txt", "tgt-train.txt", "src-val.txt", "tgt-val.txt"});
  CHECK(open_nmt.complaint("", {"data.train=src-train.txt"}) ==
        "--set data.train=src-train.txt: no file data/src-train.txt.en; src-train.txt exists, but texts are named "
        "NAME.LANGUAGE: run cp src-train.txt train.en and cp tgt-train.txt train.de there, and set data.train: train");
  CHECK(contains(open_nmt.hint("data.train", "src-train"), "cp src-train.txt train.en and cp tgt-train.txt train.de"));
  CHECK(contains(open_nmt.hint("data.train", "tgt-train.txt"),
                 "cp src-train.txt train.en and cp tgt-train.txt train.de"));
  CHECK(contains(Files({"train.source", "train.target"}).hint("data.train", "train.source"),
                 "cp train.source train.en and cp train.target train.de"));
  CHECK(contains(Files({"en-train.txt", "de-train.txt"}).hint("data.train", "en-train.txt"),
                 "cp en-train.txt train.en and cp de-train.txt train.de"));
  CHECK(contains(Files({"sentences-en.txt", "sentences-de.txt"}).hint("data.train", "sentences-en.txt"),
                 "cp sentences-en.txt sentences.en and cp sentences-de.txt sentences.de"));
  CHECK(contains(Files({"corpus.txt"}).hint("data.train", "corpus.txt"), "cp corpus.txt corpus.en there"));
}

TEST_CASE("a NAME with its language, a language with a dot, and other near misses get a hint of their own",
          "[config]") {
  const Files files({"train.en", "train.de", "valid.en", "valid.de"});
  CHECK(files.hint("data.train", "train.en") ==
        "the NAME of a text must not include the language: set data.train: train");
  CHECK(files.hint("data.train", "train.de") ==
        "the NAME of a text must not include the language: set data.train: train");
  CHECK(files.hint("data.source_language", ".en") == "write the language without a dot, data.source_language: en");
  const std::string absolute = (files.directory / "data" / "train.en").string();
  CHECK(files.complaint("", {"data.train=" + absolute}) ==
        "--set data.train=data/train.en: no file data/train.en.en; the NAME of a text must not include the language: "
        "set data.train: data/train");
  CHECK(Files({"train.EN", "train.de"}).hint("data.train", "train") ==
        "the file is called train.EN: set data.source_language: EN, or rename the file to train.en");
  const Files left_over({"train", "train.en", "train.de", "train.fr"});  // "train" is none of the texts
  CHECK(left_over.hint("data.source_language", "EN") ==
        "the file is called train.en: set data.source_language: en, or rename the file to train.EN");
  CHECK(left_over.hint("data.source_language", "ro") ==
        "there are train.en, train.fr: set data.source_language to the language of one of them");
  CHECK(Files({"train", "train.fr", "train.de"}).hint("data.train", "train") ==
        "there is train.fr: if this is the text, set data.source_language: fr");
  for (const std::string ending : {"txt", "gz", "bz2", "xz", "zip", "tar", "tsv", "csv", "json", "bak", "tmp", "old"}) {
    CAPTURE(ending);
    CHECK_FALSE(
        contains(Files({"train", "train." + ending, "train.de"}).hint("data.train", "train"), "source_language"));
  }
  CHECK_FALSE(contains(Files({"train", "train.de"}).hint("data.train", "train"), "cp "));
  CHECK(Files({"train.en.gz", "train.de"}).hint("data.train", "train") == "unpack the file first: gunzip train.en.gz");
  CHECK(Files({"train.en.txt", "train.de"}).hint("data.train", "train") ==
        "if this is train.en.txt, rename it: texts are named NAME.LANGUAGE, here train.en");
  CHECK(Files({"train_en", "train.de"}).hint("data.train", "train") ==
        "if this is train_en, rename it: texts are named NAME.LANGUAGE, here train.en");
}
