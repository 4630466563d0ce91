/**
 * Files that a counterexample leaves: a wave of the engine's run, and a test that gives the simulator the same inputs.
 */
import { existsSync, mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "../../scripts/setup/paths.mjs";
import { BuildError, type Counterexample, replay } from "../../sim/index.ts";
import { emit } from "../../hdl-dsl/index.ts";
import type { Provable } from "./check.ts";

/**
 * Writes `<harness>.vcd`, `test/<harness>.test.ts` and, where the simulator shows the failure too, `<harness>.fst`.
 * @returns their paths and a remark
 */
export async function writeCounterexample(
  folder: string,
  proof: Provable,
  c: Counterexample,
): Promise<readonly string[]> {
  const name = proof.harness.name,
    vcd = join(folder, `${name}.vcd`),
    test = join(folder, "test", `${name}.test.ts`),
    fst = join(folder, `${name}.fst`);
  mkdirSync(dirname(test), { recursive: true });
  writeFileSync(vcd, c.vcd);
  if (emit(proof.harness).ports.filter(p => p.role === "clock").length > 1)
    return [vcd, "(no test: the run is one of several clocks' edges)"];
  writeFileSync(test, testText(proof, c, dirname(test)));
  try {
    const stop = await replay(proof.harness, c.inputs, { wave: fst });
    return [
      vcd,
      test,
      fst,
      ...(stop === undefined
        ? ["(in the simulator nothing fails: the run depends on what registers without a reset value start with)"]
        : []),
    ];
  } catch (e) {
    if (e instanceof BuildError) return [vcd, test, `(no FST wave: ${e.message.split("\n")[0] ?? ""})`];
    throw e;
  }
}

/** In an installed package the user's tests name it by its name. */
const isPackage = !existsSync(join(root, "tsconfig.json"));

/**
 * The test: red while the fault is there, green once it is mended. Run with `npx vitest run --dir <folder>`, or move
 * it to test/.
 */
export function testText(proof: Provable, c: Counterexample, at: string): string {
  const path = (to: string): string =>
    relative(at, to)
      .replaceAll("\\", "/")
      .replace(/^(?!\.)/, "./");
  const origin =
    proof.origin === undefined
      ? {
          name: "proofOf",
          from: path(join(root, "cli/prove/catalogue.ts")),
          harness: `proofOf(${JSON.stringify(proof.harness.name)}).harness`,
        }
      : { ...proof.origin, from: path(proof.origin.file) };
  const property = c.property === undefined ? "an assertion" : `"${c.property.message}" (${c.property.position})`;
  return [
    `// ${proof.module}: ${property} fails with these inputs, found by mnemo prove.`,
    `import { expect, test } from "vitest";`,
    `import { ${origin.name} } from "${origin.from}";`,
    `import { replay } from "${isPackage ? "mnemosyne/sim" : path(join(root, "sim/index.ts"))}";`,
    "",
    "// One object per cycle; reset is on in the first.",
    "const inputs = [",
    ...c.inputs.map(
      i =>
        `  { ${Object.entries(i)
          .map(([n, v]) => `${n}: ${v > BigInt(Number.MAX_SAFE_INTEGER) ? `${v}n` : v}`)
          .join(", ")} },`,
    ),
    "];",
    "",
    `test(${JSON.stringify(`${proof.module}: ${c.property?.message ?? "assertions hold"}`)}, async () => {`,
    `  const stop = await replay(${origin.harness}, inputs);`,
    `  expect(stop?.message).toBeUndefined();`,
    "});",
    "",
  ].join("\n");
}
