/** The CAM against a list of keys that is searched entry by entry. */
import { input, output } from "../types/ports.ts";
import { bit, struct, uint, vec } from "../types/shape.ts";
import type { Bit } from "../types/value.ts";
import { node, reg } from "../build/declare.ts";
import { instance, module } from "../build/module.ts";
import { assertAlways, assumeAlways, cover, when } from "../build/statements.ts";
import { constant } from "../build/value.ts";
import { Cam } from "../lib/index.ts";
import type { Proof } from "./harness/proof.ts";

const ENTRIES = 3,
  KEY_BITS = 2;

const harness = module(
  "CamProof",
  () => ({
    key: input(uint(KEY_BITS)),
    write: input(struct({ valid: bit, keep: bit, index: uint(2), key: uint(KEY_BITS) })),
    hit: output(bit),
    index: output(uint(2)),
  }),
  io => {
    const dut = instance("dut", Cam({ entries: ENTRIES, keyBits: KEY_BITS }));
    dut.key.set(io.key);
    dut.write.set({ valid: io.write.valid, keep: io.write.keep, index: io.write.index, key: io.write.key });
    io.hit.set(dut.found.hit);
    io.index.set(dut.found.index.is(2));
    assumeAlways(io.write.index.lt(ENTRIES), "writes go to entries that are there");
    // Key of each entry, and the key looked up in the cycle before.
    const keys = reg(vec(uint(KEY_BITS), ENTRIES), { init: 0, name: "model_keys" }),
      taken = reg(vec(bit, ENTRIES), { init: 0, name: "model_taken" });
    const asked = reg(uint(KEY_BITS), { init: 0, name: "model_asked" }),
      began = reg(bit, { init: 0, name: "model_began" });
    asked.set(io.key);
    began.set(1);
    when(io.write.valid, () => {
      keys.setAt(io.write.index, io.write.key);
      taken.setAt(io.write.index, io.write.keep);
    });
    let any: Bit = constant(0, 1),
      anyFree: Bit = constant(0, 1);
    for (let i = 0; i < ENTRIES; i++) {
      const here = node(began.and(taken.at(i)).and(keys.at(i).eq(asked)), { name: `model_here_${i}` });
      assertAlways(
        dut.found.matches.bit(i).eq(here),
        `entry ${i} matches when it holds the key, the write of the lookup's cycle included`,
      );
      assertAlways(
        here.not().or(any).or(dut.found.index.eq(i)),
        `entry ${i} is given when it is the lowest that matches`,
      );
      assertAlways(
        taken
          .at(i)
          .or(anyFree)
          .or(dut.free.any.and(dut.free.index.eq(i))),
        `entry ${i} is offered when it is the lowest empty one`,
      );
      any = any.or(here);
      anyFree = anyFree.or(taken.at(i).not());
    }
    assertAlways(dut.found.hit.eq(any), "a hit is told when there is one");
    assertAlways(dut.free.any.eq(anyFree), "room is told when there is some");
    cover(dut.found.matches.bit(2).and(dut.found.matches.bit(1)), "two entries match");
    cover(anyFree.not().and(any), "a hit with all entries taken");
  },
);

export const camProofs: readonly Proof[] = [
  {
    module: `Cam, ${ENTRIES} entries`,
    harness: harness(),
    faults: [
      {
        what: "an empty entry matches with what it held",
        from: /taken\[1\] & \(keys_1 == key\)/,
        to: "(keys_1 == key)",
      },
    ],
  },
];
