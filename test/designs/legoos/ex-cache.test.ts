import { describe, expect, test } from "vitest";
import { status } from "../../../designs/clio/wire/index.ts";
import { withExCache } from "../../../designs/legoos/rig/index.ts";
import { run, small } from "./traffic.ts";

const all = (1n << 64n) - 1n;

describe("random traffic against flat memory; then all lines leave, and the nodes hold what was written", () => {
  test("two address spaces with the same addresses, one node", async () => {
    const { counts, nodes } = await run("plain", {});
    expect(counts["hit"]).toBeGreaterThan(50);
    expect(counts["dirtyEviction"]).toBeGreaterThan(10);
    expect(counts["merged"]).toBeGreaterThan(0);
    expect(nodes.seen.compound).toBeGreaterThan(10);
  });
  test("pauses at all ports, four misses, least recently used", async () => {
    await run("paused", { pauses: 0.4, seed: 2, parameters: small({ policy: "lru", misses: 4, waiting: 8 }) });
  });
  test("a network that loses, doubles and damages frames, and late answers", async () => {
    const { counts, nodes } = await run("lossy", {
      lose: 0.08,
      twice: 0.1,
      damage: 0.05,
      jitter: 300,
      seed: 3,
      accesses: 200,
    });
    expect(counts["repeat"]).toBeGreaterThan(5);
    expect(nodes.written).toBeLessThanOrEqual(nodes.seen.write + nodes.seen.compound);
  });
  test("four nodes: a flush and a fetch at two of them are two requests", async () => {
    const { nodes } = await run("nodes", { nodes: 4, regions: 4, lines: 6, seed: 4, pauses: 0.2 });
    expect(nodes.seen.write).toBeGreaterThan(5);
  });
  test("one after the other: a fetch waits for the flush", async () => {
    const { nodes } = await run("serial", { seed: 5, parameters: small({ flush: "serial" }), lose: 0.03 });
    expect(nodes.seen.compound).toBe(0);
  });
  test("lines in a slow DRAM behind AXI4", async () => {
    await run("dram", {
      seed: 9,
      parameters: small({ lines: "axi" }),
      ram: { latency: 40, jitter: 60 },
      accesses: 150,
    });
  });
  test("lines that a node refuses, and lines that may not be written", async () => {
    const rights = (_: number, va: bigint) => {
      const line = Number(va / 256n);
      return {
        status: line % 5 === 4 ? (line % 2 === 0 ? status.INVALID : status.OUT_OF_MEMORY) : status.OK,
        writable: line < 9,
      };
    };
    const rig = await run("rights", {
      seed: 6,
      rights,
      setUp: async r => {
        r.nodes.refuse = ({ va }) => rights(0, va).status;
        await r.range(0, { asid: 1, first: 9, last: 200, writable: false, anonymous: false, base: 0 });
        await r.range(1, { asid: 2, first: 9, last: 200, writable: false, anonymous: false, base: 0 });
      },
    });
    expect(rig.counts["refused"]).toBeGreaterThan(20);
  });
  test("anonymous memory sends nothing before its first flush", async () => {
    const rig = await run("local", {
      seed: 7,
      setUp: async r => {
        await r.range(0, { asid: 1, first: 0, last: 15, writable: true, anonymous: true, base: 0 });
        await r.range(1, { asid: 2, first: 0, last: 15, writable: true, anonymous: true, base: 16 });
      },
    });
    expect(rig.counts["local"]).toBeGreaterThan(20);
  });
});

test("resets in the midst of misses: late answers of the former life touch nothing", () =>
  withExCache("resets", { parameters: small(), seed: 10, wave: false, jitter: 400, limitCycles: 60_000 }, async rig => {
    const { random } = rig.bench,
      lives = 16;
    for (let life = 0; life < lives; life++) {
      await rig.begin([10 + life], 1, 1 + 10_000 * life);
      for (let i = 0; i < 30; i++)
        await rig.ask({
          asid: 10 + life,
          va: BigInt(64 * random.below(80)),
          write: random.chance(),
          strb: all,
          data: random.bits(512),
        });
      if (life === lives - 1) break;
      // Beside misses, evictions that software orders, and nothing.
      if (random.chance()) for (let way = 0; way < rig.p.ways; way++) rig.evict(random.below(rig.p.sets), way);
      await rig.bench.cycles(random.pick([0, random.between(1, 100), 1500]));
      await rig.reset();
    }
    await rig.settled();
    await rig.flush();
    rig.judge();
  }));

test("p-local: reads of anonymous memory never reach the network, however often lines come and go", () =>
  withExCache("p-local", { parameters: small(), seed: 1, wave: false }, async rig => {
    await rig.begin([1]);
    await rig.range(0, { asid: 1, first: 0, last: 31, writable: true, anonymous: true, base: 0 });
    for (let i = 0; i < 120; i++)
      await rig.ask({ asid: 1, va: BigInt(256 * ((i * 7) % 32)), write: false, strb: 0n, data: 0n });
    await rig.settled();
    expect(rig.nodes.seen).toEqual({ read: 0, write: 0, compound: 0 });
    expect(rig.counts["cleanEviction"]).toBeGreaterThan(20);
    rig.judge();
  }));

test("hits: one a cycle", () =>
  withExCache("pace", { parameters: small(), seed: 1, wave: false }, async rig => {
    await rig.begin([1]);
    await rig.ask({ asid: 1, va: 0n, write: true, strb: all, data: 5n });
    await rig.settled();
    const from = rig.answered.length;
    for (let i = 0; i < 64; i++)
      await rig.ask({ asid: 1, va: BigInt(64 * (i % 4)), write: i % 3 === 0, strb: all, data: BigInt(i) });
    await rig.settled();
    const cycles = rig.answered.slice(from).map(a => a.cycle);
    expect(cycles.length).toBe(64);
    expect((cycles.at(-1) as number) - (cycles[0] as number)).toBe(63);
  }));

test("a hit: decided in the second cycle after its request, for every associativity, and answered in the third", async () => {
  for (const ways of [2, 16])
    await withExCache("latency", { parameters: small({ ways }), seed: 1, wave: false }, async rig => {
      const { bench } = rig,
        { io } = bench,
        seen = { taken: 0, hit: 0, answered: 0 };
      await rig.begin([1]);
      await rig.ask({ asid: 1, va: 0n, write: false, strb: all, data: 0n });
      await rig.settled();
      bench.onEdge({
        sample: () => {
          if (io.request.valid.value === 1 && io.request.ready.value === 1) seen.taken = bench.cycle;
          if (io.events.hit.value === 1) seen.hit = bench.cycle;
          if (io.response.valid.value === 1) seen.answered = bench.cycle;
        },
      });
      await rig.ask({ asid: 1, va: 64n, write: false, strb: all, data: 0n });
      await rig.settled();
      expect([seen.hit - seen.taken, seen.answered - seen.taken]).toEqual([2, 3]);
    });
});

describe("a region without an owner", () => {
  test("waits, and software is told; with the owner all goes on", () =>
    withExCache("waits", { parameters: small(), seed: 1, wave: false }, async rig => {
      await rig.begin([1]);
      await rig.ask({ asid: 1, va: 1n << 30n, write: false, strb: 0n, data: 0n });
      await rig.bench.until(() => rig.events.length === 1);
      expect(rig.events[0]).toMatchObject({ kind: "unknownRegion", asid: 1, page: 2 ** 22 });
      await rig.ask({ asid: 1, va: 0n, write: false, strb: 0n, data: 0n });
      await rig.bench.until(() => rig.open === 1);
      await rig.mapRegion(5, 1, 1, 0);
      await rig.settled();
    }));
  test("is refused by rule", () =>
    withExCache(
      "refuses",
      {
        parameters: small({ unknown: "refuse" }),
        seed: 1,
        wave: false,
        rights: (_, va) => ({ status: va >> 30n === 1n ? status.INVALID : status.OK, writable: true }),
      },
      async rig => {
        await rig.begin([1]);
        await rig.ask({ asid: 1, va: 1n << 30n, write: true, strb: all, data: 1n });
        await rig.settled();
        expect(rig.events.length).toBe(1);
      },
    ));
});

describe("replicated flush", () => {
  test.each(["serial", "parallel"] as const)("%s: both nodes have each line", async replicas => {
    const rig = await run("replicas", {
      seed: 8,
      nodes: 2,
      copies: 2,
      asids: [1],
      parameters: small({ replicas }),
      lose: 0.03,
      setUp: r => r.mapRegion(0, 1, 0, 0, 1),
    });
    for (const key of rig.memory.blocks.keys()) {
      const va = BigInt(key.split(" ")[1] as string) * 64n,
        line = va - (va % 256n);
      expect(rig.nodes.line(0x0a0a0002, 1, line, 256)).toEqual(rig.nodes.line(0x0a0a0001, 1, line, 256));
    }
  });
});
