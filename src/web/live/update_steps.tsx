// The update of one number, step by step: what happens, the equation, the digits, and the lines of C++.
import type { ComponentChildren } from "preact";
import source from "source:src/training/optimizer.cpp";
import { formatNumber } from "../base/numbers";
import { Listing } from "../figures/source_code";
import type { UpdateNumbers } from "../engine/protocol";
import type { OptimizerValues, SharedNumbers, WeightUpdate } from "./adam";
import { ADAM_LINES, findLines } from "./optimizer_lines";
import "../figures/equation.css";
import "./update_steps.css";

const FILE = "src/training/optimizer.cpp";
const show = (number: number) => formatNumber(number, 8);
/// Behind an operator: "0.1 − (−0.2)".
const after = (number: number) => (number < 0 ? `(${show(number)})` : show(number));

interface StepProps {
  title: string;
  says: string;
  equation: string;
  digits: string;
  more?: string; // below the digits
  lines: (keyof typeof ADAM_LINES)[]; // one after the other
}

function Step({ title, says, equation, digits, more, lines }: StepProps) {
  const found = lines.map((name) => findLines(source, ADAM_LINES[name]));
  const [first, last] = [found[0]![0], found.at(-1)![1]];
  return (
    <li class="update-step">
      <h3>{title}</h3>
      <p>{says}</p>
      <p class="equation">{equation}</p>
      <p class="digits">{digits}</p>
      {more && <p class="note">{more}</p>}
      <Listing text={source} code={{ file: FILE, lines: [first, last] }} caption={title} context={0} />
    </li>
  );
}

interface UpdateProps {
  values: OptimizerValues;
  update: UpdateNumbers;
  updates: number; // t
  shared: SharedNumbers;
  weight: WeightUpdate;
}

export const UpdateSteps = (props: UpdateProps): ComponentChildren => (
  <ol class="update-steps">
    <Clipping {...props} />
    <Decay {...props} />
    <Moments {...props} />
    <Correction {...props} />
    <Weight {...props} />
  </ol>
);

function Clipping({ values, update, shared, weight }: UpdateProps) {
  const clipped = shared.scale !== 1;
  const limit = show(values.clipNorm);
  const norm = show(update.gradient_norm);
  return (
    <Step
      title="Clip the gradient"
      says={
        values.clipNorm === 0
          ? "Clipping is off."
          : `The norm of the whole gradient, over all tensors, is ${norm}. ` +
            (clipped
              ? `It is above ${limit}, so every number of the gradient is scaled down by the same factor.`
              : `It is not above ${limit}, so the gradient stays as it is.`)
      }
      equation={clipped ? "g = gradient · clip_norm / norm" : "g = gradient"}
      digits={
        clipped
          ? `${show(weight.gradient)} · ${limit} / ${norm} = ${show(weight.gradient)} · ${show(shared.scale)} = ` +
            `${show(weight.clipped)} = g`
          : show(weight.gradient)
      }
      lines={["clip", "scale"]}
    />
  );
}

function Decay({ values, weight, shared }: UpdateProps) {
  const { kind, weightDecay: decay } = values;
  if (decay === 0) return null;
  if (kind === "adam") {
    return (
      <Step
        title="Weight decay, through the gradient"
        says="A small part of the weight is added to its gradient, which pulls the weight towards 0."
        equation="g = g + weight_decay · weight"
        digits={`${show(weight.clipped)} + ${show(decay)} · ${after(weight.before)} = ${show(weight.used)}`}
        lines={["gradient"]}
      />
    );
  }
  return (
    <Step
      title="Weight decay"
      says="The weight shrinks a little, whatever its gradient is."
      equation="weight = (1 − rate · weight_decay) · weight"
      digits={`${show(shared.keep)} · ${after(weight.before)} = ${show(weight.decayed)}`}
      lines={["decay"]}
    />
  );
}

function Moments({ values, weight }: UpdateProps) {
  const [keep1, new1] = [values.beta1, 1 - values.beta1].map(show);
  const [keep2, new2] = [values.beta2, 1 - values.beta2].map(show);
  return (
    <>
      <Step
        title="m: the mean of recent gradients"
        says="m keeps most of its old value, and takes in a little of the new gradient."
        equation="m = β₁ · m + (1 − β₁) · g"
        digits={`${keep1} · ${after(weight.mBefore)} + ${new1} · ${after(weight.used)} = ${show(weight.m)}`}
        lines={["m"]}
      />
      <Step
        title="v: the mean of recent squared gradients"
        says="The same with squares. So v says how large the gradients of this weight usually are, whatever their sign."
        equation="v = β₂ · v + (1 − β₂) · g²"
        digits={`${keep2} · ${show(weight.vBefore)} + ${new2} · (${show(weight.used)})² = ${show(weight.v)}`}
        lines={["v"]}
      />
    </>
  );
}

function Correction({ values, update, updates, shared }: UpdateProps) {
  const power = (beta: number) => `(1 − ${beta}^${updates})`;
  return (
    <Step
      title="Bias correction, and the learning rate"
      says={
        "m and v begin at 0, so at first they are too close to 0. This is update " +
        `t = ${updates}: the factors of all gradients in m add up to ${show(shared.remaining1)} instead of 1, those in v ` +
        `to ${show(shared.remaining2)}. Dividing by these makes up for it. The divisors are the same for all weights, ` +
        "so they become part of two factors."
      }
      equation="step = rate / (1 − β₁^t)     factor = 1 / √(1 − β₂^t)"
      digits={
        `step = ${show(update.learning_rate)} / ${power(values.beta1)} = ${show(shared.step)}     ` +
        `factor = 1 / √${power(values.beta2)} = ${show(shared.sqrtFactor)}`
      }
      more={divisorsText(values, updates)}
      lines={["step", "sqrtFactor"]}
    />
  );
}

/// The correction matters only in the first updates.
function divisorsText({ beta1, beta2 }: OptimizerValues, updates: number): string {
  const divisors = (t: number) =>
    `m is divided by ${formatNumber(1 - beta1 ** t, 3)}, v by ${formatNumber(1 - beta2 ** t, 3)}`;
  const early = [1, 10].filter((t) => t !== updates).map((t) => `At t = ${t}, ${divisors(t)}. `);
  return `${early.join("")}Now, at t = ${updates}, ${divisors(updates)}.`;
}

function Weight({ values, shared, weight }: UpdateProps) {
  return (
    <Step
      title="The weight"
      says={
        "√v is the typical size of this weight’s gradient. So m / √v is about 1 or −1 if recent gradients agree, and near 0 " +
        "if they cancel out, however large they are. ε avoids a division by 0."
      }
      equation="weight = weight − step · m / (√v · factor + ε)"
      digits={
        `${show(weight.decayed)} − ${show(shared.step)} · ${after(weight.m)} / (√(${show(weight.v)}) · ` +
        `${show(shared.sqrtFactor)} + ${show(values.epsilon)}) = ${show(weight.decayed)} − ${after(weight.change)} = ` +
        show(weight.after)
      }
      lines={["weight"]}
    />
  );
}
