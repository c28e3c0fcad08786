// How many workers train the model, and how many updates a second each number of them has made.
import { changeWorkers, work, workers } from "./engine_state";
import { running, speeds } from "./training_state";
import { Chooser } from "../base/chooser";
import { plural } from "../base/numbers";

const NUMBERS = [1, 2, 4].filter((count) => count <= (navigator.hardwareConcurrency || 1));

export function WorkerChooser() {
  const options = NUMBERS.map((value) => ({ value, text: optionText(value, speeds.value[value]) }));
  return (
    <>
      <Chooser
        legend="Workers"
        options={options}
        chosen={workers.value}
        choose={(count) => !running.value && void changeWorkers(count)}
      />
      <p class="note" role="status">
        {work.value?.startsWith("starting") ? `The engine is ${work.value} …` : hint()}
      </p>
    </>
  );
}

const optionText = (count: number, speed: number | undefined): string =>
  speed === undefined ? String(count) : `${count}: ${speed.toPrecision(3)} updates/s`;

function hint(): string {
  const cores = navigator.hardwareConcurrency || 1;
  return (
    `Each worker computes its share of every batch, so more workers are faster, and the bits are the same. ` +
    `This machine has ${plural(cores, "core")}. If you change their number, the model keeps what it has learned.` +
    (running.value ? " Stop training first." : "")
  );
}
