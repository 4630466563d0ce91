/**
 * The width converter of AXI4, its reads and its writes each by themselves: nothing joins them in it. By the rules of
 * both buses at every address, and by its data: each byte that is written or read is the one that was meant, in order.
 */
import { input } from "../../types/ports.ts";
import { bit, type Shape, uint } from "../../types/shape.ts";
import type { Bit, StreamIn, StreamOut, UInt } from "../../types/value.ts";
import { node, reg } from "../../build/declare.ts";
import { type Def, instance, module } from "../../build/module.ts";
import { stable } from "../../build/past.ts";
import { assertAlways, assumeAlways, cover, mux, when } from "../../build/statements.ts";
import { constant } from "../../build/value.ts";
import { Axi4WidthConverter } from "../../lib/index.ts";
import { connectAny } from "../../stream/connect.ts";
import { axi4MasterObeys, axi4SlaveObeys, type Axi4Traffic } from "../axi/axi4-rules.ts";
import type { AddressChannel, ReadChannels, WriteChannels } from "../axi/bus.ts";
import type { Proof } from "../harness/proof.ts";
import { answersIn } from "./widths.ts";

type Way = "reads" | "writes";
const channels = { reads: ["Ar", "R"], writes: ["Aw", "W", "B"] } as const;
/** Bits of an address where bytes are followed: two bursts of four beats of two bytes stand side by side. */
const NEAR = 4;
/** The two buses of a half, and a byte's address that never changes. */
interface Half {
  readonly s: ReadChannels & WriteChannels;
  readonly m: ReadChannels & WriteChannels;
  readonly chosen: UInt;
}
interface Free {
  readonly valid: { set(v: unknown): void };
  readonly payload: { set(v: unknown): void; readonly fields?: unknown };
  readonly ready: { set(v: unknown): void };
}

/** One way of a converter; at the other one nothing ever comes. */
function half(name: string, way: Way, fromBytes: number, toBytes: number, claims: (h: Half) => void): Def {
  const dut = Axi4WidthConverter({ addressBits: 13, idBits: 1, fromBytes, toBytes, outstanding: 1 }),
    used = ["s", "m"].flatMap(side => channels[way].map(c => `${side}${c}`)),
    ports = Object.entries(dut.ports);
  return module(
    name,
    () => ({ ...Object.fromEntries(ports.filter(([n]) => used.includes(n))), chosen: input(uint(NEAR)) }),
    io => {
      const outer = io as unknown as Readonly<Record<string, unknown>>,
        inner = instance("dut", dut as Def) as unknown as Readonly<Record<string, unknown>>;
      for (const [n, p] of ports) {
        const [from, to] = p.dir === "in" ? [outer[n], inner[n]] : [inner[n], outer[n]];
        if (used.includes(n)) connectAny(from as StreamIn<Shape>, to as StreamOut<Shape>);
        else if (p.dir === "out") (inner[n] as Free).ready.set(0);
        else {
          const fields = Object.keys((p as unknown as { shape: { fields: object } }).shape.fields);
          (inner[n] as Free).valid.set(0);
          (inner[n] as Free).payload.set(Object.fromEntries(fields.map(f => [f, 0])));
        }
      }
      const side = (prefix: string): object =>
        Object.fromEntries(channels[way].map(c => [c.toLowerCase(), outer[`${prefix}${c}`]]));
      const chosen = outer["chosen"] as UInt;
      assumeAlways(stable(chosen), "the chosen byte stays");
      claims({ s: side("s") as Half["s"], m: side("m") as Half["m"], chosen });
    },
  )();
}

/** Rules of both buses. @param under bursts that may be under way, at the master's side and at the slave's */
function obeys(h: Half, fromBytes: number, toBytes: number, under: readonly [number, number]) {
  const [outstanding, below] = under,
    beats = fromBytes > toBytes ? 2 : 4;
  // One way alone is there.
  return {
    above: axi4SlaveObeys(h.s, { outstanding, beats, beatBytes: fromBytes, name: "above" }) as Partial<Axi4Traffic>,
    below: axi4MasterObeys(h.m, {
      outstanding: below,
      beats: 4,
      beatBytes: toBytes,
      name: "below",
    }) as Partial<Axi4Traffic>,
  };
}
const rules = (way: Way, fromBytes: number, toBytes: number, under: readonly [number, number]): Def =>
  half(`Axi4Width${fromBytes}to${toBytes}_${way}`, way, fromBytes, toBytes, h => {
    const { s, m } = h,
      { above, below } = obeys(h, fromBytes, toBytes, under);
    if (above.reads !== undefined && below.reads !== undefined) {
      const willing = m.ar.ready.and(s.r.ready).and(m.r.valid.or(below.reads.any.not()));
      answersIn("a read", above.reads.any, willing, s.r.fire);
      cover(above.reads.any.and(s.r.fire), "a beat is read");
    }
    if (above.writes !== undefined && below.writes !== undefined) {
      const gives = s.w.valid.or(above.writes.addresses.not()),
        answers = m.b.valid.or(below.writes.any.not()),
        willing = m.aw.ready.and(m.w.ready).and(s.b.ready).and(gives).and(answers);
      answersIn("a write", above.writes.any.or(above.writes.addresses), willing, s.b.fire.or(s.w.fire));
      cover(above.writes.any.and(s.b.fire), "a write ends");
    }
  });

/**
 * Whether the beat at hand has the chosen byte, and whether it is about the bus's word with it: the beats of one burst
 * at a time, as IHI 0022 (A3.4.1) counts them.
 */
function beats(a: AddressChannel, beat: Bit, bytes: number, chosen: UInt, name: string): { has: Bit; word: Bit } {
  const addr = reg(uint(NEAR), { name: `${name}_addr` }),
    size = reg(uint(1), { name: `${name}_size` }),
    burst = reg(uint(2), { name: `${name}_burst` }),
    len = reg(uint(2), { name: `${name}_len` });
  const bySize = (f: (k: number) => UInt): UInt => (bytes === 1 ? f(0) : mux(size.eq(0), f(0), f(1)));
  when(beat, () => {
    const next = bySize(k => {
      const low = constant(2 ** k - 1, NEAR),
        onward = addr.andNot(low).add(2 ** k),
        wrap = len.zext(NEAR).shl(k).or(low),
        wrapped = addr.andNot(wrap).or(onward.and(wrap));
      return mux(burst.eq(0), addr, mux(burst.eq(2), wrapped, onward));
    });
    addr.set(next);
  });
  when(a.fire, () => {
    addr.set(a.payload.addr.trunc(NEAR));
    size.set(a.payload.size.trunc(1));
    burst.set(a.payload.burst);
    len.set(a.payload.len.trunc(2));
  });
  const same = bySize(k => chosen.shr(k).eq(addr.shr(k)));
  const wide = Math.log2(bytes);
  return {
    has: node(chosen.ge(addr).and(same.bit(0)), { name: `${name}_has_it` }),
    word: chosen.shr(wide).eq(addr.shr(wide)),
  };
}
/** A bit of the chosen byte's lane; of its strobe with a step of 1. */
const laneOf = (word: UInt, step: number, bytes: number, chosen: UInt): Bit =>
  bytes === 1 ? word.bit(0) : mux(chosen.bit(0), word.bit(step), word.bit(0));
/** A burst begins within the first bytes, so what is followed is small. */
const near = (a: AddressChannel): void =>
  assumeAlways(a.valid.not().or(a.payload.addr.shr(NEAR).any().not()), "addresses are small");

/**
 * One read at a time. The memory's byte is 0 and at some time becomes 1 for good, so that an order can be seen: what
 * the master gets was given for this read, and no 0 comes behind a 1.
 */
const readData = (fromBytes: number, toBytes: number): Def =>
  half(`Axi4Width${fromBytes}to${toBytes}_readData`, "reads", fromBytes, toBytes, h => {
    obeys(h, fromBytes, toBytes, [1, 1]);
    const { s, m, chosen } = h;
    near(s.ar);
    const given = beats(m.ar, m.r.fire, toBytes, chosen, "below_at").has.and(m.r.valid),
      shown = beats(s.ar, s.r.fire, fromBytes, chosen, "above_at").has.and(s.r.valid),
      from = laneOf(m.r.payload.data, 8, toBytes, chosen),
      to = laneOf(s.r.payload.data, 8, fromBytes, chosen);
    const zero = reg(bit, { init: 0, name: "gave_zero" }),
      one = reg(bit, { init: 0, name: "gave_one" }),
      told = reg(bit, { init: 0, name: "told_one" });
    assumeAlways(given.not().or(from).or(one.not()), "the byte becomes 1 for good");
    // Its beat stands at the converter until the last of it is dealt out: it was given when it is offered.
    when(given, () => when(from, () => one.set(1)).otherwise(() => zero.set(1)));
    assertAlways(shown.not().or(mux(to, one, zero)), "a byte that is read is what the memory gave for this read");
    assertAlways(shown.not().or(to).or(told.not()), "bytes are read in the order in which they were given");
    when(s.r.fire.and(shown).and(to), () => told.set(1));
    when(s.ar.fire, () => {
      zero.set(0);
      one.set(0);
      told.set(0);
    });
    cover(s.r.fire.and(shown).and(told), "a byte is read twice in a burst");
    cover(s.r.fire.and(shown).and(zero).andNot(to).and(one), "a 0 is read when a 1 has been given");
  });

/**
 * One write at a time, to a slave that takes data behind their address. The master's byte is 0 and at some time becomes
 * 1 for good: the slave gets as many of it as the master strobed, and no 0 behind a 1.
 */
const writeData = (fromBytes: number, toBytes: number): Def =>
  half(`Axi4Width${fromBytes}to${toBytes}_writeData`, "writes", fromBytes, toBytes, h => {
    obeys(h, fromBytes, toBytes, [1, 1]);
    const { s, m, chosen } = h;
    near(s.aw);
    const open = (a: AddressChannel, ends: Bit, name: string): Bit => {
      const there = reg(bit, { init: 0, name });
      when(ends, () => there.set(0));
      when(a.fire, () => there.set(1));
      return there;
    };
    const last = (w: WriteChannels["w"]): Bit => w.fire.and(w.payload.last);
    assumeAlways(m.w.ready.not().or(open(m.aw, last(m.w), "below_open")), "the slave takes data behind their address");
    const above = beats(s.aw, s.w.fire, fromBytes, chosen, "above_at"),
      below = beats(m.aw, m.w.fire, toBytes, chosen, "below_at"),
      strobed = node(above.word.and(laneOf(s.w.payload.strb, 1, fromBytes, chosen)), { name: "byte_strobed" });
    const gives = node(s.w.valid.and(open(s.aw, last(s.w), "above_open")).and(strobed), { name: "gives" }),
      took = node(m.w.fire.and(below.word).and(laneOf(m.w.payload.strb, 1, toBytes, chosen)), { name: "took" }),
      from = laneOf(s.w.payload.data, 8, fromBytes, chosen),
      to = laneOf(m.w.payload.data, 8, toBytes, chosen);
    // The master strobes only what its beat has.
    assumeAlways(s.w.valid.not().or(strobed.not()).or(above.has), "a strobe is of a byte in its beat");
    const owed = reg(uint(2), { init: 0, name: "owed_bytes" }),
      one = reg(bit, { init: 0, name: "gave_one" }),
      zero = reg(bit, { init: 0, name: "gave_zero" }),
      told = reg(bit, { init: 0, name: "got_one" });
    // A beat of which parts go stands at the converter until the last has gone: it counts when it is offered.
    const counted = reg(bit, { init: 0, name: "counted" }),
      comes = node(gives.andNot(counted), { name: "byte_comes" });
    counted.set(gives.andNot(s.w.fire));
    assertAlways(took.not().or(below.has), "strobes are of bytes in their beat");
    owed.set(owed.add(comes.zext(2)).sub(took.zext(2)));
    assumeAlways(gives.not().or(from).or(one.not()), "the byte becomes 1 for good");
    when(gives, () => when(from, () => one.set(1)).otherwise(() => zero.set(1)));
    assertAlways(took.not().or(owed.any()), "no byte is written that was not strobed");
    assertAlways(owed.ne(3), "a byte that was strobed is written before two more");
    assertAlways(took.not().or(mux(to, one, zero)), "a byte that is written is what the master gave for this write");
    assertAlways(took.not().or(to).or(told.not()), "bytes are written in the order in which they were given");
    assertAlways(s.b.valid.not().or(owed.any().not()), "every byte that was strobed is written before the answer");
    when(took.and(to), () => told.set(1));
    when(s.aw.fire, () => {
      one.set(0);
      zero.set(0);
      told.set(0);
    });
    cover(took.and(told), "a byte is written twice in a burst");
    cover(s.b.fire.and(zero).andNot(one), "a write of a 0 ends");
  });

const named = (toBytes: number, what: string): string =>
  `Axi4WidthConverter, ${3 - toBytes} to ${toBytes} bytes: ${what}`;
/** Proofs of the converter for AXI4. */
export const axi4WidthProofs: readonly Proof[] = [
  {
    module: named(2, "reads by the rules of AXI4"),
    long: true,
    harness: rules("reads", 1, 2, [1, 2]),
    faults: [
      {
        what: "a burst's last beat does not go",
        from: /ar_reach = [^;]*;/,
        to: "ar_reach = {1'b0, s_ar_payload_len};",
      },
      {
        what: "each wide beat ends the burst",
        from: /r_out_payload_last = [^;]*;/,
        to: "r_out_payload_last = r_at_ends;",
      },
    ],
  },
  {
    module: named(2, "writes by the rules of AXI4"),
    long: true,
    harness: rules("writes", 1, 2, [1, 2]),
    faults: [
      {
        what: "a burst's last beat does not go",
        from: /aw_reach = [^;]*;/,
        to: "aw_reach = {1'b0, s_aw_payload_len};",
      },
      { what: "a beat that waits is replaced", from: /w_room = [^;]*;/, to: "w_room = 1'b1;" },
    ],
  },
  {
    module: named(1, "reads by the rules of AXI4"),
    long: true,
    harness: rules("reads", 2, 1, [1, 2]),
    faults: [
      {
        what: "an unaligned burst is a beat too long",
        from: /ar_first = [^;]*;/,
        to: "ar_first = ar_next_held_beats;",
      },
    ],
  },
  {
    module: named(1, "writes by the rules of AXI4"),
    long: true,
    harness: rules("writes", 2, 1, [1, 2]),
    faults: [
      {
        what: "an unaligned burst is a beat too long",
        from: /aw_first = [^;]*;/,
        to: "aw_first = aw_next_held_beats;",
      },
      { what: "each part is answered", from: /b_out_valid = [^;]*;/, to: "b_out_valid = b_goes;" },
    ],
  },
  {
    module: named(2, "bytes that are read"),
    long: true,
    harness: readData(1, 2),
    faults: [
      {
        what: "every byte is taken from the lower lane",
        from: /r_out_payload_data = [^;]*;/,
        to: "r_out_payload_data = m_r_payload_data[7:0];",
      },
      { what: "a FIXED burst counts on", from: /ar_payload_plan_mask =[^;]*;/, to: "ar_payload_plan_mask = 1'b1;" },
    ],
  },
  {
    module: named(1, "bytes that are read"),
    long: "minutes",
    by: "abc pdr",
    harness: readData(2, 1),
    faults: [
      { what: "the second part of WRAP is where the first was", from: "ar_job_addr <= ar_job_base;", to: "" },
      { what: "a beat is whole after any part of it", from: /r_at_ends = [^;]*;/, to: "r_at_ends = 1'b1;" },
    ],
  },
  {
    module: named(2, "bytes that are written"),
    long: "minutes",
    by: "abc pdr",
    harness: writeData(1, 2),
    faults: [
      { what: "strobes of the beat before stay", from: "if (w_fresh) w_strb <= 2'd0;", to: "" },
      {
        what: "a lane that is not strobed is",
        from: "if (w_at_at) w_strb[1] <= s_w_payload_strb;",
        to: "if (w_at_at) w_strb[1] <= 1'b1;",
      },
    ],
  },
  {
    module: named(1, "bytes that are written"),
    long: "minutes",
    by: "abc pdr",
    harness: writeData(2, 1),
    faults: [
      {
        what: "one strobe is both",
        from: /w_out_payload_strb = [^;]*;/,
        to: "w_out_payload_strb = |s_w_payload_strb;",
      },
      {
        what: "a FIXED burst is written once",
        from: /(aw_measured_payload_more =)[^;]*;/,
        to: "aw_measured_payload_more = 4'd0;",
      },
    ],
  },
];
