import { describe, expect, it, test } from "vitest";
import { CaptureError, Random, readCapture, readPcap, writePcap, writePcapWithFcs } from "../../../sim/index.ts";
import { joined, Pcapng } from "./support/pcapng.ts";

const random = new Random(3);
const frames = [60, 61, 1514, 62].map(n => random.bytes(n));
const [a, b, c, d] = frames as [Uint8Array, Uint8Array, Uint8Array, Uint8Array];
const resolution = (code: number) => ({ code: 9, value: Uint8Array.of(code) });
const read = (...parts: readonly Uint8Array[]) => readCapture(joined(...parts), "x.pcapng");
/** A frame as it stands on the line. */
const withFcs = (frame: Uint8Array): Uint8Array => {
  const [record] = readPcap(withLinkType(writePcapWithFcs([{ timeNs: 0n, bytes: frame }])), "x.pcap");
  return record?.bytes ?? new Uint8Array();
};
/** A capture that does not tell of its check sequences: they are bytes of its frames. */
const withLinkType = (file: Uint8Array): Uint8Array => {
  new DataView(file.buffer).setUint32(20, 1, true);
  return file;
};
/** The sentence of a refusal. */
function refused(...parts: readonly Uint8Array[]): string {
  try {
    read(...parts);
  } catch (e) {
    expect(e).toBeInstanceOf(CaptureError);
    return (e as Error).message;
  }
  return "accepted";
}

describe.each([true, false])("a capture whose byte order is little-endian: %s", little => {
  const f = new Pcapng(little);
  it("has frames with their interfaces, microseconds where nothing else is said", () => {
    expect(
      read(f.section(), f.interface(), f.interface(), f.enhanced(1, 5_000_000_000_001n, a), f.enhanced(0, 7n, b)),
    ).toEqual([
      { timeNs: 5_000_000_000_001_000n, bytes: a, originalLength: 60, interface: 1 },
      { timeNs: 7_000n, bytes: b, originalLength: 61, interface: 0 },
    ]);
  });
  it.each([
    [3, 1_000_000n],
    [9, 1n],
    [0, 1_000_000_000n],
    [0x80 | 10, 976_562n],
    [0x80 | 30, 0n],
  ])("resolution 0x%x: a tick has so many nanoseconds: %d", (code, ns) => {
    const [frame] = read(f.section(), f.interface({ options: [resolution(code)] }), f.enhanced(0, 1n, a));
    expect(frame?.timeNs).toBe(ns);
  });
  it("times are counted from the seconds that an interface tells", () => {
    const options = [resolution(9), { code: 14, value: f.long(-2n) }];
    const [frame] = read(f.section(), f.interface({ options }), f.enhanced(0, 3_000_000_001n, a));
    expect(frame?.timeNs).toBe(1_000_000_001n);
  });
  it("options that nobody needs are passed over, and nothing is read behind their end", () => {
    const name = { code: 2, value: new TextEncoder().encode("eth0") },
      options = [name, { code: 0, value: new Uint8Array() }, resolution(9)];
    const [frame] = read(f.section(), f.interface({ options }), f.enhanced(0, 1n, a));
    expect(frame?.timeNs).toBe(1_000n);
  });
  it("a CRC error in a packet's flags marks it as damaged, and no other flag does", () => {
    const flags = (n: number) => ({ options: [{ code: 2, value: f.words(n) }] });
    const got = read(f.section(), f.interface(), f.enhanced(0, 0n, a, flags(1 << 24)), f.enhanced(0, 0n, b, flags(3)));
    expect(got.map(x => x.damaged)).toEqual([true, undefined]);
  });
  it.each([4, 32])("check sequences of an interface that tells them, as %d, are taken off and looked at", told => {
    const option = { options: [{ code: 13, value: Uint8Array.of(told) }] },
      good = withFcs(a),
      bad = withFcs(b).with(-1, (withFcs(b).at(-1) ?? 0) ^ 1);
    const got = read(
      ...[f.section(), f.interface(option), f.interface()],
      ...[f.enhanced(0, 0n, good), f.enhanced(0, 0n, bad), f.enhanced(1, 0n, good), f.simple(good)],
      ...[f.enhanced(0, 0n, good.slice(0, 62), { original: 64 })],
    );
    expect(got.map(x => [x.bytes.length, x.originalLength, x.damaged])).toEqual([
      [60, 60, undefined],
      [61, 61, true],
      [64, 64, undefined],
      [60, 60, undefined],
      [60, 60, undefined],
    ]);
    expect([got[0]?.bytes, got[2]?.bytes]).toEqual([a, good]);
  });
  it("a packet's flags tell of a check sequence, whatever its interface does", () => {
    const flags = (n: number) => ({ options: [{ code: 2, value: f.words(n) }] }),
      got = read(
        ...[f.section(), f.interface()],
        ...[f.enhanced(0, 0n, withFcs(a), flags(4 << 5)), f.enhanced(0, 0n, withFcs(a), flags((4 << 5) | (1 << 24)))],
      );
    expect(got.map(x => [x.bytes.length, x.damaged])).toEqual([
      [60, undefined],
      [60, true],
    ]);
  });
  it("a check sequence that Ethernet does not have is refused", () => {
    const of = (told: number) => f.interface({ options: [{ code: 13, value: Uint8Array.of(told) }] });
    expect(refused(f.section(), f.interface(), of(16))).toBe(
      "x.pcapng: interface 1 has if_fcslen = 16, and Ethernet's is 32 bits, 4 bytes, or 0 for none; capture it again without check sequences",
    );
    const flags = { options: [{ code: 2, value: f.words(2 << 5) }] };
    expect(refused(f.section(), f.interface(), f.enhanced(0, 0n, a, flags))).toBe(
      "x.pcapng: the flags of frame 1 tell of a check sequence of 2 bytes, and Ethernet's has 4; capture it again without check sequences",
    );
    expect(read(f.section(), of(0), f.enhanced(0, 0n, a))[0]?.bytes).toEqual(a);
  });
  it("a frame that was cut tells how long it was", () => {
    expect(read(f.section(), f.interface(), f.enhanced(0, 0n, a, { original: 900 }))[0]?.originalLength).toBe(900);
  });
  it("simple packets are of interface 0, at the time of the one before, as long as its snap length", () => {
    const got = read(
      f.section(),
      f.interface({ snap: 100 }),
      f.enhanced(0, 5n, a),
      f.simple(b),
      f.simple(c.slice(0, 100), 1514),
    );
    expect(got.slice(1)).toEqual([
      { timeNs: 5_000n, bytes: b, originalLength: 61, interface: 0 },
      { timeNs: 5_000n, bytes: c.slice(0, 100), originalLength: 1514, interface: 0 },
    ]);
  });
  it("blocks that nobody knows are passed over", () => {
    expect(read(f.section(), f.block(0x0bad, a), f.interface(), f.block(5, b), f.enhanced(0, 0n, d))).toHaveLength(1);
  });
  it("interfaces of a further section count on, whatever its byte order", () => {
    const g = new Pcapng(!little);
    const got = read(
      ...[f.section(), f.interface(), f.interface(), f.enhanced(1, 1n, a)],
      ...[g.section(), g.interface({ options: [resolution(9)] }), g.enhanced(0, 7n, b)],
      ...[f.section(), f.interface(), f.enhanced(0, 2n, c)],
    );
    expect(got.map(x => [x.interface, x.timeNs])).toEqual([
      [1, 1_000n],
      [2, 7n],
      [3, 2_000n],
    ]);
  });

  it("what is damaged is refused in one sentence", () => {
    const start = [f.section(), f.interface()] as const,
      tail = (block: Uint8Array, length: number): Uint8Array => joined(block.slice(0, -4), f.words(length));
    expect(refused(...start, f.enhanced(1, 0n, a))).toBe(
      "x.pcapng is damaged: frame 1 is of interface 1, which is not told; capture or copy it again",
    );
    expect(refused(f.section(), f.simple(a))).toBe(
      "x.pcapng is damaged: frame 1 is of interface 0, which is not told; capture or copy it again",
    );
    // A section begins with no interface of the one before.
    expect(refused(...start, f.enhanced(0, 0n, a), f.section(), f.enhanced(0, 0n, b))).toContain(
      "frame 2 is of interface 0",
    );
    expect(refused(...start, f.block(6, f.words(0, 0, 0, 400, 400, 1)))).toContain("frame 1 claims 400 bytes");
    expect(refused(...start, f.block(6, f.words(0, 0, 0)))).toContain(
      "an enhanced block behind frame 0 has 12 of its 20",
    );
    expect(refused(...start, f.simple(a, 500))).toContain("frame 1 claims 500 bytes");
    expect(refused(f.section(), f.block(1, f.words(1)))).toContain(
      "an interface block behind frame 0 has 4 of its 8 bytes",
    );
    expect(refused(f.block(0x0a0d0d0a, f.words(0x1a2b3c4d)))).toContain(
      "a section block behind frame 0 has 4 of its 16",
    );
    expect(refused(f.block(0x0a0d0d0a, f.words(0x12345678, 0, 0, 0)))).toContain("its section begins with 0x");
    expect(refused(...start, tail(f.enhanced(0, 0n, a), 96))).toContain("claims 92 bytes, and 96 at its end");
    expect(refused(...start, f.words(6, 8, 8))).toContain("claims 8 bytes");
    expect(refused(...start, f.words(6, 14, 0, 14))).toContain("claims 14 bytes");
    expect(refused(f.section(), f.interface({ options: [{ code: 9, value: a }] }))).toContain("has 60 bytes, not 1");
    expect(refused(f.section(), f.interface({ link: 113 }))).toBe(
      "x.pcapng holds frames of link type 113, not Ethernet (1); capture on an Ethernet interface",
    );
    expect(refused(...start, f.block(2, a))).toBe(
      "x.pcapng has frames in packet blocks, which are obsolete; convert it: editcap x.pcapng converted.pcapng",
    );
  });
  it("cut at every byte: refused, but for whole blocks", () => {
    const parts = [
      f.section(),
      f.interface(),
      f.enhanced(0, 1n, a),
      f.simple(b),
      f.section(),
      f.interface({ options: [resolution(9)] }),
    ];
    const file = joined(...parts, f.enhanced(0, 3n, d)),
      ends = parts.reduce<number[]>((at, p) => [...at, (at.at(-1) ?? 0) + p.length], []).concat(file.length);
    for (let n = 1; n <= file.length; n++) {
      const cut = file.subarray(0, n);
      if (!ends.includes(n)) {
        expect(() => readCapture(cut, "x.pcapng"), `${n} bytes`).toThrow(CaptureError);
        // It is of no other format, whatever is left of it.
        if (n >= 4) expect(() => readCapture(cut, "x.pcapng"), `${n} bytes`).not.toThrow(/editcap/);
      }
      if (ends.includes(n)) expect(readCapture(cut, "x.pcapng").length).toBe([0, 0, 1, 2, 2, 2, 3][ends.indexOf(n)]);
    }
  });
  it("any byte changed: read or refused, and nothing else is thrown", () => {
    const file = joined(f.section(), f.interface({ options: [resolution(6)] }), f.enhanced(0, 1n, a), f.simple(b));
    let refusals = 0;
    for (let n = 0; n < file.length; n++)
      for (const mask of [0x01, 0x80, 0xff]) {
        const bad = file.slice();
        bad[n] = (bad[n] ?? 0) ^ mask;
        try {
          readCapture(bad, "x.pcapng");
        } catch (e) {
          expect(e, `byte ${n}`).toBeInstanceOf(CaptureError);
          refusals++;
        }
      }
    expect(refusals).toBeGreaterThan(100);
  });
});

describe("either format", () => {
  test("a plain capture has no interfaces", () => {
    expect(readCapture(writePcap([{ timeNs: 5n, bytes: a }]), "x.pcap")).toEqual([
      { timeNs: 5n, bytes: a, originalLength: 60 },
    ]);
  });
  test("a view into a larger buffer is read at its own offset", () => {
    const f = new Pcapng(true),
      file = joined(new Uint8Array(13), f.section(), f.interface(), f.enhanced(0, 0n, a));
    expect(readCapture(file.subarray(13), "x.pcapng")).toHaveLength(1);
  });
  test("what is neither is refused as it always was", () => {
    expect(refused(new TextEncoder().encode("hello world, I am text"))).toContain(
      "is not a capture file: it starts with 0x68656c6c",
    );
    expect(refused()).toContain("has only 0 bytes");
  });
});
