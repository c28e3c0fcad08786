// The sentences of the batch as fields: 1 to 8 pairs, which can be added, removed and moved.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { start, text } from "../engine_state";
import { running } from "../training_state";
import { MOST_PAIRS } from "./limits";
import { PairFields } from "./pair_fields";
import { examplesOf } from "./text_examples";
import { drafts, newDraft, refused, setDrafts, type Draft } from "./text_state";
import "./text_editor.css";

/// Adds, moves and removes pairs. The focus follows a pair that moves, and `said` tells where it is.
function usePairList() {
  const list = useRef<HTMLOListElement>(null);
  const focused = useSignal<string | null>(null); // a selector of buttons: the first that does something gets the focus
  const said = useSignal("");
  useLayoutEffect(() => {
    if (focused.value === null) return;
    const wanted = [...list.current!.parentElement!.querySelectorAll<HTMLButtonElement>(focused.value)];
    wanted.find((button) => button.getAttribute("aria-disabled") !== "true")?.focus();
    focused.value = null;
  });
  const move = (draft: Draft, by: number) => {
    const all = drafts.peek();
    const from = all.indexOf(draft);
    const wanted = `[data-draft="${draft.id}"]`;
    focused.value = `${wanted} ${by < 0 ? ".up" : ".down"}, ${wanted} ${by < 0 ? ".down" : ".up"}`;
    said.value = `Sentence ${from} is now sentence ${from + by}.`;
    setDrafts(all.toSpliced(from, 1).toSpliced(from + by, 0, draft));
  };
  const remove = (draft: Draft) => {
    focused.value = ".add-pair";
    said.value = `Sentence ${drafts.peek().indexOf(draft)} was removed.`;
    setDrafts(drafts.peek().filter((other) => other !== draft));
  };
  const add = () => {
    const draft = newDraft({ source: "", target: "" });
    setDrafts([...drafts.peek(), draft]);
    const field = `[data-draft="${draft.id}"] textarea`;
    requestAnimationFrame(() => list.current?.querySelector<HTMLElement>(field)?.focus());
  };
  return { list, said, move, remove, add };
}

export function TextEditor() {
  const { list, said, move, remove, add } = usePairList();
  const all = drafts.value;
  return (
    <div class="text-editor">
      <ol class="pair-list" ref={list}>
        {all.map((draft, place) => (
          <PairFields
            key={draft.id}
            {...{ draft, place, count: all.length }}
            move={(by) => move(draft, by)}
            remove={() => remove(draft)}
          />
        ))}
      </ol>
      <p class="pair-list-foot">
        <button type="button" class="add-pair" disabled={all.length >= MOST_PAIRS} onClick={add}>
          Add a sentence
        </button>
        {all.length >= MOST_PAIRS && <span class="note">The page shows at most {MOST_PAIRS} sentences.</span>}
      </p>
      <Examples />
      <p class="hidden" role="status">
        {said.value}
      </p>
      <Waiting />
    </div>
  );
}

/// Why the page below does not show the text yet.
function Waiting() {
  return (
    <>
      {running.value && (
        <p class="note" role="status">
          The model is training. The numbers follow your changes after a moment.
        </p>
      )}
      {refused.value && (
        <p class="warning" role="status">
          A sentence is too long, so the page still shows the text from before.
        </p>
      )}
    </>
  );
}

function Examples() {
  const examples = useMemo(() => examplesOf(text.value, start.value.pairs), [text.value, start.value]);
  return (
    <p class="examples">
      <span>Examples:</span>
      {examples.map(({ title, pairs }) => (
        <button key={title} type="button" class="quiet" onClick={() => setDrafts(pairs.map(newDraft))}>
          {title}
        </button>
      ))}
    </p>
  );
}
