// Train the model: one update, ten, or until you stop.
import { formatNumber } from "../base/numbers";
import { busy } from "./engine_state";
import { lastUpdate, position, running, stop, train } from "./training_state";

export function TrainSection() {
  const last = lastUpdate.value;
  return (
    <>
      <p>
        <button type="button" disabled={busy.value} onClick={() => void train(1)}>
          One update
        </button>{" "}
        <button type="button" disabled={busy.value} onClick={() => void train(10)}>
          Ten updates
        </button>{" "}
        {running.value ? (
          <button type="button" onClick={stop}>
            Stop
          </button>
        ) : (
          <button type="button" disabled={busy.value} onClick={() => void train()}>
            Train until I stop
          </button>
        )}
      </p>
      <p role="status">
        Update {position.value}
        {last && `, loss ${formatNumber(last.loss)}`}
      </p>
    </>
  );
}
