// Walk through the last update: how one number of one tensor was changed.
import { useEffect } from "preact/hooks";
import { formatNumber } from "../base/numbers";
import type { UpdateNumbers } from "../engine/protocol";
import { isForMuon } from "./adam";
import { lastUpdate, position, running, train } from "./training_state";
import {
  cell,
  chooseTensor,
  counted,
  isRead,
  loadUpdate,
  numbers,
  optimizer,
  recomputed,
  sizes,
  tensor,
  tensors,
} from "./update_state";
import { UpdateMaps } from "./update_maps";
import { MuonUpdate } from "./update_muon";
import { UpdateSteps } from "./update_steps";
import "../sections/answer_section.css";
import "./update_section.css";

export function UpdateSection() {
  useEffect(() => {
    if (!running.value) void loadUpdate();
  }, [tensor.value, position.value, running.value, tensors.value]);
  return (
    <>
      <p class="lead">
        The gradient says how the loss changes with each weight. The optimizer turns it into a change of the weight.
        Choose a tensor and a number in it, and see how the last update changed it.
      </p>
      <p class="make-update">
        <button type="button" aria-disabled={running.value} onClick={() => void train(1)}>
          Make an update
        </button>{" "}
        <span role="status">{statusText()}</span>
      </p>
      {numbers.value && <LastUpdate update={numbers.value} />}
    </>
  );
}

function statusText(): string {
  if (numbers.value) return `This is update ${numbers.value.number}.`;
  if (!isRead.value) return running.value ? "The model is training." : "Reading the update …";
  if (position.value === 0) return "There has been no update yet. Make one.";
  return `The weights are those after update ${position.value}, but they were restored from a snapshot. Make an update to see its numbers.`;
}

function LastUpdate({ update }: { update: UpdateNumbers }) {
  return (
    <>
      <TensorChooser />
      <div class="update">
        <div>
          <CellChooser />
          {isForMuon(optimizer.value, update.name) ? <MuonUpdate /> : <Steps update={update} />}
        </div>
        <UpdateMaps update={update} />
      </div>
    </>
  );
}

function TensorChooser() {
  return (
    <p>
      <label>
        Tensor{" "}
        <select value={tensor.value} onChange={(event) => chooseTensor(event.currentTarget.value)}>
          {tensors.value.map(({ name, shape }) => (
            <option key={name} value={name}>
              {name.replace(/^model\./, "")} [{shape.join(", ")}]
            </option>
          ))}
        </select>
      </label>
    </p>
  );
}

function CellChooser() {
  const [rows, cols] = sizes.value;
  const field = (name: "row" | "col", title: string, count: number) => (
    <label>
      {title}{" "}
      <input
        type="number"
        min={0}
        max={count - 1}
        value={cell.value[name]}
        onInput={(event) => {
          const number = event.currentTarget.valueAsNumber;
          if (Number.isInteger(number) && number >= 0 && number < count) cell.value = { ...cell.value, [name]: number };
        }}
      />
    </label>
  );
  return (
    <p class="cell-chooser">
      The number in {field("row", "row", rows)} {field("col", "column", cols)}. You can also choose one in a matrix.
    </p>
  );
}

function Steps({ update }: { update: UpdateNumbers }) {
  const { shared, weight, engine } = recomputed.value!;
  if (lastUpdate.value?.skipped)
    return <p class="warning">This update was skipped, because its gradient was not finite.</p>;
  const same = [weight.m, weight.v, weight.after].every((number, i) =>
    Object.is(number, [engine.m, engine.v, engine.after][i]),
  );
  return (
    <>
      <UpdateSteps {...{ update, shared, weight }} values={optimizer.value} updates={counted.value} />
      <dl class="figures">
        <div>
          <dt>weight before</dt>
          <dd>{formatNumber(weight.before, 8)}</dd>
        </div>
        <div>
          <dt>weight after</dt>
          <dd>{formatNumber(engine.after, 8)}</dd>
        </div>
      </dl>
      <p class={same ? "note" : "warning"}>
        {same
          ? "The page has recomputed this in float32, operation by operation: m, v and the weight are the engine’s, bit for bit."
          : `The page has recomputed this, and its weight is not the engine’s: ${weight.after} instead of ${engine.after}.`}
      </p>
    </>
  );
}
