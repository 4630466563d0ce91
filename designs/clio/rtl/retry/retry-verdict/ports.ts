/** The ports of the retry buffer's verdict. */
import { bit, input, type Inside, output, sink, source, struct, uint } from "../../../../../hdl-dsl/index.ts";
import { slotBits } from "../../../../shared/frame/index.ts";
import { hashKeyBits } from "../../../../shared/hash/index.ts";
import { Access, waitBits } from "../../records/records.ts";
import { type RetryBufferParameters, RetryRequest } from "../retry-request.ts";
import { RetryFinding } from "../retry-results.ts";

export const retryVerdictPorts = (p: RetryBufferParameters) => ({
  request: sink(RetryRequest(p)),
  hashKey: input(uint(hashKeyBits)),
  pass: source(Access(p)),
  fence: source(struct({ slot: uint(slotBits(p)) })),
  finding: output(RetryFinding(p)),
  evicted: output(bit),
  replaced: output(bit),
  waitNs: output(uint(waitBits)),
});
/** The ports as the module's body sees them. */
export type RetryVerdictIo = Inside<ReturnType<typeof retryVerdictPorts>>;
