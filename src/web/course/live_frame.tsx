// The frame of a live figure: what you can do with it, and a button that brings the chapter's own numbers back.
import type { ComponentChildren } from "preact";
import { useUniqueId } from "../base/unique_id";
import "./live_frame.css";

interface Props {
  name: string; // a class
  title: string;
  about: ComponentChildren;
  reset: () => void;
  children: ComponentChildren;
}

export function LiveFrame({ name, title, about, reset, children }: Props) {
  const id = useUniqueId();
  return (
    <figure class={`live-frame ${name}`} aria-labelledby={id}>
      <figcaption>
        <b id={id}>{title}</b>
        <button type="button" class="quiet" onClick={reset}>
          Start again
        </button>
        <p class="note">{about}</p>
      </figcaption>
      {children}
    </figure>
  );
}

/// A number with its bar, to the left if it is negative. `most` fills half of the track.
export function SignedBar({ value, most }: { value: number; most: number }) {
  const side = value < 0 ? "right" : "left";
  const width = Number.isFinite(value) && most > 0 ? Math.min(50, (50 * Math.abs(value)) / most) : 0;
  return (
    <span class="signed-track" aria-hidden="true">
      <span class={value < 0 ? "negative" : "positive"} style={`${side}: 50%; width: ${width}%`} />
    </span>
  );
}

/// The bar of an amount between 0 and 1.
export function ShareBar({ value }: { value: number }) {
  const width = Number.isFinite(value) ? 100 * Math.min(1, Math.max(0, value)) : 0;
  return (
    <span class="share-track" aria-hidden="true">
      <span style={`width: ${width}%`} />
    </span>
  );
}

/// "−0.3774", "NaN", "∞": a number as the chapters print it.
export function fixed(number: number, digits = 4): string {
  if (Number.isNaN(number)) return "NaN";
  if (!Number.isFinite(number)) return number > 0 ? "∞" : "−∞";
  const text = number.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text.replace("-", "−");
}
