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
  const [isFirst, isLast, isOnly] = [place === 0, place === count - 1, count === 1];
  const canTranslate = !busy.value && tooLong(draft.source) === null;
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
            aria-disabled={!canTranslate}
            onClick={() => canTranslate && void translateDraft(draft)}
          >
            Use the model’s translation<span class="hidden"> of {name} as its target</span>
          </button>
          <button type="button" class="quiet up" aria-disabled={isFirst} onClick={() => !isFirst && move(-1)}>
            <span aria-hidden="true">↑</span>
            <span class="hidden">Move {name} up</span>
          </button>
          <button type="button" class="quiet down" aria-disabled={isLast} onClick={() => !isLast && move(1)}>
            <span aria-hidden="true">↓</span>
            <span class="hidden">Move {name} down</span>
          </button>
          <button type="button" class="quiet" aria-disabled={isOnly} onClick={() => !isOnly && remove()}>
            Remove<span class="hidden"> {name}</span>
          </button>
        </p>
      </div>
    </li>
  );
}
