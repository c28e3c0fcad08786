"""What scripts share that hold Glassformer against another program: how it is run, and a checkpoint's tokenizers."""

import json
import os
import re
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent


def add_options(parser, checkpoint_help):
    """CHECKPOINT and --program."""
    parser.add_argument("checkpoint", type=Path, help=checkpoint_help)
    parser.add_argument("--program", default=ROOT / "build/release/glassformer", type=Path)


def check_options(parser, options, *files):
    """Refuses what is not there. Of a run, its best checkpoint is taken."""
    if not options.program.exists():
        parser.error(f"{options.program} is not there; build it first (scripts/test.sh does), or say --program")
    for path in (options.checkpoint, *files):
        if not path.exists():
            parser.error(f"{path}: no such file or directory")
    if (options.checkpoint / "best").exists():
        options.checkpoint = options.checkpoint / "best"


def read_lines(file):
    return file.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def run(options, verb, *arguments, threads=None):
    """The lines that `glassformer VERB CHECKPOINT ...` prints; ends the script with its message if it fails."""
    environment = os.environ if threads is None else os.environ | {"OMP_NUM_THREADS": str(threads)}
    done = subprocess.run([options.program, verb, options.checkpoint, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", check=False, env=environment)
    if done.returncode != 0:
        sys.exit(f"{Path(sys.argv[0]).name}: {done.stderr}")
    return done.stdout.split("\n")[:-1]


class Tokenizer:
    """A checkpoint's tokenizer of one side ("source" or "target"), of either kind."""

    def __init__(self, checkpoint, side):
        words = checkpoint / f"{side}.vocab.json"
        self.words = json.loads(words.read_text(encoding="utf-8")) if words.exists() else None
        if self.words is None:
            import sentencepiece
            self.subwords = sentencepiece.SentencePieceProcessor(model_file=str(checkpoint / f"{side}.spm"))
        else:
            self.ids = {word: number for number, word in enumerate(self.words) if number >= 4}

    def encode(self, lines):
        """The ids of each line, without bos and eos."""
        if self.words is None:
            return self.subwords.encode(lines)
        unknown = 3
        # Unicode's white space, which Python's has four control characters more than.
        return [[self.ids.get(word, unknown) for word in re.split(r"[^\S\x1c-\x1f]+", line) if word] for line in lines]

    def decode(self, ids):
        return self.subwords.decode(ids) if self.words is None else " ".join(self.words[number] for number in ids)
