/**
 * The wire format: one description of every header and body, and all that is made from it (shared by hardware,
 * software, models and tools).
 */

export * from "./status.ts";

export * from "./headers.ts";
export * from "./bodies.ts";
export * from "./opcodes.ts";
export * from "./layouts.ts";
export * from "./codes.ts";
export * from "./ports.ts";

export * from "./message.ts";
export * from "./reply.ts";
export * from "./wait.ts";

export { dissectorLua } from "./dissector.ts";
export { wireFormatReference } from "./reference.ts";
