/** The width converter of AXI4-Lite by the rules of its buses: a slave on one side, a master on the other. */
import { uint } from "../../types/shape.ts";
import type { Bit } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { assertAlways, cover, mux, when } from "../../build/statements.ts";
import { constant } from "../../build/value.ts";
import { LiteWidthConverter } from "../../lib/index.ts";
import { type LiteBus, liteMasterObeys, liteSlaveObeys } from "../axi/lite-rules.ts";
import { around } from "../harness/around.ts";
import type { Proof } from "../harness/proof.ts";

/** Another side's channels under the names of the rules. */
const renamed = (io: object): LiteBus => {
  const at = io as Readonly<Record<string, unknown>>;
  return Object.fromEntries(["Aw", "W", "B", "Ar", "R"].map(c => [`s${c}`, at[`m${c}`]])) as unknown as LiteBus;
};
/** Cycles from the last that an access waits for to its answer, at most. */
const within = 10;
/** Nothing is lost: what is owed is answered, once nobody else holds it up for so long. */
export function answersIn(what: string, owed: Bit, willing: Bit, answered: Bit): void {
  const name = what.replace(/ /g, "_"),
    waits = node(owed.and(willing).andNot(answered), { name: `${name}_waits` }),
    cycles = reg(uint(4), { init: 0, name: `${name}_cycles` });
  cycles.set(mux(waits, cycles.add(1), constant(0, 4)));
  assertAlways(cycles.lt(within), `${what} is answered within ${within} cycles in which nobody holds it up`);
}
/** Addresses and data of writes go out in pairs: neither is a second one ahead. */
function inPairs(aw: Bit, w: Bit): void {
  const ahead = reg(uint(2), { init: 0, name: "data_ahead" });
  when(w.andNot(aw), () => ahead.set(ahead.add(1))).elseWhen(aw.andNot(w), () => ahead.set(ahead.sub(1)));
  assertAlways(ahead.ne(2), "each address has its data, and no other");
}

const lite = (fromBytes: 4 | 8): Proof["harness"] =>
  around(`LiteWidth${fromBytes}Proof`, LiteWidthConverter({ addressBits: 3, fromBytes, outstanding: 2 }), io => {
    const above = liteSlaveObeys(io, { outstanding: 4, name: "above" }),
      below = liteMasterObeys(renamed(io), { outstanding: 4, name: "below" });
    const ends: Bit = io.sB.fire;
    inPairs(io.mAw.fire, io.mW.fire);
    answersIn(
      "a write",
      above.writes.any,
      io.mAw.ready.and(io.mW.ready).and(io.sB.ready).and(io.mB.valid.or(below.writes.any.not())),
      ends,
    );
    answersIn(
      "a read",
      above.reads.any,
      io.mAr.ready.and(io.sR.ready).and(io.mR.valid.or(below.reads.any.not())),
      io.sR.fire,
    );
    cover(above.writes.several.and(ends), "a write ends while another is under way");
    cover(below.reads.several.and(io.sR.fire), "a read ends while two are under way");
  });

/** Proofs of the converter for AXI4-Lite. */
export const liteWidthProofs: readonly Proof[] = [
  {
    module: "LiteWidthConverter, 4 to 8 bytes",
    long: true,
    harness: lite(4),
    faults: [
      {
        what: "data that were taken are offered again",
        from: /half_1_done <= [^;]*write_ready[^;]*;/,
        to: "half_1_done <= 1'b0;",
      },
    ],
  },
  {
    module: "LiteWidthConverter, 8 to 4 bytes",
    long: true,
    harness: lite(8),
    faults: [
      { what: "an answer waits for nothing", from: /b_passes = [^;]*;/, to: "b_passes = 1'b1;" },
      {
        what: "a read's answer is lost when the one before it goes",
        from: "if (asked_pop_payload_final) r_full <= 1'b1",
        to: "if (asked_pop_payload_final & ~r_full) r_full <= 1'b1",
      },
    ],
  },
];
