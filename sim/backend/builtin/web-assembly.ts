/** What this package uses of WebAssembly, which the types of Node do not name. */
interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}
interface Wasm {
  readonly Module: new (bytes: Uint8Array<ArrayBuffer>) => object;
  readonly Instance: new (module: object, imports: object) => { readonly exports: unknown };
  readonly Memory: new (d: { readonly initial: number; readonly maximum: number }) => Memory;
}

export type WasmMemory = Memory;
export interface Exports {
  readonly settle: () => void;
  readonly tick: (rising: number) => void;
  readonly run: (edges: number) => void;
}

const { WebAssembly: wasm } = globalThis as unknown as { readonly WebAssembly: Wasm };

export const compileModule = (bytes: Uint8Array<ArrayBuffer>): object => new wasm.Module(bytes);
export const newMemory = (pages: number): WasmMemory => new wasm.Memory({ initial: pages, maximum: pages });
export function instantiate(module: object, memory: WasmMemory, failed: (check: number) => void): Exports {
  return new wasm.Instance(module, { e: { m: memory, f: failed } }).exports as Exports;
}
