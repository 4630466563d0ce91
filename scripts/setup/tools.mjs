import { accessSync, appendFileSync, constants, existsSync, statSync } from "node:fs";
import { delimiter, join } from "node:path";

/**
 * A native tool that the project uses.
 * @typedef {object} Tool
 * @property {string} name how people call it
 * @property {readonly string[]} programs any one of these on the PATH will do; the first is preferred
 * @property {readonly string[]} [headers] in place of programs: a C header that must be there
 * @property {string} debian package to install
 * @property {readonly string[]} version arguments that make the program print its version
 * @property {string} use what it is needed for
 */

/** @typedef {"verilator" | "cxx" | "make" | "zlib" | "iverilog" | "yosys" | "z3" | "cvc5" | "tshark"} ToolName */
/** @type {Readonly<Record<ToolName, Tool>>} */
export const tools = {
  verilator: {
    name: "Verilator",
    programs: ["verilator"],
    debian: "verilator",
    version: ["--version"],
    use: "simulation and lint of the Verilog",
  },
  cxx: {
    name: "a C++ compiler",
    programs: ["clang++", "g++"],
    debian: "clang",
    version: ["--version"],
    use: "compiling the simulated models",
  },
  make: { name: "make", programs: ["make"], debian: "make", version: ["--version"], use: "Verilator's own builds" },
  zlib: {
    name: "zlib's headers",
    programs: [],
    headers: ["zlib.h"],
    debian: "zlib1g-dev",
    version: [],
    use: "waves in FST",
  },
  iverilog: {
    name: "Icarus Verilog",
    programs: ["iverilog"],
    debian: "iverilog",
    version: ["-V"],
    use: "a second simulator and lint",
  },
  yosys: { name: "Yosys", programs: ["yosys"], debian: "yosys", version: ["-V"], use: "synthesis checks and proofs" },
  z3: {
    name: "Z3",
    programs: ["z3"],
    debian: "z3",
    version: ["--version"],
    use: "proofs, and the runs that show why one fails",
  },
  cvc5: { name: "cvc5", programs: ["cvc5"], debian: "cvc5", version: ["--version"], use: "proofs, where Z3 is slow" },
  tshark: {
    name: "tshark",
    programs: ["tshark"],
    debian: "tshark",
    version: ["--version"],
    use: "decoding the replies with the generated dissector",
  },
};

/** @param {string} program @returns {string | undefined} its path */
function onPath(program) {
  for (const dir of (process.env["PATH"] ?? "").split(delimiter)) {
    const path = join(dir, program);
    try {
      accessSync(path, constants.X_OK);
      if (statSync(path).isFile()) return path;
    } catch {
      continue;
    }
  }
  return undefined;
}

/** Where C compilers look, beside what the environment adds. */
const headerFolders = () => [
  ...(process.env["CPATH"] ?? "").split(delimiter).filter(d => d !== ""),
  "/usr/include",
  "/usr/local/include",
];

/**
 * Looks for a tool; no process is started, so this costs next to nothing.
 * @param {Tool} tool @returns {string | undefined} the path found
 */
export function findTool(tool) {
  for (const program of tool.programs) {
    const path = onPath(program);
    if (path !== undefined) return path;
  }
  const header = headerFolders()
    .flatMap(dir => (tool.headers ?? []).map(h => join(dir, h)))
    .find(p => existsSync(p));
  // A run of the tests without native tools wants to know what was looked for in vain (test/support/left-out).
  const log = process.env["MNEMO_MISSING_LOG"];
  if (header === undefined && log !== undefined) appendFileSync(log, `${tool.name}\n`);
  return header;
}
