import { expect } from "vitest";
import { DataFrameModel, ModelMemory, type OffloadAsked } from "../../../../../designs/clio/model/index.ts";
import { type OffloadParameters, packetData } from "../../../../../designs/clio/offload/index.ts";
import { dfAggregateBody, dfSelectBody, opcode, status, statusName } from "../../../../../designs/clio/wire/index.ts";
import { type Decoded, encode } from "../../../../../designs/shared/wire/index.ts";
import {
  type OffloadCall,
  OffloadHost,
  type OffloadHostOptions,
  type OffloadPorts,
} from "../../../../../designs/clio/rig/index.ts";
import type { Bench } from "../../../../../sim/index.ts";

export const pids = [3, 200, 65_000];
/**
 * Each process's table: from `base`, not at the start of a page; behind it nothing is mapped. One page in it may
 * not be read.
 */
export const base = 0x1_0000n,
  tableBytes = 0x8000,
  secret = 0x1000;
/** Bytes that may be read from here on, as many behind them that may not, and more that may. */
export const holed = 0x10_0000n,
  holedBytes = 0x1000;

export type Aggregate = Decoded<typeof dfAggregateBody>;
export type Select = Decoded<typeof dfSelectBody>;
export const selectOf = ({ table, rows, rowBytes, fieldOffset, fieldBytes, predicate, operand }: Select): Uint8Array =>
  encode(dfSelectBody, { table, rows, rowBytes, fieldOffset, fieldBytes, predicate, operand });
export const aggregateOf = (q: Aggregate): Uint8Array => encode(dfAggregateBody, q);

/**
 * Clio-DF in its bench: tables of few different bytes, so that fields meet operands; every answer is held against
 * the reference model.
 */
export class DfRig {
  readonly memory: ModelMemory;
  readonly host: OffloadHost;
  readonly most: number;
  readonly #model: DataFrameModel;
  readonly #b: Bench<OffloadPorts>;
  readonly #asked: { readonly request: OffloadAsked; readonly call: OffloadCall }[] = [];

  constructor(b: Bench<OffloadPorts>, parameters: OffloadParameters, options: Partial<OffloadHostOptions> = {}) {
    this.#b = b;
    this.most = packetData(parameters);
    this.memory = new ModelMemory({ maxData: parameters.maxData });
    for (const pid of pids) {
      this.memory.map(pid, base, tableBytes);
      const bytes = b.random.bytes(tableBytes).map(v => [0, 1, 2, 255][v & 3] ?? 0);
      this.memory.store(pid, base, bytes);
      this.memory.map(pid, base + BigInt(tableBytes), secret, "-");
      this.memory.map(pid, holed, holedBytes);
      this.memory.map(pid, holed + BigInt(holedBytes), holedBytes, "-");
      this.memory.map(pid, holed + BigInt(2 * holedBytes), 6 * holedBytes);
    }
    this.host = new OffloadHost(b, { parameters, memory: this.memory, ...options });
    this.#model = new DataFrameModel(this.memory, this.most);
  }

  ask(pid: number, code: number, body: Uint8Array): OffloadCall {
    const request = { pid, opcode: code, body },
      call = this.host.request(request);
    this.#asked.push({ request, call });
    return call;
  }
  select(pid: number, q: Select): OffloadCall {
    return this.ask(pid, opcode.DF_SELECT, selectOf(q));
  }
  aggregate(pid: number, q: Aggregate): OffloadCall {
    return this.ask(pid, opcode.DF_AGGREGATE, aggregateOf(q));
  }

  /** A query that is right in itself; one in ten reads where it may not. */
  query(rows?: number): { readonly pid: number; readonly q: Aggregate } {
    const { random } = this.#b,
      pid = random.pick(pids);
    const rowBytes = random.pick([
      1,
      3,
      8,
      random.between(1, 20),
      random.between(1, 64),
      random.between(1, this.most),
      random.between(60, 140),
      this.most,
    ]);
    const fieldBytes = random.between(1, Math.min(8, rowBytes)),
      valueBytes = random.between(1, Math.min(8, rowBytes));
    const fieldOffset = random.between(0, rowBytes - fieldBytes),
      valueOffset = random.between(0, rowBytes - valueBytes);
    const count =
      rows ??
      Math.min(
        random.pick([0, 1, 2, random.between(1, 40), random.between(1, 400)]),
        Math.floor(tableBytes / rowBytes),
      );
    const spare = tableBytes - count * rowBytes,
      away = random.chance(0.1) ? random.pick([random.between(1, secret), 2 * tableBytes]) : 0;
    const table = base + BigInt(random.between(0, spare) + away);
    const like = this.memory.load(
      pid,
      table + BigInt(random.between(0, Math.max(0, count - 1)) * rowBytes + fieldOffset),
      fieldBytes,
    );
    const operand = random.chance(0.8) ? like.reduceRight((v, x) => (v << 8n) | BigInt(x), 0n) : random.bits(64);
    return {
      pid,
      q: {
        table,
        rows: count,
        rowBytes,
        fieldOffset,
        fieldBytes,
        predicate: random.between(0, 5),
        operand,
        valueOffset,
        valueBytes,
      },
    };
  }
  random(): OffloadCall {
    const { pid, q } = this.query(),
      { random } = this.#b;
    return random.chance() ? this.select(pid, q) : this.aggregate(pid, q);
  }
  /** A request that is wrong in one way. */
  wrong(): OffloadCall {
    const { random } = this.#b,
      { pid, q } = this.query(),
      code = random.chance() ? opcode.DF_SELECT : opcode.DF_AGGREGATE;
    const encoded = (wrong: Partial<Aggregate>): Uint8Array =>
      code === opcode.DF_SELECT ? selectOf({ ...q, ...wrong }) : aggregateOf({ ...q, ...wrong });
    const body = random.pick([
      () => encoded({ rowBytes: 0 }),
      () => encoded({ rowBytes: this.most + 1 }),
      () => encoded({ rowBytes: random.between(this.most + 1, 65_535) }),
      () => encoded({ fieldBytes: 0 }),
      () => encoded({ fieldBytes: 9 }),
      () => encoded({ fieldBytes: 255 }),
      () => encoded({ fieldOffset: q.rowBytes - q.fieldBytes + 1 }),
      () => encoded({ fieldOffset: 65_535 }),
      () => encoded({ predicate: 6 }),
      () => encoded({ predicate: 128 }),
      () => encoded({ valueBytes: 0 }),
      () => encoded({ valueOffset: 40_000 }),
      () => encoded({}).subarray(0, random.between(0, 25)),
      () => random.bytes(random.between(30, 200)),
      () => encoded({}).subarray(0, 28),
    ])();
    return this.ask(pid, random.chance(0.05) ? 0x7f : code, body);
  }

  /** Waits for all answers and compares them. @returns how many requests ended with each status */
  async finish(): Promise<Record<string, number>> {
    await this.host.drained();
    const ends: Record<string, number> = {};
    for (const { request, call } of this.#asked) {
      const wanted = this.#model.request(request);
      expect(
        call.replies.map(({ status: s, opcode: o, body, more }) => ({ status: s, opcode: o, body, more })),
        `opcode 0x${request.opcode.toString(16)}`,
      ).toEqual(wanted);
      const name = statusName(wanted.at(-1)?.status ?? status.FAIL);
      ends[name] = (ends[name] ?? 0) + 1;
      if (wanted.length > 1) ends["several frames"] = (ends["several frames"] ?? 0) + 1;
    }
    this.#asked.length = 0;
    return ends;
  }
  /** After a reset nothing that was asked before is answered. */
  forget(): void {
    this.#asked.length = 0;
  }
}
