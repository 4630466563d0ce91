/** Times of the link, to the cycle, and what a partner who only talks is worth. */
import { describe, expect, test } from "vitest";
import { longestBeats } from "../../../../../designs/supernic/rtl/link/index.ts";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import type { EndBench } from "./support/hardware-end.ts";
import { dut, PortRig } from "./support/port-rig.ts";

type Ports = ReturnType<typeof dut>["ports"];

/** A frame in order, and nothing behind it: its ACK is due after its time, and stands on the line a cycle later. */
async function ackTime(b: EndBench): Promise<void> {
  const rig = new PortRig(b, "small", { reliable: true });
  await b.cycles(5);
  for (let n = 0; n < 3; n++) {
    rig.data(n);
    await b.until(() => b.io.seen.valid.num === 1);
    const from = b.cycle;
    await b.until(() => b.io.tx.valid.num === 1);
    expect(b.cycle - from).toBe(rig.p.ackCycles + 1);
    await b.cycles(10);
  }
  await rig.done();
}
/** Silence counts from when a frame is kept, and anew from when it begins to be sent again. */
async function resendTime(b: EndBench): Promise<void> {
  const rig = new PortRig(b, "small", { reliable: true }),
    late: number[] = [];
  b.onEdge({
    sample: cycle => {
      if (b.io.events.timedOut.num === 1) late.push(cycle);
    },
  });
  rig.give(60);
  await b.until(() => b.io.down.num === 1);
  const [into = NaN] = rig.end.cycles.into,
    { resendCycles, tries } = rig.p;
  // A cycle more for each: the ring goes back, and the timer begins behind that.
  expect(late.map((cycle, i) => cycle - (late[i - 1] ?? into))).toEqual([
    resendCycles,
    ...Array.from({ length: tries - 1 }, () => resendCycles + 1),
  ]);
  await rig.done();
}
/** A partner who talks and acknowledges nothing is not silent: the rounds end the link, and not the tries. */
async function talks(b: EndBench): Promise<void> {
  const rig = new PortRig(b, "small", { reliable: true }),
    { resendCycles, tries, rounds } = rig.p;
  rig.give(60);
  const end = b.cycle + (tries + 3) * (resendCycles + 10);
  let next = b.cycle + 20;
  while (b.io.down.num === 0) {
    if (b.cycle >= next) {
      rig.answer(0);
      next += resendCycles / 2;
    }
    await b.cycles(1);
    if (b.cycle < end) expect(b.io.down.num).toBe(0);
  }
  expect(rig.end.counts).toMatchObject({ timedOut: rounds, falseAck: 0 });
  await rig.done();
}
/** Lanes that go by `room` give short frames to a partner who acknowledges none: none of them waits for a place. */
async function places(b: EndBench): Promise<void> {
  const rig = new PortRig(b, "jumbo", { reliable: true }),
    longest = longestBeats(rig.p),
    promised = [0, 0];
  let on = true;
  b.onEdge({
    sample: () => {
      for (const lane of [0, 1] as const) {
        const port = lane === 0 ? b.io.lane0 : b.io.lane1;
        if (port.valid.num === 1 && port.ready.num === 1) promised[lane]!--;
        if (!on || b.io.room.num === 0 || promised[lane]! >= longest) continue;
        promised[lane]!++;
        rig.give(48, { lane });
      }
    },
  });
  // Until it says no more, and what was promised has come.
  await b.cycles(1_600);
  expect([b.io.room.num, ...rig.end.lanes.map(l => l.pending)]).toEqual([0, 0, 0]);
  expect(rig.end.taking).toBeGreaterThan(rig.p.frames - longest);
  on = false;
  rig.answer(rig.end.taking);
  await rig.done();
}

/** Nothing leaves: `room` falls with the beat that is one more than may wait for the line, and not before. */
async function waiting(b: EndBench): Promise<void> {
  const rig = new PortRig(b, "full", { reliable: false, mac: () => true }),
    spare = 16,
    /** On their way already: one on the line, and one that the ring shows. */
    outside = 2,
    most = longestBeats(rig.p) + spare + outside;
  for (let n = 1; n <= most + 2; n++) {
    rig.give(60);
    await b.until(() => rig.end.lanes[0].pending === 0);
    await b.cycles(6);
    expect(b.io.room.num, `room behind ${n} beats`).toBe(n <= most ? 1 : 0);
  }
}

const runs = { ackTime, resendTime, talks };
describe("a link", () => {
  bench("acknowledges a frame alone after its time", dut("small"), { seed: 1 }, ackTime);
  bench("sends again after its time", dut("small"), { seed: 2 }, resendTime);
  bench("is not silent while the partner talks", dut("small"), { seed: 3 }, talks);

  bench("has a place for all that its room has promised", dut("jumbo"), { seed: 4 }, places);

  bench("has room until as many beats wait as may", dut("full"), { seed: 5 }, waiting);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<Ports>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(`${name} ${what}`, design, { wave: false, hangCycles: 3000, limitCycles: 60_000, seed: 4 }, run);
    };
    test("and nothing without one", () => look("no fault", dut("small")));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["an ACK a cycle too late", "unacked_cycles == 6'd38", "unacked_cycles == 6'd39"],
      ["an ACK a cycle too early", "unacked_cycles == 6'd38", "unacked_cycles == 6'd37"],
      ["sent again a cycle too late", "silent_cycles == 8'd199", "silent_cycles == 8'd200"],
      ["sent again a cycle too early", "silent_cycles == 8'd199", "silent_cycles == 8'd198"],
      ["who acknowledges nothing is silent", /timer_runs \| acked_valid\b/, "timer_runs | moves"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(dut("small"), from, to)));
    });
    test("room falls a beat too early", async () => {
      const design = plant(dut("full"), /waiting_beats <= 11'd41/, "waiting_beats <= 11'd40");
      await findsFault(runBench("waiting", design, { wave: false, hangCycles: 6000, seed: 4 }, waiting));
    });
    test("room is promised for one lane's frames only", async () => {
      const design = plant(dut("jumbo"), "kept <= 16'd738", "kept <= 16'd882");
      await findsFault(runBench("places", design, { wave: false, hangCycles: 6000, seed: 4 }, places));
    });
  });
});
