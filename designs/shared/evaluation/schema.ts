import * as z from "zod";

/**
 * What stands on an axis, and its unit. `category`: the x values are names, in the order of the first series. `ticks`:
 * where the numbers stand, and where the axis begins and ends; absent: powers of two or round numbers.
 */
const axis = z
  .strictObject({
    label: z.string().min(1),
    unit: z.string().min(1).optional(),
    scale: z.enum(["linear", "log2", "category"]),
    ticks: z.array(z.number()).min(2).optional(),
  })
  .refine(
    a => a.scale === "category" || a.unit !== undefined || a.label.startsWith("number of "),
    'an axis of numbers has a unit, or is a "number of ..."',
  );
export type Axis = z.output<typeof axis>;
/** How a number came about: cycles of the hardware; with latencies that were put into a model; by neither. */
export const standingSchema = z.enum(["predicted", "calibrated", "not modelled"]);
export type Standing = z.output<typeof standingSchema>;

const point = z.strictObject({ x: z.union([z.number(), z.string()]), y: z.number() });
/** Points in order of x. */
const series = z.strictObject({
  name: z.string().min(1),
  standing: standingSchema.exclude(["not modelled"]),
  points: z.array(point).min(1),
});
export type Series = z.output<typeof series>;

/** A number of the paper's text that y is compared with, in y's unit. */
const reference = z.strictObject({ at: z.number(), says: z.string().min(1) });
/** A drawing: `stacked` bars add up; `steps` is a distribution. */
const plot = z.strictObject({
  title: z.string(),
  kind: z.enum(["lines", "bars", "stacked", "steps"]),
  x: axis,
  y: axis,
  series: z.array(series).min(1),
  references: z.array(reference).optional(),
});
export type Plot = z.output<typeof plot>;

/**
 * What the series of a figure are to show, as data: who has the figure can judge it again (`judge`). Names are of
 * series; y is compared in its own unit.
 */
const claim = z.discriminatedUnion("kind", [
  /** The largest y is at most 1 + `within` times the smallest. */
  z.strictObject({ kind: z.literal("flat"), series: z.string(), within: z.number() }),
  /** At each x that both have, y is from `least` to `most` above that of `base`. */
  z.strictObject({
    kind: z.literal("above"),
    series: z.string(),
    base: z.string(),
    least: z.number(),
    most: z.number(),
  }),
  /** Where x is from `from` to `to`, y is from `least` to `most`. */
  z.strictObject({
    kind: z.literal("within"),
    series: z.string(),
    from: z.number(),
    to: z.number(),
    least: z.number(),
    most: z.number(),
  }),
  /** y never falls by more than `slack` of what it was. */
  z.strictObject({ kind: z.literal("rising"), series: z.string(), slack: z.number() }),
  /** At each x, these series are `least` or more of the sum of all series of their plot. */
  z.strictObject({ kind: z.literal("share"), series: z.array(z.string()).min(1), at: z.string(), least: z.number() }),
  /**
   * Of a distribution (x, share of samples up to x): the x of share `high` is at most `most` times that of share `low`.
   */
  z.strictObject({ kind: z.literal("tail"), series: z.string(), low: z.number(), high: z.number(), most: z.number() }),
]);
export type Claim = z.output<typeof claim>;

const verdict = z.strictObject({ says: z.string().min(1), claim, holds: z.boolean(), found: z.string() });
export type Verdict = z.output<typeof verdict>;

/** A number that was put into a model, and where it is from. */
const given = z.strictObject({ what: z.string(), value: z.string(), source: z.string() });
export type Given = z.output<typeof given>;

/** How large something was for the paper, as its text says, and how large it is here. */
const size = z.strictObject({ what: z.string().min(1), paper: z.string().min(1), here: z.string().min(1) });
export type Size = z.output<typeof size>;

const table = z.strictObject({ columns: z.array(z.string()).min(1), rows: z.array(z.array(z.string())) });

/** One figure of the paper. */
export const figureSchema = z
  .strictObject({
    /** As the paper counts it: 4.6, table5.1; or a word for what its text tells. */
    number: z
      .string()
      .regex(/^[a-z]*(\d+\.\d+)?$/)
      .min(1),
    title: z.string().min(1),
    standing: standingSchema,
    /** Words of the paper's text, and the section that they stand in. Nothing is read off its pictures. */
    paper: z.array(z.strictObject({ section: z.string(), quote: z.string().min(1) })),
    given: z.array(given),
    sizes: z.array(size),
    plots: z.array(plot),
    table: table.optional(),
    verdicts: z.array(verdict),
    /** What a reader must know to read it right; of a figure that is not modelled, why. */
    notes: z.array(z.string()),
  })
  .refine(f => (f.standing === "not modelled") === (f.plots.length === 0), "a figure has plots, or is not modelled")
  .refine(f => f.standing !== "not modelled" || f.notes.length > 0, "a figure that is not modelled says why");
export type Figure = z.output<typeof figureSchema>;

/**
 * Something that the paper's chapter measures or shows outside of the figures: its words, and where it is here, or why
 * it is not.
 */
const beside = z.strictObject({
  what: z.string().min(1),
  section: z.string(),
  quote: z.string().min(1),
  standing: standingSchema.exclude(["calibrated"]).optional(),
  here: z.string().min(1),
});
export type Beside = z.output<typeof beside>;

/**
 * How much is measured: a few points and samples; what takes some minutes in all; or as much as the paper, where
 * simulation reaches it.
 */
export const extentSchema = z.enum(["quick", "usual", "full"]);
export type Extent = z.output<typeof extentSchema>;

/** The whole report. */
export const reportSchema = z.strictObject({
  seed: z.number().int(),
  extent: extentSchema,
  figures: z.array(figureSchema),
  besides: z.array(beside),
});
export type Report = z.output<typeof reportSchema>;
