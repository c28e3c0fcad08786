// One step of the walk: its equation, output, inputs, and the lines of C++ that computed it. A backward step also shows
// the forward lines that it differentiates.
import { Fragment } from "preact";
import { Equation } from "../figures/equation";
import { SourceCode } from "../figures/source_code";
import { stepAddress } from "../figures/step_address";
import { TensorFigure } from "../figures/tensor_figure";
import type { Trace } from "../trace/trace";
import type { StepJson } from "../trace/types";
import "./step_view.css";

interface Props {
  trace: Trace;
  number: number;
  sentence: number;
}

export function StepView({ trace, number, sentence }: Props) {
  const step = trace.step(number);
  const forward = step.differentiates;
  return (
    <>
      <Equation trace={trace} step={step} />
      <div class="step-parts">
        <div class="step-tensors">
          <h4>Output</h4>
          <TensorFigure tensor={step.output} role="output" {...{ trace, sentence }} />
          <Inputs {...{ trace, step, sentence }} />
        </div>
        <div class="step-code">
          <h4>The code</h4>
          <SourceCode trace={trace} code={step.code} caption="These lines compute the output" />
          {forward && <Differentiated trace={trace} forward={forward} />}
          <BackwardLinks trace={trace} number={number} />
        </div>
      </div>
    </>
  );
}

/// An input that the equation uses under several names is shown once, with all of them.
function Inputs({ trace, step, sentence }: { trace: Trace; step: StepJson; sentence: number }) {
  const names = new Map<number, Set<string>>();
  for (const { tensor, name } of step.inputs) names.set(tensor, (names.get(tensor) ?? new Set()).add(name));
  if (names.size === 0) return null;
  return (
    <>
      <h4>{names.size > 1 ? "Inputs" : "Input"}</h4>
      {[...names].map(([tensor, its]) => (
        <TensorFigure key={tensor} role="in" name={[...its].join(", ")} {...{ trace, tensor, sentence }} />
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
