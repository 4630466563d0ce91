import { describe, expect, test } from "vitest";
import { type Bench, bernoulli, bursts, type Dut, type Pause, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import {
  dut,
  type ParameterSet,
  parameterSets,
  type Payload,
  type Ports,
  readers,
  StoreRig,
  writers,
} from "./support/store-rig.ts";

type B = Bench<Ports>;
/** Random pauses on every stream, some long. */
const pauses = (b: B) => ({
  from: (): Pause => bernoulli(0.3, b.random.word()),
  to: (): Pause => bursts({ go: 20, pause: 12 }, b.random.word()),
});
const sizes = Object.keys(parameterSets) as ParameterSet[];

async function randomLives(b: B, set: ParameterSet, count: number, o: { readonly hostile?: boolean } = {}) {
  const rig = new StoreRig(b, set, pauses(b));
  await rig.lives(count, 12, o);
  await rig.end();
  return rig;
}

/** Resets in the middle of random traffic, and traffic behind them. */
async function resets(b: B): Promise<void> {
  const rig = new StoreRig(b, "small", pauses(b));
  for (let round = 0; round < 60; round++) {
    const lives = b.spawn(() => rig.lives(1000, 8, { hostile: true }));
    await b.cycles(b.random.between(20, 150));
    lives.cancel();
    // What a task had begun to do in this cycle it does.
    await b.cycles(1);
    rig.reset(b.random.between(1, 2));
    await b.cycles(1);
    expect(b.io.free.num).toBe(16);
  }
  await rig.lives(50, 8);
  await rig.end();
}
/** Long chains are taken apart while more payloads die than can wait for it; sometimes a reset ends it. */
async function massDeath(b: B): Promise<void> {
  const rig = new StoreRig(b, "small");
  for (let round = 0; round < 60; round++) {
    const inside = await b.all([20, 20, 1, 2, 3, 4, 1, 2].map(beats => () => rig.bring(beats)));
    expect(b.io.free.num).toBe(0);
    const port = b.random.between(0, 1);
    for (const x of inside) rig.drop(x, true, round % 3 === 0 ? port : undefined);
    if (round % 4 !== 0) {
      await b.cycles(b.random.between(1, 24));
      rig.reset();
    }
    await rig.end();
    // Whoever had his turn before the reset may not come again for long.
    const alone = await rig.bring(1);
    const sent = rig.drop(alone, true, port);
    await b.until(() => sent.cycle !== undefined);
    await rig.end();
  }
}
/** One payload of one beat, wanted by all readers again and again. */
async function sameBank(b: B, set: ParameterSet): Promise<void> {
  const rig = new StoreRig(b, set),
    x = await rig.bring(1);
  for (const r of readers) for (let i = 0; i < 60; i++) rig.ask(r, x);
  await b.cycles(12);
  const from = readers.map(r => rig.beatCycles[r].length);
  await b.cycles(90);
  for (const [i, r] of readers.entries())
    expect((rig.beatCycles[r].length - (from[i] ?? 0)) / 90, r).toBeCloseTo(1 / 3, 1);
}
/** The last cell is taken in the middle of a payload. */
async function whenFull(b: B): Promise<void> {
  const rig = new StoreRig(b, "small");
  const inside = await b.all([9, 11, 16, 17].map(beats => () => rig.bring(beats)));
  const waiting = rig.send(20);
  await b.cycles(50);
  expect([b.io.free.num, waiting.stored, b.io.write.ready.value]).toEqual([0, false, 0]);
  await b.all(readers.map((r, i) => () => rig.read(r, inside[i] ?? waiting)));
  await rig.putBack("back0", inside[3] ?? waiting);
  for (const x of inside) await rig.release(x);
  await b.until(() => waiting.stored);
  await rig.read("leave", waiting);
  await rig.release(waiting);
  await rig.end();
}

describe("PacketStore", () => {
  for (const set of sizes) {
    const count = set === "full" ? 150 : 400;
    bench(`${set}: payloads live and end, under random back-pressure`, dut(set), { seed: 3 }, async b => {
      const { told } = await randomLives(b, set, count);
      expect(told).toEqual({ short: 0, uneven: 0 });
    });
  }
  bench("jobs with more beats than there are, beats with fewer and more than their job", dut("small"), {}, async b => {
    const { told } = await randomLives(b, "small", 400, { hostile: true });
    expect(told.short).toBeGreaterThan(20);
    expect(told.uneven).toBeGreaterThan(20);
  });
  bench("a reset in the middle of everything leaves nothing behind", dut("small"), { seed: 5 }, async b => {
    await resets(b);
  });

  bench("all payloads die at once, and a reset while they do", dut("small"), { seed: 5 }, massDeath);

  describe("when it is full", () => {
    bench("the writer waits, and what is in the store goes on", dut("small"), { seed: 2 }, whenFull);
    bench("every cell can be used, and each comes back, many times round", dut("small"), { seed: 2 }, async b => {
      const rig = new StoreRig(b, "small");
      for (let round = 0; round < 8; round++) {
        const all = await b.all(Array.from({ length: 16 }, (_, i) => () => rig.bring(1 + (i % 4))));
        expect([b.io.free.num, new Set(all.map(x => x.first)).size]).toEqual([0, 16]);
        for (const x of all) await rig.read("read0", x);
        for (const x of all) await rig.release(x);
        await rig.end();
      }
    });
  });

  test("a payload that nobody owns is refused by name: its cells would be lost", async () => {
    const ownerless = runBench("nobody owns it", dut("small"), { wave: false, seed: 2 }, async b => {
      await new StoreRig(b, "small").bring(3, 0);
    });
    await expect(ownerless).rejects.toThrow("a payload has an owner when it has come in");
  });

  describe("copies own the same cells", () => {
    bench("they are free with the last owner, and not before", dut("small"), { seed: 2 }, async b => {
      const rig = new StoreRig(b, "small");
      for (let owners = 1; owners <= 7; owners++) {
        const x = await rig.bring(13, owners);
        await rig.release(x, owners - 1);
        await b.cycles(30);
        expect(b.io.free.num).toBe(12);
        await rig.read("leave", x);
        const sent = rig.drop(x, true, owners % 2);
        await b.until(() => sent.cycle !== undefined);
        await b.cycles(20);
        expect(b.io.free.num).toBe(16);
      }
    });
  });

  describe("nobody waits for another for ever", () => {
    bench("stalled readers hold up neither another reader nor the writers", dut("small"), { seed: 2 }, async b => {
      const rig = new StoreRig(b, "small"),
        x = await rig.bring(20),
        y = await rig.bring(20);
      rig.outs.leave.pause = () => true;
      rig.outs.read0.pause = () => true;
      for (let i = 0; i < 5; i++) for (const r of ["leave", "read0"] as const) rig.ask(r, x);
      // A job for beats that never come.
      rig.backJobs.back0.send({ first: y.first, beats: 20 });
      await b.cycles(100);
      const begin = b.cycle;
      for (let i = 0; i < 5; i++) await rig.read("read1", x);
      await rig.putBack("back1", y);
      expect(b.cycle - begin).toBeLessThan(5 * 30 + 40);
      const z = await rig.bring(4);
      await rig.read("read1", z);
    });
    for (const set of sizes)
      bench(`${set}: all want the same bank, and each has his turn within two others'`, dut(set), { seed: 2 }, b =>
        sameBank(b, set),
      );
  });

  describe("latency", () => {
    bench("stored, first beat, and a cell that is free again", dut("full"), { seed: 2 }, async b => {
      const rig = new StoreRig(b, "full");
      await b.cycles(3);
      const sent = rig.write.send({ data: 1n, last: 1, owners: 1 });
      const payload = { beats: [1n], owners: 1, first: NaN, stored: false, cycle: NaN };
      rig.expectArrival(payload);
      await b.until(() => payload.stored);
      expect(payload.cycle - (sent.cycle ?? NaN), "stored").toBe(1);
      const job = rig.jobs.read0.send({ first: payload.first, beats: 1 });
      rig.expectBeats("read0", payload);
      await b.until(() => rig.beatCycles.read0.length === 1);
      expect((rig.beatCycles.read0[0] ?? NaN) - (job.cycle ?? NaN), "first beat").toBe(5);
      const released = rig.drop(payload, true);
      await b.until(() => b.io.free.num === 1024);
      expect(b.cycle - (released.cycle ?? NaN), "free").toBe(5);
    });
  });

  describe("throughput", () => {
    /** Shares of cycles with a beat, of what comes in and of each reader, while payloads of a size pass. */
    async function through(b: B, beats: number, all: boolean): Promise<Readonly<Record<string, number>>> {
      const rig = new StoreRig(b, "full"),
        cycles = 2500;
      await rig.shuffle();
      const left = new Map<Payload, number>();
      // Payloads of their own are put back again and again.
      if (all)
        for (const w of writers) {
          const x = await rig.bring(beats);
          for (let i = 0; i < 5000 / beats; i++) rig.putBackSoon(w, x);
        }
      rig.whenStored = x => {
        for (const r of all ? readers : (["leave"] as const)) rig.ask(r, x);
      };
      rig.whenRead = x => {
        const n = (left.get(x) ?? (all ? 3 : 1)) - 1;
        left.set(x, n);
        if (n === 0) rig.drop(x, true);
      };
      for (let i = 0; i < 4000 / beats; i++) rig.send(beats);
      await b.cycles(300);
      const now = (): Record<string, number> => ({
        in: -rig.write.pending,
        ...Object.fromEntries(writers.map(w => [w, -rig.backs[w].pending])),
        ...Object.fromEntries(readers.map(r => [r, rig.beatCycles[r].length])),
      });
      const from = now();
      await b.cycles(cycles);
      return Object.fromEntries(Object.entries(now()).map(([k, n]) => [k, (n - (from[k] ?? 0)) / cycles]));
    }
    for (const beats of [4, 5, 8, 16, 24, 140])
      bench(`${beats * 64} bytes in and out at once: 97 % of the beats`, dut("full"), { seed: 1 }, async b => {
        const share = await through(b, beats, false);
        expect(share["in"]).toBeGreaterThan(0.97);
        expect(share["leave"]).toBeGreaterThan(0.97);
      });
    for (const beats of [4, 16, 24])
      bench(
        `${beats * 64} bytes on all six streams: 0.8 of the beats each, more than 100 Gbps`,
        dut("full"),
        { seed: 1 },
        async b => {
          const share = await through(b, beats, true);
          for (const [stream, beatsPerCycle] of Object.entries(share))
            expect(beatsPerCycle, stream).toBeGreaterThan(0.8);
        },
      );
  });

  describe("a planted fault is found", () => {
    const runs: readonly ((b: B) => Promise<unknown>)[] = [
      b => randomLives(b, "small", 300, { hostile: true }),
      whenFull,
      b => sameBank(b, "small"),
      resets,
      massDeath,
    ];
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [i, run] of runs.entries())
        await runBench(`${name} ${i}`, design, { wave: false, hangCycles: 800, limitCycles: 60_000, seed: 4 }, run);
    };
    test("and nothing without one", async () => {
      await look("no fault", dut("small"));
    });
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a release beside a payload that comes in takes no owner away", "counts = ~owns_en & ", "counts = "],
      [
        "a chain that is taken apart ends early when the next one waits",
        "goes_on = asked & ~link_last",
        "goes_on = asked & ~link_last & ~dead_pop_valid",
      ],
      [
        "a full cell is linked with a cell that is not there, when none is free",
        "bring_needs_cell = bring_starts | (bring_fills & ~write_payload_last)",
        "bring_needs_cell = bring_starts",
      ],
      ["a payload is told over another one", "& (~write_payload_last | ~stored_told)", ""],
      ["a reader goes on behind the last beat of a payload", /read_0_beyond = [^;]*;/, "read_0_beyond = 1'b0;"],
      [
        "a job goes on behind the last cell of a payload",
        /if \(read_1_link_last\) read_1_running <= 1'b0;/,
        "if (1'b0) read_1_running <= 1'b0;",
      ],
      ["beats beyond their job are the next job's", /put_0_drains <= 1'b1/, "put_0_drains <= 1'b0"],
      ["a job without beats gets the next job's", /put_1_skips <= 1'b1/, "put_1_skips <= 1'b0"],
      ["a reader that stalls is given a part too many", "leave_room = leave_parts_level < 3'd3", "leave_room = 1'b1"],
      ["a beat is read when its reader has no room", "& ~leave_out_claimed[4]", ""],
      ["a reset in the middle of a payload", "bring_in_packet <= 1'b0;", ""],
      ["the cells of before a reset are free twice", "fresh <= 5'd0", "fresh <= fresh"],
      ["a beat of the bank that is read now", /read_2_bank\[0\] \?/, "read_bank_of_2[0] ?"],
      ["a reset beside a release", /if \(rst\) taken <= 1'b0;\s*else /, ""],
      ["a reset while a chain is taken apart", /if \(rst\) asked <= 1'b0;\s*else /, ""],
      ["a reset while one of two releases has its turn", "release_locked <= 1'b0; release_owner", "release_owner"],
      ["two releases of a payload in a row see one count", "left_hit ? left_fwd : left_rd", "left_rd"],
      ["a release goes on while no dead payload can wait", "counts = ~owns_en & dead_push_ready", "counts = ~owns_en"],
      ["a payload with one owner less than it has", "owns_en ? owns_owners", "owns_en ? owns_owners & 3'd3"],
    ];
    for (const [name, from, to] of faults) {
      test(name, async () => {
        await findsFault(look(name, plant(dut("small"), from, to)));
      });
    }
  });
});
