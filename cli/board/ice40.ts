import { emit, type EmittedDesign, type EmittedFile, synthesisFiles } from "../../hdl-dsl/index.ts";
import { CheckFailed } from "../../designs/shared/command-line/index.ts";
import { boardHook } from "./board-design.ts";
import type { BoardFile } from "./board-file.ts";
import type { Ice40Board } from "./schema.ts";
import { fill } from "./template.ts";

/** Lights of the board. */
const lights = 8;

/**
 * The design behind the serial line. @throws CheckFailed when the clock is no whole multiple of the baud rate
 */
export function serialNode(b: Ice40Board): EmittedDesign {
  const divider = (b.clockMHz * 1e6) / b.baud;
  if (!Number.isInteger(divider))
    throw new CheckFailed(
      `${b.name}: baud ${b.baud} does not divide a clock of ${b.clockMHz} MHz; the nearest is ${Math.round((b.clockMHz * 1e6) / Math.round(divider))}`,
    );
  return emit(boardHook(b, "serial")(b.node, divider));
}

/** Inputs of the tools: the node's files, the top level and the pins. */
export interface Ice40Sources {
  readonly top: string;
  readonly verilog: readonly EmittedFile[];
  readonly pins: string;
}

export function ice40Sources(root: string, b: Ice40Board): Ice40Sources {
  const design = serialNode(b),
    data = { ...b, top: design.top, unlit: lights - 3 };
  return {
    top: `${b.name}_top`,
    verilog: [...synthesisFiles(design), { name: `${b.name}_top.v`, text: fill(root, "ice40_top.v", data) }],
    pins: fill(root, "ice40.pcf", data),
  };
}

/** All files of a board, by their paths in the project; `build.ys` and the node's files among them. */
export function ice40Files(root: string, b: Ice40Board): BoardFile[] {
  const s = ice40Sources(root, b);
  return [
    ...s.verilog.map(f => ({ path: `generated/boards/${b.name}/${f.name}`, text: f.text })),
    { path: `constraints/boards/${b.name}/${b.name}.pcf`, text: s.pins },
  ];
}
