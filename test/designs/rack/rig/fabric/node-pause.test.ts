/**
 * A memory node whose sNIC pauses it. Its MAC obeys, for as long as it was told, and keeps the pause to itself: the
 * node counts no frame that is not its own. A campaign of a million operations found that it did not.
 */
import { expect, it } from "vitest";
import { clioMessage, opcode } from "../../../../../designs/clio/wire/index.ts";
import { type RunningRack, withRack } from "../../../../../designs/rack/rig/fabric/index.ts";
import { readRack } from "../../../../../designs/rack/setup/index.ts";
import { udpFrame } from "../../../../../designs/shared/wire/index.ts";
import { pfcFrame, pfcQuantumBits } from "../../../../../designs/supernic/wire/index.ts";

const gbps = 40,
  quanta = 400,
  pauseNs = (quanta * pfcQuantumBits) / gbps,
  round = 4_000,
  host = { mac: 0x02_10_00_00_00_00n, ip: 0x0a14_0101, port: 4000 },
  snicMac = 0x02_5c_00_00_00_01n;
const plan = () =>
  readRack(
    JSON.stringify({
      devices: [
        {
          name: "snic0",
          set: { ports: 2, regions: 1, slots: 1, branches: 1, contexts: 64, cells: 128, users: 2 },
          setup: { mac: "02:5c:00:00:00:01", ip: "10.20.0.1" },
        },
      ],
      nodes: [{ name: "mem0", mac: "02:c1:10:00:00:00", ip: "10.20.2.1" }],
      endpoints: [{ name: "host0", mac: "02:10:00:00:00:00", ip: "10.20.1.1", program: { kind: "capture" } }],
      links: [{ between: ["host0", "snic0:0"] }, { between: ["mem0", "snic0:1"], gbps }],
    }),
    "node-pause",
  );
const withNode = (body: (rack: RunningRack, ask: () => void, answers: number[]) => Promise<void>): Promise<void> =>
  withRack(plan(), { seed: 1 }, async rack => {
    const { settings } = rack.node("mem0"),
      { mac, ip, nativePort } = settings.runtime,
      answers: number[] = [];
    rack.endpoint("host0").onFrame = () => answers.push(rack.clockwork.time.now());
    let asked = 0;
    const ask = (): void =>
      rack
        .endpoint("host0")
        .send(
          udpFrame(
            host,
            { mac, ip, port: nativePort },
            clioMessage({ opcode: opcode.PINGPONG, requestId: ++asked }, new Uint8Array(8)),
          ),
        );
    ask();
    await rack.clockwork.pause(round);
    expect(answers).toHaveLength(1);
    await body(rack, ask, answers);
    await rack.clockwork.pause(round);
    const { counters, problems } = await rack.node("mem0").finish(true);
    expect(problems).toEqual([]);
    expect([Number(counters.rxFrames), Number(counters.txFrames)]).toEqual([asked, asked]);
    expect([answers.length, rack.node("mem0").waiting]).toEqual([asked, 0]);
  });
const pause = (rack: RunningRack, n: number): void => rack.node("mem0").jack.arrive(pfcFrame(snicMac, { 4: n }), false);

it("it sends nothing while it is paused, and all that waits when the time is over", () =>
  withNode(async (rack, ask, answers) => {
    const begun = rack.clockwork.time.now();
    pause(rack, quanta);
    for (let i = 0; i < 5; i++) ask();
    await rack.clockwork.pause(pauseNs - 100);
    expect([answers.length, rack.node("mem0").waiting]).toEqual([1, 5]);
    expect(await rack.node("mem0").isAtRest()).toBe(false);
    await rack.clockwork.pause(round);
    expect(answers).toHaveLength(6);
    expect(Math.min(...answers.slice(1))).toBeGreaterThan(begun + pauseNs);
  }));

it("a word of its sNIC ends the pause at once", () =>
  withNode(async (rack, ask, answers) => {
    pause(rack, 65_535);
    ask();
    await rack.clockwork.pause(round);
    expect(answers).toHaveLength(1);
    pause(rack, 0);
    await rack.clockwork.pause(round);
    expect(answers).toHaveLength(2);
    expect(rack.node("mem0").counts.pauses).toBe(2);
  }));
