import { readFileSync } from "node:fs";
import { afterEach, describe, expect, it } from "vitest";
import * as p from "../../../support/packets.ts";
import {
  counterNames,
  firstMonitorPid,
  firstOffloadPid,
  makeSettings,
  type Settings,
} from "../../../../designs/clio/config/index.ts";
import {
  bucketSlots,
  entryAddress,
  locate,
  mayRead,
  unpackEntry,
  writesWait,
} from "../../../../designs/shared/virtual-memory/table/index.ts";
import {
  clearTable,
  errorNumber,
  SlowPath,
  type SlowPathOptions,
  type SlowPathTransport,
  softwareCounters,
} from "../../../../designs/clio/software/index.ts";
import { MappedMemory } from "../../../../designs/clio/model/index.ts";
import { offloadPid } from "../../../../designs/clio/offload/index.ts";
import { EntryRefused } from "../../../../designs/clio/software/transport/transport.ts";
import { FakeHardware } from "./fake-hardware.ts";
import { Random } from "../../../../hdl-dsl/index.ts";

const client: p.Endpoint = { mac: 0x020000000001n, ip: 0x0a4d0001, port: 10004 };
const offload: p.Endpoint = { mac: 0x03434c494f00n, ip: 0x7f430100, port: 0x4301 };
const running: { hardware: FakeHardware; done: Promise<void> }[] = [];
afterEach(async () => {
  for (const r of running.splice(0)) {
    r.hardware.close();
    await r.done;
  }
});

async function start(
  given: Record<string, unknown> = {},
  wrap: (h: FakeHardware) => SlowPathTransport = h => h,
  options: Pick<SlowPathOptions, "monitor"> = {},
) {
  const settings: Settings = makeSettings(given),
    hardware = new FakeHardware(settings.config),
    observer = new MappedMemory();
  await clearTable(hardware, settings.config);
  const slow = new SlowPath(wrap(hardware), settings.config, settings.runtime, { ...options, observer }),
    done = slow.run();
  running.push({ hardware, done });
  await slow.ready;
  const { mac, ip, nativePort } = settings.runtime;
  let requestId = 76;
  const send = async (
    code: number,
    body: Uint8Array = new Uint8Array(),
    pid = 1,
    port = nativePort,
  ): Promise<p.Dissected & { body: Uint8Array; frame: Uint8Array }> => {
    const frame = await hardware.request(
      p.udpFrame(
        // The node's own processes are for its offloads alone.
        pid >= offloadPid(0) ? offload : client,
        { mac, ip, port },
        p.clioMessage({ pid, tag: 9, opcode: code, flagTracked: 1, requestId: ++requestId }, body),
      ),
    );
    const d = p.dissect(frame);
    return { ...d, body: d.body ?? new Uint8Array(), frame };
  };
  const alloc = async (values: Partial<p.Decoded<typeof p.allocBody>>, pid = 1, port = nativePort) => {
    // A process that CREATE_PROC could have given, unless the test has made it.
    if (pid > 0 && pid < firstOffloadPid) slow.memory.createProcess(pid);
    return ask(values, pid, port);
  };
  /** ALLOC, whether the process exists or not. */
  const ask = async (values: Partial<p.Decoded<typeof p.allocBody>>, pid: number, port = nativePort) => {
    const r = await send(p.opcode.ALLOC, p.encode(p.allocBody, values), pid, port);
    expect(r.clio?.opcode).toBe(0x81);
    return { status: r.clio?.status, ...p.decode(p.allocReplyBody, r.body) };
  };
  const free = async (addr: bigint, len: bigint, pid = 1) =>
    p.decode(p.allocReplyBody, (await send(p.opcode.FREE, p.encode(p.allocBody, { addr, len }), pid)).body).ret;
  const createProcess = async (): Promise<number> =>
    p.decode(p.createProcReplyBody, (await send(p.opcode.CREATE_PROC, new Uint8Array(64))).body).newPid;
  const freeProcess = async (pid: number): Promise<number> =>
    p.decode(p.retBody, (await send(p.opcode.FREE_PROC, undefined, pid)).body).ret;
  return {
    settings,
    hardware,
    slow,
    observer,
    send,
    alloc,
    ask,
    free,
    createProcess,
    freeProcess,
    page: BigInt(settings.config.pageSize),
  };
}

/** Touches pages one after another, letting the refill work in between. */
async function touchAll(
  n: Awaited<ReturnType<typeof start>>,
  pages: readonly (readonly [pid: number, vpn: bigint])[],
): Promise<string[]> {
  const out: string[] = [];
  for (const [pid, vpn] of pages) {
    await new Promise(resolve => setImmediate(resolve));
    const found = n.hardware.touch(pid, vpn);
    out.push(typeof found === "number" ? "frame" : found);
  }
  return out;
}

describe("processes", () => {
  it("get PIDs from 1 on, one given back last", async () => {
    const n = await start();
    expect([await n.createProcess(), await n.createProcess(), await n.createProcess()]).toEqual([1, 2, 3]);
    expect(await n.freeProcess(2)).toBe(0);
    expect([await n.createProcess(), await n.createProcess()]).toEqual([4, 5]);
    expect(await n.freeProcess(9)).toBe(errorNumber.noProcess);
  });
  it("give a PID back as the last to be had again, and answer FAIL when none is left", async () => {
    const s = await start();
    const create = async () => {
      const r = await s.send(p.opcode.CREATE_PROC, new Uint8Array(64));
      return { status: r.clio?.status, ...p.decode(p.createProcReplyBody, r.body) };
    };
    expect([(await create()).newPid, (await create()).newPid]).toEqual([1, 2]);
    await s.send(p.opcode.FREE_PROC, undefined, 1);
    expect((await create()).newPid).toBe(3);
    for (let pid = 4; pid < firstOffloadPid; pid++) s.slow.memory.createProcess();
    // All but the one that came back: now that one, then none, whatever the offloads' own are.
    expect(await create()).toMatchObject({ status: p.status.OK, newPid: 1 });
    expect(await create()).toMatchObject({ status: p.status.FAIL, ret: errorNumber.again, newPid: 0 });
    await s.send(p.opcode.FREE_PROC, undefined, 500);
    await s.send(p.opcode.FREE_PROC, undefined, 20);
    expect([(await create()).newPid, (await create()).newPid]).toEqual([500, 20]);
  });

  it("have keys in a build with keys: given at the native port, taken back at their end, and as many as there is room", async () => {
    const s = await start({ processKeys: 256 });
    const create = async (port?: number) => {
      const r = await s.send(p.opcode.CREATE_PROC, new Uint8Array(64), 0, port),
        key = p.keyTrailer.bytes + p.createProcReplyBody.bytes;
      return {
        status: r.clio?.status,
        pid: p.decode(p.createProcReplyBody, r.body).newPid,
        key: r.body.length === key ? p.decode(p.keyTrailer, r.body, p.createProcReplyBody.bytes).key : undefined,
      };
    };
    const first = await create(),
      second = await create();
    expect([first.pid, second.pid]).toEqual([1, 2]);
    expect(new Set([first.key, second.key, 0n, undefined]).size).toBe(4);
    expect([s.hardware.keys.get(1), s.hardware.keys.get(2)]).toEqual([first.key, second.key]);
    // The published client's monitor knows of none, nor does its reply have room.
    expect(await create(s.settings.runtime.clientPort)).toEqual({ status: p.status.OK, pid: 3, key: undefined });
    expect(await s.freeProcess(1)).toBe(0);
    expect(s.hardware.keys.get(1)).toBe(0n);
    // A process that is not there has none to lose.
    s.hardware.keys.set(9, 5n);
    expect(await s.freeProcess(9)).toBe(errorNumber.noProcess);
    expect(s.hardware.keys.get(9)).toBe(5n);
    for (let pid = 4; pid < 256; pid++) expect((await create()).pid).toBe(pid);
    const again = await create();
    expect(again.pid).toBe(1);
    expect(again.key).not.toBe(first.key);
    // 256 could have no key: nobody gets it.
    expect(await create()).toEqual({ status: p.status.FAIL, pid: 0, key: undefined });
  });
  it("have a quota of pages, over all ALLOCs; FREE gives room, other processes and offloads keep theirs", async () => {
    const s = await start({ processPages: 3 }),
      page = BigInt(s.settings.config.pageSize);
    expect(await s.alloc({ len: 4n * page })).toMatchObject({
      status: p.status.QUOTA,
      ret: errorNumber.quota,
      addr: 0n,
    });
    const two = await s.alloc({ len: 2n * page });
    expect([two.status, (await s.alloc({ len: 2n * page })).status]).toEqual([p.status.OK, p.status.QUOTA]);
    // An address of its own choice goes by the pages that it touches: two of them here.
    expect((await s.alloc({ addr: 9n * page + 1n, len: page })).status).toBe(p.status.QUOTA);
    expect((await s.alloc({ addr: 9n * page, len: page })).status).toBe(p.status.OK);
    expect((await s.alloc({ len: 3n * page }, 2)).status).toBe(p.status.OK);
    expect((await s.alloc({ len: 8n * page }, offloadPid(0))).status).toBe(p.status.OK);
    await s.send(p.opcode.FREE, p.encode(p.allocBody, { addr: two.addr, len: page }));
    expect([(await s.alloc({ len: page })).status, (await s.alloc({ len: 1n })).status]).toEqual([
      p.status.OK,
      p.status.QUOTA,
    ]);
    await s.send(p.opcode.FREE_PROC);
    expect((await s.alloc({ len: 3n * page })).status).toBe(p.status.OK);
  });

  it("are created by the first ALLOC of an unknown PID on a client port, which CREATE_PROC then passes over", async () => {
    const n = await start();
    expect(await n.ask({ len: 1n, vregion: 1n }, 1, n.settings.runtime.clientPort)).toMatchObject({
      status: 0,
      ret: 0,
      addr: 2n ** 30n,
    });
    expect(await n.createProcess()).toBe(2);
    expect((await n.ask({ len: 1n }, 0, n.settings.runtime.clientPort)).ret).toBe(errorNumber.invalid);
  });
  it("that nobody has created get nothing on the native port, before and after their time", async () => {
    const n = await start(),
      refused = { status: p.status.FAIL, ret: errorNumber.noProcess, addr: 0n };
    for (const pid of [0, 1, 7, firstMonitorPid, firstOffloadPid - 1])
      expect(await n.ask({ len: 1n }, pid), `process ${pid}`).toMatchObject(refused);
    expect([n.slow.memory.processCount, n.slow.memory.entries]).toEqual([0, 0]);
    const pid = await n.createProcess();
    expect((await n.ask({ len: 1n }, pid)).status).toBe(p.status.OK);
    expect(await n.freeProcess(pid)).toBe(0);
    expect(await n.ask({ len: 1n }, pid)).toMatchObject(refused);
  });
  it("of a monitor have PIDs of their own: the node gives none of them, nor makes one of its own by ALLOC", async () => {
    const n = await start({}, undefined, { monitor: true });
    expect((await n.ask({ len: 1n }, firstMonitorPid)).status).toBe(p.status.OK);
    expect((await n.ask({ len: 1n }, firstMonitorPid - 1)).ret).toBe(errorNumber.noProcess);
    expect(await n.createProcess()).toBe(1);
    for (let pid = 2; pid < firstMonitorPid - 1; pid++) n.slow.memory.createProcess();
    expect([await n.createProcess(), await n.createProcess()]).toEqual([firstMonitorPid - 1, 0]);
    // None is left: those that come back are given again, and still none of the monitor's.
    expect([await n.freeProcess(9), await n.freeProcess(firstMonitorPid), await n.createProcess()]).toEqual([0, 0, 9]);
    expect(await n.createProcess()).toBe(0);
  });
  it("of an offload begin with its first ALLOC and end like others; CREATE_PROC never gives their PIDs", async () => {
    const n = await start(),
      pid = offloadPid(0);
    expect(await n.alloc({ len: 1n, vmFlags: 1n }, pid)).toMatchObject({ status: 0, ret: 0, addr: n.page });
    expect(await n.alloc({ len: 1n, vmFlags: 1n }, pid)).toMatchObject({ status: 0, ret: 0, addr: 2n * n.page });
    expect(await n.createProcess()).toBe(1);
    expect([await n.freeProcess(pid), await n.freeProcess(pid)]).toEqual([0, errorNumber.noProcess]);
    expect(await n.alloc({ len: 1n }, pid)).toMatchObject({ ret: 0, addr: n.page });
  });
  it("whose pages are copied to another node read them still, and wait for writes; a read-only page stays one", async () => {
    const n = await start(),
      { table } = n.settings.config;
    const entryOf = (vpn: bigint) => {
      const { index, tag } = locate(table, 1, vpn);
      return Array.from({ length: bucketSlots }, (_, slot) =>
        unpackEntry(table, n.hardware.memory.entry(entryAddress(table, index, slot))),
      ).find(e => e.allocated && e.tag === tag);
    };
    await n.alloc({ addr: 5n * n.page, len: n.page, vmFlags: p.vmFlag.write | p.vmFlag.populate });
    await n.alloc({ addr: 6n * n.page, len: n.page, vmFlags: p.vmFlag.populate });
    for (const [vpn, waits] of [
      [5, true],
      [6, false],
    ] as const) {
      const ppn = await n.slow.memory.withdraw(1, vpn, true),
        entry = entryOf(BigInt(vpn));
      if (!entry) throw new Error(`page ${vpn} has no entry`);
      expect([entry.valid, entry.ppn, mayRead(entry), writesWait(entry)]).toEqual([true, ppn, true, waits]);
      await n.slow.memory.grant(1, vpn, ppn);
      expect(entryOf(BigInt(vpn))).toMatchObject({ valid: true, ppn, read: true, write: waits });
    }
  });
  it("free everything when they end: entries, frames, addresses", async () => {
    const n = await start();
    await n.alloc({ len: 10n * n.page, vmFlags: 1n });
    const free = n.slow.pool.free + n.hardware.freePages.length;
    for (let vpn = 1n; vpn <= 10n; vpn++) expect(n.hardware.touch(1, vpn)).toBeTypeOf("number");
    expect(n.slow.memory.entries).toBe(10);
    await n.freeProcess(1);
    expect(n.slow.memory.entries).toBe(0);
    expect(n.slow.pool.free + n.hardware.freePages.length).toBe(free);
    expect(n.hardware.touch(1, 1n)).toBe("INVALID");
    expect(n.hardware.complaints).toEqual([]);
  });
});

describe("ALLOC", () => {
  it("gives the lowest fitting address of the region and rounds up to pages", async () => {
    const n = await start();
    expect(await n.alloc({ len: 1n, vregion: 3n })).toMatchObject({
      ret: 0,
      addr: 3n * 2n ** 30n,
      vregion: 3,
      boardIp: n.settings.runtime.ip,
      udpPort: 1200,
    });
    expect((await n.alloc({ len: n.page + 1n, vregion: 3n })).addr).toBe(3n * 2n ** 30n + n.page);
    expect((await n.alloc({ len: 1n, vregion: 3n })).addr).toBe(3n * 2n ** 30n + 3n * n.page);
    expect(await n.free(3n * 2n ** 30n + n.page, n.page)).toBe(0);
    expect((await n.alloc({ len: n.page * 2n, vregion: 3n })).addr).toBe(3n * 2n ** 30n + 4n * n.page);
    expect((await n.alloc({ len: 1n, vregion: 3n })).addr).toBe(3n * 2n ** 30n + n.page);
  });
  it("never gives address 0, and grants a nonzero address as asked", async () => {
    const n = await start();
    expect((await n.alloc({ len: 1n })).addr).toBe(n.page);
    expect((await n.alloc({ addr: 0x3e000000n, len: 0x20000000n, vmFlags: 1n })).addr).toBe(0x3e000000n);
    expect(n.slow.memory.entries).toBe(1 + 0x20000000 / 2 ** 22);
    // Taken already: another place, as the paper says.
    expect((await n.alloc({ addr: 0x3e000000n, len: 1n })).addr).toBe(2n * n.page);
    expect(await n.alloc({ addr: 2n ** 50n - n.page, len: n.page })).toMatchObject({
      ret: 0,
      addr: 2n ** 50n - n.page,
    });
  });
  it("on the published client's ports takes an address outside the named region for what it is: uninitialised", async () => {
    const n = await start();
    expect((await n.alloc({ addr: 0x7ffd12345678n, len: 1n, vregion: 1n }, 1, 1234)).addr).toBe(2n ** 30n);
    expect((await n.alloc({ addr: 2n ** 30n + 8n * n.page, len: 1n, vregion: 1n }, 1, 1234)).addr).toBe(
      2n ** 30n + 8n * n.page,
    );
    expect((await n.alloc({ addr: 0x7f0000000000n, len: 1n, vregion: 1n }, 1)).addr).toBe(0x7f0000000000n);
  });
  it("refuses with ret nonzero what cannot be", async () => {
    const n = await start();
    expect(await n.alloc({ len: 0n })).toMatchObject({ status: p.status.FAIL, ret: errorNumber.invalid });
    expect(await n.alloc({ len: 2n ** 30n + 1n, vregion: 1n })).toMatchObject({
      status: p.status.OUT_OF_MEMORY,
      ret: errorNumber.noMemory,
      addr: 0n,
    });
    expect(await n.alloc({ len: 1n, vregion: 2n ** 20n })).toMatchObject({ ret: errorNumber.invalid });
    expect(await n.alloc({ len: 2n ** 63n })).toMatchObject({ ret: errorNumber.invalid });
  });
  it("writes entries that the hardware understands: permissions, and faulting on first use", async () => {
    const n = await start();
    await n.alloc({ addr: n.page * 5n, len: n.page, vmFlags: 1n });
    await n.alloc({ addr: n.page * 6n, len: n.page });
    expect(n.observer.page(1, 5n)).toEqual({ read: true, write: true, valid: false });
    expect(n.observer.page(1, 6n)).toEqual({ read: true, write: false, valid: false });
    // The first frame is kept for offloads.
    expect(n.hardware.touch(1, 5n)).toBe(n.settings.config.firstPpn + 1);
    expect(n.hardware.touch(2, 5n)).toBe("INVALID");
  });
  it("is writable at the published client's ports whatever its flags say, and by its flags with publishedWritable false", async () => {
    const written = async (publishedWritable: boolean, native: boolean, vmFlags: bigint) => {
      const n = await start({ publishedWritable }),
        { nativePort, clientPort } = n.settings.runtime,
        { addr, ret } = await n.alloc({ len: n.page, vregion: 1n, vmFlags }, 1, native ? nativePort : clientPort);
      expect(ret).toBe(0);
      return n.observer.page(1, addr / n.page)?.write;
    };
    // The published programs say 0 or 2.
    for (const flags of [0n, 2n]) {
      expect(await written(true, false, flags)).toBe(true);
      expect(await written(false, false, flags)).toBe(false);
    }
    expect(await written(true, true, 0n)).toBe(false);
  });
  it("populates with zeroed frames when asked", async () => {
    const n = await start();
    await n.alloc({ addr: n.page, len: 2n * n.page, vmFlags: p.vmFlag.write | p.vmFlag.populate });
    const before = n.hardware.freePages.length;
    expect(n.hardware.touch(1, 1n)).toBeTypeOf("number");
    expect(n.hardware.freePages.length).toBe(before);
    expect(await n.slow.memory.translate(1, n.page + 5n)).toBe(
      (n.hardware.touch(1, 1n) as number) * Number(n.page) + 5,
    );
    expect(n.hardware.complaints).toEqual([]);
  });
  it("knows the flags: zero is always so, internal and unknown ones are refused on the native port and mean nothing on the others", async () => {
    const n = await start();
    expect((await n.alloc({ addr: n.page, len: n.page, vmFlags: p.vmFlag.write | p.vmFlag.zero })).ret).toBe(0);
    const ppn = n.hardware.touch(1, 1n);
    expect(n.hardware.memory.read(Number(ppn) * Number(n.page), 4096)).toEqual(new Uint8Array(4096));
    for (const vmFlags of [p.vmFlag.conflict, p.vmFlag.write | p.vmFlag.conflict, 16n, 1n << 63n]) {
      expect(await n.alloc({ len: n.page, vmFlags })).toMatchObject({
        status: p.status.FAIL,
        ret: errorNumber.invalid,
        addr: 0n,
      });
      expect((await n.alloc({ len: n.page, vregion: 1n, vmFlags }, 1, 1234)).ret).toBe(0);
    }
    expect(n.slow.memory.entries).toBe(5);
  });
  it("retries are counted for each allocation and in all", async () => {
    // 64 MB of 4 MB pages: 64 slots in 8 buckets, filled by one-page allocations at random regions.
    const n = await start({ physicalMemory: "64MB", freePageBuffer: 4 }),
      retries: number[] = [];
    for (let pid = 1; pid <= 64; pid++) {
      expect((await n.alloc({ len: n.page, vregion: BigInt(1 + ((pid * 7) % 50)) }, pid)).ret).toBe(0);
      retries.push(n.slow.statistics.lastAllocationRetries);
    }
    expect(retries.slice(0, 8).reduce((a, b) => a + b)).toBe(0);
    expect(n.slow.statistics).toMatchObject({
      allocationRetries: retries.reduce((a, b) => a + b),
      mostAllocationRetries: Math.max(...retries),
    });
    expect(Math.max(...retries)).toBeGreaterThan(0);
  });
  it("gives more virtual memory than there is physical; what is touched beyond it is OUT_OF_MEMORY until something is freed", async () => {
    const n = await start({ physicalMemory: "16MB", freePageBuffer: 4 });
    // 4 frames, one of them the table's; 12 pages.
    expect((await n.alloc({ addr: n.page, len: 8n * n.page, vmFlags: 1n })).ret).toBe(0);
    expect((await n.alloc({ addr: n.page, len: 4n * n.page, vmFlags: 1n }, 2)).ret).toBe(0);
    const outcomes = await touchAll(
      n,
      [1n, 2n, 3n, 4n, 5n].map(v => [1, v] as const),
    );
    expect(outcomes).toEqual(["frame", "frame", "frame", "OUT_OF_MEMORY", "OUT_OF_MEMORY"]);
    // Populating cannot give what is not there; the page faults when it is touched.
    expect((await n.alloc({ addr: 20n * n.page, len: n.page, vmFlags: p.vmFlag.write | p.vmFlag.populate })).ret).toBe(
      0,
    );
    expect(await touchAll(n, [[1, 20n]])).toEqual(["OUT_OF_MEMORY"]);
    expect(await n.free(2n * n.page, n.page)).toBe(0);
    expect(
      await touchAll(n, [
        [2, 1n],
        [1, 4n],
      ]),
    ).toEqual(["frame", "OUT_OF_MEMORY"]);
    await n.freeProcess(1);
    expect(
      await touchAll(n, [
        [2, 2n],
        [2, 3n],
        [2, 4n],
      ]),
    ).toEqual(["frame", "frame", "OUT_OF_MEMORY"]);
    expect(n.hardware.complaints).toEqual([]);
  });
  it("never overflows a bucket, retries elsewhere near full, and says so when the table has no room", async () => {
    // 64 MB of 4 MB pages: 64 slots in 8 buckets.
    const n = await start({ physicalMemory: "64MB", freePageBuffer: 4 });
    let granted = 0,
      refused = 0;
    for (let pid = 1; pid <= 80; pid++) {
      const r = await n.alloc({ len: n.page, vregion: BigInt(1 + ((pid * 7) % 50)) }, pid);
      if (r.ret === 0) granted++;
      else {
        refused++;
        expect(r.ret).toBe(errorNumber.noMemory);
      }
    }
    expect(granted).toBe(n.settings.config.table.slots);
    expect(refused).toBe(16);
    expect(n.slow.memory.statistics).toMatchObject({ allocations: 64, refused: 16 });
    expect(n.slow.memory.statistics.mostRetries).toBeGreaterThan(0);
    // A fixed address that its full bucket cannot take goes elsewhere once there is room anywhere.
    await n.freeProcess(1);
    const index = (vpn: bigint) => locate(n.settings.config.table, 100, vpn).index;
    const other = await n.alloc({ addr: 77n * n.page, len: n.page, vregion: 2n }, 100);
    expect(other.ret).toBe(0);
    expect(n.hardware.touch(100, other.addr / n.page)).toBeTypeOf("number");
    expect(index(other.addr / n.page)).toBeLessThan(8);
    expect(bucketSlots).toBe(8);
  });
});

describe("a memory that refuses a table entry", () => {
  it("has the request answered FAIL, and the next ones served", async () => {
    let refuses = false;
    const n = await start({}, h =>
      Object.assign(Object.create(h) as FakeHardware, {
        exchangeEntry: (address: number, bits: bigint) =>
          refuses ? Promise.reject(new EntryRefused(address)) : h.exchangeEntry(address, bits),
      }),
    );
    const pid = await n.createProcess();
    refuses = true;
    const wanted = p.encode(p.allocBody, { len: 1n, vmFlags: 1n });
    expect((await n.send(p.opcode.ALLOC, wanted, pid)).clio).toMatchObject({
      opcode: p.opcode.ALLOC,
      status: p.status.FAIL,
    });
    refuses = false;
    const given = await n.alloc({ len: 1n, vmFlags: 1n }, pid);
    expect(given.ret).toBe(0);
    expect(n.hardware.touch(pid, given.addr / n.page)).toBeTypeOf("number");
  });
});

describe("FREE", () => {
  it("takes a part of an allocation, whole pages", async () => {
    const n = await start();
    await n.alloc({ addr: n.page * 8n, len: n.page * 4n, vmFlags: 1n });
    expect(await n.free(n.page * 9n + 5n, 1n)).toBe(0);
    expect([8n, 9n, 10n, 11n].map(v => n.hardware.touch(1, v) === "INVALID")).toEqual([false, true, false, false]);
    expect(await n.free(n.page * 8n, n.page * 4n)).toBe(errorNumber.invalid);
    expect(await n.free(n.page * 8n, n.page)).toBe(0);
    expect(await n.free(n.page * 10n, n.page * 2n)).toBe(0);
    expect(n.slow.memory.entries).toBe(0);
    expect(await n.free(n.page, 1n, 5)).toBe(errorNumber.noProcess);
    expect(await n.free(n.page, 0n)).toBe(errorNumber.invalid);
  });
  it("gives frames out again only zeroed", async () => {
    const n = await start({ physicalMemory: "32MB", freePageBuffer: 4 });
    await n.alloc({ addr: n.page, len: n.page, vmFlags: 1n });
    for (let i = 0; i < 30; i++) {
      const ppn = n.hardware.touch(1, 1n);
      expect(ppn, `round ${i}`).toBeTypeOf("number");
      expect(n.hardware.memory.read(Number(ppn) * Number(n.page), 64)).toEqual(new Uint8Array(64));
      n.hardware.memory.write(Number(ppn) * Number(n.page), new Uint8Array(64).fill(i + 1));
      await n.free(n.page, n.page);
      await n.alloc({ addr: n.page, len: n.page, vmFlags: 1n });
    }
    expect(n.hardware.complaints).toEqual([]);
  });
  it("waits for the hardware's acknowledgement before anything is reused", async () => {
    const n = await start({ physicalMemory: "16MB", freePageBuffer: 4 });
    await n.alloc({ addr: n.page, len: n.page, vmFlags: 1n });
    const ppn = n.hardware.touch(1, 1n);
    let acknowledge: () => void = () => undefined;
    n.hardware.beforeAcknowledge = () =>
      new Promise(resolve => {
        acknowledge = resolve;
      });
    let freed = false;
    const answer = n.free(n.page, n.page).then(ret => {
      freed = true;
      return ret;
    });
    await new Promise(resolve => setImmediate(resolve));
    expect(n.hardware.log.at(-1)).toBe("shootdown 1:1");
    expect(freed).toBe(false);
    acknowledge();
    expect(await answer).toBe(0);
    await new Promise(resolve => setImmediate(resolve));
    const log = n.hardware.log,
      at = (line: string) => log.lastIndexOf(line);
    expect(at(`push ${String(ppn)}`)).toBeGreaterThan(at(`zero ${String(ppn)}`));
    expect(at(`zero ${String(ppn)}`)).toBeGreaterThan(at("acknowledge 1:1"));
    expect(n.hardware.complaints).toEqual([]);
  });
  it("planted fault: a slow path that does not wait for the acknowledgement is caught", async () => {
    const impatient = (h: FakeHardware): SlowPathTransport =>
      new Proxy(h, {
        get: (target, name) => {
          if (name === "shootdown")
            return (pid: number, vpn: bigint) => {
              void target.shootdown(pid, vpn);
              return Promise.resolve();
            };
          const value: unknown = Reflect.get(target, name);
          return typeof value === "function" ? (value as (...a: unknown[]) => unknown).bind(target) : value;
        },
      });
    const n = await start({ physicalMemory: "16MB", freePageBuffer: 4 }, impatient);
    await n.alloc({ addr: n.page, len: n.page, vmFlags: 1n });
    n.hardware.touch(1, 1n);
    let acknowledge: () => void = () => undefined;
    n.hardware.beforeAcknowledge = () =>
      new Promise(resolve => {
        acknowledge = resolve;
      });
    await n.free(n.page, n.page);
    await new Promise(resolve => setImmediate(resolve));
    acknowledge();
    expect(n.hardware.complaints[0]).toMatch(/^frame 1 is (zeroed|pushed) while the TLB maps 1:1 to it$/);
  });
  it("finds the frame of a fault that was under way while the entry was cleared", async () => {
    const n = await start({ physicalMemory: "16MB", freePageBuffer: 4 });
    await n.alloc({ addr: n.page, len: n.page, vmFlags: 1n });
    const total = n.slow.pool.free + n.hardware.freePages.length;
    // The fault had fetched the bucket before: its write of the valid entry lands after the exchange.
    const { index, tag } = locate(n.settings.config.table, 1, 1n);
    let late = true;
    n.hardware.afterExchange = address => {
      if (!late) return;
      late = false;
      const ppn = n.hardware.takeFree() ?? 0;
      n.hardware.memory.setEntry(
        address,
        BigInt(0b1111) | (tag << 4n) | (BigInt(ppn) << BigInt(n.settings.config.table.entry.at(-1)?.lsb ?? 0)),
      );
    };
    expect(await n.free(n.page, n.page)).toBe(0);
    expect(n.hardware.memory.entry(index * 64)).toBe(0n);
    await new Promise(resolve => setImmediate(resolve));
    expect(n.slow.pool.free + n.hardware.freePages.length).toBe(total);
    expect(n.hardware.log.filter(l => l === "shootdown 1:1").length).toBe(2);
  });
});

describe("free pages", () => {
  it("are kept in the buffer ahead of demand", async () => {
    const n = await start();
    expect(n.hardware.freePages.length).toBe(64);
    for (let i = 0; i < 40; i++) n.hardware.takeFree();
    await new Promise(resolve => setImmediate(resolve));
    expect(n.hardware.freePages.length).toBeGreaterThan(60);
    expect(n.hardware.complaints).toEqual([]);
  });
  it("run out: the hardware is told, and told again when some are freed", async () => {
    const n = await start({ physicalMemory: "16MB", freePageBuffer: 4 });
    await n.alloc({ addr: n.page, len: 4n * n.page, vmFlags: 1n });
    expect([1n, 2n, 3n].map(v => typeof n.hardware.touch(1, v))).toEqual(["number", "number", "number"]);
    await new Promise(resolve => setImmediate(resolve));
    expect(n.hardware.registers.get("outOfMemory")).toBe(1);
    expect(n.hardware.touch(1, 4n)).toBe("OUT_OF_MEMORY");
    await n.free(n.page, n.page);
    await new Promise(resolve => setImmediate(resolve));
    expect(n.hardware.touch(1, 4n)).toBeTypeOf("number");
    expect(n.hardware.complaints).toEqual([]);
  });
  it("never run out while some are left: the register stays clear", async () => {
    const n = await start({ physicalMemory: "256MB", freePageBuffer: 4 });
    await n.alloc({ addr: n.page, len: 60n * n.page });
    // 63 frames, 4 of them in the buffer at the end.
    for (let v = 1n; v <= 59n; v++) {
      expect(n.hardware.touch(1, v)).toBeTypeOf("number");
      await new Promise(resolve => setImmediate(resolve));
    }
    expect(n.hardware.registers.get("outOfMemory") ?? 0).toBe(0);
  });
});

describe("other requests", () => {
  it("open and close sessions", async () => {
    const n = await start();
    const session = async (code: number, id: number) =>
      p.decode(p.sessionBody, (await n.send(code, p.encode(p.sessionBody, { session: id }))).body).session;
    expect([await session(p.opcode.OPEN_SESSION, 5), await session(p.opcode.OPEN_SESSION, 6)]).toEqual([1, 2]);
    expect(await session(p.opcode.CLOSE_SESSION, 1)).toBe(0);
    expect(await session(p.opcode.CLOSE_SESSION, 1)).not.toBe(0);
    expect(await session(p.opcode.OPEN_SESSION, 7)).toBe(1);
  });
  it("report the hardware's counters and the slow path's own", async () => {
    const n = await start();
    await n.createProcess();
    await n.alloc({ len: 3n * n.page });
    const r = await n.send(p.opcode.QUERY_STAT),
      { count } = p.decode(p.statReplyBody, r.body);
    const view = new DataView(r.body.buffer, r.body.byteOffset),
      values = Array.from({ length: count }, (_, i) => Number(view.getBigUint64(4 + 8 * i, true)));
    expect(values.slice(0, counterNames.length)).toEqual(counterNames.map(c => c.length));
    expect(Object.fromEntries(softwareCounters.map(({ name }, i) => [name, values[counterNames.length + i]]))).toEqual({
      ...n.slow.statistics,
    });
    expect(n.slow.statistics).toMatchObject({
      processes: 1,
      tableEntries: 3,
      allocations: 1,
      allocationsRefused: 0,
      allocationRetries: 0,
      repliesRepeated: 0,
    });
    expect(count).toBe(counterNames.length + softwareCounters.length);
  });
  it("are on the page, in their order", () => {
    const page = readFileSync(new URL("../../../../docs/clio/slow-path.md", import.meta.url), "utf8");
    expect(
      [...page.matchAll(/^\| (\w+) \| (.*) \|$/gm)]
        .map(m => ({ name: m[1], doc: m[2] }))
        .filter(r => r.name !== "counter"),
    ).toEqual([...softwareCounters]);
  });
  it("report what fits the smallest frames", async () => {
    const n = await start({ mtuFrame: 576 }),
      r = await n.send(p.opcode.QUERY_STAT);
    expect(r.frame.length).toBeLessThanOrEqual(576);
    expect(p.decode(p.statReplyBody, r.body).count).toBe((r.body.length - 4) / 8);
  });
  it("ping-pong with the size asked for", async () => {
    const n = await start();
    const r = await n.send(p.opcode.SOC_PINGPONG, Uint8Array.from([100, 0, 0, 0, 1, 2, 3]));
    expect(r.clio).toMatchObject({ opcode: 0xa0, size: 116, status: 0 });
    expect(r.body).toEqual(Uint8Array.from({ length: 100 }, (_, i) => [1, 2, 3][i] ?? 0));
    expect((await n.send(p.opcode.FPGA_PINGPONG, Uint8Array.from([2, 0, 0, 0, 1, 2, 3]))).clio).toMatchObject({
      opcode: 0x9e,
      size: 18,
    });
    expect((await n.send(p.opcode.SOC_PINGPONG, Uint8Array.from([0, 0, 1, 0]))).clio).toMatchObject({
      opcode: 0x9f,
      size: 16,
      status: p.status.MALFORMED,
    });
  });
  it("refuse migration, and never throw on a malformed body", async () => {
    const n = await start();
    expect((await n.send(p.opcode.MIGRATION_SEND, new Uint8Array(20))).clio).toMatchObject({
      opcode: 0x95,
      status: p.status.FAIL,
    });
    for (let code = 0x20; code < 0x100; code++) {
      if (p.defaultAction(code) !== "slow" && p.defaultAction(code) !== "extend") continue;
      // A reply is not answered.
      if (p.replyOnlyCodes.includes(code)) continue;
      for (const length of [0, 1, 3, 11, 31]) {
        const r = await n.send(code, new Uint8Array(length).fill(0xff));
        expect(r.clio?.tag).toBe(9);
        if (p.operationOf(code) === undefined)
          expect(r.clio).toMatchObject({ opcode: code, size: 16, status: p.status.MALFORMED });
      }
    }
    n.hardware.hand(new Uint8Array(0));
    n.hardware.hand(new Uint8Array(60).fill(0xff));
    expect(await n.createProcess()).toBeGreaterThan(0);
  });
  it("echo tag, flags and request ID on the native port, no flags on a client port", async () => {
    const n = await start();
    expect((await n.send(p.opcode.QUERY_STAT)).clio).toMatchObject({ tag: 9, flagTracked: 1, requestId: 77 });
    expect((await n.send(p.opcode.QUERY_STAT, undefined, 1, 1240)).clio).toMatchObject({
      tag: 9,
      flagTracked: 0,
      requestId: 78,
    });
  });
});

describe("Clio-KV", () => {
  it("creates, reads, updates and deletes; keys are unique and sizes are kept", async () => {
    const n = await start();
    const kv = (key: bigint, valueSize: number, user = 0) => p.encode(p.kvBody, { user, keySize: 8, valueSize, key });
    const value = (size: number, seed: number) => Uint8Array.from({ length: size }, (_, i) => (i * 7 + seed) & 0xff);
    const status = async (code: number, body: Uint8Array) => (await n.send(code, body, 0)).clio?.status;
    expect(await status(p.opcode.KV_READ, kv(1n, 10))).toBe(p.status.FAIL);
    expect(await status(p.opcode.KV_UPDATE, p.concat(kv(1n, 3), value(3, 0)))).toBe(p.status.FAIL);
    expect(await status(p.opcode.KV_CREATE, p.concat(kv(1n, 1000), value(1000, 1)))).toBe(0);
    expect(await status(p.opcode.KV_CREATE, p.concat(kv(1n, 5), value(5, 2)))).toBe(p.status.FAIL);
    const read = await n.send(p.opcode.KV_READ, kv(1n, 4, 200), 0);
    expect(p.decode(p.kvReplyBody, read.body)).toEqual({ user: 200, keySize: 8, valueSize: 1000 });
    expect(read.body.slice(4)).toEqual(value(1000, 1));
    expect(await status(p.opcode.KV_UPDATE, p.concat(kv(1n, 0), value(0, 0)))).toBe(0);
    expect((await n.send(p.opcode.KV_READ, kv(1n, 0), 0)).body.length).toBe(4);
    expect(await status(p.opcode.KV_UPDATE, p.concat(kv(1n, 65), value(65, 3)))).toBe(0);
    expect((await n.send(p.opcode.KV_READ, kv(1n, 0), 0)).body.slice(4)).toEqual(value(65, 3));
    expect(await status(p.opcode.KV_DELETE, kv(1n, 0))).toBe(0);
    expect(await status(p.opcode.KV_DELETE, kv(1n, 0))).toBe(p.status.FAIL);
    expect(await status(p.opcode.KV_READ, kv(1n, 0))).toBe(p.status.FAIL);
    expect(await status(p.opcode.KV_CREATE, p.concat(kv(2n, 11), value(10, 0)))).toBe(p.status.MALFORMED);
    expect((await n.send(p.opcode.KV_READ, p.encode(p.kvBody, { keySize: 4 }))).clio).toMatchObject({
      opcode: 0x60,
      status: p.status.MALFORMED,
    });
  });
  it("keeps many values of all sizes apart, through updates and deletes", async () => {
    const n = await start({ pageSize: "4KB", physicalMemory: "1MB", mtuFrame: 9018, freePageBuffer: 4 });
    const truth = new Map<bigint, Uint8Array>();
    const random = new Random(12345);
    for (let i = 0; i < 400; i++) {
      const key = BigInt(random.below(20)),
        size = random.below(6000),
        value = random.bytes(size);
      if (random.below(4) === 0) expect(n.slow.kv.delete(3, key)).toBe(truth.delete(key) ? "done" : "missing");
      else if (truth.has(key)) {
        if ((await n.slow.kv.update(3, key, value)) === "done") truth.set(key, value);
      } else if ((await n.slow.kv.create(3, key, value)) === "done") truth.set(key, value);
    }
    expect(truth.size).toBeGreaterThan(5);
    for (const [key, value] of truth) expect(await n.slow.kv.read(3, key)).toEqual(value);
    n.slow.kv.forget(3);
    expect(n.slow.kv.size).toBe(0);
  });
  const kvOf = (key: bigint, value: Uint8Array = new Uint8Array()): Uint8Array =>
    p.concat(p.encode(p.kvBody, { keySize: 8, valueSize: value.length, key }), value);
  it("a key is its process's, those of PID 0 are everybody's, and a process that does not exist has none", async () => {
    const n = await start();
    const ask = async (code: number, pid: number, value?: Uint8Array) =>
      (await n.send(code, kvOf(5n, value), pid)).clio?.status;
    const [one, other] = [await n.createProcess(), await n.createProcess()];
    for (const [pid, byte] of [
      [one, 1],
      [other, 2],
      [0, 3],
    ] as const)
      expect(await ask(p.opcode.KV_CREATE, pid, Uint8Array.of(byte)), `process ${pid}`).toBe(p.status.OK);
    for (const [pid, byte] of [
      [one, 1],
      [other, 2],
      [0, 3],
    ] as const)
      expect((await n.send(p.opcode.KV_READ, kvOf(5n), pid)).body.slice(4)).toEqual(Uint8Array.of(byte));
    for (const code of [p.opcode.KV_READ, p.opcode.KV_CREATE, p.opcode.KV_UPDATE, p.opcode.KV_DELETE])
      expect(await ask(code, 9999)).toBe(p.status.INVALID);
    expect(await ask(p.opcode.KV_DELETE, one)).toBe(p.status.OK);
    expect(await ask(p.opcode.KV_READ, other), "of another's delete nothing is seen").toBe(p.status.OK);
    await n.freeProcess(other);
    expect(await ask(p.opcode.KV_READ, other)).toBe(p.status.INVALID);
    expect(n.slow.kv.size, "the shared key is left").toBe(1);
    const next = await n.createProcess();
    expect(next, "a freed PID is the last to be given again").not.toBe(other);
    expect(await ask(p.opcode.KV_READ, next), "a new process finds nothing").toBe(p.status.FAIL);
  });
  it("full is OUT_OF_MEMORY; what is deleted, or goes with its process, serves every other size and every other process", async () => {
    const n = await start({ pageSize: "4KB", physicalMemory: "1MB", mtuFrame: 1518, freePageBuffer: 4 });
    const pids = [await n.createProcess(), await n.createProcess(), await n.createProcess()] as const;
    const free = n.slow.pool.free;
    const fill = async (pid: number, size: number): Promise<bigint[]> => {
      const keys: bigint[] = [];
      for (let key = 1n; ; key++) {
        const code = (await n.send(p.opcode.KV_CREATE, kvOf(key, new Uint8Array(size)), pid)).clio?.status;
        if (code !== p.status.OK) {
          expect(code, "full").toBe(p.status.OUT_OF_MEMORY);
          return keys;
        }
        keys.push(key);
      }
    };
    const small = await fill(pids[0], 40);
    expect(small.length * 64, "all of the free memory, in units of 64 bytes").toBeGreaterThan(free * 4096 - 4096);
    const again = (await n.send(p.opcode.KV_CREATE, kvOf(1n, new Uint8Array(1)), pids[0])).clio?.status;
    expect(again, "there already, however full").toBe(p.status.FAIL);
    // One key stays in the middle.
    for (const key of small) if (key !== 700n) await n.send(p.opcode.KV_DELETE, kvOf(key), pids[0]);
    expect(n.slow.pool.free, "the frame with a key, and none or one that is kept").toBeGreaterThanOrEqual(free - 2);
    const large = await fill(pids[1], 1400);
    expect(large.length * 2048, "beside one small key").toBeGreaterThan((free - 2) * 4096);
    await n.freeProcess(pids[1]);
    expect((await fill(pids[2], 300)).length * 512).toBeGreaterThan((free - 2) * 4096);
    await n.freeProcess(pids[2]);
    await n.freeProcess(pids[0]);
    expect([n.slow.kv.size, n.slow.pool.free]).toEqual([0, free]);
  });
});
