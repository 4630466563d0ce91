import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { makeSettings } from "../../../../designs/clio/config/index.ts";
import { socPortMap } from "../../../../designs/clio/registers/index.ts";
import {
  clearTable,
  type FileMap,
  loadBytes,
  mapFile,
  MappedTransport,
  type MemoryMap,
  SlowPath,
  storeBytes,
  WrongHardware,
} from "../../../../designs/clio/software/index.ts";
import { clientEndpoint, FrameClient } from "../../../../designs/clio/workload/index.ts";
import {
  allocReplyBody,
  createProcReplyBody,
  dissect,
  opcode,
  status,
  vmFlag,
} from "../../../../designs/clio/wire/index.ts";
import { decode } from "../../../../designs/shared/wire/index.ts";
import {
  axiPorts,
  AxiRam,
  type Bench,
  EthernetMac,
  LiteMaster,
  runBench,
  SparseMemory,
} from "../../../../sim/index.ts";
import { root } from "../../../../scripts/setup/paths.mjs";
import { findTool, tools } from "../../../../scripts/setup/tools.mjs";
import { findsFault } from "../../../support/plant.ts";
import { memoryOf, portedNode, registersOf } from "./ported-node.ts";

const settings = makeSettings({
  dataWidth: 64,
  pageSize: 4096,
  physicalMemory: 2 ** 20,
  freePageBuffer: 4,
  requestSlots: 8,
  outstandingMisses: 2,
  tlbEntries: 16,
  slowPathRing: 4,
});
const { config, runtime } = settings,
  page = BigInt(config.pageSize);
const dut = () => portedNode(config);
type Ports = ReturnType<typeof dut>["ports"];

/** Memory as the node and as the processor have it. */
interface Dram {
  readonly device: SparseMemory;
  readonly processor: MemoryMap;
}

/**
 * The node's memory in a file that is mapped into the process, as DRAM is on a board. The simulated node works on
 * the mapping itself.
 */
class FileMemory extends SparseMemory {
  readonly #whole: ArrayBuffer;
  constructor(map: FileMap, size: number) {
    super({ size });
    this.#whole = map.bytes();
  }
  override page(address: number): { readonly bytes: Uint8Array; readonly words: Uint32Array } {
    const from = address - (address % 4096);
    return { bytes: new Uint8Array(this.#whole, from, 4096), words: new Uint32Array(this.#whole, from, 1024) };
  }
}

let folder = "",
  addon = "";
beforeAll(() => {
  folder = mkdtempSync(join(tmpdir(), "mnemo-map-"));
  addon = join(folder, "mapped_file.node");
  const { include_dir: headers } = createRequire(import.meta.url)("node-api-headers") as {
    readonly include_dir: string;
  };
  execFileSync(findTool(tools.cxx) ?? "c++", [
    "-O2",
    "-Wall",
    "-Wextra",
    "-Werror",
    "-fPIC",
    "-shared",
    "-std=c++17",
    `-I${headers}`,
    join(root, "designs/clio/software/transport/native/mapped-file.cc"),
    "-o",
    addon,
  ]);
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** A file of zeros. */
function zeros(name: string, bytes: number): string {
  const path = join(folder, name);
  writeFileSync(path, new Uint8Array(bytes));
  return path;
}

/** A node, and the real slow path that knows of it what loads and stores tell. */
async function started(
  b: Bench<Ports>,
  dram?: Dram,
  wired: (port: MemoryMap) => MemoryMap = m => m,
  interrupts = false,
) {
  const ram = new AxiRam(b.sim, axiPorts(b.io, "mem"), {
      latency: 30,
      jitter: 20,
      ...(dram === undefined ? {} : { memory: dram.device }),
    }),
    mac = new EthernetMac(b.sim, b.io.rx, b.io.tx);
  const { portAw, portW, portB, portAr, portR } = b.io;
  const maps = {
    control: registersOf(new LiteMaster(b.sim, b.io)),
    memory: dram?.processor ?? memoryOf(ram),
    port: wired(registersOf(new LiteMaster(b.sim, { sAw: portAw, sW: portW, sB: portB, sAr: portAr, sR: portR }))),
  };
  await b.cycles(4);
  const wait = interrupts ? () => b.until(() => b.io.irq.value === 1) : () => b.cycles(10);
  const options = { wait, interrupts, time: () => b.cycle * 4 };
  const transport = await MappedTransport.open(maps, config, options);
  await clearTable(transport, config);
  const slow = new SlowPath(transport, config, runtime);
  b.spawn(() => slow.run());
  await slow.ready;
  const ask = async (frame: Uint8Array) => {
    mac.send(frame);
    let reply: Uint8Array | undefined;
    await b.until(() => {
      reply ??= mac.take()?.bytes;
      return reply !== undefined;
    });
    const d = dissect(reply ?? new Uint8Array());
    if (!d.clio || !d.body) throw new Error("the reply is no Clio frame");
    return { status: d.clio.status, body: d.body };
  };
  return { ram, mac, maps, options, transport, slow, ask };
}

/** Processes, memory, faults and frees as a client on the network sees them. */
async function life(
  b: Bench<Ports>,
  dram?: Dram,
  wired?: (port: MemoryMap) => MemoryMap,
  interrupts?: boolean,
): Promise<void> {
  const { transport, slow, ask } = await started(b, dram, wired, interrupts),
    client = new FrameClient(clientEndpoint(0), runtime);
  const created = await ask(client.createProcess());
  expect(created.status).toBe(status.OK);
  const pid = decode(createProcReplyBody, created.body).newPid;

  // More pages than the free-page buffer holds: it must be refilled on the way.
  const pages = 3 * config.freePageBuffer,
    given = await ask(client.allocate(pid, { len: BigInt(pages + 1) * page, vmFlags: vmFlag.write }));
  expect(given.status).toBe(status.OK);
  const { addr } = decode(allocReplyBody, given.body);
  const data = (i: number): Uint8Array => Uint8Array.from({ length: 40 }, (_, k) => (i * 40 + k) & 255);
  for (let i = 0; i < pages; i++)
    expect((await ask(client.write(pid, addr + BigInt(i) * page + 13n, data(i)))).status).toBe(status.OK);
  for (let i = 0; i < pages; i++) {
    const read = await ask(client.read(pid, addr + BigInt(i) * page + 13n, 40));
    expect([read.status, [...read.body.slice(12, 52)]]).toEqual([status.OK, [...data(i)]]);
  }
  expect(await transport.readCounter("pageFaults")).toBe(BigInt(pages));

  // FREE: the pages' entries are exchanged, one of them without a frame; the TLB drops them, and the frames come back.
  const before = slow.pool.free;
  expect((await ask(client.free(pid, addr, BigInt(pages + 1) * page))).status).toBe(status.OK);
  expect(await transport.readCounter("shootdowns")).toBeGreaterThan(0n);
  expect((await ask(client.read(pid, addr, 8))).status).toBe(status.INVALID);
  await b.until(() => slow.pool.free >= before + pages);

  // And once more on the same addresses: the old content is gone.
  const again = await ask(client.allocate(pid, { addr, len: page, vmFlags: vmFlag.write }));
  expect(again.status).toBe(status.OK);
  const clean = await ask(client.read(pid, decode(allocReplyBody, again.body).addr + 13n, 40));
  expect([clean.status, [...clean.body.slice(12, 52)]]).toEqual([status.OK, Array.from({ length: 40 }, () => 0)]);

  // More requests than the ring has slots: its counts wrap around many times by now.
  expect((await ask(client.request(opcode.QUERY_STAT, 0))).status).toBe(status.OK);
  transport.close();
}

const run = (body: (b: Bench<Ports>) => Promise<void>) =>
  runBench("mapped", dut(), { hangCycles: 50_000, limitCycles: 200_000 }, body);

test("CREATE_PROC, ALLOC, faults with refill, FREE with shootdown: the slow path over nothing but loads and stores", () =>
  run(b => life(b)));
test("the same with the node's memory in a memory-mapped file that the node and the slow path share", async () => {
  const path = zeros("dram", config.physicalMemory);
  await run(b =>
    life(b, {
      device: new FileMemory(mapFile(addon, path, 0, config.physicalMemory), config.physicalMemory),
      processor: mapFile(addon, path, 0, config.physicalMemory),
    }),
  );
  // The client's data are in the file, for a reader of the file.
  expect(readFileSync(path).includes(Buffer.from(Uint8Array.from({ length: 40 }, (_, k) => (5 * 40 + k) & 255)))).toBe(
    true,
  );
});
test("the same by interrupts: between them nothing is polled", () =>
  run(async b => {
    let loads = 0,
      high = 0;
    b.onEdge({
      sample: () => {
        high += b.io.irq.value;
      },
    });
    await life(
      b,
      undefined,
      m => ({
        ...m,
        load32: o => {
          loads++;
          return m.load32(o);
        },
      }),
      true,
    );
    expect(high).toBeGreaterThan(0);
    const before = loads;
    await b.cycles(5_000);
    expect(loads - before).toBeLessThan(5);
  }));
test("a mapped file: accesses of their width, in their byte order, within their bounds", async () => {
  const path = zeros("plain", 8192),
    map = mapFile(addon, path, 4096, 4096);
  await map.store32(4, 0xfedcba98);
  await map.store64(8, 0x0123456789abcdefn);
  expect([map.load32(4), map.load32(8), map.load64(8)]).toEqual([0xfedcba98, 0x89abcdef, 0x0123456789abcdefn]);
  expect([...readFileSync(path).subarray(4100, 4112)]).toEqual([
    0x98, 0xba, 0xdc, 0xfe, 0xef, 0xcd, 0xab, 0x89, 0x67, 0x45, 0x23, 0x01,
  ]);
  for (const [from, length] of [
    [0, 8],
    [3, 4],
    [5, 20],
    [6, 3],
    [9, 1],
    [16, 0],
  ] as const) {
    const bytes = Uint8Array.from({ length }, (_, i) => 100 + i);
    await storeBytes(map, 64, new Uint8Array(64).fill(7));
    await storeBytes(map, 64 + from, bytes);
    expect([...(await loadBytes(map, 64, 64))]).toEqual([
      ...new Uint8Array(from).fill(7),
      ...bytes,
      ...new Uint8Array(64 - from - length).fill(7),
    ]);
  }
  expect(() => map.load32(2)).toThrow("a multiple of its width");
  expect(() => map.load64(4092)).toThrow("within the map");
  expect(() => mapFile(addon, join(folder, "none"), 0, 4096)).toThrow("No such file");
});
test("a port of another build is refused by the register that tells", () =>
  run(async b => {
    const { maps, options, transport } = await started(b);
    transport.close();
    const other = makeSettings({
      ...(config.slowPathRing === 4 ? { slowPathRing: 8 } : {}),
      dataWidth: 64,
      freePageBuffer: 4,
      requestSlots: 8,
      outstandingMisses: 2,
      pageSize: 4096,
      physicalMemory: 2 ** 20,
    });
    await expect(MappedTransport.open(maps, other.config, options)).rejects.toThrow(WrongHardware);
  }));
test.each([
  ["the old entry comes back without its frame, so a freed frame is lost", "oldEntryLow", (v: number) => v & ~0xff],
  ["the free-page buffer always looks full, so it is never filled again", "freePagesHeld", () => config.freePageBuffer],
  ["no frame ever seems to be there", "rxWaiting", (v: number) => v & ~1],
] as const)("a fault on the way: %s", async (_what, field, spoil) => {
  const address = socPortMap.registers.find(r => r.fields.some(f => f.name === field))?.address;
  const wired = (m: MemoryMap): MemoryMap => ({
    ...m,
    load32: async o => {
      const v = await m.load32(o);
      return o === address ? spoil(v) >>> 0 : v;
    },
  });
  await findsFault(
    runBench("mapped", dut(), { hangCycles: 3_000, limitCycles: 60_000, wave: false }, b => life(b, undefined, wired)),
  );
});
