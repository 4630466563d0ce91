import * as z from "zod";
import {
  bytesPowerOfTwo,
  checkSettings,
  keyValues,
  nanoseconds,
  oneOf,
  powerOfTwo,
  range,
  refuseUnknown,
} from "../../shared/settings/index.ts";
import { ConfigError } from "./errors.ts";

const KB = 2 ** 10,
  MB = 2 ** 20,
  GB = 2 ** 30;

/** Nanoseconds of a clock cycle: 250 MHz (paper §5.6). */
export const clockPeriod = 4;

/**
 * Build parameters of the device. A build is a different Verilog. Where the paper names a value it is the default, but
 * for the memory: its board has 10 GB.
 */
export const parametersSchema = z.strictObject({
  /** Ports: endpoints, uplink, peers. */
  ports: range(2, 9).default(4),
  /** Bits of a beat of the data path. */
  dataWidth: oneOf([512]).default(512),
  /** Packets inside at once: a header and a descriptor each. 16 of them are for second passes only. */
  contexts: powerOfTwo(32, 256).default(256),
  /** Cells of the packet store. As many as the longest frame takes are for second passes only. */
  cells: powerOfTwo(16, 1024).default(1024),
  /** Bytes of a cell. */
  cellBytes: oneOf([256]).default(256),
  users: range(1, 64).default(16),
  /**
   * Areas that are reprogrammed alone; each holds one chain of network tasks (paper §5.3). Fewer than three are for
   * proofs.
   */
  regions: range(1, 8).default(4),
  /** Places for network tasks in a region. */
  slots: range(1, 8).default(4),
  /** Branches of a stage: chains that have the same packet at the same time. */
  branches: range(1, 8).default(4),
  /**
   * Packets that the FIFO of a slot has room for, at most: LAUNCH sets the limit in use. A chain of four tasks of one
   * cycle saturates with 14; the further behind a slot is and the slower the tasks before it, the more it needs.
   */
  credits: range(1, 63).default(24),
  /** Network tasks that can be deployed. */
  ntTypes: range(1, 64).default(32),
  /** Classes that the users of a port are divided into. */
  userClasses: range(1, 4).default(4),
  /** Bytes that a reliable link keeps until they are acknowledged. */
  linkBuffer: bytesPowerOfTwo(64 * KB, 256 * KB).default(64 * KB),
  /** Bytes of DRAM on the board. */
  memory: bytesPowerOfTwo(512 * MB, 16 * GB).default(2 * GB),
  /** Bytes of a page of a network task's memory. */
  pageSize: bytesPowerOfTwo(4 * KB, 4 * MB).default(2 * MB),
  spillRings: range(1, 8).default(4),
  /** Bytes of a ring for the frames of waiting DAGs. */
  spillRing: bytesPowerOfTwo(MB, 256 * MB).default(64 * MB),
  /** Bytes of the largest frame, without shims and FCS. */
  mtuFrame: range(1518, 9018, " bytes").default(1536),
  /** Time in which a region is reprogrammed. */
  reprogramTime: nanoseconds(1_000, 100_000_000).default(5_000_000),
  /** Period of DRF, EPOCH_LEN of the paper (§5.4.4). */
  epoch: nanoseconds(1_000, 10_000_000).default(20_000),
  /** MONITOR_PERIOD of the paper (§5.4.3). */
  monitorPeriod: nanoseconds(20_000, 1_000_000_000).default(5_000_000),
  /** Time that DRF takes. */
  drfTime: nanoseconds(0, 1_000_000).default(3_000),
  /** How often a device tells its peers its load. */
  peerPeriod: nanoseconds(10_000, 1_000_000_000).default(1_000_000),
});
export type Parameters = z.output<typeof parametersSchema>;

/** What holds between parameters. @throws ConfigError naming the fields, their values and the remedy */
function checkTogether(p: Parameters): Parameters {
  const refuse = (holds: boolean, sentence: string): void => {
    if (!holds) throw new ConfigError(sentence);
  };
  const frameCells = Math.ceil((p.mtuFrame - 64) / p.cellBytes),
    rings = p.spillRings * p.spillRing;
  refuse(
    2 * frameCells <= p.cells,
    `mtuFrame = ${p.mtuFrame} needs ${2 * frameCells} cells of ${p.cellBytes} bytes, for a frame and one of a second pass, and cells = ${p.cells}; the nearest is cells = ${2 ** Math.ceil(Math.log2(2 * frameCells))}`,
  );
  refuse(
    rings <= p.memory / 2,
    `spillRings = ${p.spillRings} of spillRing = ${p.spillRing} bytes take more than half of memory = ${p.memory} bytes; give spillRing = ${2 ** Math.floor(Math.log2(p.memory / 2 / p.spillRings))} or less`,
  );
  refuse(
    p.mtuFrame <= 1536 || p.linkBuffer >= 128 * KB,
    `mtuFrame = ${p.mtuFrame} needs a linkBuffer of 128 KB, and linkBuffer = ${p.linkBuffer / KB} KB; set linkBuffer = 128 KB, or mtuFrame = 1536`,
  );
  refuse(
    p.drfTime < p.epoch,
    `drfTime = ${p.drfTime} ns does not end within epoch = ${p.epoch} ns; set a drfTime below the epoch`,
  );
  refuse(
    p.epoch <= p.monitorPeriod,
    `epoch = ${p.epoch} ns is longer than monitorPeriod = ${p.monitorPeriod} ns; the nearest is monitorPeriod = ${p.epoch}`,
  );
  return p;
}

/**
 * Parameters given as an object; missing ones have their defaults. Sizes and times may be text (`"64KB"`, `"20us"`).
 * @throws ConfigError in one sentence: an unknown name, a value out of range, or a combination that cannot be
 */
export function makeParameters(given: Readonly<Record<string, unknown>> = {}): Parameters {
  refuseUnknown(Object.keys(given), Object.keys(parametersSchema.shape), ConfigError);
  return checkTogether(checkSettings(parametersSchema, given, ConfigError));
}
/** Parameters from `--set key=value` arguments. @throws ConfigError as `makeParameters`, and for a key given twice */
export const parseParameters = (args: readonly string[]): Parameters =>
  makeParameters(keyValues(args, "regions=4", ConfigError));
