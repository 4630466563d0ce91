/** `mnemo lint <file>`, and `mnemo emit --lint`: a module of the user's own through the three tools. */
import type { EmittedDesign } from "../../hdl-dsl/index.ts";
import { exitCode, type ExitCode, type Terminal } from "../../designs/shared/command-line/index.ts";
import { loadDefinition } from "../emit/load-definition.ts";
import { lintDesign, lintTools, missingTools } from "./lint.ts";
import { Warned } from "../warnings.ts";
import { ofUser } from "../own/of-user.ts";

/** @param core without pads: Yosys objects to every third state */
export async function lintEmitted(core: EmittedDesign, terminal: Terminal): Promise<ExitCode> {
  missingTools();
  const complaints = await lintDesign(core);
  for (const c of complaints) terminal.error(`${core.top}: ${c.tool} complains:\n${c.text}`);
  if (complaints.length > 0) return exitCode.failed;
  const tools = Object.values(lintTools).map(t => t.name);
  terminal.print(`${core.top} passes ${tools.join(", ")}`);
  return exitCode.done;
}

export async function lintFile(
  file: string,
  o: { readonly module?: string; readonly set: readonly string[]; readonly strict?: true },
  terminal: Terminal,
): Promise<ExitCode> {
  const warned = new Warned(o.strict === true),
    definition = await loadDefinition(file, o.module, o.set),
    core = ofUser(file, () => warned.emit(definition));
  warned.print(terminal);
  return lintEmitted(core, terminal);
}
