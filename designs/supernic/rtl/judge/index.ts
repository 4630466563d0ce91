/** The judge: takes the shims off the frames of a port, and says of each whether it is right and what it is. */
export { Judge } from "./judge.ts";
export {
  judgeBeatBytes,
  JudgedBeat,
  JudgedKind,
  judgedLengthBits,
  JudgedPort,
  type JudgeParameters,
  JudgeReason,
  RefusedPulses,
  Verdict,
} from "./records.ts";
