// Rows of tokens and their ids.
import type { ComponentChildren } from "preact";
import type { Side } from "../trace/trace";
import "./token_table.css";

/// A title for each position: its children.
export function PositionHeader({ label, children }: { label: string; children: ComponentChildren[] }) {
  return (
    <thead>
      <tr>
        <th scope="col">{label}</th>
        {children.map((title, i) => (
          <th key={i} scope="col">
            {title}
          </th>
        ))}
      </tr>
    </thead>
  );
}

interface Props {
  side: Side;
  sentence: number;
  title: string;
  class?: string;
  mark?: (position: number) => string; // a class for the cell, or ""
  typed?: (position: number) => string | null; // the word that the token stands for, if the vocabulary lacks it
}

export function TokenRow({ side, sentence, title, class: name, mark, typed }: Props) {
  const classOf = (position: number) =>
    ["token", side.isPad(sentence, position) ? "pad" : "", typed?.(position) ? "unknown" : "", mark?.(position) ?? ""]
      .filter(Boolean)
      .join(" ");
  return (
    <tr class={name}>
      <th scope="row">{title}</th>
      {side.ids[sentence]!.map((id, position) => (
        <td key={position} class={classOf(position)}>
          {typed?.(position) && (
            <s class="typed">
              <bdi>{typed(position)}</bdi>
            </s>
          )}
          <bdi>{side.token(sentence, position)}</bdi>
          <span class="id">{id}</span>
        </td>
      ))}
    </tr>
  );
}
