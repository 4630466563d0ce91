import { describe, expect, test } from "vitest";
import { accessBody, clioHeader, clioMessage, frameOffsets, opcode } from "../../../designs/clio/wire/index.ts";
import { Splitter } from "../../../designs/legoos/rtl/index.ts";
import { compoundBody, flushAndFetch } from "../../../designs/legoos/wire/index.ts";
import { encode, type Endpoint, udpFrame } from "../../../designs/shared/wire/index.ts";
import { AxisSink, AxisSource, bernoulli, type Dut, type Random, runBench } from "../../../sim/index.ts";
import { findsFault, plant } from "../../support/plant.ts";
import { spreadIp, spreadMac, spreadPort } from "../../support/spread.ts";

const endOf = (n: number, salt: number) => ({
  mac: spreadMac(n, salt),
  ip: spreadIp(n, salt),
  port: spreadPort(n, salt),
});

/** A frame, what must come out for it, and whether it is damaged. */
interface Sample {
  readonly whole: Uint8Array;
  readonly out: readonly Uint8Array[];
  readonly damaged: boolean;
}
/** Bytes that say that a frame is a compound: its type, IPv4's length and protocol, the opcode. */
const told = [12, 13, 23, frameOffsets.clio + clioHeader.at.opcode.byteOffset];

/**
 * A sender for which the sum of the READ's IPv4 header, without its length, is near the carry of 16 bits: so the new
 * length may carry and may not.
 */
function nearCarry(r: Random, from: Endpoint, to: Endpoint): Endpoint {
  const frame = udpFrame({ ...from, ip: (from.ip & 0xffff_0000) >>> 0 }, to, new Uint8Array()),
    words = Array.from({ length: 10 }, (_, i) => 14 + 2 * i).filter(at => at !== 16 && at !== 24),
    sum = words.reduce((n, at) => n + 256 * (frame[at] as number) + (frame[at + 1] as number), 0) % 0xffff;
  return { ...from, ip: ((from.ip & 0xffff_0000) | ((r.between(0xff80, 0xfffe) - sum + 0xffff) % 0xffff)) >>> 0 };
}

function sample(r: Random): Sample {
  const to = endOf(r.below(4), 1),
    any = endOf(r.below(8), 0),
    from = r.chance() ? any : nearCarry(r, any, to),
    kind = r.below(7),
    data = r.bytes(kind === 3 ? r.between(0, 40) : 64 * r.between(2, 8)),
    miss = r.below(16),
    head = {
      ...{ pid: r.below(65536), requestId: r.word(), retryOf: r.word(), flagTracked: 1, flagRetry: r.below(2) },
      ...{ seqId: r.below(256), flagRepl: r.below(2), flagRoute: r.below(2) },
    };
  const va = r.bits(42) << 6n,
    fetchVa = r.bits(42) << 6n,
    damaged = r.chance(0.2),
    access = (v: bigint, length = data.length) => encode(accessBody, { va: v, length });
  const frame = (...m: Parameters<typeof clioMessage>): Uint8Array => udpFrame(from, to, clioMessage(...m));
  const asItIs = (f: Uint8Array): Sample => ({ whole: f, out: [f], damaged });
  if (kind === 1) return asItIs(frame({ ...head, tag: miss, opcode: opcode.READ }, access(va, 64)));
  if (kind === 2) return asItIs(frame({ ...head, tag: miss, opcode: opcode.WRITE }, access(va), data));
  if (kind === 3) return asItIs(udpFrame(from, to, data));
  const whole = frame(
    { ...head, tag: miss | 16, opcode: flushAndFetch },
    encode(compoundBody, { flushVa: va, fetchVa }),
    data,
  );
  // A compound that was cut before its line, or within it.
  if (kind === 4) return asItIs(whole.slice(0, r.between(1, 128)));
  // One bit of what makes it a compound is another; or IPv4 has options.
  if (kind === 5) {
    const at = r.pick([...told, 14]);
    whole[at] = (whole[at] as number) ^ (1 << r.below(at === 14 ? 4 : 8));
    return asItIs(whole);
  }
  // It says that it has no data.
  if (kind === 6 && r.chance()) {
    const size = frameOffsets.clio + clioHeader.at.size.byteOffset,
      few = r.pick([
        0,
        1,
        clioHeader.bytes,
        clioHeader.bytes + accessBody.bytes - 1,
        clioHeader.bytes + accessBody.bytes,
      ]);
    whole.set([few, 0], size);
    return asItIs(whole);
  }
  const out = [
    frame({ ...head, tag: miss | 16, opcode: opcode.WRITE }, access(va), data),
    frame({ ...head, flagTracked: 0, flagRetry: 0, retryOf: 0, tag: miss, opcode: opcode.READ }, access(fetchVa)),
  ];
  // Of a damaged one nothing is read.
  return { whole, out: damaged ? out.slice(0, 1) : out, damaged };
}

const run = (design: Dut<ReturnType<typeof Splitter>["ports"]> = Splitter(), frames = 200) =>
  runBench("splitter", design, { seed: 1, wave: false, limitCycles: 20_000 }, async b => {
    const source = new AxisSource(b.sim, b.io.from, { pause: bernoulli(0.2, 1) }),
      sink = new AxisSink(b.sim, b.io.to, { pause: bernoulli(0.3, 2) }),
      samples = Array.from({ length: frames }, () => sample(b.random));
    for (const { whole, damaged } of samples) source.send(whole, { user: damaged ? 1 : 0, userAtEnd: true });
    for (const { out, damaged } of samples)
      for (const expected of out) {
        const { bytes, user } = await sink.recv();
        expect(Array.from(bytes)).toEqual(Array.from(expected));
        expect(user).toBe(damaged ? 1 : 0);
      }
    await b.cycles(40);
    expect(sink.take()).toBeUndefined();
  });

test("a compound becomes a WRITE and a READ, all else passes as it is", () => run(undefined));

describe("planted faults", () => {
  const faults: readonly (readonly [string, string | RegExp, string])[] = [
    ["the READ keeps the length of the whole", /16'd28/, "16'd29"],
    ["every frame with data is taken for a compound", / == 8'(?:d70|h46)/, " != 8'd255"],
    ["the READ is forgotten", "splits & ~from_payload_user", "1'b0"],
    ["a damaged compound is read, too", "splits & ~from_payload_user", "splits"],
    ["a compound without a line is taken for one", /& ~held_last;/, ";"],
    ["the new length never carries", /\+ \{15'd0, ([a-z_0-9]*)\[16\]\}/g, "- {15'd0, $1[16]}"],
    ["options are taken for a body", /== 4'd5\)/, "!= 4'd0)"],
  ];
  for (const [what, a, z] of faults) test(what, () => findsFault(run(plant(Splitter(), a, z))));
});
