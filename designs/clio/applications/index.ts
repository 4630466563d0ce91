/** Applications of the paper (§4.6) that run at the client, on CLib. */
export { radixImage, RadixTree, type RadixFound, type RadixTreeOptions } from "./radix-tree.ts";
export {
  LocalTreeMemory,
  ReadingTreeMemory,
  RemoteTreeMemory,
  treeBytes,
  type TreeMemory,
  type TreeNode,
} from "./tree-memory.ts";
