/** The loop port between two who send to it at once: a DAG's second passes, and what comes out of redirects. */
import { describe, expect, it } from "vitest";
import { deviceSizes, taskNamed } from "../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../designs/supernic/config/index.ts";
import { DeviceScoreboard } from "../../../../designs/supernic/model/index.ts";
import {
  deviceDefinition,
  play,
  type PlayFrame,
  SimulatedSuperNic,
} from "../../../../designs/supernic/rig/device/index.ts";
import { readSetup } from "../../../../designs/supernic/software/index.ts";
import { encloseFrame, putShims, snicKind } from "../../../../designs/supernic/wire/index.ts";
import { filler, shim, udp } from "../../../../designs/supernic/workload/index.ts";
import { bernoulli, type Dut, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const parameters = makeParameters({
    ports: 3,
    contexts: 64,
    cells: 128,
    regions: 2,
    slots: 2,
    branches: 2,
    credits: 4,
    users: 4,
  }),
  uid = 0x401,
  macs = { own: 0x025e_0000_00ffn, peer: 0x025e_0000_00aan },
  hosts = [1, 2, 3].map(n => ({ mac: 0x025e_0000_0000n + BigInt(n), ip: 0x0a02_0000 + n })),
  [from, to, other] = hosts as [(typeof hosts)[number], (typeof hosts)[number], (typeof hosts)[number]];
const text = (mac: bigint): string => (mac.toString(16).padStart(12, "0").match(/../g) ?? []).join(":");
/** Stations at ports 0 and 1, and a peer behind port 2. */
const setup = readSetup(
  JSON.stringify({
    mac: text(macs.own),
    ip: "10.2.0.254",
    ports: [{}, {}, { peer: true }],
    stations: [from, to].map(({ mac }, i) => ({ name: `host${i}`, mac: text(mac), ip: `10.2.0.${i + 1}`, port: i })),
    peers: [{ name: "peer", mac: text(macs.peer), port: 2 }],
    users: [{ name: "user", class: 0 }],
    regions: [{ chain: "one", tasks: ["dummy"] }],
    dags: [{ name: "around", user: "user", uid, stages: [[{ chain: "one" }]], egress: "loop" }],
  }),
  "setup",
  deviceSizes(parameters),
  name => taskNamed(name).declared,
);
/** As many frames of both kinds, of several beats, all at once; all are for the station at port 1. */
function frames(count: number, bytes: number): PlayFrame[] {
  return Array.from({ length: count }, (_, i): readonly PlayFrame[] => {
    const data = filler(bytes + (i % 7) * 40),
      around = udp(from, to, { from: 4000, to: 5000 + i }, data),
      inside = udp(other, to, { from: 4001, to: 6000 + i }, data);
    return [
      { timeNs: 0n, port: 0, bytes: putShims(around, { snic: shim(uid) }) },
      {
        timeNs: 0n,
        port: 2,
        bytes: encloseFrame({ dst: macs.own, src: macs.peer }, shim(uid, { kind: snicKind.redirect }), inside),
      },
    ];
  }).flat();
}
type Definition = ReturnType<typeof deviceDefinition>;
type Change = (device: Definition) => Dut<Definition["ports"]>;
const run = (name: string, list: PlayFrame[], pause: number, change: Change = d => d) =>
  runBench(
    name,
    change(deviceDefinition(setup, parameters)),
    { limitCycles: Infinity, hangCycles: 120_000, wave: false, signals: true },
    async bench => {
      const device = new SimulatedSuperNic(bench, setup, parameters, {
        backToBack: true,
        pauseTx: port => bernoulli(port === 1 ? pause : 0, 7),
      });
      await device.bringUp();
      return play(device, list, { pace: "capture", scoreboard: new DeviceScoreboard(setup), timeoutCycles: 20_000 });
    },
  );

const timeout = 600_000;
/** Both kinds at once, and all of it comes out whole. */
async function together(change?: Change): Promise<void> {
  const { problems, out } = await run("both to the loop port", frames(20, 300), 0, change);
  expect(problems).toEqual([]);
  expect(out.filter(o => o.port === 1)).toHaveLength(40);
}
/** The station takes little. The loop port asks for a pause before it is full, as a port does: it loses nothing. */
async function full(change?: Change): Promise<void> {
  const { problems, out, counters } = await run("a full loop port", frames(90, 1000), 0.85, change);
  expect(problems).toEqual([]);
  const loop = counters.ports[parameters.ports] ?? {};
  expect([0, 1, 2, 3, 4, 5].map(c => loop[`inFull${c}`])).toEqual([0, 0, 0, 0, 0, 0]);
  expect(out.filter(o => o.port === 1).length).toBeGreaterThan(100);
}

describe("the loop port", () => {
  it("gets whole frames from both who send to it", { timeout }, () => together());
  it("is sent no more than it has room for, when what it gives out waits", { timeout }, () => full());

  describe("a planted fault is found", () => {
    it("frames of both are mixed", { timeout }, () =>
      findsFault(together(d => plant(d, /to_loop_grant =\s*to_loop_locked \? to_loop_owner :/, "to_loop_grant ="))),
    );
    it("it has room until all its classes are full", { timeout }, () =>
      findsFault(full(d => plant(d, "loop_room <= ~(|rx_loop_full)", "loop_room <= ~(&rx_loop_full)"))),
    );
  });
});
