/** The registers' block alone: the parts of an epoch, the slots' controls, counters, and resets beside all that. */
import { describe, expect, test } from "vitest";
import { snicMap } from "../../../../../designs/supernic/registers/index.ts";
import { tableIndexBits, tables, tableValueBits } from "../../../../../designs/supernic/wire/index.ts";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { type B, dut, p, type Ports, Rig } from "./support/control-rig.ts";

const slots = p.regions * p.slots;

/** In each epoch as many parts as there are, and two of them are as far apart as two others, but for a cycle. */
async function epochs(b: B): Promise<void> {
  const rig = new Rig(b),
    seen: number[] = [];
  b.onEdge({
    sample: cycle => {
      if (b.io.part.num === 1) seen.push(cycle);
    },
  });
  for (const length of [4096, 4097, 5000, 6400]) {
    await rig.write("epoch", length);
    await b.cycles(300);
    seen.splice(0);
    await b.cycles(2 * length);
    const gaps = seen.slice(1).map((cycle, i) => cycle - (seen[i] ?? 0));
    expect(seen.length, `parts of two epochs of ${length}`).toBe(128);
    expect([...new Set(gaps)].filter(g => g !== Math.floor(length / 64) && g !== Math.ceil(length / 64))).toEqual([]);
  }
}
/** Each slot's entry reaches that slot and no other one; a reset forgets them all, and what was on its way. */
async function controls(b: B): Promise<void> {
  const rig = new Rig(b),
    none = Array.from({ length: slots }, () => [0, 0, 0, 0]);
  expect(rig.controls).toEqual(none);
  const want = none.map(row => [...row]);
  for (let r = 0; r < p.regions; r++)
    for (let s = 0; s < p.slots; s++) {
      const at = r * p.slots + s,
        entry = { limit: 1, busyAt: 1 + (at % p.credits), patience: 500 + at, quiesce: at % 2, isolate: (at >> 1) % 2 };
      await rig.entry("slot", r * 8 + s, entry);
      want[at] = [entry.busyAt, entry.patience, entry.quiesce, entry.isolate];
      expect(rig.controls).toEqual(want);
    }
  // One that the build has not.
  await rig.entry("slot", 7, { limit: 1, busyAt: 1, patience: 9, quiesce: 1, isolate: 1 });
  expect(rig.controls).toEqual(want);
  // Nor the table: its number is no other entry's.
  for (const beyond of [tables.slot.entries, 1024, 2 ** tableIndexBits - 64]) {
    await rig.write("tableIndex", beyond);
    await rig.write("tableWrite", 1);
    await b.cycles(4);
    expect(rig.controls, `entry ${beyond}`).toEqual(want);
  }
  await rig.entry("task", 1 * 8 + 1, { at: 5, data: 3 });
  b.sim.reset(1);
  await b.cycles(1);
  expect(rig.controls).toEqual(none);
  expect([b.io.bus.en.num, b.io.config.valid.num, b.io.set.restart.num, b.io.part.num]).toEqual([0, 0, 0, 0]);
  expect([b.io.set.reliable.num, b.io.set.hasUplink.num, b.io.set.rings.num]).toEqual([0, 0, 0]);
}
/** All that a slot is told changes in one cycle, two behind that of the command, and in it for that slot alone. */
async function together(b: B): Promise<void> {
  const rig = new Rig(b),
    cycles: number[] = [];
  let last = rig.controls,
    asked = Infinity;
  b.onEdge({
    sample: cycle => {
      const now = rig.controls,
        changed = now.flatMap((row, i) => row.map((v, k) => (v === last[i]?.[k] ? "" : `${i}.${k}`)).filter(Boolean));
      if (changed.length > 0) {
        expect(changed, `cycle ${cycle}`).toEqual([0, 1, 2, 3].map(k => `${cycles.length % slots}.${k}`));
        cycles.push(cycle - asked);
      }
      last = now;
      if (b.io.bus.en.num === 1) asked = cycle;
    },
  });
  for (const on of [1, 0, 1])
    for (let at = 0; at < slots; at++) {
      const entry = { limit: 1, busyAt: 1 + on, patience: 100 + on, quiesce: on, isolate: on };
      await rig.entry("slot", Math.floor(at / p.slots) * 8 + (at % p.slots), entry);
    }
  expect(cycles).toEqual(Array.from({ length: 3 * slots }, () => 1));
}
/** A counter and a slot are looked at by their numbers; a restart lasts for a cycle. */
async function looks(b: B): Promise<void> {
  const rig = new Rig(b);
  b.io.counts.forEach((c, i) => (c.value = BigInt(i + 1) * 0x1_0000_0001n));
  b.io.inside.forEach((x, i) => {
    x.queued.value = 10 + i;
    x.kept.value = 20 + i;
  });
  b.io.state.forEach((s, i) => {
    s.counts.took.value = 100 + i;
    s.counts.grown.value = 200 + i;
  });
  for (let block = 0; block < b.io.counts.length; block++) {
    await rig.write("counter", 256 * block + 37);
    await b.cycles(4);
    expect(b.io.counter.num).toBe(37);
    expect([await rig.read("countLow"), await rig.read("countHigh")]).toEqual([block + 1, block + 1]);
    expect(await rig.read("inside")).toBe(10 + block + 65536 * (20 + block));
  }
  for (let at = 0; at < slots; at++) {
    await rig.write("slot", (at % p.slots) + 16 * Math.floor(at / p.slots));
    await b.cycles(3);
    expect([await rig.read("slottook"), await rig.read("slotgrown")]).toEqual([100 + at, 200 + at]);
  }
  // Slots that the build has not, by each of the two numbers, have nothing.
  for (const [region, slot] of [
    [0, p.slots],
    [p.regions, 0],
    [4, 0],
    [7, 7],
  ] as const) {
    await rig.write("slot", slot + 16 * region);
    await b.cycles(3);
    expect([await rig.read("slottook"), await rig.read("slotgrown")], `slot ${slot} of ${region}`).toEqual([0, 0]);
  }
  let pulses = 0;
  b.onEdge({ sample: () => void (pulses += b.io.set.restart.num) });
  await rig.write("restart", 2);
  await b.cycles(10);
  expect(pulses).toBe(2);
}

/** A register gives back each bit that software wrote, and the tables' bus has each bit of the value. */
async function bits(b: B): Promise<void> {
  const rig = new Rig(b),
    words = snicMap.registers.flatMap(r => {
      const own = r.fields.filter(f => f.kind === "rw");
      return own.length === 0
        ? []
        : [{ ...r, mask: own.reduce((m, f) => m | (((1n << BigInt(f.width)) - 1n) << BigInt(f.lsb)), 0n) }];
    });
  const seen: bigint[] = [];
  b.onEdge({
    sample: () => {
      if (b.io.bus.en.num === 1) seen.push(b.io.bus.value.value);
    },
  });
  expect(words.length).toBeGreaterThan(40);
  // Each bit is 0 once and 1 once, beside others of either kind.
  const first = words.map(() => BigInt(b.random.below(2 ** 32)));
  for (const turned of [0n, 0xffff_ffffn, 0n]) {
    for (const [i, { name, mask }] of words.entries())
      await rig.write(name, Number(((first[i] ?? 0n) ^ turned) & mask));
    for (const [i, { name, mask }] of words.entries())
      expect(BigInt(await rig.read(name)) & mask, name).toBe(((first[i] ?? 0n) ^ turned) & mask);
    await rig.write("tableWrite", 1);
    await b.cycles(4);
    const value = words
      .map(({ name }, i) => ({ at: /^value(\d+)$/.exec(name)?.[1], word: (first[i] ?? 0n) ^ turned }))
      .reduce((v, { at, word }) => (at === undefined ? v : v | (word << BigInt(32 * Number(at)))), 0n);
    expect(seen.splice(0)).toEqual([BigInt.asUintN(tableValueBits, value)]);
    expect(BigInt(b.io.set.mac.value) & 0xffff_ffffn).toBe(
      (first[words.findIndex(w => w.name === "macLow")] ?? 0n) ^ turned,
    );
  }
  // What a slot has is the build's width of an entry.
  for (const turned of [0, 0xffff, 0])
    for (let at = 0; at < slots; at++) {
      const patience = ((0x35c9 * (at + 1)) % 2 ** 16) ^ turned,
        busyAt = ((at % 2) * 3) ^ (turned & 3),
        limit = ((at + 5) & 0x3f) ^ (turned & 0x3f);
      await rig.entry("slot", Math.floor(at / p.slots) * 8 + (at % p.slots), { limit, busyAt, patience });
      expect(rig.controls[at]).toEqual([busyAt, patience, 0, 0]);
    }
}

const runs = { epochs, controls, together, looks, bits };
describe("Control", () => {
  bench("an epoch has 64 parts, as even as cycles allow", dut(), { seed: 1 }, epochs);
  bench("slots have what software wrote, and nothing after a reset", dut(), { seed: 2 }, controls);
  bench("what a slot is told changes at once", dut(), { seed: 6 }, together);
  bench("counters, slots and restarts by their numbers", dut(), { seed: 3 }, looks);

  bench("each bit that software writes is kept, and goes to the tables", dut(), { seed: 5 }, bits);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(
          `${name} ${what}`,
          design,
          { wave: false, hangCycles: 20_000, limitCycles: 90_000, seed: 4 },
          run,
        );
    };
    test("and nothing without one", () => look("no fault", dut()));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      [
        "a part is forgotten with what it was late",
        /epoch_sum <= epoch_over \? [^:]*:/,
        "epoch_sum <= epoch_over ? 25'd0 :",
      ],
      ["a slot's controls outlive a reset", /slot_1_0_patience <= 16'd0;/, ""],
      [
        "a slot hears of a command a cycle late",
        /slots_3_isolate = slot_1_1_isolate;/,
        "slots_3_isolate = late; reg late; always @(posedge clk) late <= slot_1_1_isolate;",
      ],
      ["the slot of another region", /index\[5:0\] == 6'd9\)/, "index[5:0] == 6'd16)"],
      ["an entry behind the last is one from the start again", / & \(table_bus_index < 16'd64\)/, ""],
      ["the frames of another block", /(counter_at\[9:8\] == 2'd)2(\}\} & \{inside_2_kept)/, "$11$2"],
      ["a slot that there is not is the first", "(registers_slot_at < 3'd2)", "1'b1"],
      ["a region that there is not is the first", "(registers_slot_region < 3'd3)", "1'b1"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut(), from, to)));
    });
  });
});
