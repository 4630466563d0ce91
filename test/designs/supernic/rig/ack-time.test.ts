/** A frame alone on a reliable port of the device: its ACK leaves 2 us later, long before the partner sends again. */
import { describe, expect, it } from "vitest";
import { deviceSizes, taskNamed } from "../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../designs/supernic/config/index.ts";
import { deviceDefinition, SimulatedSuperNic } from "../../../../designs/supernic/rig/device/index.ts";
import { readSetup } from "../../../../designs/supernic/software/index.ts";
import { linkKind, putShims } from "../../../../designs/supernic/wire/index.ts";
import { filler, udp } from "../../../../designs/supernic/workload/index.ts";
import { type Dut, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const parameters = makeParameters({ ports: 2, contexts: 64, cells: 128, regions: 2, slots: 2, branches: 2, users: 4 }),
  hosts = [1, 2].map(n => ({ mac: 0x025f_0000_0000n + BigInt(n), ip: 0x0a03_0000 + n })),
  [near, far] = hosts as [(typeof hosts)[number], (typeof hosts)[number]];
const setup = readSetup(
  JSON.stringify({
    mac: "02:5f:00:00:00:ff",
    ip: "10.3.0.254",
    ports: [{}, { reliable: true }],
    stations: [0, 1].map(port => ({ name: `host${port}`, mac: `02:5f:00:00:00:0${port + 1}`, port })),
    users: [{ name: "user" }],
    regions: [["dummy"]],
    dags: [],
  }),
  "setup",
  deviceSizes(parameters),
  name => taskNamed(name).declared,
);
/** 2 us; and through the judge and the tables, to the line, and a frame of 60 bytes on it. */
const due = 500,
  way = 40;
type Definition = ReturnType<typeof deviceDefinition>;
type Change = (device: Definition) => Dut<Definition["ports"]>;
const acked = (change: Change = d => d) =>
  runBench(
    "an ACK alone",
    change(deviceDefinition(setup, parameters)),
    { limitCycles: 400_000, wave: false, signals: true },
    async bench => {
      const device = new SimulatedSuperNic(bench, setup, parameters);
      await device.bringUp();
      const plain = udp(far, near, { from: 5000, to: 6000 }, filler(60)),
        link = { kind: linkKind.data, class: 0, flags: 0, sequence: 0, ack: 0 },
        sent = device.send(1, putShims(plain, { link }));
      await bench.until(() => sent.end !== undefined);
      const from = bench.cycle;
      for (let left = device.take(); left?.port !== 1; left = device.take()) {
        expect(bench.cycle - from).toBeLessThan(due + way);
        await bench.cycles(1);
      }
      expect(bench.cycle - from).toBeGreaterThan(due);
    },
  );

const timeout = 240_000;
describe("the device's reliable port", () => {
  it("acknowledges a frame alone after 2 us", { timeout }, () => acked());
  it("a planted fault is found: the ACK comes sooner", { timeout }, () =>
    findsFault(acked(d => plant(d, "unacked_cycles == 9'd498", "unacked_cycles == 9'd98"))),
  );
});
