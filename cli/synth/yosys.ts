import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import type { EmittedFile } from "../../hdl-dsl/index.ts";
import { findTool, tools } from "../../scripts/setup/tools.mjs";
import { CheckFailed, UsageError } from "../../designs/shared/command-line/index.ts";

/** Yosys, the machine's or the one from npm. */
export interface Yosys {
  /** `Yosys 0.23`: part of every key of the cache. */
  readonly version: string;
  /** How many runs may go on at a time. */
  readonly parallel: number;
  /**
   * Runs a script on Verilog files.
   * @param result the file that the script writes @param step called at the start of every pass
   * @returns the text of that file @throws CheckFailed with Yosys' own words
   */
  run(files: readonly EmittedFile[], script: string, result: string, step: (pass: string) => void): Promise<string>;
}

/** The package that has Yosys as WebAssembly: a development dependency, at the last version that Node 20 runs. */
const packageName = "@yowasp/yosys";

/** Watches the log go by: passes as they begin, and the last lines for when it ends badly. */
class Log {
  readonly #step: (pass: string) => void;
  #rest = "";
  #last: string[] = [];

  constructor(step: (pass: string) => void) {
    this.#step = step;
  }

  add(text: string): void {
    const lines = (this.#rest + text).split("\n");
    this.#rest = lines.pop() ?? "";
    for (const line of lines) {
      const pass = /^[\d.]+\. Executing (.+?)(?: pass)?(?: \(|\.|$)/.exec(line)?.[1];
      if (pass !== undefined) this.#step(pass);
      if (line.trim() !== "") this.#last = [...this.#last.slice(-19), line];
    }
  }

  /** Fault report: Yosys' errors, or its last lines. */
  trouble(): string {
    const all = [...this.#last, this.#rest],
      errors = all.filter(l => l.includes("ERROR"));
    return (errors.length > 0 ? errors : all).join("\n").trim();
  }
}

const failure = (log: Log): CheckFailed => new CheckFailed(`Yosys could not synthesize it: ${log.trouble()}`);

async function nativeYosys(path: string): Promise<Yosys> {
  const { stdout } = await promisify(execFile)(path, ["-V"]);
  return {
    version: /Yosys [\d.+]+/.exec(stdout)?.[0] ?? stdout.trim(),
    parallel: 2,
    async run(files, script, result, step) {
      const folder = mkdtempSync(join(tmpdir(), "mnemo-synth-")),
        log = new Log(step);
      try {
        for (const f of files) writeFileSync(join(folder, f.name), f.text);
        writeFileSync(join(folder, "run.ys"), script);
        const code = await new Promise<number | null>((done, fail) => {
          const child = spawn(path, ["-s", "run.ys"], { cwd: folder, stdio: ["ignore", "pipe", "pipe"] });
          child.stdout.on("data", (d: Buffer) => log.add(d.toString()));
          child.stderr.on("data", (d: Buffer) => log.add(d.toString()));
          child.on("error", fail);
          child.on("close", done);
        });
        if (code !== 0) throw failure(log);
        return readFileSync(join(folder, result), "utf8");
      } finally {
        rmSync(folder, { recursive: true, force: true });
      }
    },
  };
}

/** Parts of the package's interface that are used. */
interface Embedded {
  readonly version: string;
  readonly runYosys: (
    args: readonly string[],
    files: Readonly<Record<string, string>>,
    options: { readonly stdout: Sink; readonly stderr: Sink },
  ) => Promise<Readonly<Record<string, unknown>>>;
}
type Sink = (bytes: Uint8Array | null) => void;

async function embeddedYosys(): Promise<Yosys | undefined> {
  const name: string = packageName;
  let found: Embedded;
  try {
    found = (await import(name)) as Embedded;
  } catch {
    return undefined;
  }
  return {
    version: `Yosys ${found.version} (WebAssembly)`,
    parallel: 1,
    async run(files, script, result, step) {
      const log = new Log(step),
        decoder = new TextDecoder();
      const sink: Sink = bytes => {
        if (bytes !== null) log.add(decoder.decode(bytes, { stream: true }));
      };
      let written;
      try {
        written = await found.runYosys(
          ["-s", "run.ys"],
          { ...Object.fromEntries(files.map(f => [f.name, f.text])), "run.ys": script },
          { stdout: sink, stderr: sink },
        );
      } catch {
        throw failure(log);
      }
      const text = written[result];
      if (typeof text !== "string") throw failure(log);
      return text;
    },
  };
}

/**
 * The Yosys of the PATH, else the one from npm.
 * @throws UsageError saying how to get either
 */
export async function findYosys(): Promise<Yosys> {
  const path = findTool(tools.yosys);
  const yosys = path === undefined ? await embeddedYosys() : await nativeYosys(path);
  if (yosys !== undefined) return yosys;
  throw new UsageError(
    `Yosys is missing: install it (Debian or Ubuntu: sudo apt-get install ${tools.yosys.debian}), or its WebAssembly build with the project's packages (npm ci, without --omit=dev), and run this again.`,
  );
}
