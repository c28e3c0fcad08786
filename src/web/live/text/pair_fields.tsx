// One sentence pair: two fields, what the vocabulary lacks, and buttons.
import { busy } from "../engine_state";
import { SentenceField } from "./sentence_field";
import { translateDraft, type Draft } from "./text_state";
import { tooLong } from "./limits";

interface Props {
  draft: Draft;
  place: number;
  count: number;
  move: (by: number) => void;
  remove: () => void;
}

export function PairFields({ draft, place, count, move, remove }: Props) {
  const name = `sentence ${place}`;
  return (
    <li data-draft={draft.id}>
      <div class="pair-fields" role="group" aria-label={`Sentence ${place}`}>
        <span class="place" aria-hidden="true">
          {place}
        </span>
        <SentenceField side="source" sentence={draft.source} name={`Source of ${name}`} draft={draft.id} />
        <SentenceField side="target" sentence={draft.target} name={`Target of ${name}`} draft={draft.id} />
        <p class="pair-buttons">
          <button
            type="button"
            class="quiet"
            disabled={busy.value || tooLong(draft.source) !== null}
            onClick={() => void translateDraft(draft)}
          >
            Use the model’s translation<span class="hidden"> of {name} as its target</span>
          </button>
          <button type="button" class="quiet up" disabled={place === 0} onClick={() => move(-1)}>
            <span aria-hidden="true">↑</span>
            <span class="hidden">Move {name} up</span>
          </button>
          <button type="button" class="quiet down" disabled={place === count - 1} onClick={() => move(1)}>
            <span aria-hidden="true">↓</span>
            <span class="hidden">Move {name} down</span>
          </button>
          <button type="button" class="quiet" disabled={count === 1} onClick={remove}>
            Remove<span class="hidden"> {name}</span>
          </button>
        </p>
      </div>
    </li>
  );
}
