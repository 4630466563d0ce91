/** The shipped capture through the device, cycle by cycle. */
import { expect, it } from "vitest";
import { makeParameters } from "../../../../designs/supernic/config/index.ts";
import { DeviceScoreboard } from "../../../../designs/supernic/model/index.ts";
import { play, withDevice } from "../../../../designs/supernic/rig/device/index.ts";
import { demoCapture } from "../../../../designs/supernic/workload/index.ts";
import { demo } from "../support/demo.ts";

it("each frame of the shipped capture has the fate that its title says", async () => {
  const setup = demo(),
    frames = demoCapture();
  const portOf = (f: Uint8Array): number => {
    const src = f.slice(6, 12).reduce((v, b) => v * 256n + BigInt(b), 0n);
    return (
      setup.stations.find(s => s.mac === src)?.port ?? setup.peers.find(p => p.mac === src)?.port ?? setup.uplink ?? 0
    );
  };
  const result = await withDevice(
    "demo",
    setup,
    makeParameters(),
    { limitCycles: Infinity, wave: false },
    async device =>
      play(
        device,
        frames.map(f => ({ timeNs: BigInt(f.time), bytes: f.frame, port: portOf(f.frame), damaged: f.damaged })),
        { pace: "capture", scoreboard: new DeviceScoreboard(setup) },
      ),
  );
  console.log(result.cycles, result.problems.slice(0, 30));
  const told = result.played.map((p, i) => [frames[i]?.title, frames[i]?.expect, p.outcome, p.latency]);
  for (const t of told) if (!String(t[2]).includes(String(t[1]))) console.log(t);
  expect(result.problems).toEqual([]);
}, 600_000);
