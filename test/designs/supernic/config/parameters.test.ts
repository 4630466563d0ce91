import { describe, expect, it } from "vitest";
import { ConfigError, makeParameters, parseParameters } from "../../../../designs/supernic/config/index.ts";

const refusal = (...args: readonly string[]): string => {
  try {
    parseParameters(args);
  } catch (e) {
    if (e instanceof ConfigError) return e.message;
    throw e;
  }
  return "accepted";
};

describe("parameters", () => {
  it("have the design's defaults", () => {
    expect(makeParameters()).toEqual({
      ports: 4,
      dataWidth: 512,
      contexts: 256,
      cells: 1024,
      cellBytes: 256,
      users: 16,
      regions: 4,
      slots: 4,
      branches: 4,
      credits: 24,
      ntTypes: 32,
      userClasses: 4,
      linkBuffer: 65_536,
      memory: 2 ** 31,
      pageSize: 2 ** 21,
      spillRings: 4,
      spillRing: 2 ** 26,
      mtuFrame: 1536,
      reprogramTime: 5_000_000,
      epoch: 20_000,
      monitorPeriod: 5_000_000,
      drfTime: 3_000,
      peerPeriod: 1_000_000,
    });
  });
  it("read sizes and times as people write them", () => {
    expect(parseParameters(["mtuFrame=9018", "linkBuffer=128KB", "epoch = 10us", "memory=16 GB"])).toMatchObject({
      mtuFrame: 9018,
      linkBuffer: 131_072,
      epoch: 10_000,
      memory: 2 ** 34,
    });
  });
  it.each([
    [["regions=2", "slots=2", "contexts=32", "cells=16", "users=2"], "accepted"],
    [["ports=10"], 'ports = "10": must be a whole number from 2 to 9; the nearest is 9'],
    [["regions=0"], 'regions = "0": must be a whole number from 1 to 8; the nearest is 1'],
    [["slots=9"], 'slots = "9": must be a whole number from 1 to 8; the nearest is 8'],
    [["contexts=100"], 'contexts = "100": must be a power of two from 32 to 256; the nearest is 128'],
    [["region=4"], 'there is no setting "region"; did you mean regions?'],
    [["regions"], '"regions" is no setting; write key=value, such as regions=4'],
    [["users=4", "users=5"], 'users is set twice, to "4" and to "5"; give it once'],
    [
      ["cells=16", "mtuFrame=2500"],
      "mtuFrame = 2500 needs 20 cells of 256 bytes, for a frame and one of a second pass, and cells = 16; the nearest is cells = 32",
    ],
    [
      ["mtuFrame=9018"],
      "mtuFrame = 9018 needs a linkBuffer of 128 KB, and linkBuffer = 64 KB; set linkBuffer = 128 KB, or mtuFrame = 1536",
    ],
    [
      ["memory=512MB", "spillRing=256MB"],
      "spillRings = 4 of spillRing = 268435456 bytes take more than half of memory = 536870912 bytes; give spillRing = 67108864 or less",
    ],
    [["drfTime=20us"], "drfTime = 20000 ns does not end within epoch = 20000 ns; set a drfTime below the epoch"],
    [
      ["epoch=1ms", "monitorPeriod=20us"],
      "epoch = 1000000 ns is longer than monitorPeriod = 20000 ns; the nearest is monitorPeriod = 1000000",
    ],
    [["__proto__=1"], expect.stringContaining("there is no setting")],
  ])("%s: %s", (args, sentence) => expect(refusal(...args)).toEqual(sentence));
  it("what a refusal proposes is accepted", () => {
    expect(refusal("memory=512MB", "spillRing=67108864")).toBe("accepted");
    expect(refusal("mtuFrame=9018", "linkBuffer=128 KB")).toBe("accepted");
  });
});
