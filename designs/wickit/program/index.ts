/** Programs as text and as images. */
export { assemble, AssemblyError, type Image, imageBytes, imageOf } from "./assemble.ts";
export { disassemble, instructionText } from "./disassemble.ts";
