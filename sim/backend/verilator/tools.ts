import { accessSync, constants, realpathSync, statSync } from "node:fs";
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
  return undefined;
}

export interface Tools {
  readonly verilator: Tool;
  readonly cxx: Tool;
  readonly clang: boolean;
  readonly fingerprint: string;
}

/**
 * Verilator and a C++ compiler (clang++ compiles faster and to faster models; g++ serves too), or one sentence on
 * what is missing.
 */
export function simulationTools(): Tools {
  const verilator = findTool("verilator");
  if (!verilator)
    throw new BuildError("verilator is not on the PATH: install it (Debian: apt install verilator) and run again");
  const clang = findTool("clang++");
  const cxx = clang ?? findTool("g++");
  if (!cxx)
    throw new BuildError(
      "no C++ compiler is on the PATH: install clang or g++ (Debian: apt install clang) and run again",
    );
  // The command is a script round this program; an upgrade may leave the script as it was.
  const binary = findTool("verilator_bin");
  return {
    verilator,
    cxx,
    clang: clang !== undefined,
    fingerprint: [verilator.fingerprint, binary?.fingerprint ?? "", cxx.fingerprint].join("\n"),
  };
}
