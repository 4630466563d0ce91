/** Who commits, and who ends what a lost coordinator has begun. */
export {
  type Commit,
  copyCid,
  type CommitArea,
  nodesIn,
  type Outgoing,
  ownersOf,
  type OwnerShare,
  replicasOf,
} from "./commit.ts";
export { Coordinator, type CoordinatorOptions, type Phase } from "./coordinator.ts";
export { type Action, type AskNode, type By, takeOver } from "./take-over.ts";
