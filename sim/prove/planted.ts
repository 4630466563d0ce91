import type { EmittedDesign, Fault, Ports } from "../../hdl-dsl/index.ts";
import { type Design, designOf, type Dut } from "../design.ts";
import { BuildError } from "../errors.ts";

/**
 * The text with each statement on one line and without comments: where the lines break depends on lengths of names that
 * a fault's text should not know.
 */
export const unbroken = (text: string): string =>
  text
    .replace(/[ \t]*\/\/.*$/gm, "")
    .replace(/([^;\n])\n\s+(?![\s`])/g, "$1 ")
    .replace(/([([{]) /g, "$1")
    .replace(/ ([)\]}])/g, "$1");

/**
 * The design with a fault in its Verilog, in the first place that has the text.
 * @throws BuildError when no file has it: a fault that is not there proves nothing.
 */
export function planted(design: EmittedDesign, fault: Fault): EmittedDesign {
  const looked = fault.from instanceof RegExp ? fault.from : new RegExp(escaped(fault.from));
  const asItStands = design.files.findIndex(f => f.text.search(looked) >= 0),
    onOneLine = design.files.findIndex(f => unbroken(f.text).search(looked) >= 0),
    at = asItStands < 0 ? onOneLine : asItStands;
  if (at < 0)
    throw new BuildError(
      `no file of ${design.top} has ${String(fault.from)}: plant the fault "${fault.what}" in text that is there`,
    );
  return {
    ...design,
    files: design.files.map((f, i) =>
      i === at ? { ...f, text: (asItStands < 0 ? unbroken(f.text) : f.text).replace(fault.from, fault.to) } : f,
    ),
  };
}

/**
 * A design to run a bench on that has to fail: `dut` with a fault in its Verilog. A failure writes no wave.
 * @throws BuildError when no file has the text.
 */
export function withFault<P extends Ports>(dut: Dut<P>, fault: Fault): Design<P> {
  const design = designOf(dut);
  return { ...design, emitted: planted(design.emitted, fault), brief: true, failureWanted: true };
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
