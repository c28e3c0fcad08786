// Fields for the reader's own pairs. A file can be opened or dropped into each.
import type { Signal } from "@preact/signals";
import { useSignal } from "@preact/signals";
import { useUniqueId } from "../../base/unique_id";
import { isBlank, sourceLines, tabbedPairs, targetLines, textKind } from "./model_state";
import { firstOf, type OwnPairs } from "./own_pairs";

const MOST_BYTES = 5_000_000;

export function OwnText({ own }: { own: OwnPairs }) {
  return (
    <>
      {textKind.value === "tabs" ? (
        <TextField title="Pairs: one per line, with a tab between source and target" lines={tabbedPairs} />
      ) : (
        <div class="text-fields">
          <TextField title="Source: one sentence per line" lines={sourceLines} />
          <TextField title="Target: the translations, line by line" lines={targetLines} />
        </div>
      )}
      <p class="note">20 to 5,000 pairs. Text is split into words at white space, so put spaces around punctuation.</p>
      <div role="status" class="text-checks">
        {!isBlank.value && <Checks own={own} />}
      </div>
    </>
  );
}

function Checks({ own: { count, problems, remarks } }: { own: OwnPairs }) {
  const list = (messages: string[]) => (
    <ul>
      {firstOf(messages).map((message) => (
        <li key={message}>{message}</li>
      ))}
    </ul>
  );
  if (problems.length > 0) return <div class="warning">{list(problems)}</div>;
  return (
    <>
      <p>{count.toLocaleString("en")} pairs.</p>
      {remarks.length > 0 && list(remarks)}
    </>
  );
}

/// Reads a file that the reader opens or drops.
function useTextFile(lines: Signal<string>) {
  const problem = useSignal<string | null>(null);
  const over = useSignal(false); // whether a file hovers over the field
  const read = async (file: File | undefined) => {
    if (!file) return;
    problem.value = null;
    if (file.size > MOST_BYTES)
      problem.value = `${file.name}: expected at most 5 MB, found ${(file.size / 1e6).toFixed(1)} MB.`;
    else lines.value = await file.text();
  };
  const dropping = {
    onDragOver(event: DragEvent) {
      event.preventDefault();
      over.value = true;
    },
    onDragLeave: () => void (over.value = false),
    onDrop(event: DragEvent) {
      if (!event.dataTransfer?.files.length) return;
      event.preventDefault();
      over.value = false;
      void read(event.dataTransfer.files[0]);
    },
  };
  return { problem, over, read, dropping };
}

function TextField({ title, lines }: { title: string; lines: Signal<string> }) {
  const id = useUniqueId();
  const { problem, over, read, dropping } = useTextFile(lines);
  return (
    <div class={over.value ? "text-field over" : "text-field"} {...dropping}>
      <label for={id}>{title}</label>
      <textarea
        id={id}
        dir="auto"
        rows={8}
        wrap="off"
        spellcheck={false}
        value={lines.value}
        onInput={(event) => (lines.value = event.currentTarget.value)}
      />
      <label class="file-button">
        Open or drop a file <span class="hidden">with {title}</span>
        <input
          type="file"
          accept=".txt,.tsv,text/*"
          onChange={(event) => {
            void read(event.currentTarget.files?.[0]);
            event.currentTarget.value = ""; // so that the same file can be opened again
          }}
        />
      </label>
      {problem.value && (
        <p class="warning" role="alert">
          {problem.value}
        </p>
      )}
    </div>
  );
}
