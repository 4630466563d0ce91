/** Runs the three tools that must accept emitted Verilog unchanged: Verilator, Yosys, Icarus. */
import { spawnSync } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type EmittedDesign, simulationFiles } from "../../../hdl-dsl/index.ts";

/** Writes the files of a design to a temporary folder for the time of `use`. */
export function withFiles<T>(design: EmittedDesign, use: (folder: string, files: readonly string[]) => T): T {
  const folder = mkdtempSync(join(tmpdir(), "mnemo-lint-"));
  try {
    const files = simulationFiles(design).map(f => {
      const path = join(folder, f.name);
      writeFileSync(path, f.text);
      return path;
    });
    return use(folder, files);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Output of a command, both streams; a non-zero exit is noted in it. */
export function run(command: string, args: readonly string[], cwd?: string): string {
  const r = spawnSync(command, args, { encoding: "utf8", maxBuffer: 1 << 28, ...(cwd === undefined ? {} : { cwd }) });
  if (r.error !== undefined) throw new Error(`${command}: ${r.error.message}`);
  return `${r.stdout}${r.stderr}${r.status === 0 ? "" : `\n${command} exited with ${String(r.status)}`}`.trim();
}

/** Objections of the tools to a design; empty = accepted by all three, without any waiver. */
export function lint(design: EmittedDesign): string {
  return withFiles(design, (_folder, files) =>
    [
      run("verilator", ["--lint-only", "-Wall", "--top-module", design.top, ...files]),
      run("iverilog", ["-g2005", "-Wall", "-s", design.top, "-o", "/dev/null", ...files]),
      run("yosys", [
        "-q",
        "-p",
        `read_verilog ${files.join(" ")}; hierarchy -check -top ${design.top}; proc; check -assert`,
      ]),
      run("yosys", [
        "-q",
        "-p",
        `read_verilog -formal ${files.join(" ")}; hierarchy -check -top ${design.top}; proc; check -assert`,
      ]),
    ]
      .filter(t => t !== "")
      .join("\n"),
  );
}
