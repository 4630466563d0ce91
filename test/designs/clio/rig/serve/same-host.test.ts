import { expect, test } from "vitest";
import { fromNode, hostMac, sameHost, towardsNode } from "../../../../../designs/clio/rig/serve/same-host.ts";
import {
  arpFrame,
  decode,
  ethernetHeader,
  headerOffsets,
  internetChecksum,
  ipv4Header,
  udpFrame,
} from "../../../../../designs/shared/wire/index.ts";

const ip = 0x7f00_0001,
  node = { mac: 0x02c1_1000_0001n, ip, port: 1200 },
  other = { mac: 0x02c2_0a00_0005n, ip: 0x0a00_0005, port: 40_000 };
const ipOf = (frame: Uint8Array) => decode(ipv4Header, frame, headerOffsets.network);
const sound = (frame: Uint8Array): boolean =>
  internetChecksum(frame, headerOffsets.network, headerOffsets.transport) === 0;

test("a sender with the node's address is a station of its own to the node, and the way back is the same", () => {
  const asked = udpFrame({ ...node, port: 40_001 }, node, new Uint8Array(40)),
    seen = towardsNode(asked, ip);
  expect([ipOf(seen).src, ipOf(seen).dst, sound(seen)]).toEqual([sameHost, ip, true]);
  expect(decode(ethernetHeader, seen).src).toBe(hostMac(sameHost));
  expect(ipOf(asked).src).toBe(ip);
  const answer = udpFrame(node, { mac: hostMac(sameHost), ip: sameHost, port: 40_001 }, new Uint8Array(40)),
    given = fromNode(answer, ip);
  expect([ipOf(given).src, ipOf(given).dst, sound(given)]).toEqual([ip, ip, true]);
});

test("all other frames pass as they are", () => {
  const values = { operation: 1, senderMac: node.mac, senderIp: ip, targetMac: 0n, targetIp: ip };
  for (const frame of [
    udpFrame(other, node, new Uint8Array(4)),
    udpFrame(node, other, new Uint8Array(4)),
    arpFrame(node.mac, values),
    new Uint8Array(20),
  ]) {
    expect(fromNode(frame, ip)).toBe(frame);
    if (frame.length < headerOffsets.transport || ipOf(frame).src !== ip) expect(towardsNode(frame, ip)).toBe(frame);
  }
});
