/** From a campaign's work to its pieces: pure, so that each machine makes the same of the same file. */
import { UsageError } from "../../designs/shared/command-line/index.ts";
import type { Point } from "../points/measure.ts";
import { isFixed, mostPieces, type RandomWork, type Spec, type Work } from "./spec.ts";

/** How a piece is run; placeholders are filled in. */
export type Run =
  | { readonly how: "module"; readonly module: string; readonly options: Readonly<Record<string, string | number>> }
  | { readonly how: "mnemo"; readonly args: readonly string[] }
  | {
      readonly how: "child";
      readonly program: string;
      readonly args: readonly string[];
      readonly env: Readonly<Record<string, string>>;
    }
  | ({ readonly how: "point" } & Point);
export interface Piece {
  readonly index: number;
  /** Which of the campaign's works it is of. */
  readonly work: number;
  readonly title: string;
  readonly seed: number;
  /** How much of the work's count it does. */
  readonly count: number;
  readonly run: Run;
}
type Part = Omit<Piece, "index" | "work">;

/** Odd, so that no two of 2^32 pieces have the same seed; far apart, as neighbours would share programs. */
const stride = 0x9e37_79b1;
export const seedOf = (base: number, n: number): number => (base + Math.imul(n, stride)) >>> 0;

/** The folder of the modules of random kinds. */
export const kindsFolder = "test/campaigns";
export const vitestProgram = "node_modules/vitest/vitest.mjs";

const filled = (text: string, { seed, count, index }: { seed: number; count: number; index: number }): string =>
  text.replaceAll("{seed}", String(seed)).replaceAll("{count}", String(count)).replaceAll("{index}", String(index));

interface Counted {
  readonly kind: string;
  readonly count: number;
  readonly piece: number;
  readonly seed: number;
}
/** The count cut into pieces; the last one is what is left. */
function cut(w: Counted, run: (fill: (text: string) => string) => Run, name = w.kind): readonly Part[] {
  const n = Math.ceil(w.count / w.piece);
  if (n > mostPieces)
    throw new UsageError(
      `${w.count} of ${w.kind} in pieces of ${w.piece} are ${n} pieces, more than ${mostPieces}; make \`piece\` ${Math.ceil(w.count / mostPieces)} or more`,
    );
  return Array.from({ length: n }, (_, i) => {
    const seed = seedOf(w.seed, i),
      count = Math.min(w.piece, w.count - i * w.piece);
    return { title: `${name}, seed ${seed}`, seed, count, run: run(t => filled(t, { seed, count, index: i })) };
  });
}

/** All points of a sweep, the last setting fastest. */
export const product = (set: Readonly<Record<string, readonly (string | number)[]>>): readonly (readonly string[])[] =>
  Object.entries(set).reduce<readonly (readonly string[])[]>(
    (points, [key, values]) => points.flatMap(p => values.map(v => [...p, `${key}=${v}`])),
    [[]],
  );

const filledAll = (env: Readonly<Record<string, string>>, fill: (text: string) => string): Record<string, string> =>
  Object.fromEntries(Object.entries(env).map(([k, v]) => [k, fill(v)]));

const ofModule = (w: RandomWork, module: string): readonly Part[] =>
  cut(w, () => ({ how: "module", module, options: w.options }));
const mnemoPart = (title: string, seed: number, args: readonly string[]): Part => ({
  title,
  seed,
  count: 1,
  run: { how: "mnemo", args },
});

function partsOf(w: Work): readonly Part[] {
  if (!isFixed(w)) return ofModule(w, `${kindsFolder}/${w.kind}.ts`);
  switch (w.kind) {
    case "module":
      return ofModule(w, w.module);
    case "mnemo":
      return cut(w, fill => ({ how: "mnemo", args: w.args.map(fill) }), `mnemo ${w.args[0] ?? ""}`);
    case "vitest": {
      const args = [vitestProgram, "run", ...w.files, ...(w.test === undefined ? [] : ["-t", w.test])];
      return cut(w, fill => ({ how: "child", program: "node", args: args.map(fill), env: filledAll(w.env, fill) }));
    }
    case "command": {
      const [program = "", ...args] = w.command;
      return cut(w, fill => ({ how: "child", program, args: args.map(fill), env: filledAll(w.env, fill) }), program);
    }
    case "mutants":
      return w.modules.map(m =>
        mnemoPart(`mutants of ${m}`, w.seed, [
          ...["mutate", m, "--limit", String(w.limit), "--seed", String(w.seed)],
          ...["--patience", String(w.patience), "--together", "--figures", "{json}"],
        ]),
      );
    case "sweep":
      return product(w.set).map(set => ({
        title: set.join(" ") || "as it is",
        seed: w.seed,
        count: 1,
        run: { how: "point", design: w.design, set, only: w.only, whole: w.whole, measure: w.measure },
      }));
    case "figures":
      return w.only.map(f =>
        mnemoPart(`figure ${f} of ${w.design}`, w.seed, [
          ...["figures", w.design, "--only", f, "--seed", String(w.seed), "--out", "{folder}"],
          ...(w.quick ? ["--quick"] : []),
        ]),
      );
    case "benches":
      return Array.from({ length: w.times }, (_, i) => {
        const seed = seedOf(w.seed, i);
        return mnemoPart(`bench of ${w.design}, seed ${seed}`, seed, [
          ...["bench", w.design, "--seed", String(seed), "--json", "{json}"],
        ]);
      });
  }
}

/** @throws UsageError when there are more than can be numbered */
export function piecesOf({ work }: Spec): readonly Piece[] {
  const parts = work.flatMap((w, n) => partsOf(w).map(p => ({ ...p, work: n })));
  if (parts.length > mostPieces)
    throw new UsageError(`the campaign has ${parts.length} pieces, more than ${mostPieces}; make two of it`);
  return parts.map((p, index) => ({ ...p, index }));
}
