/** How much goes through the tasks that encrypt and seal, with frames back to back. */
import { CheckFailed } from "../../../shared/command-line/index.ts";
import { deviceSizes, taskNamed } from "../../build/index.ts";
import { makeParameters } from "../../config/index.ts";
import { type SimulatedSuperNic, withDevice } from "../../rig/index.ts";
import { readSetup, type Setup, taskWrite } from "../../software/index.ts";
import { aesDrops, aesFrontBytes, aesLaunchWord, aesRowWords, trailerBytes } from "../../wire/index.ts";
import { fcsBytes, frameFor } from "./measured-device.ts";
import { type Rate, rateOfFrames } from "./rate.ts";

export interface CipherRate {
  readonly task: string;
  readonly rate: Rate;
  /** Bytes of a frame that leaves, check sequence included. */
  readonly leaves: number;
}
const ports = 2,
  template = 1,
  firstUdpPort = 1000,
  /** Cycles in which a row becomes live. */
  preparation = 600;
/** Each with the bytes by which a frame grows. */
const tasks = [
  { name: "encrypt", grows: aesFrontBytes - aesDrops.encrypt },
  { name: "seal", grows: aesFrontBytes - aesDrops.encrypt + trailerBytes },
] as const;

/** DAG `d` has task `d`, and leaves by port 1. */
function setupOf(parameters: ReturnType<typeof makeParameters>): Setup {
  const file = {
    mac: "02:5c:00:00:00:01",
    ip: "10.20.0.1",
    ports: Array.from({ length: ports }, () => ({})),
    users: [{ name: "user", contexts: parameters.contexts, cells: parameters.cells }],
    regions: tasks.map(({ name }) => ({ chain: name, tasks: [name] })),
    tunnels: [
      {
        name: "site",
        number: template,
        user: "user",
        vxlan: { dst: "02:5c:00:00:01:01", from: "192.0.2.1", to: "198.51.100.7", vni: 77 },
      },
    ],
    dags: tasks.map(({ name }, i) => ({
      name,
      user: "user",
      uid: 0x0400 + i + 1,
      stages: [[{ chain: name, arg: 0 }]],
      egress: { port: 1 },
    })),
    rules: tasks.map(({ name }, i) => ({ protocol: 17, toPort: firstUdpPort + i, action: { dag: name } })),
  };
  return readSetup(JSON.stringify(file), "cipher setup", deviceSizes(parameters), t => taskNamed(t).declared);
}
/** A key and a launch for each task; nothing hangs on their values. */
async function bringKeys(device: SimulatedSuperNic, setup: Setup): Promise<void> {
  const row = {
    valid: true,
    number: 7,
    user: setup.users[0]?.number ?? 0,
    key: Uint8Array.from({ length: 32 }, (_, i) => i),
    template,
    frontBytes: aesFrontBytes,
  };
  for (const region of tasks.keys())
    await device.driver.write(
      [...aesRowWords(0, row), aesLaunchWord(setup.number, region + 1)].map(w => taskWrite(region, 0, w)),
    );
  await device.bench.cycles(preparation);
}

/** @throws CheckFailed when a frame leaves that does not have the length of a tunnel, or when too few leave */
export function measureCiphers(
  seed: number,
  o: { readonly sizes: readonly number[]; readonly frames: number },
): Promise<readonly CipherRate[]> {
  const parameters = makeParameters({ ports }),
    setup = setupOf(parameters);
  return withDevice(
    "ciphers",
    setup,
    parameters,
    { seed, backToBack: true, signals: true, wave: false, limitCycles: Infinity },
    async device => {
      await bringKeys(device, setup);
      const rates: CipherRate[] = [];
      for (const [dag, { name, grows }] of tasks.entries())
        for (const size of o.sizes) {
          const all = [frameFor(dag, { size, from: 0, ports })],
            leaves = size + grows;
          const rate = await rateOfFrames(device, { size, frames: o.frames, all }, (port, bytes) => {
            if (port !== 1 || bytes.length !== leaves - fcsBytes)
              throw new CheckFailed(`${name}: ${bytes.length} bytes leave by port ${port}, of a frame of ${size}`);
          });
          rates.push({ task: name, rate, leaves });
        }
      return rates;
    },
  );
}
