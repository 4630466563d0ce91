import { describe, expect, it } from "vitest";
import * as p from "../../../../support/packets.ts";
import { type MemberNode, Monitor } from "../../../../../designs/clio/software/index.ts";
import { withGbn, withoutGbn } from "../../../../../designs/shared/go-back-n/wire/index.ts";
import { askInGbn } from "../../../../../designs/clio/rig/serve/gbn-management.ts";

const own: p.Endpoint = { mac: 2n, ip: 0x0a000009, port: 10000 },
  base: p.Endpoint = { mac: 1n, ip: 0x0a0000fe, port: 20000 };
/** The published client speaks to the monitor from the port of its session 2. */
const asks: p.Endpoint = { ...base, port: 20002 };
const node: MemberNode = { name: "a", mac: 3n, ip: 0x0a000001, port: 1234, memoryBytes: 2 ** 31 };
const join = p.encode(p.joinBody, {
  type: 2n,
  memoryBytes: 0n,
  mac: new Uint8Array(6),
  ipText: new Uint8Array(16),
  ip: base.ip,
  udpPort: base.port,
});
const fromSession = (srcSlot: number, frame: Uint8Array): Uint8Array =>
  withGbn(frame, { type: p.gbnTypes.data, sequence: 0, srcSlot, dstSlot: 0 }, own.mac);
const slots = (frame: Uint8Array) => p.decode(p.gbnHeader, frame, p.frameOffsets.clio);
const message = (frame: Uint8Array) => p.dissect(withoutGbn(frame, own.mac));

describe("a station that knows no Go-Back-N, where every datagram has its header", () => {
  const monitor = new Monitor(own, [node]),
    ask = (frame: Uint8Array) => askInGbn(f => monitor.receive(f), frame);

  it("answers JOIN to the session that asked, and announces the node to the management session", () => {
    const out = ask(fromSession(2, p.udpFrame(asks, own, p.clioMessage({ opcode: p.opcode.JOIN_CLUSTER }, join))));
    expect(out.map(f => [message(f).clio?.opcode, message(f).udp?.dstPort, message(f).ethernet?.dst])).toEqual([
      [p.opcode.NEW_NODE, base.port, base.mac],
      [0x97, asks.port, asks.mac],
    ]);
    expect(out.map(slots)).toMatchObject([
      { type: p.gbnTypes.data, sequence: 0, srcSlot: 0, dstSlot: 0 },
      { type: p.gbnTypes.data, sequence: 0, srcSlot: 0, dstSlot: 2 },
    ]);
    expect(p.decode(p.newNodeBody, message(out[0]!).body!)).toMatchObject({ ip: node.ip, udpPort: node.port });
  });

  it("answers as without the header, but for it", () => {
    const request = p.udpFrame(asks, own, p.clioMessage({ opcode: p.opcode.CREATE_PROC }, new Uint8Array(64)));
    const [bare] = new Monitor(own, [node]).receive(request),
      [framed] = askInGbn(f => new Monitor(own, [node]).receive(f), fromSession(5, request));
    expect(withoutGbn(framed!, own.mac)).toEqual(bare);
  });

  it("passes ARP and ping as they are, and drops what is shorter than a header", () => {
    const arp = p.encode(p.arpPacket, {
      hardwareType: 1,
      protocolType: 0x0800,
      hardwareSize: 6,
      protocolSize: 4,
      operation: 1,
      senderMac: base.mac,
      senderIp: base.ip,
      targetMac: 0n,
      targetIp: own.ip,
    });
    const frame = p.concat(p.encode(p.ethernetHeader, { dst: 0xffffffffffffn, src: base.mac, etherType: 0x0806 }), arp);
    expect(ask(frame)).toEqual(monitor.receive(frame));
    expect(ask(frame)).toHaveLength(1);
    expect(ask(p.udpFrame(asks, own, new Uint8Array(7)))).toEqual([]);
  });
});
