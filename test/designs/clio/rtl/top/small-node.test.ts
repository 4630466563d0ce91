import { expect, test } from "vitest";
import { makeSettings, narrowConfig } from "../../../../../designs/clio/config/index.ts";
import { MappedMemory, ReferenceNode } from "../../../../../designs/clio/model/index.ts";
import { SmallNode, smallNodeParameters } from "../../../../../designs/clio/rtl/index.ts";
import {
  bucketAddress,
  bucketBytes,
  entryAddress,
  locate,
  packEntry,
  unpackEntry,
} from "../../../../../designs/shared/virtual-memory/table/index.ts";
import {
  accessBody,
  clioHeader,
  clioMessage,
  defaultAction,
  dissect,
  frameOffsets,
  opcode,
  status,
} from "../../../../../designs/clio/wire/index.ts";
import { decode, encode, encodeInto, type Endpoint, udpFrame } from "../../../../../designs/shared/wire/index.ts";
import {
  AxiRam,
  type AxiRamOptions,
  AxisSink,
  AxisSource,
  type Bench,
  bernoulli,
  bursts,
  legalMemories,
  type Random,
  runBench,
  StreamSink,
  StreamSource,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { allBack } from "../../../../support/all-back.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { anyFrame, own } from "../network/net-frames.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const { runtime } = makeSettings({
  nativePort: own.nativePort,
  clientPort: own.clientPort,
  hashKey: 0x243f_6a88_85a3_08d3n,
});
const config = narrowConfig({
  pageSize: 512,
  physicalMemory: 65_536,
  slotsFactor: 2,
  tlbEntries: 4,
  freePageBuffer: 2,
  mtuFrame: 576,
  clientPorts: 1024,
});
const { table, pageSize, maxData } = config;
const dut = () => SmallNode(smallNodeParameters(config, runtime));
type Ports = ReturnType<typeof dut>["ports"];
type Rig = ReturnType<typeof rig>;
const client: Endpoint = { mac: 0x0200000000c0n, ip: 0x0a0000c0, port: 7000 },
  node: Endpoint = { mac: runtime.mac, ip: runtime.ip, port: runtime.nativePort };

/** Pages of three processes: neighbours, so that accesses cross, and gaps; every third one to be read only. */
const pages = [1, 2, 3].flatMap(pid =>
  [4, 5, 6, 9, 10, 13, 14, 15].map((vpn, i) => ({ pid, vpn: BigInt(vpn + 100 * pid), write: i % 3 !== 2 })),
);

/** The node with its memory, page table and free pages, and the model of what it must say. */
function rig(
  b: Bench<Ports>,
  pause: { readonly rx: number; readonly tx: boolean; readonly memory: number },
  latency = 5,
  like: AxiRamOptions = {},
) {
  const { sim, io, random } = b,
    often = (p: number) => bernoulli(p, random.word());
  const ram = new AxiRam(
    sim,
    { ar: io.memAr, r: io.memR, aw: io.memAw, w: io.memW, b: io.memB },
    {
      latency,
      jitter: pause.memory > 0 ? 8 : 0,
      pause: pause.memory > 0 ? { aw: often(pause.memory), w: often(pause.memory), ar: often(pause.memory) } : {},
      ...like,
    },
  );
  const memory = new MappedMemory(),
    taken = new Map<number, number>(),
    entries: { readonly address: number; readonly bytes: Uint8Array }[] = [];
  for (const { pid, vpn, write } of pages) {
    const { index, tag } = locate(table, pid, vpn, runtime.hashKey),
      slot = taken.get(index) ?? 0,
      bytes = new Uint8Array(8);
    taken.set(index, slot + 1);
    new DataView(bytes.buffer).setBigUint64(
      0,
      packEntry(table, { valid: false, allocated: true, read: true, write, tag, ppn: 0 }),
      true,
    );
    entries.push({ address: entryAddress(table, index, slot), bytes });
    ram.write(entryAddress(table, index, slot), bytes);
    memory.map(pid, vpn, { read: true, write });
  }
  // As many zeroed frames as pages, given when there is room.
  const free = new StreamSource(sim, io.freePage, { pause: often(0.97) });
  for (let i = 0; i < pages.length; i++) free.send(config.firstPpn + i);
  // The narrowed build treats opcodes that it leaves out as meaningless.
  const plain = [opcode.READ, opcode.WRITE, opcode.WRITE_NOREPLY, opcode.PINGPONG, opcode.FENCE].map(Number);
  const model = new ReferenceNode(config, runtime, memory, code =>
    defaultAction(code) === "fast" && !plain.includes(code) ? "malformed" : defaultAction(code),
  );
  return {
    ram,
    model,
    free,
    entries,
    mac: new AxisSource(sim, io.rx, { pause: often(pause.rx) }),
    out: new AxisSink(sim, io.tx, pause.tx ? { pause: bursts({ go: 20, pause: 8 }, random.word()) } : {}),
    shootdown: new StreamSource(sim, io.shootdown),
    shot: new StreamSink(sim, io.shootdownDone),
  };
}

/**
 * All pages lose their frames, and each gets one anew: all the frames there are, none twice. The node is idle, and the
 * memory takes what it is given; replies from here on are nobody's.
 */
async function framesBack(b: Bench<Ports>, { ram, free, entries, mac, shootdown, shot }: Rig): Promise<void> {
  const frames = (): number[] =>
    entries.flatMap(({ address }) => {
      const { valid, ppn } = unpackEntry(
        table,
        new DataView(ram.read(address, 8).slice().buffer).getBigUint64(0, true),
      );
      return valid ? [ppn] : [];
    });
  await b.until(() => b.io.busy.value === 0);
  const before = frames();
  for (const { address, bytes } of entries) ram.write(address, bytes);
  for (const { pid, vpn } of pages) {
    shootdown.send({ pid, vpn });
    await shot.recv();
  }
  for (const frame of before) free.send(frame);
  for (const { pid, vpn } of pages)
    mac.send(access(opcode.READ, pid, vpn * BigInt(pageSize), 8, new Uint8Array()), { userAtEnd: true });
  await allBack(b, { what: "frames", count: pages.length, had: () => frames().length });
  expect(new Set(frames()).size, "frames, each of them once").toBe(pages.length);
  await b.until(() => b.io.busy.value === 0);
}

const access = (code: number, pid: number, va: bigint, length: number, data: Uint8Array): Uint8Array =>
  udpFrame(client, node, clioMessage({ opcode: code, pid }, encode(accessBody, { va, length }), data));
/** An access on or beside a page that is mapped: of any length, often over the page's end. */
function randomAccess(random: Random): Uint8Array {
  const { pid, vpn } = random.pick(pages),
    length = random.pick([random.between(1, 8), random.between(1, 40), random.between(1, maxData), maxData]);
  const offset = random.chance(0.4)
    ? pageSize - random.between(1, Math.min(length + 4, pageSize))
    : random.between(0, pageSize - 1);
  const code = random.pick([opcode.READ, opcode.READ, opcode.WRITE, opcode.WRITE, opcode.WRITE_NOREPLY]),
    va = vpn * BigInt(pageSize) + BigInt(offset);
  return access(
    code,
    pid,
    va + (random.chance(0.03) ? 1n << BigInt(random.between(40, 63)) : 0n),
    length,
    code === opcode.READ ? new Uint8Array() : random.bytes(length),
  );
}

async function mixed(b: Bench<Ports>, count = 1500, like: AxiRamOptions = {}): Promise<void> {
  const { random } = b,
    all = rig(b, { rx: 0.2, tx: true, memory: 0.2 }, 5, like),
    { mac, out, model, shootdown, shot } = all;
  const wanted: Uint8Array[] = [];
  for (let i = 0; i < count; i++) {
    const frame = random.chance(0.6) ? randomAccess(random) : anyFrame(random),
      bad = random.chance(0.05);
    if (random.chance(0.1) && frame.length >= frameOffsets.body)
      encodeInto(clioHeader, { opcode: opcode.PINGPONG }, frame, frameOffsets.clio);
    // Without a retry buffer no request is distinguished from its repetition.
    if (frame.length >= frameOffsets.body)
      encodeInto(
        clioHeader,
        { ...decode(clioHeader, frame, frameOffsets.clio), flagTracked: 0 },
        frame,
        frameOffsets.clio,
      );
    mac.send(frame, { user: bad ? 1 : 0, userAtEnd: true });
    const said = model.receive(frame, bad);
    if (said.kind === "reply") wanted.push(said.frame);
  }
  // Pages are removed all the time, without effect on the replies.
  let forgotten = 0;
  const task = b.spawn(async () => {
    for (;;) {
      const { pid, vpn } = random.pick(pages);
      shootdown.send({ pid, vpn });
      await shot.recv();
      forgotten++;
      await b.cycles(random.between(1, 200));
    }
  });
  for (const [i, w] of wanted.entries()) {
    const { bytes } = await out.recv();
    if (Buffer.compare(bytes, w) !== 0)
      expect(Buffer.from(bytes).toString("hex"), `reply ${i}`).toBe(Buffer.from(w).toString("hex"));
  }
  await mac.drained();
  await b.until(() => b.io.busy.value === 0);
  await b.cycles(20);
  task.cancel();
  expect(out.frames).toEqual([]);
  const c = model.counters;
  expect(
    Math.min(
      forgotten,
      c.pageFaults,
      c.invalid,
      c.writePermission,
      c.reads,
      c.writes,
      c.writesNoReply,
      c.pingpongs,
      c.nacks,
    ),
  ).toBeGreaterThan(count / 150);
  await framesBack(b, all);
}
const options = { hangCycles: 5000, seed: 3 };

bench(
  "1,500 frames of all kinds with shootdowns in between: the replies of the reference model, in order",
  dut(),
  options,
  b => mixed(b),
);
for (const [like, memory] of Object.entries(legalMemories))
  bench(`600 frames of all kinds, a memory with ${like}`, dut(), options, b => mixed(b, 600, memory));

testOfResets(dut(), { most: 1500 }, b => mixed(b, 200));
bench(
  "a read of a beat: 8 cycles and the memory's from the request's last beat to the reply's first; a second page, a miss and a fault cost what is stated",
  dut(),
  options,
  async b => {
    const latency = 5,
      all = rig(b, { rx: 0, tx: false, memory: 0 }, latency),
      { mac, out, shootdown, shot } = all,
      [{ pid, vpn }] = pages as [(typeof pages)[number]];
    const timed = async (offset: number, length: number): Promise<number> => {
      await b.until(() => b.io.busy.value === 0 && b.io.freePages.value === config.freePageBuffer);
      const sent = mac.send(
          access(opcode.READ, pid, vpn * BigInt(pageSize) + BigInt(offset), length, new Uint8Array()),
        ),
        got = await out.recv();
      expect(dissect(got.bytes).clio?.status).toBe(status.OK);
      return got.start - (sent.end ?? 0);
    };
    const fault = await timed(0, 8),
      hit = await timed(0, 8);
    await timed(pageSize, 8);
    const crossing = await timed(pageSize - 4, 4 + 4);
    shootdown.send({ pid, vpn });
    await shot.recv();
    const miss = await timed(0, 8),
      beats = 8;
    expect({ hit, crossing, miss, fault }).toEqual({
      hit: 8 + latency,
      crossing: hit + 2,
      miss: hit + latency + beats + 4,
      fault: miss + latency + 2,
    });
    await framesBack(b, all);
  },
);

bench("an error of the memory: FAIL from the table, a bad frame from the page", dut(), options, async b => {
  const all = rig(b, { rx: 0, tx: false, memory: 0 }),
    { ram, mac, out } = all,
    [{ pid, vpn }] = pages as [(typeof pages)[number]];
  const read = async (page: bigint) => {
    mac.send(access(opcode.READ, pid, page * BigInt(pageSize), 8, new Uint8Array()));
    return out.recv();
  };
  ram.failAt({ from: config.firstPpn * pageSize, to: config.physicalMemory });
  expect((await read(vpn)).user).toBe(1);
  const bucket = bucketAddress(table, locate(table, pid, vpn + 1n, runtime.hashKey).index);
  ram.failAt({ from: bucket, to: bucket + bucketBytes });
  expect(dissect((await read(vpn + 1n)).bytes).clio?.status).toBe(status.FAIL);
  ram.mend();
  await framesBack(b, all);
});

/** Each beat of a bucket by itself: a page of it is not known then, whichever beat it is; others are. */
async function badBeats(b: Bench<Ports>): Promise<void> {
  const all = rig(b, { rx: 0, tx: false, memory: 0 }),
    { ram, mac, out } = all,
    [{ pid, vpn }, other] = pages as [(typeof pages)[number], (typeof pages)[number]],
    bucket = bucketAddress(table, locate(table, pid, vpn, runtime.hashKey).index);
  let from = 0,
    to = 0;
  ram.failAt({
    get from() {
      return from;
    },
    get to() {
      return to;
    },
  });
  const read = async (page: bigint): Promise<number | undefined> => {
    mac.send(access(opcode.READ, pid, page * BigInt(pageSize), 8, new Uint8Array()));
    return dissect((await out.recv()).bytes).clio?.status;
  };
  for (let beat = 0; beat < bucketBytes / 8; beat++) {
    [from, to] = [bucket + 8 * beat, bucket + 8 * beat + 8];
    expect(await read(vpn), `with beat ${beat} of its bucket bad`).toBe(status.FAIL);
    [from, to] = [0, 0];
    expect(await read(other.vpn), "another page").toBe(status.OK);
  }
  expect(await read(vpn), "with a good bucket").toBe(status.OK);
  await framesBack(b, all);
}
bench("an error of any one beat of a bucket", dut(), options, badBeats);
test("a fault: an error counts on a bucket's last beat only", () =>
  findsFault(
    runBench(
      "fault",
      plant(dut(), /found_error <= found_error \| /, "found_error <= "),
      { ...options, wave: false },
      badBeats,
    ),
    /of its bucket bad/,
  ));

/** The memory refuses so many writes of page table entries, then none. @returns the reply's status, and the writes */
async function refusedEntries(b: Bench<Ports>, refusals: number): Promise<{ status: number; writes: number }> {
  const all = rig(b, { rx: 0, tx: false, memory: 0 }),
    { ram, mac, out } = all,
    [{ pid, vpn }] = pages as [(typeof pages)[number]],
    bucket = bucketAddress(table, locate(table, pid, vpn, runtime.hashKey).index);
  let writes = 0;
  // Reads of the bucket come before its first write.
  const refuses = (): boolean => writes > 0 && writes <= refusals;
  ram.failAt({
    from: bucket,
    get to() {
      return refuses() ? bucket + bucketBytes : bucket;
    },
  });
  b.onEdge({ sample: () => void (writes += b.io.memAw.valid.value & b.io.memAw.ready.value) });
  mac.send(access(opcode.READ, pid, vpn * BigInt(pageSize), 8, new Uint8Array()));
  const reply = dissect((await out.recv()).bytes).clio;
  await b.cycles(20);
  expect(b.io.busy.value, "nothing is under way").toBe(0);
  const asked = writes;
  ram.mend();
  await framesBack(b, all);
  return { status: reply?.status ?? -1, writes: asked };
}
bench("a memory that refuses an entry is asked 16 times", dut(), options, async b => {
  expect(await refusedEntries(b, 5)).toEqual({ status: status.OK, writes: 6 });
});
bench("and then the request ends with FAIL", dut(), options, async b => {
  expect(await refusedEntries(b, 1000)).toEqual({ status: status.FAIL, writes: 16 });
});
test("a fault: an entry that the memory refused counts as written", async () => {
  const faulty = plant(dut(), /~\(\|b_payload_resp\)/, "1'b1");
  await findsFault(
    runBench("fault", faulty, { ...options, wave: false }, async b => {
      expect((await refusedEntries(b, 5)).writes).toBe(6);
    }),
  );
});

test("a fault: the frame of an entry that is refused 16 times is lost; the answers are right", () =>
  findsFault(
    runBench(
      "fault",
      plant(
        dut(),
        /(wire free_pop_ready = taken \| written)/,
        "$1 | (&tries & state == 4'd6 & b_valid & (|b_payload_resp))",
      ),
      { ...options, wave: false },
      async b => {
        expect(await refusedEntries(b, 1000)).toEqual({ status: status.FAIL, writes: 16 });
      },
    ),
    /frames that can be had at the end/,
  ));

test("a fault: the second page of an access is the first again", async () => {
  await findsFault(
    runBench("fault", plant(dut(), "+ {41'd0, step}", "+ {41'd0, step & 1'b0}"), { ...options, wave: false }, mixed),
  );
});
