// The engine as the page uses it: in a worker, or in several that train together.
import type { TraceJson } from "../trace/types";
import { Caller } from "./calls";
import type {
  About,
  Arithmetic,
  Created,
  Engine,
  Hypothesis,
  Masks,
  Pair,
  SearchTree,
  Setting,
  Text,
  Tokens,
  Update,
  UpdateNumbers,
  Values,
} from "./protocol";
import type { Start } from "./worker";

/// The engine's modules, and the script of a worker.
export interface EngineFiles {
  worker: string; // JavaScript
  module(arithmetic: Arithmetic): Promise<ArrayBuffer>;
}

export class WorkerEngine implements Engine {
  readonly #workers: Worker[];
  readonly #callers: Caller[];
  readonly #leader: Caller;

  private constructor(workers: Worker[]) {
    this.#workers = workers;
    this.#callers = workers.map((worker) => new Caller(worker));
    this.#leader = this.#callers[0]!;
    for (const worker of workers) worker.onerror = (event) => this.#end(new Error(event.message));
  }

  /// Starts the workers. If that fails, none of them stays.
  static async start(files: EngineFiles, arithmetic: Arithmetic, ranks: number): Promise<WorkerEngine> {
    const bytes = await files.module(arithmetic);
    const url = URL.createObjectURL(new Blob([files.worker], { type: "text/javascript" }));
    let engine: WorkerEngine | null = null;
    try {
      engine = new WorkerEngine(Array.from({ length: ranks }, () => new Worker(url)));
      await engine.#start(bytes, arithmetic);
      return engine;
    } catch (problem) {
      engine?.end();
      throw problem;
    } finally {
      URL.revokeObjectURL(url);
    }
  }

  async #start(bytes: ArrayBuffer, arithmetic: Arithmetic): Promise<void> {
    const followers: MessagePort[] = [];
    const starting = this.#callers.slice(1).map((caller) => {
      const { port1, port2 } = new MessageChannel();
      followers.push(port1);
      return send(caller, { bytes, arithmetic, leader: port2 }, [port2]);
    });
    starting.push(send(this.#leader, { bytes, arithmetic, followers }, followers));
    await Promise.all(starting);
  }

  /// Why it has stopped, so that every call of it fails; null: it works.
  get failure(): Error | null {
    return this.#leader.failure;
  }

  /// Ends all workers.
  end(): void {
    this.#end(new Error("the engine was ended"));
  }

  #end(reason: Error): void {
    for (const worker of this.#workers) worker.terminate();
    for (const caller of this.#callers) caller.fail(reason);
  }

  about = (): Promise<About> => this.#leader.call("about");
  settings = (): Promise<Setting[]> => this.#leader.call("settings");
  create = (values: Values, text: Text): Promise<Created> => this.#leader.call("create", [values, text]);
  tokens = (side: "source" | "target", sentence: string): Promise<Tokens> =>
    this.#leader.call("tokens", [side, sentence]);
  train = (count: number, report: (updates: Update[]) => void): Promise<void> =>
    this.#leader.callWithReports("train", [count], report);
  stop = (): void => void this.#leader.call("stop").catch(() => {}); // one that has stopped does not train
  trace = (pairs: Pair[], masks?: Masks): Promise<TraceJson> => this.#leader.call("trace", [pairs, masks]);
  translate = (sources: string[], search: Values): Promise<Hypothesis[][]> =>
    this.#leader.call("translate", [sources, search]);
  search_tree = (source: string, search: Values): Promise<SearchTree> =>
    this.#leader.call("search_tree", [source, search]);
  update_numbers = (tensor: string): Promise<UpdateNumbers> => this.#leader.call("update_numbers", [tensor]);
  turn_off_heads = (heads: string[]): Promise<void> => this.#leader.call("turn_off_heads", [heads]);
  snapshot = (): Promise<Uint8Array> => this.#leader.call("snapshot");
  restore = (snapshot: Uint8Array): Promise<void> => this.#leader.call("restore", [snapshot]);
  digest = (): Promise<string> => this.#leader.call("digest");
  weight_digests = (): Promise<Record<string, string>> => this.#leader.call("weight_digests");
  /// Bytes of memory that the engines of all workers have.
  memory = (): Promise<number> => this.#leader.call("memory");
}

const send = (caller: Caller, start: Start, ports: MessagePort[]): Promise<void> =>
  caller.call("start", [start], ports);
