/** A worker seen from the campaign: a process group that runs one piece at a time. */
import { type ChildProcess, spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { root } from "../../../scripts/setup/paths.mjs";
import type { Answer, Order } from "../piece-contract.ts";
import { checkedAnswer } from "./answer.ts";

const script = fileURLToPath(new URL("../worker.mjs", import.meta.url));
/** Characters of what a piece prints that are kept: its end. */
const kept = 4000;

/** How a piece ended. */
export type Ending =
  | { readonly how: "answered"; readonly answer: Answer }
  | { readonly how: "limit" }
  | { readonly how: "died"; readonly why: string };

export class WorkerProcess {
  readonly #child: ChildProcess;
  readonly #ready: Promise<boolean>;
  #printed = "";
  /** Pieces that it has run. */
  runs = 0;

  constructor() {
    // A group of its own: what a piece starts goes with it.
    this.#child = spawn(process.execPath, ["--max-semi-space-size=64", script], {
      cwd: root,
      detached: true,
      stdio: ["ignore", "pipe", "pipe", "ipc"],
    });
    const print = (d: Buffer): void => {
      this.#printed = (this.#printed + d.toString()).slice(-kept);
    };
    this.#child.stdout?.on("data", print);
    this.#child.stderr?.on("data", print);
    this.#ready = new Promise(done => {
      this.#child.once("message", () => done(true));
      this.#child.once("exit", () => done(false));
      this.#child.once("error", () => done(false));
    });
  }

  /** The end of what the piece printed. */
  get printed(): string {
    return this.#printed;
  }

  /** @param seconds after which it is ended */
  async run(order: Order, seconds: number): Promise<Ending> {
    if (!(await this.#ready)) return { how: "died", why: "its process could not be started" };
    this.runs++;
    this.#printed = "";
    const child = this.#child;
    const ending = await new Promise<Ending>(done => {
      const end = (ending: Ending): void => {
        clearTimeout(timer);
        child.removeAllListeners("message").removeAllListeners("exit");
        done(ending);
      };
      // Node's timers count in 31 bits.
      const timer = setTimeout(() => end({ how: "limit" }), Math.min(seconds * 1000, 2 ** 31 - 1));
      child.once("message", message => end({ how: "answered", answer: checkedAnswer(message) }));
      child.once("exit", (code, signal) => end({ how: "died", why: signal ?? `exit code ${code ?? "none"}` }));
      if (child.exitCode !== null || child.signalCode !== null)
        end({ how: "died", why: child.signalCode ?? `exit code ${child.exitCode ?? "none"}` });
      else child.send(order, () => undefined);
    });
    // What it printed comes by other pipes: it is there, and is read in this turn or the next one.
    for (let turn = 0; turn < 2; turn++) await new Promise(setImmediate);
    return ending;
  }

  /** Ends it and all that it has started. */
  kill(): void {
    const { pid } = this.#child;
    if (pid === undefined) return;
    try {
      process.kill(-pid, "SIGKILL");
    } catch (e) {
      if ((e as NodeJS.ErrnoException).code !== "ESRCH") throw e;
    }
  }
}
