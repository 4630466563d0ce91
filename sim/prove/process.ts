import { type ChildProcessByStdio, spawn } from "node:child_process";
import type { Readable } from "node:stream";

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

/** Groups of tools that run now, by their leaders: no terminal reaches them. */
const running = new Set<number>();
const signals = ["SIGINT", "SIGTERM", "SIGHUP"] as const;

function kill(leader: number): void {
  try {
    process.kill(-leader, "SIGKILL");
  } catch {
    /* The process has just ended by itself. */
  }
}
/** Whoever ends this process ends its tools; then the signal does what it does without them. */
function endAll(signal: NodeJS.Signals): void {
  for (const leader of running) kill(leader);
  listen(false);
  if (process.listenerCount(signal) === 0) process.kill(process.pid, signal);
}
function listen(on: boolean): void {
  for (const s of signals)
    if (on) process.on(s, endAll);
    else process.off(s, endAll);
}
/** Starts a tool. A signal that comes while it does is heard behind it: the tool may run before this goes on. */
function started(begin: () => ChildProcessByStdio<null, Readable, Readable>) {
  if (running.size === 0) listen(true);
  const child = begin();
  if (child.pid !== undefined) running.add(child.pid);
  else if (running.size === 0) listen(false);
  return child;
}
function ended(leader: number): void {
  if (running.delete(leader) && running.size === 0) listen(false);
}

/**
 * Runs a tool, and ends it with all that it started when its time is up, `signal` calls it off, or this process is
 * ended. Nothing is thrown for what the tool says.
 */
export function runLimited(command: string, args: readonly string[], o: RunLimits): Promise<Ended> {
  return new Promise(resolve => {
    if (o.signal?.aborted === true) {
      resolve({ code: -1, out: "", late: true });
      return;
    }
    // A group of its own: yosys-smtbmc starts its solver as a child, which must not outlive it.
    const child = started(() =>
      spawn(command, args, { cwd: o.cwd, stdio: ["ignore", "pipe", "pipe"], detached: true }),
    );
    let out = "",
      late = false;
    const end = (): void => {
      late = true;
      if (child.pid !== undefined) kill(child.pid);
    };
    const timer = setTimeout(end, o.seconds * 1000);
    o.signal?.addEventListener("abort", end, { once: true });
    const finish = (code: number): void => {
      clearTimeout(timer);
      if (child.pid !== undefined) ended(child.pid);
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
