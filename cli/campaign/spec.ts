/** A campaign's file: what is run, how often, in pieces of what size, and within what limits. */
import * as z from "zod";

const seed = z.int().min(0).max(0xffff_ffff).default(1);
/** Most pieces of a campaign: their numbers have six digits. */
export const mostPieces = 1_000_000;
const many = z.int().min(1).max(1e12);
/** How much in all, how much of it in a piece, and where the random choices begin. */
const counted = { count: many.default(1), piece: many.default(1), seed };
const word = z.string().min(1);
/** `{seed}`, `{count}`, `{index}`, `{json}` and `{folder}` are filled in for each piece. */
const environment = z.record(z.string().regex(/^[A-Za-z_]\w*$/), z.string()).default({});
const values = z.union([z.string(), z.number()]);

/** A kind of random work that test/campaigns/<kind>.ts does: programs, frames, operations, requests, worlds. */
const random = z.strictObject({
  kind: z.string().regex(/^[a-z][a-z-]*$/, "must be the name of a kind"),
  ...counted,
  options: z.record(z.string(), values).default({}),
});
/** Any module that exports `piece`, by its path from the project's folder. */
const module = z.strictObject({
  kind: z.literal("module"),
  module: word,
  ...counted,
  options: z.record(z.string(), values).default({}),
});
const mnemo = z.strictObject({ kind: z.literal("mnemo"), args: z.array(word).min(1), ...counted });
const vitest = z.strictObject({
  kind: z.literal("vitest"),
  files: z.array(word).min(1),
  test: word.optional(),
  env: environment,
  ...counted,
});
const command = z.strictObject({
  kind: z.literal("command"),
  command: z.array(word).min(1),
  env: environment,
  ...counted,
});
/** Each module is a piece. */
const mutants = z.strictObject({
  kind: z.literal("mutants"),
  modules: z.array(z.string().regex(/^[\w-]+\/[A-Z]\w*$/, "must be <design>/<Module>")).min(1),
  limit: z.int().min(1).default(1_000_000),
  /** Tests that take longer are left out. Seconds. */
  patience: z.int().min(1).max(3600).default(60),
  seed,
});
/** Each point of the product of the settings' values is a piece. */
const sweep = z.strictObject({
  kind: z.literal("sweep"),
  design: word,
  set: z.record(z.string(), z.array(values).min(1)),
  only: z.array(word).min(1).optional(),
  whole: z.boolean().default(false),
  measure: z.enum(["all", "area", "cycles"]).default("all"),
  seed,
});
/** Each figure is a piece. */
const figures = z.strictObject({
  kind: z.literal("figures"),
  design: word,
  only: z.array(word).min(1),
  quick: z.boolean().default(false),
  seed,
});
/** Each seed is a piece. */
const benches = z.strictObject({ kind: z.literal("benches"), design: word, times: many.default(1), seed });

const fixed = z.discriminatedUnion("kind", [module, mnemo, vitest, command, mutants, sweep, figures, benches]);
export type Fixed = z.output<typeof fixed>;
export type RandomWork = z.output<typeof random>;
export type Work = Fixed | RandomWork;
export type Sweep = z.output<typeof sweep>;

const kinds: ReadonlySet<string> = new Set(fixed.options.map(o => o.shape.kind.value));
/** Whether the command line itself knows the kind; else it is the name of a file of test/campaigns. */
export const isFixed = (w: Work): w is Fixed => kinds.has(w.kind);
export const fixedKinds = [...kinds];

const kindOf = (v: unknown): unknown => (typeof v === "object" && v !== null && "kind" in v ? v.kind : undefined);
/** By its kind, so that a sentence tells of that kind's fields alone. */
const work = z.unknown().transform((v, context): Work => {
  const kind = kindOf(v),
    read = (typeof kind === "string" && kinds.has(kind) ? fixed : random).safeParse(v);
  if (read.success) return read.data;
  context.issues.push(...read.error.issues.map(i => ({ ...i, input: v }) as z.core.$ZodRawIssue));
  return z.NEVER;
});

export const specSchema = z.strictObject({
  name: z.string().regex(/^[a-z0-9][a-z0-9-]{0,59}$/, "must be lower-case letters, digits and -"),
  about: z.string().default(""),
  work: z.array(work).min(1),
  limits: z
    .strictObject({
      /** Of a piece, by the clock. */
      seconds: z.number().positive().max(604_800).default(600),
      /** How often a piece is begun again that did not come to an end. */
      retries: z.int().min(0).max(100).default(1),
    })
    .default({ seconds: 600, retries: 1 }),
});
export type Spec = z.output<typeof specSchema>;
