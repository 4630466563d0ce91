import { Command, CommanderError, Option } from "commander";
import type { Design } from "../../designs/shared/command-line/index.ts";
import { designArgument, designNamed, hookOf } from "../design-named.ts";
import { designs } from "../designs.ts";
import type { Verb } from "../verb.ts";

/** The options of every design with the hook, each once; where not all of these designs have it, whose it is. */
async function allOptions(verb: "run" | "serve"): Promise<readonly Option[]> {
  const having = designs.filter(d => d[verb] !== undefined),
    found = new Map<string, { readonly option: Option; readonly of: string[] }>();
  for (const d of having) {
    for (const option of (await d[verb]?.())?.options() ?? []) {
      const known = found.get(option.flags);
      if (known) known.of.push(d.name);
      else found.set(option.flags, { option, of: [d.name] });
    }
  }
  return [...found.values()].map(({ option, of }) => {
    if (of.length < having.length) option.description += ` (${of.join(", ")})`;
    return option;
  });
}

/** The design that is meant: the first word that is neither an option nor an option's value. */
function named(args: readonly string[], options: readonly Option[]): Design | undefined {
  const scratch = new Command()
    .allowUnknownOption()
    .exitOverride()
    .configureOutput({ outputError: () => undefined });
  // Without their checks: the verb itself reports a wrong value.
  for (const o of options) scratch.addOption(new Option(o.flags));
  let name: string | undefined;
  try {
    name = scratch.parseOptions([...args]).operands[0];
  } catch (e) {
    if (!(e instanceof CommanderError)) throw e;
  }
  return designs.find(d => d.name === name);
}

/** `mnemo run` and `mnemo serve`: their actions and options are the design's own affair. */
export const designVerb =
  (verb: "run" | "serve", description: string): Verb =>
  async (program, { terminal, exit, args }) => {
    const command = program
      .command(verb)
      .description(description)
      .addArgument(designArgument("<design>", `the design to ${verb}`))
      .action(async (name: string, options: object) => {
        exit(await (await hookOf(designNamed(name), verb)()).act(options, terminal));
      });
    // The designs' options are loaded only for the verb on the command line.
    const words = args.filter(a => !a.startsWith("-") && a !== "help");
    if (words[0] !== verb) return command;
    const options = await allOptions(verb),
      design = named(args.slice(args.indexOf(verb) + 1), options);
    const own = design === undefined ? options : (await hookOf(design, verb)()).options();
    // Without a design what is wrong is its name, before any option that this one or that one needs.
    for (const o of own) command.addOption(design === undefined ? o.makeOptionMandatory(false) : o);
    return command;
  };
