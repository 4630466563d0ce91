import { expect, it } from "vitest";
import { measureLanguage } from "../../../cli/bench/language.ts";
import { when, elaborate, emit, input, module, output, uint } from "../../../hdl-dsl/index.ts";

it("measures designs of the sizes asked for", () => {
  const sizes = [1_000, 4_000];
  const all = measureLanguage(sizes, () => undefined);
  expect(all.map((s) => s.design)).toEqual(["control", "control", "arithmetic", "arithmetic", "hierarchy", "hierarchy"]);
  for (const [i, s] of all.entries()) {
    const wanted = sizes[i % 2] as number;
    expect(s.nodes).toBeGreaterThan(wanted * 0.7);
    expect(s.nodes).toBeLessThan(wanted * 1.5 + 200); // the best of several runs, of designs up to 124 nodes larger
  }
});

const Chain = module("Chain", (_p: { readonly links: number }) => ({ d: input(uint(16)), q: output(uint(16)) }), (io, p) => {
  io.q.set(0);
  let chain = when(io.d.eq(0), () => { io.q.set(1); });
  for (let i = 1; i < p.links; i++) chain = chain.elseWhen(io.d.eq(i), () => { io.q.set(i + 1); });
});
it("a chain of as many elseWhen as are allowed is emitted; one more is told in a sentence", () => {
  expect(emit(Chain({ links: 1000 })).files[0]?.text).toContain("16'd1000");
  expect(() => elaborate(Chain({ links: 1001 }))).toThrow(/^HDL122 in Chain_links1001: conditions nest more than 1000 deep \(language\.test\.ts:\d+\)\. Choose by a value with switchOn, or with a chain of mux$/);
  expect(() => elaborate(Chain({ links: 4000 }))).toThrow(/^HDL122 in Chain/);
});
