import { spawn } from "node:child_process";

/** How a tool ended. `late`: its time was up, or the run was called off. */
export interface Ended {
  readonly code: number;
  readonly out: string;
  readonly late: boolean;
}

export interface RunLimits {
  readonly cwd: string;
  readonly seconds: number;
  readonly signal?: AbortSignal;
  /** The tool is ended as soon as its output has this. */
  readonly enough?: RegExp;
}

/**
 * Runs a tool, and ends it with all that it started when its time is up or `signal` calls it off. Nothing is thrown for
 * what the tool says.
 */
export function runLimited(command: string, args: readonly string[], o: RunLimits): Promise<Ended> {
  return new Promise(resolve => {
    if (o.signal?.aborted === true) {
      resolve({ code: -1, out: "", late: true });
      return;
    }
    // A group of its own: yosys-smtbmc starts its solver as a child, which must not outlive it.
    const child = spawn(command, args, { cwd: o.cwd, stdio: ["ignore", "pipe", "pipe"], detached: true });
    let out = "",
      late = false;
    const end = (): void => {
      late = true;
      if (child.pid !== undefined)
        try {
          process.kill(-child.pid, "SIGKILL");
        } catch {
          /* The process has just ended by itself. */
        }
    };
    const timer = setTimeout(end, o.seconds * 1000);
    o.signal?.addEventListener("abort", end, { once: true });
    const finish = (code: number): void => {
      clearTimeout(timer);
      o.signal?.removeEventListener("abort", end);
      resolve({ code, out, late });
    };
    child.stdout.on("data", (d: Buffer) => {
      out += d.toString();
      if (o.enough?.test(out) === true) end();
    });
    child.stderr.on("data", (d: Buffer) => {
      out += d.toString();
    });
    child.on("error", e => {
      out += e.message;
      finish(-1);
    });
    child.on("close", code => {
      finish(code ?? -1);
    });
  });
}
