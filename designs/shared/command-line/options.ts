import { extname } from "node:path";
import { InvalidArgumentError, Option } from "commander";

/** An option with a value that may be given once only. */
export function once(flags: string, description: string, parse: (text: string) => unknown): Option {
  let given = false;
  return new Option(flags, description).argParser((text: string) => {
    if (given) throw new InvalidArgumentError("It is given twice.");
    given = true;
    if (text === "") throw new InvalidArgumentError("It is empty.");
    return parse(text);
  });
}

/** The name of a file, of a wanted kind where any is named. */
export const fileName =
  (...extensions: readonly string[]) =>
  (text: string): string => {
    if (extensions.length > 0 && !extensions.includes(extname(text)))
      throw new InvalidArgumentError(`Its name must end in ${extensions.join(" or ")}.`);
    return text;
  };

/** One of a few words. */
export const choice =
  <T extends string>(words: readonly T[]) =>
  (text: string): T => {
    const found = words.find(w => w === text);
    if (found === undefined)
      throw new InvalidArgumentError(`It must be ${words.slice(0, -1).join(", ")} or ${words.at(-1) ?? ""}.`);
    return found;
  };

/** A whole number in a range. */
export const wholeNumber =
  (least: number, most: number) =>
  (text: string): number => {
    const n = /^\d+$/.test(text) ? Number(text) : Number.NaN;
    if (n >= least && n <= most) return n;
    throw new InvalidArgumentError(`It must be a whole number from ${least} to ${most}.`);
  };

/** A seed: a whole number of 32 bits. */
export function seed(text: string): number {
  const n = /^(\d+|0x[0-9a-f]+)$/i.test(text) ? Number(text) : Number.NaN;
  if (!(n <= 0xffffffff)) throw new InvalidArgumentError("It must be a whole number from 0 to 4294967295.");
  return n;
}

/** `--set key=value`, as often as there are settings; the keys are checked by the design itself. */
export function setting(): Option {
  return new Option("--set <key=value...>", "a setting of the design: a build parameter or a run-time value")
    .default([], "the design's own values")
    .argParser((text: string, before: readonly string[] | undefined) => [...(before ?? []), text]);
}
