// How much a click flips, and the history.
import { Chooser } from "../../base/chooser";
import type { Trace } from "../../trace/trace";
import { canRedo, canUndo, changeMasks, masks, redo, undo } from "../pass_state";
import { running } from "../training_state";
import type { Reach } from "./mask_cells";
import { inAllSentences, reach } from "./mask_state";

const REACHES: { value: Reach; text: string }[] = [
  { value: "cell", text: "one cell" },
  { value: "row", text: "its row" },
  { value: "column", text: "its column" },
];

export function MaskBar({ trace }: { trace: Trace }) {
  return (
    <div class="mask-bar">
      <Chooser
        legend="A click flips"
        options={REACHES}
        chosen={reach.value}
        choose={(value) => (reach.value = value)}
      />
      {trace.sentences > 1 && (
        <Chooser
          legend="in"
          options={[
            { value: "one", text: "this sentence" },
            { value: "all", text: "all sentences" },
          ]}
          chosen={inAllSentences.value ? "all" : "one"}
          choose={(value) => (inAllSentences.value = value === "all")}
        />
      )}
      <p class="history">
        <button type="button" aria-disabled={!canUndo()} onClick={undo}>
          Undo
        </button>
        <button type="button" aria-disabled={!canRedo()} onClick={redo}>
          Redo
        </button>
        <button type="button" aria-disabled={masks.value === null} onClick={() => masks.value && changeMasks(null)}>
          Reset
        </button>
      </p>
      {running.value && <span class="note">The model is training. Your changes take effect after a moment.</span>}
    </div>
  );
}
