import { useUniqueId } from "./unique_id";

interface Option<Value> {
  value: Value;
  text: string;
}

interface Props<Value> {
  legend: string;
  options: Option<Value>[];
  chosen: Value;
  choose: (value: Value) => void;
}

/// Radio buttons to choose one of several options. They are one tab stop, and the arrow keys choose.
export function Chooser<Value extends string | number>({ legend, options, chosen, choose }: Props<Value>) {
  const name = useUniqueId();
  return (
    <fieldset class="chooser">
      <legend>{legend}</legend>
      {options.map(({ value, text }) => (
        <label key={value}>
          <input
            type="radio"
            name={name}
            value={String(value)}
            checked={value === chosen}
            onChange={() => choose(value)}
          />
          <span>{text}</span>
        </label>
      ))}
    </fieldset>
  );
}

interface PositionProps {
  group: string; // radio buttons of the same name are one choice
  position: number;
  chosen: number;
  choose: (position: number) => void;
}

/// One of several radio buttons in a table: a position of a sentence.
export function PositionButton({ group, position, chosen, choose }: PositionProps) {
  return (
    <label class="position">
      <input
        type="radio"
        name={group}
        aria-label={`position ${position}`}
        checked={position === chosen}
        onChange={() => choose(position)}
      />
      <span>{position}</span>
    </label>
  );
}
