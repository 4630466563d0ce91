/** The memory of network tasks as they see it. */
export { MemoryModel, type ModelPiece, type ModelSpace } from "./memory-model.ts";
