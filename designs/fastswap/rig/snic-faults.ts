/** How long a fault's page waits at a sNIC's port, behind the windows of other machines' pages and before them. */
import { CheckFailed } from "../../shared/command-line/index.ts";
import { deviceSizes, taskNamed } from "../../supernic/build/index.ts";
import { clockPeriod, makeParameters } from "../../supernic/config/index.ts";
import { type SimulatedSuperNic, withDevice } from "../../supernic/rig/index.ts";
import { readSetup } from "../../supernic/software/index.ts";
import { filler, udp } from "../../supernic/workload/index.ts";
import { linePause } from "./line-pause.ts";
import { lineGbps } from "./paged-machine.ts";

/** All pages of one user; a user and class for the faults; the same, and that class leaves first. */
export const snicWays = ["one class", "a class in turns", "an urgent class"] as const;
export type SnicWay = (typeof snicWays)[number];

export interface SnicFaultTimes {
  readonly way: SnicWay;
  /** ns of a page that comes alone, from its first beat at the sNIC to its last one on the line. */
  readonly alone: number;
  /** ns of pages that come while windows wait for the line. */
  readonly faults: readonly number[];
  /** ns from the first frame of the windows to the fault's page: the line was busy since then. */
  readonly behind: number;
}
export interface SnicFaultOptions {
  readonly seed: number;
  readonly rounds: number;
  /** Pages of a window. */
  readonly window: number;
}
/** Users whose windows wait, each with a class of its own; the fault's is 0. */
const prefetchers = 3,
  framesOfPage = 3,
  /** Three of these are a page and its headers. */
  frameBytes = 1_450,
  /** Bytes of headers of UDP over IPv4. */
  headers = 42,
  fromNode = 0,
  toMachine = 1,
  firstPort = 1_000,
  node = { mac: 0x025c_0000_0100n, ip: 0x0a14_0100 },
  machine = { mac: 0x025c_0000_0101n, ip: 0x0a14_0101 };

function setupOf(way: SnicWay) {
  const parameters = makeParameters({ ports: 2, regions: 1, slots: 1, users: 8, contexts: 256, cells: 1024 }),
    names = ["fault", ...Array.from({ length: prefetchers }, (_, i) => `window${i}`)];
  const file = {
    mac: "02:5c:00:00:00:01",
    ip: "10.20.0.1",
    ports: [{}, {}],
    ...(way === "an urgent class" && { urgentClass: 0 }),
    stations: [
      { name: "node", mac: "02:5c:00:00:01:00", ip: "10.20.1.0", port: fromNode },
      { name: "machine", mac: "02:5c:00:00:01:01", ip: "10.20.1.1", port: toMachine },
    ],
    users: names.map((name, i) => ({ name, class: way === "one class" ? 0 : i, contexts: 64, cells: 256 })),
    regions: [{ chain: "pages", tasks: ["dummy"] }],
    dags: names.map((name, i) => ({ name, user: name, uid: 0x0401 + i, stages: [[{ chain: "pages" }]] })),
    rules: names.map((name, i) => ({ protocol: 17, toPort: firstPort + i, action: { dag: name } })),
  };
  return {
    parameters,
    setup: readSetup(JSON.stringify(file), "fastswap", deviceSizes(parameters), t => taskNamed(t).declared),
  };
}
const frameOf = (user: number): Uint8Array =>
  udp(node, machine, { from: 2_000 + user, to: firstPort + user }, filler(frameBytes - headers));

/** Waits until so many frames have left. @returns the cycle behind the last beat of the fault's last frame */
async function until(device: SimulatedSuperNic, frames: number): Promise<number> {
  let left = 0,
    ofFault = 0,
    end = NaN;
  while (left < frames) {
    for (let f = device.take(); f; f = device.take()) {
      if (f.port !== toMachine || f.frame.bytes.length !== frameBytes)
        throw new CheckFailed(`a frame of ${f.frame.bytes.length} bytes leaves by port ${f.port}`);
      left++;
      // The destination port of UDP: whose it is.
      const to = new DataView(f.frame.bytes.buffer, f.frame.bytes.byteOffset).getUint16(36);
      if (to !== firstPort) continue;
      ofFault++;
      if (ofFault === framesOfPage) end = f.frame.end;
    }
    await device.bench.cycles(1);
  }
  if (ofFault !== framesOfPage) throw new CheckFailed(`${ofFault} frames of the fault have left`);
  return end;
}

/** Measures pages of faults, each while three windows that came before it wait for the line of the machine. */
export function measureSnicFaults(way: SnicWay, o: SnicFaultOptions): Promise<SnicFaultTimes> {
  const { setup, parameters } = setupOf(way);
  const pauseTx = (port: number) => linePause(port === toMachine ? lineGbps : 1_000, clockPeriod);
  return withDevice(
    `faults at a sNIC, ${way}`,
    setup,
    parameters,
    { seed: o.seed, pauseTx, wave: false, limitCycles: Infinity, hangCycles: 100_000 },
    async device => {
      const { bench } = device;
      const page = async (others: number): Promise<number> => {
        const sent = Array.from({ length: framesOfPage }, () => device.send(fromNode, frameOf(0)));
        const end = await until(device, others + framesOfPage);
        return (end - (sent[0]?.start ?? NaN)) * clockPeriod;
      };
      const alone = await page(0),
        faults: number[] = [];
      let behind = 0;
      for (let r = 0; r < o.rounds; r++) {
        await bench.cycles(1_000);
        const ofWindow = framesOfPage * o.window,
          from = bench.cycle;
        for (let i = 0; i < ofWindow; i++) for (let u = 1; u <= prefetchers; u++) device.send(fromNode, frameOf(u));
        // They are all inside before the fault's page comes: the line from the node is ten times as fast.
        await bench.cycles(Math.ceil((prefetchers * ofWindow * (frameBytes + 24) * 8) / 100 / clockPeriod) + 200);
        behind = (bench.cycle - from) * clockPeriod;
        faults.push(await page(prefetchers * ofWindow - (await leftAlready(device))));
      }
      return { way, alone, faults, behind };
    },
  );
}
/** Frames that have left, and have not been looked at. */
async function leftAlready(device: SimulatedSuperNic): Promise<number> {
  await device.bench.cycles(1);
  let n = 0;
  while (device.take()) n++;
  return n;
}
