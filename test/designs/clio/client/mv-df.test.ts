import { describe, expect, test } from "vitest";
import {
  ClientError,
  OperationError,
  type Table,
  type Thread,
  type Where,
} from "../../../../designs/clio/client/index.ts";
import {
  DataFrameModel,
  MultiVersionModel,
  type OffloadAnswer,
  type OffloadMemory,
} from "../../../../designs/clio/model/index.ts";
import { opcode } from "../../../../designs/clio/wire/index.ts";
import { Random } from "../../../../sim/index.ts";
import { onNetwork } from "./rig.ts";

/** Bytes of rows that a packet of 1,500 bytes has room for. */
const room = 1444;
type Offloads = (
  memory: OffloadMemory,
  pid: number,
  code: number,
  body: Uint8Array,
) => readonly OffloadAnswer[] | undefined;
const dataFrame: Offloads = (memory, pid, code, body) =>
  code === opcode.DF_SELECT || code === opcode.DF_AGGREGATE
    ? new DataFrameModel(memory, room).request({ opcode: code, pid, body })
    : undefined;

/**
 * A table of rows of a number (4 bytes), a group (1 byte) and a score (2 bytes), in random bytes; and
 * the rows themselves.
 */
async function makeTable(
  thread: Thread,
  random: Random,
  rows: number,
  rowBytes = 9,
): Promise<{ readonly table: Table; readonly each: readonly Uint8Array[] }> {
  const bytes = random.bytes(rows * rowBytes),
    va = (await thread.ralloc(bytes.length + 64)) + 13n;
  const each = Array.from({ length: rows }, (_, i) => bytes.subarray(i * rowBytes, (i + 1) * rowBytes));
  each.forEach((row, i) => {
    new DataView(row.buffer, row.byteOffset).setUint32(0, i, true);
    row[4] = random.between(0, 3);
  });
  await thread.rwrite(va, bytes);
  return { table: { va, rows, rowBytes }, each };
}
const joined = (rows: readonly Uint8Array[]): Buffer => Buffer.concat(rows);
const ofGroup = (group: number): Where => ({ field: { offset: 4, bytes: 1 }, is: "=", operand: BigInt(group) });

describe("df", () => {
  test("selects and aggregates tables of many frames and requests over a network that loses, doubles, turns round and damages", () =>
    onNetwork(
      {
        link: { loss: 0.02, duplicate: 0.05, reorder: 0.1, corrupt: 0.02, reorderNs: 3000 },
        node: { offloads: dataFrame },
        seed: 11,
        limitNs: 1e10,
      },
      async ({ client, address }) => {
        const thread = (await client.createProcess(address)).thread(),
          random = new Random(11),
          { table, each } = await makeTable(thread, random, 9000);
        for (const group of [0, 3])
          expect(Buffer.from(await thread.df.select(table, ofGroup(group)))).toEqual(
            joined(each.filter(r => r[4] === group)),
          );
        expect((await thread.df.select(table, ofGroup(77))).length).toBe(0);
        expect((await thread.df.select({ ...table, rows: 0 }, ofGroup(0))).length).toBe(0);
        const below: Where = { field: { offset: 0, bytes: 4 }, is: "<", operand: 3000n };
        expect(Buffer.from(await thread.df.select(table, below))).toEqual(joined(each.slice(0, 3000)));

        const score = (r: Uint8Array): bigint => BigInt(new DataView(r.buffer, r.byteOffset).getUint16(5, true)),
          scores = each.filter(r => r[4] === 2).map(score);
        const found = await thread.df.aggregate(table, ofGroup(2), { offset: 5, bytes: 2 });
        const order = [...scores].sort((a, b) => Number(a - b));
        expect(found).toEqual({
          count: BigInt(scores.length),
          sum: scores.reduce((a, b) => a + b, 0n),
          min: order[0],
          max: order.at(-1),
        });
        expect(await thread.df.aggregate(table, ofGroup(9), { offset: 5, bytes: 2 })).toEqual({
          count: 0n,
          sum: 0n,
          min: (1n << 64n) - 1n,
          max: 0n,
        });
        expect(client.statistics.retries).toBeGreaterThan(0);
        expect(client.pending).toBe(0);
      },
    ));
  test("a frame that does not come is asked for again; whatever a select of several frames lacks, it never ends short", () =>
    onNetwork(
      {
        node: {
          offloads: (memory, pid, code, body) =>
            dataFrame(memory, pid, code, body)?.slice(code === opcode.DF_SELECT ? 1 : 0),
        },
        seed: 3,
      },
      async ({ client, address }) => {
        const thread = (await client.createProcess(address)).thread(),
          { table } = await makeTable(thread, new Random(3), 1000);
        const failure: unknown = await thread.df.select(table, ofGroup(1)).catch((e: unknown) => e);
        expect(failure).toBeInstanceOf(OperationError);
        expect(failure).toMatchObject({ operation: "DF_SELECT", reason: "TIMEOUT", outcome: "none" });
      },
    ));
  test("what the node refuses is told", () =>
    onNetwork({ node: { offloads: dataFrame } }, async ({ client, address }) => {
      const thread = (await client.createProcess(address)).thread();
      await expect(
        thread.df.select(
          { va: 1n << 40n, rows: 10, rowBytes: 8 },
          { field: { offset: 0, bytes: 8 }, is: ">=", operand: 0n },
        ),
      ).rejects.toMatchObject({ reason: "INVALID" });
    }));
  test("what cannot be is refused in one sentence, and nothing is sent", () =>
    onNetwork({}, async ({ client, address }) => {
      const { df } = client.process(1, address).thread(),
        table = { va: 4096n, rows: 4, rowBytes: 16 },
        where = ofGroup(1);
      await expect(df.select({ ...table, rowBytes: 1445 }, where)).rejects.toThrow(
        new ClientError("rowBytes is 1445; give a whole number from 1 to 1444"),
      );
      await expect(df.select({ ...table, rows: -1 }, where)).rejects.toThrow("rows is -1; give a whole number from 0");
      await expect(df.select(table, { ...where, field: { offset: 0, bytes: 9 } })).rejects.toThrow(
        "bytes of a field is 9; give a whole number from 1 to 8",
      );
      await expect(df.aggregate(table, where, { offset: 10, bytes: 8 })).rejects.toThrow(
        "offset of a field is 10; give a whole number from 0 to 8",
      );
      expect(client.statistics.sent).toBe(0);
    }));
});

describe("mv", () => {
  const store = (): Offloads => {
    const model = new MultiVersionModel({ maxData: 1466, versions: 4, objects: 3 });
    return (_memory, pid, code, body) =>
      code >= opcode.MV_CREATE && code <= opcode.MV_DELETE ? [model.request({ opcode: code, pid, body })] : undefined;
  };
  test("creates, appends, reads and deletes; what is not there is undefined or false", () =>
    onNetwork({ node: { offloads: store() } }, async ({ client, address }) => {
      const process = await client.createProcess(address),
        { mv } = process.thread(),
        random = new Random(5),
        values = Array.from({ length: 4 }, () => random.bytes(1448));
      const object = await mv.create(1448);
      expect(await mv.latest(object)).toBeUndefined();
      for (const [i, v] of values.entries()) expect(await mv.append(object, v)).toBe(i + 1);
      expect(await mv.append(object, random.bytes(1448)), "full").toBeUndefined();
      for (const [i, v] of values.entries()) expect(await mv.read(object, i + 1)).toEqual(v);
      expect(await mv.latest(object)).toEqual({ version: 4, value: values[3] });
      // Another thread, of another process: the objects are the node's.
      expect(await (await client.createProcess(address)).thread().mv.read(object, 2)).toEqual(values[1]);
      expect([await mv.read(object, 0), await mv.read(object, 5), await mv.read(object + 1, 1)]).toEqual([
        undefined,
        undefined,
        undefined,
      ]);
      await expect(mv.append(object, random.bytes(7))).rejects.toMatchObject({
        operation: "MV_APPEND",
        reason: "MALFORMED",
      });
      expect([await mv.delete(object), await mv.delete(object), await mv.latest(object)]).toEqual([
        true,
        false,
        undefined,
      ]);
      for (const bytes of [8, 32]) await mv.create(bytes);
      await expect(mv.create(8)).rejects.toMatchObject({ reason: "OUT_OF_MEMORY" });
    }));
  test("an append whose answers all get lost: the application is told that it may have been done", () => {
    const offloads = store(),
      deaf: Offloads = (m, pid, code, body) => {
        const done = offloads(m, pid, code, body);
        return code === opcode.MV_APPEND ? [] : done;
      };
    return onNetwork({ node: { offloads: deaf } }, async ({ client, address }) => {
      const { mv } = (await client.createProcess(address)).thread(),
        object = await mv.create(8);
      await expect(mv.append(object, new Uint8Array(8))).rejects.toMatchObject({
        reason: "TIMEOUT",
        outcome: "unknown",
      });
      expect((await mv.latest(object))?.version).toBeGreaterThan(0);
    });
  });
  test("what cannot be is refused in one sentence, and nothing is sent", () =>
    onNetwork({}, async ({ client, address }) => {
      const { mv } = client.process(1, address).thread();
      await expect(mv.create(1449)).rejects.toThrow(
        new ClientError("values of 1449 bytes: give a whole number from 1 to 1448, which fit one packet"),
      );
      await expect(mv.append(1, new Uint8Array())).rejects.toThrow(
        "a value of 0 bytes: give 1 to 1448, which fit one packet",
      );
      await expect(mv.read(-1, 1)).rejects.toThrow(
        "-1 is no number of an object or version; give a whole number below 2^32",
      );
      expect(client.statistics.sent).toBe(0);
    }));
});
