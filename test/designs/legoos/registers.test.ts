/** The ExCache as software has it: set up, ordered, and read over its registers alone. */
import { expect, test } from "vitest";
import { registerDriver } from "../../../hdl-dsl/index.ts";
import { MemoryNodes } from "../../../designs/legoos/model/index.ts";
import { exCacheMap } from "../../../designs/legoos/registers/index.ts";
import { own } from "../../../designs/legoos/rig/index.ts";
import { ExCacheDevice } from "../../../designs/legoos/rtl/index.ts";
import { status } from "../../../designs/clio/wire/index.ts";
import {
  AxisSink,
  AxisSource,
  type Design,
  designOf,
  LiteMaster,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { small } from "./traffic.ts";

type Device = Design<ReturnType<typeof ExCacheDevice>["ports"]>;
const nodeIp = 0x0a0a0001,
  nodeMac = 0x02c110000001n,
  all = (1n << 64n) - 1n,
  low = (v: bigint): number => Number(v & 0xffffffffn);

const run = (design: Device = designOf(ExCacheDevice(small()))): Promise<void> =>
  runBench("registers", design, { seed: 1, wave: false, limitCycles: 60_000, hangCycles: 8000 }, async bench => {
    const { sim, io } = bench,
      r = registerDriver(exCacheMap, new LiteMaster(sim, io)),
      nodes = new MemoryNodes(new Map([[nodeIp, nodeMac]]));
    const requests = new StreamSource(sim, io.request),
      responses = new StreamSink(sim, io.response),
      tx = new AxisSink(sim, io.tx),
      rx = new AxisSource(sim, io.rx);
    bench.spawn(async () => {
      for (;;) for (const { frame } of nodes.receive((await tx.recv()).bytes)) rx.send(frame);
    });
    let id = 0;
    const ask = async (asid: number, line: number, write: boolean): Promise<{ status: number; data: bigint }> => {
      requests.send({ id: id++ % 16, asid, va: line * 256, write: write ? 1 : 0, strb: all, data: BigInt(line + 5) });
      const answer = await responses.recv();
      return { status: answer.status, data: BigInt(answer.data) };
    };
    const until = async (holds: () => Promise<boolean>): Promise<void> => {
      while (!(await holds()));
    };
    expect([await r.read("buildSets"), await r.read("buildWays"), await r.read("buildLine")]).toEqual([2, 1, 8]);
    await until(async () => (await r.read("isReady")) === 1);
    await r.write({ macLow: low(own.mac), macHigh: Number(own.mac >> 32n), ip: own.ip, port: own.port, firstId: 7 });
    await r.write({ peerMacLow: low(nodeMac), peerMacHigh: Number(nodeMac >> 32n), peerIp: nodeIp });
    await r.write({ peerPort: 1200, peerAt: 2 });
    await r.write({ setPeer: 1 });

    // Without a region the miss waits, and the event is there to be read.
    requests.send({ id: id++, asid: 1, va: 0, write: 1, strb: all, data: 5n });
    await until(async () => (await r.read("eventValid")) === 1);
    expect([await r.read("eventKind"), await r.read("eventAsid"), await r.read("eventPageLow")]).toEqual([0, 1, 0]);
    expect(await r.read("misses")).toBe(1);
    await r.write({ eventSeen: 1 });
    expect(await r.read("eventValid")).toBe(0);
    await r.write({ regionAsid: 1, regionNumber: 0, regionAt: 3, regionKeep: 1, regionNode: 2 });
    await r.write({ setRegion: 1 });
    expect((await responses.recv()).status).toBe(status.OK);

    // Lines 8 to 9 may not be written.
    await r.write({ rangeAsid: 1, rangeKeep: 1, rangeAt: 1, rangeFirstLow: 8, rangeLastLow: 9 });
    await r.write({ setRange: 1 });
    expect([(await ask(1, 8, true)).status, (await ask(1, 9, true)).status, (await ask(1, 10, true)).status]).toEqual([
      status.WRITE_PERM,
      status.WRITE_PERM,
      status.OK,
    ]);
    // Every place is emptied, the dirty ones go to the node.
    const { sets, ways } = small();
    for (let set = 0; set < sets; set++)
      for (let way = 0; way < ways; way++) {
        await r.write({ evictSet: set, evictWay: way });
        await r.write({ evict: 1 });
        await until(async () => (await r.read("isEvicting")) === 0);
      }
    await until(async () => (await r.read("isIdle")) === 1);
    expect(nodes.written).toBe(2);
    expect(nodes.has(nodeIp, 1, 0n) && nodes.has(nodeIp, 1, 2560n)).toBe(true);
    expect(await ask(1, 10, false)).toEqual({ status: status.OK, data: 15n });
    expect([await r.read("count_miss"), await r.read("count_hit"), await r.read("count_refused")]).toEqual([5, 3, 2]);
    expect([await r.read("count_read"), await r.read("count_write")]).toEqual([nodes.seen.read, nodes.seen.write]);
    expect([await r.read("count_dirtyEviction"), await r.read("hasFailed")]).toEqual([2, 0]);
    expect(await r.read("misses")).toBe(0);
  });

test("set up, events, permissions, evictions and counts, over registers alone", () => run());
test.each([
  ["a write of a region is not told", "sets_region <= ", "sets_region <= 1'b0 & "],
  ["a range has no last line", "range_entry_last <= ", "range_entry_last <= 40'd0 & "],
  ["misses count as hits", /if \(events_miss\) miss_count/, "if (events_hit) miss_count"],
  ["an eviction is ordered for ever", "evicting <= 1'b0;", "evicting <= evicting;"],
] as const)("a planted fault: %s", (_, from, to) => findsFault(run(plant(ExCacheDevice(small()), from, to))));
