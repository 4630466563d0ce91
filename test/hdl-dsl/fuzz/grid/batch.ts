/** Programs of the grid, one after another: all its cells in a random order, again and again. */
import { Random } from "../../../../hdl-dsl/random.ts";
import type { VectorProgram } from "../vectors.ts";
import { type Cell, grid } from "./cells.ts";
import { gridProgram } from "./program.ts";

/** Cells of one module. */
const CELLS = 16;

export interface Batch {
  readonly programs: readonly VectorProgram[];
  /** How often each operator was built in each place. */
  readonly count: (operator: string, position: string) => number;
}

const shuffled = <T>(list: readonly T[], random: Random): T[] => {
  const out = [...list];
  for (let n = out.length - 1; n > 0; n--) {
    const m = random.below(n + 1);
    [out[n], out[m]] = [out[m] as T, out[n] as T];
  }
  return out;
};

/** The modules of one pass over all cells, made one by one. The same seed gives the same ones. */
export function* passes(
  seed: number,
  name: string,
): Generator<{ readonly cells: readonly Cell[]; readonly make: () => VectorProgram }> {
  const random = new Random(seed),
    cells = shuffled(grid().cells, random);
  for (let n = 0; n * CELLS < cells.length; n++) {
    const mine = cells.slice(n * CELLS, (n + 1) * CELLS),
      dice = new Random(seed + n + 1);
    yield { cells: mine, make: () => gridProgram(mine, dice, `${name}${n}`) };
  }
}

/** One pass over all cells. */
export function batch(seed: number, name: string): Batch {
  const built = new Map<string, number>();
  const programs = [...passes(seed, name)].map(({ cells, make }) => {
    const program = make();
    for (const c of cells) {
      const key = `${c.operator} in ${c.position}`;
      built.set(key, (built.get(key) ?? 0) + 1);
    }
    return program;
  });
  return { programs, count: (o, p) => built.get(`${o} in ${p}`) ?? 0 };
}
