/** One value on its way into memory: its beats from a reply, and when it may be written there. */
import {
  type Bit,
  bit,
  connect,
  fifo,
  fsm,
  map,
  node,
  reg,
  stream,
  type StreamIn,
  type StreamOut,
  uint,
  type UInt,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { kvLineBytes } from "../../../wire/index.ts";
import { memoryAddressBits, MemoryAsk, memoryLengthBits, MemoryPut, type MemoryWrote } from "../memory.ts";
import type { FillBeat } from "./records.ts";
import { jobBits, keyBits, type KvCacheParameters, lineBits, versionBits } from "./records.ts";

/** What is known of a value when its reply comes. */
export interface FillStart {
  readonly key: UInt;
  readonly line: UInt;
  readonly bytes: UInt;
  readonly first: UInt;
  /** How often its group had been written. */
  readonly version: UInt;
}
interface FillEnds {
  readonly beats: StreamIn<typeof FillBeat>;
  readonly put: StreamOut<typeof MemoryPut>;
  readonly wrote: StreamIn<typeof MemoryWrote>;
}

/**
 * A value waits until hits that were found before have left its line. Then it is written; when memory has said so it
 * is `ready` to be found. `cancel`: it never is.
 */
export function fillOf(
  p: KvCacheParameters,
  begins: Bit,
  start: FillStart,
  cancel: Bit,
  hits: { readonly jobs: UInt; readonly ends: Bit },
  { beats, put, wrote }: FillEnds,
) {
  const key = reg(uint(keyBits), { name: "fill_key" }),
    line = reg(uint(lineBits(p)), { name: "fill_line" }),
    bytes = reg(uint(16), { name: "fill_bytes" }),
    first = reg(uint(16), { name: "fill_first" }),
    version = reg(uint(versionBits), { name: "fill_version" }),
    before = reg(uint(jobBits), { init: 0, name: "hits_before_fill" }),
    busy = reg(bit, { init: 0, name: "fill_is_busy" }),
    cancelled = reg(bit, { init: 0, name: "fill_is_cancelled" }),
    ready = reg(bit, { init: 0, name: "fill_is_ready" }),
    installed = reg(bit, { init: 0, name: "fill_ends" });
  connect(
    map(fifo(beats, kvLineBytes / 64, { name: "fill_beats", style: "distributed" }), MemoryPut, ({ data }) => ({
      data,
    })),
    put,
  );
  const asks = stream(MemoryAsk, { name: "fill_asks" });
  const phase = fsm(
    ["Idle", "Before", "Ask", "Wrote", "Ready"],
    "Idle",
    s => ({
      Idle: () => {
        when(begins, () => {
          key.set(start.key.is(keyBits));
          line.set(start.line.is(lineBits(p)));
          bytes.set(start.bytes.is(16));
          first.set(start.first.is(16));
          version.set(start.version.is(versionBits));
          before.set(hits.jobs.sub(hits.ends.zext(jobBits)).is(jobBits));
          busy.set(1);
          cancelled.set(0);
          s.go("Before");
        });
      },
      Before: () => {
        when(before.any().not(), () => s.go("Ask")).elseWhen(hits.ends, () => before.set(before.sub(1)));
      },
      Ask: () => {
        when(asks.ready, () => s.go("Wrote"));
      },
      Wrote: () => {
        when(wrote.valid, () => {
          when(wrote.payload.error.ne("none"), () => cancelled.set(1));
          ready.set(1);
          s.go("Ready");
        });
      },
      Ready: () => {
        when(installed, () => {
          ready.set(0);
          busy.set(0);
          s.go("Idle");
        });
      },
    }),
    { name: "fill" },
  );
  when(cancel, () => cancelled.set(1));
  asks.valid.set(phase.is("Ask"));
  asks.payload.set({
    write: 1,
    address: line.zext(memoryAddressBits).shl(Math.log2(kvLineBytes)),
    lastByte: bytes.sub(3).trunc(memoryLengthBits),
  });
  wrote.ready.set(phase.is("Wrote"));
  return {
    asks,
    busy,
    ready: node(ready.andNot(installed), { name: "fill_waits" }),
    cancelled,
    key,
    line,
    bytes,
    first,
    version,
    /** It has been put into its set, or not. */
    end: (now: Bit): void => installed.set(now),
  };
}
