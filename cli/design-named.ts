import { Argument, InvalidArgumentError } from "commander";
import { type Design, UsageError } from "../designs/shared/command-line/index.ts";
import { designs, otherDesigns } from "./designs.ts";

/** The design of a verb without a design's name. */
export const [defaultDesign] = designs;

/** `<design>` or `[design]` among the designs, and words of the verb's own beside them. */
export const designArgument = (name: string, description: string, others: readonly string[] = []): Argument => {
  const words = [...designs.map(d => d.name), ...others];
  return new Argument(name, description).choices(words).argParser(word => {
    if (!words.includes(word))
      throw new InvalidArgumentError(`Allowed choices are ${words.join(", ")}.${otherDesigns}`);
    return word;
  });
};

/** The design of the name, which an argument has checked. @throws UsageError naming all when there is none */
export function designNamed(name: string): Design {
  const found = designs.find(d => d.name === name);
  if (found === undefined)
    throw new UsageError(`there is no design ${name}; the designs are ${designs.map(d => d.name).join(", ")}`);
  return found;
}

/** Verbs that need a hook, and which one. */
const hooks = {
  run: "run",
  serve: "serve",
  figures: "figures",
  bench: "bench",
  explore: "explore",
  prove: "proofs",
  board: "boards",
} as const satisfies Readonly<Record<string, keyof Design>>;
/** Verbs that a design has by its build. */
const byBuild = ["generate", "lint", "synth", "draw"] as const;

/** A verb that not every design has. */
export type HookVerb = keyof typeof hooks;

/**
 * A design's part in a verb.
 * @throws UsageError in one sentence with the verbs that it has when it has not this one
 */
export function hookOf<V extends HookVerb>(design: Design, verb: V): NonNullable<Design[(typeof hooks)[V]]> {
  const hook = design[hooks[verb]];
  if (hook) return hook;
  throw lacks(design, verb);
}
/** The definition of a design's hardware. @throws UsageError for a system without hardware of its own, as `hookOf` */
export function buildOf(design: Design, verb: (typeof byBuild)[number]): NonNullable<Design["build"]> {
  if (design.build) return design.build;
  throw lacks(design, verb);
}
function lacks(design: Design, verb: string): UsageError {
  const has = (Object.keys(hooks) as HookVerb[]).filter(v => design[hooks[v]] !== undefined),
    all = [...has, ...(design.build ? byBuild : [])];
  return new UsageError(`${design.name} has no ${verb}; its verbs are ${all.join(", ")}`);
}
