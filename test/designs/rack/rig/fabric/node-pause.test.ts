/**
 * A memory node whose sNIC pauses it. Its MAC obeys, for as long as it was told, and keeps the pause to itself: the
 * node counts no frame that is not its own. A campaign of a million operations found that it did not.
 */
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import * as clioBuild from "../../../../../designs/clio/build/index.ts";
import * as clioRig from "../../../../../designs/clio/rig/index.ts";
import { clioMessage, opcode } from "../../../../../designs/clio/wire/index.ts";
import { type RackNode, type RunningRack, withRack } from "../../../../../designs/rack/rig/fabric/index.ts";
import { readRack } from "../../../../../designs/rack/setup/index.ts";
import * as wire from "../../../../../designs/shared/wire/index.ts";
import * as snicWire from "../../../../../designs/supernic/wire/index.ts";
import { root } from "../../../../../scripts/setup/paths.mjs";
import * as sim from "../../../../../sim/index.ts";
import { faulty } from "./support/faulty.ts";

const { udpFrame } = wire,
  { pfcFrame, pfcQuantumBits } = snicWire;

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
type With = typeof withRack;
const withNode = (
  made: With,
  body: (rack: RunningRack, ask: () => void, answers: number[]) => Promise<void>,
): Promise<void> =>
  made(plan(), { seed: 1 }, async rack => {
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

const obeys = (made: With): Promise<void> =>
  withNode(made, async (rack, ask, answers) => {
    const begun = rack.clockwork.time.now();
    pause(rack, quanta);
    for (let i = 0; i < 4; i++) ask();
    await rack.clockwork.pause(pauseNs - 100);
    expect([answers.length, rack.node("mem0").waiting]).toEqual([1, 4]);
    expect(await rack.node("mem0").isAtRest()).toBe(false);
    await rack.clockwork.pause(round);
    expect(answers).toHaveLength(5);
    expect(Math.min(...answers.slice(1))).toBeGreaterThan(begun + pauseNs);
  });

const isBounded = (made: With): Promise<void> =>
  withNode(made, async (rack, ask, answers) => {
    pause(rack, 65_535);
    for (let i = 0; i < 20; i++) ask();
    await rack.clockwork.pause(2 * round);
    // One may be on its way into the MAC as that is full.
    expect(rack.node("mem0").waiting).toBeGreaterThanOrEqual(4);
    expect(rack.node("mem0").waiting).toBeLessThanOrEqual(5);
    expect(rack.node("mem0").node.idle).toBe(false);
    pause(rack, 0);
    await rack.clockwork.pause(2 * round);
    expect(answers).toHaveLength(21);
  });

const isApart = (made: With): Promise<void> =>
  withNode(made, async (rack, ask, answers) => {
    const host0 = rack.endpoint("host0"),
      all = (n: number) => Object.fromEntries(Array.from({ length: 8 }, (_, k) => [k, n]));
    host0.send(pfcFrame(host.mac, all(65_535)));
    ask();
    await rack.clockwork.pause(round);
    const { counts, jack } = rack.node("mem0");
    expect([counts.pauses, jack.counts.sent, answers.length]).toEqual([0, 2, 1]);
    host0.send(pfcFrame(host.mac, all(0)));
    await rack.clockwork.pause(round);
    expect(answers).toHaveLength(2);
  });

const resumes = (made: With): Promise<void> =>
  withNode(made, async (rack, ask, answers) => {
    pause(rack, 65_535);
    ask();
    await rack.clockwork.pause(round);
    expect(answers).toHaveLength(1);
    pause(rack, 0);
    await rack.clockwork.pause(round);
    expect(answers).toHaveLength(2);
    expect(rack.node("mem0").counts.pauses).toBe(2);
  });

it("it sends nothing while it is paused, and all that waits when the time is over", () => obeys(withRack));
it("its MAC keeps few frames, and the node the others", () => isBounded(withRack));
it("a pause of a host ends at the sNIC: it holds up what that host is sent, and no node", () => isApart(withRack));
it("a word of its sNIC ends the pause at once", () => resumes(withRack));

describe("planted faults: each is found", () => {
  /** A rack whose node is a copy with the fault; all that it is made of is everybody's. */
  const withFault = async (from: string, to: string): Promise<With> => {
    const shared = new Map<string, unknown>([
      [join(root, "sim/index.ts"), sim],
      [join(root, "designs/clio/build/index.ts"), clioBuild],
      [join(root, "designs/clio/rig/index.ts"), clioRig],
      [join(root, "designs/shared/wire/index.ts"), wire],
      [join(root, "designs/supernic/wire/index.ts"), snicWire],
    ]);
    const { RackNode: Faulty } = (await faulty("node.ts", "node.ts", from, to, shared)) as {
      readonly RackNode: typeof RackNode;
    };
    return (rack, o, body) =>
      withRack(
        rack,
        { ...o, apart: { elsewhere: [], device: () => undefined, node: (_, own, time) => new Faulty(own, time) } },
        body,
      );
  };
  it("and nothing without one", async () => {
    const made = await withFault("freeAt: 0", "freeAt: 0 + 0");
    for (const run of [obeys, isBounded, resumes]) await run(made);
  });
  it.each<readonly [string, string, string, (made: With) => Promise<void>, RegExp]>([
    [
      "the node gets the pause",
      "if (pauses === undefined) void",
      "if (pauses !== null) void",
      obeys,
      /to deeply equal/,
    ],
    ["it is not obeyed", "{ obeys: true }", "{ obeys: false }", obeys, /to deeply equal/],
    ["the quanta are those of another line", "gbps, freeAt: 0", "gbps: 100, freeAt: 0", obeys, /to deeply equal/],
    ["the MAC keeps all", "this.waiting >= mostWaiting", "false", isBounded, /to be less than or equal/],
    [
      "a node whose frames wait is at rest",
      "this.node.idle && this.waiting === 0",
      "this.node.idle",
      obeys,
      /to be false/,
    ],
    ["a pause is a frame of the node's", "received - this.counts.pauses", "received", resumes, /to deeply equal/],
  ])("%s", async (_, from, to, run, says) => {
    await expect(run(await withFault(from, to))).rejects.toThrow(says);
  });
});
