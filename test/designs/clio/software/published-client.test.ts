import { describe, expect, it } from "vitest";
import * as p from "../../../support/packets.ts";
import { errorNumber } from "../../../../designs/clio/software/index.ts";
import { type MemberNode, Monitor } from "../../../../designs/clio/software/cluster/index.ts";
import { publishedCapture } from "../../../support/captures.ts";
import { modelNode } from "./model-node.ts";

const clientIp = 0x0a4d0001;
// The address that the captures' stub node had; the client sends to garbage MACs.
const address = { ip: "10.77.0.2", mac: "02:00:00:00:00:02", acceptAnyMac: true };
const own = (frame: Uint8Array): boolean => p.dissect(frame).ipv4?.src === clientIp;

describe("the published client's frames", () => {
  it("KV and ping: every reply is byte for byte what its test saw", async () => {
    const n = await modelNode(address),
      frames = publishedCapture("kv").map(f => f.bytes);
    for (const [i, frame] of frames.entries()) {
      if (!own(frame)) continue;
      const { outcome, reply } = await n.receive(frame);
      const d = p.dissect(frame);
      // The client's kernel is unaware of the raw socket, and complains of each reply: nothing for the node.
      if (d.icmp?.type === 3) expect(outcome).toEqual({ kind: "drop", reason: "dropIcmp" });
      else expect(reply, `frame ${i + 1}`).toEqual(frames[i + 1]);
    }
    expect(n.slow.kv.size).toBe(1);
    await n.close();
  });
  it("writes and reads: each answered with what the client waits for, and read back as written", async () => {
    const n = await modelNode(address),
      frames = publishedCapture("read-write").map(f => f.bytes),
      stub = frames.filter(f => !own(f));
    n.slow.memory.createProcess(1);
    expect(
      await n.slow.memory.allocate({ pid: 1, address: 0x3e000000n, length: 0x20000000n, vregion: 0n, write: true }),
    ).toEqual({ ok: true, value: 0x3e000000n });
    let writes = 0,
      reads = 0;
    const memory = new Map<bigint, number>();
    for (const frame of frames.filter(own)) {
      const { reply } = await n.receive(frame),
        request = p.dissect(frame),
        answer = p.dissect(reply ?? new Uint8Array());
      expect(answer.clio?.status).toBe(0);
      const { va, length } = p.decode(p.accessBody, request.body ?? frame);
      if (request.clio?.opcode === p.opcode.WRITE) {
        writes++;
        request.body?.slice(12).forEach((b, i) => memory.set(va + BigInt(i), b));
        expect(answer.clio).toMatchObject({ opcode: 0x51, size: 28, flagTracked: 0 });
        expect(p.decode(p.accessBody, answer.body ?? frame)).toEqual({ va, length });
        // The small ones have a stub reply in the capture: the same length, port and header.
        if (length === 4)
          expect(stub.some(s => s.length === reply?.length && s.slice(26).every((b, i) => b === reply[26 + i]))).toBe(
            true,
          );
      } else {
        reads++;
        expect(answer.clio).toMatchObject({ opcode: 0x41, size: 28 + length });
        expect(answer.body?.slice(12)).toEqual(Uint8Array.from({ length }, (_, i) => memory.get(va + BigInt(i)) ?? 0));
      }
    }
    expect([writes, reads]).toEqual([36, 6]);
    await n.close();
  });
  it("start-up at the monitor: replies of the same bytes for joining, creating and freeing processes", () => {
    const node: MemberNode = { name: "board0", mac: 0x020000000002n, ip: 0x0a4d0002, port: 1234, memoryBytes: 2 ** 31 };
    const monitor = new Monitor({ mac: 0x020000000002n, ip: 0x0a4d0009, port: 10000 }, [node]),
      frames = publishedCapture("context").map(f => f.bytes);
    let answered = 0;
    for (const [i, frame] of frames.entries()) {
      const d = p.dissect(frame);
      if (d.ethernet?.src !== 0x020000000001n) continue;
      const out = monitor.receive(frame);
      if (d.icmp) {
        expect(out).toEqual([]);
        continue;
      }
      if (d.arp) {
        expect(p.dissect(out[0] ?? frame).arp).toEqual(p.dissect(frames[i + 1] ?? frame).arp);
        continue;
      }
      if (d.clio?.opcode === p.opcode.JOIN_CLUSTER) {
        expect(out.length).toBe(2);
        const push = p.dissect(out[0] ?? frame);
        expect(push).toMatchObject({
          ethernet: { dst: 0x020000000001n },
          ipv4: { dst: clientIp },
          udp: { dstPort: 10000 },
          clio: { opcode: p.opcode.NEW_NODE, size: 124 },
        });
        expect(p.decode(p.newNodeBody, push.body ?? frame)).toMatchObject({
          type: 1n,
          ip: 0x0a4d0002,
          udpPort: 1234,
          mac: Uint8Array.of(2, 0, 0, 0, 0, 2),
        });
      }
      expect(out.at(-1), `frame ${i + 1}`).toEqual(frames[i + 1]);
      answered++;
    }
    expect(answered).toBe(33);
  });
});

describe("the monitor", () => {
  const host: p.Endpoint = { mac: 1n, ip: 1, port: 10002 },
    own: p.Endpoint = { mac: 2n, ip: 2, port: 10000 };
  const nodes: MemberNode[] = [
    { name: "a", mac: 3n, ip: 3, port: 1234, memoryBytes: 2 ** 31 },
    { name: "b", mac: 4n, ip: 4, port: 1234, memoryBytes: 2 ** 32 },
  ];
  const ask = (m: Monitor, opcode: number, body: Uint8Array = new Uint8Array(), pid = 0) =>
    m.receive(p.udpFrame(host, own, p.clioMessage({ opcode, pid }, body))).map(f => p.dissect(f));
  const region = (m: Monitor, pid: number, len = 1n) =>
    p.decode(
      p.allocReplyBody,
      ask(m, p.opcode.ALLOC, p.encode(p.allocBody, { len }), pid)[0]?.body ?? new Uint8Array(24),
    );
  it("gives regions of 1 GB from 1 on, by the nodes' memory", () => {
    const m = new Monitor(own, nodes);
    ask(m, p.opcode.CREATE_PROC, new Uint8Array(64));
    const given = Array.from({ length: 6 }, () => region(m, 1));
    expect(given.map(g => g.vregion)).toEqual([1, 2, 3, 4, 5, 6]);
    expect(given.filter(g => g.boardIp === 4).length).toBe(4);
    expect(given[0]).toMatchObject({ ret: 0, addr: 0n, udpPort: 1234 });
    expect(region(m, 1, 2n ** 30n + 1n).ret).toBe(errorNumber.noMemory);
    expect(region(m, 9).ret).toBe(errorNumber.noProcess);
  });
  it("tells a process's nodes when it ends", () => {
    const m = new Monitor(own, nodes);
    ask(m, p.opcode.CREATE_PROC, new Uint8Array(64));
    region(m, 1);
    const out = ask(m, p.opcode.FREE_PROC, undefined, 1);
    expect(out.map(d => [d.ipv4?.dst, d.clio?.opcode, d.clio?.pid])).toEqual([
      [4, p.opcode.FREE_PROC, 1],
      [1, 0x87, 1],
    ]);
    expect(p.decode(p.retBody, ask(m, p.opcode.FREE_PROC, undefined, 1)[0]?.body ?? new Uint8Array(4)).ret).toBe(
      errorNumber.noProcess,
    );
  });
  it("never answers a host's answer, whatever opcode it has: the host would answer that", () => {
    const m = new Monitor(own, nodes),
      mac = new Uint8Array(6),
      ip = new Uint8Array(16);
    const out = ask(
      m,
      p.opcode.JOIN_CLUSTER,
      p.encode(p.joinBody, { type: 2n, memoryBytes: 0n, mac, ipText: ip, ip: host.ip, udpPort: host.port }),
    );
    expect(out.map(d => d.clio?.opcode)).toEqual([p.opcode.NEW_NODE, p.opcode.NEW_NODE, 0x97]);
    for (const code of [0, 0x99, 0x89, 0x3f]) expect(ask(m, code, new Uint8Array(4)), `opcode ${code}`).toEqual([]);
    // From any other port it is a mistake that is reported.
    const stranger = m
      .receive(p.udpFrame({ ...host, port: host.port + 2 }, own, p.clioMessage({ opcode: 0 })))
      .map(f => p.dissect(f));
    expect(stranger.map(d => d.clio?.status)).toEqual([p.status.MALFORMED]);
    expect(ask(m, p.opcode.CREATE_PROC, new Uint8Array(64)).length).toBe(1);
  });
  it("opens and closes sessions of hosts, answers PINGPONG on them and QUERY_STAT, as the published one does", () => {
    const m = new Monitor(own, nodes),
      mac = new Uint8Array(6),
      ipText = new Uint8Array(16);
    const open = (session: number): number =>
      p.decode(p.sessionBody, ask(m, p.opcode.OPEN_SESSION, p.encode(p.sessionBody, { session }))[0]!.body!).session;
    // Who has not joined gets none.
    expect(open(1)).toBe(0);
    const join = (): unknown =>
      ask(
        m,
        p.opcode.JOIN_CLUSTER,
        p.encode(p.joinBody, { type: 2n, memoryBytes: 0n, mac, ipText, ip: host.ip, udpPort: host.port }),
      );
    join();
    // 128 sessions, as the published program `session` opens; a repetition is the same session.
    expect(Array.from({ length: 128 }, (_, i) => open(i + 1))).toEqual(Array.from({ length: 128 }, (_, i) => i + 1));
    expect(open(128)).toBe(128);
    // On a session: from the host's port of it to the monitor's port of it.
    const pingpong = (session: number, size: number) =>
      m
        .receive(
          p.udpFrame(
            { ...host, port: host.port + session },
            { ...own, port: own.port + session },
            p.clioMessage({ opcode: p.opcode.PINGPONG }, p.encode(p.pingpongBody, { replySize: size })),
          ),
        )
        .map(f => p.dissect(f));
    expect(pingpong(5, 40).map(d => [d.udp?.srcPort, d.clio?.opcode, d.body?.length])).toEqual([
      [own.port + 5, p.opcode.PINGPONG, 40],
    ]);
    // Its answer as a request is answered once more at most.
    expect(pingpong(5, 0)[0]?.body?.length).toBe(0);
    expect(ask(m, p.opcode.PINGPONG)).toEqual([]);
    const close = (session: number): number =>
      p.decode(p.sessionBody, ask(m, p.opcode.CLOSE_SESSION, p.encode(p.sessionBody, { session }))[0]!.body!).session;
    expect([close(5), close(5), close(900)]).toEqual([0, 0xffff_fff2, 0xffff_fff2]);
    expect(pingpong(5, 40)).toEqual([]);
    const [stat] = ask(m, p.opcode.QUERY_STAT);
    expect(stat?.clio?.opcode).toBe(p.replyCode(p.opcode.QUERY_STAT));
    const view = new DataView(stat!.body!.slice().buffer);
    expect([view.getUint32(0, true), view.getBigUint64(4 + 8 * 6, true), view.getBigUint64(4 + 8 * 8, true)]).toEqual([
      26,
      129n,
      3n,
    ]);
    // A host that joins anew has none open; when all are, the one that was opened first goes.
    join();
    expect(pingpong(6, 40)).toEqual([]);
    for (let i = 1; i <= 1023; i++) expect(open(i)).toBe(i);
    expect(open(5000)).toBe(1);
  });
  it("answers MALFORMED to what it does not know and ignores what is not its own", () => {
    const m = new Monitor(own, nodes);
    expect(ask(m, p.opcode.READ)[0]?.clio).toMatchObject({
      opcode: p.opcode.READ,
      status: p.status.MALFORMED,
      size: 16,
    });
    expect(ask(m, p.opcode.JOIN_CLUSTER, new Uint8Array(10))[0]?.clio?.status).toBe(p.status.MALFORMED);
    expect(m.receive(p.udpFrame(host, { ...own, ip: 9 }, p.clioMessage({ opcode: p.opcode.JOIN_CLUSTER })))).toEqual(
      [],
    );
    expect(m.receive(new Uint8Array(3))).toEqual([]);
  });
});
