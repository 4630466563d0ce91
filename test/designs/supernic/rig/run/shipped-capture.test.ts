/** `mnemo run supernic` on the capture that ships with the project: each frame's fate, and what leaves. */
import { execFileSync, spawnSync } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { dissectorLua } from "../../../../../designs/supernic/wire/index.ts";
import { demoCapture } from "../../../../../designs/supernic/workload/index.ts";
import { played, type Played, projectFile, shippedCapture } from "./played.ts";

const script = demoCapture();
const hasTshark = spawnSync("tshark", ["--version"]).status === 0;
const columns = ["frame.protocols", "supernic.short", "supernic.wrong", "supernic_ctrl.short", "supernic_ctrl.wrong"]
  .concat(["_ws.malformed", "supernic.snic.kind", "supernic.snic.ttl", "vlan.id", "vxlan.vni"])
  .concat(["supernic.ctrl.opcode", "supernic.ctrl.reply", "supernic.ctrl.status", "supernic.queryReply.contexts"])
  .concat(["supernic.queryDag.uid", "ip.checksum.status"]);
type Decoded = Readonly<Record<string, string>>;

/** What tshark says of each frame of a capture, by column. */
function decoded(folder: string, name: string): Decoded[] {
  const lua = join(folder, "supernic.lua");
  writeFileSync(lua, dissectorLua());
  const said = execFileSync(
    "tshark",
    [
      ...["-X", `lua_script:${lua}`, "-r", join(folder, name), "-o", "ip.check_checksum:TRUE"],
      // The capture's payloads are made up: no DNS, DHCP or LLDP is in them, whatever the port says.
      ...["dhcp", "dns", "lldp", "ntp", "http", "smtp"].flatMap(p => ["--disable-protocol", p]),
      ...["-T", "fields", "-E", "separator=|", ...columns.flatMap(c => ["-e", c])],
    ],
    { encoding: "utf8", stdio: ["ignore", "pipe", "ignore"] },
  );
  return said
    .replace(/\n$/, "")
    .split("\n")
    .map(line => {
      const cells = line.split("|");
      return Object.fromEntries(columns.map((c, i) => [c, cells[i] ?? ""]));
    });
}

describe("the capture that ships with the project", () => {
  let run: Played,
    frames: readonly Decoded[] = [];
  beforeAll(async () => {
    run = await played([shippedCapture], [], {
      use: folder => {
        if (hasTshark) frames = decoded(folder, "left.pcap");
      },
    });
  });

  it("runs without a difference from the reference model", () => {
    expect([run.code, run.err, run.stats.differences]).toEqual([0, "", []]);
    expect(run.out).toMatch(/^[\d,]+ bytes of frames compared with the reference model: no difference\n$/m);
    expect(run.rows).toHaveLength(script.length);
  });
  it.each(script.map((f, i) => [i + 1, f.title, f.expect] as const))("frame %i, %s: %s", (n, _title, expected) => {
    expect(run.rows[n - 1]).toMatchObject({ number: n, outcome: expected, bytes: script[n - 1]?.frame.length });
  });
  it("goes in at its times, and each latency is told in cycles of 4 ns", () => {
    expect(run.rows.map(r => Math.round((r.us * 1000) / 4))).toEqual(script.map(f => f.time / 4));
    for (const r of run.rows) expect(r.ns).toBe(r.cycles === undefined ? undefined : r.cycles * 4);
    // What leaves by a port has a latency, and nothing else.
    for (const r of run.rows)
      expect([r.outcome, r.cycles !== undefined]).toEqual([r.outcome, / > port /.test(r.outcome)]);
  });
  it("frames in = frames out + dropped, by the counters alone", () => {
    const { ports, middle } = run.stats.counters,
      sum = (of: (name: string) => boolean): number =>
        ports.reduce((n, c) => n + Object.entries(c).reduce((m, [name, v]) => m + (of(name) ? v : 0), 0), 0);
    // Frames that came in at ports and at the loop port, each with one fate.
    const loop = Object.values(ports.at(-1) ?? {}).reduce((a, b) => a + b, 0);
    expect(sum(n => n.startsWith("in"))).toBe(script.length + loop);
    // Software answers what it is sent, but for a wrong key and what nobody listens to.
    const answered = script.filter(f => f.expect === "software" && !/wrong key|nobody listens/.test(f.title)).length;
    // What was queued left by the core or the lane, or was dropped behind the queues, by reason.
    const ways = ["left", "laneLeft", "laneToSoftware", "dropTask", "dropNowhere", "dropAgain", "dropPaused"],
      behind = ways.reduce((n, name) => n + (middle[name] ?? 0), 0);
    expect(behind).toBe(sum(n => n.startsWith("inQueued")) + answered);
    expect(sum(n => n === "outDone")).toBe(run.left.length);
  });
  it("leaves statistics of the same", () => {
    const { outcomes, ...stats } = run.stats;
    expect(stats).toMatchObject({ seed: 1, pace: "capture", framesIn: script.length, framesOut: run.left.length });
    expect(stats.bytesIn).toBe(script.reduce((n, f) => n + f.frame.length, 0));
    expect(stats.bytesOut).toBe(run.left.reduce((n, f) => n + f.bytes.length, 0));
    for (const [name, { frames: n, latencyCycles }] of Object.entries(outcomes)) {
      const of = run.rows.filter(r => r.outcome === name),
        cycles = of.flatMap(r => r.cycles ?? []);
      expect([name, n]).toEqual([name, of.length]);
      expect(latencyCycles?.max).toBe(cycles.length === 0 ? undefined : Math.max(...cycles));
    }
  });
  it("gives what the page shows", () => {
    const page = readFileSync(projectFile("docs/supernic/run.md"), "utf8"),
      shown = /<!-- run: captures\/supernic\.pcap -->\n```\n([\s\S]*?)\n```/.exec(page)?.[1]?.split("\n") ?? [];
    const lines = run.out.split("\n");
    expect(shown.length).toBeGreaterThan(10);
    for (const line of shown.filter(l => l !== "...")) expect(lines).toContain(line);
  });

  describe.skipIf(!hasTshark)(`decoded by tshark${hasTshark ? "" : " (skipped: tshark is not installed)"}`, () => {
    it("every frame that leaves, and none is malformed", () => {
      expect(frames).toHaveLength(run.left.length);
      for (const f of frames) {
        expect(f["frame.protocols"]).toMatch(/^eth:ethertype/);
        for (const c of columns.filter(n => /short|wrong|malformed/.test(n))) expect([c, f[c]]).toEqual([c, ""]);
        // 0 would be a wrong one.
        expect(f["ip.checksum.status"]).not.toContain("0");
      }
    });
    it("redirects, a kept shim with its ttl one less, a tag that was put back, a tunnel", () => {
      const has = (column: string, value: string): number => frames.filter(f => f[column] === value).length;
      expect(has("supernic.snic.kind", "2,1") + has("supernic.snic.kind", "2")).toBe(2);
      expect(has("supernic.snic.ttl", "3")).toBe(1);
      expect(has("vlan.id", "7")).toBe(1);
      expect(frames.filter(f => f["vxlan.vni"] !== "")).toHaveLength(1);
    });
    it("replies of CTRL, down to the fields of their bodies", () => {
      const replies = frames.filter(f => f["supernic.ctrl.reply"] === "1");
      expect(replies.map(f => [f["supernic.ctrl.opcode"], f["supernic.ctrl.status"]])).toEqual([
        ["0x07", "0"],
        ["0x09", "0"],
        ["0x09", "0"],
        ["0x09", "2"],
        ["0x05", "6"],
      ]);
      expect(replies[0]?.["supernic.queryReply.contexts"]).toMatch(/^\d+$/);
      expect(replies[0]?.["supernic.queryDag.uid"]?.split(",").length).toBeGreaterThan(3);
    });
  });
});
