/** The wire format: one description of every header and body, and all that is made from it (shared by hardware, software, models and tools). */
export * from "./layout.ts";
export * from "./codec.ts";
export * from "./hardware.ts";
export * from "./status.ts";
export * from "./headers.ts";
export * from "./bodies.ts";
export * from "./opcodes.ts";
export * from "./ports.ts";
export * from "./checksum.ts";
export * from "./addresses.ts";
export * from "./frames.ts";
export * from "./reply.ts";
export * from "./echo.ts";
export * from "./validation.ts";
export { dissectorLua } from "./dissector.ts";
export { wireFormatReference } from "./reference.ts";
