// Several workers train one model: each is a rank, and computes a block of the shards of every batch. The sum of their
// gradients passes from rank to rank in order, so the bits are those of one worker. See src/live/message_ranks.hpp.
import { messageOf } from "../base/message";
import { Caller, Moved, type Functions } from "./calls";
import type { LocalEngine } from "./local_engine";
import type { Created, Text, Update, Values } from "./protocol";

/// The sum of the gradients of the ranks so far, and the results (losses, token counts) of all shards.
interface PartialSum {
  gradient: Float32Array<ArrayBuffer>;
  results: Uint8Array<ArrayBuffer>;
}

/// Adds this rank's shards to the sum.
function addShards(engine: LocalEngine, { gradient, results }: PartialSum, rank: number, ranks: number): PartialSum {
  const own = engine.shard_results();
  const shards = engine.shards;
  const size = own.length / shards;
  const begin = Math.floor((shards * rank) / ranks) * size;
  const end = Math.floor((shards * (rank + 1)) / ranks) * size;
  results.set(own.subarray(begin, end), begin);
  return { gradient: engine.add_shards(gradient), results };
}

/// What a rank that is not the first answers to it.
export function followerFunctions(engine: LocalEngine): Functions {
  let [rank, ranks] = [0, 1];
  return {
    create(values: Values, text: Text, ownRank: number, allRanks: number): void {
      [rank, ranks] = [ownRank, allRanks];
      engine.create(values, text, rank, ranks);
    },
    restore: (snapshot: Uint8Array) => engine.restore(snapshot),
    run_shards: () => engine.run_shards(),
    add_shards(sum: PartialSum): Moved<PartialSum> {
      const added = addShards(engine, sum, rank, ranks);
      return new Moved(added, [added.gradient.buffer, added.results.buffer]);
    },
    step(sum: PartialSum): void {
      engine.receive(sum.gradient, sum.results);
      engine.step();
    },
    memory: () => engine.module.memoryBytes,
  };
}

/// The first rank, which leads the others.
export class Leader {
  readonly #followers: Caller[];
  #parameters = 0;

  constructor(
    readonly engine: LocalEngine,
    ports: MessagePort[],
  ) {
    this.#followers = ports.map((port) => new Caller(port));
  }

  get ranks(): number {
    return 1 + this.#followers.length;
  }

  async create(values: Values, text: Text): Promise<Created> {
    const created = this.engine.create(values, text, 0, this.ranks);
    this.#parameters = created.parameters;
    await this.#all("create", (rank) => [values, text, rank, this.ranks]);
    return created;
  }

  async restore(snapshot: Uint8Array): Promise<void> {
    this.engine.restore(snapshot);
    await this.#all("restore", () => [snapshot]);
  }

  async step(): Promise<Update> {
    if (this.#followers.length === 0) return this.engine.step();
    const [, sum] = await Promise.all([this.#all("run_shards", () => []), this.#addAll()]);
    const [, update] = await Promise.all([this.#all("step", () => [sum]), this.#finish(sum)]);
    return update;
  }

  /// Bytes of memory that the engines of all ranks have.
  async memory(): Promise<number> {
    const others = await Promise.all(this.#followers.map((follower) => follower.call<number>("memory")));
    return others.reduce((sum, one) => sum + one, this.engine.module.memoryBytes);
  }

  /// Runs this rank's shards, and passes the sum from rank to rank.
  async #addAll(): Promise<PartialSum> {
    this.engine.run_shards();
    let sum: PartialSum = {
      gradient: new Float32Array(this.#parameters),
      results: this.engine.shard_results(),
    };
    sum.gradient = this.engine.add_shards(sum.gradient);
    for (const follower of this.#followers) {
      sum = await follower.call<PartialSum>("add_shards", [sum], [sum.gradient.buffer, sum.results.buffer]);
    }
    return sum;
  }

  async #finish(sum: PartialSum): Promise<Update> {
    this.engine.receive(sum.gradient, sum.results);
    return this.engine.step();
  }

  /// Calls a function of all followers. `args`: for each rank, from 1. A follower that refuses what the leader has done
  /// is no longer in the same state, so this is not a refusal.
  async #all(method: string, args: (rank: number) => unknown[]): Promise<void> {
    try {
      await Promise.all(this.#followers.map((follower, i) => follower.call(method, args(i + 1))));
    } catch (problem) {
      throw new Error(`a worker failed where the first one did not: ${messageOf(problem)}`);
    }
  }
}
