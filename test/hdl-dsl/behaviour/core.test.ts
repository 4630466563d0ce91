import { describe, expect } from "vitest";
import { bench } from "../../bench.ts";
import { type Bench, bernoulli, never, type Pause, StreamSink, StreamSource } from "../../../sim/index.ts";
import { CoreUnits } from "./units.ts";

const design = CoreUnits();
type B = Bench<(typeof design)["ports"]>;
const signed = (v: number, bits: number): number => {
  const m = ((v % 2 ** bits) + 2 ** bits) % 2 ** bits;
  return m >= 2 ** (bits - 1) ? m - 2 ** bits : m;
};
const unsigned = (v: number, bits: number): number => ((v % 2 ** bits) + 2 ** bits) % 2 ** bits;

describe("pipeline", () => {
  const loads: readonly (readonly [string, Pause, Pause])[] = [
    ["no pauses", never, never],
    ["slow producer", bernoulli(0.6, 3), never],
    ["slow consumer", never, bernoulli(0.6, 4)],
    ["both", bernoulli(0.4, 5), bernoulli(0.5, 6)],
  ];
  for (const [name, from, to] of loads) {
    bench(`results and what rides along, in order: ${name}`, design, {}, async b => {
      const mac = new StreamSource(b.sim, b.io.macI, { pause: from }),
        done = new StreamSink(b.sim, b.io.macO, { pause: to });
      const deep = new StreamSource(b.sim, b.io.deepI, { pause: from }),
        late = new StreamSink(b.sim, b.io.deepO, { pause: to });
      const jobs = Array.from({ length: 150 }, () => ({
        a: b.random.between(0, 65535),
        b: b.random.between(0, 65535),
        c: b.random.word(),
        tag: b.random.between(0, 15),
      }));
      for (const j of jobs) {
        mac.send(j);
        deep.send({ v: j.a & 255, keep: j.b & 255 });
      }
      await b.until(() => done.received.length === 150 && late.received.length === 150);
      await b.cycles(8);
      expect(done.received.map(r => r.value)).toEqual(
        jobs.map(j => ({ sum: (j.a * j.b + j.c) % 2 ** 32, tag: j.tag })),
      );
      expect(late.received.map(r => r.value)).toEqual(
        jobs.map(j => {
          const v = (j.a + 1) & 255,
            keep = j.b & 255;
          return { out: (v + (v ^ keep)) & 255, keep, late: v ^ keep };
        }),
      );
    });
  }

  bench(
    "latency is the number of stages, the initiation interval 1; a bubble closes under a stall",
    design,
    {},
    async b => {
      const source = new StreamSource(b.sim, b.io.macI),
        sink = new StreamSink(b.sim, b.io.macO);
      const job = (n: number): { a: number; b: number; c: number; tag: number } => ({ a: n, b: n, c: n, tag: n & 15 });
      const sent = Array.from({ length: 30 }, (_, i) => source.send(job(i)));
      await b.until(() => sink.received.length === 30);
      expect((sink.received[0]?.cycle as number) - (sent[0]?.cycle as number)).toBe(2);
      expect((sink.received[29]?.cycle as number) - (sink.received[0]?.cycle as number)).toBe(29);
      // The consumer stalls for good: both stages fill, also with a gap between the two values, and no
      // third one enters.
      sink.pause = () => true;
      const one = source.send(job(1));
      await b.cycles(3);
      const two = source.send(job(2)),
        three = source.send(job(3));
      await b.cycles(10);
      expect([one.cycle, two.cycle, three.cycle].map(c => c !== undefined)).toEqual([true, true, false]);
      sink.pause = never;
      await b.until(() => sink.received.length === 33);
    },
  );
});

describe("fsm", () => {
  bench("goes from state to state and follows its conditions", design, {}, async b => {
    const seen: number[][] = [];
    b.io.fsmStart.value = 1;
    await b.cycles(1);
    b.io.fsmStart.value = 0;
    for (let i = 0; i < 9; i++) {
      await b.cycles(1);
      seen.push([b.io.fsmBusy.value, b.io.fsmDone.value, b.io.fsmCount.value]);
    }
    //                 Load       Run x5                                                    Done       Idle
    expect(seen).toEqual([
      [1, 0, 0],
      [1, 0, 5],
      [1, 0, 4],
      [1, 0, 3],
      [1, 0, 2],
      [1, 0, 1],
      [1, 1, 0],
      [0, 0, 0],
      [0, 0, 0],
    ]);
    b.io.fsmStart.value = 1;
    await b.cycles(4);
    b.io.fsmStart.value = 0;
    b.io.fsmStop.value = 1;
    await b.cycles(2);
    expect([b.io.fsmBusy.value, b.io.fsmDone.value]).toEqual([0, 0]);
  });
});

describe("vec", () => {
  bench("initial values, reads and writes by an index, also past the end", design, {}, async b => {
    const model = [
      { count: 1, delta: -1 },
      { count: 2, delta: 0 },
      { count: 0, delta: 0 },
      { count: 0, delta: 3 },
      { count: 0, delta: 0 },
    ];
    const read = (): unknown[] => b.io.vecAll.map(e => ({ count: e.count.value, delta: e.delta.value }));
    for (let i = 0; i < 400; i++) {
      const we = b.random.chance() ? 1 : 0,
        load = b.random.chance(0.05) ? 1 : 0,
        wi = b.random.between(0, 7),
        ri = b.random.between(0, 7);
      const wd = { count: b.random.between(0, 15), delta: b.random.between(-8, 7) };
      const all = model.map(() => ({ count: b.random.between(0, 15), delta: b.random.between(-8, 7) }));
      b.io.vecWe.value = we;
      b.io.vecWi.value = wi;
      b.io.vecWd.count.value = wd.count;
      b.io.vecWd.delta.value = wd.delta;
      b.io.vecRi.value = ri;
      b.io.vecLoad.value = load;
      all.forEach((e, k) => {
        (b.io.vecFrom[k] as { count: { value: number } }).count.value = e.count;
        (b.io.vecFrom[k] as { delta: { value: number } }).delta.value = e.delta;
      });
      await b.cycles(1);
      expect(read()).toEqual(model);
      expect({ count: b.io.vecRd.count.value, delta: b.io.vecRd.delta.value }).toEqual(
        model[ri] ?? { count: 0, delta: 0 },
      );
      expect({ count: b.io.vecTwo.count.value, delta: b.io.vecTwo.delta.value }).toEqual(model[2]);
      expect(b.io.uPack.value).toBe((model[0]?.count as number) | (unsigned(model[0]?.delta as number, 4) << 4));
      if (load === 1)
        all.forEach((e, k) => {
          model[k] = e;
        });
      if (we === 1 && wi < 5) model[wi] = wd;
    }
  });
});

describe("ram", () => {
  bench("collisions, masks, read enable, initial words, asynchronous and struct reads", design, {}, async b => {
    const words = [0x1111, 0x2222, 0x3333, 0x4444, 0x5555, 0x6666, 0x7777, 0x8888];
    const pairs: (number | undefined)[] = Array.from({ length: 8 }, () => undefined);
    let old: number | undefined,
      fresh: number | undefined,
      loose: number | undefined,
      held: number | undefined,
      pair: number | undefined;
    let collisions = 0;
    for (let i = 0; i < 600; i++) {
      const we = b.random.chance() ? 1 : 0,
        wa = b.random.between(0, 7),
        wd = b.random.between(0, 65535),
        mask = b.random.between(0, 3),
        ra = b.random.chance(0.4) ? wa : b.random.between(0, 7),
        re = b.random.chance() ? 1 : 0;
      b.io.ramWe.value = we;
      b.io.ramWa.value = wa;
      b.io.ramWd.value = wd;
      b.io.ramMask.value = mask;
      b.io.ramRa.value = ra;
      b.io.ramRe.value = re;
      await b.cycles(1);
      // Read in the cycle that ends with this edge: data latched at the edge before, and asynchronous reads.
      expect(b.io.ramAsync.value).toBe(words[ra]);
      if (ra < 6) expect(b.io.ramInit.value).toBe([7, 8, 0xffff, 0, 0, 0][ra]);
      if (old !== undefined) expect(b.io.ramOld.value).toBe(old);
      if (fresh !== undefined) expect(b.io.ramNew.value).toBe(fresh);
      if (loose !== undefined) expect(b.io.ramUndefined.value).toBe(loose);
      if (held !== undefined) expect(b.io.ramHeld.value).toBe(held);
      if (pair !== undefined)
        expect({ count: b.io.ramStruct.count.value, delta: b.io.ramStruct.delta.value }).toEqual({
          count: pair & 15,
          delta: signed(pair >> 4, 4),
        });
      old = words[ra];
      const collides = we === 1 && wa === ra;
      const merged =
        (((words[wa] as number) & ~((mask & 1 ? 0xff : 0) | (mask & 2 ? 0xff00 : 0))) |
          (wd & ((mask & 1 ? 0xff : 0) | (mask & 2 ? 0xff00 : 0)))) &
        0xffff;
      if (we === 1) {
        words[wa] = merged;
        pairs[wa] = wd & 0xff;
      }
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
      sAdd: signed(a + b, 8),
      sGrow: a + b,
      sSub: signed(a - b, 8),
      sMul: a * b + 0,
      sNeg: signed(-a, 8),
      sLt: +(a < b),
      sLe: +(a <= b),
      sGt: +(a > b),
      sGe: +(a >= b),
      sEq: +(a === b),
      sNe: +(a !== b),
      sShl: signed(Number(BigInt.asUintN(8, BigInt(a) << BigInt(by))), 8),
      sShr: a >> Math.min(by, 31),
      sShr2: a >> 2,
      sExt: a,
      sMin: Math.min(a, b),
      sLow: a & 15,
      sCmp: +(signed(a - b, 8) < -3),
      uAdd: (u + v) & 255,
      uGrow: u + v,
      uSub: (u - v) & 255,
      uMul: u * v,
      uDiv: u >> 3,
      uMod: u & 7,
      uShl: by >= 8 ? 0 : (u << by) & 255,
      uShr: by >= 8 ? 0 : u >> by,
      uLt: +(u < v),
      uAny: +(u !== 0),
      uAll: +(u === 255),
      uParity: u.toString(2).replaceAll("0", "").length & 1,
      uCat: (u << 8) | v,
      uRepeat: (u << 16) | (u << 8) | u,
      uBits: (u >> 3) & 7,
      uWide: u,
      uCut: u & 31,
      uSigned: signed(signed(u, 8) + a, 8),
      uLogic: (((u & v) | (~(u ^ v) & 255)) - (u - (v - 1))) & 255,
      uOne: (by & 1 ? u : 0) | (by & 2 ? v : 0) | (by & 4 ? w & 255 : 0),
      uCase: by === 0 ? 9 : [1, 2, 15].includes(by) ? (by + 1) & 15 : 0,
      uPartial: by & 1 ? (partial & 127) | ((by >> 3) << 7) : partial,
      uLast: by & 8 ? 4 : by & 1 ? 2 : by & 2 ? 3 : 1,
    };
  }
  bench("signed and unsigned, against numbers", design, {}, async b => {
    const io = b.io as unknown as Record<string, { value: number }>;
    const edge = (low: number, high: number): number =>
      b.random.pick([
        low,
        high,
        0,
        1,
        low + 1,
        b.random.between(low, high),
        b.random.between(low, high),
        b.random.between(low, high),
      ]);
    for (let i = 0; i < 1500; i++) {
      const v = {
        a: edge(-128, 127),
        b: edge(-128, 127),
        u: edge(0, 255),
        v: edge(0, 255),
        by: b.random.between(0, 15),
        w: edge(0, 65535),
      };
      if (i % 5 === 0) v.b = v.a;
      for (const [k, x] of Object.entries(v)) (io[k] as { value: number }).value = x;
      b.sim.settle();
      const want = expected(v.a, v.b, v.u, v.v, v.by, v.w);
      expect({ in: v, out: Object.fromEntries(Object.keys(want).map(k => [k, io[k]?.value])) }).toEqual({
        in: v,
        out: want,
      });
    }
    await b.cycles(1);
  });
});

describe("instances, helper functions", () => {
  bench("each instance has its own state; parameters are its definition's", design, {}, async b => {
    let one = 0,
      wide = 0,
      two = 0,
      before = 0;
    for (let i = 0; i < 100; i++) {
      const en = b.random.chance() ? 1 : 0,
        pulse = b.random.chance() ? 1 : 0;
      b.io.accEn.value = en;
      b.io.edgeIn.value = pulse;
      await b.cycles(1);
      expect([b.io.accA.value, b.io.accB.value, b.io.accC.value, b.io.accD.value]).toEqual([
        one,
        wide,
        two,
        en === 1 ? one : two,
      ]);
      if (i > 0) expect([b.io.edgeX.value, b.io.edgeY.value]).toEqual([pulse & ~before, ~pulse & before & 1]);
      two = (two + (one & 1)) & 15;
      one = (one + en) & 15;
      wide = (wide + 3 * en) & 4095;
      before = pulse;
    }
  });
});
export type { B };
