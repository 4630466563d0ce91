import {
  accessBody,
  dfAggregateBody,
  dfAggregateReplyBody,
  dfSelectBody,
  dfSelectReplyBody,
  opcode,
} from "../wire/index.ts";
import { decode, encode } from "../../shared/wire/index.ts";
import { ClientError } from "./link/errors.ts";
import { payloadRoom } from "./link/options.ts";
import type { RemoteProcess } from "./process.ts";
import type { ReplyCollector, RequestSpec } from "./link/request.ts";
import { word, wordBytes } from "./requests.ts";
import { eachPiece, piecesOf } from "./split.ts";

/** Rows one behind another in remote memory. */
export interface Table {
  readonly va: bigint;
  readonly rows: number;
  readonly rowBytes: number;
}
/** 1 to 8 bytes of a row: an unsigned number, the lowest byte first. */
export interface Field {
  readonly offset: number;
  readonly bytes: number;
}
export type Predicate = "=" | "!=" | "<" | "<=" | ">" | ">=";
/** Predicate for rows: the field compares so with the operand, both unsigned. */
export interface Where {
  readonly field: Field;
  readonly is: Predicate;
  readonly operand: bigint;
}
/** Of the values in the rows that match; without any, `min` is 2^64 - 1 and `max` 0. `sum` is modulo 2^64. */
export interface Aggregate {
  readonly count: bigint;
  readonly sum: bigint;
  readonly min: bigint;
  readonly max: bigint;
}

/** Begins an operation that reads memory, in the order of its thread. */
export type Reading = <T>(va: bigint, bytes: bigint, operation: () => Promise<T>) => Promise<T>;

const predicates: readonly Predicate[] = ["=", "!=", "<", "<=", ">", ">="];
/**
 * A longer table goes in several requests of so many rows, and of so many frames of rows should all of them match. So
 * each request is answered within the timeout and fits the incast window. Only so many go at a time: the node takes
 * few at once.
 */
const mostRows = 4096,
  mostFrames = 16,
  mostAtOnce = 2;

/**
 * Clio-DF at a process's node (paper §4.6): select and aggregate where the rows are. A table of any length goes in
 * several requests, so rows that others change meanwhile are seen before or after each change. The whole table must be
 * at the home node.
 */
export class DataFrame {
  private readonly process: RemoteProcess;
  private readonly reading: Reading;

  constructor(process: RemoteProcess, reading: Reading) {
    this.process = process;
    this.reading = reading;
  }

  /** The rows that match, in their order, one behind another. @throws OperationError */
  async select(table: Table, where: Where): Promise<Uint8Array> {
    const found: Uint8Array[] = [],
      frame = this.check(table, where.field),
      rows = Math.min(mostRows, mostFrames * Math.floor(frame / table.rowBytes));
    await this.pieces(table, rows, async (part, index) => {
      const replyBytes = part.rows * part.rowBytes + mostFrames * dfSelectReplyBody.bytes;
      const reply = await this.ask({
        code: opcode.DF_SELECT,
        body: encode(dfSelectBody, queryOf(part, where)),
        replyBytes,
        fits: () => false,
        collects: () => new RowCollector(part),
      });
      found[index] = reply;
    });
    const out = new Uint8Array(found.reduce((n, f) => n + f.length, 0));
    let at = 0;
    for (const f of found) {
      out.set(f, at);
      at += f.length;
    }
    return out;
  }

  /** Count, sum, least and greatest of a value over the rows that match. @throws OperationError */
  async aggregate(table: Table, where: Where, value: Field): Promise<Aggregate> {
    const all = { count: 0n, sum: 0n, min: (1n << 64n) - 1n, max: 0n },
      length = dfAggregateReplyBody.bytes - accessBody.bytes;
    this.check(table, where.field, value);
    await this.pieces(table, mostRows, async part => {
      const body = encode(dfAggregateBody, {
        ...queryOf(part, where),
        valueOffset: value.offset,
        valueBytes: value.bytes,
      });
      const reply = await this.ask({
        code: opcode.DF_AGGREGATE,
        body,
        replyBytes: dfAggregateReplyBody.bytes,
        fits: b =>
          b.length === dfAggregateReplyBody.bytes &&
          decode(accessBody, b).va === part.va &&
          decode(accessBody, b).length === length,
      });
      const { count, sum, min, max } = decode(dfAggregateReplyBody, reply);
      all.count += count;
      all.sum = word(all.sum + sum);
      if (min < all.min) all.min = min;
      if (max > all.max) all.max = max;
    });
    return all;
  }

  private async ask(spec: Omit<RequestSpec, "pid">): Promise<Uint8Array> {
    return (await this.process.client.ask(this.process.home, { ...spec, pid: this.process.pid })).body;
  }
  private async pieces(
    { va, rows, rowBytes }: Table,
    most: number,
    perform: (part: Table, index: number) => Promise<void>,
  ): Promise<void> {
    if (rows === 0) return;
    await this.reading(va, BigInt(rows) * BigInt(rowBytes), () =>
      eachPiece(
        piecesOf(rows, most),
        ({ offset, length }) =>
          perform({ va: va + BigInt(offset) * BigInt(rowBytes), rows: length, rowBytes }, offset / most),
        mostAtOnce,
      ),
    );
  }
  /** @returns bytes of rows that fit one packet */
  private check({ rows, rowBytes }: Table, ...fields: readonly Field[]): number {
    const most = payloadRoom(this.process.client.options) - dfSelectReplyBody.bytes;
    whole("rows", rows, 0, Number.MAX_SAFE_INTEGER);
    whole("rowBytes", rowBytes, 1, most);
    for (const { offset, bytes } of fields) {
      whole("bytes of a field", bytes, 1, Math.min(wordBytes, rowBytes));
      whole("offset of a field", offset, 0, rowBytes - bytes);
    }
    return most;
  }
}

function queryOf({ va, rows, rowBytes }: Table, { field, is, operand }: Where) {
  return {
    table: va,
    rows,
    rowBytes,
    fieldOffset: field.offset,
    fieldBytes: field.bytes,
    predicate: predicates.indexOf(is),
    operand: word(operand),
  };
}
function whole(name: string, value: number, least: number, most: number): void {
  if (!Number.isInteger(value) || value < least || value > most)
    throw new ClientError(`${name} is ${value}; give a whole number from ${least} to ${most}`);
}

/**
 * The rows of a select: the address of each frame gives the bytes of rows before it, and `more` marks
 * that others follow.
 */
class RowCollector implements ReplyCollector {
  private readonly table: Table;
  private readonly frames = new Map<number, Uint8Array>();
  private bytes = 0;
  /** Bytes of all rows, once the last frame has come. */
  private total: number | undefined;

  constructor(table: Table) {
    this.table = table;
  }

  add(body: Uint8Array): Uint8Array | "more" | undefined {
    if (body.length < dfSelectReplyBody.bytes) return undefined;
    const { table, length, more } = decode(dfSelectReplyBody, body),
      from = word(table - this.table.va),
      { rows, rowBytes } = this.table;
    const end = from + BigInt(length);
    if (
      length !== body.length - dfSelectReplyBody.bytes ||
      length % rowBytes !== 0 ||
      end > BigInt(rows) * BigInt(rowBytes)
    )
      return undefined;
    const known = this.frames.get(Number(from));
    if (known === undefined) {
      this.frames.set(Number(from), body.subarray(dfSelectReplyBody.bytes));
      this.bytes += length;
    }
    if (more === 0) this.total = Number(end);
    if (this.total === undefined || this.bytes < this.total) return "more";
    const out = new Uint8Array(this.total);
    for (const [at, part] of this.frames) out.set(part, at);
    return out;
  }
}
