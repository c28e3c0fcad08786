// Buttons that train the model, and where training is.
import { useComputed } from "@preact/signals";
import { Figure } from "../base/figure";
import { formatNumber } from "../base/numbers";
import { Curves } from "../figures/curve";
import { destination, lastUpdate, position, running, speed, stop, train, trainedFor, updates } from "./training_state";
import { curveOf, curveStep } from "./update_log";

export function TrainButtons() {
  const trains = running.value;
  return (
    <p class="train-buttons">
      <button type="button" aria-disabled={trains} onClick={() => void train(1)}>
        One update
      </button>{" "}
      <button type="button" aria-disabled={trains} onClick={() => void train(10)}>
        Ten updates
      </button>{" "}
      <button type="button" class="main" onClick={() => (trains ? stop() : void train())}>
        {trains ? (destination.value === null ? "Stop" : "Stop here") : "Train until I stop"}
      </button>
    </p>
  );
}

export function TrainFigures() {
  const last = lastUpdate.value;
  const isUnknown = !last && position.value > 0;
  return (
    <dl class="figures">
      <Figure
        term="update"
        value={String(position.value)}
        note={last?.skipped ? "skipped: its gradient was not finite" : ""}
      />
      <Figure
        term="loss"
        value={last ? formatNumber(last.loss, 4) : "–"}
        note={isUnknown ? "unknown: not made in this page" : "of the update’s batch, with dropout"}
      />
      <Figure term="learning rate" value={last ? formatNumber(last.learning_rate, 3) : "–"} note="" />
      <Figure term="gradient norm" value={last ? formatNumber(last.gradient_norm, 3) : "–"} note="before clipping" />
      <Figure
        term="speed"
        value={speed.value === null ? "–" : speed.value.toPrecision(3)}
        note={speed.value === null ? "not training" : "updates per second"}
      />
      <Figure term="time so far" value={clock(trainedFor.value)} note="" />
    </dl>
  );
}

/// "1:05" minutes
const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

export function TrainCurves() {
  const places = useComputed(() => curveOf(updates.value, position.value));
  const x = useComputed(() => places.value.map(({ number }) => number));
  const series = useComputed(() => [
    { name: "loss", values: places.value.map(({ update }) => update?.loss) },
    { name: "learning rate", values: places.value.map(({ update }) => update?.learning_rate) },
    { name: "gradient norm", values: places.value.map(({ update }) => update?.gradient_norm) },
  ]);
  const { list } = updates.value;
  const first = list[0]?.number;
  const hasGaps = list.length < Math.max(position.value, list.at(-1)?.number ?? 0);
  const step = curveStep(updates.value);
  return (
    <>
      <Curves name="Training" axis="update" x={x.value} series={series.value} marked={position.value} />
      {step > 1 && <p class="note">There are many updates, so the curves show one in {step}.</p>}
      {hasGaps && (
        <p class="note">
          {first === undefined
            ? "The curves begin with the next update"
            : "The curves have only the updates that this page has made"}
          : a snapshot has the weights, but not the losses on the way to it.
        </p>
      )}
    </>
  );
}
