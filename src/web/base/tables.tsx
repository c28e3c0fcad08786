import type { ComponentChildren, Ref } from "preact";

export interface Column {
  title?: string; // missing if the column belongs to the one beside it, as bars do to their number
  class?: string;
}

interface TableProps {
  name?: string; // its class
  titles: (string | Column)[];
  style?: string;
  children: ComponentChildren;
}

/// A table with column titles. Its children are rows.
export function TitledTable({ name, titles, style, children }: TableProps) {
  return (
    <table class={name} style={style}>
      <thead>
        <tr>{titles.map((one, i) => columnTitle(typeof one === "string" ? { title: one } : one, i))}</tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
  );
}

function columnTitle({ title, class: name }: Column, i: number) {
  if (title === undefined) return <td key={i} class={name} />;
  return (
    <th key={i} scope="col" class={name}>
      {title}
    </th>
  );
}

interface BoxProps {
  name: string; // for screen readers
  class?: string;
  box?: Ref<HTMLDivElement>;
  children: ComponentChildren;
}

/// A box that scrolls sideways if its content is too wide, by keyboard too.
export function ScrollBox({ name, class: more = "", box, children }: BoxProps) {
  return (
    <div ref={box} class={`scroll-box ${more}`.trim()} tabIndex={0} role="group" aria-label={name}>
      {children}
    </div>
  );
}
