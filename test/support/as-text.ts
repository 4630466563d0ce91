import type { EmittedDesign } from "../../hdl-dsl/index.ts";

/** The same design from its text: what simulates a copy of the files does not know the circuit, and reads them. */
export const asText = <D extends EmittedDesign>(design: D): D => ({ ...design, files: [...design.files] });
