/** The engine as a task of the SmartNIC, alone: clients at one port, a node at another, packets between them. */
import { describe, expect, it } from "vitest";
import { declarationFaults } from "../../../../designs/supernic/wire/index.ts";
import { wicTask } from "../../../../designs/wickit/places/index.ts";
import { bytesOfWords } from "../../../../designs/wickit/rig/index.ts";
import { runBench } from "../../../../sim/index.ts";
import {
  additionsRun,
  askFrame,
  type B,
  bad,
  base,
  crossingRun,
  crowdRun,
  edgesRun,
  examplesRun,
  fullRun,
  heldRun,
  hostileRun,
  hostOf,
  image,
  keepsRun,
  pauses,
  pid,
  resetsRun,
  resetSweepRun,
  silentRun,
  small,
  smallDut,
  strangersRun,
  usual,
  usualDut,
} from "./support/snic-runs.ts";
import { example, listWords, nodes } from "../support/programs.ts";

const long = process.env["MNEMO_LONG"] !== undefined;
const run = <T>(name: string, dut: typeof usualDut, seed: number, body: (b: B) => Promise<T>): Promise<T> =>
  runBench(name, dut, { seed, wave: false, limitCycles: long ? 30_000_000 : 2_000_000, hangCycles: 200_000 }, body);

it("slots are a power of two from 16 to 256, and what it declares can be", () => {
  expect(() => wicTask({ ...usual, slots: 24 })).toThrow("24 slots: give a power of two from 16 to 256");
  expect(() => wicTask({ ...usual, slots: 512 })).toThrow("512 slots");
  expect(declarationFaults(wicTask(usual).declared)).toEqual([]);
});

describe.each([
  ["64 slots, 16 contexts", usual, usualDut],
  ["16 slots, 4 contexts", small, smallDut],
] as const)("the engine in a SmartNIC, %s", (_, p, dut) => {
  it("answers as the interpreter does, with pauses at every port", async () => {
    await run("examples", dut, 1, b => examplesRun(b, p, long ? 40 : 6, pauses(b, 0.25)));
  });
  it("answers as the interpreter does, on bad networks on both sides", async () => {
    const host = await run("bad examples", dut, 2, b => examplesRun(b, p, long ? 40 : 5, bad));
    expect(host.client(0).repeated).toBeGreaterThan(0);
  });
  it("many at once: each addition is done once, and every reply of it says the same", async () => {
    const host = await run("additions", dut, 3, b => additionsRun(b, p, long ? 400 : 90, pauses(b, 0.1)));
    expect(host.clients.map(c => c.repeated).reduce((x, y) => x + y)).toBeGreaterThan(5);
    expect(host.clients.map(c => c.doubled).reduce((x, y) => x + y)).toBeGreaterThan(0);
  });
  it("full: BUSY, and each is served in the end; a slot is one operation's", () =>
    run("full", dut, 4, b => fullRun(b, p)));
  it("requests and programs that are none, outside, without an end", () =>
    run("hostile", dut, 5, b => hostileRun(b, p)));
  it("packets of others, and such as are nearly right: as the model says", async () => {
    const seen = await run("strangers", dut, 6, b => strangersRun(b, p, long ? 6000 : 600));
    expect(seen.foreign).toBeGreaterThan(20);
    expect(seen.refused).toBeGreaterThan(5);
    expect(seen.passed).toBeGreaterThan(200);
  });
  it("a node that is silent", () => run("silent", dut, 7, b => silentRun(b, p)));
  it("resets beside traffic", () => run("resets", dut, 8, b => resetsRun(b, p, long ? 60 : 8)));
  it("a reset in each cycle before a reply", () => run("reset sweep", dut, 14, b => resetSweepRun(b, p)));
  it("frames that cannot leave hold up no packet", () => run("held", dut, 9, b => heldRun(b, p)));
});
it("a reply is kept for one life to two", () => run("keeps", usualDut, 10, keepsRun));

it.each([0, 1, 2])("a crowd for few slots, replies kept for %d units", keep =>
  run("crowd", smallDut, 15, b => crowdRun(b, keep, long ? 20_000 : 1500)),
);

it("a slot ends, and is asked for again, in each cycle around the end of a life", () =>
  run("edges", smallDut, 16, edgesRun));

it("a reply that is sent is nobody else's, in whichever cycle the next one comes", () =>
  run("crossing", usualDut, 13, crossingRun));

describe("latency", () => {
  it("packets: as it declares; what is not for it is faster", async () => {
    const seen = await run("rates", usualDut, 11, async b => {
      const { host } = hostOf(b);
      await host.load(image);
      const rate = async (frame: (i: number) => Uint8Array) => {
        await host.drained();
        host.answers.length = 0;
        for (let i = 0; i < 5; i++) host.send(frame(i), 0);
        await b.until(() => host.answers.length === 5);
        const cycles = Math.max(...host.answers.map(a => a.cycles)),
          interval = Math.max(...host.answers.slice(1).map((a, i) => a.taken - (host.answers[i]?.taken ?? 0)));
        return { cycles, interval };
      };
      host.onMade = () => undefined;
      const ask = (words: number) => (i: number) =>
        askFrame({ program: 4, words: Array.from({ length: words }, () => 1n) }, { requestId: 100 * words + i });
      return {
        others: await rate(() => askFrame({ program: 0, words: [] }, { pid: 8 })),
        none: await rate(ask(0)),
        eight: await rate(ask(8)),
      };
    });
    console.log(
      `the task: others ${seen.others.cycles}, ${seen.others.interval} cycles; requests of 0 words ${seen.none.cycles}, ` +
        `${seen.none.interval}; of 8 ${seen.eight.cycles}, ${seen.eight.interval}`,
    );
    const { latency, interval } = wicTask(usual).declared;
    expect([seen.eight.cycles, seen.eight.interval]).toEqual([latency, interval]);
    expect(seen.others.cycles).toBeLessThan(seen.none.cycles);
    expect(seen.none.cycles).toBeLessThan(seen.eight.cycles);
  });
  it("a traversal is affine in its nodes, and its slope the way to the node and back, and the engine's", async () => {
    const hops = [1, 2, 4, 8, 16],
      cycles = new Map<number, readonly number[]>();
    for (const latency of [200, 500])
      cycles.set(
        latency,
        await run(`hops ${latency}`, usualDut, 12, async b => {
          const { host, memory } = hostOf(b, { latency, timeout: 3000 });
          memory.store(pid, base, bytesOfWords(listWords(base, nodes)));
          await host.load(example("list").instructions);
          await host.call({ program: 0, words: [1n] });
          const out: number[] = [];
          for (const n of hops) {
            const { taken, replied } = await host.call({ program: 0, words: [BigInt(n)] });
            out.push(replied - taken);
          }
          return out;
        }),
      );
    const slopes = [...cycles.values()].map(c => {
      const each = hops.slice(1).map((n, i) => ((c[i + 1] ?? 0) - (c[i] ?? 0)) / (n - (hops[i] ?? 0)));
      expect(new Set(each).size).toBe(1);
      return each[0] ?? Number.NaN;
    });
    const own = (slopes[0] ?? 0) - 200,
      fixed = (cycles.get(200)?.[0] ?? 0) - (slopes[0] ?? 0);
    console.log(`a traversal takes ${fixed} cycles, and a node the way to the memory and back and ${own} cycles`);
    expect((slopes[1] ?? 0) - (slopes[0] ?? 0)).toBe(300);
    expect(own).toBeLessThanOrEqual(60);
  });
});
