import { describe, expect, test } from "vitest";
import { AxiShare } from "../../../../designs/shared/axi/axi-share.ts";
import {
  AxiRam,
  type AxiRamOptions,
  type Bench,
  bernoulli,
  bursts,
  type InputOf,
  legalMemories,
  never,
  type Pause,
  runBench,
  SparseMemory,
  StreamSink,
  StreamSource,
} from "../../../../sim/index.ts";
import { bench } from "../../../bench.ts";
import { offer } from "../../../support/offer.ts";
import { findsFault, plant } from "../../../support/plant.ts";
import { testOfResets } from "../../../support/reset-any-time.ts";

const toBig = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);
const syncId = 9;
/** Beat width, with the masters and the write bursts that go with it. */
const parameterSets = {
  8: {
    addressBits: 40,
    idBits: 6,
    masters: [
      ["sync", 40, 63],
      ["data", 8, 39],
      ["table", 0, 0],
    ],
    writes: 1,
  },
  16: {
    addressBits: 31,
    idBits: 4,
    masters: [
      ["table", 1, 8],
      ["sync", syncId, syncId],
      ["data", 0, 0],
    ],
    writes: 4,
  },
  32: {
    addressBits: 33,
    idBits: 5,
    masters: [
      ["data", 0, 3],
      ["table", 4, 4],
      ["sync", 5, 31],
    ],
    writes: 8,
  },
  64: {
    addressBits: 31,
    idBits: 4,
    masters: [
      ["table", 1, 8],
      ["sync", syncId, syncId],
      ["data", 0, 0],
    ],
    writes: 4,
  },
} as const;
type BeatBytes = keyof typeof parameterSets;
/** First and last ID of a side. */
const idsOf = (beatBytes: BeatBytes, side: string): readonly [number, number] => {
  const found = parameterSets[beatBytes].masters.find(([name]) => name === side);
  return found === undefined ? [0, 0] : [found[1], found[2]];
};
const dut = (beatBytes: BeatBytes) => {
  const { masters, ...p } = parameterSets[beatBytes];
  return AxiShare({ beatBytes, ...p, masters: masters.map(([name, id, last]) => ({ name, id, many: last > id })) });
};
type Ports = ReturnType<typeof dut>["ports"];
type Address = InputOf<ReturnType<typeof dut>["ports"]["dataAr"]["shape"]>;
interface Burst {
  readonly id: number;
  readonly address: number;
  readonly beats: number;
  readonly bytes: Uint8Array;
}

interface Options {
  readonly pause?: () => Pause;
  readonly count?: number;
  readonly outOfOrder?: boolean;
  /** What the memory is like, beside its latency and its pauses. */
  readonly memory?: AxiRamOptions;
}

/**
 * Random bursts from all sides at once. Each side has to get its own answers, by ID in order, and memory has to hold
 * the written data.
 */
async function run(b: Bench<Ports>, beatBytes: BeatBytes, o: Options = {}) {
  const pause = o.pause ?? (() => never),
    count = o.count ?? 120,
    size = Math.log2(beatBytes);
  const memory = new SparseMemory({ fill: { seed: b.random.word() } }),
    wanted = new Map<number, Uint8Array>();
  const io = b.io;
  new AxiRam(
    b.sim,
    { aw: io.aw, w: io.w, b: io.b, ar: io.ar, r: io.r },
    {
      memory,
      latency: 12,
      outOfOrder: o.outOfOrder ?? true,
      pause: { aw: pause(), w: pause(), b: pause(), ar: pause(), r: pause() },
      ...o.memory,
    },
  );
  // Each side writes and reads places of its own; reads go where nobody writes.
  let place = 0;
  const burst = (ids: readonly [number, number], most: number): Burst => {
    const beats = b.random.between(1, most),
      address = 4096 * ++place + beatBytes * b.random.between(0, 7);
    return {
      id: b.random.chance(0.4) ? b.random.pick(ids) : b.random.between(...ids),
      address,
      beats,
      bytes: b.random.bytes(beats * beatBytes),
    };
  };
  const kinds = {
    data: { ids: idsOf(beatBytes, "data"), most: 20 },
    table: { ids: idsOf(beatBytes, "table"), most: 8 },
    sync: { ids: idsOf(beatBytes, "sync"), most: 1 },
  } as const;
  const sides = (["data", "table", "sync"] as const).map(side => {
    const { ids, most } = kinds[side];
    const aw = new StreamSource(b.sim, io[`${side}Aw`], { pause: pause() }),
      w = new StreamSource(b.sim, io[`${side}W`], { pause: pause() }),
      ar = new StreamSource(b.sim, io[`${side}Ar`], { pause: pause() });
    const written = new StreamSink(b.sim, io[`${side}B`], { pause: pause() }),
      read = new StreamSink(b.sim, io[`${side}R`], { pause: pause() });
    const writes = Array.from({ length: count }, () => burst(ids, most)),
      reads = Array.from({ length: count }, () => burst(ids, most));
    const address = (x: Burst): Address => ({ addr: x.address, id: x.id, len: x.beats - 1, size, burst: 1 });
    for (const x of writes) {
      aw.send(address(x));
      for (let i = 0; i < x.beats; i++)
        w.send({
          data: toBig(x.bytes.subarray(i * beatBytes, (i + 1) * beatBytes)),
          strb: (1n << BigInt(beatBytes)) - 1n,
          last: i === x.beats - 1 ? 1 : 0,
        });
      wanted.set(x.address, x.bytes);
    }
    for (const x of reads) ar.send(address(x));
    return { side, writes, reads, written, read };
  });
  const beats = (list: readonly Burst[]): number => list.reduce((n, x) => n + x.beats, 0);
  await b.until(() =>
    sides.every(s => s.written.received.length === s.writes.length && s.read.received.length === beats(s.reads)),
  );
  await b.cycles(10);
  for (const s of sides) {
    expect(s.written.received.length, `answers to ${s.side}`).toBe(s.writes.length);
    expect(s.read.received.length, `beats to ${s.side}`).toBe(beats(s.reads));
    for (const id of new Set(s.reads.map(x => x.id))) {
      expect(s.written.received.filter(x => x.value.id === id).length).toBe(s.writes.filter(x => x.id === id).length);
      const got = s.read.received.filter(x => x.value.id === id).map(x => BigInt(x.value.data));
      const should = s.reads
        .filter(x => x.id === id)
        .flatMap(x =>
          Array.from({ length: x.beats }, (_, i) => toBig(memory.read(x.address + i * beatBytes, beatBytes))),
        );
      expect(got.length).toBe(should.length);
      if (got.some((v, i) => v !== should[i])) expect.fail(`${s.side}: reads of ID ${id} give other data`);
    }
  }
  for (const [address, bytes] of wanted)
    if (!Buffer.from(memory.read(address, bytes.length)).equals(bytes))
      expect.fail(`the write at 0x${address.toString(16)} is not in memory`);
  return { sides };
}

describe("AxiShare", () => {
  for (const beatBytes of [8, 16, 32, 64] as const) {
    bench(
      `${beatBytes * 8} bits: all sides at once under random back-pressure, answers out of order`,
      dut(beatBytes),
      { seed: beatBytes },
      async b => {
        let seed = b.random.word();
        await run(b, beatBytes, {
          pause: () => (++seed % 2 ? bernoulli(0.3, seed) : bursts({ go: 20, pause: 10 }, seed)),
        });
      },
    );
  }
  for (const [like, memory] of Object.entries(legalMemories)) {
    bench(`a memory with ${like}: no pauses`, dut(16), {}, async b => {
      await run(b, 16, { count: 30, memory });
    });
    bench(`a memory with ${like}: random back-pressure`, dut(32), {}, async b => {
      let seed = b.random.word();
      await run(b, 32, { count: 60, memory, pause: () => bernoulli(0.3, ++seed) });
    });
  }
  testOfResets(dut(16), {}, b => run(b, 16, { pause: () => bernoulli(0.3, b.random.word()) }));
  bench("no pauses: one beat each cycle", dut(64), {}, async b => {
    const { sides } = await run(b, 64, { outOfOrder: false });
    const reads = sides.flatMap(s => s.read.received.map(x => x.cycle)).sort((x, y) => x - y);
    expect((reads.at(-1) as number) - (reads[0] as number)).toBe(reads.length - 1);
  });
  bench("addresses go in the order of the masters, and wait for no data", dut(64), {}, async b => {
    const address = { addr: 0, id: 0, len: 0, size: 6, burst: 1 };
    const data = new StreamSource(b.sim, b.io.dataAr),
      table = new StreamSource(b.sim, b.io.tableAr),
      sync = new StreamSource(b.sim, b.io.syncAr);
    const out = new StreamSink(b.sim, b.io.ar);
    const sent = Array.from({ length: 10 }, () => data.send(address));
    await b.cycles(4);
    const asked = Array.from({ length: 3 }, (_, i) => table.send({ ...address, id: 1 + i, addr: 4096 * i }));
    for (let i = 0; i < 2; i++) sync.send({ ...address, id: syncId, addr: 64 * i });
    await data.drained();
    await table.drained();
    expect(out.received.map(x => x.value.id)).toEqual([0, 0, 0, 0, 1, 2, 3, syncId, syncId, 0, 0, 0, 0, 0, 0]);
    expect(out.received.map(x => x.cycle).filter((c, i, all) => i > 0 && c !== (all[i - 1] as number) + 1)).toEqual([]);
    expect(asked.every(a => (a.cycle as number) < (sent.at(-1)?.cycle as number))).toBe(true);
  });
  const dataFirst = async (b: Bench<Ports>): Promise<void> => {
    const size = 4,
      out = new StreamSink(b.sim, b.io.w),
      addresses = new StreamSink(b.sim, b.io.aw);
    const sides = { data: 0, sync: syncId, table: 1 },
      at = (side: keyof typeof sides) => ({
        aw: new StreamSource(b.sim, b.io[`${side}Aw`]),
        w: new StreamSource(b.sim, b.io[`${side}W`]),
      });
    const sources = { data: at("data"), sync: at("sync"), table: at("table") };
    // Round the queue of owners and on, so that an old one stands where the next is to come.
    for (const side of ["data", "sync", "table", "table", "data", "sync", "table", "data"] as const) {
      const { aw, w } = sources[side],
        id = sides[side];
      w.send({ data: id, strb: 1, last: 1 });
      await b.cycles(5);
      expect(out.received.length, `data of ${side} before their address`).toBe(0);
      aw.send({ addr: 0, id, len: 0, size, burst: 1 });
      await w.drained();
      expect([addresses.take()?.value.id, out.take()?.value.data]).toEqual([id, BigInt(id)]);
    }
  };
  bench("data that come before their address wait for it", dut(16), {}, dataFirst);
  bench("a reset with addresses granted and no data leaves nothing behind", dut(16), {}, async b => {
    b.io.aw.ready.value = 1;
    for (let i = 0; i < 3; i++) await offer(b, b.io.tableAw, { addr: 0, id: 1, len: 0, size: 4, burst: 1 });
    await offer(b, b.io.dataAw, { addr: 0, id: 0, len: 0, size: 4, burst: 1 });
    b.sim.reset();
    await run(b, 16, { count: 30 });
  });
  describe("a planted fault is found", () => {
    const faults: readonly (readonly [string, string | RegExp, string, ("together" | typeof dataFirst)?])[] = [
      ["write data not in step with the addresses", /\bof_table(?= [|&])/, "(table_w_valid & ~of_sync)"],
      ["data before its address", /(owners_pop_valid & )(?=of_data)/, "", dataFirst],
      [
        "write data not before their address is taken",
        "write_grant_valid & ~granted_1_done",
        "write_grant_valid & ~granted_1_done & aw_ready",
        "together",
      ],
      ["answers by the lowest ID bit only", /\|r_payload_id/, "r_payload_id[0]"],
      ["the sync unit's answers go to the table", /r_payload_id == 4'd9/, "1'b0"],
      ["the sync unit's data go for the table's", /(?<=[|&] )of_sync\b/, "1'b0"],
    ];
    const together = async (b: Bench<Ports>): Promise<void> => {
      await run(b, 16, { count: 20, memory: { accepts: "together" } });
    };
    const random = async (b: Bench<Ports>): Promise<void> => {
      let seed = 5;
      await run(b, 16, { pause: () => bernoulli(0.3, ++seed) });
    };
    for (const [name, from, to, body] of faults) {
      test(name, async () => {
        await findsFault(
          runBench(
            name,
            plant(dut(16), from, to),
            { wave: false, hangCycles: 1000, limitCycles: 50000 },
            body === "together" ? together : (body ?? random),
          ),
        );
      });
    }
  });
});
