/** A design made ready for the engines: one reset, then anything the assumptions allow. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { EmittedBox, EmittedDesign, EmittedPort } from "../../hdl-dsl/index.ts";
import { BuildError } from "../errors.ts";
import { runLimited } from "./process.ts";
import { propertiesOf, type Property } from "./properties.ts";

/** Name of the module that the engines see; the design is its instance `dut`. */
export const TOP = "prove_top";

/** Files of one design in a folder of its own; free it when done. */
export interface FormalModel extends Disposable {
  readonly folder: string;
  readonly design: EmittedDesign;
  readonly properties: readonly Property[];
  /** For yosys-smtbmc, covers included; for `sat`; for abc: all below `folder`. */
  readonly smt2: "model.smt2";
  readonly rtlil: "model.il";
  readonly aiger: "model.aig";
  /** What the bits of `aiger` are. */
  readonly map: "model.aim";
}

const declared = (p: EmittedPort): string =>
  `input wire ${p.signed ? "signed " : ""}${p.width === 1 ? "" : `[${p.width - 1}:0] `}${p.name}`;

/**
 * The design under a reset that lasts until every clock has had an edge (with one clock: for the first cycle) and
 * never comes back. Registers without a reset value start as anything. A later reset leads to states that the first
 * one leads to as well, so nothing is lost by it. One clock ticks in every step; several are inputs that rise and fall
 * as they like.
 */
export function wrapper(design: EmittedDesign): string {
  const data = design.ports.filter(p => p.dir === "in" && p.role === "data"),
    clocks = design.ports.filter(p => p.role === "clock");
  const driven = design.ports
    .filter(p => p.dir === "in")
    .map(p => `.${p.name}(${p.role === "reset" ? `${p.activeLow === true ? "~" : ""}prove_reset` : p.name})`);
  const seen = clocks.map(c => `prove_seen_${c.name}`);
  return [
    `module ${TOP} (${[...clocks, ...data].map(declared).join(", ")});`,
    ...clocks.flatMap((c, i) => [
      `  reg ${seen[i] ?? ""} = 1'b0;`,
      `  always @(posedge ${c.name}) ${seen[i] ?? ""} <= 1'b1;`,
    ]),
    `  wire prove_reset = ~(${seen.length === 0 ? "1'b1" : seen.join(" & ")});`,
    `  ${design.top} dut (${driven.join(", ")});`,
    "endmodule",
    "",
  ].join("\n");
}

/** Only what its author wrote of a black box is known of it: without that, its outputs may be anything. */
const isFree = (b: EmittedBox): boolean => !b.modelled;

const script = (
  files: readonly string[],
  free: readonly string[],
  clocks: number,
  covers: boolean,
  own: boolean,
): string =>
  [
    `read_verilog -formal ${files.join(" ")} ${TOP}.v`,
    `prep -top ${TOP} -flatten -nordff`,
    ...free.map(module => `cutpoint t:${module}`),
    // What stands below the design has two instances' names in its own.
    ...(own ? [String.raw`chformal -assert -remove c:*dut.*.$assert*`] : []),
    "memory_map",
    "opt -full",
    // With several clocks a step is a moment of time, and registers look for edges themselves.
    clocks > 1 ? "clk2fflogic" : "async2sync",
    "opt_clean",
    "dffunmap",
    "check -assert",
    "write_smt2 -wires model.smt2",
    // The other two engines know no covers.
    ...(covers ? ["chformal -cover -remove", "opt_clean"] : []),
    "write_rtlil model.il",
    "setundef -undriven -anyseq",
    "delete -output",
    "techmap",
    "opt -fast",
    "dffunmap",
    "abc -g AND -fast",
    "opt_clean",
    "write_aiger -I -B -zinit -no-startoffset -map model.aim model.aig",
    "",
  ].join("\n");

/**
 * Writes the design's files and has Yosys make the engines' inputs.
 * @param own only what the top module itself claims; the claims of the modules in it are left out.
 * @throws BuildError when Yosys refuses.
 */
export async function formalModel(design: EmittedDesign, own = false): Promise<FormalModel> {
  const clocks = design.ports.filter(p => p.role === "clock").length + (design.innerClocks?.length ?? 0);
  const properties = propertiesOf(design).filter(p => !own || p.what !== "assert" || p.file === `${design.top}.v`);
  const folder = mkdtempSync(join(tmpdir(), "mnemo-prove-"));
  const dispose = (): void => {
    rmSync(folder, { recursive: true, force: true });
  };
  const boxes = design.boxes ?? [];
  const files = [...boxes.map(b => (isFree(b) ? b.declaration : b.standIn)), ...design.files];
  for (const f of files) writeFileSync(join(folder, f.name), f.text);
  writeFileSync(join(folder, `${TOP}.v`), wrapper(design));
  writeFileSync(
    join(folder, "model.ys"),
    script(
      files.map(f => f.name),
      boxes.filter(isFree).map(b => b.module),
      clocks,
      properties.some(p => p.what === "cover"),
      own,
    ),
  );
  const ended = await runLimited("yosys", ["-q", "model.ys"], { cwd: folder, seconds: 120 });
  if (ended.code !== 0) {
    dispose();
    throw new BuildError(
      `Yosys could not prepare ${design.top} for proofs${ended.late ? " within 120 s" : ""}:\n${ended.out.trim().slice(0, 2000)}`,
    );
  }
  return {
    folder,
    design,
    properties,
    smt2: "model.smt2",
    rtlil: "model.il",
    aiger: "model.aig",
    map: "model.aim",
    [Symbol.dispose]: dispose,
  };
}
