/** Several cycle-accurate nodes and their global controller behind real UDP ports (paper §4.4.7). */
import { afterAll, beforeAll, expect, test } from "vitest";
import { Client, ClusterProcess } from "../../../../../designs/clio/client/index.ts";
import * as p from "../../../../support/packets.ts";
import { realClock, UdpTransport } from "../../../../../designs/clio/rig/index.ts";
import { publishedCapture } from "../../../../support/captures.ts";
import { insist } from "../../cluster/rig.ts";
import { ownAddress, UdpClient } from "./served.ts";
import { type RunningCluster, servedCluster } from "./served-cluster.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";

onlyHangsEnd();

const { opcode, status } = p,
  page = 4096n;
const pause = (ms: number): Promise<void> =>
  new Promise(resolve => {
    setTimeout(resolve, ms);
  });
let cluster: RunningCluster;
beforeAll(async () => {
  cluster = await servedCluster({ pages: [60, 60], pressureFrames: 20, watchNs: 100e6 });
});
afterAll(async () => {
  const served = await cluster.stop();
  expect(served.nodes.map(n => n?.lost)).toEqual([0, 0]);
  expect(served.controllerFrames).toBeGreaterThan(20);
});

test("the published client's start-up over two nodes: JOIN, both nodes announced before its reply, CREATE_PROC, ALLOC at the monitor, ALLOC at the node, data", async () => {
  const { ip, nodeIps, nodes } = cluster;
  const join = publishedCapture("context")
      .map(f => p.dissect(f.bytes))
      .find(d => d.clio?.opcode === opcode.JOIN_CLUSTER)!,
    host = await UdpClient.open(ownAddress(1));
  const member = p.decode(p.joinBody, join.body!);
  host.send(
    ip,
    10_000,
    p.clioMessage(
      { opcode: opcode.JOIN_CLUSTER },
      p.encode(p.joinBody, { ...member, ip: host.ip, udpPort: host.port }),
    ),
  );
  const told = [await host.next(), await host.next(), await host.next()];
  expect(told.map(t => t.header.opcode)).toEqual([opcode.NEW_NODE, opcode.NEW_NODE, p.replyCode(opcode.JOIN_CLUSTER)]);
  const announced = told.slice(0, 2).map(t => p.decode(p.newNodeBody, t.body));
  expect(announced.map(n => [n.ip, n.udpPort]).sort()).toEqual(nodeIps.map(n => [n, 1234]).sort());

  const pid = p.decode(
    p.createProcReplyBody,
    (await host.ask(ip, 10_000, p.clioMessage({ opcode: opcode.CREATE_PROC }, new Uint8Array(64)))).body,
  ).newPid;
  const used = new Set<number>();
  // By free memory: both have the same, so they take turns, but begin anew when a node has told what is free.
  for (let n = 0; used.size < 2; n++) {
    const asked = p.encode(p.allocBody, { len: 8192n, vmFlags: p.vmFlag.write });
    const region = p.decode(
      p.allocReplyBody,
      (await host.ask(ip, 10_000, p.clioMessage({ opcode: opcode.ALLOC, pid }, asked))).body,
    );
    expect(region).toMatchObject({ ret: 0, udpPort: 1234, vregion: n + 1 });
    used.add(region.boardIp);
    const at = await host.ask(
      region.boardIp,
      region.udpPort,
      p.clioMessage(
        { opcode: opcode.ALLOC, pid },
        p.encode(p.allocBody, { len: 8192n, vregion: BigInt(region.vregion), vmFlags: p.vmFlag.write }),
      ),
    );
    const { ret, addr } = p.decode(p.allocReplyBody, at.body);
    expect([ret, addr >> 30n]).toEqual([0, BigInt(region.vregion)]);
    const data = Uint8Array.from({ length: 100 }, (_, i) => i + n),
      access = p.encode(p.accessBody, { va: addr + 50n, length: data.length });
    const wrote = await host.ask(region.boardIp, 1235, p.clioMessage({ opcode: opcode.WRITE, pid }, access, data));
    expect(wrote.header).toMatchObject({ opcode: 0x51, status: status.OK });
    const read = await host.ask(region.boardIp, 1235, p.clioMessage({ opcode: opcode.READ, pid }, access));
    expect(read.body.slice(12)).toEqual(data);
  }
  expect([...used].sort()).toEqual([...nodeIps].sort());
  expect(nodes.map(n => n.slowPath.memory.hasProcess(pid))).toEqual([true, true]);
  expect((await host.ask(ip, 10_000, p.clioMessage({ opcode: opcode.FREE_PROC, pid }))).header.opcode).toBe(
    p.replyCode(opcode.FREE_PROC),
  );
  while (nodes.some(n => n.slowPath.memory.entries > 0)) await pause(20);
  await host.close();
});

test("CLib over several nodes; under memory pressure the region that was written longest ago moves, and every byte is there", async () => {
  const { ip, controller, nodeIps, nodes, migrations } = cluster;
  const transport = await UdpTransport.open(),
    { map } = controller.monitor,
    at = { ip, port: 1200 };
  const client = new Client({
    transport,
    clock: realClock,
    timeoutNs: 60e9,
    targetDelayNs: 1e9,
    pageSize: Number(page),
  });
  const process = await ClusterProcess.create(client, at),
    t = process.thread(),
    place = (r: number): number => map.find(process.pid, r)!.node.ip;
  // Both at the small node: more virtual than physical memory.
  const small = map.nodes.find(n => n.ip === nodeIps[0])!;
  for (const r of [1, 2]) {
    map.give(process.pid, r);
    map.find(process.pid, r)!.node = small;
    await t.ralloc(24n * page, { address: BigInt(r) << 30n });
  }
  const text = (r: number, i: number): Uint8Array => new TextEncoder().encode(`region ${r}, page ${i}`),
    va = (r: number, i: number): bigint => (BigInt(r) << 30n) + BigInt(i) * page;
  const touch = async (r: number, from: number, to: number): Promise<void> => {
    for (let i = from; i < to; i++) await insist(() => t.rwrite(va(r, i), text(r, i)));
  };
  // 59 frames, of which up to 8 are in the hardware's buffer. So 27 to 35 are free, then 11 to 19, and 27 to 35 again.
  await touch(1, 0, 16);
  await touch(2, 0, 8);
  await pause(300);
  expect([place(1), place(2), migrations.length]).toEqual([nodeIps[0], nodeIps[0], 0]);
  // Region 2 is written on, region 1 is not.
  await touch(2, 8, 24);
  while (migrations.length === 0) await pause(20);
  expect(migrations[0]).toMatchObject({
    name: { pid: process.pid, region: 1 },
    mode: "pageByPage",
    result: 0,
    pages: 24,
    bytes: 16 * 4096,
  });
  for (let i = 0; i < 24; i++) {
    if (i < 16) expect(await t.rread(va(1, i), 16)).toEqual(text(1, i).slice(0, 16));
    expect(await t.rread(va(2, i), 16)).toEqual(text(2, i).slice(0, 16));
  }
  expect([place(1), place(2)]).toEqual([nodeIps[1], nodeIps[0]]);
  expect(nodes[1]!.slowPath.memory.regions()).toEqual([{ pid: process.pid, region: 1 }]);
  await process.end();
  expect(nodes.map(n => n.slowPath.memory.entries)).toEqual([0, 0]);
  await transport.close();
});
