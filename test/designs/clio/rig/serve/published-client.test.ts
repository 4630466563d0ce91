/**
 * The published Clio client library itself, built as it is from a checkout of its repository:
 * examples/published-client. It runs against the cycle-accurate node on a TAP device, and against two nodes and their
 * global controller. Runs where MNEMO_CLIO_CHECKOUT names a checkout (and root may make a TAP device).
 */
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { hangMs, onlyHangsEnd } from "../../../../support/hang-limit.ts";

onlyHangsEnd();

const script = fileURLToPath(new URL("../../../../../examples/published-client/run.sh", import.meta.url));
const run = (args: readonly string[], env: Readonly<Record<string, string>> = {}) =>
  spawnSync("bash", [script, ...args], { encoding: "utf8", timeout: hangMs, env: { ...process.env, ...env } });

// A network of this process's own (RFC 2544).
const ip = `198.19.${process.pid % 256}.1`,
  own = ["--set", `ip=${ip}`];
const checkout = process.env["MNEMO_CLIO_CHECKOUT"];
const missing =
  checkout === undefined || checkout === ""
    ? "MNEMO_CLIO_CHECKOUT names no checkout of https://github.com/WukLab/Clio"
    : process.getuid?.() !== 0
      ? "a TAP device needs root"
      : existsSync("/dev/net/tun")
        ? undefined
        : "there is no /dev/net/tun";
if (missing !== undefined) console.log(`the published client library is skipped: ${missing}`);

describe("the script that runs the published client library", () => {
  it("says in one sentence what is wrong with the checkout, exit code 2", () => {
    for (const [args, said] of [
      [[], "No checkout"],
      [[fileURLToPath(new URL(".", import.meta.url))], "host/main_host.c is missing"],
    ] as const) {
      const r = run(args);
      expect(r.status, r.stderr).toBe(2);
      expect(r.stderr.trim().split("\n")).toEqual([expect.stringContaining(said)]);
    }
  });
});

describe.skipIf(missing !== undefined)(
  `the published client library${missing === undefined ? "" : ` (skipped: ${missing})`}`,
  () => {
    it("opens contexts at the monitor, allocates, writes, reads back and frees", () => {
      const r = run([checkout!, ...own]),
        told = [...r.stdout.matchAll(/^client: (.*)$/gm)].map(([, text]) => text!);
      expect(r.status, r.stderr).toBe(0);
      // Process IDs of the monitor; regions begin at 1 GB.
      expect(told[0]).toMatch(/^context A: process 327\d\d$/);
      expect(told[1]).toBe(`allocated 16 MB at 0x40000000 of node ${ip}`);
      expect(told.at(-1)).toBe("OK");
      const counter = (name: string): number =>
        Number(new RegExp(`\\b${name} ([\\d,]+)`).exec(r.stdout)?.[1]?.replaceAll(",", "") ?? Number.NaN);
      // A read of freed memory, and no other, was refused.
      expect(counter("invalid")).toBe(1);
      expect(counter("writes")).toBeGreaterThan(25);
    });

    it("does the same at two nodes, with the global controller as its monitor: a context at each", () => {
      const r = run([checkout!, "--nodes", "2"]),
        at = [...r.stdout.matchAll(/^client: allocated 16 MB at 0x40000000 of node [\d.]+\.(\d)$/gm)].map(
          ([, node]) => node,
        );
      expect(r.status, r.stderr).toBe(0);
      expect(at.sort()).toEqual(["1", "2"]);
      expect(r.stdout).toMatch(/^client: OK$/m);
      // Each node served the reads of its own context.
      const reads = [...r.stdout.matchAll(/\breads ([\d,]+)/g)].map(([, n]) => Number(n!.replaceAll(",", "")));
      expect(reads).toEqual([expect.any(Number), expect.any(Number)]);
      expect(Math.min(...reads)).toBe(2);
    });

    it("does the same over Go-Back-N sessions, the library built for them", () => {
      const r = run([checkout!, ...own, "--set", "transport=gbn"]);
      expect(r.status, r.stderr).toBe(0);
      expect(r.stdout).toMatch(/^client: OK$/m);
    });

    it("and its checks find a planted fault: bytes other than those written", () => {
      const r = run([checkout!, ...own], { PROGRAM_CFLAGS: "-DPLANTED_FAULT=1" });
      expect(r.status, r.stderr).toBe(1);
      expect(r.stdout).toContain("client: WRONG: what was read is not what was written");
      expect(r.stdout).toContain("client: FAILED");
    });
  },
);
