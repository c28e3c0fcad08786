// How one number of a step's output was computed, in its digits: "0.766 = exp(1.23) / (exp(1.23) + exp(−0.11))".
// Each number that comes from an input is a button that moves the cursor to its cell.
import { useSignal } from "@preact/signals";
import { Fragment } from "preact";
import { useEffect, useLayoutEffect, useRef } from "preact/hooks";
import { formatNumber } from "../base/numbers";
import { placeOfCell } from "../trace/places";
import type { Explanation } from "../trace/terms/explain";
import { digitsOf, plainText, type Line, type Piece } from "../trace/terms/formula";
import { statementsOfCell } from "../trace/terms/statements";
import { styleOfInput } from "./input_style";
import type { Pointing } from "./pointing";
import "./explained_number.css";

interface Props {
  pointing: Pointing;
  showRow: (tensor: number, row: number) => void; // makes the page show this row, if it does not
}

export function ExplainedNumber({ pointing, showRow }: Props) {
  const explanation = pointing.explanation.value;
  const speaks = explanation !== undefined;
  const place = useRef<HTMLElement>(null);
  // It comes into sight if the reader has scrolled the column that it stands in.
  useLayoutEffect(() => {
    if (speaks) place.current!.closest(".step-side")?.scrollTo({ top: 0 });
  }, [speaks]);
  return (
    <section
      ref={place}
      class={explanation ? "explained-number speaking" : "explained-number"}
      aria-label="How a number was computed"
    >
      <h4>One number</h4>
      {explanation ? (
        <Formula {...{ pointing, showRow, explanation }} />
      ) : (
        <p class="note">
          Point at a number of the output, tap it, or move the cursor to it, to see how it was computed.
        </p>
      )}
      <Announcement pointing={pointing} />
    </section>
  );
}

function Formula({ pointing, showRow, explanation }: Props & { explanation: Explanation }) {
  const { trace, step } = pointing;
  const { tensor, row, col } = pointing.explained.value!;
  const notes = [...explanation.notes, ...roundingNotes(pointing, explanation)];
  return (
    <>
      <p class="note">
        <code>{trace.tensor(step.output).name}</code> · {placeOfCell(trace, tensor, row, col)}
      </p>
      {explanation.lines.map((line, i) => (
        <p key={i} class={i === 0 ? "formula" : "formula where"}>
          <Pieces line={line} {...{ pointing, showRow }} />
        </p>
      ))}
      {notes.map((line, i) => (
        <p key={i} class="note">
          <Pieces line={line} {...{ pointing, showRow }} />
        </p>
      ))}
      <Statements pointing={pointing} />
    </>
  );
}

/// The lines of C++ that computed the number.
function Statements({ pointing: { trace, step, explained } }: { pointing: Pointing }) {
  const statements = statementsOfCell(trace, step, explained.value!);
  return (
    <div class="statements">
      {statements.map(({ lines, text }) => (
        <p key={lines[0]}>
          <span class="line-number">{`${step.code.file.split("/").at(-1)}:${lines[0]} `}</span>
          <code>{text}</code>
        </p>
      ))}
    </div>
  );
}

/// A line breaks between words only: "exp(1.23)" is one.
function Pieces({ line, ...props }: Props & { line: Line }) {
  return wordsOf(line).map((word, i) => (
    <Fragment key={i}>
      {i > 0 && " "}
      <span class={word[0]?.kind === "gap" ? "gap" : "word"}>
        {word.map((piece, k) =>
          piece.kind === "number" ? <NumberPiece key={k} piece={piece} isResult={i === 0} {...props} /> : piece.text,
        )}
      </span>
    </Fragment>
  ));
}

/// The pieces between spaces.
function wordsOf(line: Line): Line[] {
  const words: Line[] = [[]];
  for (const piece of line) {
    if (piece.kind !== "text") {
      words.at(-1)!.push(piece);
      continue;
    }
    piece.text.split(" ").forEach((text, i) => {
      if (i > 0) words.push([]);
      if (text) words.at(-1)!.push({ kind: "text", text });
    });
  }
  return words.filter((word) => word.length > 0);
}

type NumberProps = Props & { piece: Piece & { kind: "number" }; isResult: boolean };

function NumberPiece({ piece, isResult, pointing, showRow }: NumberProps) {
  const { text, value, cell, name } = piece;
  if (!cell) {
    return isResult ? <strong title={name}>{text}</strong> : <span title={name}>{text}</span>;
  }
  const { trace } = pointing;
  const input = pointing.step.inputs.find(({ tensor }) => tensor === cell.tensor);
  const title = `${input?.name} · ${placeOfCell(trace, cell.tensor, cell.row, cell.col)}: ${formatNumber(value)}`;
  const emphasise = () => (pointing.emphasised.value = cell);
  const release = () => (pointing.emphasised.value = null);
  const go = () => {
    pointing.asked.value = cell;
    showRow(cell.tensor, cell.row);
  };
  return (
    <button
      type="button"
      class={`term ${styleOfInput(pointing.placeOfInput(cell.tensor))}`}
      title={title}
      onPointerEnter={emphasise}
      onPointerLeave={release}
      onFocus={emphasise}
      onBlur={release}
      onClick={go}
    >
      {text}
    </button>
  );
}

/// What to say if the formula, with the numbers of this page, gives other digits than the program computed.
function roundingNotes({ trace, step }: Pointing, { recorded, value }: Explanation): Line[] {
  const { digits } = trace.matrix(step.output);
  if (!Number.isFinite(value) || digitsOf(value, digits) === digitsOf(recorded, digits)) return [];
  const isPacked = [step.output, ...step.inputs.map(({ tensor }) => tensor)].some(
    (tensor) => trace.tensor(tensor).values.packed !== undefined,
  );
  const rounds = isPacked ? "This page rounds its numbers" : "The program rounds after each operation, to 24 bits";
  return [[{ kind: "text", text: `${rounds}: the formula gives ${digitsOf(value)}.` }]];
}

const PAUSE = 600; // milliseconds

/// Tells screen readers the formula of the number at the cursor, once the cursor rests. The pointer makes it say nothing.
function Announcement({ pointing }: { pointing: Pointing }) {
  const text = useSignal("");
  const pinned = pointing.pinned.value;
  useEffect(() => {
    const timer = setTimeout(() => {
      const { lines = [], notes = [] } = (pinned && pointing.explanation.peek()) ?? {};
      text.value = [lines.map(plainText).join(", "), ...notes.map(plainText)].join(". ");
    }, PAUSE);
    return () => clearTimeout(timer);
  }, [pinned, pointing]);
  return (
    <output class="hidden" aria-live="polite">
      {text}
    </output>
  );
}
