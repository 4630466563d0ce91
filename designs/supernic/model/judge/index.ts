/** What the judge must say of a frame. */
export { judgeFrame, type JudgedFrame, type JudgedPortKind } from "./judge.ts";
