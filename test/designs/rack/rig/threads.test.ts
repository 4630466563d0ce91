/** A rack in several threads: the run is that of one thread, and a thread that fails is told. */
import { describe, expect, it } from "vitest";
import { threadsFor } from "../../../../designs/rack/rig/apart/index.ts";
import type { Apart, Window } from "../../../../designs/rack/rig/fabric/index.ts";
import { readRack } from "../../../../designs/rack/setup/index.ts";
import { type Ran, ran } from "./rack.ts";

const faults = { loss: 0.1, duplicate: 0.1, reorder: 0.1, corrupt: 0.1 },
  small = { ports: 2, regions: 1, slots: 1, branches: 1, contexts: 64, cells: 128, users: 4 };
const mac = (n: number): string => `02:c1:10:00:00:${n.toString(16).padStart(2, "0")}`;
/** Two hosts, each with a node of its own, behind one switch; or with a sNIC before each node. */
function setup(withDevices: boolean): string {
  const of = <T>(each: (i: number) => T): T[] => [0, 1].map(each);
  return JSON.stringify({
    devices: withDevices
      ? of(i => ({ name: `snic${i}`, set: small, setup: { mac: mac(0x40 + i), ip: `10.9.3.${i + 1}`, number: i } }))
      : [],
    nodes: of(i => ({ name: `mem${i}`, mac: mac(i + 1), ip: `10.9.0.${i + 1}` })),
    switches: [{ name: "tor", ports: 4 }],
    endpoints: of(i => ({
      ...{ name: `host${i}`, mac: mac(0x10 + i), ip: `10.9.1.${i + 1}` },
      program: { kind: "clib", node: `mem${1 - i}`, operations: 12, mostBytes: 400 },
    })),
    links: [
      ...of(i => ({ between: [`host${i}`, `tor:${i}`], latencyNs: 100, ...faults })),
      // What is damaged behind the switch comes to the other thread so.
      ...of(i => ({ between: [`tor:${2 + i}`, withDevices ? `snic${i}:0` : `mem${i}`], latencyNs: 130, corrupt: 0.1 })),
      ...(withDevices ? of(i => ({ between: [`snic${i}:1`, `mem${i}`], latencyNs: 90 })) : []),
    ],
  });
}
/** A run with so many threads. @param change plants a fault between them */
function runOf(text: string, threads: number, change: (a: Apart) => Apart = a => a): Promise<Ran> {
  const plan = readRack(text, "threads"),
    apart = threadsFor(plan, { text, path: "threads", seed: 1 }, threads);
  return ran(plan, apart ? { apart: change(apart) } : {});
}
/** What must be equal: every counter of every sNIC and node, and how each operation ended. */
const told = ({ finished, workloads, problems, lost, repetitions }: Ran) => ({
  ...{ problems, lost, repetitions },
  devices: [...finished.devices],
  nodes: [...finished.nodes],
  results: workloads.map(w => w.result),
});

/** The nodes' run in one thread, which the others are held against. */
let single: Promise<ReturnType<typeof told>> | undefined;
const nodesAlone = () => (single ??= runOf(setup(false), 1).then(told));

describe("the run of two threads is that of one", () => {
  it("nodes behind a switch, one host's frames spoilt", async () => {
    const one = await nodesAlone();
    expect(one.problems).toEqual([]);
    expect(one.lost).toBeGreaterThan(0);
    expect(told(await runOf(setup(false), 2))).toEqual(one);
  });
  it("with a sNIC before each node, by two threads and by four", async () => {
    const one = told(await runOf(setup(true), 1));
    expect(one.problems).toEqual([]);
    expect(told(await runOf(setup(true), 2))).toEqual(one);
    expect(told(await runOf(setup(true), 4))).toEqual(one);
  });
});

describe("a planted fault between threads is found", () => {
  /** Changes what a window brings. */
  const changed =
    (change: (w: Window) => Window) =>
    (apart: Apart): Apart => {
      for (const e of apart.elsewhere) {
        const advance = e.advance.bind(e);
        e.advance = async cycle => change(await advance(cycle));
      }
      return apart;
    };
  it("frames are told a window late", async () => {
    const one = await nodesAlone();
    let kept: Window["sent"] = [];
    const late = changed(w => {
      const sent = kept;
      kept = w.sent;
      return { ...w, sent };
    });
    const found = await runOf(setup(false), 2, late).then(told, (e: unknown) => e);
    expect(found).not.toEqual(one);
  });
  it("a frame is told at the end of its window", async () => {
    const one = await nodesAlone();
    let end = 0;
    const coarse = changed(w => {
      end += 100;
      return { ...w, sent: w.sent.map(s => ({ ...s, ns: end })) };
    });
    const found = await runOf(setup(false), 2, coarse).then(told, (e: unknown) => e);
    expect(found).not.toEqual(one);
  });
});

it("a planted fault is found: a frame that came damaged is whole to the other thread", async () => {
  const one = await nodesAlone(),
    found = await runOf(setup(false), 2, apart => {
      const { node } = apart;
      return {
        ...apart,
        node: (member, o, time) => {
          const far = node(member, o, time);
          if (far !== undefined) {
            const receive = far.jack.receive.bind(far.jack);
            far.jack.receive = frame => receive(frame, false);
          }
          return far;
        },
      };
    }).then(told, (e: unknown) => e);
  expect(found).not.toEqual(one);
});
it("a thread that ends in the middle of a run ends it with its sentence", async () => {
  const text = setup(false),
    plan = readRack(text, "threads"),
    apart = threadsFor(plan, { text, path: "threads", seed: 1 }, 2);
  const run = ran(plan, apart ? { apart } : {}, rack => {
    rack.clockwork.time.after(3000, () => void apart?.elsewhere[0]?.end());
  });
  await expect(run).rejects.toThrow("a thread of the rack has ended before the others");
});
it("a thread that fails ends the run with its sentence", async () => {
  const text = setup(false),
    plan = readRack(text, "threads"),
    apart = threadsFor(plan, { text: text.replace("10.9.0.2", "10.9.0.999"), path: "changed.json", seed: 1 }, 2);
  await expect(ran(plan, apart ? { apart } : {})).rejects.toThrow(/changed\.json/);
});
