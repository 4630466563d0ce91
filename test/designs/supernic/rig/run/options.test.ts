/** What the options of `mnemo run supernic` do: inputs by port, formats, pace, seed, waves. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { demoCapture, demoSetup } from "../../../../../designs/supernic/workload/index.ts";
import { readPcap, writePcap, writePcapng } from "../../../../../sim/index.ts";
import { played, shippedCapture } from "./played.ts";

const script = demoCapture(),
  timeout = 300_000;
const portOf = (frame: Uint8Array): number => {
  const mac = Buffer.from(frame.subarray(6, 12)).toString("hex");
  return (
    [...demoSetup.stations, ...demoSetup.peers].find(s => s.mac.replaceAll(":", "") === mac)?.port ?? demoSetup.uplink
  );
};
const frames = script.map(f => ({
  timeNs: BigInt(f.time),
  bytes: f.frame,
  interface: portOf(f.frame),
  ...(f.damaged && { damaged: f.damaged }),
}));
const names = demoSetup.ports.map((_, i) => `port ${i}`);
let folder = "";
const file = (name: string, bytes: Uint8Array): string => {
  writeFileSync(join(folder, name), bytes);
  return join(folder, name);
};
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mnemo-snic-in-"));
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("frames come in", () => {
  it("at the interface of a pcapng file; what leaves tells its port", { timeout }, async () => {
    const run = await played([file("all.pcapng", writePcapng(frames, names))], [], { out: "left.pcapng" });
    expect(run.code, run.out).toBe(0);
    expect(run.rows.map(r => [r.port, r.outcome])).toEqual(frames.map((f, i) => [f.interface, script[i]?.expect]));
    for (const [i, r] of run.rows.entries()) {
      const ports = (/ > port ([\d, ]+)$/.exec(r.outcome)?.[1] ?? "").split(", ").filter(Boolean).map(Number);
      for (const p of ports)
        expect(
          run.left.some(f => f.interface === p),
          script[i]?.title,
        ).toBe(true);
    }
    expect(new Set(run.left.map(f => f.interface))).toEqual(new Set([0, 1, 2, 3]));
  });
  it("from several files, each of a port, in the order of their times", { timeout }, async () => {
    const files = names.map((_, p) => {
      const own = frames.filter(f => f.interface === p);
      return `${p}=${file(
        `${p}.pcapng`,
        writePcapng(
          own.map(f => ({ ...f, interface: 0 })),
          ["any"],
        ),
      )}`;
    });
    const run = await played(files);
    expect(run.code, run.out).toBe(0);
    expect(run.rows.map(r => r.outcome)).toEqual(script.map(f => f.expect));
    expect(run.stats.in.map(f => f.port)).toEqual([0, 1, 2, 3]);
  });
  it("where it is said, whoever sent it", { timeout }, async () => {
    const web1 = frames.filter(f => f.interface === 1).slice(0, 1);
    const run = await played([`3=${file("one.pcap", writePcap(web1))}`]);
    expect([run.code, run.rows.map(r => r.port)]).toEqual([0, [3]]);
  });
  it("none at all: an empty table, and nothing leaves", { timeout }, async () => {
    const run = await played([file("none.pcap", writePcap([]))]);
    expect([run.code, run.rows, run.left, run.stats.framesIn]).toEqual([0, [], [], 0]);
  });
});

describe("pace", () => {
  it("closed-loop: every fate is the same", { timeout }, async () => {
    const run = await played([shippedCapture], ["--pace", "closed-loop"]);
    expect([run.code, run.stats.pace]).toEqual([0, "closed-loop"]);
    expect(run.rows.map(r => r.outcome)).toEqual(script.map(f => f.expect));
  });
  it("line rate: back to back, whatever becomes of them, and no difference from the model", { timeout }, async () => {
    const run = await played([shippedCapture], ["--pace", "line-rate"]);
    expect(run.code, run.out).toBe(0);
    expect(run.rows.at(-1)?.us).toBeLessThan(5);
  });
  it("capture: an idle stretch is left out, and times and fates stay as they were", { timeout }, async () => {
    const stretch = 3_600_000_000_000n,
      late = frames.map((f, i) => ({ ...f, timeNs: f.timeNs + (i < 20 ? 0n : stretch) }));
    const [run, plain] = [
      await played([file("late.pcapng", writePcapng(late, names))]),
      await played([shippedCapture]),
    ];
    expect(run.code, run.out).toBe(0);
    expect(run.stats.skippedCycles).toBeGreaterThan(3_599_000_000_000 / 4);
    expect(run.out).toContain(" of them idle and left out");
    expect(run.rows.map(r => r.outcome)).toEqual(script.map(f => f.expect));
    expect(run.rows[20]?.us).toBe(3_600_000_000 + (plain.rows[20]?.us ?? 0));
    const since = (r: typeof run): bigint[] => r.left.map(f => f.timeNs - (r.left[0]?.timeNs ?? 0n));
    expect(since(run).at(-1)).toBe((since(plain).at(-1) ?? 0n) + stretch);
  });
});

describe("what is written", () => {
  it("the same seed gives the same bytes", { timeout }, async () => {
    const texts: string[] = [];
    const use = (at: string): void => void texts.push(readFileSync(join(at, "left.pcap"), "hex"));
    await played([shippedCapture], ["--seed", "7"], { use });
    const run = await played([shippedCapture], ["--seed", "7"], { use });
    expect(run.stats.seed).toBe(7);
    expect(texts[1]).toBe(texts[0]);
  });
  it("a wave of the whole run", { timeout }, async () => {
    const wave = join(folder, "run.vcd"),
      one = file("one.pcap", writePcap(frames.slice(0, 1)));
    const run = await played([one], ["--wave", wave]);
    expect(run.code).toBe(0);
    const text = readFileSync(wave, "latin1");
    expect(text).toMatch(/^\$(?:date|version|timescale|comment)/);
    for (const signal of ["rx0", "tx1", "scheduler"]) expect(text).toContain(signal);
  });
  it("a frame that is switched leaves as it came", { timeout }, async () => {
    const run = await played([shippedCapture]);
    const [first] = readPcap(writePcap(run.left), "left");
    expect(first?.bytes).toEqual(frames[0]?.bytes);
  });
});
