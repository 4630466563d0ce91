/** Devices to measure on: a setup of chains and DAGs, and frames that a rule gives to a DAG. */
import { CheckFailed } from "../../../shared/command-line/index.ts";
import { deviceSizes, taskNamed } from "../../build/index.ts";
import { makeParameters, type Parameters } from "../../config/index.ts";
import { type LineOptions, type SimulatedSuperNic, withDevice } from "../../rig/index.ts";
import { readSetup, type Setup } from "../../software/index.ts";
import { tableWrite } from "../../wire/index.ts";
import { filler, udp } from "../../workload/index.ts";

/** Bytes of the check sequence, which a frame has on the line and not inside. */
export const fcsBytes = 4;
const udpHeaders = 42,
  mac = (n: number): string => `02:5c:00:00:01:${n.toString(16).padStart(2, "0")}`,
  host = (port: number) => ({ mac: 0x025c_0000_0100n + BigInt(port), ip: 0x0a14_0100 + port }),
  firstUdpPort = 1000;

/** A branch: a chain, and how many of its tasks a packet takes; all, where it is left out. */
export interface MeasuredBranch {
  readonly chain: string;
  readonly tasks?: number;
}
export interface MeasuredDag {
  readonly name: string;
  readonly stages: readonly (readonly MeasuredBranch[])[];
}
export interface MeasuredSetup {
  /** Build parameters. */
  readonly set: Readonly<Record<string, unknown>>;
  readonly regions: readonly { readonly chain: string; readonly tasks: readonly string[] }[];
  readonly dags: readonly MeasuredDag[];
}

/** DAG `d` takes UDP to port 1000 + d. What comes in at a port leaves at the next one, by its MAC. */
export function setupOf({ regions, dags }: MeasuredSetup, parameters: Parameters): Setup {
  const stations = Array.from({ length: parameters.ports }, (_, i) => ({
    name: `host${i}`,
    mac: mac(i),
    ip: `10.20.1.${i}`,
    port: i,
  }));
  const file = {
    mac: "02:5c:00:00:00:01",
    ip: "10.20.0.1",
    ports: stations.map(() => ({})),
    stations,
    users: [{ name: "user", contexts: parameters.contexts, cells: parameters.cells }],
    regions,
    dags: dags.map(({ name, stages }, i) => ({
      name,
      user: "user",
      uid: 0x0400 + i + 1,
      stages: stages.map(s =>
        s.map(({ chain, tasks }) => ({ chain, ...(tasks && { run: Array.from({ length: tasks }, (_, k) => k) }) })),
      ),
    })),
    rules: dags.map(({ name }, i) => ({ protocol: 17, toPort: firstUdpPort + i, action: { dag: name } })),
  };
  return readSetup(JSON.stringify(file), "measured setup", deviceSizes(parameters), t => taskNamed(t).declared);
}

/** A frame of `size` bytes, check sequence included, for a DAG. `flow`: frames of one are kept in order. */
export const frameFor = (dag: number, o: { size: number; from: number; ports: number; flow?: number }): Uint8Array =>
  udp(
    host(o.from),
    host((o.from + 1) % o.ports),
    { from: 2000 + (o.flow ?? 0), to: firstUdpPort + dag },
    filler(o.size - fcsBytes - udpHeaders),
  );

/** Places of the FIFO of each task of a region, as software sets them: credits. */
export async function setCredits(device: SimulatedSuperNic, region: number, tasks: number, credits: number) {
  await device.driver.write(
    Array.from({ length: tasks }, (_, slot) =>
      // Candidates wait only when a FIFO is full.
      tableWrite("slot", region * 8 + slot, { limit: credits, busyAt: credits }),
    ),
  );
}

/** A device of this setup, brought up. */
export function withMeasured<T>(
  name: string,
  setup: MeasuredSetup,
  options: LineOptions & { readonly seed: number },
  body: (device: SimulatedSuperNic) => Promise<T>,
): Promise<T> {
  const parameters = makeParameters(setup.set);
  return withDevice(
    name,
    setupOf(setup, parameters),
    parameters,
    { ...options, signals: true, wave: false, limitCycles: Infinity },
    body,
  );
}

/** Cycles between two frames that shall not meet. */
const quiet = 60;
/**
 * One frame through an idle device. @returns cycles from its last beat in to its first beat out
 * @throws CheckFailed when another frame comes out
 */
export async function latencyOf(device: SimulatedSuperNic, frame: Uint8Array): Promise<number> {
  await device.bench.cycles(quiet);
  const sent = device.send(0, frame);
  let left = device.take();
  await device.bench.until(() => (left ??= device.take()) !== undefined);
  checkSame(left?.frame.bytes, frame);
  return (left?.frame.start ?? NaN) - (sent.end ?? NaN);
}
/** Tasks of a measurement change nothing. */
export function checkSame(got: Uint8Array | undefined, sent: Uint8Array | undefined): void {
  if (got === undefined || sent === undefined || Buffer.compare(got, sent) !== 0)
    throw new CheckFailed("a frame that is measured does not leave as it came");
}
