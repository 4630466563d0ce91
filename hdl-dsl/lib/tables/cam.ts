import { input, output } from "../../types/ports.ts";
import { bit, struct, uint, vec } from "../../types/shape.ts";
import type { Bit } from "../../types/value.ts";
import { reg } from "../../build/declare.ts";
import { module } from "../../build/module.ts";
import { mux, when } from "../../build/statements.ts";
import { addressBits } from "../../types/bits.ts";
import { encodePriority, fromBits } from "../../vectors/index.ts";
/** How many keys, and how wide. */
export interface CamParameters {
  /** Keys held at most, 1 or more. */
  readonly entries: number;
  /** Bits of a key. */ readonly keyBits: number;
}

/**
 * Content-addressable memory of `entries` keys in registers, all empty after reset. Latency: `found` answers `key` one
 * cycle later; initiation interval 1. A write of the same cycle is seen by the lookup. `write` gives entry `index` the
 * key, or empties it when `keep` is 0. Several equal keys: `matches` shows all of them, `index` the lowest; none: `hit`
 * and `index` are 0. `free` is the lowest empty entry, without latency; when all are taken `free.any` is 0. A write
 * past the last entry does nothing.
 */
export const Cam = module(
  "Cam",
  (p: CamParameters) => ({
    key: input(uint(p.keyBits)),
    found: output(struct({ hit: bit, index: uint(addressBits(p.entries)), matches: uint(p.entries) })),
    write: input(struct({ valid: bit, keep: bit, index: uint(addressBits(p.entries)), key: uint(p.keyBits) })),
    free: output(struct({ any: bit, index: uint(addressBits(p.entries)) })),
  }),
  (io, p) => {
    const keys = reg(vec(uint(p.keyBits), p.entries)),
      taken = reg(uint(p.entries), { init: 0 }),
      matches = reg(uint(p.entries), { init: 0 });
    const written = Array.from({ length: p.entries }, (_, i) => io.write.valid.and(io.write.index.eq(i)));
    matches.set(
      fromBits(
        keys
          .toArray()
          .map((k, i) =>
            mux(written[i] as Bit, io.write.keep.and(io.write.key.eq(io.key)), taken.bit(i).and(k.eq(io.key))),
          ),
      ),
    );
    written.forEach((w, i) => {
      when(w, () => {
        keys.at(i).set(io.write.key);
        taken.setBits(i, io.write.keep);
      });
    });
    const first = encodePriority(matches),
      empty = encodePriority(taken.not());
    io.found.set({ hit: first.any, index: first.index, matches });
    io.free.set({ any: empty.any, index: empty.index });
  },
);
