// For sections that say more about a trained model: how far training is, and a way to skip it.
import { goTo, position, running, snapshots, trainsUntil } from "./training_state";

/// "update 29 of 200"
export function TrainingProgress() {
  const end = trainsUntil.value;
  return (
    <>
      update {position.value}
      {end !== null && ` of ${end}`}
    </>
  );
}

/// A button that goes to the end of training, if a snapshot of it came with the page.
export function TrainedSnapshot() {
  const last = snapshots.value.findLast(({ name }) => name !== null);
  if (!last || position.value >= last.update) return null;
  return (
    <button type="button" aria-disabled={running.value} onClick={() => void goTo(last.update)}>
      Go to the {last.name}
    </button>
  );
}
