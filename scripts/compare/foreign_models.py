"""Makes Marian models as other people do: Hugging Face's transformers initializes them, trains them a little and saves
them with save_pretrained. Used by check_interop.py and make_marian_fixtures.py.

    pip install torch==2.13.0 transformers safetensors sentencepiece
"""

import io
import json
from pathlib import Path

import sentencepiece
import torch
from transformers import MarianConfig, MarianMTModel, MarianTokenizer

# The models cover every activation, every way to tie embeddings, and both scaled and unscaled embeddings. "opus"
# follows the conventions of OPUS-MT: </s> is the first id and <pad> the last; decoding begins with <pad>, whose
# embedding is 0; two SentencePiece models share one table of ids, which includes language codes; weights have 16 bits.
MODELS = {
    "opus": {"activation_function": "swish", "share_encoder_decoder_embeddings": True, "tie_word_embeddings": True,
             "scale_embedding": True},
    "untied": {"activation_function": "gelu", "share_encoder_decoder_embeddings": False, "tie_word_embeddings": False,
               "scale_embedding": False},
    "target_tied": {"activation_function": "relu", "share_encoder_decoder_embeddings": False,
                    "tie_word_embeddings": True, "scale_embedding": True},
}


def train_sentencepiece(lines, size):
    model = io.BytesIO()
    sentencepiece.SentencePieceTrainer.train(
        sentence_iterator=iter(lines), model_writer=model, vocab_size=size, model_type="unigram",
        normalization_rule_name="identity", character_coverage=1.0, hard_vocab_limit=False, minloglevel=3,
        num_threads=1)
    return model.getvalue()


def pieces_of(model):
    processor = sentencepiece.SentencePieceProcessor(model_proto=model)
    special = ("<unk>", "<s>", "</s>")
    return [piece for piece in map(processor.id_to_piece, range(processor.get_piece_size())) if piece not in special]


def write_tokenizer(directory, opus, source_lines, target_lines, size, idle):
    """Writes source.spm, target.spm and the tables of ids; returns the two vocabulary sizes."""
    models = [train_sentencepiece(lines, size) for lines in (source_lines, target_lines)]
    for name, model in zip(("source", "target"), models):
        (directory / f"{name}.spm").write_bytes(model)
    tables = [pieces_of(model) for model in models]
    if opus:
        joint = sorted(set(tables[0] + tables[1]))
        lists = [["</s>", "<unk>", ">>deu<<", *joint, *(f"\u2581idle{i}" for i in range(idle)), "<pad>"]]
    else:
        lists = [["<pad>", "<s>", "</s>", "<unk>", *table] for table in tables]
    files = [directory / "vocab.json", directory / "target_vocab.json"][:len(lists)]
    for file, pieces in zip(files, lists):
        file.write_text(json.dumps({piece: i for i, piece in enumerate(pieces)}, ensure_ascii=False, indent=0),
                        encoding="utf-8")
    tokenizer = MarianTokenizer(
        str(directory / "source.spm"), str(directory / "target.spm"), str(files[0]),
        target_vocab_file=None if opus else str(files[1]), separate_vocabs=not opus, source_lang="en", target_lang="de")
    tokenizer.save_pretrained(directory)
    return len(lists[0]), len(lists[-1])


def train(model, tokenizer, source_lines, target_lines, updates):
    """Trains a little, so that translations depend on the source and end with eos."""
    model.final_logits_bias.normal_(0, 0.1)  # OPUS-MT's is not 0 either
    optimizer = torch.optim.Adam(model.parameters(), lr=0.005)
    for update in range(updates):
        chosen = torch.randint(len(source_lines), (32,)).tolist()
        batch = tokenizer([source_lines[i] for i in chosen], text_target=[target_lines[i] for i in chosen],
                          return_tensors="pt", padding=True)
        batch["labels"][batch["labels"] == tokenizer.pad_token_id] = -100
        model(**batch).loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        if model.config.decoder_start_token_id == tokenizer.pad_token_id:
            with torch.no_grad():  # decoding begins with an embedding of 0
                model.model.shared.weight[tokenizer.pad_token_id] = 0
    model.eval()


def make_model(name, directory, source_lines, target_lines, *, pieces, width, layers, updates, seed, idle=1000):
    """Writes the model to the directory. "opus" also gets `idle` unused pieces, which make its vocabulary large."""
    directory = Path(directory)
    directory.mkdir(parents=True, exist_ok=True)
    opus = name == "opus"
    sizes = write_tokenizer(directory, opus, source_lines, target_lines, pieces, idle)
    pad = sizes[0] - 1 if opus else 0
    config = MarianConfig(
        vocab_size=sizes[0], decoder_vocab_size=sizes[1], d_model=width, encoder_layers=layers[0],
        decoder_layers=layers[1], encoder_attention_heads=4, decoder_attention_heads=4, encoder_ffn_dim=2 * width,
        decoder_ffn_dim=2 * width, init_std=0.1, pad_token_id=pad, eos_token_id=0 if opus else 2,
        bos_token_id=0 if opus else 1, decoder_start_token_id=pad if opus else 1, forced_eos_token_id=None,
        **MODELS[name])
    torch.manual_seed(seed)
    model = MarianMTModel(config)
    train(model, MarianTokenizer.from_pretrained(directory), source_lines, target_lines, updates)
    model.generation_config.bad_words_ids = [[pad]]
    model.generation_config.num_beams = 4
    model.generation_config.max_length = 256
    (model.half() if opus else model).save_pretrained(directory)
