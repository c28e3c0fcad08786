import type { ComponentChildren, Ref } from "preact";

interface TableProps {
  name?: string; // its class
  titles: string[];
  style?: string;
  children: ComponentChildren;
}

/// A table with column titles. Its children are rows.
export function TitledTable({ name, titles, style, children }: TableProps) {
  return (
    <table class={name} style={style}>
      <thead>
        <tr>
          {titles.map((title, i) => (
            <th key={i} scope="col">
              {title}
            </th>
          ))}
        </tr>
      </thead>
      <tbody>{children}</tbody>
    </table>
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
