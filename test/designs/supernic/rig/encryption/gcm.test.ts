/**
 * Sealing and opening in the whole device: out of a port as a tunnel, through the loop port back to what it was, and
 * back into a port, some with a bit changed on the way.
 */
import { describe, expect, it } from "vitest";
import { deviceSizes, taskNamed } from "../../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../../designs/supernic/config/index.ts";
import { DeviceScoreboard, openModel, sealModel, type TaskModel } from "../../../../../designs/supernic/model/index.ts";
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
  tunnelPort,
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
  uid = { out: 0x401, through: 0x402, open: 0x403, back: 0x404 };
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
      { chain: "seal", tasks: ["seal"] },
      { chain: "open", tasks: ["open"] },
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
      { name: "back", user: "user", uid: uid.back, stages: [[{ chain: "open", arg: 1 }]], egress: { port: 0 } },
    ],
    rules: [
      { protocol: 17, toPort: 4789, ports: ["loop"], action: { dag: "opened" } },
      { protocol: 17, toPort: 4789, ports: [1], action: { dag: "back" } },
    ],
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
  rowWords = rows.length / 2,
  words = [rows.concat(aesLaunchWord(3, 9)), rows];
const told = (model: TaskModel, of: number): TaskModel => {
  for (const { at, data } of words[of] ?? []) model.configure?.(at, data);
  return model;
};

/** A bit behind the tunnel's headers is another. */
function changed(frame: Uint8Array): Uint8Array {
  const at = random.pick([random.between(aesFrontBytes + 4, frame.length - 1), frame.length - random.between(1, 16)]);
  return frame.map((b, i) => (i === at ? b ^ (1 << random.between(0, 7)) : b));
}

async function run(device: SimulatedSuperNic): Promise<readonly string[]> {
  if (from === undefined || to === undefined) throw new RangeError("there are two hosts");
  const hex = (frame: Uint8Array): string => Buffer.from(frame).toString("hex"),
    out: string[] = [],
    plain: string[] = [],
    sealed: Uint8Array[] = [],
    { bench } = device;
  const scoreboard = new DeviceScoreboard(setup, {
      seal: () => told(sealModel(), 0),
      open: () => told(openModel(), 1),
    }),
    census = watchCensus(device);
  bench.onEdge({
    sample: () => {
      for (let left = device.take(); left; left = device.take()) {
        const { bytes } = left.frame;
        if (isPause(bytes)) continue;
        scoreboard.leave(left.port, bytes);
        out.push(hex(bytes));
        if (bytes[36] === tunnelPort >> 8 && bytes[37] === (tunnelPort & 255)) sealed.push(bytes);
      }
    },
  });
  const send = (port: number, frame: Uint8Array): void => {
      scoreboard.enter(port, frame);
      device.send(port, frame);
    },
    settled = async (): Promise<void> => {
      await bench.until(() => !device.busy && scoreboard.outstanding === 0);
      await bench.cycles(200);
    };
  // A row at a time: each is prepared before the next one is written.
  for (const part of [0, 1])
    for (const [region, list] of words.entries()) {
      const half = list.slice(part * rowWords, part === 0 ? rowWords : undefined);
      await device.driver.write(half.map(w => taskWrite(region, 0, w)));
      await bench.cycles(600);
    }
  for (let n = 0; n < 60; n++) {
    const frame = udp(from, to, { from: 4_000, to: 4_001 }, filler(n < 20 ? n : random.between(0, 1_300))),
      id = n % 3 === 0 ? uid.out : uid.through;
    send(0, putShims(frame, { snic: shim(id) }));
    if (id === uid.through) plain.push(hex(frame));
  }
  await settled();
  // Without any model: what went through both is what was sent; what left in the tunnel shows nothing of it.
  expect(out.filter(f => plain.includes(f))).toHaveLength(plain.length);
  expect(sealed).toHaveLength(20);

  // What left comes in again, and each a second time with a bit changed: that is dropped, and counted.
  const before = out.length;
  for (const frame of sealed.slice()) {
    send(1, changed(frame));
    send(1, frame);
  }
  await settled();
  expect(out.length - before).toBe(20);
  const { slots } = await device.counts(await device.counters());
  expect(slots[1]?.[0]?.dropped).toBe(20);
  return [
    ...census(),
    ...scoreboard.finish(),
    ...unaccounted(await device.counters(), await device.inside()),
    ...leftAtRest(bench.sim, parameters),
  ];
}
describe("AES-GCM in the device", () => {
  it("a tunnel out of a port, one that is opened at the loop port, and one whose frames are changed", async () => {
    const problems = await withDevice(
      "gcm",
      setup,
      parameters,
      { wave: false, limitCycles: 200_000, signals: true, backToBack: true },
      run,
    );
    expect(problems).toEqual([]);
  });
});
