/** The device of the board htg9200_supernic between stand-ins of its four MACs, each with a clock of its own. */
import { describe, expect, it, test } from "vitest";
import { boardDevice } from "../../../../designs/supernic/board/index.ts";
import { deviceSizes, taskNamed, tasksOf } from "../../../../designs/supernic/build/index.ts";
import { makeParameters } from "../../../../designs/supernic/config/index.ts";
import { driverOf, type SnicDriver } from "../../../../designs/supernic/registers/index.ts";
import { clearingCycles, configureDevice, readInside } from "../../../../designs/supernic/rig/index.ts";
import { readSetup } from "../../../../designs/supernic/software/index.ts";
import { putShims } from "../../../../designs/supernic/wire/index.ts";
import { filler, shim, udp } from "../../../../designs/supernic/workload/index.ts";
import { AxisSink, type Bench, bernoulli, type Dut, LiteMaster, poke, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

/** As many ports as the board has; of all else as little as there may be. */
const ports = 4,
  parameters = makeParameters({ ports, contexts: 32, cells: 16, regions: 1, slots: 1, branches: 1, users: 2 }),
  chains = [["dummy"]] as const,
  beatBytes = 64;
const dut = () => boardDevice(tasksOf(chains))(deviceSizes(parameters));
type Ports = ReturnType<typeof dut>["ports"];
type B = Bench<Ports>;
/** The device's 250 MHz, and MACs of 322.265625 MHz that are a bit off one another. */
const clocks = {
  node: { periodNs: 4 },
  mac0: { periodNs: 3.103 },
  mac1: { periodNs: 3.104, phaseNs: 0.7 },
  mac2: { periodNs: 3.102, phaseNs: 1.9 },
  mac3: { periodNs: 3.103, phaseNs: 2.6 },
};
const hosts = Array.from({ length: ports }, (_, i) => ({
    name: `host${i}`,
    mac: `02:5b:00:00:00:0${i + 1}`,
    ip: `10.5.0.${i + 1}`,
    port: i,
  })),
  host = (i: number) => ({ mac: 0x025b_0000_0001n + BigInt(i % ports), ip: 0x0a05_0001 + (i % ports) });
const setup = readSetup(
  JSON.stringify({
    mac: "02:5b:00:00:00:ff",
    ip: "10.5.0.254",
    ports: hosts.map(() => ({})),
    stations: hosts,
    users: [{ name: "user" }],
    regions: [chains[0]],
    dags: [{ name: "through", user: "user", uid: 0x401, stages: [[{ chain: "dummy" }]] }],
  }),
  "setup",
  deviceSizes(parameters),
  name => taskNamed(name).declared,
);
const numberOf = (bytes: Uint8Array): bigint => BigInt(`0x${Buffer.from(bytes).reverse().toString("hex")}`);

interface TxSignals {
  readonly valid: { readonly value: number };
  readonly ready: { readonly value: number };
  readonly payload: { readonly last: { readonly value: number } };
}
/** A port's MAC: it cannot wait on the way in, and may pause on the way out. */
class MacStandIn {
  readonly #clock;
  readonly #rx;
  readonly sink: AxisSink;
  lost = 0;
  /** A frame to it has begun and not ended, and its next beat is not there: a MAC would send a broken frame. */
  dry = 0;

  constructor(b: B, i: number) {
    const domain = `mac${i}`,
      io = b.io as unknown as Readonly<Record<string, never>>,
      port = (name: string) => io[`${name}${i}`] as never,
      tx = port("macTx") as TxSignals;
    this.#clock = b.clock(domain);
    this.#rx = port("macRx");
    this.sink = new AxisSink(b.sim, port("macTx"), { domain, pause: bernoulli(0.2, i + 1) });
    let within = false;
    b.onEdge(
      {
        sample: () => {
          if (within && tx.valid.value === 0) this.dry++;
          if (tx.valid.value === 1 && tx.ready.value === 1) within = tx.payload.last.value === 0;
          this.lost += (port("macLost") as { value: number }).value;
        },
      },
      domain,
    );
  }
  async send(frame: Uint8Array, damaged = false): Promise<void> {
    for (let at = 0; at < frame.length; at += beatBytes) {
      const part = frame.subarray(at, at + beatBytes);
      poke(this.#rx, {
        valid: 1,
        data: numberOf(part),
        keep: (1n << BigInt(part.length)) - 1n,
        last: at + beatBytes >= frame.length ? 1 : 0,
        user: damaged ? 1 : 0,
      } as never);
      await this.#clock.risingEdge();
    }
    (this.#rx as { valid: { value: number } }).valid.value = 0;
  }
  async quiet(cycles: number): Promise<void> {
    await this.#clock.cycles(cycles);
  }
}

/** Software after a reset. */
async function broughtUp(b: B): Promise<SnicDriver> {
  const { controlAw: sAw, controlW: sW, controlB: sB, controlAr: sAr, controlR: sR } = b.io,
    driver = driverOf(new LiteMaster(b.sim, { sAw, sW, sB, sAr, sR }, { domain: "node" }), ports);
  await configureDevice(driver, setup);
  await b.clock("node").cycles(clearingCycles);
  return driver;
}
const lengths = [60, 64, 65, 300, 1536];
/** Each port gets frames of all lengths for its neighbour, in turns switched and through the task. */
async function round(b: B, macs: readonly MacStandIn[]): Promise<void> {
  const sent = macs.map((_, i) =>
    lengths.map((bytes, n) => {
      const plain = udp(host(i), host(i + 1), { from: 1000 + n, to: 2000 + i }, filler(Math.max(0, bytes - 42 - 12)));
      return n % 2 === 0 ? plain : putShims(plain, { snic: shim(0x401) });
    }),
  );
  await Promise.all(
    macs.map(async (mac, i) => {
      for (const frame of sent[i] ?? []) {
        await mac.send(frame);
        await mac.quiet(5);
      }
    }),
  );
  await b.clock("node").until(() => macs.every(m => m.sink.frames.length === lengths.length));
  const plain = (frame: Uint8Array): string => Buffer.from(frame).toString("hex");
  for (const [i, mac] of macs.entries()) {
    const came = mac.sink.frames.splice(0).map(f => plain(f.bytes)),
      from = (i + ports - 1) % ports,
      wanted = (sent[from] ?? []).map((f, n) =>
        plain(
          n % 2 === 0
            ? f
            : udp(
                host(from),
                host(from + 1),
                { from: 1000 + n, to: 2000 + from },
                filler(Math.max(0, (lengths[n] ?? 0) - 42 - 12)),
              ),
        ),
      );
    expect(came.toSorted()).toEqual(wanted.toSorted());
  }
}
async function life(b: B): Promise<void> {
  const macs = Array.from({ length: ports }, (_, i) => new MacStandIn(b, i));
  await b.clock("node").cycles(20);
  await broughtUp(b);
  await round(b, macs);
  // A reset beside a frame that comes: nothing of it is left, and software begins anew.
  await macs[0]?.send(filler(128));
  b.sim.reset();
  await b.clock("node").cycles(50);
  const driver = await broughtUp(b);
  for (const mac of macs) mac.sink.frames.splice(0);
  await round(b, macs);
  // One that comes damaged is counted where it came, and goes nowhere.
  await macs[2]?.send(udp(host(2), host(3), { from: 1, to: 2 }, filler(100)), true);
  await b.clock("node").cycles(200);
  expect(macs.flatMap(m => m.sink.frames)).toEqual([]);
  expect(macs.map(m => [m.lost, m.dry])).toEqual(macs.map(() => [0, 0]));
  const inside = await readInside(driver, ports);
  expect([inside.core, inside.lane, inside.cells]).toEqual([0, 0, 0]);
  expect(inside.ports.map(p => p.queued + p.kept)).toEqual(inside.ports.map(() => 0));
}
const run = (what: string, change: (d: ReturnType<typeof dut>) => Dut<Ports>) =>
  runBench(what, change(dut()), { clocks, hangCycles: 60_000, wave: false }, life);

describe("the board's device", () => {
  test("frames through all four MACs, before and after a reset", () => run("board device", d => d));
  it("a crossing that forgets that a frame is damaged is found", async () => {
    await findsFault(run("board device, a fault", d => plant(d, "held_user <= from_user;", "held_user <= 1'b0;")));
  });
});
