// The download: a config file that a YAML parser reads as meant, and a ZIP file that python3 can unpack.
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { parse } from "yaml";
import { zipFile } from "../base/zip_file";
import { configFile, filesOf } from "../live/make_model/config_file";

const setting = (key, value) => ({ key, value, meaning: `what ${key} means: 0 <= x < 1`, kind: "number" });
const SETTINGS = [
  setting("data.max_length", "40"),
  setting("tokenizer.joint", "false"),
  setting("model.d_model", "64"),
  setting("training.max_updates", "0"),
  setting("training.optimizer.kind", "adam"),
  setting("training.optimizer.epsilon", "1e-09"),
  setting("decoding.beam", "4"),
];
const LANGUAGES = { source: "en", target: "de" };

test("the config file has the sections and keys of configs/toy.yaml", () => {
  const read = parse(configFile(SETTINGS, LANGUAGES));
  assert.deepEqual(read.data, {
    ...{ directory: ".", source_language: "en", target_language: "de", train: "train", valid: "", tests: [] },
    max_length: 40,
  });
  assert.deepEqual(read.tokenizer, { kind: "word", joint: false });
  assert.deepEqual(read.training, { max_updates: 0, max_epochs: 30, optimizer: { kind: "adam", epsilon: 1e-9 } });
  assert.deepEqual(read.decoding, { beam: 4 });
});

test("training has an end: that of the settings, if they have one", () => {
  const limited = SETTINGS.map((one) => (one.key === "training.max_updates" ? { ...one, value: "7" } : one));
  const { training } = parse(configFile(limited, LANGUAGES));
  assert.equal(training.max_updates, 7);
  assert.equal(training.max_epochs, undefined);
});

test("the ZIP file unpacks to the same text", () => {
  const text = { source: "a </script> 🦄\n", target: "שלום\n" };
  const directory = mkdtempSync(join(tmpdir(), "zip_"));
  try {
    const path = join(directory, "model.zip");
    writeFileSync(path, zipFile(filesOf(SETTINGS, text, LANGUAGES)));
    const script = `import json, sys, zipfile
archive = zipfile.ZipFile(sys.argv[1])
assert archive.testzip() is None
print(json.dumps({name: archive.read(name).decode() for name in archive.namelist()}))`;
    const unpacked = JSON.parse(execFileSync("python3", ["-c", script, path], { encoding: "utf8" }));
    assert.deepEqual(Object.keys(unpacked), ["my-model/config.yaml", "my-model/train.en", "my-model/train.de"]);
    assert.equal(unpacked["my-model/train.en"], text.source);
    assert.equal(unpacked["my-model/train.de"], text.target);
  } finally {
    rmSync(directory, { recursive: true });
  }
});
