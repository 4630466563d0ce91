/** Arbiters: nothing lost or made up, stalled choices kept, packets whole, and how long one can wait. */
import { sink, source } from "../types/ports.ts";
import { bit, type Shape, struct, uint, type UIntShape } from "../types/shape.ts";
import type { Bit, StreamIn } from "../types/value.ts";
import { node, reg } from "../build/declare.ts";
import { type Def, instance, module } from "../build/module.ts";
import { assertAlways, cover, when } from "../build/statements.ts";
import { cat, constant } from "../build/value.ts";
import { RoundRobinArbiter } from "../lib/index.ts";
import { arbiter } from "../stream/arbiter.ts";
import { connect } from "../stream/connect.ts";
import { map } from "../stream/stream.ts";
import type { Proof } from "./harness/proof.ts";
import { moduleObeys, producerObeys } from "./harness/rules.ts";

/** A value of two bits, the higher one of which ends a packet, and where it comes from. */
const Tagged = struct({ from: uint(2), value: uint(2) });
const SOURCES = 3;

interface Case {
  /** Grants that others can get while a source waits; none: it can starve. In packets when they are kept whole. */
  readonly bound?: number;
  readonly packets?: boolean;
  readonly priority?: boolean;
  readonly build: (from: readonly StreamIn<UIntShape<2>>[]) => StreamIn<Shape>;
}

function arbiterHarness(name: string, c: Case): Def {
  return module(
    name,
    () => ({ from0: sink(uint(2)), from1: sink(uint(2)), from2: sink(uint(2)), to: source(Tagged) }),
    io => {
      const from = [io.from0, io.from1, io.from2];
      connect(c.build(from), io.to);
      from.forEach((s, i) => {
        producerObeys(s, `from_${i}`);
      });
      const waited = moduleObeys(
        { valid: io.to.valid, ready: io.to.ready, payload: cat(io.to.payload.from, io.to.payload.value) },
        "to",
      );
      const chosen = from.map((_, i) => io.to.payload.from.eq(i));
      const last = c.packets === true ? io.to.payload.value.bit(1) : constant(1, 1);
      from.forEach((s, i) => {
        const mine = io.to.fire.and(chosen[i] as Bit);
        assertAlways(s.fire.eq(mine), `from_${i}: leaves exactly when it comes out`);
        assertAlways(
          io.to.valid
            .and(chosen[i] as Bit)
            .not()
            .or(s.valid.and(s.payload.eq(io.to.payload.value))),
          `from_${i}: what comes out as its own is its own`,
        );
        if (c.bound !== undefined) {
          const waits = reg(uint(3), { init: 0, name: `model_waits_${i}` });
          when(s.valid.not().or(s.fire), () => waits.set(0)).elseWhen(io.to.fire.and(last).and(waits.ne(7)), () =>
            waits.set(waits.add(1)),
          );
          assertAlways(
            waits.le(c.bound),
            `from_${i}: waits for ${c.bound} ${c.packets === true ? "packets" : "transfers"} of others at most`,
          );
          cover(waits.eq(c.bound).and(s.fire), `from_${i}: is served after ${c.bound} others`);
        }
        if (c.priority === true) {
          const before = from
            .slice(0, i)
            .map(x => x.valid)
            .reduce<Bit>((a, b) => a.or(b), constant(0, 1));
          assertAlways(
            waited.or(io.to.valid.and(chosen[i] as Bit).not()).or(before.not()),
            `from_${i}: chosen only when nobody before it asks`,
          );
        }
      });
      const anyValid = node(
        from.map(s => s.valid).reduce((a, b) => a.or(b)),
        { name: "model_any" },
      );
      if (c.packets === true) {
        // The packet that is under way, as the output shows it.
        const within = reg(bit, { init: 0, name: "model_within" }),
          whose = reg(uint(2), { init: 0, name: "model_whose" });
        when(io.to.fire, () => {
          within.set(last.not());
          whose.set(io.to.payload.from);
        });
        assertAlways(within.not().or(io.to.valid.not()).or(io.to.payload.from.eq(whose)), "packets stay whole");
        assertAlways(within.or(io.to.valid.eq(anyValid)), "between packets: offered when anyone asks");
        cover(
          within
            .and(
              from
                .map((s, i) => s.valid.and(whose.eq(i)))
                .reduce((a, b) => a.or(b))
                .not(),
            )
            .and(anyValid),
          "somebody waits for a packet that pauses",
        );
      } else assertAlways(io.to.valid.eq(anyValid), "offered when anyone asks");
      cover(waited.and(io.to.fire), "one comes out after a stall");
      cover(
        from
          .map(s => s.valid)
          .reduce((a, b) => a.and(b))
          .and(io.to.fire),
        "all ask at once",
      );
    },
  )();
}

const tagged = (from: readonly StreamIn<UIntShape<2>>[]): StreamIn<typeof Tagged>[] =>
  from.map((s, i) => map(s, Tagged, v => ({ from: constant(i, 2), value: v }), { name: `tagged_${i}` }));

export const arbiterProofs: readonly Proof[] = [
  {
    module: "arbiter, priority, 3 sources",
    harness: arbiterHarness("PriorityArbiterProof", {
      priority: true,
      build: from => arbiter(tagged(from), { name: "dut", policy: "priority" }),
    }),
    faults: [{ what: "a stalled choice is not kept", from: /dut_locked <= ~\w+;/, to: "dut_locked <= 1'b0;" }],
  },
  {
    module: "arbiter, round-robin, transaction-locked, 3 sources",
    harness: arbiterHarness("LockedArbiterProof", {
      bound: SOURCES - 1,
      packets: true,
      build: from => arbiter(tagged(from), { name: "dut", last: v => v.value.bit(1) }),
    }),
    faults: [
      {
        what: "another source is let into a packet",
        from: /dut_locked <= ~\((\w+) & [^)]*\);/,
        to: "dut_locked <= ~$1;",
      },
    ],
  },
  {
    module: "RoundRobinArbiter, 3 sources",
    harness: arbiterHarness("RoundRobinArbiterProof", {
      bound: SOURCES - 1,
      build: from => {
        const dut = instance("dut", RoundRobinArbiter({ shape: uint(2), sources: SOURCES }));
        from.forEach((s, i) => {
          connect(s, dut[`from${i as 0 | 1 | 2}`]);
        });
        return dut.to;
      },
    }),
    faults: [
      { what: "the lowest number always goes first", from: /merge_after =[^;]*;/, to: "merge_after = 3'd0;" },
      {
        what: "one source comes out under another's number",
        from: /merge_grant\[1\]\}\} & (?:2'd1|tagged_1_payload_from)/,
        to: "merge_grant[1]}} & 2'd2",
      },
    ],
  },
];
