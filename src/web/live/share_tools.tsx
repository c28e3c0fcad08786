// Copies a link to what the page shows. A browser that does not let the page copy shows the link instead, selected.
import { useSignal } from "@preact/signals";
import { useLayoutEffect, useRef } from "preact/hooks";
import { created } from "./engine_state";
import { currentLink } from "./link_state";

export function ShareTools() {
  const said = useSignal("");
  const shown = useSignal<string | null>(null);
  const copy = async () => {
    const { address, without } = currentLink();
    shown.value = null;
    const left = without.length > 0 ? ` It cannot hold ${without.join(", nor ")}.` : "";
    try {
      await navigator.clipboard.writeText(address);
      said.value = `Copied.${left}`;
    } catch {
      shown.value = address;
      said.value = `Copy the selected text.${left}`;
    }
  };
  return (
    <section aria-labelledby="menu-share">
      <h2 id="menu-share">Share</h2>
      <p class="note">
        A link holds the sentences, the masks, the update, where you are, and your own training text if it is short. If
        somebody else opens the page from a file, they append the part from # on to the address of their own copy.
      </p>
      <p>
        <button type="button" disabled={!created.value} onClick={() => void copy()}>
          Copy link
        </button>{" "}
        <span role="status">{said.value}</span>
      </p>
      {shown.value !== null && <SelectedText text={shown.value} />}
    </section>
  );
}

function SelectedText({ text }: { text: string }) {
  const field = useRef<HTMLTextAreaElement>(null);
  useLayoutEffect(() => {
    field.current!.focus();
    field.current!.select();
  }, [text]);
  return <textarea ref={field} class="link-text" readOnly rows={4} value={text} aria-label="The link" />;
}
