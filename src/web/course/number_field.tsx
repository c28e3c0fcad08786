import { useSignal } from "@preact/signals";
import "./number_field.css";

interface Props {
  name: string; // for screen readers
  value: number;
  digits: number; // shown after the point
  step?: number;
  least?: number;
  most?: number;
  change: (value: number) => void;
}

/// A number to edit. The text is rounded; the value is not, until the reader changes it. What is not a number changes
/// nothing.
export function NumberField({ name, value, digits, step = 0.1, least = -1e6, most = 1e6, change }: Props) {
  const draft = useSignal<string | null>(null); // what the reader is typing
  return (
    <input
      type="number"
      class="number-field"
      aria-label={name}
      value={draft.value ?? value.toFixed(digits)}
      step={step}
      min={least}
      max={most}
      onInput={({ currentTarget }) => {
        draft.value = currentTarget.value;
        const number = currentTarget.valueAsNumber;
        if (Number.isFinite(number)) change(Math.min(most, Math.max(least, number)));
      }}
      onBlur={() => (draft.value = null)}
    />
  );
}

/// A number to edit, with its name in sight.
export function LabelledField(props: Props) {
  return (
    <span class="labelled">
      <span aria-hidden="true">{props.name}</span>
      <NumberField {...props} />
    </span>
  );
}
