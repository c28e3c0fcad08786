// What the page needs of a browser.

const FEATURES: [name: string, purpose: string][] = [
  ["WebAssembly", "the engine is a WebAssembly module"],
  ["Worker", "the engine runs in a web worker"],
  ["DecompressionStream", "the engine is compressed"],
];

/// What this browser lacks, and which browsers have it; null: nothing.
export function missingFeatures(browser: object = globalThis): string | null {
  const missing = FEATURES.filter(([name]) => !(name in browser));
  if (missing.length === 0) return null;
  const list = missing.map(([name, purpose]) => `${name} (${purpose})`).join(" and ");
  return `This browser has no ${list}. Use Chrome or Edge 110, Firefox 115, Safari 16.4, or a later version of one of them.`;
}
