/** The reference model of the memory node: `rules.md` in plain TypeScript, and the scoreboard that judges a run against it. */
export { classify, type FilterSettings, type Request, type Verdict } from "./classify.ts";
export { MappedMemory, type PageState, type VirtualMemory } from "./pages.ts";
export { ReferenceNode, type Access, type Outcome } from "./node.ts";
