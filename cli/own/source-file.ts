/** A TypeScript file of the user's own in the place of a design: how it is told from one, and which options it has. */
import { Argument, InvalidArgumentError, type Option } from "commander";
import { fileName, once, UsageError } from "../../designs/shared/command-line/index.ts";
import { designs } from "../designs.ts";

/** Whether a word on the command line names a file of TypeScript or JavaScript. */
export const isSource = (word: string): boolean => /\.[cm]?[jt]s$/.test(word);

/** `<design>` among the designs and a verb's other words, or a file. */
export function designOrFile(name: string, description: string, others: readonly string[] = []): Argument {
  const words = [...designs.map(d => d.name), ...others];
  return new Argument(
    name,
    `${description}: ${words.join(", ")}, or a TypeScript file that exports a module`,
  ).argParser((word: string) => {
    if (words.includes(word) || isSource(word)) return word;
    throw new InvalidArgumentError(`Allowed choices are ${words.join(", ")}, or a file whose name ends in .ts.`);
  });
}

/** `--module <name>`, for the verbs that take a file. */
export const moduleOption = (): Option =>
  once("--module <name>", "of a TypeScript file: the export; needed when it has several", fileName());

/** @throws UsageError when an option that only a file has is given beside something else */
export function onlyForFile(word: string | undefined, module: string | undefined): void {
  if (module !== undefined && (word === undefined || !isSource(word)))
    throw new UsageError(`--module is for a TypeScript file; give one, or leave out --module ${module}`);
}
