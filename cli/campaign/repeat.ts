/** The one command that runs a piece again, on any machine that has the commit. */
import type { Piece } from "./pieces.ts";
import { vitestProgram } from "./pieces.ts";
import type { Plan } from "./plan.ts";

/** A word as a shell takes it. */
export const quoted = (text: string): string =>
  /^[\w@%+=:,./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;

/** @returns a line for a shell in the project's folder */
export function repeatOf(plan: Pick<Plan, "file">, { run, seed, index }: Piece): string {
  const line = (...words: readonly string[]): string => words.map(quoted).join(" ");
  switch (run.how) {
    case "module":
      return line("npx", "mnemo", "campaign", plan.file, "--piece", String(index));
    case "mnemo": {
      // The folder and the file are for the campaign's own use.
      const at = run.args.findIndex(a => a === "{json}" || a === "{folder}"),
        args = at < 0 ? run.args : [...run.args.slice(0, at - 1), ...run.args.slice(at + 1)];
      // It saves time where many pieces are run in one process.
      return line("npx", "mnemo", ...args.filter(a => a !== "--together"));
    }
    case "point":
      return line(
        ...["npx", "mnemo", "explore", run.design, ...run.set.flatMap(s => ["--set", s])],
        ...(run.only === undefined ? [] : ["--only", run.only.join(",")]),
        ...(run.whole ? ["--whole"] : []),
        ...(run.measure === "all" ? [] : ["--measure", run.measure]),
        ...["--seed", String(seed)],
      );
    case "child": {
      const { program, args, env } = run,
        words =
          program === "node" && args[0] === vitestProgram ? ["npx", "vitest", ...args.slice(1)] : [program, ...args];
      return [...Object.entries(env).map(([k, v]) => `${k}=${quoted(v)}`), line(...words)].join(" ");
    }
  }
}
