import { execFileSync, spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, expect, it, test } from "vitest";
import { Random, readCapture, writePcapng } from "../../../sim/index.ts";

const hasTshark = spawnSync("tshark", ["--version"]).status === 0;
const random = new Random(4);
const names = ["port 0", "port 1", "uplink"];
const sent = [0, 14, 60, 61, 62, 63, 1514, 9018].map((n, i) => ({
  timeNs: 1_700_000_000_123_456_789n + BigInt(i),
  bytes: random.bytes(n),
  interface: i % names.length,
  ...(i % 3 === 1 && { damaged: true as const }),
}));

describe("a capture with interfaces", () => {
  it("reads back: to the nanosecond, of any length, damaged or not", () => {
    expect(readCapture(writePcapng(sent, names), "x")).toEqual(
      sent.map(f => ({ ...f, originalLength: f.bytes.length })),
    );
  });
  it("without frames, without interfaces", () => {
    expect(readCapture(writePcapng([], names), "x")).toEqual([]);
    expect(readCapture(writePcapng([], []), "x")).toEqual([]);
  });
  it("a frame without an interface is of the first", () => {
    expect(readCapture(writePcapng([{ timeNs: 1n, bytes: random.bytes(60) }], names), "x")[0]?.interface).toBe(0);
  });
  test.skipIf(!hasTshark)(`Wireshark's tools read it${hasTshark ? "" : " (skipped: tshark is not installed)"}`, () => {
    const folder = mkdtempSync(join(tmpdir(), "mnemo-pcapng-")),
      path = join(folder, "x.pcapng");
    try {
      writeFileSync(path, writePcapng(sent.slice(1), names));
      const columns = ["frame.len", "frame.time_epoch", "frame.interface_name", "frame.packet_flags_crc_error"];
      const out = execFileSync("tshark", ["-r", path, "-T", "fields", ...columns.flatMap(c => ["-e", c])], {
        encoding: "utf8",
        stdio: "pipe",
      });
      const told = out
        .trimEnd()
        .split("\n")
        .map(line => line.split("\t"));
      expect(told.map(([bytes, time, name]) => [bytes, time, name])).toEqual(
        sent.slice(1).map(f => [String(f.bytes.length), `1700000000.${f.timeNs % 1_000_000_000n}`, names[f.interface]]),
      );
      expect(told.map(t => /^(?:1|True)$/i.test(t[3] ?? ""))).toEqual(sent.slice(1).map(f => f.damaged === true));
    } finally {
      rmSync(folder, { recursive: true });
    }
  });
});
