/** Runs a piece in this process, or in a child of it. */
import { spawn } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { extname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Streams } from "../../designs/shared/command-line/index.ts";
import { root } from "../../scripts/setup/paths.mjs";
import type { Order, PieceFunction, PieceOutcome } from "./piece-contract.ts";
import type { Run } from "./pieces.ts";

const found = (...problems: readonly string[]): PieceOutcome => ({ problems: [...problems], figures: {} });

async function runModule(run: Extract<Run, { how: "module" }>, { seed, count }: Order): Promise<PieceOutcome> {
  const loaded = (await import(pathToFileURL(join(root, run.module)).href)) as { readonly piece?: PieceFunction };
  if (loaded.piece === undefined) return found(`${run.module} exports no \`piece\``);
  return { problems: [], figures: {}, ...(await loaded.piece({ seed, count, options: run.options })) };
}

/** All numbers of a JSON value under their names: `rows.3.most`. */
function numbersIn(value: unknown, name = ""): readonly (readonly [string, number])[] {
  if (typeof value === "number" && Number.isFinite(value)) return [[name, value]];
  if (typeof value !== "object" || value === null) return [];
  return Object.entries(value).flatMap(([k, v]) => numbersIn(v, name === "" ? k : `${name}.${k}`));
}
/** More numbers than these are data and no figures. */
const mostFigures = 200;
/** A file may also have `problems`, sentences that tell more than the last line that was printed. */
function outcomeIn(path: string): PieceOutcome {
  if (!existsSync(path)) return found();
  const kept: unknown = JSON.parse(readFileSync(path, "utf8")),
    told: unknown = typeof kept === "object" && kept !== null && "problems" in kept ? kept.problems : [];
  return {
    problems: Array.isArray(told) ? told.filter(p => typeof p === "string") : [],
    figures: Object.fromEntries(numbersIn(kept).slice(0, mostFigures)),
  };
}

/** Found by its place: the command line has campaigns, and what a campaign runs is the command line. */
const commandLine = new URL(`../main${extname(import.meta.url)}`, import.meta.url).href;

type CommandLine = (args: readonly string[], streams: Streams) => Promise<number>;

/** A verb of the command line, in this process: it costs no start. */
async function runVerb(run: Extract<Run, { how: "mnemo" }>): Promise<PieceOutcome> {
  const { main } = (await import(commandLine)) as { readonly main: CommandLine },
    folder = mkdtempSync(join(tmpdir(), "mnemo-piece-")),
    json = join(folder, "figures.json");
  let last = "";
  const stream = (to: NodeJS.WriteStream) => ({
    write: (text: string): boolean => {
      last = text.trim().split("\n").at(-1) ?? last;
      return to.write(text);
    },
  });
  try {
    const args = run.args.map(a => a.replaceAll("{json}", json).replaceAll("{folder}", folder));
    const code = await main(args, { stdout: stream(process.stdout), stderr: stream(process.stderr), env: process.env });
    const kept = outcomeIn(json);
    if (code === 0) return { ...kept, problems: [] };
    return kept.problems.length > 0 ? kept : { ...kept, problems: [`exit code ${code}: ${last}`] };
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function runChild(run: Extract<Run, { how: "child" }>): Promise<PieceOutcome> {
  const program = run.program === "node" ? process.execPath : run.program;
  return new Promise(done => {
    const child = spawn(program, run.args, {
      cwd: root,
      env: { ...process.env, ...run.env },
      stdio: ["ignore", "inherit", "inherit"],
    });
    child.on("error", e => done(found(`${run.program} cannot be started: ${e.message}`)));
    child.on("exit", (code, signal) =>
      done(code === 0 ? found() : found(code === null ? `ended by ${signal ?? "a signal"}` : `exit code ${code}`)),
    );
  });
}

async function runPoint(run: Extract<Run, { how: "point" }>, { seed }: Order): Promise<PieceOutcome> {
  const { measurePoint } = await import("../points/measure.ts");
  return { problems: [], figures: { ...(await measurePoint(run, seed)) } };
}

/** Never throws: what is thrown is a problem that the piece has found. */
export async function runPiece(order: Order): Promise<PieceOutcome> {
  const { run } = order;
  try {
    switch (run.how) {
      case "module":
        return await runModule(run, order);
      case "mnemo":
        return await runVerb(run);
      case "child":
        return await runChild(run);
      case "point":
        return await runPoint(run, order);
    }
  } catch (e) {
    if (e instanceof Error) process.stderr.write(`${e.stack ?? e.message}\n`);
    return found((e instanceof Error ? e.message : String(e)).split("\n")[0] ?? "");
  }
}
