// How many workers can train a model.
import { plural } from "../base/numbers";

/// The numbers that a reader can choose from: each worker needs a core and a shard of the batch. `now`: of the workers that
/// there are.
export const workerNumbers = (cores: number, shards: number, now: number): number[] => {
  const fitting = [1, 2, 4].filter((count) => count <= cores && count <= shards);
  return [...new Set([...fitting, now])].sort((a, b) => a - b);
};

/// Why there are no more to choose from.
export function whyNoMore(cores: number, shards: number): string {
  const machine = `This machine has ${plural(cores, "core")}`;
  if (shards >= Math.min(4, cores)) return `${machine}.`;
  return `${machine}, but a batch of this model has only ${plural(shards, "part")} (training.shards), and each worker needs one.`;
}
