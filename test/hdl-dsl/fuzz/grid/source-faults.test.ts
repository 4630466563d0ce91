/**
 * Faults planted in the language's own source are found by the programs of the grid, every one. MNEMO_FAULTS=<part of a
 * name> plants those alone.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Random } from "../../../../hdl-dsl/random.ts";
import { stimulus, type Subject, subjectOf } from "../bench.ts";
import { differences } from "../differential.ts";
import { passes } from "./batch.ts";
import type { EmittedFile } from "./mutant-entry.ts";
import { type SourceFault, sourceFaults } from "./source-faults.ts";
import { type Entry, mutantOf } from "./source-mutant.ts";
import { hangMs } from "../../../support/hang-ms.ts";

const seed = 20261122;
/** Programs of a round, and faulty ones of each fault in it. */
const POOL = 12,
  FEW = 4;
/** Passes over all cells until a fault counts as not found. */
const PASSES = 3;

interface Hunt {
  readonly fault: string;
  changed: number;
  found: number;
}

/** The text without source positions, which differ in a bundle, and without what only keeps linters quiet. */
const plain = (text: string): string =>
  text.replace(/\/\/.*$|\([\w.-]+:\d+\)/gm, "").replace(/wire _unused_ok[^;]*;/g, "");
const textOf = (files: readonly EmittedFile[] | string): string =>
  typeof files === "string" ? files : files.map(f => plain(f.text)).join("");

test("the text that each fault changes stands in the source once", () => {
  const lost = sourceFaults.filter(({ file, from }) => {
    const source = readFileSync(new URL(`../../../../hdl-dsl/${file}`, import.meta.url), "utf8");
    return source.split(from).length !== 2;
  });
  expect(lost.map(f => f.name)).toEqual([]);
});

const long = process.env["MNEMO_FUZZ"] !== undefined;
if (!long) console.warn("faults in the language's source are not planted here, for it takes minutes: set MNEMO_FUZZ");

test.skipIf(!long)("every fault planted in the source is found", { timeout: 2 * hangMs }, async () => {
  const sane = await mutantOf(undefined),
    open = [];
  const only = process.env["MNEMO_FAULTS"] ?? "";
  for (const fault of sourceFaults.filter(f => f.name.includes(only)))
    open.push({ fault, entry: await mutantOf(fault), hunt: { fault: fault.name, changed: 0, found: 0 } as Hunt });
  for (let pass = 0; pass < PASSES && open.some(o => o.hunt.found === 0); pass++)
    await search(open, sane, seed + 1000 * pass);
  const hunts = open.map(o => o.hunt);
  if (process.env["MNEMO_FUZZ"] !== undefined)
    console.log(hunts.map(h => `${h.fault}: ${h.found} of ${h.changed} changed programs`).join("\n"));
  expect(hunts.filter(h => h.found === 0)).toEqual([]);
});

interface Open {
  readonly fault: SourceFault;
  readonly entry: Entry;
  readonly hunt: Hunt;
}
/** One pass over all cells, as far as faults are still to be found. */
async function search(open: readonly Open[], sane: Entry, from: number): Promise<void> {
  const waiting = [...passes(from, "Fuzz")];
  for (let at = 0; at < waiting.length && open.some(o => o.hunt.found === 0); at += POOL) {
    const sound = waiting.slice(at, at + POOL).map(({ make }) => subjectOf(make())),
      was = sane.texts(from, "Fuzz", at, sound.length),
      subjects: Subject[] = [],
      origin: Hunt[] = [];
    for (const { fault, entry, hunt } of open) {
      if (hunt.found > 0) continue;
      for (const subject of faulty(fault, entry.texts(from, "Fuzz", at, sound.length), was, sound)) {
        hunt.changed++;
        if (subject === "refused") hunt.found++;
        else {
          subjects.push(subject);
          origin.push(hunt);
        }
      }
    }
    if (subjects.length === 0) continue;
    for (const d of await differences(subjects, ["icarus"], stimulus(new Random(from)))) {
      const hunt = origin[subjects.indexOf(d.subject)];
      if (hunt !== undefined) hunt.found++;
    }
  }
}

test("a sound language changes nothing, and a fault that is no longer there is told", async () => {
  // The bundle names some wires otherwise, for its lines are others; it means the same.
  const same = (await mutantOf(undefined)).texts(seed, "Fuzz", 0, 3);
  const subjects: Subject[] = [];
  for (const { make } of passes(seed, "Fuzz")) {
    const files = same[subjects.length];
    if (files === undefined) break;
    expect(typeof files).not.toBe("string");
    if (typeof files !== "string") subjects.push(planted(subjectOf(make()), files, "Sane"));
  }
  expect(subjects.length).toBe(3);
  expect(await differences(subjects, ["icarus"], stimulus(new Random(seed)))).toEqual([]);
  await expect(mutantOf({ ...(sourceFaults[0] as SourceFault), from: "nowhere" })).rejects.toThrow("stands 0 times");
});

/** The first programs that the fault changes, to be run; "refused" where the faulty language does not make one. */
function faulty(
  fault: SourceFault,
  made: ReturnType<Entry["texts"]>,
  before: ReturnType<Entry["texts"]>,
  sound: readonly Subject[],
): (Subject | "refused")[] {
  const prefix = `Fault${sourceFaults.indexOf(fault)}x`;
  const out: (Subject | "refused")[] = [];
  made.forEach((files, n) => {
    const was = sound[n],
      same = before[n];
    if (was === undefined || same === undefined || out.length === FEW) return;
    if (typeof files === "string") {
      out.push("refused");
      return;
    }
    if (textOf(files) === textOf(same)) return;
    out.push(planted(was, files, prefix));
  });
  return out;
}

/** The program with other files, under names of its own. */
const planted = (was: Subject, files: readonly EmittedFile[], prefix: string): Subject => ({
  circuit: was.circuit,
  design: {
    ...was.design,
    top: was.design.top.replace(/^Fuzz/, prefix),
    files: files.map(f => ({ ...f, name: `${prefix}${f.name}`, text: f.text.replace(/\bFuzz(?=\d)/g, prefix) })),
  },
});
