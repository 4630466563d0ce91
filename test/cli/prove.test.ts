import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { proofOf, proofs, proofsNamed } from "../../cli/prove/catalogue.ts";
import { testText, writeCounterexample } from "../../cli/prove/artefacts.ts";
import { rows } from "../../cli/prove/rows.ts";
import { check } from "../../cli/prove/check.ts";
import { runProofs } from "../../cli/prove/run-proofs.ts";
import { Terminal } from "../../designs/shared/command-line/index.ts";
import { assertAlways, bit, cover, emit, input, module, output, type Proof, reg } from "../../hdl-dsl/index.ts";
import { holds, planted, prove, replay } from "../../sim/index.ts";
import { mnemo } from "../support/command-line.ts";

const folder = mkdtempSync(join(tmpdir(), "mnemo-test-prove-"));
afterAll(() => {
  rmSync(folder, { recursive: true, force: true });
});

const Wrong = module(
  "WrongProof",
  () => ({ a: input(bit), b: output(bit) }),
  io => {
    const b = reg(bit, { init: 0 });
    b.set(io.a);
    io.b.set(b);
    assertAlways(b.not(), "b is never 1");
  },
);
const wrong: Proof = {
  module: "Wrong",
  harness: Wrong(),
  faults: [{ what: "none that matters", from: "b <= a;", to: "b <= ~a;" }],
};

function kept(): { readonly terminal: Terminal; out: string } {
  const o = { out: "", terminal: undefined as unknown as Terminal };
  o.terminal = new Terminal({
    stdout: {
      write: (t: string) => {
        o.out += t;
      },
    },
    stderr: { write: () => undefined },
    env: {},
  });
  return o;
}

describe("mnemo prove", () => {
  it("has nothing to prove of a module without assertions: it fails, whatever is covered", async () => {
    const Claimless = module(
      "Claimless",
      () => ({ a: input(bit), b: output(bit) }),
      io => {
        io.b.set(io.a);
        cover(io.a, "a is 1");
      },
    );
    const result = await prove(Claimless());
    expect([result.finding, holds(result), result.covers[0]?.cycle !== undefined]).toEqual([
      { verdict: "unknown", why: "nothing to prove: the design has no assertAlways", holdsFor: 0 },
      false,
      true,
    ]);
    const o = kept(),
      proof: Proof = { module: "Claimless", harness: Claimless(), faults: wrong.faults };
    expect(await runProofs([proof], { seconds: 20, faults: false }, folder, o.terminal)).toBe(1);
    expect(o.out).toMatch(/^Claimless +\(no assertion\) +NOTHING TO PROVE/m);
    expect(o.out).toContain("\nClaimless: nothing to prove: the design has no assertAlways\n");
  });

  it("prints the claims of a module, and ends well", async () => {
    const { code, out, err } = await mnemo(["prove", "lowestset"]);
    expect([code, err]).toEqual([0, ""]);
    expect(out).toMatch(/lowestSet, 6 bits +one bit at most +proved +\S.* +ever: /);
    expect(out).toContain("cover: all bits set");
    expect(out).toMatch(/\n1 modules, 8 properties, 2 covers in \d+ s: all hold\n$/);
  });
  it("shares are each a part, and together the whole", async () => {
    const counts = await Promise.all(
      ["1/2", "2/2"].map(async share => {
        const { code, out } = await mnemo(["prove", "lowestset", "--bounded", "1", "--shard", share]);
        return [code, Number(/\n(\d+) modules/.exec(out)?.[1] ?? 0)] as const;
      }),
    );
    // The one proof is in the first share; the second has nothing, and says so.
    expect(counts).toEqual([
      [0, 1],
      [2, 0],
    ]);
  });
  it.each(["0/2", "3/2", "half"])("--shard %s", async share => {
    expect((await mnemo(["prove", "--shard", share])).err).toBe(
      `mnemo: option '--shard <share>' argument '${share}' is invalid. It must be a share and how many there are, such as 1/2.\n`,
    );
  });
  it("a module that nothing is proved of", async () => {
    const { code, out, err } = await mnemo(["prove", "flux"]);
    expect([code, out]).toEqual([2, ""]);
    expect(err).toMatch(/^mnemo: nothing is proved of "flux"; there are proofs of stage, forward, .* more\n$/);
  });
  it.each([
    ["--limit", "0"],
    ["--limit", "soon"],
  ])("%s %s", async (...args) => {
    expect((await mnemo(["prove", ...args])).err).toBe(
      `mnemo: option '--limit <seconds>' argument '${args[1]}' is invalid. It must be a whole number of seconds from 1 to 3600.\n`,
    );
  });
  it("names are found in either case", () => {
    expect(proofsNamed("fifo").map(p => p.module)).toEqual(
      proofs.filter(p => p.module.includes("Fifo")).map(p => p.module),
    );
    expect(proofOf("MapProof").module).toBe("map");
  });
});

describe("a claim that does not hold", () => {
  it("exit code 1, the property, a wave, and a test that repeats it", async () => {
    const at = join(folder, "wrong"),
      o = kept();
    expect(await runProofs([wrong], { seconds: 60, faults: false }, at, o.terminal)).toBe(1);
    expect(o.out).toMatch(/Wrong +b is never 1 +FAILED/);
    expect(o.out).toContain("1 of the modules do not hold (Wrong)");
    for (const file of ["WrongProof.vcd", "WrongProof.fst", "test/WrongProof.test.ts"])
      expect(existsSync(join(at, file))).toBe(true);
    expect(readFileSync(join(at, "test/WrongProof.test.ts"), "utf8")).toMatch(
      /const inputs = \[\n {2}\{ a: [01] \},\n/,
    );
  });
  it("the text of the test is a program that finds the failure", async () => {
    const fault = proofOf("ForwardStageProof").faults[0];
    const proof = proofOf("ForwardStageProof"),
      design = { ports: proof.harness.ports, emitted: planted(emit(proof.harness), fault) };
    const broken = await prove(design, { reach: 0 });
    const text = testText(proof, broken.counterexample!, join(folder, "test"));
    const inputs = [...text.matchAll(/^ {2}\{ (.*) \},$/gm)].map(
      m => JSON.parse(`{${m[1]!.replace(/(\w+):/g, '"$1":')}}`) as Record<string, number>,
    );
    expect(inputs.map(i => Object.fromEntries(Object.entries(i).map(([n, v]) => [n, BigInt(v)])))).toEqual(
      broken.counterexample!.inputs,
    );
    expect((await replay(design, inputs))?.message).toContain("unit: holds 1 at most");
    expect(await replay(proof.harness, inputs)).toBeUndefined();
  });
  it("a remark when the simulator does not show it", async () => {
    const proof = proofOf("ForwardStageProof");
    const paths = await writeCounterexample(join(folder, "calm"), proof, {
      property: undefined,
      inputs: [{ from_valid: 0n, from_payload: 0n, to_ready: 0n }],
      vcd: "",
    });
    expect(paths.at(-1)).toBe(
      "(in the simulator nothing fails: the run depends on what registers without a reset value start with)",
    );
  });
});

it("a fault that the proof does not notice is said, and counts", async () => {
  const good = proofOf("GateProof"),
    o = kept();
  const blind: Proof = { ...good, faults: [{ what: "a name is changed", from: "// GateProof", to: "// Gate" }] };
  expect(
    rows(await check(blind, { seconds: 60, faults: true }))
      .map(r => r.slice(1, 3))
      .at(-1),
  ).toEqual(["fault: a name is changed", "NOT CAUGHT"]);
  expect(await runProofs([blind], { seconds: 60, faults: true }, folder, o.terminal)).toBe(1);
});
