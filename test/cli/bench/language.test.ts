import { expect, it } from "vitest";
import { growth, languageDesigns, type LanguageSpeed, LINEAR, measureLanguage } from "../../../cli/bench/language.ts";
import { languageRow, languageVerdict } from "../../../cli/bench/language-report.ts";
import { elaborate, emit, input, module, output, uint, when } from "../../../hdl-dsl/index.ts";

it.each(languageDesigns)("measures $name of the sizes asked for", design => {
  for (const wanted of [1_000, 4_000]) {
    const s = measureLanguage(design, wanted, 0, 0);
    expect(s).toMatchObject({ design: design.name, runs: 1 });
    expect(s.nodes).toBeGreaterThan(wanted * 0.7);
    expect(s.nodes).toBeLessThan(wanted * 1.5);
    expect(s.lines).toBeGreaterThan(wanted / 5);
  }
});

it("measures at least as long as it is told to, after the warm-up", () => {
  const s = measureLanguage(languageDesigns[0] as (typeof languageDesigns)[number], 500, 1, 50);
  expect(s.runs * (s.elaborationMs + s.emissionMs)).toBeGreaterThanOrEqual(50);
});

const row = (nodes: number, elaborationMs: number): LanguageSpeed => ({
  design: "x",
  nodes,
  runs: 1,
  coldMs: 0,
  elaborationMs,
  emissionMs: 0,
  lines: 1,
});
it("tells linear from quadratic, and which rows are below the goal", () => {
  expect(growth([row(1_000, 10), row(1_000_000, 10_000)])).toBeCloseTo(1);
  expect(growth([row(1_000_000, 10_000_000), row(1_000, 10)])).toBeCloseTo(2);
  expect(languageVerdict([row(1_000, 5), row(100_000, 500)])).toEqual([
    "100000 nodes/s or better at every size",
    "time grows with the size to the power of 1.00 (x): linear",
  ]);
  expect(languageVerdict([row(1_000, 5), row(100_000, 50_000)])).toEqual([
    "below 100000 nodes/s: x of 100000 nodes 2000",
    "time grows with the size to the power of 2.00 (x): NOT linear: x",
  ]);
});

it("a quadratic step in the making of a design is seen", () => {
  const slow = {
    name: "slow",
    make: (nodes: number) =>
      module(
        "Slow",
        () => ({ d: input(uint(32)), q: output(uint(32)) }),
        io => {
          let sum = io.d,
            found = 0;
          for (let i = 0; i < nodes / 2; i++) {
            // Each node looks at all before it, as a search in a list would.
            for (let j = 0; j < 64 * i; j++) found = Math.imul(found ^ j, 16777619);
            sum = sum.add(found >>> 0).xor(io.d);
          }
          io.q.set(sum);
        },
      )(),
  };
  // So much of it that the compiler's own warming up, on a busy machine too, is nothing beside it.
  measureLanguage(slow, 500, 0, 0);
  const sizes = [1_000, 8_000].map(size => measureLanguage(slow, size, 0, 0));
  expect(growth(sizes)).toBeGreaterThan(LINEAR);
});

it("refuses a row that it does not know", () => {
  expect(() => languageRow("adders/1000")).toThrow(
    "--row adders/1000: give a design (control, arithmetic, hierarchy) and its size in nodes, as control/1000",
  );
  expect(() => languageRow("control/many")).toThrow("--row control/many: give a design");
});

const Chain = module(
  "Chain",
  (_p: { readonly links: number }) => ({ d: input(uint(16)), q: output(uint(16)) }),
  (io, p) => {
    io.q.set(0);
    let chain = when(io.d.eq(0), () => io.q.set(1));
    for (let i = 1; i < p.links; i++) chain = chain.elseWhen(io.d.eq(i), () => io.q.set(i + 1));
  },
);
it("a chain of as many elseWhen as are allowed is emitted; one more is told in a sentence", () => {
  expect(emit(Chain({ links: 1000 })).files[0]?.text).toContain("16'd1000");
  expect(() => elaborate(Chain({ links: 1001 }))).toThrow(
    /^HDL122 in Chain_links1001: conditions nest more than 1000 deep \(language\.test\.ts:\d+\)\. Choose by a value with switchOn, or with a chain of mux$/,
  );
  expect(() => elaborate(Chain({ links: 4000 }))).toThrow(/^HDL122 in Chain/);
});
