// The buttons Previous and Next, a slider, and the pass as a strip: encoder, decoder, loss, and back.
import { stepAddress } from "../figures/step_address";
import { partNames, partTitle } from "../trace/names";
import type { Trace } from "../trace/trace";
import type { StepJson } from "../trace/types";
import { MapButton } from "./map_panel";
import "./walk_bar.css";

interface Props {
  trace: Trace;
  number: number;
  go: (step: number) => void;
}

export function WalkBar({ trace, number, go }: Props) {
  const last = trace.steps.length - 1;
  return (
    <div class="walk-bar" role="group" aria-label="Steps">
      <button type="button" class="previous" disabled={number === 0} onClick={() => go(number - 1)}>
        ‹ Previous
      </button>
      <div class="track">
        <PassStrip trace={trace} number={number} />
        <input
          type="range"
          id="slider"
          min={1}
          max={last + 1}
          value={number + 1}
          aria-label="Step"
          aria-valuetext={`step ${number + 1}, ${partTitle(trace, trace.step(number).part)}`}
          onInput={(event) => go(Number(event.currentTarget.value) - 1)}
        />
      </div>
      <button type="button" class="next" disabled={number === last} onClick={() => go(number + 1)}>
        Next ›
      </button>
      <MapButton />
    </div>
  );
}

/// Consecutive steps of one direction in the same part of the model.
interface Stretch {
  name: string;
  direction: StepJson["direction"];
  first: number;
  count: number;
}

function stretchesOf(trace: Trace): Stretch[] {
  const stretches: Stretch[] = [];
  trace.steps.forEach(({ direction, part }, number) => {
    const name = /^(encoder|decoder)\./.test(part) ? partNames(trace, part)[0]! : "loss";
    const last = stretches.at(-1);
    if (last && (last.name === name || part === "decoder") && last.direction === direction) last.count += 1;
    else stretches.push({ name, direction, first: number, count: 1 });
  });
  return stretches;
}

/// A link for each stretch. More steps make it wider.
function PassStrip({ trace, number }: { trace: Trace; number: number }) {
  return (
    <nav class="strip" aria-label="Overview of the pass">
      {stretchesOf(trace).map(({ name, direction, first, count }) => (
        <a
          key={first}
          class={`stretch ${direction}`}
          href={stepAddress(first)}
          style={`flex-grow: ${count}`}
          title={`${direction}, ${name}`}
          aria-current={number >= first && number < first + count ? "step" : undefined}
        >
          <span>{direction === "forward" ? `${name} →` : `← ${name}`}</span>
        </a>
      ))}
    </nav>
  );
}
