import { describe, expect, test } from "vitest";
import {
  balancerModel,
  checksumModel,
  firewallModel,
  type TaskModel,
  type TaskPacketModel,
  tunnelModel,
} from "../../../../../designs/supernic/model/index.ts";
import {
  balancer,
  checksum,
  firewall,
  type Task,
  type TaskPorts,
  tunnel,
} from "../../../../../designs/supernic/rtl/tasks/index.ts";
import {
  bucketWord,
  type ConfigWord,
  declarationFaults,
  firewallKey,
  firewallKeyBits,
  type FirewallRule,
  firewallWords,
  tunnelWord,
} from "../../../../../designs/supernic/wire/index.ts";
import { bernoulli, bursts, type Dut, type Random, runBench } from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { few, ipPacket, vxlanPacket, writeChecksum } from "./support/packets.ts";
import { type B, randomPacket, TaskRig } from "./support/task-rig.ts";

/** A task with what it is tried with. */
interface Trial {
  readonly task: Task;
  /** A configuration at random, and its model with a life of its own. */
  readonly setUp: (r: Random) => { readonly model: () => TaskModel; readonly words: readonly ConfigWord[] };
  /** The model without a configuration. */
  readonly blank: () => TaskModel;
  readonly packet: (r: Random) => TaskPacketModel;
  readonly verdicts: readonly string[];
}

/** The carries of its sum carry once more. */
function carries(r: Random): TaskPacketModel {
  const p = ipPacket(r),
    header = Uint8Array.from(p.header);
  header.set([8, 0, 0x45], 12);
  header.set([0, 0], 18);
  header.set([0, 0], 24);
  let sum = 0;
  for (let i = 14; i < 34; i += 2) sum += (header[i] ?? 0) * 256 + (header[i + 1] ?? 0);
  const fill = 0xffff - (sum & 0xffff);
  header.set([fill >> 8, fill & 255], 18);
  writeChecksum(header);
  return { ...p, header, headBytes: 64, arg: r.between(0, 3) };
}
/** Sums to 0xFFFF without its checksum, which is then 0, or as right 0xFFFF. */
function edge(r: Random): TaskPacketModel {
  const p = ipPacket(r),
    header = Uint8Array.from(p.header);
  header.set([8, 0, 0x45], 12);
  header.set([0, 0], 18);
  writeChecksum(header);
  header.set(header.slice(24, 26), 18);
  header.set(r.chance(0.5) ? [0, 0] : [255, 255], 24);
  return { ...p, header, headBytes: 64, arg: r.between(0, 3) };
}

function rule(r: Random): FirewallRule {
  const any = { user: 0, src: 0, dst: 0, protocol: 0, srcPort: 0, dstPort: 0, hasPorts: 0 },
    value = { ...any },
    mask = { ...any };
  const look = (name: keyof typeof any, v: number, bits: number, chance: number): void => {
    if (!r.chance(chance)) return;
    value[name] = v;
    mask[name] = bits;
  };
  look("user", r.between(0, 3), 63, 0.9);
  look("src", few.address(r), r.pick([0xffffffff, 0xffffff00, 0xff000003]), 0.8);
  look("dst", few.address(r), r.pick([0xffffffff, 0xffffff00, 0x00000003]), 0.7);
  look("protocol", r.pick([6, 17]), 255, 0.3);
  look("srcPort", few.port(r), r.pick([65_535, 0x8000]), 0.2);
  look("dstPort", few.port(r), r.pick([65_535, 0x8000]), 0.5);
  look("hasPorts", r.between(0, 1), 1, 0.2);
  const m = firewallKey(mask);
  // Bits that do not count are anything.
  return {
    value: (firewallKey(value) & m) | (r.bits(firewallKeyBits) & ~m),
    mask: m,
    enabled: r.chance(0.7),
    drops: r.chance(0.5),
  };
}

const trials: Readonly<Record<string, Trial>> = {
  checksum: {
    task: checksum,
    blank: checksumModel,
    setUp: () => ({ model: checksumModel, words: [] }),
    packet: r =>
      r.chance(0.2)
        ? edge(r)
        : r.chance(0.1)
          ? carries(r)
          : r.chance(0.9)
            ? { ...ipPacket(r), arg: r.between(0, 3) }
            : randomPacket(r),
    verdicts: ["drop", "forward"],
  },
  balancer: {
    task: balancer,
    blank: balancerModel,
    setUp: r => ({
      model: balancerModel,
      words: [
        ...Array.from({ length: 256 }, (_, at) =>
          bucketWord(at, { valid: r.chance(0.9), user: r.between(0, 1), mac: r.bits(48) }),
        ),
        // Behind its buckets is nothing.
        bucketWord(256, { valid: true, user: 0, mac: r.bits(48) }),
      ],
    }),
    packet: r => ({ ...randomPacket(r), user: r.between(0, 2), ...(r.chance(0.1) && { arg: 0 }) }),
    verdicts: ["drop", "forward"],
  },
  tunnel: {
    task: tunnel,
    blank: tunnelModel,
    setUp: r => ({
      model: tunnelModel,
      words: Array.from({ length: 40 }, (_, at) =>
        tunnelWord(at, {
          valid: r.chance(0.9),
          user: r.between(0, 1),
          opens: at % 2 === 1,
          bytes: r.chance(0.9) ? r.between(1, 64) : 0,
          vni: at % 3,
        }),
      ),
    }),
    packet: r => ({ ...vxlanPacket(r, r.between(0, 2)), arg: r.between(0, 40), user: r.between(0, 1) }),
    verdicts: ["drop", "forward"],
  },
  firewall: {
    task: firewall,
    blank: () => firewallModel([]),
    setUp: r => {
      const rules = Array.from({ length: 256 }, () => (r.chance(0.2) ? undefined : rule(r)));
      return {
        model: () => firewallModel(rules),
        words: [0, 1, 2, 3].flatMap(t => firewallWords(t, rules.slice(64 * t, 64 * t + 64))),
      };
    },
    packet: r => ({ ...ipPacket(r), arg: r.between(0, 3) }),
    verdicts: ["drop", "forward"],
  },
};

/** Packets under random pauses at several configurations, with resets beside traffic. */
async function life(b: B, { task, setUp, packet, verdicts }: Trial, rounds = 3): Promise<void> {
  const { random } = b;
  let set = setUp(random);
  const rig = new TaskRig(b, task.declared, () => set.model(), {
    from: bernoulli(0.2, random.word()),
    to: bursts({ go: 15, pause: 8 }, random.word()),
  });
  for (let round = 0; round < rounds; round++) {
    rig.reset();
    for (const { at, data } of set.words) await rig.configure(at, data);
    for (let n = 0; n < 300; n++) rig.send(packet(random));
    await rig.end();
    for (let n = 0; n < 20; n++) rig.send(packet(random));
    await b.cycles(random.between(3, 20));
    set = setUp(random);
  }
  rig.reset();
  expect([...rig.verdicts.keys()].sort()).toEqual(verdicts);
}
/** Rules count from the reset on no more. */
async function forgets(b: B): Promise<void> {
  const { random } = b,
    rules = Array.from({ length: 64 }, () => ({ ...rule(random), mask: 0n, enabled: true, drops: true }));
  let kept: readonly FirewallRule[] = rules;
  const rig = new TaskRig(b, firewall.declared, () => firewallModel(kept));
  for (const table of [0, 1, 2, 3]) {
    kept = rules;
    rig.reset();
    for (const { at, data } of firewallWords(table, rules)) await rig.configure(at, data);
    for (let n = 0; n < 20; n++) rig.send(ipPacket(random));
    await rig.end();
    kept = [];
    rig.reset();
    for (let n = 0; n < 20; n++) rig.send({ ...ipPacket(random), arg: 0 });
    await rig.end();
  }
}
/** A packet a cycle, each at the declared latency. */
async function pace(b: B, { task, packet, blank }: Trial): Promise<void> {
  const rig = new TaskRig(b, task.declared, blank);
  rig.reset();
  for (let n = 0; n < 100; n++) rig.send(packet(b.random));
  await rig.end();
  expect(new Set(rig.latencies)).toEqual(new Set([task.declared.latency]));
  expect((rig.answerCycles.at(-1) ?? NaN) - (rig.answerCycles[0] ?? NaN)).toBe(99);
}

type Fault = readonly [string, string | RegExp, string];
/** The edge of a stage that stands still while others move. */
const stages: readonly Fault[] = [
  ["a stage stands still while the others move", "valid_2 <= valid_1;", "valid_2 <= valid_1 & packet_valid;"],
  ["a packet outlives a reset", "valid_1 <= 1'b0; ", ""],
];
const faults: Readonly<Record<string, readonly Fault[]>> = {
  checksum: [
    ...stages,
    ["a carry is lost", "{15'd0, folded[16]}", "16'd0"],
    ["carries of the first sum are lost", "+ folded_shifted[16:0]", ""],
    ["0xFFFF is wrong where 0 is right", /~\(\|right\) & \(&had_3\)|~\(\|right\) & &had_3/, "1'b0"],
    ["it writes what it should check", "is_ip_3 & args_3[0]", "is_ip_3"],
  ],
  balancer: [
    ...stages,
    ["a bucket of another user", "row_valid & (row_user == users_2)", "row_valid"],
    ["a bucket that there is not", "row_valid & (row_user == users_2)", "(row_user == users_2)"],
    ["the first bucket is 0", "+ ({3'd0, packet_payload_arg[7:3]} << 3)", ""],
    ["a write behind its buckets", "(config_at < 16'd256)", "1'b1"],
  ],
  tunnel: [
    ...stages,
    ["another network is opened", /inside_2 & \(network_2 == row_vni\)/, "inside_2"],
    ["what is in no tunnel is opened", /inside_2 & \(network_2 == row_vni\)/, "(network_2 == row_vni)"],
    ["a row of another user", /\(row_user == users_2\)/, "1'b1"],
    ["row 0 is used", "& (|number)", ""],
    ["a template without bytes", ": |row_bytes", ": 1'b1"],
  ],
  firewall: [
    ...stages,
    ["a rule that is off", /enabled_1 & /, ""],
    ["the tables' order is wrong", "any_0 ? drops_shifted[0] :", ""],
    ["ports of a packet that has none", /\{16\{~packet_payload_no_l4\}\}/, "{16{1'b1}}"],
    [
      "rules that drop belong to the next table",
      "config_at[15:12] == 4'd2)) drops_1",
      "config_at[15:12] == 4'd2)) drops_2",
    ],
    ["rules outlive a reset", "if (rst) enabled_2 <= 64'd0;", "if (1'b0) enabled_2 <= 64'd0;"],
  ],
};

for (const [name, trial] of Object.entries(trials))
  describe(name, () => {
    const { task } = trial;
    bench("random packets as the model says, under random pauses and resets", task.hardware, { seed: 2 }, b =>
      life(b, trial),
    );
    bench("its latency, and a packet a cycle", task.hardware, { seed: 3 }, b => pace(b, trial));
    test("declares itself rightly", () => {
      expect(declarationFaults(task.declared)).toEqual([]);
    });
    if (task === firewall) bench("a reset switches all rules off", task.hardware, { seed: 4 }, forgets);
    const runs = [(b: B) => life(b, trial, 2), ...(task === firewall ? [forgets] : [])];
    const look = async (what: string, design: Dut<TaskPorts>): Promise<void> => {
      for (const run of runs)
        await runBench(what, design, { wave: false, hangCycles: 300, limitCycles: 60_000, seed: 4 }, run);
    };
    describe("a planted fault is found", () => {
      test("and nothing without one", () => look("no fault", task.hardware));
      for (const [what, from, to] of faults[name] ?? [])
        test(what, () => findsFault(look(what, plant(task.hardware, from, to))));
    });
  });
