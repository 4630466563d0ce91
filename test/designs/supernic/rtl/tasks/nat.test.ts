import { describe, expect, test } from "vitest";
import { natModel, type TaskPacketModel } from "../../../../../designs/supernic/model/index.ts";
import { internetChecksum, updateChecksum } from "../../../../../designs/shared/wire/index.ts";
import { nat, type TaskPorts } from "../../../../../designs/supernic/rtl/tasks/index.ts";
import {
  declarationFaults,
  natEpoch,
  natKey,
  type NatKey,
  natOutside,
  natSet,
} from "../../../../../designs/supernic/wire/index.ts";
import { bernoulli, bursts, type Dut, Random, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { ipPacket, writeChecksum } from "./support/packets.ts";
import { type B, TaskRig } from "./support/task-rig.ts";

const outside = 0xc6336401,
  portHigh = 11;
const put = (header: Uint8Array, at: number, value: number, bytes: number): void => {
  for (let i = 0; i < bytes; i++) header[at + i] = Math.floor(value / 256 ** (bytes - 1 - i)) & 255;
};
/** Flows of which seven each want one of three sets, which have room for four. */
function flowsOf(r: Random): readonly NatKey[] {
  const made = (): NatKey => ({
    user: r.between(0, 3),
    udp: r.chance(0.6),
    address: 0x0a000000 + r.between(0, 65_535),
    port: r.between(0, 65_535),
  });
  const bySet = new Map<bigint, NatKey[]>();
  for (let i = 0; i < 20_000; i++) {
    const key = made(),
      set = natSet(natKey(key));
    bySet.set(set, [...(bySet.get(set) ?? []), key]);
  }
  const crowded = [...bySet.values()].filter(list => list.length >= 7).slice(0, 3);
  return [...crowded.flatMap(list => list.slice(0, 7)), ...Array.from({ length: 20 }, made)];
}
/** A packet of a flow, on its way out or in; one in five is something else. */
function packetOf(r: Random, flows: readonly NatKey[]): TaskPacketModel {
  const flow = r.pick(flows),
    inbound = r.chance(0.4),
    p = ipPacket(r);
  if (r.chance(0.15)) return { ...p, arg: r.between(0, 3) };
  const header = Uint8Array.from(p.header),
    binding = Number(natSet(natKey(flow))) * 4 + r.between(0, 3);
  header.set([8, 0, 0x45], 12);
  header[23] = flow.udp ? 17 : 6;
  put(header, 26, inbound ? r.between(0, 2 ** 32 - 1) : flow.address, 4);
  put(header, 34, inbound ? r.between(0, 65_535) : flow.port, 2);
  put(header, 30, inbound && r.chance(0.95) ? outside : r.between(0, 2 ** 32 - 1), 4);
  put(header, 36, inbound && r.chance(0.95) ? portHigh * 4096 + binding : r.between(0, 65_535), 2);
  writeChecksum(header);
  if (r.chance(0.2)) put(header, flow.udp ? 40 : 50, r.pick([0, 0xffff]), 2);
  // On the way in to its binding it comes to 0.
  else if (inbound && flow.udp && r.chance(0.3)) {
    const word = (at: number): number => (header[at] ?? 0) * 256 + (header[at + 1] ?? 0);
    const words = [
      [flow.address >>> 16, word(30)],
      [flow.address & 65_535, word(32)],
      [flow.port, word(36)],
    ] as const;
    put(
      header,
      40,
      words.reduce((sum, [after, before]) => updateChecksum(sum, after, before), 0),
      2,
    );
  }
  const user = r.chance(0.95) ? flow.user : r.between(0, 3);
  return {
    ...p,
    header,
    user,
    noL4: r.chance(0.03),
    headBytes: r.chance(0.9) ? 64 : r.pick([41, 42, 51, 52]),
    arg: (inbound ? 1 : 0) | (r.chance(0.5) ? 2 : 0),
  };
}

/** Epochs with traffic, with and without the time for their sweeps; then a reset beside traffic, and all is gone. */
async function life(b: B, epochs = 40): Promise<void> {
  const { random } = b,
    flows = flowsOf(random);
  const rig = new TaskRig(b, nat.declared, natModel, {
    from: bernoulli(0.2, random.word()),
    to: bursts({ go: 30, pause: 6 }, random.word()),
  });
  for (let reset = 0; reset < 2; reset++) {
    rig.reset();
    const set = natOutside(outside, portHigh);
    await rig.configure(set.at, set.data);
    for (let i = 0; i < epochs; i++) {
      for (let n = random.between(5, 60); n > 0; n--) rig.send(packetOf(random, flows));
      await rig.settled();
      const { at, data } = natEpoch(i < 20 ? 13 : i < 30 ? 3 : 0);
      await rig.configure(at, data);
      if (i % 4 !== 0) await b.cycles(1100);
    }
    for (let n = 0; n < 30; n++) rig.send(packetOf(random, flows));
    await b.cycles(random.between(3, 30));
  }
  rig.reset();
  await b.cycles(1100);
  await rig.end();
  expect([...rig.verdicts.keys()].sort()).toEqual(["drop", "forward"]);
}
/** One flow after another in every cycle, also while an epoch is swept; each has one port, and no two have the same. */
async function pace(b: B): Promise<void> {
  const rig = new TaskRig(b, nat.declared, natModel);
  rig.reset();
  const set = natOutside(outside, portHigh),
    flows = flowsOf(b.random).slice(0, 2);
  await rig.configure(set.at, set.data);
  await b.cycles(1100);
  const out = (i: number): TaskPacketModel => {
    const p = packetOf(new Random(i), [flows[(i >> 2) & 1] as NatKey]);
    return { ...p, arg: 0 };
  };
  for (let i = 0; i < 200; i++) rig.send(out(i));
  await rig.end();
  expect(new Set(rig.latencies)).toEqual(new Set([6]));
  expect((rig.answerCycles.at(-1) ?? NaN) - (rig.answerCycles[0] ?? NaN)).toBe(199);
  const next = natEpoch(14);
  await rig.configure(next.at, next.data);
  const from = rig.answerCycles.length;
  for (let i = 0; i < 600; i++) rig.send(out(i));
  await rig.end();
  const took = (rig.answerCycles.at(-1) ?? NaN) - (rig.answerCycles[from] ?? NaN);
  expect(took).toBeGreaterThan(599);
  expect(took).toBeLessThanOrEqual(600 + 600 / 15);
}

describe("nat", () => {
  bench("flows, collisions, exhaustion and expiry as the model says", nat.hardware, { seed: 2 }, b => life(b));
  bench("its latency, and a packet of one flow a cycle, also beside a sweep", nat.hardware, { seed: 3 }, pace);
  test("declares itself rightly", () => {
    expect(declarationFaults(nat.declared)).toEqual([]);
  });
  test("the model keeps right checksums right, and every port is one flow's", () => {
    const r = new Random(5),
      model = natModel(),
      set = natOutside(outside, portHigh),
      ports = new Map<string, string>();
    model.configure?.(set.at, set.data);
    for (let i = 0; i < 6000; i++) {
      const udp = r.chance(0.5),
        header = Uint8Array.from(ipPacket(r).header),
        length = 30;
      header.set([8, 0, 0x45], 12);
      header[23] = udp ? 17 : 6;
      put(header, 26, 0x0a000000 + r.between(0, 4000), 4);
      put(header, 38, udp ? length : r.between(0, 65_535), 2);
      const sumAt = udp ? 40 : 50;
      const sum = (h: Uint8Array): number =>
        internetChecksum(Uint8Array.from([...h.slice(26, 34), 0, h[23] ?? 0, 0, length, ...h.slice(34, 64)]));
      put(header, sumAt, 0, 2);
      put(header, sumAt, sum(header) || (udp ? 0xffff : 0), 2);
      writeChecksum(header);
      const rest = { uid: 0, user: 0, ingress: 0, flowHash: 0, headBytes: 64, payloadBytes: 0, noL4: false, arg: 0 };
      const { verdict, writes } = model.answer({ header, ...rest });
      if (verdict === "drop") continue;
      const sent = Uint8Array.from(header);
      for (const [at, byte] of writes ?? []) sent[at] = byte;
      expect([internetChecksum(sent, 14, 34), sum(sent)]).toEqual([0, 0]);
      if (udp) expect(sent[40] === 0 && sent[41] === 0).toBe(false);
      const [inside, at] = [
        `${udp} ${header.slice(26, 30).join(".")} ${header.slice(34, 36).join()}`,
        sent.slice(34, 36).join(),
      ];
      expect(ports.get(at) ?? inside).toBe(inside);
      ports.set(at, inside);
    }
    expect(ports.size).toBe(model.live());
  });

  describe("a planted fault is found", () => {
    const look = async (name: string, design: Dut<TaskPorts>): Promise<void> => {
      const runs: readonly ((b: B) => Promise<void>)[] = [b => life(b, 30), pace];
      for (const [i, run] of runs.entries())
        await runBench(`${name} ${i}`, design, { wave: false, hangCycles: 3000, limitCycles: 200_000, seed: 4 }, run);
    };
    test("and nothing without one", () => look("no fault", nat.hardware));
    const faults: readonly (readonly [string, string | RegExp, string])[] = [
      ["a binding is another user's on the way in", "(owner[54:49] == user_3)", "1'b1"],
      ["a binding of the other protocol", "(owner[48] == udp_3)", "1'b1"],
      ["a stage stands still while the others move", "valid_4 <= valid_3;", "valid_4 <= valid_3 & packet_valid;"],
      ["a packet outlives a reset", "valid_1 <= 1'b0; ", ""],
      ["bindings outlive a reset", "clearing <= 1'b1", "clearing <= 1'b0"],
      ["UDP without a checksum gets one", "~(|sum_before)", "1'b0"],
      ["UDP's 0 is sent as 0", "16'hffff", "16'd0"],
      ["an epoch is not counted", "epoch <= epoch + 4'd1", "epoch <= epoch"],
      ["bindings live an epoch longer", ") <= life", ") <= (life + 4'd1)"],
      ["a sweep takes those that live", "asked_sweeps & ~live_0", "asked_sweeps"],
      ["what was just written is not known", /goes_around_1 <= [^;]*;/, "goes_around_1 <= 1'b0;"],
      ["what was just written is known of every set", "& set_again", "& 1'b1"],
      ["a flow behind another one has its binding", /last_key_again <= [^;]*;/, "last_key_again <= 1'b1;"],
      ["nothing is swept", "asked_sweeps & ~live_1", "1'b0"],
    ];
    test.each(faults)("%s", async (name, from, to) => {
      await findsFault(look(name, plant(nat.hardware, from, to)));
    });
  });
});
