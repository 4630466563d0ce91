/** A chain whose tasks have payload, with the packet store: docs/supernic/payload.md. */
import { describe, expect, it } from "vitest";
import { deviceSizes } from "../../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../../designs/supernic/config/index.ts";
import { emit } from "../../../../../hdl-dsl/index.ts";
import { identity, xorModel } from "../../../../../designs/supernic/model/index.ts";
import { regions } from "../../../../../designs/supernic/rtl/core/index.ts";
import { region } from "../../../../../designs/supernic/rtl/region/index.ts";
import { dummy, xor } from "../../../../../designs/supernic/rtl/tasks/index.ts";
import { bernoulli, bursts, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { badPayloadTask, type PayloadMisdeed, payloadMisdeeds } from "../tasks/support/bad-payload-task.ts";
import { type B, pathOf, PayloadRig } from "./support/payload-rig.ts";
import { parity } from "./support/parity-task.ts";
import { passing, type Tried } from "./support/test-tasks.ts";

const xors: Tried = { ...xor, model: xorModel },
  bads: Tried = { ...badPayloadTask, model: identity };
const both = [xors, passing(dummy), xors],
  runs = [[], [0], [1], [2], [0, 2], [0, 1, 2]];
/** Cycles of a packet alone with a beat of payload through a region of one task, as docs/supernic/payload.md says. */
const oneBeat = 12;
const lengths = [0, 1, 63, 64, 65, 255, 256, 257, 700, 1472];

/** Packets of every kind for some cycles. */
async function traffic(rig: PayloadRig, cycles: number, given = runs): Promise<void> {
  const { random } = rig.b;
  for (let i = 0; i < cycles; i++) {
    if (rig.canSend() && rig.write.pending < 30) rig.send(random.pick(given), random.pick(lengths));
    await rig.b.cycles(1);
  }
}

/** Short payloads, and none, as close as they can be. */
async function dense(b: B): Promise<void> {
  const rig = new PayloadRig(b, both),
    { random } = b;
  for (let i = 0; i < 1_200; i++) {
    while (rig.canSend() && rig.write.pending < 30)
      rig.send(random.pick([[0, 2], [0], [2]]), random.pick([0, 0, 1, 64, 65]));
    await b.cycles(1);
  }
  await rig.end();
}

describe("tasks with payload", () => {
  bench("short payloads and none, close together", pathOf(both), { seed: 4 }, dense);
  bench("payloads are as the tasks make them, without pauses", pathOf(both), { seed: 1 }, async b => {
    const rig = new PayloadRig(b, both);
    await traffic(rig, 2_000);
    await rig.end();
    expect(rig.seen.forwarded).toBeGreaterThan(200);
    expect(rig.seen.beats).toBeGreaterThan(800);
  });
  bench("the same with pauses at every end, and a reset in the middle", pathOf(both), { seed: 2 }, async b => {
    const rig = new PayloadRig(b, both, {
      from: () => bernoulli(0.3, b.random.word()),
      to: () => bursts({ go: 7, pause: 9 }, b.random.word()),
    });
    for (let i = 0; i < 3; i++) {
      await traffic(rig, 700);
      rig.reset();
    }
    await traffic(rig, 1_500);
    await rig.end();
    expect(rig.seen.forwarded).toBeGreaterThan(100);
  });
  const reading = [parity, passing(dummy), xors];
  bench("a task that only reads decides by the payload", pathOf(reading), { seed: 6 }, async b => {
    const rig = new PayloadRig(b, reading, { to: () => bernoulli(0.2, b.random.word()) });
    await traffic(rig, 1_500);
    await rig.end();
    expect(rig.seen.forwarded).toBeGreaterThan(100);
    expect(rig.seen.dropped).toBeGreaterThan(30);
  });
  bench("a packet alone: its task's latency, and what each beat takes", pathOf([xors]), { seed: 5 }, async b => {
    const rig = new PayloadRig(b, [xors]),
      took = async (bytes: number): Promise<number> => {
        rig.send([0], bytes);
        await rig.end();
        return rig.latencies.at(-1) ?? NaN;
      };
    // A cycle each for the slot and for the region's end.
    expect(await took(0)).toBe(xor.declared.latency + 2);
    const one = await took(64);
    expect(one).toBe(oneBeat);
    for (const beats of [2, 4, 23]) expect(await took(64 * beats)).toBe(one + beats - 1);
  });
  for (const bytes of [64, 256, 1_472])
    bench(`two visits of each packet at line rate: payloads of ${bytes} B`, pathOf(both), { seed: 3 }, async b => {
      const rig = new PayloadRig(b, both);
      for (let i = 0; i < 6_000 && rig.seen.forwarded < 400; i++) {
        while (rig.canSend() && rig.write.pending < 30) rig.send([0, 2], bytes);
        await b.cycles(1);
      }
      const cycles = (rig.leaveCycles.at(-1) ?? 0) - (rig.leaveCycles[100] ?? 0),
        perPacket = cycles / (rig.leaveCycles.length - 101);
      // 100 Gbit/s are 50 bytes a cycle; a frame has 64 bytes of header, FCS, preamble and gap beside.
      const line = (bytes + 64 + 24) / 50;
      console.log(
        `payloads of ${bytes} B, two visits: ${perPacket.toFixed(2)} cycles a packet, a line ${line.toFixed(2)}`,
      );
      expect(perPacket).toBeLessThanOrEqual(line);
    });
});

/** What a bad task is found by. */
const counts: Readonly<Partial<Record<PayloadMisdeed, "grown" | "strays" | "killed">>> = {
  takesNone: "killed",
  givesNone: "killed",
  few: "grown",
  many: "grown",
  endless: "grown",
  answersNone: "killed",
  stray: "strays",
};
const mixed = [bads, xors];
/** Good, bad, switched off in the middle, good again. */
async function misbehave(b: B, misdeed: PayloadMisdeed): Promise<void> {
  const rig = new PayloadRig(b, mixed, { to: () => bernoulli(0.2, b.random.word()) }),
    through = [[0], [1], [0, 1]];
  rig.control(0, { patience: 120 });
  await traffic(rig, 300, through);
  await rig.end();
  await rig.configure(0, 0, BigInt(payloadMisdeeds.indexOf(misdeed)), false);
  rig.mayDrop = true;
  await traffic(rig, 600, through);
  await rig.end();
  const count = counts[misdeed];
  if (count !== undefined && rig.state(0).counts[count].num === 0) throw new Error(`${count} counts nothing`);
  // What can be put right costs its packets, and not the task.
  if (count !== "killed" && misdeed !== "endless" && rig.seen.killed > 0) throw new Error("the task is switched off");
  if (misdeed !== "none" && count !== "strays" && rig.seen.killed + rig.seen.dropped === 0)
    throw new Error("nothing is dropped");
  await rig.configure(0, 0, BigInt(payloadMisdeeds.indexOf("slow")), false);
  await traffic(rig, 100, through);
  // In the middle of payloads.
  rig.control(0, { isolate: true });
  await rig.end();
  await traffic(rig, 100, through);
  await rig.end();
  rig.control(0, { patience: 120 });
  await rig.configure(0, 0, 0n, false);
  rig.mayDrop = false;
  const { killed, dropped } = rig.seen;
  await traffic(rig, 300, through);
  await rig.end();
  if (rig.seen.killed !== killed || rig.seen.dropped !== dropped) throw new Error("the task does not come back");
}
describe("a task that does wrong with payloads is contained", () => {
  for (const misdeed of Object.keys(counts) as PayloadMisdeed[])
    bench(misdeed, pathOf(mixed), { seed: 11, limitCycles: 60_000 }, b => misbehave(b, misdeed));
});

describe("a planted fault is found", () => {
  const finds = (name: string, from: string | RegExp, to: string, bad: PayloadMisdeed | undefined) =>
    it(name, () =>
      findsFault(
        runBench(
          `payload fault ${name}`,
          plant(pathOf(bad === undefined ? both : mixed), from, to),
          { seed: 21, wave: false, limitCycles: 20_000, hangCycles: 3_000 },
          b => (bad === undefined ? dense(b) : misbehave(b, bad)),
        ),
      ),
    );
  finds("a beat passes a packet without payload", /(wire reads_owed =) [^;]*;/, "$1 1'b1;", undefined);
  finds("a packet leaves before its payload is done", /(wire payload_done =) [^;]*;/, "$1 1'b1;", undefined);
  finds("what was cut short is not dropped", /(wire back_unfit =) [^;]*;/, "$1 1'b0;", "few");
  finds("one that was cut short cuts all that follow", /(back_is_final\) back_ended_early <=) 1'b0/, "$1 1'b1", "few");
  finds(
    "of a task that is off nothing is given back",
    /(wire back_pads =) [^;]*;/,
    "$1 back_ended_early;",
    "givesNone",
  );
  finds("beats that are too many are not thrown away", /(wire back_drops =) [^;]*;/, "$1 1'b0;", "many");
  finds("a beat without a packet is not counted", /(wire back_is_stray =) [^;]*;/, "$1 1'b0;", "stray");
});
it("a third task with payload is refused", () => {
  const sizes = deviceSizes(makeParameters());
  expect(() => emit(regions([[xor], [xor, dummy], [dummy, xor]])(sizes))).toThrow(/3 tasks have payload/);
});
it("a chain of tasks without payload has no ports for it", () => {
  const { ports } = region([dummy, dummy])({ contexts: 64, places: 4 });
  expect(Object.keys(ports).filter(name => /^(job|payload|back)\d/.test(name))).toEqual([]);
});
