/** Vitest that watches, with processes that are kept: what it says is what stands in the files. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { root } from "../../scripts/setup/paths.mjs";
import { hangMs } from "../support/hang-ms.ts";

const vitest = join(root, "node_modules/vitest/vitest.mjs");

/** A project of one module, its bench, and a note of the process that ran it. */
class Watched {
  readonly folder: string;
  #process: ChildProcess | undefined;
  #said = "";

  constructor() {
    mkdirSync(join(root, "out"), { recursive: true });
    this.folder = mkdtempSync(join(root, "out", "kept-"));
    const up = relative(this.folder, root).replaceAll("\\", "/");
    this.write(
      "vitest.config.mjs",
      `import { keptWorkers } from "${up}/scripts/vitest/kept-workers.ts";
export default { test: { include: ["*.test.ts"], pool: keptWorkers(), isolate: false } };
`,
    );
    this.write("sum.ts", "export const sum = (a: number, b: number): number => a + b;\n");
    this.write("used.ts", 'export { sum } from "./sum.ts";\n');
    this.write(
      "sum.test.ts",
      `import { writeFileSync } from "node:fs";
import { expect, it } from "vitest";
import { sum } from "./used.ts";
// What a bench forgets keeps a process alive.
setInterval(() => undefined, 1_000);
it("adds", () => {
  writeFileSync(new URL("ran-by", import.meta.url), String(process.pid));
  expect(sum(2, 3)).toBe(5);
});
`,
    );
  }
  write(name: string, text: string): void {
    writeFileSync(join(this.folder, name), text);
  }
  /** The process of the last run. */
  get ranBy(): number {
    const pid = Number(readFileSync(join(this.folder, "ran-by"), "utf8"));
    // 0 would be this process and all beside it.
    if (!(pid > 1)) throw new Error("no process has said its number");
    return pid;
  }
  begin(command: "watch" | "run"): ChildProcess {
    const child = spawn(process.execPath, [vitest, command, "--root", this.folder], {
      cwd: this.folder,
      stdio: ["pipe", "pipe", "pipe"],
      env: { ...process.env, NO_COLOR: "1", CI: undefined },
    });
    child.stdout.setEncoding("utf8").on("data", (text: string) => (this.#said += text));
    this.#process = child;
    return child;
  }
  /** Until it waits for the next edit: whether the tests passed. */
  async verdict(): Promise<boolean> {
    const end = Date.now() + hangMs;
    while (!this.#said.includes("for file changes")) {
      if (Date.now() > end) throw new Error(`vitest says no verdict: ${this.#said}`);
      if (this.#process?.exitCode !== null) throw new Error(`vitest ended: ${this.#said}`);
      await new Promise(resolve => setTimeout(resolve, 20));
    }
    const passed = this.#said.includes("PASS");
    this.#said = "";
    return passed;
  }
  async end(signal: NodeJS.Signals = "SIGTERM"): Promise<void> {
    const child = this.#process;
    this.#process = undefined;
    if (child === undefined || child.exitCode !== null) return;
    child.kill(signal);
    await once(child, "exit");
  }
}

const isAlive = (pid: number): boolean => {
  try {
    process.kill(pid, 0);
    return true;
  } catch {
    return false;
  }
};
async function goes(pid: number): Promise<void> {
  while (isAlive(pid)) await new Promise(resolve => setTimeout(resolve, 20));
}

describe("kept workers", () => {
  const project = new Watched();
  beforeAll(() => void project.begin("watch"));
  afterAll(async () => {
    await project.end();
    rmSync(project.folder, { recursive: true, force: true });
  });

  it("tell of each edit, of the file itself and of one behind it, by the same process", async () => {
    expect(await project.verdict()).toBe(true);
    const first = project.ranBy;
    project.write("sum.ts", "export const sum = (a: number, b: number): number => a - b;\n");
    expect(await project.verdict()).toBe(false);
    project.write("sum.ts", "export const sum = (a: number, b: number): number => b + a;\n");
    expect(await project.verdict()).toBe(true);
    expect(project.ranBy).toBe(first);
    const test = readFileSync(join(project.folder, "sum.test.ts"), "utf8");
    project.write("sum.test.ts", test.replace("toBe(5)", "toBe(6)"));
    expect(await project.verdict()).toBe(false);
    project.write("sum.test.ts", test);
    expect(await project.verdict()).toBe(true);
    expect(project.ranBy).toBe(first);
  });
  it("come anew when one has died", async () => {
    const before = project.ranBy;
    process.kill(before, "SIGKILL");
    await goes(before);
    project.write("sum.ts", "export const sum = (a: number, b: number): number => a + b + 0;\n");
    expect(await project.verdict()).toBe(true);
    expect(project.ranBy).not.toBe(before);
  });
  it("go when vitest ends", async () => {
    const pid = project.ranBy;
    expect(isAlive(pid)).toBe(true);
    await project.end();
    await goes(pid);
  });
  it("go when vitest is killed, too", async () => {
    project.begin("watch");
    expect(await project.verdict()).toBe(true);
    const pid = project.ranBy;
    await project.end("SIGKILL");
    await goes(pid);
  });
  it("go with a run that does not watch", async () => {
    rmSync(join(project.folder, "ran-by"));
    const [code] = (await once(project.begin("run"), "exit")) as [number];
    expect(code).toBe(0);
    expect(existsSync(join(project.folder, "ran-by"))).toBe(true);
    await goes(project.ranBy);
  });
});
