import { type ChildProcess, spawn } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { cached, digest, findTool, FrameReader, lengthPrefixed, run } from "../../../../../sim/index.ts";

const source = fileURLToPath(new URL("raw-ethernet.cc", import.meta.url));

/** A station that sends and receives whole frames on a device of this machine (root). */
export class RawStation {
  readonly received: Uint8Array[] = [];
  readonly #program: ChildProcess;
  #waiting: (() => void)[] = [];

  private constructor(program: ChildProcess, reader: FrameReader) {
    this.#program = program;
    reader.frames(frame => {
      this.received.push(frame);
      const waiting = this.#waiting;
      this.#waiting = [];
      for (const wake of waiting) wake();
    });
  }

  static async open(device: string): Promise<RawStation> {
    const cxx = (findTool("clang++") ?? findTool("g++"))!;
    const { dir } = await cached("raw-ethernet", digest([cxx.fingerprint, readFileSync(source)]), async to => {
      await run(
        cxx.path,
        ["-O2", "-std=c++17", "-Wall", "-Wextra", source, "-o", join(to, "raw_ethernet")],
        to,
        "compiling the raw station",
      );
    });
    const program = spawn(join(dir, "raw_ethernet"), [device], { stdio: ["pipe", "pipe", "inherit"] }),
      reader = new FrameReader(program.stdout);
    const said = await reader.line(program);
    if (said !== "ok") throw new Error(said);
    return new RawStation(program, reader);
  }

  send(frame: Uint8Array): void {
    this.#program.stdin?.write(lengthPrefixed(frame));
  }
  /** The first frame that came and `wanted` picks, taken out with all before it. */
  async next(wanted: (frame: Uint8Array) => boolean): Promise<Uint8Array> {
    for (;;) {
      for (let f = this.received.shift(); f; f = this.received.shift()) if (wanted(f)) return f;
      await new Promise<void>(resolve => {
        this.#waiting.push(resolve);
      });
    }
  }
  close(): Promise<void> {
    return new Promise(resolve => {
      this.#program.once("exit", () => resolve());
      this.#program.stdin?.end();
    });
  }
}
