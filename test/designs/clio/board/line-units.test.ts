/** The serial line's blocks: lengths of frames, payloads that mean nothing, a reset on a low line. */
import { describe, expect, test } from "vitest";
import { slip } from "../../../../designs/clio/board/index.ts";
import { SlipDecoder, SlipEncoder } from "../../../../designs/clio/board/slip.ts";
import { UartRx } from "../../../../designs/clio/board/uart.ts";
import { type Bench, type Design, designOf, runBench } from "../../../../sim/index.ts";
import { findsFault, plant } from "../../../support/plant.ts";

const beatBytes = 8;
const decoder = SlipDecoder({ beatBytes }),
  encoder = SlipEncoder({ beatBytes }),
  divider = 8,
  receiver = UartRx({ divider });

/** Frames of each length around two beats: the bytes that `keep` names are the frame's, and no others. */
async function lengths(b: Bench<typeof decoder.ports>): Promise<void> {
  const { byte, beat } = b.io;
  const got: number[] = [];
  let ended = false;
  const put = async (v: number): Promise<void> => {
    byte.valid.value = 1;
    byte.data.value = v;
    byte.broken.value = 0;
    await b.cycles(1);
    byte.valid.value = 0;
    // Outputs are seen a cycle late.
    await b.cycles(1);
    if (beat.valid.value === 0) return;
    const data = BigInt(beat.data.value);
    for (let i = 0; i < beatBytes; i++) if ((beat.keep.num >> i) & 1) got.push(Number((data >> BigInt(8 * i)) & 255n));
    ended = beat.last.value === 1;
  };
  byte.valid.value = 0;
  for (let length = 1; length <= 2 * beatBytes + 1; length++) {
    const frame = Array.from({ length }, (_, i) => i + 1);
    got.length = 0;
    for (const v of frame) await put(v);
    await put(slip.END);
    expect([got, ended], `a frame of ${length} bytes`).toEqual([frame, true]);
    ended = false;
  }
}

/** Between beats the payload is anything, and the line may take a byte: the frame's bytes are sent, and no others. */
async function idlePayload(b: Bench<typeof encoder.ports>): Promise<void> {
  const { from, to } = b.io,
    sent: number[] = [],
    { random } = b;
  const wanted: number[] = [];
  to.ready.value = 1;
  from.valid.value = 0;
  const cycle = async (): Promise<boolean> => {
    await b.cycles(1);
    if (to.valid.value === 1) sent.push(to.payload.value);
    return from.ready.value === 1;
  };
  const endings = BigInt(`0x${slip.END.toString(16).repeat(beatBytes)}`);
  for (let n = 0; n < 60; n++) {
    const count = random.between(1, beatBytes);
    for (let i = random.below(4); i > 0; i--) {
      from.payload.data.value = random.pick([endings, 0n, random.bits(64)]);
      from.payload.keep.value = random.pick([1, 255]);
      from.payload.last.value = random.below(2);
      from.payload.user.value = random.below(2);
      await cycle();
    }
    const bytes = Array.from({ length: count }, () => random.between(1, 100));
    from.payload.data.value = bytes.reduce((d, v, i) => d | (BigInt(v) << BigInt(8 * i)), 0n);
    from.payload.keep.value = 2 ** count - 1;
    from.payload.last.value = 1;
    from.payload.user.value = 0;
    from.valid.value = 1;
    while (!(await cycle()));
    from.valid.value = 0;
    wanted.push(...bytes, slip.END);
  }
  await b.cycles(4);
  expect(sent.slice(0, wanted.length - 1)).toEqual(wanted.slice(0, -1));
}

/** A reset while the line is low: the byte that is on it has no start, and the first byte after the rest is whole. */
async function resetOnLowLine(b: Bench<typeof receiver.ports>): Promise<void> {
  const { line, byte } = b.io,
    got: number[] = [];
  const hold = async (level: number, cycles = divider): Promise<void> => {
    line.value = level;
    for (let i = 0; i < cycles; i++) {
      await b.cycles(1);
      if (byte.valid.value === 1) got.push(byte.data.value);
    }
  };
  line.value = 0;
  await b.cycles(5);
  b.sim.reset();
  await hold(0, 20 * divider);
  await hold(1, 20 * divider);
  expect(got, "bytes of a line that was never at rest").toEqual([]);
  for (const bit of [0, 1, 0, 1, 0, 0, 1, 1, 0, 1]) await hold(bit);
  await hold(1, 2 * divider);
  expect(got).toEqual([0b01100101]);
}

describe("the decoder", () => {
  const run = (of: Design<typeof decoder.ports>): Promise<void> =>
    runBench("lengths", of, { seed: 1, wave: false }, lengths);
  test("gives each frame's bytes, whatever their number", () => run(designOf(decoder)));
  test("a planted fault is found: seven bytes are eight", () =>
    findsFault(run(plant(decoder, "count > 4'd7", "count >= 4'd7")), /a frame of 7 bytes/));
});

describe("the encoder", () => {
  const run = (of: Design<typeof encoder.ports>): Promise<void> =>
    runBench("idle payload", of, { seed: 1, wave: false }, idlePayload);
  test("sends no byte of what is no beat", () => run(designOf(encoder)));
  test("a planted fault is found: it goes on while it has nothing to send", () =>
    findsFault(run(plant(encoder, "else if (to_valid & to_ready)", "else if (to_ready)"))));
});

describe("the receiver", () => {
  const run = (of: Design<typeof receiver.ports>): Promise<void> =>
    runBench("a low line", of, { seed: 1, wave: false }, resetOnLowLine);
  test("waits after a reset until the line has been at rest", () => run(designOf(receiver)));
  test("a planted fault is found: it takes the line for rested", () =>
    findsFault(run(plant(receiver, "rested <= 1'b0;", "rested <= 1'b1;")), /never at rest/));
});
