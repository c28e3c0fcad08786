// A config file for the native program, like configs/toy.yaml: the settings of the model in the page, and its text.
import type { Setting, Text } from "../../engine/protocol";
import type { FileInZip } from "../../base/zip_file";

/// The directory in the download. It belongs beside configs and data.
export const DIRECTORY = "my-model";
export const TRAIN_COMMAND = `build/release/glassformer train ${DIRECTORY}/config.yaml`;

interface Languages {
  source: string;
  target: string;
}

interface Line {
  key: string; // with dots
  value: string;
  meaning: string;
}

/// What the program must know and the page does not.
function fileLines({ source, target }: Languages): Line[] {
  return [
    { key: "data.directory", value: ".", meaning: "directory with the text files; relative to this file" },
    { key: "data.source_language", value: source, meaning: `the source is in train.${source}` },
    { key: "data.target_language", value: target, meaning: `the target is in train.${target}` },
    { key: "data.train", value: "train", meaning: "NAME of the training text" },
    { key: "data.valid", value: '""', meaning: "there is no validation text" },
    { key: "data.tests", value: "[]", meaning: "there are no test texts" },
    { key: "tokenizer.kind", value: "word", meaning: "split at white space, as in the page" },
  ];
}

const isSection = (key: string, section: string): boolean => key.startsWith(`${section}.`);

/// Training in the page has no end; in the program it needs one.
function withLimit(settings: Setting[]): Line[] {
  const limit: Line = { key: "training.max_epochs", value: "30", meaning: "stop after this many passes over the text" };
  return settings.flatMap((setting) =>
    setting.key === "training.max_updates" && Number(setting.value) === 0 ? [setting, limit] : [setting],
  );
}

/// The lines of one section: keys first, then the sections in it.
function writeSection(lines: Line[], section: string, depth: number): string[] {
  const indent = "  ".repeat(depth);
  const names = new Set(
    lines.filter(({ key }) => isSection(key, section)).map(({ key }) => key.slice(section.length + 1).split(".")[0]!),
  );
  const written = [...names].flatMap((name) => {
    const own = lines.find(({ key }) => key === `${section}.${name}`);
    if (!own) return writeSection(lines, `${section}.${name}`, depth + 1);
    return [`${`${indent}  ${name}: ${own.value}`.padEnd(31)} # ${own.meaning}`];
  });
  return [`${indent}${section.split(".").at(-1)}:`, ...written];
}

export function configFile(settings: Setting[], languages: Languages): string {
  const lines: Line[] = [...fileLines(languages), ...withLimit(settings)];
  const sections = [...new Set(lines.map(({ key }) => key.split(".")[0]!))];
  const head = [
    `# The model of the page "Glassformer live". Put this directory into the project's, beside configs, and train it with`,
    `# the same bits as the page:`,
    `#`,
    `#   ${TRAIN_COMMAND}`,
  ];
  return [...head, ...sections.flatMap((section) => ["", ...writeSection(lines, section, 0)]), ""].join("\n");
}

/// The config file and the text, in one directory.
export function filesOf(settings: Setting[], { source, target }: Text, languages: Languages): FileInZip[] {
  return [
    { name: `${DIRECTORY}/config.yaml`, text: configFile(settings, languages) },
    { name: `${DIRECTORY}/train.${languages.source}`, text: source },
    { name: `${DIRECTORY}/train.${languages.target}`, text: target },
  ];
}
