/** Options of the verbs that run campaigns. */
import { InvalidArgumentError, Option } from "commander";
import { choice, once, wholeNumber } from "../../designs/shared/command-line/index.ts";

const engineNames = ["local", "slurm", "shell"] as const;
export type EngineName = (typeof engineNames)[number];

/** `3/16`: share 3 of 16, the first is 0. */
export function shareText(text: string): { readonly share: number; readonly of: number } {
  const [, share, of] = /^(\d{1,4})\/(\d{1,4})$/.exec(text) ?? [];
  if (share === undefined || !(Number(share) < Number(of)))
    throw new InvalidArgumentError("It must be k/n with k from 0 to n - 1.");
  return { share: Number(share), of: Number(of) };
}

/** Made anew for each verb: an option remembers that it was given. */
export const engineOptions = (): readonly Option[] => [
  once(
    "--engine <name>",
    "where pieces run: local (this machine), slurm (job arrays), shell (any line)",
    choice(engineNames),
  ).default("local"),
  once("--slots <number>", "local: pieces at a time; else as many as there are cores", wholeNumber(1, 1024)),
  once("--jobs <number>", "slurm, shell: tasks; else 100, or as many as there are pieces", wholeNumber(1, 1000)),
  once(
    "--minutes <number>",
    "slurm: time limit of a task; what it leaves undone is given out again",
    wholeNumber(1, 100_000),
  ),
  new Option("--sbatch <word...>", "slurm: a word for sbatch, such as --sbatch=--partition=long")
    .default([], "none")
    .argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]),
  once("--submit <line>", "shell: what runs a task and waits for it, such as 'ssh box{share} {command}'", String),
  once("--poll <seconds>", "slurm, shell: between two looks for results", wholeNumber(1, 3600)).default(5),
];
