import { tools } from "./tools.mjs";

/**
 * @typedef {object} Job
 * @property {readonly import("./tools.mjs").Tool[]} tools native tools that it needs
 * @property {boolean} [runsWithout] whether a part of it runs without them, and says what it left out
 * @property {(rest: readonly string[]) => readonly string[]} command arguments to Node
 */

const simulation = [tools.verilator, tools.cxx, tools.make, tools.zlib];

/** What `npm start` and `npm test` run, once the machine is set up. @type {Readonly<Partial<Record<string, Job>>>} */
export const jobs = {
  // The built-in simulator runs it: Node and the npm packages do.
  start: {
    tools: [],
    command: rest => [
      "cli/mnemo.mjs",
      "run",
      "clio",
      "--in",
      "captures/first.pcap",
      "--out",
      "out/replies.pcap",
      ...rest,
    ],
  },
  test: {
    runsWithout: true,
    tools: [...simulation, tools.iverilog, tools.yosys, tools.z3, tools.cvc5, tools.tshark],
    command: rest => ["node_modules/vitest/vitest.mjs", "run", ...rest],
  },
};
