// What the page needs of a browser.

const FEATURES: [name: string, purpose: string, isIn: (browser: typeof globalThis) => boolean][] = [
  ["WebAssembly", "the engine is a WebAssembly module", (browser) => "WebAssembly" in browser],
  ["Worker", "the engine runs in a web worker", (browser) => "Worker" in browser],
  ["DecompressionStream", "the engine is compressed", (browser) => "DecompressionStream" in browser],
  ["Array.prototype.toSpliced", "the page's script uses it", ({ Array }) => "toSpliced" in Array.prototype],
];

/// What this browser lacks, and which browsers have it; null: nothing.
///
/// The versions (from MDN's tables) are the first that also lay the page out as meant, with CSS's subgrid and :has().
export function missingFeatures(browser = globalThis): string | null {
  const missing = FEATURES.filter(([, , isIn]) => !isIn(browser));
  if (missing.length === 0) return null;
  const list = missing.map(([name, purpose]) => `${name} (${purpose})`).join(" and ");
  return `This browser has no ${list}. Use Chrome or Edge 117, Firefox 121, Safari 16.4, or a later version of one of them.`;
}
