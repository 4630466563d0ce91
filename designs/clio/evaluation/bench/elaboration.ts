import { makeSettings } from "../../config/index.ts";
import { clioNode } from "../../build/index.ts";
import { countNodes, elaborate, emit } from "../../../../hdl-dsl/index.ts";

/** Speed of the language on the whole node. A node of the design is an expression or a statement. */
export interface Elaboration {
  readonly nodes: number;
  readonly elaborationMs: number;
  readonly emissionMs: number;
  readonly modules: number;
  readonly verilogLines: number;
}

/**
 * Builds and checks the node, then emits it, once, as a first run does: with nothing warm. The configuration is used
 * nowhere else, because definitions are elaborated once per process.
 */
export function measureElaboration(): Elaboration {
  const { config } = makeSettings({ requestSlots: 32, mtuFrame: 1400 });
  const begun = performance.now(),
    circuit = elaborate(clioNode(config)),
    built = performance.now(),
    { files } = emit(clioNode(config)),
    done = performance.now();
  return {
    nodes: countNodes(circuit),
    elaborationMs: built - begun,
    emissionMs: done - built,
    modules: files.length,
    verilogLines: files.reduce((n, f) => n + f.text.split("\n").length - 1, 0),
  };
}
