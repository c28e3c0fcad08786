// The scale of a heat map: which numbers its colours stand for.
import type { Matrix } from "../trace/matrix";

/// From -limit to limit, or from 0 to limit.
export interface Scale {
  kind: "signed" | "amount";
  limit: number;
}

/// A scale that fits all numbers of these matrices.
export function scaleFor(...matrices: Matrix[]): Scale {
  const signed = matrices.some((matrix) => matrix.extent.least < 0);
  return { kind: signed ? "signed" : "amount", limit: Math.max(...matrices.map((matrix) => matrix.extent.size)) };
}

/// Numbers in cells are in units of 10 to this power. It is 0 unless the numbers would all be tiny or too long.
export function powerOf({ limit }: Scale): number {
  if (!(limit > 0) || !Number.isFinite(limit) || (limit >= 0.05 && limit < 1000)) return 0;
  return Math.floor(Math.log10(limit));
}
