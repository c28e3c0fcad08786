"""Shared by the scripts that compare Glassformer with other programs: options, calls, a checkpoint's tokenizers."""

import json
import os
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path.append(str(ROOT / "scripts"))  # where convert_to_ctranslate2.py is


def add_options(parser, checkpoint_help):
    """Adds the arguments CHECKPOINT and --program."""
    parser.add_argument("checkpoint", type=Path, help=checkpoint_help)
    parser.add_argument("--program", default=ROOT / "build/release/glassformer", type=Path)


def check_options(parser, options, *files):
    """Refuses paths that do not exist. Replaces a run with its best checkpoint."""
    if not options.program.exists():
        parser.error(f"{options.program} does not exist; build it first (scripts/test.sh does), or give --program")
    for path in (options.checkpoint, *files):
        if not path.exists():
            parser.error(f"{path}: no such file or directory")
    if (options.checkpoint / "best").exists():
        options.checkpoint = options.checkpoint / "best"


def read_lines(file):
    return file.read_text(encoding="utf-8").removesuffix("\n").split("\n")


def run(options, command, *arguments, threads=None):
    """Returns the lines that `glassformer COMMAND CHECKPOINT ...` prints; if it fails, exits with its message."""
    environment = os.environ if threads is None else os.environ | {"OMP_NUM_THREADS": str(threads)}
    done = subprocess.run([options.program, command, options.checkpoint, *arguments], stdout=subprocess.PIPE,
                          stderr=subprocess.PIPE, encoding="utf-8", check=False, env=environment)
    if done.returncode != 0:
        sys.exit(f"{Path(sys.argv[0]).name}: {done.stderr}")
    return done.stdout.split("\n")[:-1]


class Tokenizer:
    """A model's tokenizer for one side ("source" or "target"): SentencePiece makes pieces, a table maps them to ids."""

    def __init__(self, directory, side):
        import sentencepiece
        own = directory / "target_vocab.json"
        table = own if side == "target" and own.exists() else directory / "vocab.json"
        self.model = sentencepiece.SentencePieceProcessor(model_file=str(directory / f"{side}.spm"))
        self.ids = json.loads(table.read_text(encoding="utf-8"))
        self.piece_of = {number: piece for piece, number in self.ids.items()}

    def pieces(self, lines):
        return self.model.encode(lines, out_type=str)

    def encode(self, lines):
        """The ids of each line, without bos and eos."""
        return [[self.id(piece) for piece in line] for line in self.pieces(lines)]

    def id(self, piece):
        return self.ids.get(piece, self.ids["<unk>"])

    def join(self, pieces):
        """decode_pieces leaves the word mark in pieces that only the other side has; here it becomes a space."""
        return self.model.decode_pieces(pieces).replace("\u2581", " ").strip()

    def decode(self, ids):
        return self.join([self.piece_of[number] for number in ids])
