import { describe, expect } from "vitest";
import { status } from "../../../../designs/clio/wire/index.ts";
import type { EngineParameters } from "../../../../designs/wickit/config/index.ts";
import { StretchMemory } from "../../../../designs/wickit/model/index.ts";
import { assemble } from "../../../../designs/wickit/program/index.ts";
import { type EngineCall, EngineHost, type EnginePorts } from "../../../../designs/wickit/rig/index.ts";
import { WicEngine } from "../../../../designs/wickit/rtl/index.ts";
import type { Bench } from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { base, loadImage, machineOf, randomRun, small } from "../support/random-run.ts";

const long = process.env["MNEMO_LONG"] !== undefined;

/** An engine with a program, and memory of 4 KB that follows itself: each word is the address of the next. */
async function withProgram(b: Bench<EnginePorts>, p: EngineParameters, text: string, latency: number) {
  const image = assemble(text).instructions,
    memory = new StretchMemory(base, 4096);
  for (let i = 0n; i < 512n; i++) memory.setWord(base + 8n * i, base + 8n * ((i + 1n) % 512n));
  await loadImage(b, image);
  return new EngineHost(b, { parameters: p, machine: machineOf(p, image), memory: a => memory.access(a), latency });
}
const cycle = (n: number | undefined): number => n as number;
const gaps = (c: EngineCall): number[] => c.accesses.slice(1).map((a, i) => a.taken - (c.accesses[i]?.taken ?? 0));

const walk = `
.program walk        ; r0: hops
  base r1
next:
  load r1, [r1], 1
  subi r0, r0, 1
  bne r0, r2, next
  reply r1, 1
`;

describe("random programs, as the interpreter has it", () => {
  bench("under random back-pressure, answers out of order, some refused", WicEngine(small), { seed: 1 }, async b => {
    const { host, statuses } = await randomRun(b, small, {
      count: long ? 2000 : 240,
      failing: 0.02,
      pause: 0.3,
      options: { jitter: 60 },
    });
    for (const s of [status.OK, status.FAIL, status.INVALID, status.MALFORMED, status.QUOTA, status.WRITE_PERM])
      expect(statuses.get(s), `status ${s}`).toBeGreaterThan(0);
    expect(host.mostInside).toBe(4);
    expect(host.mostInFlight).toBe(3);
  });
  bench("back to back, without a pause, memory at once", WicEngine(small), { seed: 2 }, async b => {
    await randomRun(b, small, { count: 200, options: { latency: 1 } });
  });
  const wide: EngineParameters = { ...small, contexts: 64, maxInFlight: 16, yieldCycles: 3, replyWords: 1 };
  bench("64 contexts, slow memory, replies of one word", WicEngine(wide), { seed: 3 }, async b => {
    const { host } = await randomRun(b, wide, { count: 200, options: { latency: 400, jitter: 100 } });
    expect(host.mostInside).toBe(64);
    expect(host.mostInFlight).toBe(16);
  });
  const one: EngineParameters = { ...small, contexts: 1, maxInFlight: 1 };
  bench("one context alone", WicEngine(one), { seed: 4 }, async b => {
    await randomRun(b, one, { count: 40, pause: 0.2 });
  });
  for (let seed = 10; seed < (long ? 40 : 11); seed++)
    bench(`a reset in the middle: nothing of before comes later, seed ${seed}`, WicEngine(small), { seed }, async b => {
      await randomRun(b, small, {
        count: 60,
        pause: 0.2,
        resetAfter: b.random.between(30, 900),
        options: { jitter: 40 },
      });
    });
});

describe("latency and interval are as stated", () => {
  const p = small,
    latency = 30;
  bench(
    "from the request to the first access, from access to access, to the reply",
    WicEngine(p),
    { seed: 5 },
    async b => {
      const host = await withProgram(b, p, walk, latency);
      for (const words of [1, 4]) {
        const call = await host.call({ program: 0, words: [3n, 0n, 0n, 0n].slice(0, words) });
        // A jump to the program, BASE and the access itself.
        expect(cycle(call.accesses[0]?.taken) - cycle(call.taken)).toBe(4 + words + 4 * 3);
        // The answer's word, and three instructions.
        expect(gaps(call)).toEqual([0, 0].map(() => latency + 4 + 1 + 4 * 3));
        expect(cycle(call.replied) - cycle(call.accesses[2]?.answered)).toBe(4 + 1 + 4 * 3);
      }
    },
  );
  bench("a saturated core takes 4 cycles an instruction and 4 an access", WicEngine(p), { seed: 6 }, async b => {
    const host = await withProgram(b, p, walk, 1),
      calls = Array.from({ length: 2 }, () => host.ask({ program: 0, words: [40n] }));
    await host.drained();
    const taken = calls
        .flatMap(c => c.accesses.map(a => a.taken))
        .sort((x, y) => x - y)
        .slice(10, 70),
      interval = ((taken.at(-1) ?? 0) - (taken[0] ?? 0)) / (taken.length - 1);
    expect(interval).toBe(4 * 3 + 4);
  });
  const slow: EngineParameters = { ...small, yieldCycles: 25 };
  bench("each resumption costs yieldCycles more", WicEngine(slow), { seed: 7 }, async b => {
    const host = await withProgram(b, slow, walk, latency),
      call = await host.call({ program: 0, words: [3n] });
    expect(cycle(call.accesses[0]?.taken) - cycle(call.taken)).toBe(4 + 1 + 4 * 3 + 25);
    expect(gaps(call)).toEqual([0, 0].map(() => latency + 4 + 1 + 4 * 3 + 25));
  });
  bench("words leave one in 2 cycles", WicEngine(p), { seed: 8 }, async b => {
    const text = (n: number): string =>
        `.program p${n}\n  base r1\n  store r2, [r1], ${n}\n  store r2, [r1], ${n}\n  fail\n`,
      host = await withProgram(b, p, text(1) + text(8), latency),
      waits: number[] = [];
    for (const program of [0, 1]) waits.push(...gaps(await host.call({ program, words: [] })));
    expect(waits).toEqual([1, 8].map(n => latency + 2 * n + 4 + 4));
  });
});

describe("the run queue", () => {
  bench(
    "a context whose access has ended goes on before new ones, and before one that gave way",
    WicEngine(small),
    { seed: 9 },
    async b => {
      // Program 1 keeps the core busy without an access; program 0 has one access, answered meanwhile.
      const text = `
.program short
  base r1
  load r2, [r1], 1
  reply r2, 1
.program busy
again:
  subi r0, r0, 1
  bne r0, r2, again
  yield
  reply r2, 1
`;
      const host = await withProgram(b, small, text, 40),
        short = host.ask({ program: 0, words: [] }),
        busy = [1, 2, 3].map(() => host.ask({ program: 1, words: [20n] }));
      await host.drained();
      // It is answered while the first busy one runs, and so replies before any of them.
      for (const c of busy) expect(cycle(short.end)).toBeLessThan(cycle(c.replied));
    },
  );
});

describe("bounds", () => {
  bench(
    "a program that does not end is stopped after mostSteps instructions, and others go on",
    WicEngine(small),
    {},
    async b => {
      const text = ".program ring\nagain:\n  jmp again\n.program ok\n  reply r0, 2\n";
      const host = await withProgram(b, small, text, 5),
        ring = host.ask({ program: 0, words: [] }),
        ok = host.ask({ program: 1, words: [7n, 9n] });
      await host.drained();
      expect([ring.outcome?.status, ring.outcome?.steps]).toEqual([status.QUOTA, small.mostSteps]);
      expect(ok.outcome).toMatchObject({ status: status.OK, words: [7n, 9n] });
    },
  );
  bench("with all contexts taken a request waits, and a program word goes first", WicEngine(small), {}, async b => {
    const host = await withProgram(b, small, walk, 200),
      calls = Array.from({ length: 6 }, () => host.ask({ program: 0, words: [2n] }));
    await host.drained();
    const ends = calls.map(c => cycle(c.end)).sort((x, y) => x - y),
      fifth = cycle(calls[4]?.taken);
    expect(fifth).toBeGreaterThan(ends[0] ?? 0);
    b.io.load.payload.address.value = 300;
    b.io.load.valid.value = 1;
    const held = host.ask({ program: 0, words: [1n] });
    await b.cycles(50);
    expect(held.taken).toBeUndefined();
    b.io.load.valid.value = 0;
    await host.drained();
    expect(held.outcome?.status).toBe(status.OK);
  });
});
