/** The header of Go-Back-N taken out of frames and put into them, against a model of bytes. */
import { describe, expect, test } from "vitest";
import {
  gbnBytes,
  GbnInsert,
  gbnOffset,
  GbnRemove,
  tagBits,
  tagPrefix,
  ticketBits,
} from "../../../../../designs/shared/go-back-n/rtl/index.ts";
import { ethernetHeader, headerOffsets, ipv4Header, udpHeader } from "../../../../../designs/shared/wire/index.ts";
import {
  AxisSink,
  AxisSource,
  type Bench,
  bernoulli,
  type Dut,
  never,
  type Pause,
  poke,
  type Random,
  runBench,
  StreamSource,
} from "../../../../../sim/index.ts";
import { afterValid } from "../../../../support/after-valid.ts";
import { findsFault, plant } from "../../../../support/plant.ts";
import { testOfResets } from "../../../../support/reset-any-time.ts";

const parameterSets = [
  { beatBytes: 8, frameBytes: 256 },
  { beatBytes: 16, frameBytes: 512 },
  { beatBytes: 64, frameBytes: 1514 },
] as const;
type Set = (typeof parameterSets)[number];
type RemovePorts = ReturnType<typeof GbnRemove>["ports"];
type InsertPorts = ReturnType<typeof GbnInsert>["ports"];
const actions = ["discard", "asIs", "shift"] as const;
type Action = (typeof actions)[number];

/** A number in network order. */
const bytesOf = (v: bigint, n: number): Uint8Array =>
  Uint8Array.from({ length: n }, (_, i) => Number((v >> BigInt(8 * (n - 1 - i))) & 255n));

/** The lengths that a plan gives, put into a frame's headers; the UDP checksum becomes 0. */
function withLengths(frame: Uint8Array, v: { ipLength: number; checksum: number; udpLength: number }): void {
  const { network, transport } = headerOffsets;
  frame.set(bytesOf(BigInt(v.ipLength), 2), network + ipv4Header.at.totalLength.byteOffset);
  frame.set(bytesOf(BigInt(v.checksum), 2), network + ipv4Header.at.checksum.byteOffset);
  frame.set(bytesOf(BigInt(v.udpLength), 2), transport + udpHeader.at.length.byteOffset);
  frame.set([0, 0], transport + udpHeader.at.checksum.byteOffset);
}
const randomLengths = (r: Random) => ({
  ipLength: r.between(0, 65535),
  checksum: r.between(0, 65535),
  udpLength: r.between(0, 65535),
});
/** A frame's length: as short as its action allows, now and then, or as long as a frame can be, or any. */
const lengthOf = (r: Random, action: Action, shortest: number, longest: number): number =>
  r.pick([0, 1, 2, 3]) === 0
    ? r.between(action === "shift" ? shortest : 1, shortest + 20)
    : r.pick([longest, r.between(shortest, longest), r.between(shortest, shortest + 80)]);

interface Wanted {
  readonly bytes: Uint8Array;
  readonly user: number;
}
/** What comes out, frame by frame, until all that was given is taken. */
async function expectFrames(
  b: Pick<Bench, "cycles" | "until">,
  sink: AxisSink,
  given: () => number,
  wanted: readonly Wanted[],
): Promise<void> {
  for (const [i, w] of wanted.entries()) {
    const f = await sink.recv();
    expect(Buffer.from(f.bytes).toString("hex"), `frame ${i}`).toBe(Buffer.from(w.bytes).toString("hex"));
    expect(Number(f.user), `what is told of frame ${i}`).toBe(w.user);
  }
  await b.until(() => given() === 0);
  await b.cycles(12);
  expect(sink.frames.length, "frames more").toBe(0);
}

type Given = readonly (readonly [Action, number])[];
/** Random actions and lengths. */
const anyFrames = (r: Random, count: number, shortest: number, longest: number): Given =>
  Array.from({ length: count }, () => {
    const action = r.pick(actions);
    return [action, lengthOf(r, action, shortest, longest)] as const;
  });
/** Each number of bytes in a last beat, and a frame of more beats than are counted. */
const everyEnd = (p: Set, shortest: number): Given => [
  ...(["asIs", "shift"] as const).flatMap(action =>
    Array.from({ length: p.beatBytes }, (_, i) => [action, shortest + i] as const),
  ),
  ...Array.from({ length: p.beatBytes }, (_, i) => ["asIs", 1 + i] as const),
  ["shift", 3 * p.frameBytes + 80 * p.beatBytes + 3],
];

/** Frames with a plan each: swallowed, as they are, or without the header and with the tag for the sender's MAC. */
async function removes(
  b: Bench<RemovePorts>,
  p: Set,
  count: number,
  pause: (n: number) => Pause,
  given = anyFrames(b.random, count, gbnOffset + gbnBytes + 1, p.frameBytes),
): Promise<void> {
  const plan = new StreamSource(b.sim, b.io.plan, { pause: pause(1) }),
    beats = new AxisSource(b.sim, b.io.beats, { pause: pause(2) }),
    tx = new AxisSink(b.sim, b.io.tx, { pause: pause(3) }),
    r = b.random,
    wanted: Wanted[] = [];
  for (const [action, length] of given) {
    const bytes = r.bytes(length),
      user = Number(r.chance(0.3)),
      ticket = r.between(0, 2 ** ticketBits - 1),
      tag = r.between(0, 2 ** tagBits - 1),
      lengths = randomLengths(r);
    plan.send({ action, ticket, tag, ...lengths });
    beats.send(bytes, { user, userAtEnd: true });
    if (action === "discard") continue;
    const whole = bytes.slice();
    if (action === "shift") {
      const mac = (BigInt(tagPrefix) << BigInt(ticketBits + tagBits)) | (BigInt(ticket) << BigInt(tagBits));
      whole.set(bytesOf(mac | BigInt(tag), 6), ethernetHeader.at.src.byteOffset);
      withLengths(whole, lengths);
    }
    const rest = [...whole.subarray(0, gbnOffset), ...whole.subarray(gbnOffset + gbnBytes)];
    wanted.push({ bytes: action === "shift" ? Uint8Array.from(rest) : whole, user });
  }
  await expectFrames(b, tx, () => plan.pending + beats.pending, wanted);
}

/** The way back: the header goes in, and the receiver's MAC is the plan's. */
async function inserts(
  b: Bench<InsertPorts>,
  p: Set,
  count: number,
  pause: (n: number) => Pause,
  given = anyFrames(b.random, count, gbnOffset + 1, p.frameBytes - gbnBytes),
): Promise<void> {
  const plan = new StreamSource(b.sim, b.io.plan, { pause: pause(1) }),
    beats = new AxisSource(b.sim, b.io.beats, { pause: pause(2) }),
    tx = new AxisSink(b.sim, b.io.tx, { pause: pause(3) }),
    r = b.random,
    wanted: Wanted[] = [];
  for (const [action, length] of given) {
    const bytes = r.bytes(length),
      // A frame with an error ends before it gets a header.
      user = action === "shift" ? 0 : Number(r.chance(0.3)),
      mac = r.bits(48),
      header = r.bits(8 * gbnBytes),
      lengths = randomLengths(r);
    plan.send({ action, mac, header, ...lengths });
    beats.send(bytes, { user, userAtEnd: true });
    if (action === "discard") continue;
    const whole = bytes.slice();
    if (action === "shift") {
      whole.set(bytesOf(mac, 6), ethernetHeader.at.dst.byteOffset);
      withLengths(whole, lengths);
    }
    const between = bytesOf(header, gbnBytes).reverse(),
      longer = Uint8Array.from([...whole.subarray(0, gbnOffset), ...between, ...whole.subarray(gbnOffset)]);
    wanted.push({ bytes: action === "shift" ? longer : whole, user });
  }
  await expectFrames(b, tx, () => plan.pending + beats.pending, wanted);
}

const slow = (n: number): Pause => bernoulli(0.3, n),
  fast = (): Pause => never,
  limits = { wave: false, hangCycles: 300 } as const;
describe.each(parameterSets)("the Go-Back-N header, beats of $beatBytes bytes", p => {
  const remove = (dut: Dut<RemovePorts>, pause: (n: number) => Pause): Promise<void> =>
      runBench("remove", dut, limits, b => removes(b, p, 150, pause)),
    insert = (dut: Dut<InsertPorts>, pause: (n: number) => Pause): Promise<void> =>
      runBench("insert", dut, limits, b => inserts(b, p, 150, pause));
  test("is taken out, under random back-pressure", () => remove(GbnRemove(p), slow));
  test("is taken out, without a pause", () => remove(GbnRemove(p), fast));
  test("is put in, under random back-pressure", () => insert(GbnInsert(p), slow));
  test("is put in, without a pause", () => insert(GbnInsert(p), fast));
  const removesEnds = (dut: Dut<RemovePorts>): Promise<void> =>
      runBench("remove", dut, limits, b => removes(b, p, 0, fast, everyEnd(p, gbnOffset + gbnBytes + 1))),
    insertsEnds = (dut: Dut<InsertPorts>): Promise<void> =>
      runBench("insert", dut, limits, b => inserts(b, p, 0, fast, everyEnd(p, gbnOffset + 1)));
  test("last beats of every length, and a frame longer than beats are counted", async () => {
    await removesEnds(GbnRemove(p));
    await insertsEnds(GbnInsert(p));
  });
  test("takers that are ready only after a valid", async () => {
    await runBench("remove", GbnRemove(p), limits, b =>
      removes(b, p, 60, n => (n === 3 ? afterValid(b.io.tx) : never)),
    );
    await runBench("insert", GbnInsert(p), limits, b =>
      inserts(b, p, 60, n => (n === 3 ? afterValid(b.io.tx) : never)),
    );
  });
  testOfResets(GbnRemove(p), {}, b => removes(b, p, 60, slow));
  testOfResets(GbnInsert(p), {}, b => inserts(b, p, 60, slow));

  test("latency 2 and 1, and a beat per cycle without a bubble between frames", async () => {
    const lengths = { ipLength: 0, checksum: 0, udpLength: 0 },
      span = async (b: Bench<RemovePorts> | Bench<InsertPorts>): Promise<readonly [number, number]> => {
        const { io } = b,
          given: number[] = [],
          taken: number[] = [],
          beats = new AxisSource(b.sim, io.beats);
        b.onEdge({
          sample: cycle => {
            if (io.beats.valid.value === 1 && io.beats.ready.value === 1) given.push(cycle);
            if (io.tx.valid.value === 1) taken.push(cycle);
          },
        });
        io.plan.valid.value = 1;
        io.tx.ready.value = 1;
        for (let i = 0; i < 20; i++) beats.send(b.random.bytes(3 * p.beatBytes));
        await b.until(() => taken.length === 60);
        return [taken[0]! - given[0]!, taken.at(-1)! - taken[0]! - 59];
      };
    const removed = await runBench("pace", GbnRemove(p), limits, b => {
      poke(b.io.plan.payload, { action: "asIs", ticket: 0, tag: 0, ...lengths });
      return span(b);
    });
    const inserted = await runBench("pace", GbnInsert(p), limits, b => {
      poke(b.io.plan.payload, { action: "asIs", mac: 0, header: 0, ...lengths });
      return span(b);
    });
    expect({ removed, inserted }).toEqual({ removed: [2, 0], inserted: [1, 0] });
  });

  test.each([
    ["the beat behind the header is not looked at", /absorbs = [^;]*;/, "absorbs = 1'b0;"],
    ["what is to be swallowed goes on", /discards = [^;]*;/, "discards = 1'b0;"],
    ["beats are not counted", /index <= [^;]*;/, "index <= 0;"],
  ] as const)("a planted fault in the taking out is found: %s", (_, from, to) =>
    findsFault(remove(plant(GbnRemove(p), from, to), slow)),
  );
  test.each([
    ["the bytes that spill are lost", /spills = [^;]*;/, "spills = 1'b0;"],
    ["what is to be swallowed goes on", /discards = [^;]*;/, "discards = 1'b0;"],
  ] as const)("a planted fault in the putting in is found: %s", (_, from, to) =>
    findsFault(insert(plant(GbnInsert(p), from, to), slow)),
  );
});
