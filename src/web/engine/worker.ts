// Runs an engine in a worker. The first message is "start"; each later one is a call of a function below.
import { answerCalls, Moved, type Channel } from "./calls";
import { LocalEngine } from "./local_engine";
import type { Arithmetic, Masks, Pair, Text, Update, Values } from "./protocol";
import { followerFunctions, Leader } from "./ranks";
import { WasmModule } from "./wasm";

/// What a worker is started with. A leader gets a port to each follower, a follower one to the leader.
export interface Start {
  bytes: ArrayBuffer;
  arithmetic: Arithmetic;
  followers?: MessagePort[];
  leader?: MessagePort;
}

const REPORT_EVERY = 60; // milliseconds

let leader: Leader | null = null;
let stopped = false;

async function start({ bytes, arithmetic, followers, leader: toLeader }: Start): Promise<void> {
  const engine = new LocalEngine(await WasmModule.start(bytes), arithmetic);
  if (toLeader) {
    const functions = followerFunctions(engine);
    answerCalls(toLeader, () => functions);
  } else {
    leader = new Leader(engine, followers ?? []);
  }
}

/// Lets messages arrive, such as "stop".
const breathe = () => new Promise<void>((resolve) => setTimeout(resolve));

async function train(count: number, report: (updates: Update[]) => void): Promise<void> {
  stopped = false;
  let made: Update[] = [];
  let last = performance.now();
  try {
    for (let i = 0; i < count && !stopped; ++i) {
      made.push(await leader!.step());
      if (performance.now() - last < REPORT_EVERY) continue;
      report(made);
      made = [];
      await breathe();
      last = performance.now();
    }
  } finally {
    if (made.length > 0) report(made);
  }
}

/// The buffers of a trace's matrices, which move to the page.
function movedTrace(pairs: Pair[], masks?: Masks) {
  const trace = leader!.engine.trace(pairs, masks);
  const matrices = [
    ...trace.tensors.map(({ values }) => values),
    ...trace.what_if.flatMap(({ attention }) => attention),
  ];
  const buffers = matrices.flatMap(({ numbers }) => (numbers instanceof Float32Array ? [numbers.buffer] : []));
  return new Moved(trace, [...new Set(buffers)] as ArrayBuffer[]);
}

function movedSnapshot(): Moved<Uint8Array> {
  const snapshot = leader!.engine.snapshot();
  return new Moved(snapshot, [snapshot.buffer]);
}

answerCalls(self as unknown as Channel, (report) => ({
  start,
  about: () => leader!.engine.about(),
  settings: () => leader!.engine.settings(),
  create: (values: Values, text: Text) => leader!.create(values, text),
  tokens: (side: "source" | "target", sentence: string) => leader!.engine.tokens(side, sentence),
  train: (count: number) => train(count, report),
  stop: () => {
    stopped = true;
  },
  trace: movedTrace,
  translate: (sources: string[], search: Values) => leader!.engine.translate(sources, search),
  search_tree: (source: string, search: Values) => leader!.engine.search_tree(source, search),
  update_numbers: (tensor: string) => leader!.engine.update_numbers(tensor),
  turn_off_heads: (heads: string[]) => leader!.engine.turn_off_heads(heads),
  snapshot: movedSnapshot,
  restore: (snapshot: Uint8Array) => leader!.restore(snapshot),
  digest: () => leader!.engine.digest(),
  weight_digests: () => leader!.engine.weight_digests(),
  memory: () => leader!.memory(),
}));
