/** The command line as a process of its own. */
import { spawn } from "node:child_process";
import { root } from "../../scripts/setup/paths.mjs";

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
  readonly stdout: string;
  readonly stderr: string;
}
export interface Running {
  readonly firstLine: Promise<string>;
  readonly ended: Promise<Ended>;
  readonly signal: (s: NodeJS.Signals) => void;
  readonly pid: number | undefined;
}

/** The real command in a process of its own. */
export function mnemoProcess(...args: string[]): Running {
  const child = spawn(process.execPath, ["cli/mnemo.mjs", ...args], { cwd: root, stdio: ["ignore", "pipe", "pipe"] });
  let stdout = "",
    stderr = "",
    told: (line: string) => void = () => undefined;
  const firstLine = new Promise<string>(resolve => {
    told = resolve;
  });
  child.stdout.on("data", (d: Buffer) => {
    stdout += d.toString();
    if (stdout.includes("\n")) told(stdout.slice(0, stdout.indexOf("\n")));
  });
  child.stderr.on("data", (d: Buffer) => {
    stderr += d.toString();
  });
  const ended = new Promise<Ended>(resolve => {
    child.on("close", (code, signal) => {
      told(`ended: ${stderr}`);
      resolve({ code, signal, stdout, stderr });
    });
  });
  return {
    firstLine,
    ended,
    pid: child.pid,
    signal: s => {
      child.kill(s);
    },
  };
}
