// The dialog that makes a model of the reader's own.
import { useSignal } from "@preact/signals";
import type { RefObject } from "preact";
import { useLayoutEffect } from "preact/hooks";
import { Chooser } from "../../base/chooser";
import { useUniqueId } from "../../base/unique_id";
import { starts } from "../starts";
import {
  base,
  chooseBase,
  isBlank,
  makeOwn,
  ownPairs,
  refusals,
  refusedModel,
  textKind,
  type TextKind,
} from "./model_state";
import { OwnText } from "./own_text";
import { SettingsForm } from "./settings_form";

const KINDS: { value: TextKind; text: string }[] = [
  { value: "lines", text: "your own text, in two fields" },
  { value: "tabs", text: "your own text, with a tab in each pair" },
  { value: "start", text: "the text that belongs to these settings" },
];

export function MakeModelDialog({ dialog }: { dialog: RefObject<HTMLDialogElement | null> }) {
  const title = useUniqueId();
  const making = useSignal(false);
  const refused = useSignal(0); // how often
  useLayoutEffect(() => {
    if (refused.value > 0) dialog.current?.querySelector<HTMLElement>("[aria-invalid='true'], .make-problem")?.focus();
  }, [refused.value]);
  const make = async () => {
    making.value = true;
    const made = await makeOwn();
    making.value = false;
    if (made)
      dialog.current?.close(); // the reader may have gone to another section
    else refused.value += 1;
  };
  const own = ownPairs.value;
  return (
    <dialog ref={dialog} class="make-model" aria-labelledby={title}>
      <h3 id={title}>Your own pairs and settings</h3>
      <Chooser
        legend="Settings as in"
        options={starts.value.map(({ id, title }) => ({ value: id, text: title }))}
        chosen={base.value.id}
        choose={(id) => chooseBase(starts.value.find((one) => one.id === id)!)}
      />
      <h4>Text</h4>
      <Chooser legend="Train on" options={KINDS} chosen={textKind.value} choose={(kind) => (textKind.value = kind)} />
      {own && <OwnText own={own} />}
      <h4>Settings</h4>
      <SettingsForm />
      <Foot making={making.value} make={() => void make()} cancel={() => dialog.current?.close()} />
    </dialog>
  );
}

interface FootProps {
  making: boolean;
  make: () => void;
  cancel: () => void;
}

/// Why the model was not made, and the buttons.
function Foot({ making, make, cancel }: FootProps) {
  const own = ownPairs.value;
  const wrong = Object.keys(refusals.value).length;
  const refusal = refusedModel.value?.key === null ? refusedModel.value.message : null;
  return (
    <div class="dialog-foot">
      {refusal && (
        <p class="warning make-problem" role="alert" tabIndex={-1}>
          {refusal}
        </p>
      )}
      <button
        type="button"
        class="main-button"
        disabled={making || wrong > 0 || (own !== null && (isBlank.value || own.problems.length > 0))}
        onClick={make}
      >
        Make this model
      </button>{" "}
      <button type="button" onClick={cancel}>
        Cancel
      </button>
      {wrong > 0 && <span class="note"> A setting above has a wrong value.</span>}
    </div>
  );
}
