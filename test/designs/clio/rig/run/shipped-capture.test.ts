import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { beforeAll, describe, expect, it } from "vitest";
import { makeSettings } from "../../../../../designs/clio/config/index.ts";
import { demoCapture } from "../../../../../designs/clio/workload/index.ts";
import { dissect } from "../../../../../designs/clio/wire/index.ts";
import { played, type Played } from "./played.ts";

const path = (name: string): string => fileURLToPath(new URL(`../../../../../${name}`, import.meta.url));
const capture = path("captures/first.pcap"),
  script = demoCapture();
const hasTshark = spawnSync("tshark", ["--version"]).status === 0;
if (!hasTshark) console.warn("tshark is not installed: that it decodes every reply is not tested here");

/** What the table has to say where the script expects this. */
const outcomeFor = (expected: string): RegExp =>
  expected === "none"
    ? /^(dropped: |no reply is due$)/
    : expected === "ARP" || expected === "ICMP echo"
      ? /^OK$/
      : new RegExp(`^${expected}$`);

describe("the capture that ships with the project", () => {
  let run: Played,
    decoded: readonly string[] = [];
  beforeAll(async () => {
    run = await played(capture, [], folder => {
      if (!hasTshark) return;
      decoded = execFileSync(
        "tshark",
        [
          "-X",
          `lua_script:${path("generated/clio.lua")}`,
          "-r",
          `${folder}/replies.pcap`,
          "-T",
          "fields",
          "-E",
          "separator=|",
          "-e",
          "_ws.col.Protocol",
          "-e",
          "_ws.col.Info",
          "-e",
          "mnemo.short",
          "-e",
          "_ws.malformed",
        ],
        { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
      )
        .trimEnd()
        .split("\n");
    });
  });

  it("runs without a difference from the reference model", () => {
    expect([run.code, run.err]).toEqual([0, ""]);
    expect(run.out).toMatch(/^[\d,]+ bytes of replies compared with the reference model: no difference$/m);
  });
  it.each(script.map((f, i) => [i + 1, f.title, f.expect] as const))("frame %i, %s: %s", (n, _title, expected) => {
    expect(run.rows[n - 1]?.number).toBe(n);
    expect(run.rows[n - 1]?.outcome).toMatch(outcomeFor(expected));
  });
  it("goes in at its times, skipped or not, and each latency is told in cycles of 4 ns", () => {
    // A frame is offered in the cycle after the one that is due.
    expect(run.rows.map(r => Math.round((r.us * 1000) / 4))).toEqual(script.map(f => f.time / 4));
    for (const r of run.rows) expect(r.ns).toBe(r.cycles === undefined ? undefined : r.cycles * 4);
    expect(run.stats["skippedCycles"]).toBeGreaterThan(10_000);
  });
  it("is answered in order, at the times that the latencies tell", () => {
    const answered = run.rows.flatMap((r, i) => (r.cycles === undefined ? [] : [{ ...r, frame: script[i]?.frame }]));
    expect(run.replies.length).toBe(answered.length);
    for (const [i, reply] of run.replies.entries()) {
      const row = answered[i],
        request = dissect(row?.frame ?? new Uint8Array()),
        beats = Math.ceil((row?.bytes ?? 0) / 64) + Math.ceil(reply.bytes.length / 64);
      const ns = Number(reply.timeNs - (run.replies[0]?.timeNs ?? 0n)) - (row?.us ?? 0) * 1000,
        shift = Number(run.replies[0]?.timeNs ?? 0n) && (answered[0]?.ns ?? 0);
      // Times are those of last beats.
      expect(ns + shift - (row?.ns ?? 0)).toBeLessThanOrEqual(4 * beats);
      if (request.clio && row?.outcome !== "MALFORMED")
        expect(dissect(reply.bytes).clio?.requestId).toBe(request.clio.requestId);
    }
  });
  it("leaves statistics of the same", () => {
    const { counters, requests, settings } = run.stats as {
      counters: Record<string, number>;
      requests: Record<string, { requests: number; latencyCycles?: { p50: number; max: number } }>;
      settings: Record<string, unknown>;
    };
    expect(counters["rxFrames"]).toBe(script.length);
    expect(counters["txFrames"]).toBe(run.replies.length);
    for (const [name, t] of Object.entries(requests)) {
      const of = run.rows.filter(r => r.request === name);
      expect([name, t.requests]).toEqual([name, of.length]);
      const cycles = of.flatMap(r => r.cycles ?? []);
      if (cycles.length > 0) expect(t.latencyCycles?.max).toBe(Math.max(...cycles));
    }
    expect(settings).toMatchObject({
      dataWidth: 512,
      ip: "10.10.0.1",
      mac: "02:c1:10:00:00:01",
      dramLatency: makeSettings().runtime.dramLatency,
    });
    expect(run.stats["seed"]).toBe(1);
  });
  it.skipIf(!hasTshark)(
    `is answered with frames that tshark decodes by the generated dissector${hasTshark ? "" : " (skipped: tshark is not installed)"}`,
    () => {
      expect(decoded.length).toBe(run.replies.length);
      for (const line of decoded) expect(line).toMatch(/^(ARP|ICMP|CLIO)\|[^|]+\|\|$/);
      const names = decoded.map(l => l.split("|")[1] ?? "");
      for (const name of [
        "READ_REPLY OK",
        "WRITE_REPLY OK",
        "WRITE_REPLY WRITE_PERM",
        "READ_REPLY INVALID",
        "ALLOC_REPLY OK",
        "KV_CREATE_REPLY FAIL",
      ])
        expect(
          names.some(n => n.startsWith(name)),
          name,
        ).toBe(true);
    },
  );
  it("gives what the README shows", () => {
    const shown =
      /<!-- run: captures\/first\.pcap -->\n```\n([\s\S]*?)\n```/
        .exec(readFileSync(path("README.md"), "utf8"))?.[1]
        ?.split("\n")
        .filter(l => l !== "...") ?? [];
    const lines = run.out.split("\n");
    expect(shown.length).toBeGreaterThan(10);
    for (const line of shown) expect(lines).toContain(line);
  });
});

describe("the same capture at another pace", () => {
  it("closed-loop: every outcome is the same", async () => {
    const run = await played(capture, ["--pace", "closed-loop"]);
    expect(run.code).toBe(0);
    for (const [i, f] of script.entries()) expect(run.rows[i]?.outcome, f.title).toMatch(outcomeFor(f.expect));
    expect(run.stats["skippedCycles"]).toBe(0);
  });
  it("line rate: back to back, whatever becomes of them, and no difference from the model", async () => {
    const run = await played(capture, ["--pace", "line-rate"]);
    expect(run.code, run.out).toBe(0);
    expect(run.rows.at(-1)?.us).toBeLessThan(1);
  });
});
