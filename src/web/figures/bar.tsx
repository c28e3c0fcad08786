// Numbers as bars.
import { formatNumber } from "../base/numbers";
import type { MaybeFinite } from "../trace/types";
import "./bar.css";

/// A bar that is full if the value is `max`, and its number.
export function Bar({ value, max, text }: { value: MaybeFinite; max: number; text?: string }) {
  const width = (100 * Math.max(0, value ?? 0)) / (max || 1);
  return <BarAndNumber width={width} text={text ?? formatNumber(value, 4)} />;
}

/// A logarithmic scale, from one power of ten to another.
export interface Decades {
  least: number;
  most: number;
}

/// The powers of ten that enclose the norms. The scale covers at most six of them below the largest.
export function decadesOf(norms: MaybeFinite[]): Decades {
  const positive = norms.filter((norm) => norm !== null && norm > 0) as number[];
  const most = Math.ceil(Math.log10(Math.max(...positive, 1e-12)));
  return { least: Math.max(Math.floor(Math.log10(Math.min(...positive, 1))), most - 6), most };
}

/// For the element that encloses logarithmic bars: how many powers of ten their lines mark.
export const decadeCount = ({ least, most }: Decades): string => `--decades: ${most - least}`;

/// The place of a norm on a logarithmic scale, from 0 to 1.
function placeOf(norm: MaybeFinite, { least, most }: Decades): number {
  if (norm === null || !(norm > 0)) return 0;
  return Math.max(0.005, (Math.log10(norm) - least) / (most - least || 1));
}

export function LogBar({ norm, decades }: { norm: MaybeFinite; decades: Decades }) {
  return <BarAndNumber width={100 * placeOf(norm, decades)} text={formatNumber(norm, 3)} decades />;
}

function BarAndNumber({ width, text, decades = false }: { width: number; text: string; decades?: boolean }) {
  return (
    <span class="bar">
      <span class={decades ? "bar-track decades" : "bar-track"}>
        <span class="bar-fill" style={`width: ${width}%`} />
      </span>
      <span class="number">{text}</span>
    </span>
  );
}
