/** What a node's engine does. */
export { crc32, NodeModel, type NodeModelOptions } from "./node-model.ts";
