/** A process that is ended while it proves takes its tools along: their groups are out of the reach of Ctrl-C. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import { root } from "../../../scripts/setup/paths.mjs";

const runs = (pid: string): boolean => {
  try {
    // What has ended and nobody has asked for stays as a zombie.
    return !/^\d+ \(.*\) Z/.test(readFileSync(`/proc/${pid}/stat`, "utf8"));
  } catch {
    return false;
  }
};
/** A process that runs a tool, which starts another one; both would go on for long. @returns how it ended, and both */
async function endedBy(signal: NodeJS.Signals, folder: string) {
  const pids = join(folder, "pids"),
    tool = `sleep 600 & echo $$ $! > ${pids}; wait`,
    script = `
      import { runLimited } from "./sim/prove/process.ts";
      void runLimited("sh", ["-c", ${JSON.stringify(tool)}], { cwd: ${JSON.stringify(folder)}, seconds: 600 });
    `;
  const child = spawn(process.execPath, ["--import", "tsx", "--input-type=module", "-e", script], { cwd: root });
  const over = new Promise<NodeJS.Signals | null>(resolve => {
    child.on("exit", (_code, by) => resolve(by));
  });
  while (!existsSync(pids) || statSync(pids).size === 0) await setTimeout(20);
  const both = readFileSync(pids, "utf8").trim().split(" ");
  expect(both.map(runs)).toEqual([true, true]);
  child.kill(signal);
  return { by: await over, both };
}

describe.runIf(process.platform === "linux")("a process that runs tools", () => {
  it.each(["SIGINT", "SIGTERM", "SIGHUP"] as const)("and is ended by %s ends them all", async signal => {
    const folder = mkdtempSync(join(tmpdir(), "mnemo-ended-"));
    const { by, both } = await endedBy(signal, folder);
    expect(by).toBe(signal);
    while (both.some(runs)) await setTimeout(20);
    rmSync(folder, { recursive: true });
  });
});
