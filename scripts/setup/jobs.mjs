import { SetupError } from "./setup-error.mjs";
import { tools } from "./tools.mjs";

/**
 * @typedef {object} Job
 * @property {readonly import("./tools.mjs").Tool[]} tools native tools that it needs
 * @property {boolean} [runsWithout] whether a part of it runs without them, and says what it left out
 * @property {(rest: readonly string[]) => readonly (readonly string[])[]} commands arguments to Node, run one after
 * the other
 */

const simulation = [tools.verilator, tools.cxx, tools.make, tools.zlib];

/** Each design's shipped capture. What leaves is written under out/. */
const runs = {
  clio: ["--in", "captures/first.pcap", "--out", "out/replies.pcap"],
  supernic: [
    ...["--in", "captures/supernic.pcap", "--out", "out/snic.pcap"],
    ...["--setup", "examples/supernic.setup.json"],
  ],
};
/**
 * `npm start` plays all of them; `npm start -- supernic --stats out/s.json` plays one, with options of its own.
 * @param {readonly string[]} rest
 */
function startCommands([design, ...options]) {
  if (design === undefined)
    return Object.entries(runs).map(([name, files]) => ["cli/mnemo.mjs", "run", name, ...files]);
  const files = Object.entries(runs).find(([name]) => name === design)?.[1];
  if (files === undefined)
    throw new SetupError(
      `"${design}" has no shipped capture; name ${Object.keys(runs).join(" or ")}, or neither for both.`,
    );
  return [["cli/mnemo.mjs", "run", design, ...files, ...options]];
}

/** What `npm start` and `npm test` run, once the machine is set up. @type {Readonly<Partial<Record<string, Job>>>} */
export const jobs = {
  // The built-in simulator runs it: Node and the npm packages do.
  start: { tools: [], commands: startCommands },
  test: {
    runsWithout: true,
    tools: [...simulation, tools.iverilog, tools.yosys, tools.z3, tools.cvc5, tools.tshark],
    commands: rest => [["node_modules/vitest/vitest.mjs", "run", ...rest]],
  },
};
