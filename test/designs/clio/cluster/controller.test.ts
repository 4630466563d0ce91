/** The global controller: the published client's monitor on one port, and regions among three nodes on the other. */
import { expect, test } from "vitest";
import { ClusterProcess } from "../../../../designs/clio/client/index.ts";
import { GlobalController, type MemberNode } from "../../../../designs/clio/software/index.ts";
import * as p from "../../../support/packets.ts";
import { SimulatedTime } from "../../../../sim/index.ts";
import { findsFault } from "../../../support/plant.ts";
import { publishedCapture } from "../../../support/captures.ts";
import { insist, onCluster, page } from "./rig.ts";
import { traffic } from "./traffic.ts";

test("the published client's start-up gets the bytes that its own monitor sent", async () => {
  const node: MemberNode = { name: "board0", mac: 0x020000000002n, ip: 0x0a4d0002, port: 1234, memoryBytes: 2 ** 31 },
    sent: Uint8Array[] = [];
  const controller = new GlobalController({
    own: { mac: 0x020000000002n, ip: 0x0a4d0009, port: 10000 },
    nodes: [node],
    firstPid: 1,
    clock: new SimulatedTime(),
    send: f => {
      sent.push(f);
    },
  });
  const frames = publishedCapture("context").map(f => f.bytes);
  let answered = 0;
  for (const [i, frame] of frames.entries()) {
    const d = p.dissect(frame);
    if (d.ethernet?.src !== 0x020000000001n || d.icmp || d.arp) continue;
    controller.receive(frame);
    await new Promise(resolve => {
      setImmediate(resolve);
    });
    expect(sent.at(-1), `frame ${i + 1}`).toEqual(frames[i + 1]);
    answered++;
  }
  expect(answered).toBeGreaterThan(20);
});

test("three nodes: two regions of a process and one of another migrate at the same time, under traffic", () =>
  onCluster({ nodes: 3, clients: 3, limitNs: 1e11 }, async ({ process, controller, time, nodeOf, nodes, clients }) => {
    const a = await process(),
      b = await process(),
      at = (r: number): bigint => BigInt(r) << 30n;
    for (const [ps, r] of [
      [a, 1],
      [a, 2],
      [b, 1],
    ] as const)
      await insist(() => ps[0]!.thread().ralloc(8n * page, { address: at(r) }));
    const places = (): string[] => [nodeOf(a[0]!, 1).name, nodeOf(a[0]!, 2).name, nodeOf(b[0]!, 1).name],
      before = places();
    // By free memory: each at a node of its own.
    expect(new Set(before).size).toBe(3);
    const moves = Promise.all([
      controller.migrate(a[0]!.pid, 1),
      controller.migrate(a[0]!.pid, 2, { mode: "stopAll" }),
      controller.migrate(b[0]!.pid, 1),
    ]);
    const all = await Promise.all([
      traffic({ time, seed: 1, processes: a, va: at(1), pages: 8 }, moves),
      traffic({ time, seed: 2, processes: a, va: at(2), pages: 8 }, moves),
      traffic({ time, seed: 3, processes: b, va: at(1), pages: 8 }, moves),
    ]);
    expect(await moves).toEqual([0, 0, 0]);
    for (const r of all) expect([r.problems, r.failed]).toEqual([[], 0]);
    places().forEach((name, i) => expect(name).not.toBe(before[i]));
    await a[0]!.end();
    await b[0]!.end();
    expect(nodes.map(n => n.slow.memory.entries)).toEqual([0, 0, 0]);
    expect(clients.map(c => c.pending)).toEqual([0, 0, 0]);
  }));

test("a region is told, not given, when nothing is asked for", () =>
  onCluster({}, async ({ process, controller }) => {
    const [p1] = await process();
    await expect(p1!.thread().rread(3n << 30n, 1)).rejects.toThrow(/FAIL|OUT_OF_MEMORY/);
    expect(controller.monitor.map.of(p1!.pid)).toEqual([]);
  }));

/** Memory pressure with a process of the published client, and one of CLib whose region is written later. */
const underPressure = (plant: (controller: GlobalController) => void = () => undefined): Promise<void> =>
  onCluster(
    { pages: [40, 100], cluster: { pressureFrames: 8, watchNs: 200_000 }, limitNs: 1e11 },
    async ({ process, controller, nodes, time, nodeOf }) => {
      plant(controller);
      const [mine] = await process(),
        { map } = controller.monitor,
        small = map.nodes.find(n => n.ip === nodes[0]!.address.ip)!;
      // The published client's messages, whose regions are older and larger.
      const host: p.Endpoint = { mac: 0x02000000aa01n, ip: 0x0a0a0063, port: 4000 },
        at = { mac: 0x02c1100000ffn, ip: 0x0a0a00ff, port: 10_000 };
      controller.receive(p.udpFrame(host, at, p.clioMessage({ opcode: p.opcode.CREATE_PROC }, new Uint8Array(64))));
      const published = mine!.pid + 1;
      for (const pid of [published, mine!.pid]) {
        map.give(pid, 1);
        map.find(pid, 1)!.node = small;
      }
      const other = new ClusterProcess(mine!.client, published, mine!.home),
        va = 1n << 30n;
      for (const [q, pages] of [
        [other, 16],
        [mine!, 12],
      ] as const) {
        await q.thread().ralloc(BigInt(pages) * page, { address: va });
        for (let i = 0n; i < pages; i++) await insist(() => q.thread().rwrite(va + i * page, Uint8Array.of(1)));
      }
      await new Promise<void>(resolve => {
        time.after(8_000_000, resolve);
      });
      expect([nodeOf(other, 1).name, nodeOf(mine!, 1).name]).toEqual(["node0", "node1"]);
    },
  );
test("a process that was created at the published client's monitor stays where it is under memory pressure, and others go", () =>
  underPressure());
test("a fault: it is moved like any other", () =>
  findsFault(
    underPressure(controller => {
      controller.monitor.isPublished = () => false;
    }),
    /node1/,
  ));
