/**
 * The whole portfolio: every claim proved, every cover reached, every planted fault caught. The run of
 * `mnemo prove --faults`.
 */
import { describe, expect, it } from "vitest";
import { proofs } from "../../cli/prove/catalogue.ts";
import { check } from "../../cli/prove/check.ts";

// Limits against a hang on a busy machine: an idle one takes a second or two for each.
const SECONDS = 300;

const long = process.env["MNEMO_LONG"],
  left = proofs.filter(p => (p.long === "minutes" && long !== "all") || (p.long === true && long === undefined));
if (left.length > 0)
  console.warn(
    `not proved here, for it takes four seconds or more (.ci/run does it, and MNEMO_LONG=1 here; MNEMO_LONG=all for those of minutes): ${left.map(p => p.module).join("; ")}`,
  );

describe.each(proofs.filter(p => !left.includes(p)).map(p => [p.module, p] as const))("%s", (_name, proof) => {
  it(
    "is proved, not for want of anything happening, and the proof fails when it should",
    async () => {
      const { result, faults } = await check(proof, { seconds: SECONDS, faults: true });
      expect(result.finding).toMatchObject(
        proof.bounded === undefined ? { verdict: "proved" } : { verdict: "bounded", cycles: proof.bounded },
      );
      expect(result.counterexample).toBeUndefined();
      expect(result.covers.filter(c => c.cycle === undefined).map(c => c.property.message)).toEqual([]);
      expect(result.covers.length).toBeGreaterThan(0);
      expect(result.assertions.length).toBeGreaterThan(0);
      expect(faults.filter(f => f.by === undefined).map(f => f.what)).toEqual([]);
    },
    4 * SECONDS * 1000,
  );
});

it("each module is proved once, each harness has a name of its own", () => {
  for (const names of [proofs.map(p => p.module), proofs.map(p => p.harness.name)])
    expect(new Set(names).size).toBe(names.length);
});
