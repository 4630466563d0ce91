/** Packets that tasks look at: IPv4 with TCP or UDP, VXLAN, and others that nearly are. */
import type { TaskPacketModel } from "../../../../../../designs/supernic/model/index.ts";
import { tunnelPort } from "../../../../../../designs/supernic/wire/index.ts";
import { internetChecksum } from "../../../../../../designs/shared/wire/index.ts";
import type { Random } from "../../../../../../sim/index.ts";
import { randomPacket } from "./task-rig.ts";

const put = (header: Uint8Array, at: number, value: number, bytes: number): void => {
  for (let i = 0; i < bytes; i++) header[at + i] = Math.floor(value / 256 ** (bytes - 1 - i)) & 255;
};
/** Addresses and ports from a few, so that rules and flows meet them. */
export const few = {
  address: (r: Random): number => 0x0a000000 + (r.between(0, 3) << 8) + r.between(0, 3),
  port: (r: Random): number => r.pick([53, 80, 443, 1024, 50_000, 65_535]),
};

/** A packet with a right IPv4 header; one in five with something wrong in it. */
export function ipPacket(r: Random): TaskPacketModel {
  const p = randomPacket(r),
    header = Uint8Array.from(p.header),
    protocol = r.pick([6, 17, 17, 1]);
  header.set([8, 0, 0x45], 12);
  header[23] = protocol;
  put(header, 26, few.address(r), 4);
  put(header, 30, few.address(r), 4);
  put(header, 34, few.port(r), 2);
  put(header, 36, few.port(r), 2);
  writeChecksum(header);
  const packet = { ...p, header, user: r.between(0, 3), headBytes: r.chance(0.9) ? 64 : r.between(30, 64) };
  if (r.chance(0.8)) return { ...packet, noL4: protocol === 1 };
  header[r.pick([12, 13, 14, 24, 25, r.between(14, 33)])] = r.between(0, 255);
  return packet;
}
export function writeChecksum(header: Uint8Array): void {
  put(header, 24, 0, 2);
  put(header, 24, internetChecksum(header, 14, 34), 2);
}
/** A packet in VXLAN with this network; one in five with something wrong in it. */
export function vxlanPacket(r: Random, vni: number): TaskPacketModel {
  const p = ipPacket(r),
    header = Uint8Array.from(p.header);
  header[23] = 17;
  put(header, 36, tunnelPort, 2);
  put(header, 42, 0x08000000, 4);
  put(header, 46, vni, 3);
  const packet = { ...p, header, noL4: false, headBytes: 64 };
  if (r.chance(0.8)) return packet;
  return r.pick([
    { ...packet, noL4: true },
    { ...packet, headBytes: 63 },
    { ...packet, header: header.with(42, 0) },
    { ...packet, header: header.with(23, 6) },
    { ...packet, header: header.with(37, 1) },
  ]);
}
