import {
  accessBody,
  dfAggregateBody,
  dfAggregateReplyBody,
  dfSelectBody,
  dfSelectReplyBody,
  opcode,
  replyCode,
  status,
} from "../../wire/index.ts";
import { concat, decode, type Decoded, encode } from "../../../shared/wire/index.ts";
import type { OffloadAsked, OffloadFrame } from "./answer.ts";
import type { OffloadMemory } from "./memory.ts";

const none = new Uint8Array(),
  { DF_SELECT, DF_AGGREGATE } = opcode,
  mostFieldBytes = 8;
/** Rows of one READ at most. */
const mostRows = 128;
type Query = Decoded<typeof dfSelectBody>;

/** Result of an aggregate; these initial values stand when nothing matches. */
interface Sums {
  count: bigint;
  sum: bigint;
  min: bigint;
  max: bigint;
}
const word = (v: bigint): bigint => BigInt.asUintN(64, v);

/** The unsigned little-endian number of 1 to 8 bytes. */
function numberAt(row: Uint8Array, offset: number, bytes: number): bigint {
  let value = 0n;
  for (let i = bytes - 1; i >= 0; i--) value = (value << 8n) | BigInt(row[offset + i] ?? 0);
  return value;
}
function matches(field: bigint, predicate: number, operand: bigint): boolean {
  switch (predicate) {
    case 0:
      return field === operand;
    case 1:
      return field !== operand;
    case 2:
      return field < operand;
    case 3:
      return field <= operand;
    case 4:
      return field > operand;
    default:
      return field >= operand;
  }
}
/** Whether a field lies in its row. */
const lies = (offset: number, bytes: number, rowBytes: number): boolean =>
  bytes >= 1 && bytes <= mostFieldBytes && offset + bytes <= rowBytes;

/** Reference model of Clio-DF (designs/clio/offloads/df): one request after another. */
export class DataFrameModel {
  private readonly memory: OffloadMemory;
  private readonly most: number;

  /** @param most bytes of rows in one READ and in one frame, and of one row */
  constructor(memory: OffloadMemory, most: number) {
    this.memory = memory;
    this.most = most;
  }

  /** Every frame that answers a request, in order. */
  request({ opcode: code, pid, body }: OffloadAsked): readonly OffloadFrame[] {
    const layout = code === DF_SELECT ? dfSelectBody : code === DF_AGGREGATE ? dfAggregateBody : undefined;
    if (layout === undefined || body.length !== layout.bytes || !this.isQuery(code, body)) {
      return [{ status: status.MALFORMED, opcode: code, body: none, more: false }];
    }
    return code === DF_SELECT
      ? this.select(pid, decode(dfSelectBody, body))
      : this.aggregate(pid, decode(dfAggregateBody, body));
  }

  private isQuery(code: number, body: Uint8Array): boolean {
    const q = decode(dfSelectBody, body),
      { rowBytes, predicate, fieldOffset, fieldBytes } = q;
    if (rowBytes < 1 || rowBytes > this.most || predicate > 5 || !lies(fieldOffset, fieldBytes, rowBytes)) return false;
    if (code === DF_SELECT) return true;
    const { valueOffset, valueBytes } = decode(dfAggregateBody, body);
    return lies(valueOffset, valueBytes, rowBytes);
  }

  private select(pid: number, q: Query): OffloadFrame[] {
    const out: OffloadFrame[] = [],
      code = replyCode(DF_SELECT);
    let frame: Uint8Array[] = [],
      bytes = 0,
      before = 0n;
    const send = (more: boolean): void => {
      const head = encode(dfSelectReplyBody, { table: word(q.table + before), length: bytes, more: more ? 1 : 0 });
      out.push({ status: status.OK, opcode: code, body: concat(head, ...frame), more });
      before += BigInt(bytes);
      frame = [];
      bytes = 0;
    };
    const failed = this.eachMatch(pid, q, row => {
      if (bytes + row.length > this.most) send(true);
      frame.push(row);
      bytes += row.length;
    });
    if (failed === undefined) send(false);
    else out.push({ status: failed, opcode: code, body: none, more: false });
    return out;
  }

  private aggregate(pid: number, q: Decoded<typeof dfAggregateBody>): OffloadFrame[] {
    const found: Sums = { count: 0n, sum: 0n, min: (1n << 64n) - 1n, max: 0n },
      code = replyCode(DF_AGGREGATE);
    const failed = this.eachMatch(pid, q, row => {
      const value = numberAt(row, q.valueOffset, q.valueBytes);
      found.count++;
      found.sum = word(found.sum + value);
      if (value < found.min) found.min = value;
      if (value > found.max) found.max = value;
    });
    if (failed !== undefined) return [{ status: failed, opcode: code, body: none, more: false }];
    const length = dfAggregateReplyBody.bytes - accessBody.bytes;
    return [
      {
        status: status.OK,
        opcode: code,
        body: encode(dfAggregateReplyBody, { table: q.table, length, ...found }),
        more: false,
      },
    ];
  }

  /** Reads the table by READs of whole rows. @returns the status of the first READ that fails */
  private eachMatch(pid: number, q: Query, row: (bytes: Uint8Array) => void): number | undefined {
    const { rowBytes } = q,
      chunk = Math.min(mostRows, Math.floor(this.most / rowBytes));
    for (let done = 0; done < q.rows; done += chunk) {
      const length = Math.min(chunk, q.rows - done) * rowBytes,
        va = word(q.table + BigInt(done) * BigInt(rowBytes));
      const read = this.memory.access({ opcode: opcode.READ, pid, va, length, data: none });
      if (read.status !== status.OK) return read.status;
      for (let at = 0; at < length; at += rowBytes) {
        const bytes = read.data.slice(at, at + rowBytes);
        if (matches(numberAt(bytes, q.fieldOffset, q.fieldBytes), q.predicate, q.operand)) row(bytes);
      }
    }
    return undefined;
  }
}
