import { Command } from "commander";
import type { ExitCode, Terminal } from "../designs/shared/command-line/index.ts";
import { designs } from "./designs.ts";
import { newVerb } from "./new/verb.ts";
import { benchVerb } from "./verbs/bench.ts";
import { boardVerb } from "./verbs/board.ts";
import { coverageVerb } from "./verbs/coverage.ts";
import { compareVerb } from "./verbs/compare.ts";
import { cacheVerb } from "./verbs/cache.ts";
import { campaignVerb } from "./verbs/campaigns/campaign.ts";
import { catalogueVerb } from "./verbs/catalogue.ts";
import { drawVerb } from "./verbs/draw.ts";
import { doctorVerb } from "./verbs/doctor.ts";
import { emitVerb } from "./verbs/emit.ts";
import { exploreVerb } from "./verbs/campaigns/explore.ts";
import { figuresVerb } from "./verbs/figures.ts";
import { generateVerb } from "./verbs/generate.ts";
import { lintVerb } from "./verbs/lint.ts";
import { mutateVerb } from "./verbs/mutate.ts";
import { proveVerb } from "./verbs/prove.ts";
import { playgroundVerb } from "./verbs/playground.ts";
import { runVerb } from "./verbs/run.ts";
import { serveVerb } from "./verbs/serve.ts";
import { synthVerb } from "./verbs/synth.ts";
import { whereVerb } from "./verbs/where.ts";
import type { Verb } from "./verb.ts";

const verbs: readonly Verb[] = [
  newVerb,
  runVerb,
  serveVerb,
  emitVerb,
  generateVerb,
  lintVerb,
  synthVerb,
  drawVerb,
  playgroundVerb,
  boardVerb,
  proveVerb,
  mutateVerb,
  benchVerb,
  exploreVerb,
  campaignVerb,
  coverageVerb,
  figuresVerb,
  compareVerb,
  catalogueVerb,
  whereVerb,
  doctorVerb,
  cacheVerb,
];

/** The program with all its verbs. Nothing here ends the process or writes past `terminal`. */
export async function program(
  args: readonly string[],
  terminal: Terminal,
  exit: (code: ExitCode) => void,
): Promise<Command> {
  const root = new Command("mnemo")
    .description("Mnemosyne: hardware designs from TypeScript to Verilog, and their simulator")
    .addHelpText(
      "after",
      `\nDesigns: ${designs.map(d => `${d.name}, ${d.title}`).join("; ")}.\n` +
        "`mnemo <verb> --help` explains a verb. Exit codes: 0 done, 1 the design failed, 2 bad usage or input.",
    );
  for (const verb of verbs) await verb(root, { args, terminal, exit });
  root.action((_options: unknown, command: Command) => {
    // Only reached with options or operands that are no verb; commander words the sentence, suggestion included.
    (command as Command & { unknownCommand(): never }).unknownCommand();
  });
  for (const command of [root, ...root.commands]) {
    command
      .exitOverride()
      .allowExcessArguments(command === root)
      .showHelpAfterError(false)
      .configureOutput({
        writeOut: text => terminal.print(text.trimEnd()),
        writeErr: text => terminal.error(text.trimEnd()),
        // Thrown as well, and said once, by main.
        outputError: () => undefined,
      });
  }
  return root;
}
