// The engine that has the bits of the program, from the files of the page.
import worker from "worker:../engine/worker.ts";
import type { About, Arithmetic } from "../engine/protocol";
import { WorkerEngine, type EngineFiles } from "../engine/worker_engine";
import { readPageFile } from "./page_files";

/// The digest that the self-test has on every machine. See docs/arithmetic.md.
export const EXPECTED_SELF_TEST = "f871d317be4ce341";

const MODULES: Record<Arithmetic, string> = { fused: "engine.wasm", emulated: "engine_emulated.wasm" };

const files: EngineFiles = {
  worker,
  module: (arithmetic) => readPageFile(MODULES[arithmetic]),
};

/// Starts the engine that has the same bits as the program: the fast one if this browser and this processor round a
/// multiply-add once, otherwise the one that emulates it.
export async function startEngine(workers: number): Promise<{ started: WorkerEngine; description: About }> {
  const forced = new URLSearchParams(location.search).get("arithmetic");
  if (forced !== "emulated") {
    try {
      const started = await WorkerEngine.start(files, "fused", workers);
      const description = await started.about();
      if (description.self_test === EXPECTED_SELF_TEST) return { started, description };
      started.end();
    } catch {
      // this browser cannot compile the module, because it has no relaxed SIMD
    }
  }
  const started = await WorkerEngine.start(files, "emulated", workers);
  return { started, description: await started.about() };
}
