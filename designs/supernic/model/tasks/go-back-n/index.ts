export { GbnJudge } from "./judge.ts";
