import {
  bit,
  constant,
  input,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  struct,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { keyTrailer } from "../../wire/index.ts";

/** Bits of a process's key; all zeros: it has none. */
export const keyBits = keyTrailer.fields.key.bits;
const pidBits = 16;

/** An order of software: this process has this key from the next cycle on. */
export const KeyOrder = struct({ write: bit, pid: uint(pidBits), key: uint(keyBits) });
/** A look into the table. */
export const KeyRead = struct({ en: bit, pid: uint(pidBits) });

export interface ProcessKeysParameters {
  /** Process IDs that can have a key: those below it. A power of two, up to 65,536. */
  readonly keys: number;
}

/**
 * The keys of the processes (docs/clio/process-keys.md). Latency: `key` is the key of `read.pid` a cycle after
 * `read.en`, and stays until the next read; a key given in the cycle of the read counts from the next read on.
 * Initiation interval: 1. A process past the table has key 0, and an order for one does nothing. After a reset the
 * table is cleared, one process a cycle (`clearing`): an order meanwhile would be lost, so it is ignored.
 */
export const ProcessKeys = module(
  "ProcessKeys",
  (_p: ProcessKeysParameters) => ({
    order: input(KeyOrder),
    read: input(KeyRead),
    key: output(uint(keyBits)),
    clearing: output(bit),
  }),
  (io, { keys }) => {
    const indexBits = Math.log2(keys);
    const within = (pid: typeof io.read.pid) =>
      indexBits === pidBits
        ? constant(1, 1)
        : pid
            .bits(indexBits, pidBits - indexBits)
            .any()
            .not();
    // Read first: a request in the cycle of an order is one that came before it.
    const table = ram(uint(keyBits), {
      depth: keys,
      collision: "old",
      style: keys >= 4096 ? "ultra" : "block",
      name: "table",
    });
    const clearing = reg(bit, { init: 1 }),
      next = reg(uint(indexBits), { init: 0 });
    when(clearing, () => {
      next.set(next.add(1));
      clearing.set(next.all().not());
    });
    const given = node(io.order.write.and(within(io.order.pid)), { name: "given" });
    table.write(
      clearing.or(given),
      mux(clearing, next, io.order.pid.trunc(indexBits)),
      mux(clearing, constant(0, keyBits), io.order.key),
    );
    const word = table.readSync(io.read.pid.trunc(indexBits), { en: io.read.en, name: "word" });
    if (indexBits === pidBits) io.key.set(word);
    else {
      const has = reg(bit, { name: "has" });
      when(io.read.en, () => has.set(within(io.read.pid)));
      io.key.set(mux(has, word, constant(0, keyBits)));
    }
    io.clearing.set(clearing);
  },
  { nameOf: p => `ProcessKeys_n${p.keys}` },
);
