import { describe, expect, test } from "vitest";
import { kvHash } from "../../../../designs/clio/model/index.ts";
import { offloadPid } from "../../../../designs/clio/offload/index.ts";
import { ClioKv, kvDefaults } from "../../../../designs/clio/offloads/kv/index.ts";
import { opcode, status } from "../../../../designs/clio/wire/index.ts";
import { emit } from "../../../../hdl-dsl/index.ts";
import { runBench } from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import {
  besideOne,
  bytesFirst,
  checkered,
  comeAndGo,
  fewFrames,
  forgets,
  likeTheModel,
  mixture,
  oneBucket,
  otherSizes,
  owners,
  refusedWalk,
  runsOut,
  servedBeside,
  shortWalk,
} from "./kv-benches.ts";
import { type KvKind, kvParameters, KvRig, sameSlot, traffic } from "./kv-rig.ts";
import { testOfResets } from "../../../support/reset-any-time.ts";

const wide = kvParameters(),
  narrow = kvParameters({ beatBytes: 8, buckets: 2 }),
  dut = ClioKv(wide),
  kvOfTwo = ClioKv(narrow),
  pid = offloadPid(0);
const { OK, FAIL, OUT_OF_MEMORY } = status;
/** Longer runs, and the widths between, on request. */
const long = process.env["MNEMO_LONG"] !== undefined;
const widths = long
  ? [wide, narrow, kvParameters({ beatBytes: 16, buckets: 1 }), kvParameters({ beatBytes: 32, contexts: 16 })]
  : [wide, narrow];

describe("Clio-KV", () => {
  for (const [i, p] of widths.entries()) {
    const bits = `${p.beatBytes * 8} bits, ${p.buckets} buckets`;
    bench(`${bits}: random requests in flight, pauses, replies of memory out of order`, ClioKv(p), { seed: i + 2 }, b =>
      mixture(long ? 4000 : 900)(b, p),
    );
    bench(`${bits}: bytes are taken before their heads`, ClioKv(p), { seed: i + 2 }, b => bytesFirst(b, p));
    bench(
      `${bits}: one by one, every reply and every pair in memory is the model's, bad requests too`,
      ClioKv(p),
      { seed: i + 2 },
      b => likeTheModel(b, p),
    );
  }
  bench(
    "pipelined writes into one bucket: none is lost; one key created by many is created once",
    dut,
    { seed: 5 },
    b => oneBucket(b, wide),
  );
  bench(
    "the same key of three processes, alike in bucket and fingerprint: each sees its own",
    kvOfTwo,
    { seed: 5 },
    b => owners(b, narrow),
  );
  bench(
    "deletes in the middle of chains: all others stay, empty slots and blocks are used again",
    dut,
    { seed: 6 },
    b => comeAndGo(b, wide),
  );
  for (const [of, p] of [
    [dut, wide],
    [kvOfTwo, narrow],
  ] as const) {
    const bits = `${p.beatBytes * 8} bits`;
    bench(
      `${bits}: all keys of a process go at the host's request, nobody else's; the blocks serve again`,
      of,
      { seed: 9 },
      b => forgets(b, p),
    );
  }
  bench("a removal walks between the requests of others", dut, { seed: 9 }, b => servedBeside(b, wide));
  test.each<[string, RegExp, string]>([
    ["a reply", /if \(reply_out_ready_or & reply_out_held_bare_or\)/, "if (reply_out_held_bare_or)"],
    ["a request to memory", /if \(memory_out_ready_or & memory_out_held_bare_or\)/, "if (memory_out_held_bare_or)"],
  ])("planted: the head of %s is lost when its bytes go first", (name, from, to) =>
    findsFault(
      runBench(name, plant(ClioKv(narrow), from, to), { seed: 3, wave: false, hangCycles: 3000 }, b =>
        bytesFirst(b, narrow),
      ),
    ),
  );
  const large = kvParameters({ buckets: 4096 });
  bench("a removal passes over buckets that never had a pair", ClioKv(large), { seed: 9 }, b => shortWalk(b, large));
  test("planted: two words of buckets are passed over at once", () =>
    findsFault(
      runBench(
        "two words at once",
        plant(ClioKv(large), /(?<=next_word = \(sweep_bucket \| )13'd63/, "13'd127"),
        { seed: 9, wave: false },
        b => shortWalk(b, large),
      ),
      /has not ended after/,
    ));
  bench("memory that refuses ends a removal", dut, { seed: 9 }, b => refusedWalk(b, wide));
  bench("what was freed serves every size, and goes back to the node, once nothing is left", dut, { seed: 14 }, b =>
    otherSizes(b, kvParameters({ beatBytes: 64, buckets: 64 })),
  );
  bench("beside one pair all other memory serves every size, and other processes", dut, { seed: 15 }, b =>
    besideOne(b, wide),
  );
  bench("memory runs out while free blocks of another size are at hand", dut, { seed: 16 }, b => runsOut(b, wide));
  bench("halves of which one is taken are no block of twice the size", dut, { seed: 17 }, b => checkered(b, wide));
  bench("no frame for a page that is touched first: OUT_OF_MEMORY, and nothing is lost", dut, { seed: 8 }, b =>
    fewFrames(b, wide),
  );

  bench(
    "no memory: OUT_OF_MEMORY, and the old value stays; what is deleted can be used again",
    dut,
    { seed: 7 },
    async b => {
      const rig = new KvRig(b, wide, { space: { allocatable: 5 } }),
        values: Uint8Array[] = [];
      rig.allowed.add(OUT_OF_MEMORY);
      // One page is the table's, two arenas of two pages hold six blocks of 2 KB beside what says which are free.
      for (let i = 0; i < 10; i++) values.push(rig.value(1400));
      for (const [i, v] of values.entries())
        expect((await rig.alone("create", BigInt(i), v)).status).toBe(i < 6 ? OK : OUT_OF_MEMORY);
      expect((await rig.alone("update", 3n, rig.value(1401))).status).toBe(OUT_OF_MEMORY);
      expect((await rig.alone("read", 3n)).value).toEqual(values[3]);
      expect((await rig.alone("delete", 5n)).status).toBe(OK);
      expect((await rig.alone("update", 3n, rig.value(1402))).status).toBe(OK);
      expect((await rig.alone("create", 9n, values[9])).status).toBe(OK);
      await rig.finish();
    },
  );
  const inPages = kvParameters({ arenaBytes: kvDefaults.arenaBytes });
  bench("a full region of addresses: the next one", ClioKv(inPages), { seed: 9 }, async b => {
    const rig = new KvRig(b, inPages, { space: { pageSize: 2 ** 24 } }),
      value = rig.value(77);
    rig.memory.map(pid, 2n ** 24n, 2 ** 30 - 2 ** 24);
    expect((await rig.alone("create", 1n, value)).status).toBe(OK);
    expect((await rig.alone("read", 1n)).value).toEqual(value);
    expect(rig.host.trace.filter(t => t.opcode === opcode.WRITE).map(t => t.va >= 2n ** 30n)).toEqual(
      // What is free in the arena: a line and the summary; the pair; its entry.
      [true, true, true, true],
    );
    await rig.allBack();
  });
  bench("memory that is gone: its status ends the request, the bucket goes on", dut, { seed: 10 }, async b => {
    const rig = new KvRig(b, wide),
      keys = sameSlot(3, rig);
    for (const key of keys) await rig.alone("create", key, rig.value(50));
    const page = ((rig.contents()[0]?.block as bigint) / 4096n) * 4096n;
    rig.memory.map(pid, page, 4096, "-");
    for (const kind of ["read", "update", "delete", "create"] as const)
      expect((await rig.alone(kind, keys[1] as bigint, rig.value(60))).status, kind).toBe(status.READ_PERM);
    rig.memory.map(pid, page, 4096);
    // New pages are zero: the entries are there, the keys are not.
    for (const key of keys) expect((await rig.alone("read", key)).status).toBe(FAIL);
    await rig.allBack();
  });
  testOfResets(kvOfTwo, { most: 2000 }, b => mixture(300)(b, narrow));
  bench("reset in the middle: nothing is left, and the store begins empty", dut, { seed: 13 }, async b => {
    const rig = new KvRig(b, wide, { jitter: 20 });
    traffic(rig, b.random, 100);
    await b.cycles(700);
    rig.host.reset();
    rig.calls.length = 0;
    traffic(rig, b.random, 100, { kinds: ["read"] });
    await rig.host.drained();
    expect(rig.calls.every(c => c.call.replies[0]?.status === FAIL)).toBe(true);
    // Without a table nobody waits for memory. What was allocated before the reset is the node's to free.
    await rig.alone("create", 1n, rig.value(9));
    await rig.allBack();
  });

  bench("latency: round trips to memory, and cycles, as stated", dut, { seed: 11 }, async b => {
    const latency = 60,
      rig = new KvRig(b, wide, { latency }),
      measured: Record<string, readonly [number, number]> = {};
    const of = (n: number): bigint[] =>
        Array.from({ length: 4000 }, (_, i) => BigInt(i)).filter(k => kvHash(k, 0, rig).bucket === n),
      print = (k: bigint): number => kvHash(k, 0, rig).fingerprint;
    const measure = async (what: string, kind: KvKind, key: bigint): Promise<void> => {
      const { cycles } = await rig.alone(kind, key, rig.value(30));
      measured[what] = [Math.floor(cycles / latency), cycles % latency];
    };
    const [key = 0n] = of(1),
      others = of(2).slice(0, 7),
      beyond = of(2).find(k => others.every(o => print(o) !== print(k))) as bigint;
    const [first = 0n, second = 0n, ...more] = of(0);
    await rig.alone("create", first, rig.value(30));
    await measure("read of nothing", "read", key);
    // An arena is asked for blocks: 3 M + 94 cycles more.
    await measure("create without a free block at hand", "create", second);
    for (const k of more.slice(0, 30)) await rig.alone("create", k, rig.value(30));
    for (const k of more.slice(0, 9)) await rig.alone("delete", k);
    await measure("create", "create", key);
    await measure("read", "read", key);
    await measure("update", "update", key);
    await measure("delete", "delete", key);
    for (const k of others) await rig.alone("create", k, rig.value(30));
    for (const k of more.slice(9, 14)) await rig.alone("delete", k);
    await measure("create with a new slot", "create", beyond);
    await measure("read in the second slot", "read", beyond);
    expect(measured).toEqual({
      "read of nothing": [1, 26],
      read: [2, 31],
      create: [2, 36],
      "create without a free block at hand": [7, 10],
      update: [3, 43],
      delete: [3, 39],
      "create with a new slot": [3, 48],
      "read in the second slot": [3, 39],
    });
    await rig.allBack({ pages: true });
  });
  for (const [latency, ...cycles] of [
    [1, 13, 13, 21, 31],
    [60, 21, 21, 53, 207],
  ] as const) {
    bench(
      `interval, memory of ${latency} cycles: requests on different buckets overlap, readers share one, writers do not`,
      dut,
      { seed: 12 },
      async b => {
        const rig = new KvRig(b, wide, { latency }),
          small = Array.from({ length: 100 }, (_, i) => BigInt(i)),
          keys = [0, 1, 2, 3].map(n => small.find(k => kvHash(k, 0, rig).bucket === n) as bigint);
        for (const key of small.slice(0, 40)) await rig.alone("create", key, rig.value(40));
        const interval = async (kind: KvKind, of: readonly bigint[]): Promise<number> => {
          const calls = Array.from(
            { length: 64 },
            (_, i) => rig.ask(kind, of[i % of.length] as bigint, rig.value(40)).call,
          );
          await rig.host.drained();
          return Math.round(
            (Math.max(...calls.map(c => c.done ?? 0)) - Math.min(...calls.map(c => c.taken ?? 0))) / calls.length,
          );
        };
        const one = keys.slice(0, 1);
        // As many blocks are taken and given back, from now on.
        await interval("update", keys);
        expect([
          await interval("read", keys),
          await interval("read", one),
          await interval("update", keys),
          await interval("update", one),
        ]).toEqual(cycles);
        await rig.finish();
      },
    );
  }
  test("every width is built; what cannot be is refused in a sentence", () => {
    for (const beatBytes of [16, 32])
      expect(emit(ClioKv({ ...kvParameters({ beatBytes }), ...kvDefaults })).top).toContain(`b${beatBytes}`);
    expect(() => ClioKv(kvParameters({ buckets: 3 }))).toThrow(
      "ClioKv: buckets is 3; choose a power of two from 1 to 16777216",
    );
    expect(() => ClioKv(kvParameters({ regions: 0 }))).toThrow(
      "ClioKv: regions is 0; choose a whole number from 1 to 1048576",
    );
  });
});
