// One step of the walk: its equation, output, inputs, and the lines of C++ that computed it. A backward step also shows
// the forward lines that it differentiates.
import type { Signal } from "@preact/signals";
import { Fragment } from "preact";
import { useMemo } from "preact/hooks";
import { Equation, LettersOf } from "../figures/equation";
import { ExplainedNumber } from "../figures/explained_number";
import { Pointing } from "../figures/pointing";
import { ALL_SENTENCES } from "../figures/sentence_chooser";
import { SourceCode } from "../figures/source_code";
import { stepAddress } from "../figures/step_address";
import { TensorFigure } from "../figures/tensor_figure";
import { rowsPerSentence } from "../trace/places";
import { statementsOf } from "../trace/terms/statements";
import type { CellRef } from "../trace/terms/expression";
import type { Trace } from "../trace/trace";
import type { StepJson } from "../trace/types";
import "./step_view.css";

interface Props {
  trace: Trace;
  number: number;
  sentence: number; // or ALL_SENTENCES
  choose: (sentence: number) => void;
  cell: Signal<CellRef | null>; // chosen last in the walk
}

export function StepView({ trace, number, sentence, choose, cell }: Props) {
  const step = trace.step(number);
  const forward = step.differentiates;
  const pointing = useMemo(() => new Pointing(trace, number, cell), [trace, number]);
  const showRow = (tensor: number, row: number) => {
    const rows = rowsPerSentence(trace, tensor);
    if (rows && sentence !== ALL_SENTENCES && Math.floor(row / rows) !== sentence) choose(ALL_SENTENCES);
  };
  const statements = useMemo(() => statementsOf(trace, step).map(({ lines }) => lines), [trace, step]);
  return (
    <>
      <Equation trace={trace} step={step} />
      <LettersOf equation={step.equation} />
      <div class="step-parts">
        <div class="step-tensors">
          <h4>Output</h4>
          <TensorFigure tensor={step.output} role="output" {...{ trace, sentence, pointing }} />
          <Inputs {...{ trace, step, sentence, pointing }} />
        </div>
        <div class="step-side">
          <ExplainedNumber {...{ pointing, showRow }} />
          <h4>The code</h4>
          <SourceCode trace={trace} code={step.code} caption="These lines compute the output" statements={statements} />
          {forward && <Differentiated trace={trace} forward={forward} />}
          <BackwardLinks trace={trace} number={number} />
        </div>
      </div>
    </>
  );
}

interface InputsProps {
  trace: Trace;
  step: StepJson;
  sentence: number;
  pointing: Pointing;
}

/// An input that the equation uses under several names is shown once, with all of them.
function Inputs({ trace, step, sentence, pointing }: InputsProps) {
  const names = new Map<number, Set<string>>();
  for (const { tensor, name } of step.inputs) names.set(tensor, (names.get(tensor) ?? new Set()).add(name));
  if (names.size === 0) return null;
  return (
    <>
      <h4>{names.size > 1 ? "Inputs" : "Input"}</h4>
      {[...names].map(([tensor, its]) => (
        <TensorFigure key={tensor} role="in" name={[...its].join(", ")} {...{ trace, tensor, sentence, pointing }} />
      ))}
    </>
  );
}

function Differentiated({ trace, forward }: { trace: Trace; forward: NonNullable<StepJson["differentiates"]> }) {
  const { step, file, lines } = forward;
  return (
    <>
      <p class="differentiates">
        This step differentiates{" "}
        <a href={stepAddress(step)} class="forward-step">
          forward step {step + 1}
        </a>
        :
      </p>
      <Equation trace={trace} step={trace.step(step)} />
      <SourceCode trace={trace} code={{ file, lines }} caption="The lines of the forward step" />
    </>
  );
}

/// Links to the backward steps that differentiate a forward step.
function BackwardLinks({ trace, number }: { trace: Trace; number: number }) {
  const steps = [...trace.steps.keys()].filter((step) => trace.step(step).differentiates?.step === number);
  if (!steps.length) return null;
  return (
    <p class="way-back">
      In the backward pass:
      {steps.map((step) => (
        <Fragment key={step}>
          {" "}
          <a href={stepAddress(step)}>
            {trace.tensor(trace.step(step).output).name} in step {step + 1}
          </a>
        </Fragment>
      ))}
    </p>
  );
}
