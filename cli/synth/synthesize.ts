import { contentKey, remembered } from "../cache.ts";
import { contentOf } from "../verilog-content.ts";
import { type Area, areaOf } from "./area.ts";
import { type FanOut, widestNets } from "./fan-out.ts";
import { type Netlist, parseNetlist } from "./netlist.ts";
import { deepestPaths, mostLevels, type Path } from "./paths.ts";
import type { Target } from "./target.ts";
import type { Unit } from "./unit.ts";
import type { Yosys } from "./yosys.ts";

/** Result of the synthesis of a unit. */
export interface Synthesized {
  readonly area: Area;
  /** The most LUTs on any path; the deepest path may have fewer, and carries. */
  readonly levels: number;
  readonly paths: readonly Path[];
  /** The nets that most inputs hang on, clocks left out; widest first. */
  readonly fanOuts: readonly FanOut[];
  /** See `keyOf`. */
  readonly of?: string | undefined;
}

/** Part of the key: to be raised when what is read out of a netlist changes. */
const reading = "4";
const pathsKept = 30,
  fanOutsKept = 30;

/**
 * A whole is mapped block by block and flattened afterwards. In one piece, ABC9 saves area wherever a path has slack
 * against the longest one in its model of picoseconds. Examples are a block RAM's output and a carry chain. That makes
 * the path deeper, so the levels would be no property of the design.
 */
const script = (unit: Unit, target: Target, first: readonly string[] = []): string => {
  const keep = unit.blocks === undefined ? [] : [`setattr -mod -set keep_hierarchy 1 ${unit.blocks.join(" ")}`];
  const join = unit.blocks === undefined ? [] : ["setattr -mod -unset keep_hierarchy *", "flatten"];
  return [
    ...unit.files.map(f => `read_verilog ${f.name}`),
    `hierarchy -check -top ${unit.top}`,
    ...keep,
    ...first,
    `${target.command} -top ${unit.top}`,
    ...join,
    `select -module ${unit.top}`,
    "json -o mapped.json",
    "",
  ].join("\n");
};

/** ABC's own assertion (pCutSet->nCuts > 0) ends it on some netlists; with more cuts for each node it does not fail. */
const isAbcsOwn = (e: unknown): boolean => e instanceof Error && /ABC: execution of command .*code 134/.test(e.message);
const moreCuts = ["scratchpad -set abc9.if.C 12"];

/** The netlist of a unit. */
async function netlistOf(unit: Unit, target: Target, yosys: Yosys, step: (pass: string) => void): Promise<Netlist> {
  const run = async (first: readonly string[]): Promise<string> =>
    yosys.run(unit.files, script(unit, target, first), "mapped.json", step);
  const text = await run([]).catch((e: unknown) => {
    if (!isAbcsOwn(e)) throw e;
    return run(moreCuts);
  });
  return parseNetlist(text, unit.top);
}

/** A hash of all that a result depends on: the text of a unit, the commands, the tool. */
export const keyOf = (unit: Unit, target: Target, tool: string): string =>
  contentKey([reading, tool, script(unit, target), ...contentOf(unit.files)]);

/**
 * Synthesizes a unit out of context, or finds the result of an earlier run on the same text.
 * @param step called at the start of every pass
 */
export async function synthesize(
  unit: Unit,
  target: Target,
  yosys: Yosys,
  step: (pass: string) => void,
): Promise<Synthesized & { readonly of: string; readonly fresh: boolean }> {
  const of = keyOf(unit, target, yosys.version);
  const { value, fresh } = await remembered("synth", of, async (): Promise<Synthesized> => {
    const netlist = await netlistOf(unit, target, yosys, step);
    return {
      area: areaOf(netlist),
      levels: mostLevels(netlist),
      paths: deepestPaths(netlist, pathsKept, target.piecesOfCarry),
      fanOuts: widestNets(netlist, fanOutsKept),
    };
  });
  return { ...value, of, fresh };
}
