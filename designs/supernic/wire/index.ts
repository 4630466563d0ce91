/** The formats: one description of every header, and all that is made from it. */
export * from "./bundles.ts";
export * from "./codes.ts";
export * from "./ctrl.ts";
export * from "./ctrl-bodies.ts";
export * from "./descriptor.ts";
export * from "./ether-types.ts";
export * from "./flow.ts";
export * from "./frame.ts";
export * from "./match.ts";
export * from "./nat.ts";
export * from "./pfc.ts";
export * from "./refusals.ts";
export * from "./shims.ts";
export * from "./tables.ts";
export * from "./task-rows.ts";
export * from "./tasks.ts";
export { dissectorLua } from "./dissector.ts";
export { formatsReference } from "./reference.ts";
