// A slider over all updates: it goes back to any of them, and forward again.
import { useSignal, type Signal } from "@preact/signals";
import { useEffect } from "preact/hooks";
import { plural } from "../base/numbers";
import { destination, farthest, goTo, position, running, snapshots, stop } from "./training_state";
import "./time_slider.css";

const SETTLE = 250; // milliseconds without a change, after which the slider means it

/// The update that the reader has moved the slider to, until the page goes there.
function useWanted(): Signal<number | null> {
  const chosen = useSignal<number | null>(null);
  const wanted = chosen.value;
  useEffect(() => {
    if (wanted === null) return;
    const timer = setTimeout(() => {
      const last = chosen.peek() ?? wanted; // the reader may have moved it since this was drawn
      chosen.value = null;
      void goTo(last);
    }, SETTLE);
    return () => clearTimeout(timer);
  }, [wanted]);
  return chosen;
}

export function TimeSlider() {
  const last = farthest.value;
  const chosen = useWanted();
  if (last === 0) return <p class="note">After the first update, you can go back to any update with a slider here.</p>;
  const trains = running.value && destination.value === null;
  const shown = chosen.value ?? destination.value ?? position.value;
  return (
    <div class="time">
      <label>
        <span>
          Update {shown} of {last}
        </span>
        <input
          type="range"
          min={0}
          max={last}
          value={shown}
          list="snapshots"
          aria-disabled={trains}
          onInput={({ currentTarget }) => {
            if (trains) currentTarget.value = String(shown);
            else chosen.value = Number(currentTarget.value);
          }}
        />
      </label>
      <datalist id="snapshots">
        {snapshots.value.map(({ update, name }) => (
          <option key={update} value={update} label={name ?? undefined} />
        ))}
      </datalist>
      <SnapshotButtons trains={trains} />
      <p class="note" role="status">
        <Way />
      </p>
    </div>
  );
}

const SnapshotButtons = ({ trains }: { trains: boolean }) => (
  <p class="snapshots">
    Snapshots:{" "}
    {snapshots.value.map(({ update, name }) => (
      <button key={update} type="button" class="quiet" aria-disabled={trains} onClick={() => void goTo(update)}>
        {name ?? `update ${update}`}
      </button>
    ))}
  </p>
);

/// Where it is on its way.
function Way() {
  const to = destination.value;
  if (to === null) {
    return "The page goes to a snapshot at once. For any other update, it trains again from the snapshot before it, and gets the same bits.";
  }
  if (snapshots.value.some(({ update }) => update === to)) return `Going to the snapshot of update ${to} …`;
  const rest = to - position.value;
  return (
    <>
      Training again from the last snapshot: at update {position.value}, {plural(Math.max(rest, 0), "update")} to go.{" "}
      <button type="button" onClick={stop}>
        Stop here
      </button>
    </>
  );
}
