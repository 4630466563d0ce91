/** The ports of the match-and-action table. */
import { bit, input, type Inside, output, sink, source, uint, vec } from "../../../../../hdl-dsl/index.ts";
import { Release } from "../../../../shared/frame/index.ts";
import { matRules } from "../../../registers/index.ts";
import { Asked, NetRequest, Reply, SlowFrame } from "../../records/records.ts";
import { MatEntry, MatEvents, type MatParameters, MatRule, MatWrite } from "./records.ts";

export const matPorts = (p: MatParameters) => ({
  request: sink(NetRequest(p)),
  asked: source(Asked(p)),
  reply: source(Reply(p)),
  slow: source(SlowFrame(p)),
  slowRelease: input(bit),
  release: output(Release(p)),
  matWrite: input(MatWrite),
  rules: input(vec(MatRule, matRules)),
  /** A look at the table for the registers, in the same cycle. */
  matOpcode: input(uint(8)),
  matEntry: output(MatEntry),
  events: output(MatEvents),
});
/** The ports as the module's body sees them. */
export type MatIo = Inside<ReturnType<typeof matPorts>>;
