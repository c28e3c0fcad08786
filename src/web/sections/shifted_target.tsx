// Decoder input above expected output. The sentence below says what the decoder must predict at the chosen position.
import { useSignal } from "@preact/signals";
import { PositionButton } from "../base/chooser";
import { range } from "../base/numbers";
import { ScrollBox } from "../base/tables";
import { blockedBy } from "../trace/reasons";
import type { Trace } from "../trace/trace";
import { PositionHeader, TokenRow } from "./token_table";
import "./shifted_target.css";

interface Props {
  trace: Trace;
  sentence: number;
  typed?: (word: number) => string | null; // a word of the target that the vocabulary lacks
}

export function ShiftedTarget({ trace, sentence, typed }: Props) {
  const { target, expected } = trace;
  const choice = useSignal(1);
  const chosen = Math.min(choice.value, target.length - 1);
  const canRead = (key: number) => !blockedBy(trace, "decoder self", sentence, chosen, key).length;
  return (
    <figure class="shift">
      <figcaption>Sentence {sentence}</figcaption>
      <ScrollBox name={`Decoder input and expected output of sentence ${sentence}`}>
        <table class="tokens shifted">
          <PositionHeader label="position">
            {range(target.length).map((position) => (
              <PositionButton
                group={`asked-${sentence}`}
                {...{ position, chosen }}
                choose={(position) => (choice.value = position)}
              />
            ))}
          </PositionHeader>
          <tbody>
            <TokenRow
              class="input"
              side={target}
              sentence={sentence}
              title="decoder input"
              mark={(position) => (canRead(position) ? "read" : "")}
              typed={(position) => typed?.(position - 1) ?? null}
            />
            <TokenRow
              class="asked-for"
              side={expected}
              sentence={sentence}
              title="expected output"
              mark={(position) => (position === chosen ? "asked" : "")}
              typed={(position) => typed?.(position) ?? null}
            />
          </tbody>
        </table>
      </ScrollBox>
      <output class="readout" aria-live="polite">
        <Task trace={trace} sentence={sentence} position={chosen} read={range(target.length).filter(canRead)} />
      </output>
    </figure>
  );
}

interface TaskProps {
  trace: Trace;
  sentence: number;
  position: number;
  read: number[]; // the positions that the decoder may read
}

function Task({ trace: { target, expected }, sentence, position, read }: TaskProps) {
  if (expected.isPad(sentence, position)) {
    return <>Position {position}: padding is expected here, and the loss ignores it.</>;
  }
  return (
    <>
      Position {position}: the decoder reads “
      <strong>
        <bdi class="boxed">{read.map((other) => target.token(sentence, other)).join(" ")}</bdi>
      </strong>
      ” and must predict “
      <strong>
        <bdi class="boxed">{expected.token(sentence, position)}</bdi>
      </strong>
      ”.
    </>
  );
}
