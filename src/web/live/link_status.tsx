// While the page follows a link: how far it has trained, and how to stop. Afterwards, what was wrong with the link.
import { linkMessage, target } from "./link_state";
import { position, stop } from "./training_state";

export function LinkStatus() {
  if (target.value !== null) {
    return (
      <p class="refusal">
        <span role="status">This link shows update {target.value}, so the page goes there.</span> It is at update{" "}
        {position.value}. <progress max={target.value} value={position.value} aria-label="Training" />{" "}
        <button type="button" class="quiet" onClick={stop}>
          Stop here
        </button>
      </p>
    );
  }
  if (linkMessage.value === null) return null;
  return (
    <p class="refusal" role="alert">
      {linkMessage.value}{" "}
      <button type="button" class="quiet" onClick={() => (linkMessage.value = null)}>
        Close
      </button>
    </p>
  );
}
