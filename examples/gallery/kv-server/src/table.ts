import {
  bit,
  constant,
  crc32Next,
  fromBits,
  fromCode,
  fsm,
  lowestSet,
  match,
  module,
  mux,
  onehotMux,
  ram,
  reg,
  sink,
  source,
  struct,
  toBits,
  uint,
  when,
  wire,
} from "mnemosyne";
import { at, byteOf, Frame, Operation, replyTo, Status } from "./frame.ts";

export interface TableParameters {
  /** Buckets of keys: 2, 4 ... */
  readonly buckets: number;
  /** Keys of a bucket. */
  readonly ways: number;
}
const Entry = struct({ valid: bit, key: uint(64), value: uint(64) });

/**
 * Keys and values, 64 bits each. A key lives in the bucket that its CRC names, in any way. Requests are done in order,
 * one every three cycles; a reply is offered two cycles after its request was taken. A new key finds no place when its
 * bucket is full: `full`. Reset forgets all keys, which takes `buckets` cycles.
 */
export const Table = module(
  "Table",
  (_p: TableParameters) => ({ request: sink(Frame), reply: source(Frame) }),
  (io, p) => {
    const indexBits = Math.log2(p.buckets),
      frame = reg(uint(Frame.fields.bytes.width)),
      bucket = reg(uint(indexBits), { init: 0 }),
      result = reg(Status),
      value = reg(uint(64));
    const key = frame.bits(8 * at.key, 64),
      given = frame.bits(8 * at.value, 64),
      // What is no operation does not come here.
      operation = fromCode(Operation, byteOf(frame, at.operation), "get");
    const hashed = crc32Next(constant(0xffff_ffff, 32), io.request.payload.bytes.bits(8 * at.key, 64)).trunc(indexBits);

    const writes = wire(uint(p.ways)),
      entry = wire(Entry);
    const entries = Array.from({ length: p.ways }, (_, way) => {
      const words = ram(Entry, { depth: p.buckets, collision: "undefined", style: "block", name: `way${way}` });
      words.write(writes.bit(way), bucket, entry);
      return words.readSync(hashed, { en: io.request.fire });
    });
    const hits = fromBits(entries.map(e => e.valid.and(e.key.eq(key)))),
      free = fromBits(entries.map(e => e.valid.not())),
      found = hits.any(),
      none = constant(0, p.ways);
    const place = mux(found, hits, lowestSet(free)),
      there = onehotMux(
        toBits(hits),
        entries.map(e => e.value),
      );

    writes.set(none);
    entry.set({ valid: operation.is("put"), key, value: given });
    const step = fsm(["Clear", "Ready", "Look", "Reply"], "Clear", s => ({
      Clear: () => {
        writes.set(none.not());
        entry.valid.set(0);
        bucket.set(bucket.add(1));
        when(bucket.eq(p.buckets - 1), () => s.go("Ready"));
      },
      Ready: () => {
        when(io.request.fire, () => {
          frame.set(io.request.payload.bytes);
          bucket.set(hashed);
          s.go("Look");
        });
      },
      Look: () => {
        const absent = (): void => {
          when(found.not(), () => result.set("absent"));
        };
        result.set("done");
        value.set(given);
        match(operation, {
          get: () => {
            value.set(there);
            absent();
          },
          put: () => {
            writes.set(place);
            when(place.any().not(), () => result.set("full"));
          },
          remove: () => {
            writes.set(hits);
            absent();
          },
        });
        s.go("Reply");
      },
      Reply: () => when(io.reply.fire, () => s.go("Ready")),
    }));
    io.request.ready.set(step.is("Ready"));
    io.reply.valid.set(step.is("Reply"));
    io.reply.payload.bytes.set(replyTo(frame, result.asUint(), value));
  },
);
