// Readable names for parts of the model: "encoder.layers.0.self_attn" becomes "encoder layer 0 · self-attention".
// Layers are counted from 0, as in the code and in a checkpoint.

const PART_TITLES = {
  embedding: "embedding",
  embed_tokens: "embedding",
  self_attn: "self-attention",
  encoder_attn: "cross-attention",
  layer_norm: "final norm",
  feed_forward: "feed-forward",
  qkv_proj: "queries, keys and values",
  kv_proj: "keys and values",
  residual: "residual",
  q_proj: "queries",
  out_proj: "output",
  fc1: "expand",
  fc2: "contract",
  output: "logits",
};

/// The sublayer that a layer norm and its residual sum belong to.
const NORMED = {
  self_attn_layer_norm: "self-attention",
  encoder_attn_layer_norm: "cross-attention",
  final_layer_norm: "feed-forward",
};

const BLOCKS_OF = { fc1: "feed_forward", fc2: "feed_forward", embed_tokens: "embedding" };

/// The readable form of one name in a path. Post-norm adds and normalises after a sublayer; pre-norm normalises before.
function readableName(trace, name) {
  if (!NORMED[name]) return PART_TITLES[name] ?? name.replaceAll("_", " ");
  return trace.json.model.norm === "post" ? `add & norm after ${NORMED[name]}` : `norm & add around ${NORMED[name]}`;
}

/// "encoder.layers.0.self_attn.q_proj" -> ["encoder", "layer 0", "self-attention", "queries"]
function partNames(trace, part) {
  const names = part.replace(/^model\./, "").replace(/\.(weight|bias)$/, "");
  const words = [];
  for (const name of names.replace(/layers\.(\d+)/g, (_, layer) => `layer ${layer}`).split(".")) {
    const block = BLOCKS_OF[name];
    if (block && words.at(-1) !== PART_TITLES[block]) words.push(PART_TITLES[block]);
    const word = readableName(trace, name);
    if (word !== words.at(-1)) words.push(word);
  }
  return words;
}

/// "encoder layer 0 · self-attention"
function partTitle(trace, part) {
  const words = partNames(trace, part);
  return (/^layer \d/.test(words[1] ?? "") ? [`${words[0]} ${words[1]}`, ...words.slice(2)] : words).join(" · ");
}

/// The block that a step belongs to, for the table of contents: at most encoder, layer, sublayer.
const blockNames = (trace, part) => partNames(trace, part).slice(0, /\.layers\.\d/.test(`.${part}`) ? 3 : 2);

const ATTENTION_KINDS = {
  "encoder self": {
    title: "Encoder self-attention",
    mask: "encoder_padding",
    rows: "source",
    cols: "source",
  },
  "decoder self": {
    title: "Decoder self-attention",
    mask: "decoder_combined",
    rows: "target",
    cols: "target",
  },
  cross: {
    title: "Cross-attention",
    mask: "cross_padding",
    rows: "target",
    cols: "source",
  },
};

/// The kind of attention that a part belongs to, or undefined.
const kindOfPart = (trace, part) =>
  trace.json.attention.find((one) => part === one.part || part.startsWith(`${one.part}.`))?.kind;

const shapeText = (matrix) => `[${matrix.rows} × ${matrix.cols}]`;
