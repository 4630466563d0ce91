/** Frames that a person writes: what is taken, what is refused, and what comes back to whom. */
import { expect, test } from "vitest";
import { firstFrame, frameOf, hexOf, OwnFrames } from "../../playground/own-frames.ts";
import { NetworkModel, SimulatedTime } from "../../sim/index.ts";

test("digits are bytes, whatever blanks stand between them", () => {
  const bytes = Uint8Array.from({ length: 40 }, (_, i) => 7 * i);
  expect(frameOf(hexOf(bytes))).toEqual(bytes);
  expect(frameOf(` ${hexOf(bytes).replaceAll(" ", "").toUpperCase()}\n`)).toEqual(bytes);
  expect(
    hexOf(bytes)
      .split("\n")
      .map(l => l.length),
  ).toEqual([47, 47, 23]);
  expect(frameOf(firstFrame({ mac: 1n, ip: 2 }))).toHaveLength(60);
});

test.each([
  ["0x00", 'the frame has "x" among its digits; write bytes as two hexadecimal digits each'],
  ["00 0", "the frame has 3 digits, half a byte at its end; write two for each byte"],
  ["", "the frame has 0 bytes; give 14 to 1514"],
  ["00".repeat(13), "the frame has 13 bytes; give 14 to 1514"],
  ["00".repeat(1515), "the frame has 1515 bytes; give 14 to 1514"],
])("refused in a sentence: %.20s", (text, sentence) => {
  expect(() => frameOf(text)).toThrow(sentence);
});

test("each source MAC is a station, and what comes back is taken once", () => {
  let now = 0;
  const time = new SimulatedTime(() => now),
    network = new NetworkModel(time, { seed: 1 });
  const own = new OwnFrames(network),
    frame = (to: string, from: string): string => `${to}${from}1234${"00".repeat(46)}`;
  const a = "02000000000a",
    b = "02000000000b";
  own.send(frame(b, a));
  own.send(frame(a, b));
  own.send(frame(a, b));
  for (let i = 0; i < 100; i++) {
    now += 1000;
    time.advance();
  }
  // The first went to a MAC that nobody had yet.
  expect(network.unknown).toBe(1);
  expect(own.taken().map(hexOf)).toEqual([frame(a, b), frame(a, b)].map(f => hexOf(frameOf(f))));
  expect(own.taken()).toEqual([]);
});
