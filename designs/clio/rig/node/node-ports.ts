import type { ClioNode } from "../../rtl/index.ts";

/** The ports of a memory node, whatever its build: the widths are known at elaboration. */
export type NodePorts = ReturnType<typeof ClioNode>["ports"];
