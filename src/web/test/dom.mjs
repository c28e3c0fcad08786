// The little of a browser that modules of the page ask for when they are imported. Import this before them.
import "./page_in_node.mjs";

const media = { matches: false, addEventListener() {} };
globalThis.matchMedia = () => media;
globalThis.window = globalThis;
globalThis.history = { replaceState() {} };
globalThis.devicePixelRatio = 1;
globalThis.addEventListener ??= () => {};
globalThis.dispatchEvent ??= () => {};
globalThis.document.addEventListener = () => {};
globalThis.document.documentElement = {};
globalThis.document.createElement = () => ({ getContext: () => ({}) });
globalThis.navigator ??= { userAgent: "node", hardwareConcurrency: 1 };
