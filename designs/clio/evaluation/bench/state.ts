import { clockPeriod, makeSettings, retryStateBytes } from "../../config/index.ts";
import { accessBody, frameOffsets } from "../../wire/index.ts";
import { LINE_OVERHEAD } from "../../../../sim/index.ts";

/**
 * The state that the node keeps from one request to the next, beside the bound that follows from the
 * network (paper 4.4.5).
 */
export interface StateFigures {
  /** ns; Gbit/s; bytes of the smallest write frame on the line. */
  readonly timeout: number;
  readonly gbps: number;
  readonly smallestWrite: number;
  /** Writes that fit 3 x TIMEOUT x bandwidth, and operations that are remembered. */
  readonly needed: number;
  readonly entries: number;
  /** Bytes by part, and in all; the goal is the paper's. */
  readonly bytes: ReturnType<typeof retryStateBytes>;
  readonly goalBytes: number;
}

/** The paper's size, bytes: "30 KB in our setting". */
const paperBytes = 30 * 1024;

/** The retry buffer's state by the default build, and what it has to hold. */
export function measureState(): StateFigures {
  const { config } = makeSettings(),
    gbps = config.dataWidth / clockPeriod,
    smallestWrite = frameOffsets.body + accessBody.bytes + 1 + LINE_OVERHEAD;
  return {
    timeout: config.retryTimeout,
    gbps,
    smallestWrite,
    needed: Math.ceil((3 * config.retryTimeout * gbps) / 8 / smallestWrite),
    entries: config.retryEntries,
    bytes: retryStateBytes(config),
    goalBytes: paperBytes,
  };
}
