/**
 * The reorder unit, all runs of so many cycles from reset: no engine decides it for runs of any length. MNEMO_DEPTH
 * asks for more cycles than the default.
 */
import { expect, it } from "vitest";
import { gbnReorderProof } from "../../../../../designs/shared/proofs/index.ts";
import { designOf, noCounterexample, prove } from "../../../../../sim/index.ts";
import { plant } from "../../../../support/plant.ts";
import { onlyHangsEnd } from "../../../../support/hang-limit.ts";

onlyHangsEnd();

const bounded = Number(process.env["MNEMO_DEPTH"] ?? 14),
  o = { bounded, own: true, reach: 0, seconds: 3000 };

it(`replies leave in order, in each of ${bounded} cycles from reset`, async () => {
  const found = await prove(gbnReorderProof.harness, o);
  expect([found.finding.verdict, noCounterexample(found)]).toEqual(["bounded", true]);
});
for (const { what, from, to } of gbnReorderProof.faults)
  it(`a planted fault is found: ${what}`, async () => {
    const found = await prove(plant(designOf(gbnReorderProof.harness), from, to), o);
    expect(found.finding.verdict).toBe("failed");
  });
