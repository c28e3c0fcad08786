// From text to numbers: tokens, ids, padding, and the target shifted right.
import type { ComponentChildren } from "preact";
import { ScrollBox } from "../base/tables";
import { plural, range } from "../base/numbers";
import type { Side, Trace } from "../trace/trace";
import type { SentenceJson } from "../trace/types";
import type { SectionProps } from "./choices";
import { ShiftedTarget } from "./shifted_target";
import { PositionHeader, TokenRow } from "./token_table";
import "./text_section.css";

/// What a page adds if the text can be changed there.
export interface TextTools {
  sentences: ComponentChildren; // instead of the list of sentences
  typed(side: "source" | "target", sentence: number, word: number): string | null; // a word that the vocabulary lacks
}

export function TextSection({ trace, tools }: SectionProps & { tools?: TextTools }) {
  const { source, target } = trace;
  return (
    <>
      <p class="lead">
        A model reads numbers, so every token becomes an id. The sentences of a batch are <b>padded</b> to the same
        length
        {source.hasPadding || target.hasPadding
          ? ": see the hatched cells below."
          : "; this batch needs no padding."}{" "}
        This page counts sentences, positions, heads, layers, rows and columns from 0, as the code does, but steps and
        updates from 1.
      </p>
      {tools?.sentences ?? (
        <ol class="sentences" start={0}>
          {trace.json.sentences.map((sentence, i) => (
            <Sentence key={i} {...sentence} />
          ))}
        </ol>
      )}
      <p class="note">The model: {[...(tools ? [] : [trace.json.checkpoint]), ...facts(trace)].join(" · ")}.</p>
      <Source trace={trace} tools={tools} />
      <Target trace={trace} tools={tools} />
    </>
  );
}

interface PartProps {
  trace: Trace;
  tools: TextTools | undefined;
}

function Source({ trace, tools }: PartProps) {
  const { source } = trace;
  return (
    <>
      <h3>
        The source <Shape trace={trace} side={source} />
      </h3>
      <p>Each row is one sentence. The encoder gets these ids and nothing else.</p>
      <ScrollBox name="Source tokens and ids">
        <table class="tokens">
          <PositionHeader label="position">{range(source.length)}</PositionHeader>
          <tbody>
            {range(trace.sentences).map((sentence) => (
              <TokenRow
                key={sentence}
                side={source}
                sentence={sentence}
                title={`sentence ${sentence}`}
                typed={(position) => tools?.typed("source", sentence, position) ?? null}
              />
            ))}
          </tbody>
        </table>
      </ScrollBox>
    </>
  );
}

function Target({ trace, tools }: PartProps) {
  return (
    <>
      <h3>
        The target, shifted right <Shape trace={trace} side={trace.target} />
      </h3>
      <p>
        The decoder’s input begins with a start token, so every token is one position further to the right than in the
        expected output. At each position the decoder reads{" "}
        {trace.isOn("decoder_combined", "future")
          ? "the tokens up to this position"
          : "all the tokens, because its look-ahead mask is off,"}{" "}
        and must predict the token below. Without the shift, it would read the answer at its own position, and no mask
        hides that. It reads the expected tokens, not its own predictions: this is <b>teacher forcing</b>. Choose a
        position to see what the decoder must predict there.
      </p>
      {range(trace.sentences).map((sentence) => (
        <ShiftedTarget
          key={sentence}
          trace={trace}
          sentence={sentence}
          typed={(word) => tools?.typed("target", sentence, word) ?? null}
        />
      ))}
    </>
  );
}

const Shape = ({ trace, side }: { trace: Trace; side: Side }) => (
  <span class="shape">
    [{plural(trace.sentences, "sentence")} × {plural(side.length, "position")}]
  </span>
);

const Sentence = ({ source, target, own_translation: own }: SentenceJson) => (
  <li>
    <bdi class="quote">{source}</bdi> → <bdi class="quote">{target}</bdi>
    {own && <span class="note"> (the model’s own translation, because none was given)</span>}
  </li>
);

function facts(trace: Trace): string[] {
  const { model } = trace.json;
  return [
    `${plural(model.encoder_layers, "encoder layer")} and ${plural(model.decoder_layers, "decoder layer")}`,
    `width ${model.d_model} · ${plural(model.heads, "head")}`,
    `${model.parameters.toLocaleString("en")} parameters`,
    `${model.norm}-norm`,
    model.activation,
    trace.hasDropout() ? "with dropout in the pass shown here" : "no dropout in the pass shown here",
  ];
}
