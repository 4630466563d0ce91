import type { BoardFile } from "./board-file.ts";
import { allBoards } from "./boards.ts";
import { ice40Files } from "./ice40.ts";
import { portsFiles } from "./ports.ts";
import { xilinxFiles } from "./xilinx.ts";

/**
 * Committed files of the boards: top levels, stand-ins, constraints and scripts. The node's Verilog, the same for all,
 * is written by `mnemo board --out`.
 */
export function committedBoardFiles(root: string): BoardFile[] {
  return allBoards(root).flatMap(b => {
    if (b.kind === "ports") return portsFiles(root, b);
    return b.kind === "xilinx" ? xilinxFiles(root, b) : ice40Files(root, b).filter(f => /_top\.v$|\.pcf$/.test(f.path));
  });
}
