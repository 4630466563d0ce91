/**
 * Files that a counterexample leaves: a wave of the engine's run, and a test that gives the simulator the same inputs.
 */
import { mkdirSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { root } from "../../scripts/setup/paths.mjs";
import { BuildError, type Counterexample, replay } from "../../sim/index.ts";
import { emit, type Proof } from "../../hdl-dsl/index.ts";

/**
 * Writes `<harness>.vcd`, `test/<harness>.test.ts` and, where the simulator shows the failure too, `<harness>.fst`.
 * @returns their paths and a remark
 */
export async function writeCounterexample(folder: string, proof: Proof, c: Counterexample): Promise<readonly string[]> {
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

/**
 * The test: red while the fault is there, green once it is mended. Run with `npx vitest run --dir <folder>`, or move
 * it to test/.
 */
export function testText(proof: Proof, c: Counterexample, at: string): string {
  const path = (to: string): string => relative(at, join(root, to)).replaceAll("\\", "/");
  const property = c.property === undefined ? "an assertion" : `"${c.property.message}" (${c.property.position})`;
  return [
    `// ${proof.module}: ${property} fails with these inputs, found by mnemo prove.`,
    `import { expect, test } from "vitest";`,
    `import { proofOf } from "${path("cli/prove/catalogue.ts")}";`,
    `import { replay } from "${path("sim/index.ts")}";`,
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
    `  const stop = await replay(proofOf(${JSON.stringify(proof.harness.name)}).harness, inputs);`,
    `  expect(stop?.message).toBeUndefined();`,
    "});",
    "",
  ].join("\n");
}
