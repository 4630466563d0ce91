import { judge } from "./judge.ts";
import { type Claim, type Figure, figureSchema, type Given, type Plot, type Size } from "./schema.ts";

/** How a figure is measured. */
export interface Options {
  readonly seed: number;
  /** Fewer points and samples, on the build that the tests have anyway: for continuous integration. */
  readonly quick: boolean;
  /**
   * As many entries and operations as the paper has, where simulation reaches them in some minutes; not
   * together with `quick`.
   */
  readonly full?: boolean;
}

/** What a measurement gives; the rest of a figure is known before. */
export interface Result {
  readonly plots: readonly Plot[];
  readonly claims: readonly (readonly [says: string, claim: Claim])[];
  readonly table?: NonNullable<Figure["table"]>;
  readonly notes?: readonly string[];
  readonly sizes?: readonly Size[];
}

/** A figure of the paper: what is said of it, and how it is measured. */
export interface Definition extends Pick<Figure, "number" | "title"> {
  readonly paper: readonly (readonly [section: string, quote: string])[];
  readonly given?: readonly Given[];
  readonly notes?: readonly string[];
  readonly sizes?: readonly Size[];
  /** Absent: not modelled, and the notes say why. */
  readonly measure?: (o: Options) => Promise<Result>;
}

/** Measures a figure and judges its claims. A figure with a calibrated series is calibrated. */
export async function figureOf(
  { measure, paper, given = [], notes = [], sizes = [], number, title }: Definition,
  o: Options,
): Promise<Figure> {
  const result = await measure?.(o),
    plots = [...(result?.plots ?? [])];
  const calibrated = plots.some(p => p.series.some(s => s.standing === "calibrated"));
  return figureSchema.parse({
    number,
    title,
    standing: result === undefined ? "not modelled" : calibrated ? "calibrated" : "predicted",
    paper: paper.map(([section, quote]) => ({ section, quote })),
    given: [...given],
    sizes: [...sizes, ...(result?.sizes ?? [])],
    plots,
    ...(result?.table && { table: result.table }),
    verdicts: (result?.claims ?? []).map(([says, claim]) => ({ says, claim, ...judge(plots, claim) })),
    notes: [...notes, ...(result?.notes ?? [])],
  } satisfies Figure);
}
