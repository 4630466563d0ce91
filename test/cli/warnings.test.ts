/** Warnings of the language: listed and counted by the command line, errors when strict; our designs have none. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, relative } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { generatedDesigns } from "../../cli/generate/designs.ts";
import { proofs } from "../../cli/prove/catalogue.ts";
import { Warned } from "../../cli/warnings.ts";
import { catalogue, emit, formatDiagnostic } from "../../hdl-dsl/index.ts";
import { root } from "../../scripts/setup/paths.mjs";
import { mnemo } from "../support/command-line.ts";

let folder = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mnemo-warnings-"));
  const language = relative(folder, join(root, "hdl-dsl/index.ts"));
  writeFileSync(
    join(folder, "doubtful.ts"),
    `import { input, module, output, uint } from "${language}";
const ports = () => ({ a: input(uint(8)), y: output(uint(8)) });
export const Doubtful = module("Doubtful", ports, io => {
  io.y.set(io.a.shl(9).or(io.a.sub(5).lt(0).zext(8)));
});
export const Thrower = module("Thrower", ports, io => {
  (io as unknown as { nothing: { set(): void } }).nothing.set();
});
`,
  );
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

describe("mnemo emit", () => {
  const shift =
    "HDL202 in Doubtful: shift left by 9: nothing is left of `a`, which has 8 bits (doubtful.ts:4; see doubtful.ts:3). Shift by less than 8, or extend the value first";
  const compared =
    "HDL201 in Doubtful: lt: the answer is always 0: the result of sub has 8 bits unsigned, 0 to 255 (doubtful.ts:4). Compare with a number within the range, or as signed values; where a constant is meant, write constant(...)";
  const emitted = (...more: readonly string[]): ReturnType<typeof mnemo> =>
    mnemo(["emit", join(folder, "doubtful.ts"), "--module", "Doubtful", "--out", join(folder, "out"), ...more]);

  it("lists and counts them", async () => {
    expect(await emitted()).toEqual({
      code: 0,
      out: ["v", "synthesis.f", "simulation.f"].map(end => `${join(folder, "out")}/Doubtful.${end}\n`).join(""),
      err: `warning: ${shift}\nwarning: ${compared}\n2 warnings; --strict makes them errors\n`,
    });
  });
  it("fails when it is strict", async () => {
    expect(await emitted("--strict")).toEqual({ code: 1, out: "", err: `mnemo: ${shift}\n${compared}\n` });
  });
  it("tells an exception of the user's own body as the user's", async () => {
    const { code, err } = await mnemo(["emit", join(folder, "doubtful.ts"), "--module", "Thrower"]);
    expect([code, err]).toEqual([
      1,
      `mnemo: ${join(folder, "doubtful.ts")}: Cannot read properties of undefined (reading 'set') (doubtful.ts:7)\n`,
    ]);
  });
});

it("our designs, the library and the proofs are free of warnings", async () => {
  await expect(generatedDesigns(new Warned(true))).resolves.not.toHaveLength(0);
  for (const { def } of catalogue) expect(emit(def).warnings.map(formatDiagnostic)).toEqual([]);
  for (const { harness } of proofs) expect(emit(harness).warnings.map(formatDiagnostic)).toEqual([]);
});
