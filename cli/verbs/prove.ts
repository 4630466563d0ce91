import { resolve } from "node:path";
import { Argument, InvalidArgumentError } from "commander";
import { fileName, once, setting, UsageError } from "../../designs/shared/command-line/index.ts";
import { isSource, moduleOption, onlyForFile } from "../own/source-file.ts";
import type { Provable } from "../prove/check.ts";
import type { Verb } from "../verb.ts";

interface ProveOptions {
  readonly module?: string;
  readonly set: readonly string[];
  readonly out: string;
  readonly limit: number;
  readonly faults?: true;
  readonly minutes?: true;
  readonly bounded?: number;
  readonly shard?: Shard;
}

/** One of `of` equal shares, from 1. */
interface Shard {
  readonly index: number;
  readonly of: number;
}

/** Neighbours in the list are of one design and take alike, so shares take turns. */
function isIn(share: Shard | undefined, position: number): boolean {
  return share === undefined || position % share.of === share.index - 1;
}

function shard(text: string): Shard {
  const [, index, of] = (/^(\d{1,3})\/(\d{1,3})$/.exec(text) ?? []).map(Number);
  if (index === undefined || of === undefined || index < 1 || index > of)
    throw new InvalidArgumentError("It must be a share and how many there are, such as 1/2.");
  return { index, of };
}

function seconds(text: string): number {
  const n = /^\d+$/.test(text) ? Number(text) : 0;
  if (n < 1 || n > 3600) throw new InvalidArgumentError("It must be a whole number of seconds from 1 to 3600.");
  return n;
}

function cycles(text: string): number {
  const n = /^\d+$/.test(text) ? Number(text) : 0;
  if (n < 1 || n > 10_000) throw new InvalidArgumentError("It must be a whole number of cycles from 1 to 10000.");
  return n;
}

/** The proofs that are meant: of a file, of modules of a name, or all. */
async function wantedProofs(name: string | undefined, o: ProveOptions): Promise<readonly Provable[]> {
  onlyForFile(name, o.module);
  if (name !== undefined && isSource(name)) {
    const { fileProofs } = await import("../prove/prove-own.ts");
    return fileProofs(name, o);
  }
  if (o.set.length > 0) throw new UsageError("--set is for a TypeScript file; the catalogue's proofs have their sizes");
  const { proofs, proofsNamed } = await import("../prove/catalogue.ts");
  return name === undefined ? proofs : proofsNamed(name);
}

/** `mnemo prove`: the claims about the library and the designs' units, decided by whichever engine is first. */
export const proveVerb: Verb = (program, { terminal, exit }) =>
  program
    .command("prove")
    .description(
      "prove the library's and the designs' claims for runs of any length (abc pdr, yosys-smtbmc with z3 and cvc5, " +
        "Yosys sat: the first to answer), and show that every cover is reached",
    )
    .addArgument(
      new Argument(
        "[module]",
        "only modules with this in their name, or a TypeScript file that exports a module or proofs",
      ),
    )
    .addOption(moduleOption())
    .addOption(setting())
    .option("--faults", "plant every known fault too: the proof must fail")
    .option("--minutes", "only what takes minutes, which the tests leave to this command")
    .addOption(once("--shard <share>", "only one of so many equal shares: 1/2 is the first half", shard))
    .addOption(
      once("--bounded <cycles>", "only look for a failure within so many cycles after reset: proves nothing", cycles),
    )
    .addOption(once("--limit <seconds>", "time for each engine", seconds).default(60))
    .addOption(
      once("--out <folder>", "where counterexamples go: a wave, and a test with the same inputs", fileName()).default(
        "out/prove",
      ),
    )
    .action(async (name: string | undefined, options: ProveOptions) => {
      const { missingProvers } = await import("../prove/missing.ts");
      const { runProofs } = await import("../prove/run-proofs.ts");
      if (name === "") throw new UsageError("the module's name is empty; leave it out to prove everything");
      const named = await wantedProofs(name, options),
        long = options.minutes === true ? named.filter(p => p.long === "minutes") : named;
      if (long.length === 0)
        throw new UsageError(`no proof of ${name ?? "any module"} takes minutes; leave out --minutes`);
      const wanted = long.filter((_, i) => isIn(options.shard, i));
      if (wanted.length === 0)
        throw new UsageError(`${long.length} proofs leave nothing for that share; give --shard fewer shares`);
      missingProvers();
      exit(
        await runProofs(
          wanted,
          {
            seconds: options.limit,
            faults: options.faults === true,
            ...(options.bounded === undefined ? {} : { bounded: options.bounded }),
          },
          resolve(options.out),
          terminal,
        ),
      );
    });
