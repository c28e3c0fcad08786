// The engine's module, and how text, bytes and numbers get in and out of its memory. See src/live/exports.cpp.
import { Refusal } from "./calls";

type Call = (...args: number[]) => number;

/// Things that the C library could ask of an operating system. There is none: it gets an error, or nothing.
function operatingSystem(): WebAssembly.ModuleImports {
  const notSupported = 52;
  const fail = () => notSupported;
  const end = (status: number) => {
    throw new Error(`the engine ended with status ${status}`);
  };
  return {
    environ_get: () => 0,
    environ_sizes_get: fail,
    fd_close: fail,
    fd_seek: fail,
    fd_write: fail,
    proc_exit: end,
  };
}

export class WasmModule {
  readonly #exports: WebAssembly.Exports;
  readonly #memory: WebAssembly.Memory;
  readonly #stack: WebAssembly.Global;

  private constructor(instance: WebAssembly.Instance) {
    this.#exports = instance.exports;
    this.#memory = instance.exports.memory as WebAssembly.Memory;
    this.#stack = instance.exports.__stack_pointer as WebAssembly.Global;
  }

  static async start(bytes: BufferSource): Promise<WasmModule> {
    let started: WasmModule | null = null;
    const refuse = (message: number) => {
      throw new Refusal(started!.#textUntilZero(message));
    };
    const { instance } = await WebAssembly.instantiate(bytes, {
      page: { refuse },
      wasi_snapshot_preview1: operatingSystem(),
    });
    started = new WasmModule(instance);
    started.call("_initialize");
    return started;
  }

  /// Calls an exported function. Text and bytes become two arguments: an address and a size. Throws a Refusal if the
  /// engine refuses; after any other error, such as a trap, the module cannot be used.
  call(name: string, ...args: (number | string | Uint8Array)[]): number {
    const given: number[] = [];
    const numbers = args.flatMap((arg) => {
      if (typeof arg === "number") return [arg];
      const bytes = typeof arg === "string" ? new TextEncoder().encode(arg) : arg;
      const address = this.#allocate(bytes.length || 1);
      new Uint8Array(this.#memory.buffer).set(bytes, address);
      given.push(address);
      return [address, bytes.length];
    });
    const stack = this.#stack.value;
    const release = () => given.forEach((address) => (this.#exports.release as Call)(address));
    try {
      const result = (this.#exports[name] as Call)(...numbers);
      release();
      return result;
    } catch (error) {
      if (error instanceof Refusal) {
        this.#stack.value = stack; // the call has not returned
        release();
      }
      throw error;
    }
  }

  /// The JSON that a function returns.
  json<Result>(name: string, ...args: (number | string | Uint8Array)[]): Result {
    return JSON.parse(new TextDecoder().decode(this.#result(this.call(name, ...args))));
  }

  /// The bytes that a function returns, as a copy.
  bytes(name: string): Uint8Array<ArrayBuffer> {
    return this.#result(this.call(name)).slice();
  }

  /// Calls a function that changes numbers in place. Returns them in the buffer that was given.
  changeFloats(name: string, numbers: Float32Array<ArrayBuffer>): Float32Array<ArrayBuffer> {
    const address = this.#allocate(numbers.byteLength);
    new Float32Array(this.#memory.buffer, address, numbers.length).set(numbers);
    try {
      this.call(name, address, numbers.length);
    } catch (error) {
      if (error instanceof Refusal) (this.#exports.release as Call)(address);
      throw error;
    }
    numbers.set(new Float32Array(this.#memory.buffer, address, numbers.length));
    (this.#exports.release as Call)(address);
    return numbers;
  }

  /// Copies of numbers in the memory.
  floats(address: number, count: number): Float32Array<ArrayBuffer> {
    return new Float32Array(this.#memory.buffer, address, count).slice();
  }
  doubles(address: number, count: number): Float32Array<ArrayBuffer> {
    return Float32Array.from(new Float64Array(this.#memory.buffer, address, count));
  }

  get memoryBytes(): number {
    return this.#memory.buffer.byteLength;
  }

  #allocate(size: number): number {
    const address = (this.#exports.allocate as Call)(size);
    if (address === 0) throw new Error("out of memory");
    return address;
  }

  #result(address: number): Uint8Array<ArrayBuffer> {
    const size = (this.#exports.result_size as () => number)();
    return new Uint8Array(this.#memory.buffer as ArrayBuffer, address, size);
  }

  #textUntilZero(address: number): string {
    const bytes = new Uint8Array(this.#memory.buffer);
    return new TextDecoder().decode(bytes.subarray(address, bytes.indexOf(0, address)));
  }
}
