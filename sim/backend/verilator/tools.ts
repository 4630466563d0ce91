import { accessSync, appendFileSync, constants, realpathSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";
import { BuildError } from "../../errors.ts";

/** A program found on the PATH, with a fingerprint that changes when another version is installed. */
export interface Tool {
  readonly path: string;
  readonly fingerprint: string;
}

/** Looks a program up on the PATH. The fingerprint costs no process: real path, size and time of the file. */
export function findTool(name: string): Tool | undefined {
  for (const dir of (process.env["PATH"] ?? "").split(delimiter)) {
    const path = join(dir, name);
    try {
      accessSync(path, constants.X_OK);
      const real = realpathSync(path),
        s = statSync(real);
      if (!s.isFile()) continue;
      return { path, fingerprint: `${real} ${s.size} ${Math.trunc(s.mtimeMs)}` };
    } catch {
      continue;
    }
  }
  noteMissing(name);
  return undefined;
}

/** A run of the tests without native tools wants to know what was looked for in vain (test/support/left-out). */
function noteMissing(name: string): void {
  const log = process.env["MNEMO_MISSING_LOG"];
  if (log !== undefined) appendFileSync(log, `${name}\n`);
}

export interface Tools {
  readonly verilator: Tool;
  readonly cxx: Tool;
  readonly clang: boolean;
  readonly fingerprint: string;
}

interface Found {
  readonly verilator: Tool;
  readonly cxx: Tool;
  readonly clang: boolean;
}
/** What is on the PATH now, or what is missing and how to get it. */
function look(): Found | { readonly missing: string; readonly remedy: string } {
  const verilator = findTool("verilator");
  if (!verilator) return { missing: "verilator is not on the PATH", remedy: "it (Debian: apt install verilator)" };
  const clang = findTool("clang++");
  const cxx = clang ?? findTool("g++");
  if (!cxx) return { missing: "no C++ compiler is on the PATH", remedy: "clang or g++ (Debian: apt install clang)" };
  return { verilator, cxx, clang: clang !== undefined };
}

/** Why Verilator cannot compile a model here, as part of a sentence; undefined where it can. */
export function whyNoVerilator(): string | undefined {
  const found = look();
  return "missing" in found ? found.missing : undefined;
}

/**
 * Verilator and a C++ compiler (clang++ compiles faster and to faster models; g++ serves too), or one sentence on
 * what is missing.
 */
export function simulationTools(): Tools {
  const found = look();
  if ("missing" in found) throw new BuildError(`${found.missing}: install ${found.remedy} and run again`);
  // The command is a script round this program; an upgrade may leave the script as it was.
  const binary = findTool("verilator_bin");
  return {
    ...found,
    fingerprint: [found.verilator.fingerprint, binary?.fingerprint ?? "", found.cxx.fingerprint].join("\n"),
  };
}
