export type { NodePorts } from "../../rtl/index.ts";
