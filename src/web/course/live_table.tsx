// The table of a live figure.
import type { Signal } from "@preact/signals";
import type { ComponentChildren } from "preact";
import { type Column, ScrollBox, TitledTable } from "../base/tables";

interface TableProps {
  name: string; // for screen readers
  columns: Column[];
  children: ComponentChildren; // rows
}

export function LiveTable({ name, columns, children }: TableProps) {
  return (
    <ScrollBox name={name}>
      <TitledTable titles={columns}>{children}</TitledTable>
    </ScrollBox>
  );
}

interface RowProps {
  place: number; // of this row
  chosen: Signal<number>;
  children: ComponentChildren; // cells
}

/// A row that is chosen as soon as it is pointed at or has the focus.
export function ChosenRow({ place, chosen, children }: RowProps) {
  const choose = () => (chosen.value = place);
  return (
    <tr class={place === chosen.value ? "chosen" : undefined} onPointerEnter={choose} onFocusIn={choose}>
      {children}
    </tr>
  );
}
