import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { costKey, costTargets, readCosts } from "../../../cli/catalogue/costs.ts";
import { docComment } from "../../../cli/catalogue/doc-comment.ts";
import { cataloguePage } from "../../../cli/catalogue/page.ts";
import { catalogueUnits, proofsOf } from "../../../cli/catalogue/units.ts";
import { catalogue, emit } from "../../../hdl-dsl/index.ts";
import { root } from "../../../scripts/setup/paths.mjs";

const none = { tool: "Yosys", units: {} };

test("a doc comment is the one right before the export of that name", () => {
  const text =
    '/** Of the file. */\nimport x from "y";\n\n/**\n * Of a:\n *   two lines.\n * @param o.name of it\n */\nexport const a = 1;\n/** Of b. */\nexport function b(): void {}\nexport const c = 2;\n';
  expect([docComment(text, "a"), docComment(text, "b"), docComment(text, "c"), docComment(text, "d")]).toEqual([
    "Of a:\n  two lines.",
    "Of b.",
    undefined,
    undefined,
  ]);
});

test("every unit has a doc comment that tells latency or that nothing is kept", () => {
  for (const e of catalogue)
    expect(docComment(readFileSync(`${root}/${e.source}`, "utf8"), e.name), `${e.source}: ${e.name}`).toBeDefined();
});

test("proofs go to the unit whose name they begin with", () => {
  const names = ["Fifo, depth 4", "AsyncFifo, any clocks", "stage, full", "Gray code, 5 bits", "pipeline, 2 stages"];
  const of = (name: string): readonly string[] =>
    proofsOf(catalogue.find(e => e.name === name) as (typeof catalogue)[number], names);
  expect([of("Fifo"), of("AsyncFifo"), of("stage"), of("toGray"), of("Axi4Register"), of("map")]).toEqual([
    ["Fifo, depth 4"],
    ["AsyncFifo, any clocks"],
    ["stage, full"],
    ["Gray code, 5 bits"],
    ["stage, full"],
    [],
  ]);
});

test("a cost counts for the very text that was measured, wherever its lines come from", () => {
  const e = catalogue[0] as (typeof catalogue)[number],
    { top, files } = emit(e.def);
  const cost = { content: costKey(files), xcup: { luts: 12345, ff: 6, bram: 0, dsp: 0, levels: 3 } };
  const cells = (content: string): boolean =>
    cataloguePage(root, { ...none, units: { [top]: { ...cost, content } } }).includes("| 12345 | 6 | 0 | 3 |");
  expect([cells(cost.content), cells("another")]).toEqual([true, false]);
  const moved = files.map(f => ({ ...f, text: f.text.replace(/\.ts:\d+$/gm, ".ts:9999") }));
  expect(costKey(moved)).toBe(cost.content);
  expect(costKey(files.map(f => ({ ...f, text: f.text.replace("assign", "assign ") })))).not.toBe(cost.content);
});

test("the page has a section and a row for every unit, its ports among them", () => {
  const page = cataloguePage(root, none),
    units = catalogueUnits(none);
  for (const { entry } of units) {
    expect(page).toContain(`### ${entry.name}: ${entry.what}\n`);
    for (const p of Object.keys(entry.def.ports)) expect(page).toContain(`| \`${p}\` | `);
  }
  // Every link of the tables leads to a heading.
  const headings = new Set(
    [...page.matchAll(/^### (.*)$/gm)].map(m =>
      (m[1] as string)
        .toLowerCase()
        .replace(/[^\w\- ]/g, "")
        .replaceAll(" ", "-"),
    ),
  );
  for (const m of page.matchAll(/\]\(#([^)]*)\)/g)) expect(headings).toContain(m[1]);
  expect(headings.size).toBe(units.length);
});

test("every unit as it now is has its cost on each device, or the reason why it has none there", () => {
  const missing = catalogueUnits(readCosts(root)).flatMap(u =>
    costTargets.filter(t => u.cost?.[t] === undefined).map(t => `${u.emitted.top}, ${t}`),
  );
  expect(missing, "npx mnemo catalogue --measure").toEqual([]);
});

test("only a device without distributed memory lacks a unit", () => {
  const lacking = catalogueUnits(readCosts(root)).flatMap(u =>
    costTargets.filter(t => u.cost?.[t] !== undefined && "none" in u.cost[t]).map(t => ({ t, u })),
  );
  expect(lacking.length).toBeGreaterThan(0);
  for (const { t, u } of lacking) {
    expect(t).toBe("ice40");
    expect(
      u.emitted.files.some(f => f.text.includes('ram_style = "distributed"')),
      u.emitted.top,
    ).toBe(true);
  }
});
