import { PacketError } from "./codec.ts";

/** As much of a text as a sentence takes. */
const told = (text: string): string => (text.length > 40 ? `${text.slice(0, 40)}...` : text);

/** `02:c1:10:00:00:01` as a 48-bit number. @throws PacketError when the text is not six hexadecimal bytes. */
export function parseMac(text: string): bigint {
  if (!/^([0-9a-f]{2}:){5}[0-9a-f]{2}$/i.test(text))
    throw new PacketError(
      `a MAC address is six hexadecimal bytes with colons, such as 02:c1:10:00:00:01, got "${told(text)}"`,
    );
  return BigInt(`0x${text.replaceAll(":", "")}`);
}
export function formatMac(mac: bigint): string {
  return mac
    .toString(16)
    .padStart(12, "0")
    .replace(/(..)(?!$)/g, "$1:");
}

/** `10.10.0.1` as a 32-bit number. @throws PacketError when the text is not four numbers of 0 to 255. */
export function parseIpv4(text: string): number {
  const parts = text.split(".").map(p => (/^\d{1,3}$/.test(p) ? Number(p) : 256));
  if (parts.length !== 4 || parts.some(p => p > 255))
    throw new PacketError(
      `an IPv4 address is four numbers of 0 to 255 with dots, such as 10.10.0.1, got "${told(text)}"`,
    );
  return parts.reduce((n, p) => n * 256 + p, 0);
}
export function formatIpv4(ip: number): string {
  return [24, 16, 8, 0].map(s => (ip >>> s) & 0xff).join(".");
}
/** The broadcast MAC. */
export const broadcastMac = 0xffffffffffffn;
