import { execFileSync, spawn } from "node:child_process";
import { existsSync, mkdtempSync, readdirSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import * as p from "../../../../support/packets.ts";
import { root } from "../../../../../scripts/setup/paths.mjs";
import { ownAddress, servedNode, UdpClient } from "./served.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";

onlyHangsEnd();

/** Milliseconds that something takes: printed, beside the promise of 2 s on a machine that does nothing else. */
async function timed(what: () => Promise<unknown>): Promise<number> {
  const from = performance.now();
  await what();
  return performance.now() - from;
}

describe("the end comes soon, whatever is under way", () => {
  it("while the model is compiled: no compiler is left, nothing half made stays", async () => {
    const cache = mkdtempSync(join(tmpdir(), "mnemo-ends-"));
    try {
      const child = spawn(process.execPath, ["cli/mnemo.mjs", "serve", "clio", "--set", `ip=${ownAddress(4)}`], {
        cwd: root,
        stdio: ["ignore", "pipe", "pipe"],
        env: { ...process.env, MNEMO_CACHE: cache, MNEMO_BACKEND: "verilator" },
      });
      let out = "",
        err = "";
      child.stdout.on("data", (d: Buffer) => (out += d.toString()));
      child.stderr.on("data", (d: Buffer) => (err += d.toString()));
      const ended = new Promise<number | null>(resolve => child.on("close", resolve));
      const compiling = (): boolean => existsSync(join(cache, "runtime")) || existsSync(join(cache, "loader"));
      while (!compiling() && child.exitCode === null) await pause(50);
      expect(err).toBe("building the model ...\n");
      let code: number | null = null;
      const ms = await timed(async () => {
        child.kill("SIGINT");
        code = await ended;
      });
      console.log(`ended ${ms.toFixed(0)} ms after SIGINT`);
      expect({ code, out, err }).toEqual({
        code: 0,
        out: "ended while the model was being built; nothing was served\n",
        err: "building the model ...\n",
      });
      const kinds = readdirSync(cache).flatMap(kind => readdirSync(join(cache, kind)));
      expect(kinds.filter(name => /\.(lock|tmp)$/.test(name))).toEqual([]);
      expect(execFileSync("ps", ["-eo", "args"], { encoding: "utf8" })).not.toContain(cache);
    } finally {
      rmSync(cache, { recursive: true, force: true });
    }
  });

  it("with a request that is never answered: memory does not answer the node", async () => {
    const stuck = await servedNode({ ip: ownAddress(5) }, { ram: { latency: { read: 1e9, write: 50 } } }),
      { ip, nativePort } = stuck.settings.runtime,
      client = await UdpClient.open();
    client.send(
      ip,
      nativePort,
      p.clioMessage({ opcode: p.opcode.READ, pid: 1 }, p.encode(p.accessBody, { length: 8 })),
    );
    while (!stuck.node.bench.io.busy.big) await pause(10);
    await pause(100);
    const ms = await timed(async () => {
      await expect(stuck.stop()).rejects.toThrow("the node did not end in order");
    });
    console.log(`ended ${ms.toFixed(0)} ms after it was asked to`);
    await client.close();
  });

  it("while clients send without a pause", async () => {
    const served = await servedNode({ ip: ownAddress(6) }),
      { ip, nativePort } = served.settings.runtime;
    const flood = spawn(process.execPath, [
      "-e",
      `const s = require("dgram").createSocket("udp4"), b = Buffer.alloc(16); b[3] = ${p.opcode.PINGPONG}; b[6] = 16;
       const next = () => s.send(b, ${nativePort}, "${p.formatIpv4(ip)}", next); for (let i = 0; i < 8; i++) next();`,
    ]);
    try {
      const from = served.node.bench.cycle;
      while (served.node.bench.cycle < from + 2000) await pause(20);
      const ms = await timed(() => served.stop());
      console.log(`ended ${ms.toFixed(0)} ms after it was asked to`);
    } finally {
      flood.kill("SIGKILL");
    }
  });
});
