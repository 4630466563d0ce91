/**
 * Buses between clocks, a channel at a time: nothing joins the channels of a converter. With the order of each channel
 * kept the rules of AXI hold beyond it as they hold before it: answers come behind what they answer.
 */
import { input, type StreamPort } from "../../types/ports.ts";
import { bit, type Shape, uint } from "../../types/shape.ts";
import type { Bit, StreamIn, StreamOut, UInt } from "../../types/value.ts";
import { clockDomain, inDomain } from "../../build/clock-domain.ts";
import { reg } from "../../build/declare.ts";
import { type Def, instance, module } from "../../build/module.ts";
import { assertAlways, cover, when } from "../../build/statements.ts";
import { cat, constant } from "../../build/value.ts";
import { AxisClockConverter, LiteClockConverter } from "../../lib/index.ts";
import type { Fault, Proof } from "../harness/proof.ts";
import { moduleObeys } from "../harness/rules.ts";

/** Beats that a channel can hold, and bits of their number: it counts further than the channel holds. */
const DEPTH = 2,
  BITS = 3;
interface Crossing {
  readonly dut: Def;
  /** The channel where it goes in and where it comes out. */
  readonly from: string;
  readonly to: string;
  /** The clocks there. */
  readonly clocks: readonly ["s" | "m", "s" | "m"];
  /** Fields that carry the beat's number, the low bits first, and how wide each is; others are 0. */
  readonly number: Readonly<Record<string, number>>;
}
interface End {
  readonly valid: { set(v: unknown): void };
  readonly payload: { set(v: unknown): void };
  readonly ready: { set(v: unknown): void };
}
const fieldsOf = (p: StreamPort): Readonly<Record<string, { readonly width: number }>> =>
  // Every channel of a bus is a struct of numbers.
  (p.shape as unknown as { fields: Readonly<Record<string, { readonly width: number }>> }).fields;

/** Beats are numbered: one that is lost, doubled or overtaken breaks the count, and so does a field of another beat. */
const harness = (name: string, c: Crossing): Def =>
  module(
    name,
    () => ({ offer: input(bit, { domain: c.clocks[0] }), takes: input(bit, { domain: c.clocks[1] }) }),
    io => {
      const domains = { s: clockDomain("s"), m: clockDomain("m") },
        unit = instance("dut", c.dut, { domains }) as unknown as Readonly<Record<string, End>>,
        [goes, comes] = c.clocks.map(d => domains[d]) as [typeof domains.s, typeof domains.s];
      for (const [n, p] of Object.entries(c.dut.ports as Readonly<Record<string, StreamPort>>)) {
        if (n === c.from || n === c.to) continue;
        inDomain(domains[(p as unknown as { domain: "s" | "m" }).domain], () => {
          if (p.dir === "out") (unit[n] as End).ready.set(0);
          else {
            (unit[n] as End).valid.set(0);
            (unit[n] as End).payload.set(Object.fromEntries(Object.keys(fieldsOf(p)).map(f => [f, 0])));
          }
        });
      }
      inDomain(goes, () => {
        const next = reg(uint(BITS), { init: 0, name: "next_in" }),
          into = unit[c.from] as unknown as StreamOut<Shape> & End & { readonly fire: Bit; readonly ready: Bit };
        into.valid.set(io.offer);
        let at = 0;
        const fields = Object.entries(
          fieldsOf((c.dut.ports as Readonly<Record<string, StreamPort>>)[c.from] as StreamPort),
        );
        into.payload.set(
          Object.fromEntries(
            fields.map(([f, { width }]) => {
              const bits = c.number[f] ?? 0,
                low = at;
              at += bits;
              if (bits === 0) return [f, 0];
              const part = (next as UInt).bits(low, bits);
              return [f, bits === width ? part : cat(constant(0, width - bits), part)];
            }),
          ),
        );
        when(into.fire, () => next.set(next.add(1)));
        cover(io.offer.and(into.ready.not()), "full");
      });
      inDomain(comes, () => {
        const out = unit[c.to] as unknown as StreamIn<Shape> & End,
          next = reg(uint(BITS), { init: 0, name: "next_out" });
        out.ready.set(io.takes);
        const payload = out.payload as unknown as Readonly<Record<string, UInt>>,
          number = cat(
            ...Object.entries(c.number)
              .map(([f, bits]) => (payload[f] as UInt).bits(0, bits))
              .reverse(),
          );
        const waited = moduleObeys({ valid: out.valid, ready: io.takes, payload: number }, "out");
        when(out.fire, () => next.set(next.add(1)));
        assertAlways(out.valid.not().or(number.eq(next)), "beats come out whole and in order, none lost or doubled");
        cover(waited.and(out.fire), "one comes out after a stall");
        cover(next.eq(3), "three have come out");
      });
    },
  )();

const lite = LiteClockConverter({ addressBits: 3, depth: DEPTH });
/** A fault in the FIFO of this shape. */
const code = (fifo: string): Fault => ({
  what: "a pointer crosses without its code",
  from: new RegExp(`(module AsyncFifo_${fifo}[\\s\\S]*?)next_tail \\^ \\(next_tail >> 1\\)`),
  to: "$1next_tail",
});
export const clockConverterProofs: readonly Proof[] = [
  {
    module: "AxisClockConverter, any two clocks",
    long: "minutes",
    by: "abc pdr",
    harness: harness("AxisClockProof", {
      dut: AxisClockConverter({ bytes: 1, depth: DEPTH }),
      from: "from",
      to: "to",
      clocks: ["s", "m"],
      number: { data: 1, keep: 1, last: 1 },
    }),
    reach: 40,
    faults: [code("data8")],
  },
  {
    module: "LiteClockConverter, a channel of the master's, any two clocks",
    long: "minutes",
    by: "abc pdr",
    harness: harness("LiteClockProof_w", {
      dut: lite,
      from: "sW",
      to: "mW",
      clocks: ["s", "m"],
      number: { data: 1, strb: 2 },
    }),
    reach: 40,
    faults: [code("LiteWrite")],
  },
  {
    module: "LiteClockConverter, a channel of the slave's, any two clocks",
    long: "minutes",
    by: "abc pdr",
    harness: harness("LiteClockProof_r", {
      dut: lite,
      from: "mR",
      to: "sR",
      clocks: ["m", "s"],
      number: { data: 1, resp: 2 },
    }),
    reach: 40,
    faults: [code("LiteRead")],
  },
];
