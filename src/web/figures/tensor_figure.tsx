// A recorded matrix: its name, its shape, where it comes from, and its numbers. The figure shows the rows of the chosen
// sentence, head by head if the matrix has heads.
import { axisTerms, batchAxis, numberAxis, plainAxis, predictionAxis, sideOfTerm, tokenAxis } from "../trace/axes";
import type { Cells } from "../trace/matrix";
import { kindOfPart } from "../trace/names";
import { rowsPerSentence } from "../trace/places";
import { blockedLaterIn } from "../trace/reasons";
import type { Trace } from "../trace/trace";
import type { TensorJson } from "../trace/types";
import { HeadRow } from "./head_row";
import { HeatMap, type HeatMapProps } from "./heat_map";
import { styleOfInput } from "./input_style";
import { Origin } from "./origin";
import type { Pointing } from "./pointing";
import { scaleFor, type Scale } from "./scale";
import { ALL_SENTENCES, sentencesShown } from "./sentence_chooser";
import "./tensor_figure.css";

interface Props {
  trace: Trace;
  tensor: number;
  sentence: number; // or ALL_SENTENCES
  role: "output" | "in";
  name?: string; // by default, the name of the tensor
  pointing: Pointing;
}

export function TensorFigure({ trace, tensor, sentence, role, name, pointing }: Props) {
  const json = trace.tensor(tensor);
  const isByHead = /^B\*H\*/.test(axisTerms(trace, json)[0]);
  return (
    <figure class={`tensor ${role}`} data-tensor={tensor}>
      <figcaption>
        <code class={`name ${styleOfInput(pointing.placeOfInput(tensor))}`}>{name ?? json.name}</code>
        <span class="shape">{shapeOf(trace, json)}</span>
        {role === "output" ? <span class="origin">this step’s output</span> : <Origin {...{ trace, tensor }} />}
      </figcaption>
      {isByHead ? (
        <HeadMaps {...{ trace, tensor, sentence, pointing }} />
      ) : (
        <PlainMap {...{ trace, tensor, sentence, pointing }} />
      )}
    </figure>
  );
}

/// "B·S × D = 30 × 64" for the axes "B*S, D". In the map's legend, V is the size of the target vocabulary, so the text
/// says if it is that of the source here, and if the axis of a large vocabulary is cut. (Exported for a test.)
export function shapeOf(trace: Trace, tensor: TensorJson): string {
  const terms = axisTerms(trace, tensor);
  const { ids, vocabulary, values } = tensor;
  const [rows, cols] = [values.rows, values.cols].map((count, i) => (ids && terms[i] === "V" ? vocabulary : count));
  const letters = terms.map((term) => term.replaceAll("*", "·"));
  const [named, counted] = [letters.join(" × "), `${rows} × ${cols}`];
  const shape = terms.every(Boolean) && named !== counted ? `${named} = ${counted}` : counted; // not "1 × 1 = 1 × 1"
  const { source, target } = trace.json.vocabulary;
  const isSource = tensor.vocabulary_of === "source" && source.length !== target.length;
  const which = isSource && terms.includes("V") ? " (source vocabulary)" : "";
  return `${shape}${which}${ids ? `, shown for ${ids.length} of ${vocabulary} tokens` : ""}`;
}

type MapsProps = Omit<Props, "role" | "name">;

function HeadMaps({ trace, tensor, sentence, pointing }: MapsProps) {
  const json = trace.tensor(tensor);
  const [rowTerm, colTerm] = axisTerms(trace, json);
  return sentencesShown(trace, sentence).map((one, i) => (
    <HeadRow
      key={i}
      trace={trace}
      name={json.name}
      matrix={trace.matrix(tensor)}
      sentence={one}
      queries={sideOfTerm(trace, rowTerm)}
      keys={sideOfTerm(trace, colTerm)}
      kind={kindOfPart(trace, json.part)}
      blockedLater={blockedLaterIn(trace, json)}
      link={{ pointing, tensor }}
    />
  ));
}

function PlainMap({ trace, tensor, sentence, pointing }: MapsProps) {
  const firstRow = sentence === ALL_SENTENCES ? 0 : sentence * (rowsPerSentence(trace, tensor) ?? 0);
  return <HeatMap {...mapOf(trace, tensor, sentence)} link={{ pointing, tensor, firstRow }} />;
}

/// Ids are names, not amounts: they are shown without colours or decimals.
const idCells = (matrix: Cells, largest: number) => ({
  matrix,
  letters: String(largest).length,
  short: (row: number, col: number) => String(matrix.at(row, col)),
  scale: { kind: "amount" as const, limit: Infinity },
  unscaled: true,
});

/// Masks, and what dropout keeps: 0 or 1, without decimals.
const switchCells = (matrix: Cells, scale: Scale) => ({
  matrix,
  scale,
  letters: 1,
  short: (row: number, col: number) => String(matrix.at(row, col)),
});

/// The map of a matrix without heads: the rows of one sentence or of all, or the whole matrix if its rows are not tokens.
function mapOf(trace: Trace, index: number, sentence: number): HeatMapProps {
  const tensor = trace.tensor(index);
  const all = trace.matrix(index);
  const { name } = tensor;
  const [rowTerm, colTerm] = axisTerms(trace, tensor);
  const cols = plainAxis(trace, colTerm, tensor, false);
  const cells = (matrix: Cells) => {
    if (name === "id" || name === "expected") return idCells(matrix, all.extent.most);
    const scale = scaleFor(all);
    return name === "mask" || name === "kept" ? switchCells(matrix, scale) : { matrix, scale };
  };
  if (rowTerm === "B" && sentence !== ALL_SENTENCES) {
    const one = { ...numberAxis(() => `sentence ${sentence}`), tokens: true, short: () => "" };
    const tokens = /^[ST]$/.test(colTerm) ? tokenAxis(sideOfTerm(trace, colTerm, name), sentence) : cols;
    return { name, ...cells(all.rowsFrom(sentence, 1)), rows: one, cols: tokens };
  }
  if (!/^B\*[ST]$/.test(rowTerm)) return { name, cols, ...cells(all), rows: plainAxis(trace, rowTerm, tensor, true) };
  const side = sideOfTerm(trace, rowTerm, name);
  const predicts = tensor.part === "loss" || colTerm === "V";
  if (sentence === ALL_SENTENCES) {
    const rows = predicts ? predictionAxis(trace, sentencesShown(trace, sentence)) : batchAxis(side);
    return { name, cols, ...cells(all), rows };
  }
  const rows = predicts ? predictionAxis(trace, [sentence]) : tokenAxis(side, sentence);
  return { name, cols, ...cells(all.rowsFrom(sentence * side.length, side.length)), rows };
}
