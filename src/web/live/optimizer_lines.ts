// The lines of src/training/optimizer.cpp and muon.cpp that compute a part of an update. They are found by their text.

/// [first, last] lines, from 1, of the statement that begins with `begin` and ends with the next line that ends with
/// ";" or "{".
export function findLines(source: string, begin: string): [first: number, last: number] {
  const lines = source.split("\n");
  const first = lines.findIndex((line) => line.trim().startsWith(begin));
  if (first < 0) throw new Error(`the source has no line that begins with "${begin}"`);
  if (lines.findIndex((line, i) => i > first && line.trim().startsWith(begin)) >= 0) {
    throw new Error(`the source has several lines that begin with "${begin}"`);
  }
  let last = first;
  while (!/[;{]$/.test(lines[last]!)) ++last;
  return [first + 1, last + 1];
}

/// Where each part begins.
export const ADAM_LINES = {
  clip: "const bool clip =",
  scale: "const auto scale =",
  gradient: "const auto g =",
  decay: "p *= 1 -",
  m: "m = beta1 * m",
  v: "v = beta2 * v",
  step: "const auto step =",
  sqrtFactor: "const auto sqrt_v_factor =",
  weight: "p -= step * m",
} as const;

export const MUON_LINES = {
  fresh: "const auto fresh =",
  m: "m = momentum * m",
  direction: "workspace.direction.eigen() =",
  orthogonal: "orthogonalize(workspace.direction",
  weight: "w = keep * w",
} as const;
