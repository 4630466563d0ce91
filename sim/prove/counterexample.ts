/** From a verdict "it fails" to the run that shows it. */
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { findTool } from "../backend/verilator/tools.ts";
import { failedRun } from "./engines/pdr.ts";
import { type FormalModel, TOP } from "./model.ts";
import { runLimited } from "./process.ts";
import { type Property, propertyAt } from "./properties.ts";

/** A run from reset to a failed assertion. */
export interface Counterexample {
  /** The assertion that fails at its end, when the tool names one that is known. */
  readonly property: Property | undefined;
  /** Values of the design's inputs by Verilog name, cycle by cycle; the first cycle is the reset's. */
  readonly inputs: readonly Readonly<Record<string, bigint>>[];
  /** Wave of all signals (VCD). */
  readonly vcd: string;
}

/** How long the shortest run is looked for before the engine's own is followed, s. */
const SHORTEST = 15;

/**
 * Has an SMT solver find the run within `cycles` cycles: a check of the engine that said so, by another one. What it
 * finds is the shortest. Where that takes long, and the engine wrote its own run down, the solver follows it.
 */
export async function counterexample(
  model: FormalModel,
  cycles: number,
  seconds: number,
): Promise<Counterexample | undefined> {
  const follow = ["--aig", `${model.map}:${failedRun}`, "--aig-noheader"],
    search = (solver: string, limit: number) => ({ solver, limit, way: [] as string[] }),
    full = [search("z3", seconds), search("cvc5", seconds)];
  const tries = existsSync(join(model.folder, failedRun))
    ? [search("z3", Math.min(SHORTEST, seconds)), { solver: "z3", limit: seconds, way: follow }, ...full]
    : full;
  for (const { solver, limit, way } of tries) {
    if (findTool(solver) === undefined) continue;
    const ended = await runLimited(
      "yosys-smtbmc",
      ["-s", solver, "--presat", "--unroll", ...way, "-t", String(cycles), "--dump-vcd", "trace.vcd", model.smt2],
      { cwd: model.folder, seconds: limit },
    );
    if (ended.late || !ended.out.includes("BMC failed")) continue;
    const vcd = readFileSync(join(model.folder, "trace.vcd"), "utf8");
    const failed = /Assert failed in [^:]*: (.*)/.exec(ended.out)?.[1] ?? "";
    return {
      property: propertyAt(model.properties, failed),
      inputs: inputsOf(
        vcd,
        model.design.ports.filter(p => p.dir === "in" && p.role === "data").map(p => p.name),
      ),
      vcd,
    };
  }
  return undefined;
}

/**
 * The top module's inputs in each step of a VCD as yosys-smtbmc writes it: values at #0, #10, ..., with
 * only what changed.
 */
function inputsOf(vcd: string, names: readonly string[]): Readonly<Record<string, bigint>>[] {
  const scope: string[] = [];
  const byCode = new Map<string, string>();
  const now: Record<string, bigint> = Object.fromEntries(names.map(n => [n, 0n]));
  const steps: Record<string, bigint>[] = [];
  let time = -1;
  const take = (): void => {
    if (time >= 0 && time % 10 === 0) steps.push({ ...now });
  };
  for (const line of vcd.split("\n")) {
    if (line.startsWith("$scope")) scope.push(line.split(/\s+/)[2] ?? "");
    else if (line.startsWith("$upscope")) scope.pop();
    else if (line.startsWith("$var")) {
      const [, , , code, name] = line.split(/\s+/);
      if (scope.join(".") === TOP && code !== undefined && name !== undefined && names.includes(name))
        byCode.set(code, name);
    } else if (line.startsWith("#")) {
      take();
      time = Number(line.slice(1));
    } else if (line.startsWith("b")) {
      const [value, code] = line.slice(1).split(" ");
      const name = byCode.get(code ?? "");
      if (name !== undefined) now[name] = BigInt(`0b${(value ?? "0").replace(/[xz]/gi, "0")}`);
    }
  }
  take();
  return steps;
}
