import { constant, module, reg } from "../../../../hdl-dsl/index.ts";
import { type MergeParameters, mergePorts } from "./ports.ts";

/** Its ports only: nothing goes through it yet. */
export const Merge = module(
  "Merge",
  (p: MergeParameters) => mergePorts(p),
  (io, p) => {
    for (const [name, port] of Object.entries(mergePorts(p) as Record<string, any>)) {
      const end = (io as Record<string, any>)[name];
      if (port.port === "stream" && port.dir === "in") end.ready.set(constant(0, 1));
      else if (port.port === "stream") {
        end.valid.set(constant(0, 1));
        end.payload.set(reg(port.shape, { init: 0, name: `${name}_none` }));
      } else if (port.dir === "out") end.set(reg(port.shape, { init: 0, name: `${name}_none` }));
    }
  },
);
