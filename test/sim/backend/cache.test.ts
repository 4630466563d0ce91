import { spawn } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import { afterAll, beforeAll, describe, expect, test, vi } from "vitest";
import { output, uint } from "../../../hdl-dsl/index.ts";
import { BuildError, fromVerilog, simulate, SimulationError, verilatorBackend } from "../../../sim/index.ts";
import { hotLevel } from "../../../sim/backend/verilator/prelude.ts";
import { counter } from "../designs/hand-written.ts";

const HERE = fileURLToPath(new URL(".", import.meta.url));
let cache = "";
const before = process.env["MNEMO_CACHE"],
  backendBefore = process.env["MNEMO_BACKEND"];

// A cache of its own for models; Verilator's runtime and the loader are taken from the usual one, to
// save their compilation.
beforeAll(async () => {
  process.env["MNEMO_BACKEND"] = "verilator";
  (await simulate(counter)).free();
  const usual = before ?? resolve(HERE, "../../../.cache/sim");
  cache = mkdtempSync(join(tmpdir(), "mnemo-cache-"));
  for (const kind of ["runtime", "loader"]) symlinkSync(join(usual, kind), join(cache, kind));
  process.env["MNEMO_CACHE"] = cache;
});
afterAll(() => {
  if (before === undefined) delete process.env["MNEMO_CACHE"];
  else process.env["MNEMO_CACHE"] = before;
  if (backendBefore === undefined) delete process.env["MNEMO_BACKEND"];
  else process.env["MNEMO_BACKEND"] = backendBefore;
  rmSync(cache, { recursive: true, force: true });
});

const constant = (value: number, comment: string) =>
  fromVerilog(
    "Constant",
    { z: output(uint(8)) },
    `// ${comment}\nmodule Constant (input wire clk, input wire rst, output reg [7:0] z); always @(posedge clk) z <= 8'd${value}; endmodule\n`,
  );
/** Runs a program of this folder to its end. */
function program(name: string): Promise<{ readonly out: string; readonly err: string }> {
  return new Promise((done, fail) => {
    const p = spawn(process.execPath, ["--import", "tsx", join(HERE, name)], { stdio: "pipe", env: process.env });
    let out = "",
      err = "";
    p.stdout.on("data", (d: Buffer) => {
      out += d.toString();
    });
    p.stderr.on("data", (d: Buffer) => {
      err += d.toString();
    });
    p.on("exit", () => done({ out: out.trim(), err: err.trim() }));
    p.on("error", fail);
  });
}
const models = (): string[] => readdirSync(join(cache, "model")).filter(f => !f.includes("."));

describe("the cache of models", () => {
  test("builds once per text, skips the compiler when only a comment changes, and knows a real change", async () => {
    const built = async (value: number, comment: string): Promise<boolean> =>
      (await verilatorBackend.load(constant(value, comment).emitted, { trace: false })).built;
    expect(await built(1, "first")).toBe(true);
    expect(await built(1, "first")).toBe(false);
    expect(await built(1, "another comment")).toBe(false);
    expect(models().length).toBe(1);
    expect(readdirSync(join(cache, "text")).length).toBe(2);
    expect(await built(2, "first")).toBe(true);
    expect(models().length).toBe(2);
    using one = await simulate(constant(1, "first"));
    using two = await simulate(constant(2, "first"));
    one.step(3);
    two.step(3);
    expect([one.io.z.value, two.io.z.value]).toEqual([1, 2]);
  });

  test("several processes that want the same model at once all get it, and nothing is left behind", async () => {
    const child = async (): Promise<string> => (await program("load-in-child.ts")).out;
    expect(await Promise.all([child(), child(), child()])).toEqual(["z=30", "z=30", "z=30"]);
    expect(readdirSync(join(cache, "model")).filter(f => /\.lock$|\.tmp$/.test(f))).toEqual([]);
  });

  test("another optimisation is another model; what is no level is told", async () => {
    const build = async (): Promise<void> => {
      using sim = await simulate(constant(77, "as it is"), { backend: verilatorBackend });
      sim.step();
      expect(sim.io.z.value).toBe(77);
    };
    const usual = process.env["MNEMO_OPTIMIZE"] ?? "2";
    try {
      process.env["MNEMO_OPTIMIZE"] = "2";
      await build();
      const one = models().length;
      process.env["MNEMO_OPTIMIZE"] = "0";
      await build();
      expect(models()).toHaveLength(one + 1);
      expect([hotLevel(false), hotLevel(true)]).toEqual(["-O0", "-O0"]);
      process.env["MNEMO_OPTIMIZE"] = "fast";
      expect(() => hotLevel(false)).toThrow(SimulationError);
      delete process.env["MNEMO_OPTIMIZE"];
      expect(hotLevel(false)).toBe("-O2");
    } finally {
      process.env["MNEMO_OPTIMIZE"] = usual;
    }
  });

  test("a lock whose process is dead does not stop a build", async () => {
    // A model as if its builder had died half-way: folder gone, lock and half-filled folder there.
    const known = new Set(models());
    await verilatorBackend.load(constant(8, "x").emitted, { trace: false });
    const key = models().find(m => !known.has(m)) ?? "";
    rmSync(join(cache, "model", key), { recursive: true });
    writeFileSync(join(cache, "model", `${key}.lock`), "999999999");
    mkdirSync(join(cache, "model", `${key}.999999999.0.tmp`));
    expect((await verilatorBackend.load(constant(8, "x").emitted, { trace: false })).built).toBe(true);
    expect(existsSync(join(cache, "model", key, "model.so"))).toBe(true);
    expect(existsSync(join(cache, "model", `${key}.lock`))).toBe(false);
  });

  test("a compilation goes on when its process ends, says so, and is kept", async () => {
    const known = models().length;
    const { err } = await program("cut-in-child.ts");
    expect(err).toBe(
      "The model of Cut was still being compiled when the tests ended. The compilation goes on; run them again.",
    );
    await vi.waitFor(() => expect(models().length).toBe(known + 1), { timeout: 60_000, interval: 20 });
    await vi.waitFor(
      () => expect(readdirSync(join(cache, "model")).filter(f => /\.lock$|\.tmp$/.test(f))).toEqual([]),
      { timeout: 60_000, interval: 20 },
    );
  });

  test("Verilog that Verilator refuses is told as it says", async () => {
    const bad = fromVerilog(
      "Bad",
      { z: output(uint(8)) },
      "module Bad (input wire clk, input wire rst, output wire [7:0] z);\n  assign z = nowhere;\nendmodule\n",
    );
    await expect(simulate(bad)).rejects.toThrow(BuildError);
    await expect(simulate(bad)).rejects.toThrow(
      /^translating Bad with Verilator failed:\n%Error: Bad.v:2:14: Can't find definition of variable: 'nowhere'/,
    );
  });

  test("a missing tool is one sentence", async () => {
    const path = process.env["PATH"];
    process.env["PATH"] = "";
    try {
      await expect(simulate(constant(1, "x"))).rejects.toThrow(
        "verilator is not on the PATH: install it (Debian: apt install verilator) and run again",
      );
    } finally {
      process.env["PATH"] = path;
    }
  });
});
