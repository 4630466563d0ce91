import { concat, decode, encode, type Endpoint } from "../../../shared/wire/index.ts";
import { migrationBody, migrationStepBody } from "../../wire/index.ts";
import { errorNumber } from "../memory/memory-manager.ts";

/** A region of a process, which is the unit of migration. */
export interface RegionName {
  readonly pid: number;
  readonly region: number;
}
export function regionKey({ pid, region }: RegionName): string {
  return `${pid}:${region}`;
}

/**
 * How a region moves. `stopAll`: the paper's; no client has access until it is over. `pageByPage`: everything but
 * writes to the page that is being copied goes on. `readAtSource`: Valet's; reads go on at the source until all is
 * copied, and no page is written.
 */
export type MigrationMode = "stopAll" | "pageByPage" | "readAtSource";

/** Steps that the source of a region requests of its destination (MIGRATION_RECEIVE). */
export const receiveStep = { open: 1, data: 2, enable: 3, take: 4, read: 5, close: 6, abort: 7 } as const;
/** Steps that the controller requests of the source of a region (MIGRATION_SEND): to begin, or to report progress. */
export const sendStep = { stopAll: 1, pageByPage: 2, readAtSource: 3 } as const satisfies Readonly<
  Record<MigrationMode, number>
>;
/** The way that a step to begin names; stop all for one that is not known. */
export const modeOfStep = (step: number): MigrationMode =>
  step === sendStep.pageByPage ? "pageByPage" : step === sendStep.readAtSource ? "readAtSource" : "stopAll";

/** `ret` of the answers. */
export const migrationResult = {
  done: 0,
  underWay: errorNumber.again,
  noRoom: errorNumber.noMemory,
  invalid: errorNumber.invalid,
  cancelled: 125,
  lost: 5,
  unreachable: 113,
} as const;

/** Body of a step. */
export interface Step {
  readonly source: Pick<Endpoint, "ip" | "port">;
  readonly destination: Pick<Endpoint, "ip" | "port">;
  readonly region: number;
  readonly version: number;
  readonly step: number;
  readonly write: boolean;
  readonly page: number;
  readonly count: number;
  readonly offset: number;
}

export function encodeStep(
  s: Pick<Step, "source" | "destination" | "region" | "version" | "step"> & Partial<Step>,
): Uint8Array {
  return concat(
    encode(migrationBody, {
      srcIp: s.source.ip,
      srcPort: s.source.port,
      dstIp: s.destination.ip,
      dstPort: s.destination.port,
      vregion: s.region,
    }),
    encode(migrationStepBody, {
      version: s.version,
      step: s.step,
      write: s.write === true ? 1 : 0,
      page: BigInt(s.page ?? 0),
      count: s.count ?? 0,
      offset: s.offset ?? 0,
    }),
  );
}

/** Bytes in front of a step's data. */
export const stepBytes = migrationBody.bytes + migrationStepBody.bytes;

/** Undefined when the body is too short for a step (the published messages are). */
export function decodeStep(body: Uint8Array): (Step & { readonly data: Uint8Array }) | undefined {
  if (body.length < stepBytes) return undefined;
  const m = decode(migrationBody, body),
    s = decode(migrationStepBody, body, migrationBody.bytes);
  return {
    source: { ip: m.srcIp, port: m.srcPort },
    destination: { ip: m.dstIp, port: m.dstPort },
    region: m.vregion,
    version: s.version,
    step: s.step,
    write: s.write !== 0,
    page: Number(s.page),
    count: s.count,
    offset: s.offset,
    data: body.subarray(stepBytes),
  };
}
