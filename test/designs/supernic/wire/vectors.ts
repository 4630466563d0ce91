/** Frames written by hand from the design page, byte by byte: the codec has no part in them. */
const bytes = (...hex: readonly string[]): Uint8Array =>
  new Uint8Array(Buffer.from(hex.join("").replaceAll(" ", ""), "hex"));
const zeros = (n: number): string => "00".repeat(n);

export const dst = 0x02c110000001n,
  src = 0x020000000a07n;
const macs = "02c110000001 020000000a07";

/** IPv4 10.0.0.1 to 10.0.0.2, UDP 4660 to 22136 with two bytes: 30 bytes behind the EtherType. */
const datagram = "4500 001e 0000 4000 4011 26cd 0a000001 0a000002" + "1234 5678 000a 0000 abcd";
/** The frame without any shim: 44 bytes, and padded to 60. */
export const plain = bytes(macs, "0800", datagram);
export const plainPadded = bytes(macs, "0800", datagram, zeros(16));

/** Kind 1, class 5, flags 0; number 0x1234, expected 0xfffe; next IPv4. */
export const linkData = bytes(macs, "88b6", "1 5 00 1234 fffe 0800", datagram, zeros(8));
/** Kind 3 (NACK), class 0; expected 0x0102; nothing follows. */
export const linkNack = bytes(macs, "88b6", "3 0 00 0000 0102 0000", zeros(38));
/** Version 1, kind 1, ttl 9, stage 2; UID of generation 5, index 0x301 = 0x1701; origin 7, port 3, unprocessed. */
export const shimData = bytes(macs, "88b5", "1 1 9 2 1701 07 3 1 0800", datagram, zeros(8));
/** Priority 6, not drop eligible, VLAN 0x123, in front of the shim. */
export const tagged = bytes(macs, "8100 c123", "88b5", "1 1 9 2 1701 07 3 1 0800", datagram, zeros(4));
/** All three. */
export const all = bytes(macs, "88b6", "1 5 00 1234 fffe 8100", "c123", "88b5", "1 1 9 2 1701 07 3 1 0800", datagram);
/** A redirect to 02:c1:10:00:00:01: kind 2, ttl 8, the frame `shimData` inside. */
export const redirect = bytes(
  macs,
  "88b5",
  "1 2 8 0 1701 07 3 0 6558",
  macs,
  "88b5",
  "1 1 9 2 1701 07 3 1 0800",
  datagram,
);
/** Classes 1 and 6 wait, for 0x1111 and 0xffff quanta; class 2 may send. */
export const pfc = bytes(
  "0180c2000001 020000000a07 8808",
  "0101 0046",
  "0000 1111 0000 0000 0000 0000 ffff 0000",
  zeros(26),
);
/**
 * ADD_DAG of user 0x0203, 19 bytes, request 0xdeadbeef, no retry, body 01 02 03; the tail is the first half of
 * `openssl dgst -sha256 -mac HMAC -macopt key:sixteen-byte-key` of the ends (0a000001 0a000002 1234 0514) and the 19
 * bytes.
 */
export const ctrlEnds = { srcIp: 0x0a000001, dstIp: 0x0a000002, srcPort: 0x1234, dstPort: 1300 };
export const ctrlKey = new TextEncoder().encode("sixteen-byte-key");
export const ctrl = bytes("02 00 0302 1300 0000 efbeadde 00000000", "010203", "a5764a1c31d1e138e067060f4958adde");
