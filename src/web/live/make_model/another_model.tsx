// What the model learns from, and how to make another one: from a start, or from the reader's own pairs and settings.
import { useRef } from "preact/hooks";
import { zipFile } from "../../base/zip_file";
import { created, start, text } from "../engine_state";
import { starts } from "../starts";
import { DIRECTORY, filesOf, TRAIN_COMMAND } from "./config_file";
import { MakeModelDialog } from "./make_model_dialog";
import { startFrom } from "./model_state";
import "./another_model.css";

export function AnotherModel() {
  const dialog = useRef<HTMLDialogElement>(null);
  return (
    <section class="another-model">
      <h3>The text that the model learns from</h3>
      <Facts />
      <h4>Start from</h4>
      <ul class="starts">
        {starts.value.map((one) => (
          <li key={one.id}>
            <button
              type="button"
              aria-current={one.id === start.value.id ? "true" : undefined}
              onClick={() => void startFrom(one)}
            >
              <b>{one.title}</b>
              <span class="note">{one.says}</span>
            </button>
          </li>
        ))}
        <li>
          <button
            type="button"
            aria-haspopup="dialog"
            aria-current={start.value.id === "own" ? "true" : undefined}
            onClick={() => dialog.current!.showModal()}
          >
            <b>Your own pairs and settings …</b>
            <span class="note">20 to 5,000 sentence pairs</span>
          </button>
        </li>
      </ul>
      <MakeModelDialog dialog={dialog} />
      <h4>Train it outside the page</h4>
      <p>
        <button type="button" onClick={download}>
          Download config.yaml and the text
        </button>
      </p>
      <p class="note">
        Unpack the file in the project’s directory, so that <code>{DIRECTORY}</code> lies beside <code>configs</code>.
        Then <code>{TRAIN_COMMAND}</code> trains the same model, with the same bits.
      </p>
    </section>
  );
}

function Facts() {
  if (!created.value) return null;
  const { pairs, batches, vocabulary, remarks } = created.value;
  return (
    <>
      <p>
        {start.value.title}: {pairs.toLocaleString("en")} sentence pairs, {batches.toLocaleString("en")}{" "}
        {batches === 1 ? "batch" : "batches"} per epoch. The vocabularies have{" "}
        {vocabulary.source.length.toLocaleString("en")} and {vocabulary.target.length.toLocaleString("en")} tokens.
      </p>
      {remarks.length > 0 && (
        <ul class="remarks">
          {remarks.map((remark) => (
            <li key={remark}>{remark}</li>
          ))}
        </ul>
      )}
    </>
  );
}

function download(): void {
  const { "data.source_language": source = "source", "data.target_language": target = "target" } = start.peek().values;
  const bytes = zipFile(filesOf(created.peek()!.settings, text.peek(), { source, target }));
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([bytes], { type: "application/zip" }));
  link.download = `${DIRECTORY}.zip`;
  link.click();
  setTimeout(() => URL.revokeObjectURL(link.href), 10_000); // the download has begun by then
}
