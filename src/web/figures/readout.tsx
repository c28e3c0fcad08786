// The readout of a heat map, or of several side by side: the cell that the reader points at, and its number.
import { useSignal, type Signal } from "@preact/signals";
import "./readout.css";

interface Reading {
  by: object; // the map that wrote it
  place: string;
  value: string;
}

export type ReadoutSignal = Signal<Reading | null>;

export const useReadout = (): ReadoutSignal => useSignal<Reading | null>(null);

export function Readout({ reading }: { reading: ReadoutSignal }) {
  const said = reading.value;
  return (
    <output class={said ? "readout speaking" : "readout"} aria-live="polite">
      {said ? (
        <>
          <span>{said.place && `${said.place}: `}</span>
          <strong class="value">{said.value}</strong>
        </>
      ) : (
        "Point at a cell, tap it, or use the arrow keys."
      )}
    </output>
  );
}
