import type { EmittedDesign, Fault } from "../../hdl-dsl/index.ts";
import { BuildError } from "../errors.ts";

/**
 * The design with a fault in its Verilog, in the first place that has the text.
 * @throws BuildError when no file has it: a fault that is not there proves nothing.
 */
export function planted(design: EmittedDesign, fault: Fault): EmittedDesign {
  const at = design.files.findIndex(
    f => f.text.search(fault.from instanceof RegExp ? fault.from : new RegExp(escaped(fault.from))) >= 0,
  );
  if (at < 0)
    throw new BuildError(
      `no file of ${design.top} has ${String(fault.from)}: plant the fault "${fault.what}" in text that is there`,
    );
  return {
    ...design,
    files: design.files.map((f, i) => (i === at ? { ...f, text: f.text.replace(fault.from, fault.to) } : f)),
  };
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
