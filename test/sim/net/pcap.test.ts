import { execFileSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { CaptureError, Random, readPcap, writePcap } from "../../../sim/index.ts";

/** A capture built by hand in any of the four formats. */
function capture(
  little: boolean,
  nano: boolean,
  frames: readonly { s: number; f: number; bytes: Uint8Array }[],
  link = 1,
): Uint8Array {
  const file = new Uint8Array(24 + frames.reduce((n, f) => n + 16 + f.bytes.length, 0)),
    v = new DataView(file.buffer);
  v.setUint32(0, nano ? 0xa1b23c4d : 0xa1b2c3d4, little);
  v.setUint16(4, 2, little);
  v.setUint16(6, 4, little);
  v.setUint32(16, 65535, little);
  v.setUint32(20, link, little);
  let at = 24;
  for (const { s, f, bytes } of frames) {
    [s, f, bytes.length, bytes.length + 4].forEach((x, i) => v.setUint32(at + 4 * i, x, little));
    file.set(bytes, at + 16);
    at += 16 + bytes.length;
  }
  return file;
}
const random = new Random(2);
const frames = [
  { s: 1, f: 999_999, bytes: random.bytes(60) },
  { s: 4_000_000_000, f: 7, bytes: random.bytes(1514) },
];

describe("reader", () => {
  for (const little of [true, false])
    for (const nano of [true, false]) {
      test(`${little ? "little" : "big"}-endian, ${nano ? "nano" : "micro"}seconds`, () => {
        const got = readPcap(capture(little, nano, frames), "x.pcap");
        const unit = nano ? 1n : 1000n;
        expect(got).toEqual(
          frames.map(({ s, f, bytes }) => ({
            timeNs: BigInt(s) * 10n ** 9n + BigInt(f) * unit,
            bytes,
            originalLength: bytes.length + 4,
          })),
        );
      });
    }

  test("a view into a larger buffer is read at its own offset", () => {
    const file = capture(true, true, frames),
      larger = new Uint8Array(file.length + 13);
    larger.set(file, 13);
    expect(readPcap(larger.subarray(13), "x.pcap").length).toBe(2);
  });

  test("every place to cut a file is refused, but for whole frames", () => {
    const file = capture(true, false, frames),
      whole = new Map([
        [24, 0],
        [24 + 76, 1],
        [file.length, 2],
      ]);
    for (let n = 0; n <= file.length; n++) {
      const cut = file.subarray(0, n),
        count = whole.get(n);
      if (count !== undefined) expect(readPcap(cut, "x.pcap").length).toBe(count);
      else expect(() => readPcap(cut, "x.pcap"), `${n} bytes`).toThrow(CaptureError);
    }
  });

  test("what is refused is told in one sentence", () => {
    const bad = (file: Uint8Array) => {
      try {
        readPcap(file, "x.pcap");
      } catch (e) {
        return (e as Error).message;
      }
      return "accepted";
    };
    const good = capture(true, false, frames);
    expect(bad(new Uint8Array(0))).toBe(
      "x.pcap is not a capture file: it has only 0 bytes; give a pcap file as tcpdump or Wireshark writes it",
    );
    expect(bad(new TextEncoder().encode("hello world"))).toBe(
      "x.pcap is not a capture file: it starts with 0x68656c6c; give a pcap file as tcpdump or Wireshark writes it",
    );
    expect(bad(Uint8Array.of(0x0a, 0x0d, 0x0d, 0x0a, 0, 0))).toBe(
      "x.pcap is in pcapng format; convert it: editcap -F nsecpcap x.pcap converted.pcap",
    );
    expect(bad(good.subarray(0, 20))).toBe(
      "x.pcap is cut short: 20 of the 24 bytes of the file header are there; copy it again",
    );
    expect(bad(good.subarray(0, 30))).toBe(
      "x.pcap is cut short in frame 1: 6 of the 16 bytes of its header are there; copy or capture it again",
    );
    expect(bad(good.subarray(0, 150))).toBe(
      "x.pcap is cut short in frame 2: 34 of its 1514 bytes are there; copy or capture it again",
    );
    expect(bad(capture(true, false, frames, 113))).toBe(
      "x.pcap holds frames of link type 113, not Ethernet (1); capture on an Ethernet interface",
    );
    // Check sequences of one word of 16 bits.
    expect(bad(capture(true, false, frames, 0x1400_0001))).toBe(
      "x.pcap tells of check sequences of 2 bytes, and Ethernet's have 4; capture it again without check sequences",
    );
    const damaged = good.slice();
    new DataView(damaged.buffer).setUint32(24 + 8, 0x7fffffff, true);
    expect(bad(damaged)).toBe("x.pcap is damaged: frame 1 claims 2147483647 bytes; capture it again");
  });
});

describe("writer", () => {
  test("what is written reads back, to the nanosecond", () => {
    const sent = frames.map(({ bytes }, i) => ({ timeNs: 1_700_000_000_123_456_789n + BigInt(i), bytes }));
    expect(readPcap(writePcap(sent), "x").map(({ timeNs, bytes }) => ({ timeNs, bytes }))).toEqual(sent);
    expect(readPcap(writePcap([]), "x")).toEqual([]);
  });

  test("Wireshark's tools read it", ({ skip }) => {
    const folder = mkdtempSync(join(tmpdir(), "mnemo-pcap-")),
      path = join(folder, "x.pcap");
    try {
      writeFileSync(path, writePcap(frames.map(({ bytes }, i) => ({ timeNs: 5_000_000_001n * BigInt(i + 1), bytes }))));
      const out = execFileSync("tshark", ["-r", path, "-T", "fields", "-e", "frame.len", "-e", "frame.time_epoch"], {
        encoding: "utf8",
        stdio: "pipe",
      });
      expect(out.trim().split("\n")).toEqual(["60\t5.000000001", "1514\t10.000000002"]);
    } catch (e) {
      if ((e as NodeJS.ErrnoException).code === "ENOENT") skip("tshark is not installed");
      throw e;
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
