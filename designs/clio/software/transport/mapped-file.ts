import { open } from "node:fs/promises";
import { createRequire } from "node:module";
import type { MemoryMap } from "./memory-map.ts";

/**
 * A map of a file; `bytes` is the mapped memory itself, for bulk. Registers want accesses of their width: `load32`
 * and the others.
 */
export interface FileMap extends MemoryMap {
  bytes(): ArrayBuffer;
}
interface Addon {
  map(path: string, offset: number, length: number): FileMap;
}

/**
 * A part of a file mapped into the process. The file is `/dev/uio0` with a region's number x 4096 as offset, `/dev/mem`
 * with a physical address (of whole pages), or a plain file. Every load and store is one access of its width.
 * @param addon the compiled native/mapped_file.cc @throws Error with the system's reason
 */
export function mapFile(addon: string, path: string, offset: number, length: number): FileMap {
  return (createRequire(import.meta.url)(addon) as Addon).map(path, offset, length);
}

/**
 * Waits for a UIO device's interrupt: the read ends when one has come since the last; the write before it enables the
 * next. For `wait` of MappedTransport.
 * NOT RUN HERE: there is no such device on the machines that this was written on.
 */
export async function uioInterrupt(path: string): Promise<() => Promise<void>> {
  const file = await open(path, "r+");
  return async () => {
    await file.write(Uint8Array.of(1, 0, 0, 0));
    await file.read(new Uint8Array(4), 0, 4, null);
  };
}
