/** What happens to a campaign: it is killed, its disk is full, another one wants its folder. */
import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from "node:fs";
import { hostname } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, it } from "vitest";
import { describeError } from "../../../cli/errors.ts";
import { lockFolder } from "../../../cli/campaign/lock.ts";
import { resultPath, writeResult } from "../../../cli/campaign/result.ts";
import { writeWhole } from "../../../cli/campaign/whole-file.ts";
import { conductHere, pieces, planHere, specOf } from "./support/here.ts";
import { filesIn, runs, scratch, startsIn, until } from "./support/scratch.ts";

const path = scratch("crash"),
  supporting = (file: string): string => fileURLToPath(new URL(`support/${file}`, import.meta.url)),
  script = supporting("child.mjs"),
  racer = supporting("racer.mjs");
const start = (folder: string, spec: unknown, slots: number): ChildProcess =>
  spawn(process.execPath, [script, folder, JSON.stringify(spec), String(slots)], { stdio: "ignore" });
const kill = (child: ChildProcess): Promise<unknown> => {
  const gone = new Promise(done => child.once("exit", done));
  child.kill("SIGKILL");
  return gone;
};

/** Pieces that had a result when the campaign was killed, and all that were ever begun. */
interface Killed {
  readonly done: readonly number[];
  readonly begun: readonly number[];
  readonly all: readonly number[];
  readonly slots: number;
}
/** Seeds stand for pieces. @throws when a piece is lost, done twice, or more were lost than were under way */
function nothingLost({ done, begun, all, slots }: Killed): void {
  const times = (seed: number): number => begun.filter(s => s === seed).length;
  for (const seed of all) expect(times(seed), `piece of seed ${seed}`).toBeGreaterThan(0);
  for (const seed of done) expect(times(seed), `done piece of seed ${seed}`).toBe(1);
  expect(all.filter(s => times(s) > 1).length).toBeLessThanOrEqual(slots);
}

describe("kill -9 of the campaign", () => {
  it("what is done stays, at most what was under way is done again, no process is left", async () => {
    const folder = path("killed"),
      log = path("log"),
      spec = specOf([pieces(12, { log, wait: 20 })]),
      plan = planHere(spec),
      seedOfPiece = (i: number): number => plan.pieces[i]?.seed ?? NaN,
      slots = 2;
    const there = (): readonly number[] => plan.pieces.map(p => p.index).filter(i => existsSync(resultPath(folder, i)));
    const child = start(folder, spec, slots);
    await until(() => there().length >= 3);
    await kill(child);
    const done = there().map(seedOfPiece);
    expect(done.length).toBeLessThan(plan.pieces.length);
    const pids = startsIn(log).map(s => s.pid);
    await until(() => !pids.some(runs));
    const { conducted } = await conductHere(folder, spec, slots);
    expect([conducted.done, conducted.report.verdicts.passed]).toEqual([12 - done.length, 12]);
    nothingLost({ done, begun: startsIn(log).map(s => s.seed), all: plan.pieces.map(p => p.seed), slots });
    expect(filesIn(folder).filter(f => f.endsWith(".tmp"))).toEqual([]);
  });
  it.each([
    ["a piece that was done is done again", { done: [1], begun: [1, 2, 1], all: [1, 2], slots: 1 }],
    ["a piece is left out", { done: [1], begun: [1, 3], all: [1, 2, 3], slots: 1 }],
    ["two are lost where one was under way", { done: [], begun: [1, 2, 1, 2], all: [1, 2], slots: 1 }],
  ])("planted: %s", (_what, killed) => {
    expect(() => nothingLost(killed)).toThrow();
  });
});

describe("a disk that is full", () => {
  const spec = specOf([pieces(8)]),
    result = {
      ...{ id: planHere(spec).id, index: 0, verdict: "passed" as const, attempts: 1, seconds: 1 },
      ...{ problems: [], figures: {}, printed: "" },
    };
  const fullDisk = (): number => openSync("/dev/full", "w");
  it.skipIf(!existsSync("/dev/full"))("a file is whole or not there; one sentence, exit code 2", async () => {
    const folder = path("full");
    const failed = ((): unknown => {
      try {
        writeResult(folder, result, fullDisk);
        return undefined;
      } catch (e) {
        return e;
      }
    })();
    expect(await describeError(failed)).toEqual({
      code: 2,
      message: `mnemo: cannot use ${resultPath(folder, 0)}: the disk is full; make room, or name another place`,
    });
    expect(filesIn(folder)).toEqual([]);
    // What was there before stays as it was.
    writeResult(folder, result);
    expect(() => writeResult(folder, { ...result, seconds: 2 }, fullDisk)).toThrow(/ENOSPC/);
    expect(filesIn(folder)).toHaveLength(1);
  });
  /** @throws when a failed write has changed what was there */
  const staysWhole = (write: typeof writeWhole): void => {
    const file = path("whole.json");
    writeFileSync(file, "before");
    expect(() => write(file, "after", fullDisk)).toThrow();
    expect(readFileSync(file, "utf8")).toBe("before");
  };
  it("what was there before stays whole; planted: a file that is written in its place does not", () => {
    staysWhole(writeWhole);
    expect(() =>
      staysWhole((file, text) => {
        writeFileSync(file, "");
        writeFileSync(fullDisk(), text);
      }),
    ).toThrow(/before/);
  });

  /** A disk of 24 KB, where this user may mount one. In the test itself, so that a run without it mounts none. */
  const mountsSmall = (at: string): boolean => {
    mkdirSync(at);
    try {
      execFileSync("mount", ["-t", "tmpfs", "-o", "size=24k", "tmpfs", at], { stdio: "ignore" });
      return true;
    } catch {
      return false;
    }
  };
  it("a campaign stops with a sentence, and goes on when there is room", async ctx => {
    const mounted = path("disk");
    if (!mountsSmall(mounted)) ctx.skip("this user may not mount a small disk");
    const folder = join(mounted, "c");
    try {
      const failure: unknown = await conductHere(folder, spec).catch((e: unknown) => e),
        before = filesIn(join(folder, "pieces")).length;
      expect((await describeError(failure)).message).toMatch(/^mnemo: cannot use .*: the disk is full; make room, /);
      expect(before).toBeLessThan(8);
      execFileSync("mount", ["-o", "remount,size=4m", mounted]);
      const { conducted } = await conductHere(folder, spec);
      expect([conducted.done, conducted.report.verdicts.passed]).toEqual([8 - before, 8]);
    } finally {
      execFileSync("umount", [mounted]);
    }
  });
});

describe("two campaigns on one folder", () => {
  const made = (name: string): string => {
    const folder = path(name);
    mkdirSync(folder);
    return folder;
  };
  const held = (folder: string, holder: object): void =>
    writeFileSync(join(folder, "lock"), JSON.stringify({ pid: process.pid, begun: "", host: hostname(), ...holder }));
  it("the second is refused in one sentence and touches nothing", async () => {
    const folder = made("two"),
      unlock = lockFolder(folder),
      log = path("log");
    await expect(conductHere(folder, specOf([pieces(1, { log })]))).rejects.toThrow(
      new RegExp(
        `^${folder} is another campaign's, process ${process.pid}; wait for it, or name another folder by --out$`,
      ),
    );
    expect(startsIn(log)).toEqual([]);
    unlock();
    lockFolder(folder)();
    expect(existsSync(join(folder, "lock"))).toBe(false);
  });
  it("a holder that has died is followed, also when his number is another process's now", () => {
    const dead = Number(execFileSync("sh", ["-c", "echo $$"], { encoding: "utf8" }));
    for (const holder of [{ pid: dead }, { begun: "1@another start of the machine" }]) {
      const folder = made("dead");
      held(folder, holder);
      lockFolder(folder)();
    }
  });
  it("a holder that lives, or is on another machine, is not", () => {
    const folder = made("alive");
    held(folder, {});
    expect(() => lockFolder(folder)).toThrow(/is another campaign's, process/);
    held(folder, { host: "elsewhere" });
    expect(() => lockFolder(folder)).toThrow(
      /process \d+ on elsewhere; wait for it, or remove .*lock when that is no more$/,
    );
  });
  it("of several that find a dead holder's lock at a time, one gets the folder; planted: a lock that only looks lets more in", async () => {
    const takers = 3;
    const taken = async (how: "lock" | "looks"): Promise<number> => {
      const folder = made(how),
        dead = Number(execFileSync("sh", ["-c", "echo $$"], { encoding: "utf8" }));
      held(folder, { pid: dead });
      const children = Array.from({ length: takers }, () =>
        spawn(process.execPath, [racer, folder, how, String(takers)], { stdio: "ignore" }),
      );
      await until(() => filesIn(folder).filter(f => /^(?:got|lost)/.test(f)).length === takers);
      for (const c of children) await kill(c);
      return filesIn(folder).filter(f => f.startsWith("got")).length;
    };
    expect(await taken("lock")).toBe(1);
    expect(await taken("looks")).toBeGreaterThan(1);
  });
});
