/** One image, several places: the same replies, byte for byte, by what `mnemo run wickit` does. */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { root } from "../../../scripts/setup/paths.mjs";
import { parseSettings } from "../../../designs/wickit/config/index.ts";
import { parseSetup, playAt } from "../../../designs/wickit/rig/index.ts";
import { figureHook } from "../../../designs/wickit/evaluation/index.ts";
import { figureOf } from "../../../designs/shared/evaluation/index.ts";
import { example } from "./support/programs.ts";

const replies = async (name: "list" | "log" | "kv", place: string) => {
  const file = `examples/wickit/${name}.setup.json`,
    setup = parseSetup(readFileSync(join(root, file), "utf8"), file),
    image = example(name),
    calls = setup.requests.map(r => ({ program: image.programs.indexOf(r.program), words: r.words }));
  const got = await playAt(parseSettings([`place=${place}`, "mostSteps=4000"]), image, setup, calls, 1);
  return got.map(({ status, words }) => ({ status, words }));
};

describe("the examples at all three places", () => {
  test("list", async () => {
    const node = await replies("list", "node");
    for (const place of ["snic", "client"]) expect(await replies("list", place), place).toEqual(node);
    expect(node.map(r => r.words)).toEqual([1n, 2n, 4n, 8n, 16n].map(n => [999n + n]));
  });
  test("log", async () => {
    const node = await replies("log", "node");
    for (const place of ["snic", "client"]) expect(await replies("log", place), place).toEqual(node);
    expect(node.map(r => r.words)).toEqual([[], [0n], [0xaan], [1n], [0xbbn]]);
  });
  test("key-value store", async () => {
    const node = await replies("kv", "node");
    for (const place of ["snic", "client"]) expect(await replies("kv", place), place).toEqual(node);
    expect(node.slice(-3).map(r => r.words)).toEqual([[261n], [262n], []]);
  });
});

describe("settings and setups say what is wrong", () => {
  for (const [set, message] of [
    [["contexts=3"], /contexts = "3": .*power of two/],
    [["contexts=128"], /contexts = "128"/],
    [["maxInFlight=65"], /must be a whole number from 1 to 64/],
    [["replyWords=9"], /from 1 to 8/],
    [["place=moon"], /must be client, node or snic/],
    [["place=snic", "beatBytes=8"], /give beatBytes=64/],
    [["slots=8"], /slots = "8"/],
    [["context=4"], /did you mean contexts/],
  ] as const)
    test(set.join(), () => {
      expect(() => parseSettings(set)).toThrow(message);
    });
  for (const [text, message] of [
    ["{", /is no JSON/],
    ['{"base": "x", "bytes": 1, "requests": []}', /base: is no number|base:/],
    ['{"base": 0, "bytes": 4096, "requests": [{"program": "p", "words": [1,2,3,4,5,6,7,8,9]}]}', /requests.0.words/],
  ] as const)
    test(text, () => {
      expect(() => parseSetup(text, "s.json")).toThrow(message);
    });
});

test("with the paper's constants put in the latencies are the paper's within 7 %", async () => {
  const definition = figureHook.definitions.find(d => d.number === "3.8");
  if (!definition) throw new Error("there is no figure 3.8");
  const figure = await figureOf(definition, { seed: 1, quick: true });
  expect(figure.standing).toBe("calibrated");
  expect(figure.verdicts.map(v => [v.says, v.holds])).toEqual(figure.verdicts.map(v => [v.says, true]));
  expect(figure.verdicts.length).toBe(3);
});
