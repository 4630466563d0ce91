/** Random programs through the evaluator and three tools; a difference is shrunk and told in Verilog and numbers. */
import fc from "fast-check";
import { Random } from "../../../hdl-dsl/random.ts";
import { benchText, expected, inputValues, modelled, outputBits, stimulus, type Subject, subjectOf } from "./bench.ts";
import { builtinRows } from "./builtin.ts";
import { CHOICE } from "./choices.ts";
import { generate } from "./generate.ts";
import { runTool, type ToolName, TOOLS } from "./tools.ts";

/** The choices that a program is made of. */
export const choices: fc.Arbitrary<number[]> = fc.noBias(
  fc.array(fc.nat(CHOICE - 1), { minLength: 0, maxLength: 1600, size: "max" }),
);

/** Where something else came out: of a tool, or (a program with a model of its own) of the builders. */
export interface Difference {
  readonly tool: ToolName | "builders";
  readonly subject: Subject;
  readonly step: number;
  readonly got: string;
  readonly want: string;
}

/** A tool's outputs of one subject against what they must be. */
function compare(
  tool: ToolName,
  subject: Subject,
  rows: readonly string[],
  at: number,
  vectors: readonly bigint[],
): Difference | undefined {
  const width = outputBits(subject);
  for (const [step, want] of expected(subject, vectors).entries()) {
    const row = rows[step] ?? "";
    const got = row.slice(row.length - at - width, row.length - at);
    const text = want.bits.toString(2).padStart(width, "0"),
      known = want.known.toString(2).padStart(width, "0");
    for (let i = 0; i < width; i++) {
      // Yosys spreads x through cells that the standard does not; an x of the emitter's own making shows in Icarus.
      if (tool === "yosys" && got[i] === "x") continue;
      if (known[i] === "1" && got[i] !== text[i])
        return { tool, subject, step, got, want: text.replace(/./g, (c, j: number) => (known[j] === "1" ? c : "?")) };
    }
  }
  return undefined;
}

/** The evaluator's outputs of what the builders made, against the program's own model. */
function compareModel(subject: Subject, vectors: readonly bigint[]): Difference | undefined {
  if (subject.model === undefined) return undefined;
  const width = outputBits(subject),
    want = modelled(subject.model, subject, vectors);
  const binary = (v: bigint): string => v.toString(2).padStart(width, "0");
  for (const [step, got] of expected(subject, vectors).entries()) {
    const should = want[step] ?? 0n;
    if ((got.bits ^ should) & got.known)
      return { tool: "builders", subject, step, got: binary(got.bits), want: binary(should) };
  }
  return undefined;
}

const isInside = (tool: ToolName): tool is "builtin" | "reader" => tool === "builtin" || tool === "reader";

/** The first difference of each subject that has one. All subjects are built in one run of each tool. */
export async function differences(
  subjects: readonly Subject[],
  tools: readonly ToolName[],
  vectors: readonly bigint[],
): Promise<Difference[]> {
  const built = subjects.map(s => compareModel(s, vectors));
  if (tools.length === 0) return built.flatMap(d => d ?? []);
  const files = [
    ...new Map(subjects.flatMap(s => s.design.files).map(f => [f.name, f])).values(),
    { name: "bench.v", text: benchText(subjects) },
  ];
  const total = subjects.reduce((n, s) => n + outputBits(s), 0);
  // Programs of their own are started first: they run beside what this process does itself.
  const started = tools.map(tool => (isInside(tool) ? undefined : runTool(tool, files, total, vectors)));
  const found = await Promise.all(
    tools.map(async (tool, n) => {
      const rows = isInside(tool) ? builtinRows(subjects, vectors, tool === "reader") : ((await started[n]) ?? []);
      if (rows.length !== vectors.length || rows.some(r => r.length !== total))
        throw new Error(`${tool} gave ${rows.length} rows, not ${vectors.length} of ${total} bits`);
      let at = 0;
      return subjects.map(s => {
        const d = compare(tool, s, rows, at, vectors);
        at += outputBits(s);
        return d;
      });
    }),
  );
  return subjects.flatMap((_, n) => [built, ...found].flatMap(f => f[n] ?? []).slice(0, 1));
}

export interface Counterexample {
  readonly difference: Difference;
  readonly vectors: readonly bigint[];
}

/** The smallest program that a bounded search finds on which the tool still differs. */
export async function shrink(
  first: Difference,
  from: readonly number[],
  vectors: readonly bigint[],
  milliseconds: number,
): Promise<Counterexample> {
  const until = Date.now() + milliseconds;
  let best: Difference = first;
  const fails = async (list: readonly number[]): Promise<boolean> => {
    try {
      const [d] = await differences(
        [subjectOf(generate(list, "Fuzz"))],
        first.tool === "builders" ? [] : [first.tool],
        vectors,
      );
      if (d !== undefined) best = d;
      return d !== undefined;
    } catch {
      return false;
    }
  };
  let list = [...from];
  // The arbitrary's own candidates, smallest first; the first that still fails is gone on with.
  for (let again = true; again && Date.now() < until;) {
    again = false;
    for (const candidate of choices.shrink(list, undefined)) {
      if (Date.now() >= until) break;
      if (await fails(candidate.value)) {
        list = candidate.value;
        again = true;
        break;
      }
    }
  }
  return { difference: best, vectors };
}

/** A counterexample for a reader: the tool, the step, inputs up to it, and the text. */
export function describeCounterexample({ difference: d, vectors }: Counterexample): string {
  const inputs = vectors
    .slice(0, d.step + 1)
    .map(
      (v, n) =>
        `  ${n === 0 ? "reset" : `step ${n}`}: ${[...inputValues(d.subject, v)].map(([name, x]) => `${name}=0x${x.bits.toString(16)}`).join(" ")}`,
    );
  return [
    `${d.tool} ${d.tool === "builders" ? "differ from the program" : "differs from the evaluator"} at step ${d.step}: outputs are ${d.got}, not ${d.want} (? = undefined)`,
    "inputs:",
    ...inputs,
    ...d.subject.design.files.map(f => f.text),
  ].join("\n");
}

/** Programs in one build of each tool: the time that Icarus takes grows with their square. */
const TOGETHER = 250;

/** The first difference of each subject that has one, some of them in one run of each tool. */
async function differencesOf(
  subjects: readonly Subject[],
  tools: readonly ToolName[],
  vectors: readonly bigint[],
): Promise<Difference[]> {
  const all: Difference[] = [];
  for (let from = 0; from < subjects.length; from += TOGETHER)
    all.push(...(await differences(subjects.slice(from, from + TOGETHER), tools, vectors)));
  return all;
}

/**
 * Every tool over `count` programs of a seed, `batch` with one stimulus. @param said hears of how many ran.
 * @returns how many ran, and the first difference, shrunk.
 */
export async function fuzz(
  seed: number,
  count: number,
  batch: number,
  tools: readonly ToolName[] = TOOLS,
  said: (programs: number) => void = () => undefined,
): Promise<{ readonly programs: number; readonly failure: string | undefined }> {
  for (let done = 0; done < count; done += batch) {
    said(done);
    const size = Math.min(batch, count - done);
    const lists = fc.sample(choices, { seed: seed + done, numRuns: size });
    const vectors = stimulus(new Random(seed + done));
    const subjects = lists.map((list, n) => subjectOf(generate(list, `Fuzz${n}`)));
    let found: Difference[];
    try {
      found = await differencesOf(subjects, tools, vectors);
    } catch (e) {
      return { programs: done, failure: `batch with seed ${seed + done}: ${(e as Error).message}` };
    }
    const first = found[0];
    if (first !== undefined) {
      const list = lists[subjects.indexOf(first.subject)] ?? [];
      const small = await shrink(first, list, vectors, 60_000);
      return {
        programs: done,
        failure: `${found.length} of ${size} programs of seed ${seed + done} differ\n${describeCounterexample(small)}`,
      };
    }
  }
  return { programs: count, failure: undefined };
}
