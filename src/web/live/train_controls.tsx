// Buttons that train the model, and where training is.
import { useComputed } from "@preact/signals";
import { formatNumber } from "../base/numbers";
import { Curves } from "../figures/curve";
import { destination, lastUpdate, position, running, speed, stop, train, trainedFor, updates } from "./training_state";

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
  return (
    <dl class="figures">
      <Figure
        term="update"
        value={String(position.value)}
        note={last?.skipped ? "skipped: its gradient was not finite" : ""}
      />
      <Figure term="loss" value={last ? formatNumber(last.loss, 4) : "–"} note="of the update’s batch, with dropout" />
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

const Figure = ({ term, value, note }: { term: string; value: string; note: string }) => (
  <div>
    <dt>{term}</dt>
    <dd>{value}</dd>
    <dd class="note">{note}</dd>
  </div>
);

/// "1:05" minutes
const clock = (seconds: number): string =>
  `${Math.floor(seconds / 60)}:${String(Math.floor(seconds % 60)).padStart(2, "0")}`;

export function TrainCurves() {
  const x = useComputed(() => updates.value.map(({ number }) => number));
  const series = useComputed(() => [
    { name: "loss", values: updates.value.map(({ loss }) => loss) },
    { name: "learning rate", values: updates.value.map((update) => update.learning_rate) },
    { name: "gradient norm", values: updates.value.map((update) => update.gradient_norm) },
  ]);
  return <Curves name="Training" axis="update" x={x.value} series={series.value} marked={position.value} />;
}
