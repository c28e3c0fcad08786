// How many workers train the model, and how many updates a second each number of them has made.
import { changeWorkers, created, work, workers } from "./engine_state";
import { running, speeds } from "./training_state";
import { Chooser } from "../base/chooser";
import { whyNoMore, workerNumbers } from "./worker_numbers";

const CORES = navigator.hardwareConcurrency || 1;

export function WorkerChooser() {
  const shards = Number(created.value?.settings.find(({ key }) => key === "training.shards")?.value ?? 1);
  const options = workerNumbers(CORES, shards, workers.value).map((value) => ({
    value,
    text: optionText(value, speeds.value[value]),
  }));
  return (
    <>
      <Chooser
        legend="Workers"
        options={options}
        chosen={workers.value}
        choose={(count) => !running.value && void changeWorkers(count)}
      />
      <p class="note" role="status">
        {work.value?.startsWith("starting") ? `The engine is ${work.value} …` : hint(shards, options.length > 1)}
      </p>
    </>
  );
}

const optionText = (count: number, speed: number | undefined): string =>
  speed === undefined ? String(count) : `${count}: ${speed.toPrecision(3)} updates/s`;

function hint(shards: number, isChoice: boolean): string {
  return (
    `Each worker computes its share of every batch, so more workers are faster, and the bits are the same. ` +
    whyNoMore(CORES, shards) +
    (isChoice ? " If you change their number, the model keeps what it has learned." : "") +
    (isChoice && running.value ? " Stop training first." : "")
  );
}
