/** Replies taken apart: each kind, such as are nearly right, cut ones and damaged ones, long ones, and resets. */
import { describe, expect, test } from "vitest";
import { derived } from "../../../designs/legoos/config/index.ts";
import { own } from "../../../designs/legoos/rig/index.ts";
import { Receiver } from "../../../designs/legoos/rtl/index.ts";
import { flushAndFetch, part, partShift } from "../../../designs/legoos/wire/index.ts";
import {
  accessBody,
  clioHeader,
  clioMessage,
  frameOffsets,
  opcode,
  replyCode,
  status,
} from "../../../designs/clio/wire/index.ts";
import { concat, encode, udpFrame } from "../../../designs/shared/wire/index.ts";
import { AxisSource, type Bench, bernoulli, type Dut, type Random, runBench, StreamSink } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { small } from "./traffic.ts";

const p = small(),
  { beats } = derived(p),
  dut = Receiver(p),
  headers = frameOffsets.body + accessBody.bytes;
type Ports = typeof dut.ports;

interface Sample {
  readonly frame: Uint8Array;
  readonly damaged: boolean;
  /** What it says, when it is a reply at all. */
  readonly reply:
    | {
        readonly miss: number;
        readonly part: number;
        readonly requestId: number;
        readonly status: number;
        readonly whole: number;
      }
    | undefined;
}
/** Bytes that say whose the frame is: type, IPv4's version and length, protocol, its destination, the port's. */
const told = [12, 13, 14, 23, 30, 31, 32, 33, 36, 37];

/** @param inside bytes of another reply, which may stand in this one's data from a beat on */
function sample(r: Random, inside?: Uint8Array): Sample {
  // Half of them are lines that come, before they are changed.
  const line = r.chance(),
    miss = r.below(p.misses),
    which = line ? part.fetch : r.below(3),
    ofFetch = which === part.fetch,
    ok = line || r.chance(0.7),
    requestId = r.word(),
    codes = [
      ...(ofFetch ? [replyCode(opcode.READ)] : [replyCode(opcode.WRITE), flushAndFetch]),
      // Of the other part, and one bit from each.
      ...[replyCode(opcode.READ), replyCode(opcode.WRITE), flushAndFetch],
      r.pick([replyCode(opcode.READ), replyCode(opcode.WRITE), flushAndFetch]) ^ (1 << r.below(8)),
    ],
    code = line ? replyCode(opcode.READ) : r.pick(codes),
    state = ok ? status.OK : r.between(1, 12),
    length = line ? p.lineBytes : r.pick([p.lineBytes, 0, p.lineBytes - 1, p.lineBytes + 1, p.lineBytes * 2]),
    body = concat(encode(accessBody, { va: r.bits(42) << 6n, length }), r.bytes(length)),
    message = clioMessage(
      { tag: (which << partShift) | miss, opcode: code, status: state, requestId, pid: r.below(65536) },
      body,
    );
  let frame = udpFrame(
      { mac: r.bits(48), ip: r.word(), port: r.below(65536) },
      { mac: own.mac, ip: own.ip, port: own.port },
      message,
    ),
    mine = true;
  if (r.chance(0.2)) {
    const at = r.pick(told);
    frame[at] = (frame[at] as number) ^ (1 << r.below(8));
    mine = false;
  }
  // Cut anywhere behind the first beat's headers, or a few bytes around the line's end; or longer than it says.
  const end = headers + p.lineBytes;
  if (r.chance(0.3))
    frame = frame.slice(0, r.chance() ? r.between(end - 8, end + 2) : r.between(frameOffsets.body, frame.length));
  else if (r.chance(0.2)) frame = concat(frame, r.bytes(r.between(1, 200)));
  if (inside !== undefined && r.chance(0.2)) frame = concat(frame, r.bytes((64 - (frame.length % 64)) % 64), inside);
  const read = code === replyCode(opcode.READ),
    fits = ofFetch ? read : code === replyCode(opcode.WRITE) || code === flushAndFetch,
    whole = read && ok && message.length === clioHeader.bytes + accessBody.bytes + p.lineBytes && frame.length > 64,
    formed = !(ofFetch && ok) || whole,
    damaged = r.chance(0.1);
  return {
    frame,
    damaged,
    reply:
      mine && fits && formed && !damaged
        ? { miss, part: which, requestId, status: state, whole: whole ? 1 : 0 }
        : undefined,
  };
}
/** Who is waited for, and where its line goes: by its number, as the owner of the answer knows. */
const isExpected = (requestId: number): boolean => (requestId & 3) !== 0,
  placeOf = (requestId: number): number => (requestId >>> 4) % (p.sets * p.ways);

/** What must be seen of a sample, in order. */
function expectedOf({ frame, reply }: Sample): string[] {
  if (reply === undefined) return [];
  const out = [`answer ${JSON.stringify(reply)}`],
    number = reply.requestId;
  if (!isExpected(number)) return out;
  if (reply.whole === 0) return [...out, "done"];
  const inFrame = Math.ceil(frame.length / 64),
    cut = frame.length < headers + p.lineBytes;
  // The first of the frame's beats has no byte of the line; each behind the second completes one of the line's.
  for (let beat = 0; beat < Math.min(beats, inFrame - 2); beat++) {
    const data = frame.slice(headers + 64 * beat, headers + 64 * (beat + 1));
    out.push(
      `fill ${reply.miss} ${placeOf(number) * beats + beat} ${data.length < 64 ? "part" : Buffer.from(data).toString("hex")}`,
    );
  }
  return [...out, cut ? "cut" : "done"];
}

/** Lives of which all but the first and the last are ended by a reset. */
async function takesApart(b: Bench<Ports>, lives: number): Promise<void> {
  const { io, sim, random: r } = b,
    source = new AxisSource(sim, io.rx, { pause: bernoulli(0.2, r.word()) }),
    fill = new StreamSink(sim, io.fill, { pause: bernoulli(0.3, r.word()) });
  let seen: string[] = [];
  io.own.mac.value = own.mac;
  io.own.ip.value = own.ip;
  io.own.port.value = own.port;
  b.onEdge({
    sample: () => {
      const { valid, reply } = io.answer;
      if (valid.value === 1)
        seen.push(
          `answer ${JSON.stringify({ miss: reply.miss.value, part: reply.part.value, requestId: reply.requestId.value, status: reply.status.value, whole: reply.whole.value })}`,
        );
      for (let f = fill.take(); f; f = fill.take()) {
        const { owner, id, write, address, strb, data } = f.value;
        expect([owner, write, strb]).toEqual(["fill", 1, (1n << 64n) - 1n]);
        const bytes = BigInt(data).toString(16).padStart(128, "0");
        seen.push(`fill ${id} ${address} ${Buffer.from(bytes, "hex").reverse().toString("hex")}`);
      }
      if (io.done.value === 1) seen.push("done");
      if (io.cut.value === 1) seen.push("cut");
      // What the answer says stands three cycles before it: its owner knows by then.
      io.expected.value = isExpected(reply.requestId.value) ? 1 : 0;
      io.place.value = placeOf(reply.requestId.value);
    },
  });
  for (let life = 0; life < lives; life++) {
    const ends = life > 0 && life < lives - 1,
      samples = Array.from({ length: life === 0 ? 150 : 30 }, () => sample(r, sample(r).frame));
    for (const { frame, damaged } of samples) source.send(frame, { user: damaged ? 1 : 0, userAtEnd: true });
    if (ends) {
      await b.cycles(r.between(1, 300));
      source.forget();
      sim.reset(1);
      seen = [];
      continue;
    }
    await source.drained();
    await b.cycles(200);
    const expected = samples.flatMap(expectedOf);
    // A line's beat that has not all of its bytes says nothing of the others.
    const same = expected.map((e, i) =>
      e.endsWith("part") && seen[i]?.startsWith(e.slice(0, -4)) === true ? e : seen[i],
    );
    expect(same).toEqual(expected);
    expect(seen.length).toBe(expected.length);
    seen = [];
  }
}
const run = (design: Dut<Ports> = dut): Promise<void> =>
  runBench("receiver", design, { seed: 1, wave: false, limitCycles: 60_000 }, b => takesApart(b, 14));

test("answers, lines, ends and cuts, in the order of the frames", () => run());
describe("planted faults", () => {
  test.each<readonly [string, string | RegExp, string]>([
    ["a refused compound is no answer", /== 8'(?:d70|h46)/, "== 8'd69"],
    [
      "what stands in the data of a frame that is skipped is a reply",
      "state_skip: if (frames_pop_valid & frames_pop_ready & frames_pop_payload_last)",
      "state_skip: if (frames_pop_valid & frames_pop_ready)",
    ],
    ["a frame that is too short is whole", /frames_pop_payload_keep\[5\]/g, "frames_pop_payload_keep[0]"],
  ])("%s", (_, from, to) => findsFault(run(plant(dut, from, to))));
});
