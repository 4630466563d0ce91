import { resolve } from "node:path";
import { Argument, InvalidArgumentError } from "commander";
import { fileName, once, UsageError } from "../../designs/shared/command-line/index.ts";
import type { Verb } from "../verb.ts";

interface ProveOptions {
  readonly out: string;
  readonly limit: number;
  readonly faults?: true;
  readonly minutes?: true;
  readonly bounded?: number;
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

/** `mnemo prove`: the claims about the library and the designs' units, decided by whichever engine is first. */
export const proveVerb: Verb = (program, { terminal, exit }) =>
  program
    .command("prove")
    .description(
      "prove the library's and the designs' claims for runs of any length (abc pdr, yosys-smtbmc with z3 and cvc5, " +
        "Yosys sat: the first to answer), and show that every cover is reached",
    )
    .addArgument(new Argument("[module]", "only modules with this in their name"))
    .option("--faults", "plant every known fault too: the proof must fail")
    .option("--minutes", "only what takes minutes, which the tests leave to this command")
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
      const { proofs, proofsNamed } = await import("../prove/catalogue.ts");
      const { missingProvers } = await import("../prove/missing.ts");
      const { runProofs } = await import("../prove/run-proofs.ts");
      if (name === "") throw new UsageError("the module's name is empty; leave it out to prove everything");
      const named = name === undefined ? proofs : proofsNamed(name),
        wanted = options.minutes === true ? named.filter(p => p.long === "minutes") : named;
      if (wanted.length === 0)
        throw new UsageError(`no proof of ${name ?? "any module"} takes minutes; leave out --minutes`);
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
