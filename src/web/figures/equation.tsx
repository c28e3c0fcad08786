// The equation of a step. Each input links to the step that computed it, if the trace has that step.
import type { ComponentChildren } from "preact";
import { partTitle } from "../trace/names";
import type { Trace } from "../trace/trace";
import type { InputJson, StepJson } from "../trace/types";
import { originText } from "./origin";
import { stepAddress } from "./step_address";
import "./equation.css";

/// "W^T" with a superscript T, "sqrt(...)" as "√(...)".
const typeset = (text: string): ComponentChildren[] =>
  text
    .replaceAll("sqrt(", "√(")
    .replaceAll("-infinity", "−∞")
    .replaceAll(/(^| )- /g, "$1− ")
    .split(/(\^T\b)/)
    .map((piece) => (piece === "^T" ? <sup>T</sup> : piece));

function Input({ trace, input }: { trace: Trace; input: InputJson }) {
  const producer = trace.producer(input.tensor);
  if (producer === undefined) {
    const title = originText(trace, input.tensor, input.name);
    return (
      <span class="input given" title={title}>
        {input.name}
        <span class="hidden"> ({title.split(":")[0]})</span>
      </span>
    );
  }
  const title = `computed in step ${producer + 1}: ${partTitle(trace, trace.step(producer).part)}`;
  return (
    <a class="input" href={stepAddress(producer)} title={title}>
      {input.name}
    </a>
  );
}

/// Letters of an equation that mean something else elsewhere.
const LETTERS: [equation: RegExp, meaning: string][] = [
  [
    /sqrt\(d_head\)/,
    "d_head is the width of a head. The paper calls it d_k; here, d_k is the gradient of k, the keys.",
  ],
  [/q_v log|\} - q\)/, "p is the predicted distribution, q the target distribution (not the queries)."],
];

export function LettersOf({ equation }: { equation: string }) {
  const meaning = LETTERS.find(([those]) => those.test(equation))?.[1];
  return meaning ? <p class="note">{meaning}</p> : null;
}

export function Equation({ trace, step }: { trace: Trace; step: StepJson }) {
  const byName = new Map(step.inputs.map((input) => [input.name, input]));
  const [result = "", ...rest] = step.equation.split(/\s*(\+?=)\s*/);
  if (rest.length === 0) return <p class="equation">{typeset(result)}</p>;
  const shown = rest
    .join(" ")
    .split(/\{([^}]+)\}/) // every second piece is a name
    .map((piece, i) => {
      if (i % 2 === 0) return typeset(piece);
      const input = byName.get(piece);
      return input ? <Input trace={trace} input={input} /> : piece;
    });
  return (
    <p class="equation">
      <span class="output">{typeset(result)}</span> {shown}
    </p>
  );
}
