import { describe, expect, it } from "vitest";
import * as w from "../../../../designs/shared/wire/index.ts";
import { Random } from "../../../../sim/index.ts";

/** Ends of a conversation, and the longest payload. */
const parameterSets = [
  { own: { mac: 0x0200_0000_0001n, ip: 0x0a00_0001, port: 1200 }, most: 20 },
  { own: { mac: 0xffff_ffff_fffen, ip: 0xc0a8_fffe, port: 65_535 }, most: 9000 },
];
type Shape = (typeof parameterSets)[number];

/** Frames of random senders, taken apart again; answers go back to them, with right checksums. */
function run({ own, most }: Shape, echo = w.echoReplyFrame): void {
  const random = new Random(4);
  for (let i = 0; i < 300; i++) {
    const from = { mac: random.bits(48), ip: random.word(), port: random.between(0, 65_535) },
      data = random.bytes(random.between(0, most));
    const frame = w.udpFrame(from, own, data),
      { ethernet, ipv4, udp } = w.dissectStack(frame);
    expect(frame.length).toBe(Math.max(w.minimumFrame, w.headerOffsets.payload + data.length));
    expect([ethernet?.src, ethernet?.dst, ipv4?.src, ipv4?.dst, udp?.srcPort, udp?.dstPort]).toEqual([
      from.mac,
      own.mac,
      from.ip,
      own.ip,
      from.port,
      own.port,
    ]);
    expect(w.internetChecksum(frame, w.headerOffsets.network, w.headerOffsets.transport), "IPv4 checksum").toBe(0);
    expect(frame.slice(w.headerOffsets.payload, w.headerOffsets.transport + (udp?.length ?? 0))).toEqual(data);

    const asked = w.icmpEchoFrame(from, own, random.between(0, 65_535), i, data),
      length = w.dissectStack(asked).ipv4?.totalLength ?? 0,
      answer = echo(own, asked, length),
      back = w.dissectStack(answer),
      end = w.headerOffsets.network + length;
    expect([back.ethernet?.dst, back.ipv4?.src, back.ipv4?.dst, back.icmp?.type]).toEqual([
      from.mac,
      own.ip,
      from.ip,
      0,
    ]);
    expect(w.internetChecksum(answer, w.headerOffsets.transport, end), "ICMP checksum").toBe(0);
    expect(answer.slice(w.headerOffsets.transport + w.icmpHeader.bytes, end)).toEqual(data);

    const question = w.dissectStack(
      w.arpFrame(0xffff_ffff_ffffn, {
        operation: 1,
        senderMac: from.mac,
        senderIp: from.ip,
        targetMac: 0n,
        targetIp: own.ip,
      }),
    );
    if (!question.ethernet || !question.arp) throw new Error("an ARP frame is not taken apart");
    expect(w.dissectStack(w.arpReplyFrame(own, question.ethernet, question.arp)).arp).toMatchObject({
      operation: 2,
      senderMac: own.mac,
      senderIp: own.ip,
      targetMac: from.mac,
      targetIp: from.ip,
    });
  }
}
describe.each(parameterSets)("frames, up to $most bytes of data", p => {
  it("are taken apart as they were made, and answered", () => {
    run(p);
  });
  it("a checksum that is updated is the one computed afresh", () => {
    const random = new Random(5);
    for (let i = 0; i < 500; i++) {
      const bytes = random.bytes(2 * random.between(2, Math.max(2, p.most >> 6))),
        sum = w.internetChecksum(bytes),
        view = new DataView(bytes.buffer),
        before = view.getUint16(2),
        after = random.between(0, 65_535);
      view.setUint16(2, after);
      expect(w.updateChecksum(sum, before, after)).toBe(w.internetChecksum(bytes));
    }
  });
  it("a planted fault is found: the checksum of an echo is left as it was", () => {
    expect(() => {
      run(p, (own, frame, length) => {
        const answer = w.echoReplyFrame(own, frame, length),
          { checksum } = w.decode(w.icmpHeader, frame, w.headerOffsets.transport);
        w.encodeInto(w.icmpHeader, { checksum }, answer, w.headerOffsets.transport);
        return answer;
      });
    }).toThrow(/ICMP checksum/);
  });
});
