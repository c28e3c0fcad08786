// The page's engine in node: its workers are threads, and its files come from dist. Import this before what it serves.
import { resolveObjectURL } from "node:buffer";
import { after } from "node:test";
import { Worker as Thread } from "node:worker_threads";
import { packedModule } from "./engine.mjs";

const PRELUDE = `
const { parentPort } = require("node:worker_threads");
globalThis.self = { postMessage: (message, transfer) => parentPort.postMessage(message, transfer) };
parentPort.on("message", (data) => self.onmessage({ data }));
`;

/// The workers that have not ended.
export const workersAlive = new Set();

globalThis.Worker = class {
  #thread;

  constructor(url) {
    workersAlive.add(this);
    this.#thread = resolveObjectURL(url)
      .text()
      .then((script) => {
        const thread = new Thread(PRELUDE + script, { eval: true });
        thread.on("message", (data) => this.onmessage?.({ data }));
        thread.on("error", ({ message }) => this.onerror?.({ message }));
        return thread;
      });
  }

  async postMessage(message, transfer) {
    (await this.#thread).postMessage(message, transfer);
  }

  async terminate() {
    workersAlive.delete(this);
    await (await this.#thread).terminate();
  }
};

after(() => Promise.all([...workersAlive].map((worker) => worker.terminate())));

/// As if the last worker that was started ran out of memory.
export const killEngine = () => [...workersAlive].at(-1).onerror({ message: "out of memory" });

/// The files of the page, in base64. A test can replace them.
export const pageFiles = { "engine_emulated.wasm": packedModule.toString("base64") };

globalThis.location = new URL("file:///page.html?arithmetic=emulated");
globalThis.document = {
  getElementById: (id) => (id in pageFiles ? { textContent: pageFiles[id] } : null),
};
