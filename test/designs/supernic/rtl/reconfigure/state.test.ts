/** State of tasks is read out of regions and written into others, beside traffic, resets, and tasks without manners. */
import { describe, expect, test } from "vitest";
import { type TaskPacketModel } from "../../../../../designs/supernic/model/index.ts";
import { stateWordCycles } from "../../../../../designs/supernic/rtl/reconfigure/index.ts";
import {
  natBindingsPart,
  natEpoch,
  natKey,
  type NatKey,
  natOutside,
  natSet,
  natTimePart,
} from "../../../../../designs/supernic/wire/index.ts";
import { bernoulli, bursts, type Dut, type Random, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { ipPacket, writeChecksum } from "../tasks/support/packets.ts";
import { randomPacket } from "../tasks/support/task-rig.ts";
import { type B, dut, patience, StateRig } from "./support/state-rig.ts";
import { countsPart } from "./support/state-tasks.ts";

const outside = 0xc6336401,
  portHigh = 11;
const put = (header: Uint8Array, at: number, value: number, bytes: number): void => {
  for (let i = 0; i < bytes; i++) header[at + i] = Math.floor(value / 256 ** (bytes - 1 - i)) & 255;
};
const flowsOf = (r: Random): readonly NatKey[] =>
  Array.from({ length: 24 }, () => ({
    ...{ user: r.between(0, 3), udp: r.chance(0.6) },
    ...{ address: 0x0a000000 + r.between(0, 65_535), port: r.between(0, 65_535) },
  }));
/** A packet of a flow, out or in. */
function packetOf(r: Random, flows: readonly NatKey[]): TaskPacketModel {
  const flow = r.pick(flows),
    inbound = r.chance(0.4),
    p = ipPacket(r),
    header = Uint8Array.from(p.header),
    binding = Number(natSet(natKey(flow))) * 4 + (r.chance(0.8) ? 0 : r.between(0, 3));
  header.set([8, 0, 0x45], 12);
  header[23] = flow.udp ? 17 : 6;
  put(header, 26, inbound ? r.between(0, 2 ** 32 - 1) : flow.address, 4);
  put(header, 34, inbound ? r.between(0, 65_535) : flow.port, 2);
  put(header, 30, inbound ? outside : r.between(0, 2 ** 32 - 1), 4);
  put(header, 36, inbound ? portHigh * 4096 + binding : r.between(0, 65_535), 2);
  writeChecksum(header);
  return { ...p, header, user: flow.user, noL4: false, headBytes: 64, arg: inbound ? 1 : 0 };
}
const paused = (b: B) => ({
  from: bernoulli(0.1, b.random.word()),
  to: bursts({ go: 25, pause: 10 }, b.random.word()),
});
/** Cycles after a reset until ledgers are clear and chains run. */
const clear = 150;
async function traffic(rig: StateRig, cycles: number, nat: number, flows: readonly NatKey[]): Promise<void> {
  const { random } = rig.b;
  for (let i = 0; i < cycles; i++) {
    const region = random.below(3);
    rig.send(region, region === nat ? packetOf(random, flows) : randomPacket(random));
    await rig.b.cycles(1);
  }
}
const drained = (rig: StateRig, region: number): Promise<void> => rig.b.until(() => rig.pending(region) === 0);

/**
 * A NAT's bindings go from region to region and back, with swaps in between and traffic in front, behind and beside.
 * At each place the hardware has what the model has, to the bit; what was there before is gone.
 */
async function moves(b: B, rounds: number): Promise<StateRig> {
  const rig = new StateRig(b, paused(b)),
    flows = flowsOf(b.random);
  await b.cycles(clear);
  await rig.configure(0, 0, natOutside(outside, portHigh));
  await b.cycles(1100);
  let at = 0;
  for (let round = 0; round < rounds; round++) {
    await traffic(rig, 150, at, flows);
    for (let epochs = b.random.between(0, 5); epochs > 0; epochs--) {
      await drained(rig, at);
      await rig.configure(at, 0, natEpoch(b.random.between(2, 14)));
      await traffic(rig, 40, at, flows);
    }
    // Traffic stops in front of the task; what waits in its slot is not seen by it, and not lost.
    await drained(rig, at);
    await rig.quiet(at);
    const words = await rig.same(at, 0);
    expect(words.length).toBeGreaterThan(5);
    for (let i = 0; i < 3; i++) rig.send(at, packetOf(b.random, flows));
    expect(await rig.all(at, 0)).toEqual(words);
    rig.quiesce(at, false);
    await drained(rig, at);
    await rig.quiet(at);
    const now = await rig.same(at, 0);
    // There is none of it left in its region when something else comes.
    const to = round % 3 === 2 ? at : 1 - at;
    await rig.cut(at);
    await rig.load(at, 5);
    await rig.wake(at, 5);
    rig.quiesce(at, false);
    if (to !== at) await drained(rig, to);
    await rig.quiet(to);
    await rig.cut(to);
    await rig.load(to, 1);
    await rig.wake(to, 1);
    await rig.configure(to, 0, natOutside(outside, portHigh));
    await rig.put(to, 0, now);
    await rig.same(to, 0);
    rig.quiesce(to, false);
    at = to;
    if (at !== 1) continue;
    // Of the counter of region 2 nothing is moved, and nothing is lost.
    await drained(rig, 2);
    await rig.quiet(2);
    await rig.same(2, 1);
    rig.quiesce(2, false);
  }
  await traffic(rig, 200, at, flows);
  await drained(rig, at);
  await rig.quiet(at);
  await rig.same(at, 0);
  expect(b.io.shown.lates.value).toBe(0);
  expect(b.io.shown.strays.value).toBe(0);
  await rig.end();
  return rig;
}
/** Asks at wrong times and places do nothing, and are told. */
async function refuses(b: B): Promise<void> {
  const rig = new StateRig(b, paused(b)),
    word = { at: countsPart.first, data: 5n };
  const refused = async (region: number, slot: number): Promise<void> => {
    for (const answer of [await rig.read(region, slot, 3, 4), await rig.write(region, slot, word)]) {
      expect([region, slot, answer.outcome]).toEqual([region, slot, "refused"]);
      expect(answer.cycles).toBeLessThanOrEqual(stateWordCycles + 2);
    }
  };
  await b.cycles(clear);
  // It takes packets, or could.
  await refused(1, 1);
  await refused(0, 0);
  await traffic(rig, 60, -1, []);
  await refused(2, 1);
  await rig.quiet(2);
  const before = await rig.same(2, 1);
  expect(before.length).toBe(2);
  // It keeps nothing; there is no such slot, or region.
  for (const [region, slot] of [
    [2, 0],
    [2, 5],
    [0, 1],
    [3, 0],
    [7, 7],
  ] as const)
    await refused(region, slot);
  // Its task is held in reset, and then it has forgotten.
  await rig.isolated(2, 1, true);
  await refused(2, 1);
  await rig.isolated(2, 1, false);
  expect(await rig.all(2, 1)).toEqual([]);
  await rig.put(2, 1, before);
  expect(await rig.all(2, 1)).toEqual(before);
  // Cut, loading, and waking.
  await drained(rig, 1);
  await rig.cut(1);
  await refused(1, 1);
  await rig.ask(1, { isolate: 1, load: 1, chain: 2 });
  for (let i = 0; i < 5; i++) {
    await refused(1, 1);
    // A region beside it answers meanwhile.
    expect(await rig.all(2, 1)).toEqual(before);
  }
  await b.until(() => rig.status(1).stage.value === "cut");
  rig.quiesce(1, true);
  await rig.ask(1, {});
  await refused(1, 1);
  await rig.wake(1, 2);
  expect(await rig.all(1, 1)).toEqual([]);
  expect([b.io.shown.lates.value, b.io.shown.strays.value]).toEqual([0, 0]);
  rig.chains[2]?.[1]?.model.put?.(before[0] ?? word);
  await rig.end();
}
/** Tasks that never answer, too late, or twice: told and counted, and nobody else's answer is taken for theirs. */
async function badManners(b: B): Promise<void> {
  const rig = new StateRig(b),
    { shown } = b.io;
  await b.cycles(clear);
  const load = async (region: number, variant: number): Promise<void> => {
    await rig.quiet(region);
    await rig.cut(region);
    await rig.load(region, variant);
    await rig.wake(region, variant);
    await b.cycles(2);
  };
  await load(0, 3);
  const mute = await rig.read(0, 0, 3, 4);
  expect(mute.outcome).toBe("late");
  expect(mute.cycles).toBeGreaterThan(patience);
  expect(mute.cycles).toBeLessThanOrEqual(patience + stateWordCycles + 2);
  expect(shown.lates.value).toBe(1);
  // It has not answered: no more is asked of it, until it is reset.
  expect((await rig.write(0, 0, { at: 3, data: 1n })).outcome).toBe("refused");
  await rig.isolated(0, 0, true);
  await rig.isolated(0, 0, false);
  expect((await rig.read(0, 0, 3, 4)).outcome).toBe("late");
  expect(shown.lates.value).toBe(2);
  await load(0, 4);
  // Another task is asked while the late answer comes.
  await rig.quiet(2);
  const other = [{ at: 3, data: 0x777n }];
  await rig.put(2, 1, other);
  expect((await rig.read(0, 0, 3, 4)).outcome).toBe("late");
  for (const until = b.cycle + 2 * patience; b.cycle < until;) expect(await rig.all(2, 1)).toEqual(other);
  expect([shown.lates.value, shown.strays.value]).toEqual([3, 1]);
  // Who says it twice is heard once, and the slot counts it.
  const strays = b.io.state[1]?.counts.strays.value ?? 0;
  for (const at of [3, 4, 3]) expect((await rig.read(0, 1, at, at)).outcome).toBe("done");
  await rig.put(0, 1, [
    { at: 3, data: 0x11n },
    { at: 4, data: 0x22n },
  ]);
  expect(await rig.all(0, 1)).toEqual([
    { at: 3, data: 0x11n },
    { at: 4, data: 0x22n },
  ]);
  expect((b.io.state[1]?.counts.strays.value ?? 0) - strays).toBeGreaterThan(3);
  expect(shown.strays.value).toBe(1);
  await rig.end();
}
/** A reset in the middle of a read or a write: nothing is under way, all is fresh, and it can be asked again. */
async function resets(b: B): Promise<void> {
  const rig = new StateRig(b, paused(b)),
    flows = flowsOf(b.random);
  for (let round = 0; round < 4; round++) {
    await b.cycles(clear);
    await rig.configure(0, 0, natOutside(outside, portHigh));
    rig.quiesce(1, true);
    await traffic(rig, round === 0 ? 1200 : 100, 0, flows);
    await rig.quiet(0);
    const write = round % 2;
    rig.go({ write, region: 0, slot: 0, at: write === 1 ? 0 : 4096, last: 8191, data: 3n });
    await b.cycles(1);
    b.io.go.valid.value = 0;
    await b.cycles(b.random.between(0, 12));
    rig.reset();
    await b.cycles(1);
    expect([b.io.shown.busy.value, b.io.shown.lates.value]).toEqual([0, 0]);
    await b.cycles(clear);
    await rig.quiet(0);
    // It clears its bindings first: it answers late, and in time.
    const first = await rig.read(0, 0, 0, 0);
    expect(first.outcome).toBe("done");
    expect(first.cycles).toBeLessThan(patience);
    expect((await rig.same(0, 0)).length).toBe(1);
    rig.quiesce(0, false);
  }
  await rig.end();
}

/** Words one by one: how long each takes, the last one of all, those beside it, and an ask beside another. */
async function words(b: B): Promise<void> {
  const rig = new StateRig(b),
    { first, words: count } = natBindingsPart,
    last = first + count - 1;
  await b.cycles(clear + 1100);
  await rig.quiet(0);
  const one = await rig.read(0, 0, first, first),
    many = await rig.read(0, 0, first, first + 99);
  expect([one.word, many.word]).toEqual([undefined, undefined]);
  // From the ask in the registers to the answer in them.
  expect(one.cycles).toBe(stateWordCycles + 2);
  expect(many.cycles - one.cycles).toBe(99 * stateWordCycles);
  expect((await rig.read(0, 0, last, last)).word).toBeUndefined();
  expect((await rig.read(0, 0, 65_535, 65_535)).word).toBeUndefined();
  // All ways of the last set but one.
  const put = [3, 2, 0].map(n => ({ at: last - n, data: 0x123n + BigInt(2 * n) }));
  await rig.put(0, 0, put);
  for (const n of [0, 1, 2, 3]) {
    const { word } = await rig.read(0, 0, last - n, last - n);
    expect(word).toEqual(put.find(p => p.at === last - n));
  }
  rig.go({ write: 0, region: 0, slot: 0, at: last - 9, last, data: 0n });
  await b.cycles(1);
  rig.go({ write: 1, region: 0, slot: 0, at: natTimePart.first, last: 0, data: 0xffn });
  await b.cycles(2);
  b.io.go.valid.value = 0;
  await b.until(() => b.io.shown.busy.value === 0);
  expect([b.io.shown.at.value, b.io.shown.data.value]).toEqual([put[0]?.at, put[0]?.data]);
  await rig.same(0, 0);
  await rig.end();
}
/**
 * Bindings that are put while all are swept: a sweep goes on by a set in each cycle, and comes to one of them in the
 * very cycle behind its word. One that lives stays, one that is over is not there.
 */
async function besideSweep(b: B): Promise<void> {
  const rig = new StateRig(b),
    { first } = natBindingsPart,
    from = 100,
    offsets = 24;
  await b.cycles(clear + 1100);
  await rig.configure(0, 0, natOutside(outside, portHigh));
  await rig.quiet(0);
  for (let n = 0; n < offsets; n++) {
    await rig.configure(0, 0, natEpoch(2));
    const epoch = (n + 1) % 16,
      word = (way: number, age: number) => ({
        at: first + 4 * (from + n) + way,
        data: 1n | (BigInt(0x1000 + n) << 1n) | (BigInt((epoch + 16 - age) % 16) << 56n),
      });
    await b.cycles(from);
    const lives = word(1, n % 3),
      over = word(2, 3 + (n % 12));
    for (const put of n % 2 === 0 ? [lives, over] : [over, lives]) await rig.write(0, 0, put);
    await b.cycles(1100);
    expect((await rig.read(0, 0, lives.at, lives.at)).word, `set ${from + n}`).toEqual(lives);
    expect((await rig.read(0, 0, over.at, over.at)).word, `set ${from + n}, over`).toBeUndefined();
  }
  await rig.end();
}
/** No frame moves while all of a NAT is read. */
const long = { hangCycles: 100_000, limitCycles: 3_000_000 };
describe("state of tasks", () => {
  bench("a NAT's bindings move beside traffic, equal to the bit", dut, { seed: 2, ...long }, async b => {
    const rig = await moves(b, 4);
    expect(rig.seen).toBeGreaterThan(200);
  });
  bench("asks at the wrong time or place are refused, and do nothing", dut, { seed: 3 }, refuses);
  bench("tasks that do not answer, too late, or twice", dut, { seed: 4, ...long }, badManners);
  bench("a reset beside a move", dut, { seed: 5, ...long }, resets);
  bench("bindings are put beside a sweep", dut, { seed: 7, ...long }, besideSweep);
  bench("a word takes its cycles, and a second ask meanwhile does nothing", dut, { seed: 6 }, words);

  /** This text of a module whose name begins so. */
  const of = (module: string, text: string): RegExp =>
    new RegExp(`(module ${module}[^]*?)${text.replace(/[|\\{}()[\]^$+*?.]/g, "\\$&")}`);
  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<(typeof dut)["ports"]>): Promise<void> => {
      const runs: readonly (readonly [number, (b: B) => Promise<unknown>])[] = [
        [4_000, refuses],
        [60_000, words],
        [20_000, badManners],
        [60_000, besideSweep],
        [300_000, resets],
        [600_000, b => moves(b, 2)],
      ];
      for (const [limitCycles, run] of runs)
        await runBench(name, design, { wave: false, seed: 7, hangCycles: long.hangCycles, limitCycles }, run);
    };
    test("and nothing without one", () => look("no fault", dut));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a slot that takes packets is asked", "is_quiet & ~off & ~state_pending", "~off & ~state_pending"],
      [
        "a task that owes an answer is asked again",
        of("Slot_0_of_1_counter_mute", "is_quiet & ~off & ~state_pending"),
        "$1is_quiet & ~off",
      ],
      [
        "a slot that was reset still waits for an answer",
        of("Slot_0_of_1_counter_mute", "~task_state_said_valid)) & ~off"),
        "$1~task_state_said_valid))",
      ],
      ["a slot waits for an answer after a reset", "state_pending <= 1'b0;", "state_pending <= 1'b1;"],
      [
        "what is said twice is an answer twice",
        of("Slot_1_of_2_counter_late_counter_twice", "state_ends = task_state_said_valid & state_pending"),
        "$1state_ends = task_state_said_valid",
      ],
      ["a refusal is no answer", "state_said_valid = state_ended | state_refuses", "state_said_valid = state_ended"],
      ["slots without state say nothing", /no_state_valid <= [^;]*;/, "no_state_valid <= 1'b0;"],
      [
        "a region answers for another",
        "state_of_region_1 = state_asked_region == 3'd1",
        "state_of_region_1 = state_asked_region == 3'd2",
      ],
      ["a late answer is the next ask's", "(said_number == number)", "1'b1"],
      ["who never answers is waited for", "late = waits & over & ~mine", "late = 1'b0"],
      ["who never answers is not counted", "count_lates + 32'd1", "count_lates + 32'd0"],
      ["it gives up too early", "waited == 11'd1398", "waited == 11'd30"],
      ["it gives up too late", "waited == 11'd1398", "waited == 11'd1447"],
      ["a refused ask is done", ": state_outcome_refused", ": state_outcome_done"],
      ["a stray is not counted", of("StateReader", "count_strays + 32'd1"), "$1count_strays + 32'd0"],
      ["a read ends at a word of 0", /goes_on = [^;]*;/, "goes_on = 1'b0;"],
      ["the last word is left out", "is_last = at == kept_last", "is_last = at + 16'd1 == kept_last"],
      ["a read goes on behind its last word", "is_last = at == kept_last", "is_last = at == kept_last + 16'd1"],
      ["an ask interrupts the one before", "begins = go_valid & ~busy", "begins = go_valid"],
      ["a NAT answers while it clears", /(asks_state = state_waits & ~valid_1) & ~clearing/, "$1"],
      ["the last set of bindings outlives a reset", "asked_clearing <= clearing", "asked_clearing <= 1'b0"],
      ["a binding is written into another way", "asked_puts & (asked_way == 2'd1)", "asked_puts & (asked_way == 2'd2)"],
      ["a binding is written into no way", "restores_0 & asked_put_valid", "1'b0"],
      ["a binding that comes back is young", "asked_puts ? asked_put_epoch : table_epoch", "table_epoch"],
      [
        "a binding that is put is lost to the sweep behind it",
        "last_valid_1 <= binds_1",
        "last_valid_1 <= refreshes_1",
      ],
      [
        "the sweep sees what was before a binding that is put",
        "goes_around_1 <= changes_1 & set_again",
        "goes_around_1 <= refreshes_1 & set_again",
      ],
      ["time stays behind", "epoch <= state_data[4:1]", "epoch <= epoch"],
      ["life stays behind", "life <= state_data[8:5]", "life <= life"],
      ["a binding that is over is read", /binding_as_is_valid \? (\{[^}]*\}) : 60'd0/, "$1"],
      ["a read writes", "puts_state = asks_state & state_writes", "puts_state = asks_state"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut, from, to)));
    });
  });
});
