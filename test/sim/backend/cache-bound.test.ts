import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { bytesOf, cached, cacheEntries, cacheLimit, SimulationError, trimCache } from "../../../sim/index.ts";
import { mnemo } from "../../support/command-line.ts";

const KB = 1024,
  hour = 3600_000;
let root: string;
const before = { cache: process.env["MNEMO_CACHE"], size: process.env["MNEMO_CACHE_SIZE"] };
beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), "mnemo-cache-"));
  process.env["MNEMO_CACHE"] = root;
});
afterEach(() => {
  for (const [name, value] of [
    ["MNEMO_CACHE", before.cache],
    ["MNEMO_CACHE_SIZE", before.size],
  ] as const) {
    if (value === undefined) Reflect.deleteProperty(process.env, name);
    else process.env[name] = value;
  }
  rmSync(root, { recursive: true });
});

/** A model of 100 KB, used so many hours ago, with the name of its Verilog. */
function keep(key: string, hoursAgo: number): void {
  const dir = join(root, "model", key);
  mkdirSync(dir, { recursive: true });
  writeFileSync(join(dir, "model.so"), Buffer.alloc(100 * KB));
  mkdirSync(join(root, "text"), { recursive: true });
  writeFileSync(join(root, "text", `text-of-${key}`), key);
  const at = new Date(Date.now() - hoursAgo * hour);
  utimesSync(dir, at, at);
}
const left = (): readonly string[] => readdirSync(join(root, "model")).sort();

describe("the cache of models", () => {
  it("loses what was used least recently, until the rest fits, and the names of what is gone", () => {
    keep("c", 1);
    keep("a", 3);
    keep("b", 2);
    expect(cacheEntries().map(e => [e.key, e.bytes])).toEqual([
      ["a", 100 * KB],
      ["b", 100 * KB],
      ["c", 100 * KB],
    ]);
    expect(trimCache(300 * KB)).toEqual({ entries: 0, bytes: 0, inUse: 0 });
    expect(trimCache(299 * KB)).toEqual({ entries: 1, bytes: 100 * KB, inUse: 0 });
    expect(left()).toEqual(["b", "c"]);
    expect(readdirSync(join(root, "text")).sort()).toEqual(["text-of-b", "text-of-c"]);
  });

  it("keeps what is asked for: a hit counts as a use, and what was used just now stays whatever the bound", async () => {
    keep("a", 3);
    keep("b", 2);
    const { built } = await cached("model", "a", () => Promise.reject(new Error("it is there")));
    expect(built).toBe(false);
    expect(trimCache(0)).toEqual({ entries: 1, bytes: 100 * KB, inUse: 1 });
    expect(left()).toEqual(["a"]);
  });

  it("holds the sources that the test runner translated, and the headers that were compiled, to the same bound", () => {
    for (const [kind, key, hoursAgo] of [
      ["modules", "0123abcd", 4],
      ["runtime", "4567", 3],
    ] as const) {
      mkdirSync(join(root, kind), { recursive: true });
      const path = join(root, kind, key);
      if (kind === "runtime") {
        mkdirSync(path);
        writeFileSync(join(path, "prelude.h.pch"), Buffer.alloc(100 * KB));
      } else writeFileSync(path, Buffer.alloc(100 * KB));
      const at = new Date(Date.now() - hoursAgo * hour);
      utimesSync(path, at, at);
    }
    keep("a", 1);
    expect(cacheEntries().map(e => [e.kind, e.bytes])).toEqual([
      ["modules", 100 * KB],
      ["runtime", 100 * KB],
      ["model", 100 * KB],
    ]);
    expect(trimCache(150 * KB)).toEqual({ entries: 2, bytes: 200 * KB, inUse: 0 });
    expect(left()).toEqual(["a"]);
  });

  it("is bounded by a build, without anybody asking", async () => {
    process.env["MNEMO_CACHE_SIZE"] = "150KB";
    keep("a", 3);
    keep("b", 2);
    await cached("model", "c", to => {
      writeFileSync(join(to, "model.so"), Buffer.alloc(100 * KB));
      return Promise.resolve();
    });
    expect(left()).toEqual(["c"]);
  });

  it("is left alone where a running process makes something; what a dead one began goes", async () => {
    let end: () => void = () => undefined;
    const building = cached("model", "slow", async to => {
      writeFileSync(join(to, "half"), "made");
      await new Promise<void>(resolve => {
        end = resolve;
      });
    });
    // No process has this number: it is above the kernel's greatest.
    mkdirSync(join(root, "model", "dead.99999999.abcd.tmp"));
    keep("a", 3);
    expect(trimCache(0)).toMatchObject({ entries: 1 });
    expect(
      left()
        .map(n => n.replace(/\d+\.[0-9a-f]+\.tmp/, "tmp"))
        .sort(),
    ).toEqual(["slow.lock", "slow.tmp"]);
    end();
    expect(existsSync(join((await building).dir, "half"))).toBe(true);
    expect(left()).toEqual(["slow"]);
  });

  it("has a size in words, and says so when it is none", () => {
    expect([bytesOf("12"), bytesOf("2KB"), bytesOf("1.5MB"), bytesOf("4GB"), bytesOf("4 GB"), bytesOf("-1")]).toEqual([
      12,
      2048,
      1.5 * 2 ** 20,
      4 * 2 ** 30,
      undefined,
      undefined,
    ]);
    process.env["MNEMO_CACHE_SIZE"] = "much";
    expect(cacheLimit).toThrow(SimulationError);
  });
});

describe("mnemo cache", () => {
  it("lists, and cleans down to a size", async () => {
    keep("a", 3);
    keep("b", 2);
    const listed = await mnemo(["cache"]);
    expect(listed).toMatchObject({ code: 0, err: "" });
    expect(listed.out).toMatch(/^model +2 +0\.2 /m);
    expect((await mnemo(["cache", "--clean", "--to", "150KB"])).out).toMatch(/^removed 1 entries, 0\.1 MB\n/);
    expect(left()).toEqual(["b"]);
    expect((await mnemo(["cache", "--clean"])).out).toMatch(/^removed 1 entries, 0\.1 MB\n/);
    expect(left()).toEqual([]);
  });
  it.each([
    [["--to", "1GB"], "mnemo: --to 1GB says how much --clean leaves; give --clean, too\n"],
    [["--clean", "--to", "x"], "mnemo: --to x is no size; give one such as 500MB or 4GB\n"],
  ])("%j cannot be", async (args, err) => {
    expect(await mnemo(["cache", ...args])).toEqual({ code: 2, out: "", err });
  });
});
