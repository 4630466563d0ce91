import { expect, test } from "vitest";
import { makeSettings } from "../../../designs/clio/config/index.ts";
import { gbnFrame, gbnTypes } from "../../../designs/clio/model/index.ts";
import { ClioNodeGbn } from "../../../designs/clio/rtl/index.ts";
import { accessBody, allocBody, clioHeader, clioMessage, decode, encode, frameOffsets, gbnHeader, opcode, status } from "../../../designs/packets/index.ts";
import { AxiRam, designOf, withNode, type AxiPorts, type Design, type NodePorts } from "../../../sim/index.ts";
import { addressed, Channel, GbnClient } from "../../designs/clio/rtl/support/gbn-clients.ts";

const settings = makeSettings({ physicalMemory: "64MB", pageSize: "2MB" });
const inside = makeSettings({ physicalMemory: "64MB", pageSize: "2MB", mtuFrame: settings.config.mtuFrame - gbnHeader.bytes });
const build = ClioNodeGbn({ node: settings.config, sessions: 64, base: 0 });

/** The whole node with Go-Back-N, a client in TypeScript, and a link that loses, repeats and reorders: memory is allocated over slot 0, then written and read over a session. */
test("a Go-Back-N client writes and reads the whole node over a bad link", async () => {
  await withNode("gbn", inside, { design: designOf(build) as unknown as Design<NodePorts>, wave: false, seed: 1, limitCycles: 400_000 }, async node => {
    const b = node.bench, io = b.io as unknown as { readonly [C in keyof AxiPorts as `gbn_${C}`]: AxiPorts[C] };
    new AxiRam(b.sim, { aw: io.gbn_aw, w: io.gbn_w, b: io.gbn_b, ar: io.gbn_ar, r: io.gbn_r });
    const self = { mac: 0x0200_0000_0007n, ip: 0x0a00_0007, port: 40_000 }, to = { mac: inside.runtime.mac, ip: inside.runtime.ip, port: inside.runtime.nativePort };
    const bad = { loss: 0.08, duplication: 0.05, reordering: 0.1, delay: 30 }, up = new Channel(b.random.fork("up"), bad), down = new Channel(b.random.fork("down"), bad);
    const replies: Uint8Array[] = [], management: Uint8Array[] = [];
    let now = 0;
    const client = new GbnClient({ self, node: to, slot: 5, session: 9, first: 1, timeout: 3000, ackDelay: 300, ackEvery: 10, send: f => { up.put(f, now); }, reply: p => { replies.push(p); } });
    b.onEdge({ sample: cycle => {
      now = cycle;
      for (let f = node.take(); f !== undefined; f = node.take()) {
        if (addressed(f.bytes).header.srcSlot === 0) management.push(f.bytes); else down.put(f.bytes, cycle);
      }
      for (const f of down.take(cycle)) client.take(f, cycle);
      for (const f of up.take(cycle)) node.send(f);
      client.tick(cycle);
    } });
    // Management: not repeated by Go-Back-N, so it does not go over the bad link here.
    node.send(gbnFrame(self, to, { type: gbnTypes.data, sequence: 0, srcSlot: 5, dstSlot: 0 }, clioMessage({ opcode: opcode.ALLOC, pid: 7 }, encode(allocBody, { addr: 0n, len: 4096n, vregion: 0n, vmFlags: 1n }))));
    await b.until(() => management.length === 1);
    const answer = management[0] as Uint8Array, at = frameOffsets.clio + gbnHeader.bytes;
    expect(decode(clioHeader, answer, at).opcode).toBe(opcode.ALLOC + 1);
    expect(addressed(answer)).toMatchObject({ mac: self.mac, ip: self.ip, port: self.port, header: { srcSlot: 0, dstSlot: 5, sequence: 0 } });
    const view = new DataView(answer.buffer, answer.byteOffset + at + clioHeader.bytes), va = view.getBigUint64(4, true);

    // Writes, each answered before its place is read back.
    const n = 60, data = Array.from({ length: n }, () => b.random.bytes(b.random.int(1, 64)));
    const message = (code: number, i: number, more: Uint8Array): Uint8Array => clioMessage({ opcode: code, pid: 7, requestId: i }, encode(accessBody, { va: va + BigInt(64 * i), length: data[i]?.length ?? 0 }), more);
    data.forEach((d, i) => { client.request(message(opcode.WRITE, i, d)); });
    await b.until(() => replies.length === n);
    data.forEach((_, i) => { client.request(message(opcode.READ, i, new Uint8Array())); });
    await b.until(() => replies.length === 2 * n);
    const by = replies.map(r => ({ header: decode(clioHeader, r), body: r.slice(clioHeader.bytes) }));
    expect(by.every(r => r.header.status === status.OK)).toBe(true);
    expect(by.slice(0, n).map(r => r.header.requestId).sort((a, c) => a - c)).toEqual(data.map((_, i) => i));
    for (const r of by.slice(n)) expect(r.body.slice(accessBody.bytes)).toEqual(data[r.header.requestId]);
    expect(new Set(by.slice(n).map(r => r.header.requestId)).size).toBe(n);
    expect(up.lost).toBeGreaterThan(0);
    expect(down.lost).toBeGreaterThan(0);
  });
}, 200_000);
