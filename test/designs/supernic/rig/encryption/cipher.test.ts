/** Encryption in the whole device: out of a port as a tunnel, and through the loop port back to what it was. */
import { describe, expect, it } from "vitest";
import { deviceSizes, taskNamed } from "../../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../../designs/supernic/config/index.ts";
import {
  decryptModel,
  DeviceScoreboard,
  encryptModel,
  type TaskModel,
} from "../../../../../designs/supernic/model/index.ts";
import {
  leftAtRest,
  type SimulatedSuperNic,
  unaccounted,
  withDevice,
} from "../../../../../designs/supernic/rig/device/index.ts";
import { readSetup, taskWrite } from "../../../../../designs/supernic/software/index.ts";
import {
  aesFrontBytes,
  aesLaunchWord,
  type AesRow,
  aesRowWords,
  putShims,
} from "../../../../../designs/supernic/wire/index.ts";
import { filler, shim, udp } from "../../../../../designs/supernic/workload/index.ts";
import { Random } from "../../../../../sim/index.ts";
import { isPause } from "../support/pauses.ts";
import { watchCensus } from "../support/worlds.ts";

const parameters = makeParameters({
    ports: 2,
    contexts: 32,
    cells: 64,
    regions: 2,
    slots: 2,
    branches: 2,
    users: 4,
  }),
  template = 5,
  uid = { out: 0x401, through: 0x402, open: 0x403 };
const macs = [1, 2].map(n => `02:5a:00:00:00:0${n}`),
  [from, to] = [1, 2].map(n => ({ mac: 0x025a_0000_0000n + BigInt(n), ip: 0x0a04_0000 + n }));
const setup = readSetup(
  JSON.stringify({
    mac: "02:5a:00:00:00:ff",
    ip: "10.4.0.254",
    ports: [{}, {}],
    stations: macs.map((mac, port) => ({ name: `host${port}`, mac, ip: `10.4.0.${port + 1}`, port })),
    users: [{ name: "user" }],
    regions: [
      { chain: "seal", tasks: ["encrypt"] },
      { chain: "open", tasks: ["decrypt"] },
    ],
    tunnels: [
      {
        name: "site",
        number: template,
        user: "user",
        vxlan: { dst: macs[1], from: "192.0.2.1", to: "198.51.100.7", vni: 77 },
      },
    ],
    dags: [
      { name: "out", user: "user", uid: uid.out, stages: [[{ chain: "seal", arg: 1 }]], egress: { port: 1 } },
      { name: "through", user: "user", uid: uid.through, stages: [[{ chain: "seal", arg: 0 }]], egress: "loop" },
      { name: "opened", user: "user", uid: uid.open, stages: [[{ chain: "open", arg: 0 }]] },
    ],
    rules: [{ protocol: 17, toPort: 4789, ports: ["loop"], action: { dag: "opened" } }],
  }),
  "setup",
  deviceSizes(parameters),
  name => taskNamed(name).declared,
);
const rowOf = (r: Random, i: number): AesRow => ({
  valid: true,
  number: 0xcafe_0000 + i,
  user: setup.users[0]?.number ?? 0,
  key: Uint8Array.from({ length: i === 0 ? 32 : 16 }, () => r.between(0, 255)),
  template,
  frontBytes: aesFrontBytes,
  destination: to?.mac ?? 0n,
  source: from?.mac ?? 0n,
});
const random = new Random(5),
  rows = [0, 1].flatMap(i => aesRowWords(i, rowOf(random, i))),
  words = [rows.concat(aesLaunchWord(3, 9)), rows];
const told = (model: TaskModel, of: number): TaskModel => {
  for (const { at, data } of words[of] ?? []) model.configure?.(at, data);
  return model;
};

async function run(device: SimulatedSuperNic): Promise<readonly string[]> {
  if (from === undefined || to === undefined) throw new RangeError("there are two hosts");
  const out: string[] = [],
    plain: string[] = [],
    scoreboard = new DeviceScoreboard(setup, {
      encrypt: () => told(encryptModel(), 0),
      decrypt: () => told(decryptModel(), 1),
    }),
    census = watchCensus(device);
  device.bench.onEdge({
    sample: () => {
      for (let left = device.take(); left; left = device.take()) {
        if (isPause(left.frame.bytes)) continue;
        scoreboard.leave(left.port, left.frame.bytes);
        out.push(Buffer.from(left.frame.bytes).toString("hex"));
      }
    },
  });
  await device.driver.write(words.flatMap((list, region) => list.map(w => taskWrite(region, 0, w))));
  await device.bench.cycles(100);
  for (let n = 0; n < 60; n++) {
    const bytes = random.between(0, 1_300),
      frame = udp(from, to, { from: 4_000, to: 4_001 }, filler(bytes)),
      id = n % 3 === 0 ? uid.out : uid.through,
      sent = putShims(frame, { snic: shim(id) });
    scoreboard.enter(0, sent);
    device.send(0, sent);
    if (id === uid.through) plain.push(Buffer.from(frame).toString("hex"));
  }
  await device.bench.until(() => !device.busy && scoreboard.outstanding === 0);
  await device.bench.cycles(200);
  // Without any model: what went through both is what was sent; what left in the tunnel shows nothing of it.
  expect(out.filter(f => plain.includes(f))).toHaveLength(plain.length);
  return [
    ...census(),
    ...scoreboard.finish(),
    ...unaccounted(await device.counters(), await device.inside()),
    ...leftAtRest(device.bench.sim, parameters),
  ];
}
describe("encryption in the device", () => {
  it("a tunnel out of a port, and one that is opened at the loop port", async () => {
    const problems = await withDevice(
      "cipher",
      setup,
      parameters,
      { wave: false, limitCycles: 200_000, signals: true, backToBack: true },
      run,
    );
    expect(problems).toEqual([]);
  });
});
