import { type Shape, struct, type StructShape, uint, type UIntShape } from "../../../../hdl-dsl/index.ts";
import { bucketBytes, entryBytes, type TableGeometry } from "./geometry.ts";

/** The rights in an entry, for software; the hardware decides the same in its permission checks. */
export interface Rights {
  readonly read: boolean;
  readonly write: boolean;
}
/** Whether the page may be read: with either bit. */
export const mayRead = ({ read, write }: Rights): boolean => read || write;
/** Whether the page may be written: with both bits. */
export const mayWrite = ({ read, write }: Rights): boolean => read && write;
/** Whether writes are to be repeated later, since the page is being copied: `write` without `read`. */
export const writesWait = ({ read, write }: Rights): boolean => write && !read;

/**
 * A page table entry. `read` alone: the page can only be read. Both rights: it can be written, too. `write` alone: it
 * can be read, and writes wait. Neither: all accesses wait, since the page moves. `allocated` without `valid` is a page
 * that faults on its first use (paper §4.4.3); an entry that is not allocated is 0 and the slot is free.
 */
export interface Entry {
  readonly valid: boolean;
  readonly allocated: boolean;
  readonly read: boolean;
  readonly write: boolean;
  readonly tag: bigint;
  readonly ppn: number;
}

const field = (g: TableGeometry, name: string): { readonly lsb: bigint; readonly mask: bigint } => {
  const f = g.entry.find(e => e.name === name);
  if (!f) throw new Error(`no entry field ${name}`);
  return { lsb: BigInt(f.lsb), mask: (1n << BigInt(f.width)) - 1n };
};

/** The 64 bits of an entry. */
export function packEntry(g: TableGeometry, e: Entry): bigint {
  const put = (name: string, value: bigint): bigint => {
    const f = field(g, name);
    return (value & f.mask) << f.lsb;
  };
  return (
    put("valid", BigInt(e.valid)) |
    put("allocated", BigInt(e.allocated)) |
    put("read", BigInt(e.read)) |
    put("write", BigInt(e.write)) |
    put("tag", e.tag) |
    put("ppn", BigInt(e.ppn))
  );
}

/** An entry from its 64 bits. */
export function unpackEntry(g: TableGeometry, bits: bigint): Entry {
  const get = (name: string): bigint => {
    const f = field(g, name);
    return (bits >> f.lsb) & f.mask;
  };
  return {
    valid: get("valid") === 1n,
    allocated: get("allocated") === 1n,
    read: get("read") === 1n,
    write: get("write") === 1n,
    tag: get("tag"),
    ppn: Number(get("ppn")),
  };
}

/** The fields of an entry for hardware, but for what is left of 64 bits. */
type EntryShapes = { readonly [_ in "valid" | "allocated" | "read" | "write"]: UIntShape<1> } & {
  readonly [_ in "tag" | "ppn"]: UIntShape;
};
/** The struct of an entry for hardware: its fields from bit 0 up, and what is left of 64 bits as `unused`. */
export function entryShape(g: TableGeometry): StructShape<EntryShapes> {
  const fields: Record<string, Shape> = Object.fromEntries(g.entry.map(f => [f.name, uint(f.width)]));
  if (g.entryBits < 64) fields["unused"] = uint(64 - g.entryBits);
  return struct(fields) as StructShape<EntryShapes>;
}

/** Physical byte address of a bucket. */
export function bucketAddress(g: TableGeometry, index: number): number {
  return g.tableBase + index * bucketBytes;
}
/** Physical byte address of an entry. */
export function entryAddress(g: TableGeometry, index: number, slot: number): number {
  return bucketAddress(g, index) + slot * entryBytes;
}
