/** A binding that has died stays dead when epochs have gone round, however its sweep went. */
import { describe, expect, test } from "vitest";
import { natModel, type TaskPacketModel } from "../../../../../designs/supernic/model/index.ts";
import { nat, type TaskPorts } from "../../../../../designs/supernic/rtl/tasks/index.ts";
import { natEpoch, natKey, type NatKey, natOutside, natSet } from "../../../../../designs/supernic/wire/index.ts";
import { type Dut, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { writeChecksum } from "./support/packets.ts";
import { type B, TaskRig } from "./support/task-rig.ts";

const outside = 0xc6336401,
  portHigh = 11,
  /** Epochs that a binding lives, and one in which it is dead and must be swept: behind it the count has gone round. */
  life = 14,
  /** Cycles of a sweep without traffic. */
  sweep = 1_100;
const four = (value: number): number[] => [24, 16, 8, 0].map(at => (value >>> at) & 255);
const two = (value: number): number[] => [value >> 8, value & 255];

/** A flow whose set a sweep reaches early, or late. */
function flowAt(where: (set: number) => boolean): NatKey {
  for (let port = 1000; ; port++) {
    const flow = { user: 1, udp: true, address: 0x0a000001, port };
    if (where(Number(natSet(natKey(flow))))) return flow;
  }
}
/** On its way out, or to the first binding of its set. */
function packet(flow: NatKey, inbound: boolean): TaskPacketModel {
  const header = new Uint8Array(64);
  header.set([8, 0, 0x45], 12);
  header[23] = 17;
  header.set(four(inbound ? 0x08080808 : flow.address), 26);
  header.set(four(inbound ? outside : 0x08080808), 30);
  header.set(two(inbound ? 53 : flow.port), 34);
  header.set(two(inbound ? portHigh * 4096 + 4 * Number(natSet(natKey(flow))) : 53), 36);
  header.set([1, 2], 40);
  writeChecksum(header);
  const rest = { uid: 0, ingress: 0, flowHash: 0, headBytes: 64, payloadBytes: 0, noL4: false };
  return { header, user: flow.user, arg: inbound ? 1 : 0, ...rest };
}
async function rigWith(b: B): Promise<{ readonly rig: TaskRig; readonly epoch: () => Promise<void> }> {
  const rig = new TaskRig(b, nat.declared, natModel);
  rig.reset();
  const set = natOutside(outside, portHigh),
    { at, data } = natEpoch(life);
  await rig.configure(set.at, set.data);
  await b.cycles(sweep);
  return { rig, epoch: () => rig.configure(at, data) };
}
/** The last sweep that it lives through is still under way when the epoch begins in which it is dead. */
async function interrupted(b: B): Promise<void> {
  const { rig, epoch } = await rigWith(b),
    flow = flowAt(set => set < 300);
  rig.send(packet(flow, false));
  for (let i = 1; i < life; i++) {
    await epoch();
    await b.cycles(sweep);
  }
  await epoch();
  await b.cycles(700);
  rig.send(packet(flow, true));
  await epoch();
  await b.cycles(sweep);
  await epoch();
  rig.send(packet(flow, true));
  await rig.end();
  expect([rig.verdicts.get("forward"), rig.verdicts.get("drop")]).toEqual([2, 1]);
}
/** Packets come in every cycle: the sweep has one cycle in 16, and ends all the same. */
async function beside(b: B): Promise<void> {
  const { rig, epoch } = await rigWith(b),
    flow = flowAt(set => set > 900),
    other = flowAt(set => set < 300);
  rig.send(packet(flow, false));
  for (let i = 1; i <= life; i++) {
    await epoch();
    await b.cycles(sweep);
  }
  await epoch();
  const end = b.cycle + 16 * 1024 + 40;
  while (b.cycle < end) {
    for (let i = 0; i < 64; i++) rig.send(packet(other, false));
    await b.until(() => rig.packets.pending < 8);
  }
  await epoch();
  rig.send(packet(flow, true));
  await rig.end();
  expect(rig.verdicts.get("drop")).toBe(1);
}

const runs = { interrupted, beside };
describe("nat", () => {
  bench("an epoch begins in the middle of a sweep", nat.hardware, { seed: 1 }, interrupted);
  bench("a sweep beside packets in every cycle", nat.hardware, { seed: 2 }, beside);

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<TaskPorts>): Promise<void> => {
      for (const [what, run] of Object.entries(runs))
        await runBench(`${name} ${what}`, design, { wave: false, hangCycles: 3000, limitCycles: 60_000, seed: 4 }, run);
    };
    test("and nothing without one", () => look("no fault", nat.hardware));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a sweep goes on where it was", /epoch_begins & ~clearing/, "1'b0"],
      ["packets in every cycle end no sweep", /takes_packets = [^;]*;/, "takes_packets = ~clearing;"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(nat.hardware, from, to)));
    });
  });
});
