// The walk's table of contents: the model as a tree, with links to the first forward and backward step of each block.
import { useLayoutEffect, useMemo, useRef } from "preact/hooks";
import { stepAddress } from "../figures/step_address";
import { blockNames } from "../trace/names";
import type { Trace } from "../trace/trace";
import "./walk_contents.css";

/// A block of the model, and the numbers of its steps, in the order of computation.
interface Block {
  word: string;
  children: Map<string, Block>;
  steps: number[];
}

/// "encoder" -> "layer 1" -> "self-attention"
function modelTree(trace: Trace): Block {
  const root: Block = { word: "", children: new Map(), steps: [] };
  trace.steps.forEach(({ part }, number) => {
    let block = root;
    for (const word of blockNames(trace, part)) {
      let child = block.children.get(word);
      if (!child) block.children.set(word, (child = { word, children: new Map(), steps: [] }));
      child.steps.push(number);
      block = child;
    }
  });
  return root;
}

interface Props {
  trace: Trace;
  number: number;
}

export function WalkContents({ trace, number }: Props) {
  const tree = useMemo(() => modelTree(trace), [trace]);
  const contents = useOpenInColumn();
  return (
    <details class="contents" ref={contents}>
      <summary>Contents</summary>
      <nav aria-label="Table of contents">
        <BlockList blocks={tree.children} {...{ trace, number }} />
      </nav>
    </details>
  );
}

/// The contents are open where the style sheet gives them a column of their own, and closed above the step.
function useOpenInColumn() {
  const contents = useRef<HTMLDetailsElement>(null);
  useLayoutEffect(() => {
    const element = contents.current!;
    let last = false;
    const observer = new ResizeObserver(() => {
      const inColumn = getComputedStyle(element).position === "sticky";
      if (inColumn !== last) element.open = last = inColumn;
    });
    observer.observe(element.parentElement!);
    return () => observer.disconnect();
  }, []);
  return contents;
}

function BlockList({ blocks, trace, number }: Props & { blocks: Map<string, Block> }) {
  return (
    <ul>
      {[...blocks.values()].map((block) => (
        <BlockItem key={block.word} {...{ block, trace, number }} />
      ))}
    </ul>
  );
}

function BlockItem({ block, trace, number }: Props & { block: Block }) {
  const { word, children, steps } = block;
  return (
    <li>
      <span class={steps.includes(number) ? "block here" : "block"}>
        <span class="word">{word.replace(/ (after|around) .*/, "")}</span>
        {children.size === 0 && (
          <>
            <DirectionLink direction="forward" {...{ block, trace, number }} />
            <DirectionLink direction="backward" {...{ block, trace, number }} />
          </>
        )}
      </span>
      {children.size > 0 && <BlockList blocks={children} {...{ trace, number }} />}
    </li>
  );
}

function DirectionLink({ block, trace, number, direction }: Props & { block: Block; direction: string }) {
  const { word, steps } = block;
  const first = steps.find((step) => trace.step(step).direction === direction);
  if (first === undefined) return null;
  const isCurrent = steps.includes(number) && trace.step(number).direction === direction;
  return (
    <a
      href={stepAddress(first)}
      class={direction}
      aria-label={`${word}, ${direction}, step ${first + 1}`}
      aria-current={isCurrent ? "step" : undefined}
    >
      {direction === "forward" ? "→" : "←"} {first + 1}
    </a>
  );
}
