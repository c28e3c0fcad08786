// The engine that has the bits of the program, from the files of the page.
import worker from "worker:../engine/worker.ts";
import type { About, Arithmetic } from "../engine/protocol";
import { WorkerEngine, type EngineFiles } from "../engine/worker_engine";
import { readPageFile } from "../base/page_files";

/// The digest that the self-test has on every machine. See docs/arithmetic.md.
const EXPECTED_SELF_TEST = "f871d317be4ce341";

const MODULES: Record<Arithmetic, string> = { fused: "engine.wasm", emulated: "engine_emulated.wasm" };

const files: EngineFiles = {
  worker,
  module: (arithmetic) => readPageFile(MODULES[arithmetic]),
};

export interface StartedEngine {
  started: WorkerEngine;
  description: About;
}

async function startAs(arithmetic: Arithmetic, workers: number): Promise<StartedEngine> {
  const started = await WorkerEngine.start(files, arithmetic, workers);
  try {
    return { started, description: await started.about() };
  } catch (problem) {
    started.end();
    throw problem;
  }
}

/// Starts the engine that has the same bits as the program: the fast one if this browser and this processor round a
/// multiply-add once, otherwise the one that emulates it. A browser without relaxed SIMD cannot compile the fast one.
export async function startEngine(workers: number): Promise<StartedEngine> {
  const forced = new URLSearchParams(location.search).get("arithmetic");
  if (forced !== "emulated") {
    try {
      const fast = await startAs("fused", workers);
      if (fast.description.self_test === EXPECTED_SELF_TEST) return fast;
      fast.started.end();
    } catch (problem) {
      if (!(problem instanceof Error && problem.name === "CompileError")) throw problem;
    }
  }
  return startAs("emulated", workers);
}
