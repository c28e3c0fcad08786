// Which step of the search is shown: previous, next, play, and a slider for long searches.
import { playing, search, showSteps, shownSteps } from "./search_state";

export function StepControls() {
  const count = search.value!.tree.steps.length;
  const shown = shownSteps.value;
  return (
    <div class="search-steps" role="group" aria-label="Steps of the search">
      <button type="button" aria-disabled={shown <= 1} onClick={() => showSteps(shown - 1)}>
        ‹ Previous
      </button>
      <button type="button" aria-disabled={shown >= count} onClick={() => showSteps(shown + 1)}>
        Next ›
      </button>
      <button type="button" aria-disabled={count <= 1} onClick={() => count > 1 && play(shown >= count)}>
        {playing.value ? "Pause" : "Play"}
      </button>
      <label>
        <input
          type="range"
          min={1}
          max={Math.max(1, count)}
          value={shown}
          aria-label="Step of the search"
          aria-valuetext={`step ${shown} of ${count}`}
          onInput={(event) => showSteps(Number(event.currentTarget.value))}
        />{" "}
        <span class="number">
          Step {shown} of {count}
        </span>
      </label>
    </div>
  );
}

function play(fromStart: boolean): void {
  if (!playing.value && fromStart) showSteps(1);
  playing.value = !playing.value;
}
