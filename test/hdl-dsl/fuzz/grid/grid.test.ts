/**
 * Every operator in every place of the language: random programs through the public interface against numbers, the
 * evaluator, and the built-in simulator on circuit and text. MNEMO_FUZZ=<n> adds Icarus, Verilator and Yosys and makes
 * a pass over all cells for every 5,000 programs asked for; MNEMO_FUZZ_SEED=<number> goes elsewhere.
 */
import { expect, test } from "vitest";
import { Random } from "../../../../hdl-dsl/random.ts";
import { stimulus, subjectOf } from "../bench.ts";
import { describeCounterexample, differences } from "../differential.ts";
import { TOOLS } from "../tools.ts";
import { batch } from "./batch.ts";
import { grid } from "./cells.ts";
import { printed, reasons } from "./table.ts";
import { hangMs } from "../../../support/hang-ms.ts";

const asked = process.env["MNEMO_FUZZ"],
  seed = Number(process.env["MNEMO_FUZZ_SEED"] ?? 20261122),
  passes = Math.max(1, Math.ceil(Number(asked ?? 0) / 5000));

test(`every operator means the same in every place (seed ${seed})`, { timeout: passes * 2 * hangMs }, async () => {
  const { rows, columns } = grid(),
    why = reasons(),
    total = new Map<string, number>();
  for (let n = 0; n < passes; n++) {
    const { programs, count } = batch(seed + 1000 * n, "Fuzz"),
      vectors = stimulus(new Random(seed + n));
    const found = await differences(
      programs.map(subjectOf),
      asked === undefined ? ["builtin", "reader"] : TOOLS,
      vectors,
    );
    const first = found[0];
    expect(
      first === undefined ? "no difference" : describeCounterexample({ difference: first, vectors }),
      `${found.length} of ${programs.length} programs differ (MNEMO_FUZZ_SEED=${seed})`,
    ).toBe("no difference");
    for (const r of rows)
      for (const c of columns) total.set(`${r} in ${c}`, (total.get(`${r} in ${c}`) ?? 0) + count(r, c));
  }
  const at = (r: string, c: string): number => total.get(`${r} in ${c}`) ?? 0;
  const all = rows.flatMap(r => columns.map(c => ({ r, c }))),
    empty = all.filter(({ r, c }) => at(r, c) === 0);
  if (asked !== undefined) console.log(printed(rows, columns, at));
  console.log(
    `${rows.length} operators x ${columns.length} places: ${all.length - empty.length} cells built, ${empty.length} are no programs`,
  );
  // An empty cell has its reason; a cell with a reason is empty.
  expect(empty.filter(({ r, c }) => why(r, c) === undefined).map(({ r, c }) => `${r} in ${c}`)).toEqual([]);
  expect(all.filter(({ r, c }) => at(r, c) > 0 && why(r, c) !== undefined)).toEqual([]);
});
