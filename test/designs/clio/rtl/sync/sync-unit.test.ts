import { describe, expect, test } from "vitest";
import { syncOp } from "../../../../../designs/clio/rtl/sync/sync-ops.ts";
import type { SyncUnitParameters } from "../../../../../designs/clio/rtl/sync/sync-unit/ports.ts";
import { status } from "../../../../../designs/clio/wire/index.ts";
import { type Bench, bernoulli, bursts, type Dut, legalMemories, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type Op, type OpName, type RigOptions, SyncDut, type SyncPorts, SyncRig } from "./support/sync-rig.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const parameters = (beatBytes: number, lanes = 4, slots = 16): SyncUnitParameters => ({
  slots,
  beatBytes,
  addressBits: 31,
  idBits: 5,
  id: 17,
  lanes,
});
const ops = Object.keys(syncOp) as OpName[];
const page = 0x40_0000;

/**
 * Random operations on few words, so that they meet; operands that are often what is there, so that CAS and TAS
 * succeed and fail.
 */
function randomOp(rig: SyncRig, b: Bench<SyncPorts>, words: readonly number[]): Op {
  const random = b.random,
    address = random.pick(words),
    op = random.pick(ops),
    small = (): bigint => BigInt(random.between(0, 2));
  const value = (): bigint =>
    random.pick([0n, 0n, small(), rig.word(address), (1n << 64n) - small() - 1n, random.bits(64)]);
  return {
    op,
    address,
    operand:
      op === "cas"
        ? random.pick([
            rig.word(address),
            rig.word(address),
            value(),
            rig.word(address) ^ (1n << BigInt(random.between(0, 63))),
          ])
        : value(),
    swap: value(),
  };
}
/** Words side by side in two beats of 64 bytes, one far away, and one at the end of a page. */
const someWords = (count: number): number[] =>
  [...Array.from({ length: 16 }, (_, i) => page + 0x100 + 8 * i), 5 * page, 2 * page - 8].slice(-count);

async function traffic(
  b: Bench<SyncPorts>,
  p: SyncUnitParameters,
  o: RigOptions & { readonly count?: number; readonly words?: number; readonly rate?: number } = {},
): Promise<SyncRig> {
  const rig = new SyncRig(b, p, o),
    words = someWords(o.words ?? 18);
  for (const w of words) if (b.random.chance()) rig.set(w, BigInt(b.random.between(0, 2)));
  for (let n = 0; n < (o.count ?? 600); n++) {
    await rig.sendWhenFree(randomOp(rig, b, words));
    if (!b.random.chance(o.rate ?? 0.9)) await b.cycles(b.random.between(1, 30));
  }
  await rig.finish();
  return rig;
}
/** Latencies of operations sent one by one: from the handshake of `request` to that of `reply` or `access`. */
async function alone(b: Bench<SyncPorts>, rig: SyncRig, o: Op): Promise<number> {
  const n = rig.done.length;
  rig.send(o);
  await b.until(() => rig.done.length > n);
  const d = rig.done[n];
  if (!d) throw new Error("no end");
  return d.cycle - d.accepted;
}

describe("SyncUnit", () => {
  for (const [beatBytes, lanes] of [
    [8, 4],
    [64, 4],
    [64, 1],
  ] as const) {
    const p = parameters(beatBytes, lanes);
    bench(
      `${beatBytes * 8} bits, ${lanes} lanes: random operations under random back-pressure, some of memory broken`,
      SyncDut(p),
      { seed: beatBytes + lanes },
      async b => {
        let seed = b.random.word();
        const rig = await traffic(b, p, {
          pause: () => (++seed % 2 ? bernoulli(0.3, seed) : bursts({ go: 20, pause: 15 }, seed)),
          memory: { latency: 10, jitter: 20, outOfOrder: true },
          failing: { from: 5 * page, to: 5 * page + 64 },
        });
        for (const op of ops)
          for (const code of [status.OK, status.FAIL]) {
            expect(
              rig.done.filter(d => d.op === op && d.status === code).length,
              `${op} with status ${code}`,
            ).toBeGreaterThan(0);
          }
      },
    );
  }
  for (const [like, memory] of Object.entries(legalMemories))
    bench(`a memory with ${like}`, SyncDut(parameters(64)), {}, async b => {
      await traffic(b, parameters(64), { count: 200, memory: { latency: 10, ...memory } });
    });
  bench("one word, without pauses: strictly one after another", SyncDut(parameters(64)), {}, async b => {
    await traffic(b, parameters(64), { count: 300, words: 1, rate: 1, memory: { latency: 5 } });
  });
  const largest = parameters(64, 16, 64);
  bench("16 lanes and 64 slots, in bursts", SyncDut(largest), { seed: 64 }, async b => {
    await traffic(b, largest, { rate: 0.99, memory: { latency: 30, jitter: 10 } });
  });

  bench(
    "a lock taken by many: one gets 0, all others 1, whatever the order in the memory",
    SyncDut(parameters(64)),
    {},
    async b => {
      const rig = new SyncRig(b, parameters(64), { memory: { jitter: 40 } });
      for (let round = 0; round < 5; round++) {
        rig.set(page, 0n);
        const from = rig.done.length;
        for (let n = 0; n < 12; n++) expect(rig.send({ op: "tas", address: page })).toBe(true);
        await rig.idle();
        expect(rig.done.slice(from).filter(d => d.old === 0n).length).toBe(1);
      }
      await rig.finish();
    },
  );

  for (const L of [1, 7, 40]) {
    bench(`memory of ${L} cycles: latencies as stated`, SyncDut(parameters(64)), { seed: L }, async b => {
      const rig = new SyncRig(b, parameters(64), { memory: { latency: L } });
      rig.set(page, 0n);
      expect(await alone(b, rig, { op: "tas", address: page })).toBe(2 * L + 5);
      expect(await alone(b, rig, { op: "tas", address: page })).toBe(L + 5);
      expect(await alone(b, rig, { op: "cas", address: page, operand: 1n, swap: 7n })).toBe(2 * L + 5);
      expect(await alone(b, rig, { op: "cas", address: page, operand: 1n })).toBe(L + 5);
      expect(await alone(b, rig, { op: "faa", address: page })).toBe(2 * L + 5);
      expect(await alone(b, rig, { op: "derefRead", address: page })).toBe(L + 5);
      expect(await alone(b, rig, { op: "derefWrite", address: page })).toBe(L + 5);
      const reads = rig.ram.counts.readBursts;
      expect(await alone(b, rig, { op: "store", address: page })).toBe(L + 5);
      expect(rig.ram.counts.readBursts, "a STORE reads nothing").toBe(reads);
      await rig.finish();
    });
    bench(
      `memory of ${L} cycles: 4 operations on different words every 2 L + 5 cycles, on one word one`,
      SyncDut(parameters(64)),
      { seed: L },
      async b => {
        const rig = new SyncRig(b, parameters(64), { memory: { latency: L } }),
          period = 2 * L + 5;
        // Neighbours of one beat are different words.
        for (let n = 0; n < 16; n++) expect(rig.send({ op: "faa", address: page + 8 * (n % 8) })).toBe(true);
        await rig.idle();
        const ends = rig.done.map(d => d.cycle);
        expect(ends.map(c => c - (ends[0] as number))).toEqual(
          ends.map((_, n) => Math.floor(n / 4) * Math.max(period, 4) + (n % 4)),
        );
        rig.done.length = 0;
        for (let n = 0; n < 8; n++) rig.send({ op: "faa", address: page });
        await rig.idle();
        expect(rig.done.map((d, n) => d.cycle - (rig.done[0] as { cycle: number }).cycle - n * period)).toEqual(
          rig.done.map(() => 0),
        );
        await rig.finish();
      },
    );
  }
  bench("while lanes are left one begins each cycle, STOREs too", SyncDut(largest), {}, async b => {
    const rig = new SyncRig(b, largest, { memory: { latency: 50 } });
    for (const op of ["faa", "store"] as const) {
      rig.done.length = 0;
      for (let n = 0; n < 16; n++) rig.send({ op, address: page + 8 * n });
      await rig.idle();
      expect(rig.done.map(d => d.cycle - (rig.done[0] as { cycle: number }).cycle)).toEqual(rig.done.map((_, n) => n));
    }
    await rig.finish();
  });

  const storesBeside = async (b: Bench<SyncPorts>): Promise<void> => {
    const L = 40,
      rig = new SyncRig(b, largest, { memory: { latency: L } });
    for (let gap = 0; gap < 16; gap++) {
      rig.done.length = 0;
      for (let n = 0; n < 8; n++) rig.send({ op: "derefRead", address: page + 8 * n });
      // In some rounds they come as the words do.
      await b.cycles(L - 8 + gap);
      for (let n = 8; n < 16; n++) rig.send({ op: "store", address: page + 8 * n });
      await rig.idle();
      for (const d of rig.done) {
        const took = d.cycle - d.accepted;
        expect(took, `cycles of ${d.op}`).toBeGreaterThanOrEqual(L + 5);
        expect(took, `cycles of ${d.op}`).toBeLessThanOrEqual(L + 5 + 9);
      }
    }
    await rig.finish();
  };
  bench("STOREs beside reads: neither waits for the other's memory", SyncDut(largest), {}, storesBeside);
  /** The memory keeps its answers to writes back until operations that write nothing end. */
  const endsTogether = async (b: Bench<SyncPorts>): Promise<void> => {
    let until = 0;
    const L = 24,
      rig = new SyncRig(b, largest, { memory: { latency: L }, confirms: () => b.cycle < until });
    for (let gap = 0; gap < 24; gap++) {
      rig.done.length = 0;
      until = b.cycle + L + gap;
      for (let n = 0; n < 8; n++) rig.send({ op: "store", address: page + 8 * n });
      for (let n = 0; n < 8; n++) {
        rig.set(page + 0x400 + 8 * n, 1n);
        rig.send({ op: "tas", address: page + 0x400 + 8 * n });
      }
      await rig.idle();
      const took = rig.done.filter(d => d.op === "tas").map(d => d.cycle - d.accepted);
      expect(Math.max(...took), "cycles of the last tas").toBeLessThanOrEqual(L + 5 + 9);
      expect(Math.min(...took), "cycles of the first tas").toBeLessThanOrEqual(L + 5 + 2);
    }
    await rig.finish();
  };
  bench("ends of both kinds in one cycle: by turns", SyncDut(largest), {}, endsTogether);

  const breaksBetween = async (b: Bench<SyncPorts>, response: "SLVERR" | "DECERR" = "SLVERR"): Promise<void> => {
    const p = parameters(64),
      rig = new SyncRig(b, p, { memory: { latency: 20 } });
    rig.lost.add(page);
    rig.send({ op: "faa", address: page });
    await b.until(() => b.io.r.valid.value === 1);
    rig.ram.failAt({ from: page, to: page + 64, response });
    await rig.idle();
    expect(
      rig.done.map(d => d.status),
      "how it ended",
    ).toEqual([status.FAIL]);
    await rig.finish();
  };
  for (const response of ["SLVERR", "DECERR"] as const)
    bench(`memory that breaks between the read and the write, ${response}: FAIL`, SyncDut(parameters(64)), {}, b =>
      breaksBetween(b, response),
    );
  const writesNothing =
    (p: SyncUnitParameters) =>
    async (b: Bench<SyncPorts>): Promise<void> => {
      const rig = new SyncRig(b, p, { failing: { from: page, to: page + 64 } });
      for (const op of ["tas", "cas", "faa", "derefRead"] as const) rig.send({ op, address: page });
      rig.set(2 * page, 5n);
      rig.send({ op: "cas", address: 2 * page, operand: 4n, swap: 6n });
      rig.send({ op: "tas", address: 2 * page });
      await rig.idle();
      expect([rig.ram.counts.readBursts, rig.ram.counts.writeBursts], "reads and writes of memory").toEqual([6, 0]);
      await rig.finish();
    };
  bench(
    "neither a failed read nor a compare that failed is followed by a write",
    SyncDut(parameters(64)),
    {},
    writesNothing(parameters(64)),
  );
  bench("whoever takes no reply stops no answer of the memory", SyncDut(parameters(64)), {}, async b => {
    let stopped = true;
    const rig = new SyncRig(b, parameters(64), { memory: { latency: 5 } });
    rig.hold(() => stopped);
    for (let n = 0; n < 8; n++) rig.send({ op: ops[n % 6] as OpName, address: page + 8 * n });
    await b.cycles(100);
    expect([rig.done.length, rig.ram.idle, rig.ram.counts.readBursts]).toEqual([0, true, 3]);
    stopped = false;
    await rig.finish();
    expect(rig.done.length).toBe(8);
  });
  testOfResets(SyncDut(parameters(8)), { most: 1000 }, b =>
    traffic(b, parameters(8), {
      count: 200,
      pause: () => bernoulli(0.3, b.random.word()),
      memory: { latency: 10, jitter: 20, outOfOrder: true },
    }),
  );
  bench("reset in the middle: nothing is left of before", SyncDut(parameters(64)), {}, async b => {
    const p = parameters(64),
      rig = new SyncRig(b, p, { memory: { latency: 30 } });
    for (let n = 0; n < 8; n++) rig.send({ op: "faa", address: page + 8 * n });
    await b.cycles(45);
    // Long enough for the memory to answer what it was asked: the answers fall on the floor.
    b.sim.reset(200);
    await b.cycles(3);
    expect([
      b.io.ar.valid.value,
      b.io.aw.valid.value,
      b.io.w.valid.value,
      b.io.reply.valid.value,
      b.io.access.valid.value,
      b.io.result.valid.value,
    ]).toEqual([0, 0, 0, 0, 0, 0]);
    rig.forget();
    expect(await alone(b, rig, { op: "faa", address: page })).toBe(65);
    for (let n = 0; n < 200; n++) await rig.sendWhenFree(randomOp(rig, b, someWords(18)));
    await rig.finish();
  });

  describe("a planted fault is found", () => {
    const p = parameters(16, 2);
    const random = async (b: Bench<SyncPorts>): Promise<void> => {
      let seed = 3;
      await traffic(b, p, {
        count: 400,
        memory: { latency: 10, jitter: 10 },
        pause: () => bernoulli(0.2, ++seed),
        failing: { from: 5 * page, to: 5 * page + 64 },
      });
    };
    const run = (name: string, dut: Dut<SyncPorts>, body: typeof random = random): Promise<unknown> =>
      runBench(name, dut, { wave: false, hangCycles: 2000, limitCycles: 100_000 }, body);
    test("and nothing without one", async () => {
      await run("no fault", SyncDut(p));
    });
    // Without the assertion, which would see it first: the scoreboard sees it too.
    const unwatched = plant(SyncDut(p), /if \(~\(~\(taken_0 & /, "if (1'b0 & ~(~(taken_0 & ");
    const faults: readonly (readonly [
      string,
      string | RegExp,
      string,
      RegExp,
      { readonly dut?: Dut<SyncPorts>; readonly body?: typeof random }?,
    ])[] = [
      ["the same word is not looked for", /wire clash = [^;]*;/, "wire clash = 1'b0;", /no word is in two lanes/],
      [
        "the same word is not looked for, and nothing asserts it",
        /wire clash = [^;]*;/,
        "wire clash = 1'b0;",
        /in order of arrival|before/,
        { dut: unwatched },
      ],
      [
        "the word is taken from another lane of the beat",
        /found = next_word\[7\]/,
        "found = ~next_word[7]",
        /found 0x/,
      ],
      [
        "swap is written although the compare failed",
        "(found_expected | ",
        "(found_expected | (w_op == 3'd2) | ",
        /found 0x|the word at/,
      ],
      [
        "TAS writes over what it finds",
        "(found_expected | ",
        "(found_expected | (w_op == 3'd1) | ",
        /found 0x|the word at/,
      ],
      [
        "strobes of the whole beat",
        /assign w_payload_strb = [^;]*;/,
        "assign w_payload_strb = 16'hffff;",
        /found 0x|the word at/,
      ],
      [
        "a read that failed is written back",
        /(wire writes = [^;]*) & ~w_failed;/,
        "$1;",
        /reads and writes of memory/,
        { body: writesNothing(p) },
      ],
      [
        "the answer to a write is not looked at",
        "confirmed_payload_failed = |b_payload_resp",
        "confirmed_payload_failed = 1'b0",
        /reply to store/,
      ],
      [
        "DECERR is no error of a write",
        "confirmed_payload_failed = |b_payload_resp",
        "confirmed_payload_failed = b_payload_resp == 2'd2",
        /reply to faa/,
        { dut: SyncDut(parameters(64)), body: b => breaksBetween(b, "DECERR") },
      ],
      [
        "a STORE waits while reads are under way",
        /(?<=takes_store = storing_pop_valid & \()~stored_last \| /,
        "",
        /cycles of store/,
        { dut: SyncDut(largest), body: storesBeside },
      ],
      [
        "STOREs go before all words that were read",
        /(?<=takes_store = storing_pop_valid)[^;]*/,
        "",
        /cycles that r waits/,
        { dut: SyncDut(largest), body: storesBeside },
      ],
      [
        "what writes nothing ends first",
        /\|ends_after \?/,
        "1'b0 ?",
        /cycles that b waits/,
        { dut: SyncDut(largest), body: endsTogether },
      ],
      [
        "what writes ends first",
        /\|ends_after \?/,
        "ends_request[1] ? 2'd2 : |ends_after ?",
        /cycles of the first tas/,
        { dut: SyncDut(largest), body: endsTogether },
      ],
      [
        "the lane of an operation that failed is lost",
        /(?<=words_release_valid = ended_pop_valid & ended_pop_ready)/,
        " & ~ended_pop_payload_failed",
        /has not ended|no handshake|nothing|lanes/,
        { dut: SyncDut(parameters(64)), body: breaksBetween },
      ],
      [
        "the operands are those of the slot before",
        /w_operands <= operands/,
        "w_operands <= {w_operands[63:0], operands[63:0]}",
        /found 0x|the word at/,
      ],
    ];
    for (const [name, from, to, why, o] of faults) {
      test(name, async () => {
        await findsFault(run(name, plant(o?.dut ?? SyncDut(p), from, to), o?.body), why);
      });
    }
  });
});
