// Function calls by message, to a worker or through a port between workers.
import { messageOf } from "../base/message";

/// What messages can be sent to, and arrive from.
export interface Channel {
  postMessage(message: unknown, transfer: Transferable[]): void;
  onmessage: ((event: MessageEvent) => void) | null;
}

interface CallMessage {
  id: number;
  method: string;
  args: unknown[];
}

interface AnswerMessage {
  id: number;
  result?: unknown;
  error?: { name: string; message: string };
}

interface ReportMessage {
  id: number;
  report: unknown;
}

/// The other end does not do what it was asked to, and is as it was before. After any other error it cannot be used.
export class Refusal extends Error {
  override name = "Refusal";
}

interface Waiting {
  resolve: (result: never) => void;
  reject: (error: Error) => void;
  report?: (report: never) => void;
}

/// The caller's end.
export class Caller {
  #last = 0;
  #waiting = new Map<number, Waiting>();
  #failure: Error | null = null;

  constructor(readonly channel: Channel) {
    channel.onmessage = ({ data }: MessageEvent<AnswerMessage | ReportMessage>) => this.#receive(data);
  }

  call<Result>(method: string, args: unknown[] = [], transfer: Transferable[] = []): Promise<Result> {
    return this.callWithReports(method, args, undefined, transfer);
  }

  callWithReports<Result, Report = never>(
    method: string,
    args: unknown[],
    report?: (report: Report) => void,
    transfer: Transferable[] = [],
  ): Promise<Result> {
    if (this.#failure) return Promise.reject(this.#failure);
    const id = ++this.#last;
    const answer = new Promise<Result>((resolve, reject) => this.#waiting.set(id, { resolve, reject, report }));
    this.channel.postMessage({ id, method, args } satisfies CallMessage, transfer);
    return answer;
  }

  /// Why the other end cannot be used any more; null: it can.
  get failure(): Error | null {
    return this.#failure;
  }

  /// The other end has ended: every call that still waits fails, and so does every later one.
  fail(error: Error): void {
    this.#failure ??= error;
    for (const { reject } of this.#waiting.values()) reject(error);
    this.#waiting.clear();
  }

  #receive(message: AnswerMessage | ReportMessage): void {
    const waiting = this.#waiting.get(message.id);
    if (!waiting) return;
    if ("report" in message) return waiting.report?.(message.report as never);
    this.#waiting.delete(message.id);
    if (message.error === undefined) return waiting.resolve(message.result as never);
    const error = errorOf(message.error);
    waiting.reject(error);
    if (!(error instanceof Refusal)) this.fail(error);
  }
}

const errorOf = ({ name, message }: { name: string; message: string }): Error =>
  name === "Refusal" ? new Refusal(message) : Object.assign(new Error(message), { name });

/// A result whose buffers move to the caller instead of being copied.
export class Moved<Result> {
  constructor(
    readonly result: Result,
    readonly buffers: Transferable[],
  ) {}
}

export type Functions = Record<string, (...args: never[]) => unknown>;

/// The other end: answers every call with the function of its name. A function whose last parameter is a report gets
/// one: every call of it reaches the caller before the answer.
export function answerCalls(channel: Channel, functions: (report: (report: unknown) => void) => Functions): void {
  channel.onmessage = async ({ data: { id, method, args } }: MessageEvent<CallMessage>) => {
    const send = (message: AnswerMessage | ReportMessage, buffers: Transferable[] = []) =>
      channel.postMessage(message, buffers);
    try {
      const called = functions((report) => send({ id, report }))[method]!;
      const result = await (called as (...args: unknown[]) => unknown)(...args);
      if (result instanceof Moved) send({ id, result: result.result }, result.buffers);
      else send({ id, result });
    } catch (error) {
      send({ id, error: { name: error instanceof Error ? error.name : "Error", message: messageOf(error) } });
    }
  };
}
