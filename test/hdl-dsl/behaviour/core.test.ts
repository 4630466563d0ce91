import { describe, expect } from "vitest";
import { bench } from "../../bench.ts";
import { bernoulli, never, StreamSink, StreamSource, type Bench, type Pause } from "../../../sim/index.ts";
import { CoreUnits } from "./units.ts";

const design = CoreUnits();
type B = Bench<(typeof design)["ports"]>;
const signed = (v: number, bits: number): number => { const m = ((v % 2 ** bits) + 2 ** bits) % 2 ** bits; return m >= 2 ** (bits - 1) ? m - 2 ** bits : m; };
const unsigned = (v: number, bits: number): number => ((v % 2 ** bits) + 2 ** bits) % 2 ** bits;

describe("pipeline", () => {
  const loads: readonly (readonly [string, Pause, Pause])[] = [["no pauses", never, never], ["slow producer", bernoulli(0.6, 3), never], ["slow consumer", never, bernoulli(0.6, 4)], ["both", bernoulli(0.4, 5), bernoulli(0.5, 6)]];
  for (const [name, from, to] of loads) {
    bench(`results and what rides along, in order: ${name}`, design, {}, async b => {
      const mac = new StreamSource(b.sim, b.io.mac_i, { pause: from }), done = new StreamSink(b.sim, b.io.mac_o, { pause: to });
      const deep = new StreamSource(b.sim, b.io.deep_i, { pause: from }), late = new StreamSink(b.sim, b.io.deep_o, { pause: to });
      const jobs = Array.from({ length: 150 }, () => ({ a: b.random.int(0, 65535), b: b.random.int(0, 65535), c: b.random.u32(), tag: b.random.int(0, 15) }));
      for (const j of jobs) { mac.send(j); deep.send({ v: j.a & 255, keep: j.b & 255 }); }
      await b.until(() => done.received.length === 150 && late.received.length === 150);
      await b.cycles(8);
      expect(done.received.map(r => r.value)).toEqual(jobs.map(j => ({ sum: (j.a * j.b + j.c) % 2 ** 32, tag: j.tag })));
      expect(late.received.map(r => r.value)).toEqual(jobs.map(j => {
        const v = (j.a + 1) & 255, keep = j.b & 255;
        return { out: (v + (v ^ keep)) & 255, keep, late: v ^ keep };
      }));
    });
  }

  bench("latency is the number of stages, the initiation interval 1; a bubble closes under a stall", design, {}, async b => {
    const source = new StreamSource(b.sim, b.io.mac_i), sink = new StreamSink(b.sim, b.io.mac_o);
    const job = (n: number): { a: number; b: number; c: number; tag: number } => ({ a: n, b: n, c: n, tag: n & 15 });
    const sent = Array.from({ length: 30 }, (_, i) => source.send(job(i)));
    await b.until(() => sink.received.length === 30);
    expect((sink.received[0]?.cycle as number) - (sent[0]?.cycle as number)).toBe(2);
    expect((sink.received[29]?.cycle as number) - (sink.received[0]?.cycle as number)).toBe(29);
    // The consumer stalls for good: both stages fill, also with a gap between the two values, and no third one enters.
    sink.pause = () => true;
    const one = source.send(job(1));
    await b.cycles(3);
    const two = source.send(job(2)), three = source.send(job(3));
    await b.cycles(10);
    expect([one.cycle, two.cycle, three.cycle].map(c => c !== undefined)).toEqual([true, true, false]);
    sink.pause = never;
    await b.until(() => sink.received.length === 33);
  });
});

describe("fsm", () => {
  bench("goes from state to state and follows its conditions", design, {}, async b => {
    const seen: number[][] = [];
    b.io.fsm_start.value = 1;
    await b.cycles(1);
    b.io.fsm_start.value = 0;
    for (let i = 0; i < 9; i++) { await b.cycles(1); seen.push([b.io.fsm_busy.value, b.io.fsm_done.value, b.io.fsm_count.value]); }
    //                 Load       Run x5                                                    Done       Idle
    expect(seen).toEqual([[1, 0, 0], [1, 0, 5], [1, 0, 4], [1, 0, 3], [1, 0, 2], [1, 0, 1], [1, 1, 0], [0, 0, 0], [0, 0, 0]]);
    b.io.fsm_start.value = 1;
    await b.cycles(4);
    b.io.fsm_start.value = 0;
    b.io.fsm_stop.value = 1;
    await b.cycles(2);
    expect([b.io.fsm_busy.value, b.io.fsm_done.value]).toEqual([0, 0]);
  });
});

describe("vec", () => {
  bench("initial values, reads and writes by an index, also past the end", design, {}, async b => {
    const model = [{ count: 1, delta: -1 }, { count: 2, delta: 0 }, { count: 0, delta: 0 }, { count: 0, delta: 3 }, { count: 0, delta: 0 }];
    const read = (): unknown[] => b.io.vec_all.map(e => ({ count: e.count.value, delta: e.delta.value }));
    for (let i = 0; i < 400; i++) {
      const we = b.random.bool() ? 1 : 0, load = b.random.bool(0.05) ? 1 : 0, wi = b.random.int(0, 7), ri = b.random.int(0, 7);
      const wd = { count: b.random.int(0, 15), delta: b.random.int(-8, 7) };
      const all = model.map(() => ({ count: b.random.int(0, 15), delta: b.random.int(-8, 7) }));
      b.io.vec_we.value = we; b.io.vec_wi.value = wi; b.io.vec_wd.count.value = wd.count; b.io.vec_wd.delta.value = wd.delta; b.io.vec_ri.value = ri; b.io.vec_load.value = load;
      all.forEach((e, k) => { (b.io.vec_from[k] as { count: { value: number } }).count.value = e.count; (b.io.vec_from[k] as { delta: { value: number } }).delta.value = e.delta; });
      await b.cycles(1);
      expect(read()).toEqual(model);
      expect({ count: b.io.vec_rd.count.value, delta: b.io.vec_rd.delta.value }).toEqual(model[ri] ?? { count: 0, delta: 0 });
      expect({ count: b.io.vec_two.count.value, delta: b.io.vec_two.delta.value }).toEqual(model[2]);
      expect(b.io.u_pack.value).toBe((model[0]?.count as number) | (unsigned(model[0]?.delta as number, 4) << 4));
      if (load === 1) all.forEach((e, k) => { model[k] = e; });
      if (we === 1 && wi < 5) model[wi] = wd;
    }
  });
});

describe("ram", () => {
  bench("collisions, masks, read enable, initial words, asynchronous and struct reads", design, {}, async b => {
    const words = [0x1111, 0x2222, 0x3333, 0x4444, 0x5555, 0x6666, 0x7777, 0x8888];
    const pairs: (number | undefined)[] = Array.from({ length: 8 }, () => undefined);
    let old: number | undefined, fresh: number | undefined, loose: number | undefined, held: number | undefined, pair: number | undefined;
    let collisions = 0;
    for (let i = 0; i < 600; i++) {
      const we = b.random.bool() ? 1 : 0, wa = b.random.int(0, 7), wd = b.random.int(0, 65535), mask = b.random.int(0, 3), ra = b.random.bool(0.4) ? wa : b.random.int(0, 7), re = b.random.bool() ? 1 : 0;
      b.io.ram_we.value = we; b.io.ram_wa.value = wa; b.io.ram_wd.value = wd; b.io.ram_mask.value = mask; b.io.ram_ra.value = ra; b.io.ram_re.value = re;
      await b.cycles(1);
      // Read in the cycle that ends with this edge: what the edge before latched, and this cycle's asynchronous reads.
      expect(b.io.ram_async.value).toBe(words[ra]);
      if (ra < 6) expect(b.io.ram_init.value).toBe([7, 8, 0xffff, 0, 0, 0][ra]);
      if (old !== undefined) expect(b.io.ram_old.value).toBe(old);
      if (fresh !== undefined) expect(b.io.ram_new.value).toBe(fresh);
      if (loose !== undefined) expect(b.io.ram_undefined.value).toBe(loose);
      if (held !== undefined) expect(b.io.ram_held.value).toBe(held);
      if (pair !== undefined) expect({ count: b.io.ram_struct.count.value, delta: b.io.ram_struct.delta.value }).toEqual({ count: pair & 15, delta: signed(pair >> 4, 4) });
      old = words[ra];
      const collides = we === 1 && wa === ra;
      const merged = ((words[wa] as number) & ~((mask & 1 ? 0xff : 0) | (mask & 2 ? 0xff00 : 0)) | wd & ((mask & 1 ? 0xff : 0) | (mask & 2 ? 0xff00 : 0))) & 0xffff;
      if (we === 1) { words[wa] = merged; pairs[wa] = wd & 0xff; }
      fresh = words[ra];
      if (re === 1) held = fresh;
      pair = pairs[ra];
      loose = collides ? undefined : old;
      if (collides && old !== fresh) collisions++;
    }
    expect(collisions).toBeGreaterThan(20);
  });
});

describe("operators", () => {
  /** Every output of one set of inputs, by the semantics that the language states. */
  function expected(a: number, b: number, u: number, v: number, by: number, w: number): Record<string, number> {
    const partial = (u & ~0b111100) | ((v & 15) << 2);
    return {
      s_add: signed(a + b, 8), s_grow: a + b, s_sub: signed(a - b, 8), s_mul: a * b + 0, s_neg: signed(-a, 8), s_lt: +(a < b), s_le: +(a <= b), s_gt: +(a > b), s_ge: +(a >= b), s_eq: +(a === b), s_ne: +(a !== b),
      s_shl: signed(Number(BigInt.asUintN(8, BigInt(a) << BigInt(by))), 8), s_shr: a >> Math.min(by, 31), s_shr2: a >> 2, s_ext: a, s_min: Math.min(a, b), s_low: a & 15, s_cmp: +(signed(a - b, 8) < -3),
      u_add: (u + v) & 255, u_grow: u + v, u_sub: (u - v) & 255, u_mul: u * v, u_div: u >> 3, u_mod: u & 7, u_shl: by >= 8 ? 0 : (u << by) & 255, u_shr: by >= 8 ? 0 : u >> by, u_lt: +(u < v),
      u_any: +(u !== 0), u_all: +(u === 255), u_parity: u.toString(2).replaceAll("0", "").length & 1, u_cat: (u << 8) | v, u_repeat: (u << 16) | (u << 8) | u, u_bits: (u >> 3) & 7,
      u_wide: u, u_cut: u & 31, u_signed: signed(signed(u, 8) + a, 8), u_logic: (((u & v) | (~(u ^ v) & 255)) - (u - (v - 1))) & 255,
      u_one: (by & 1 ? u : 0) | (by & 2 ? v : 0) | (by & 4 ? w & 255 : 0), u_case: by === 0 ? 9 : [1, 2, 15].includes(by) ? (by + 1) & 15 : 0,
      u_partial: by & 1 ? (partial & 127) | ((by >> 3) << 7) : partial, u_last: by & 8 ? 4 : by & 1 ? 2 : by & 2 ? 3 : 1,
    };
  }
  bench("signed and unsigned, against numbers", design, {}, async b => {
    const io = b.io as unknown as Record<string, { value: number }>;
    const edge = (low: number, high: number): number => b.random.pick([low, high, 0, 1, low + 1, b.random.int(low, high), b.random.int(low, high), b.random.int(low, high)]);
    for (let i = 0; i < 1500; i++) {
      const v = { a: edge(-128, 127), b: edge(-128, 127), u: edge(0, 255), v: edge(0, 255), by: b.random.int(0, 15), w: edge(0, 65535) };
      if (i % 5 === 0) v.b = v.a;
      for (const [k, x] of Object.entries(v)) (io[k] as { value: number }).value = x;
      b.sim.settle();
      const want = expected(v.a, v.b, v.u, v.v, v.by, v.w);
      expect({ in: v, out: Object.fromEntries(Object.keys(want).map(k => [k, io[k]?.value])) }).toEqual({ in: v, out: want });
    }
    await b.cycles(1);
  });
});

describe("instances, helper functions", () => {
  bench("each instance has its own state; parameters are its definition's", design, {}, async b => {
    let one = 0, wide = 0, two = 0, before = 0;
    for (let i = 0; i < 100; i++) {
      const en = b.random.bool() ? 1 : 0, pulse = b.random.bool() ? 1 : 0;
      b.io.acc_en.value = en;
      b.io.edge_in.value = pulse;
      await b.cycles(1);
      expect([b.io.acc_a.value, b.io.acc_b.value, b.io.acc_c.value, b.io.acc_d.value]).toEqual([one, wide, two, en === 1 ? one : two]);
      if (i > 0) expect([b.io.edge_x.value, b.io.edge_y.value]).toEqual([pulse & ~before, ~pulse & before & 1]);
      two = (two + (one & 1)) & 15;
      one = (one + en) & 15;
      wide = (wide + 3 * en) & 4095;
      before = pulse;
    }
  });
});
export type { B };
