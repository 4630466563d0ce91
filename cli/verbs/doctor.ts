import type { Verb } from "../verb.ts";
import { exitCode, table } from "../../designs/shared/command-line/index.ts";
import { inspectTools } from "../doctor/inspect.ts";

/** `mnemo doctor`: the tools that are there, their versions, and how to get missing ones. */
export const doctorVerb: Verb = (program, { terminal, exit }) =>
  program
    .command("doctor")
    .description("say which tools are there, their versions, and how to get those that are missing")
    .action(async () => {
      const found = await inspectTools();
      terminal.print(
        table(
          ["tool", "version", "where", "used for"],
          found.map(f => [f.name, f.version ?? "missing", f.path ?? "-", f.use]),
          "llll",
        ),
      );
      const missing = found.filter(f => f.path === undefined);
      if (missing.length === 0) return;
      terminal.print(`\nTo get what is missing: sudo apt-get install ${missing.map(f => f.debian).join(" ")}`);
      exit(exitCode.usage);
    });
