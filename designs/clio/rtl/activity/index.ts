export { ActivityTable } from "./activity-table.ts";
export {
  ActivityCommand,
  activityOp,
  type ActivityParameters,
  ActivityResult,
  ActivityStamp,
  ageBits,
  regionBits,
} from "./records.ts";
export { regionIndexOf } from "./region-index.ts";
