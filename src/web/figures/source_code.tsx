// Lines of the program's source code: those that computed a step, marked, and a few lines of context.
import { useSignal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { ScrollBox } from "../base/tables";
import type { Trace } from "../trace/trace";
import type { CodeJson } from "../trace/types";
import "./source_code.css";

const CONTEXT_LINES = 7;
const KEYWORDS =
  "auto bool break case class const constexpr continue double else float for if int namespace return static struct " +
  "switch template using void while";
const CODE_WORDS = new RegExp(`(//.*$)|("(?:[^"\\\\]|\\\\.)*")|\\b(?:${KEYWORDS.replaceAll(" ", "|")})\\b`, "g");

/// One line in pieces: comments, strings and keywords get elements of their own.
export function codePieces(line: string): ComponentChildren[] {
  const pieces: ComponentChildren[] = [];
  let end = 0;
  for (const match of line.matchAll(CODE_WORDS)) {
    pieces.push(line.slice(end, match.index));
    const kind = match[1] ? "comment" : match[2] ? "string" : "keyword";
    pieces.push(<span class={kind}>{match[0]}</span>);
    end = match.index + match[0].length;
  }
  pieces.push(line.slice(end));
  return pieces;
}

function CodeLine({ text, number, mark }: { text: string; number: number; mark: string | undefined }) {
  return (
    <li class={mark} data-line={number} value={number}>
      <span class="line-number" aria-hidden="true">
        {number}
      </span>
      <code>{codePieces(text)}</code>
    </li>
  );
}

interface Props {
  trace: Trace;
  code: CodeJson;
  caption: string; // what the marked lines do
  statements?: LineRange[]; // those of them that matter most
}

type LineRange = CodeJson["lines"];

const contains = ([first, last]: LineRange, line: number) => line >= first && line <= last;

export function SourceCode({ trace, code, caption, statements = [] }: Props) {
  const { file, lines } = code;
  const text = trace.json.sources[file];
  const range = rangeText(lines);
  if (text === undefined) {
    return (
      <p class="note">
        {file}, {range}
      </p>
    );
  }
  return <Listing key={`${file} ${range}`} {...{ text, code, caption, statements }} />;
}

const rangeText = ([first, last]: LineRange): string => (first === last ? `line ${first}` : `lines ${first}–${last}`);

interface ListingProps {
  text: string; // the whole file
  code: CodeJson;
  caption: string;
  context?: number; // lines before and after those that are marked
  statements?: LineRange[];
}

export function Listing({ text, code, caption, context = CONTEXT_LINES, statements = [] }: ListingProps) {
  const { file, function: name } = code;
  const range = rangeText(code.lines);
  const [first, last] = code.lines;
  const all = useMemo(() => text.replace(/\n$/, "").split("\n"), [text]);
  const box = useRef<HTMLDivElement>(null);
  const whole = useSignal(false);
  const [from, to] = whole.value
    ? [1, all.length]
    : [Math.max(1, first - context), Math.min(all.length, last + context)];
  const markOf = (line: number) => {
    if (!contains(code.lines, line)) return undefined;
    return statements.some((lines) => contains(lines, line)) ? "marked statement" : "marked";
  };
  useLayoutEffect(() => {
    const marked = box.current!.querySelector<HTMLElement>(".marked");
    box.current!.scrollTop = whole.value && marked ? marked.offsetTop - 80 : 0;
  }, [whole.value]);
  return (
    <figure class="source" data-file={file}>
      <figcaption>
        <span class="says">{caption}</span>
        {name && <code class="function">{name}</code>}
        <span class="file">
          {file}, {range}
        </span>
        <button type="button" class="quiet" aria-pressed={whole.value} onClick={() => (whole.value = !whole.value)}>
          Whole file
        </button>
      </figcaption>
      <ScrollBox name={`${file}, ${range} marked`} class={whole.value ? "whole" : ""} box={box}>
        <ol class="code">
          {all.slice(from - 1, to).map((line, i) => (
            <CodeLine key={from + i} text={line} number={from + i} mark={markOf(from + i)} />
          ))}
        </ol>
      </ScrollBox>
    </figure>
  );
}
