import { AsyncLocalStorage } from "node:async_hooks";
import { spawn } from "node:child_process";
import { BuildError } from "../../errors.ts";

/**
 * A signal in whose context tools run until it is given (`toolsUntil.run(signal, build)`): they are killed then, with
 * all that they have started, and what waits for them rejects with the signal's reason.
 */
export const toolsUntil = new AsyncLocalStorage<AbortSignal | undefined>();

/**
 * Runs a tool to its end. @returns standard output. @throws BuildError with the start of what it printed when it fails.
 */
export function run(command: string, args: readonly string[], cwd: string, doing: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const until = toolsUntil.getStore();
    if (until?.aborted === true) {
      reject(until.reason as Error);
      return;
    }
    // A group of its own can be killed whole: compilers and Verilator start further programs.
    const child = spawn(command, args, { cwd, stdio: ["ignore", "pipe", "pipe"], detached: until !== undefined });
    const end = (): void => {
      if (child.pid !== undefined) killGroup(child.pid);
      reject(until?.reason as Error);
    };
    until?.addEventListener("abort", end, { once: true });
    let out = "",
      err = "";
    child.stdout.on("data", (d: Buffer) => {
      out += d.toString();
    });
    child.stderr.on("data", (d: Buffer) => {
      err += d.toString();
    });
    child.on("error", e => reject(new BuildError(`${doing}: ${command} could not be started (${e.message})`)));
    child.on("close", code => {
      until?.removeEventListener("abort", end);
      if (code === 0) resolve(out);
      else reject(new BuildError(`${doing} failed:\n${(err + out).trim().slice(0, 4000)}`));
    });
  });
}

function killGroup(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    /* it has ended meanwhile */
  }
}
