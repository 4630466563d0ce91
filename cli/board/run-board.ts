import { mkdirSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { synthesisFiles } from "../../hdl-dsl/index.ts";
import { repository } from "../repository.ts";
import { table, type Terminal, UsageError } from "../../designs/shared/command-line/index.ts";
import type { BoardFile } from "./board-file.ts";
import { allBoards, boardNamed } from "./boards.ts";
import { ice40Files } from "./ice40.ts";
import { portsFiles, portsNode } from "./ports.ts";
import { routeBoard } from "./route.ts";
import type { Board } from "./schema.ts";
import { boardNode, xilinxFiles } from "./xilinx.ts";

export interface BoardOptions {
  readonly out?: string;
  readonly route?: true;
  readonly seed: number;
}

/** Everything of a board, the node's Verilog too, by paths in a tree of its own. */
export function boardFiles(root: string, b: Board): readonly BoardFile[] {
  if (b.kind === "ice40") return ice40Files(root, b);
  const design = b.kind === "ports" ? portsNode(b) : boardNode(b);
  return [
    ...synthesisFiles(design).map(f => ({ path: `generated/boards/${b.name}/node/${f.name}`, text: f.text })),
    ...(b.kind === "ports" ? portsFiles(root, b, design) : xilinxFiles(root, b, design)),
  ];
}

/** `mnemo board`. @param name undefined: list the boards @param write puts files into a folder */
export async function runBoard(
  name: string | undefined,
  options: BoardOptions,
  terminal: Terminal,
  write: (folder: string, files: readonly BoardFile[]) => void,
): Promise<void> {
  const root = repository("mnemo board");
  if (name === undefined) {
    terminal.print(
      table(
        ["board", "device", "title", "checked here"],
        allBoards(root).map(b => [
          b.name,
          b.part,
          b.title,
          b.kind === "ice40" ? "placed and routed, not run on the board" : "lint only: no vendor tool was run",
        ]),
        "llll",
      ),
    );
    return;
  }
  const b = boardNamed(root, name);
  if (options.route !== true && options.out === undefined)
    throw new UsageError(
      `mnemo board ${name} writes files: say where with --out <folder>${b.kind === "ice40" ? ", or place and route it with --route" : ""}`,
    );
  if (options.route === true && b.kind !== "ice40")
    throw new UsageError(
      `${name} cannot be placed and routed here: its device needs the vendor's tool, for which --out writes the scripts`,
    );
  if (options.out !== undefined) {
    const files = boardFiles(root, b);
    write(resolve(options.out), files);
    terminal.print(`${files.length} files written to ${options.out}`);
  }
  if (options.route !== true || b.kind !== "ice40") return;
  const r = await routeBoard(root, b, options.seed, what => terminal.progress(`${name}: ${what}`));
  const count = (kind: string): string => {
    const u = r.used[kind];
    return u === undefined ? "none" : `${u.used} of ${u.available}`;
  };
  const bits = Buffer.from(r.bitstream, "base64"),
    folder = resolve(options.out ?? join(root, "out")),
    file = join(folder, `${name}.bin`);
  mkdirSync(folder, { recursive: true });
  writeFileSync(file, bits);
  terminal.print(
    `${name}: ${r.mhz.toFixed(2)} MHz after routing (the board's clock: ${b.clockMHz} MHz), ${count("ICESTORM_LC")} logic cells, ${count("ICESTORM_RAM")} memory blocks${r.fresh ? "" : ", from the cache"}`,
  );
  terminal.print(`bitstream: ${options.out ?? "out"}/${name}.bin, ${bits.length} bytes`);
}
