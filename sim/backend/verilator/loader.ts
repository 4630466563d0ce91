import { createRequire } from "node:module";
import { loaderAddon } from "./compile.ts";
import type { Tools } from "./tools.ts";

/** One model as the native loader gives it. */
export interface NativeModel {
  readonly buffer: ArrayBuffer;
  step(edges: number): void;
  settle(): void;
  runUntil(word: number, value: Uint32Array, limit: number): boolean;
  output(): string;
  free(): void;
  /** Keeps the model alive as long as this object is. */
  readonly handle: unknown;
}
export interface Loader {
  create(library: string, seed: number, wave: string, header: Uint32Array): NativeModel;
}

let loader: Promise<Loader> | undefined;

/** The native loader of this process. */
export function nativeLoader(tools: Tools): Promise<Loader> {
  loader ??= loaderAddon(tools).then(path => createRequire(import.meta.url)(path) as Loader);
  return loader;
}
