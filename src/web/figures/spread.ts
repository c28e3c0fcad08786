/// At most `most` of the places 0 to count - 1, evenly spread; the first and the last are among them.
export function spread(count: number, most: number): number[] {
  if (count <= most) return Array.from({ length: count }, (_, i) => i);
  return Array.from({ length: most }, (_, i) => Math.round((i * (count - 1)) / (most - 1)));
}
