/** How C++ is compiled: flags, include paths, sources of our own. */
import { readFileSync } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { fileURLToPath } from "node:url";
import type { WaveFormat } from "../backend.ts";
import { run } from "./run.ts";
import type { Tools } from "./tools.ts";

export const NATIVE = resolve(dirname(fileURLToPath(import.meta.url)), "../native");

/** Sources of the native folder by name, read once. */
export function nativeSource(name: string): string {
  return readFileSync(join(NATIVE, name), "utf8");
}

/**
 * Flags of every native compilation. Symbols are hidden (and on g++ not unique), or two designs in one process would
 * share Verilator's globals.
 */
export function cxxFlags(tools: Tools, trace: WaveFormat | false): string[] {
  return [
    "-O2",
    "-fPIC",
    "-std=c++17",
    "-fvisibility=hidden",
    "-fvisibility-inlines-hidden",
    "-w",
    ...(tools.clang ? ["-fbracket-depth=8192"] : ["-fno-gnu-unique"]),
    "-DVM_SC=0",
    "-DVM_COVERAGE=0",
    `-DVM_TRACE=${trace === false ? 0 : 1}`,
    `-DVM_TRACE_FST=${trace === "fst" ? 1 : 0}`,
    ...(trace === "vcd" ? ["-DVM_TRACE_VCD=1", "-DMNEMO_VCD"] : []),
    "-DVL_TIME_CONTEXT",
    ...(trace === false ? [] : ["-DMNEMO_TRACE"]),
  ];
}

let includes: Promise<string> | undefined;

/** Verilator's include folder. Asked of the tool only when something is to be compiled. */
export function verilatorInclude(tools: Tools): Promise<string> {
  includes ??= run(tools.verilator.path, ["--getenv", "VERILATOR_ROOT"], ".", "asking Verilator for its folder").then(
    root => join(root.trim(), "include"),
  );
  return includes;
}

/** The include paths and forced header with which generated code and Verilator's runtime are compiled. */
export async function includeFlags(tools: Tools, trace: WaveFormat | false): Promise<string[]> {
  const root = await verilatorInclude(tools);
  const last = trace === "vcd" ? ["-include", join(NATIVE, "vcd-wave.h")] : [];
  const hooks = ["-include", join(NATIVE, "verilated-hooks.h")];
  return [`-I${NATIVE}`, `-I${root}`, `-I${join(root, "vltstd")}`, ...hooks, ...last];
}
