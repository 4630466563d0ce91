/** Settings: what a field takes, what it says of all else, and how `key=value` is read. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import {
  bytesOneOf,
  bytesPowerOfTwo,
  checkSettings,
  flag,
  formatBytes,
  keyValues,
  nanoseconds,
  oneOf,
  parseBytes,
  parseNanoseconds,
  powerOfTwo,
  range,
  refuseUnknown,
  textOr,
  word,
  words,
} from "../../../../designs/shared/settings/index.ts";

class Refused extends Error {}

/** A field, what it takes with what that means, and what it refuses with the sentence. */
interface Case {
  readonly name: string;
  readonly field: z.ZodType;
  readonly takes: readonly (readonly [given: unknown, meaning: unknown])[];
  readonly refuses: readonly (readonly [given: unknown, sentence: string])[];
}
const parameterSets: readonly Case[] = [
  {
    name: "oneOf",
    field: oneOf([1, 2, 8]),
    takes: [
      [8, 8],
      ["0x2", 2],
    ],
    refuses: [
      [5, "must be 1, 2 or 8; the nearest is 8"],
      ["two", "must be 1, 2 or 8"],
    ],
  },
  {
    name: "bytesOneOf",
    field: bytesOneOf([4096, 2 ** 21]),
    takes: [
      ["4KB", 4096],
      ["2 MiB", 2 ** 21],
    ],
    refuses: [["1MB", "must be 4 KB or 2 MB; the nearest is 2 MB"]],
  },
  {
    name: "powerOfTwo",
    field: powerOfTwo(4, 64),
    takes: [[4, 4]],
    refuses: [
      [24, "must be a power of two from 4 to 64; the nearest is 32"],
      [0, "must be a power of two from 4 to 64; the nearest is 4"],
      ["", "must be a power of two from 4 to 64"],
    ],
  },
  {
    name: "bytesPowerOfTwo",
    field: bytesPowerOfTwo(1024, 4096),
    takes: [["2k", 2048]],
    refuses: [["3k", "must be a power of two from 1 KB to 4 KB; the nearest is 4 KB"]],
  },
  {
    name: "range",
    field: range(2, 9, " ports"),
    takes: [
      ["9", 9],
      [2, 2],
    ],
    refuses: [
      [10, "must be a whole number from 2 to 9 ports; the nearest is 9"],
      [2.5, "must be a whole number from 2 to 9 ports; the nearest is 3"],
      ["many", "must be a whole number from 2 to 9 ports"],
    ],
  },
  {
    name: "nanoseconds",
    field: nanoseconds(10, 5000),
    takes: [["2us", 2000]],
    refuses: [["1 ms", "must be a whole number from 10 to 5000 ns; the nearest is 5000"]],
  },
  {
    name: "word",
    field: word(["sync", "async", "none"]),
    takes: [["none", "none"]],
    refuses: [["asynchronous", "must be sync, async or none; the nearest is async"]],
  },
  {
    name: "words",
    field: words(["kv", "chase"]),
    takes: [
      ["all", "kv,chase"],
      [" chase , kv", "chase,kv"],
      ["none", "none"],
    ],
    refuses: [
      ["kv,kv", "has kv twice; name each once"],
      ["kv,mv", 'must be none, all, or a list of kv or chase with commas between; there is no "mv"'],
    ],
  },
  {
    name: "textOr",
    field: textOr(z.number(), text => {
      if (text !== "ten") throw new Error("say ten");
      return 10;
    }),
    takes: [
      ["ten", 10],
      [3, 3],
    ],
    refuses: [["nine", "say ten"]],
  },
  {
    name: "flag",
    field: flag,
    takes: [
      ["yes", true],
      ["0", false],
      [true, true],
    ],
    refuses: [["maybe", "must be true or false"]],
  },
];

/** Everything that a case promises of a field. */
function check(c: Case, field = c.field): void {
  const schema = z.object({ key: field });
  for (const [given, meaning] of c.takes)
    expect(checkSettings(schema, { key: given }, Refused), String(given)).toEqual({ key: meaning });
  for (const [given, sentence] of c.refuses) {
    const shown = typeof given === "string" ? `"${given}"` : String(given);
    expect(() => checkSettings(schema, { key: given }, Refused), shown).toThrow(
      new Refused(`key = ${shown}: ${sentence}`),
    );
  }
}

describe.each(parameterSets)("$name", c => {
  it("takes what is legal, and says what is wrong with all else", () => {
    check(c);
  });
  it("planted: a field that takes everything is found", () => {
    expect(() => {
      check(c, z.unknown());
    }).toThrow();
  });
});

describe("key=value", () => {
  it("the first equals sign divides, blanks go, __proto__ is a key", () => {
    expect(keyValues(["a = 1", "b=x=y"], "a=1", Refused)).toEqual({ a: "1", b: "x=y" });
    expect(Object.keys(keyValues(["__proto__=1"], "a=1", Refused))).toEqual(["__proto__"]);
  });
  it.each([
    [["a"], '"a" is no setting; write key=value, such as a=1'],
    [["=1"], '"=1" is no setting; write key=value, such as a=1'],
    [["a=1", "a=2"], 'a is set twice, to "1" and to "2"; give it once'],
  ])("%j: one sentence", (args, sentence) => {
    expect(() => keyValues(args, "a=1", Refused)).toThrow(new Refused(sentence));
  });
  it("an unknown key is answered with the nearest, or with the list", () => {
    expect(() => {
      refuseUnknown(["port"], ["ports", "regions"], Refused);
    }).toThrow(new Refused('there is no setting "port"; did you mean ports?'));
    expect(() => {
      refuseUnknown(["something"], ["ports", "regions"], Refused);
    }).toThrow(new Refused('there is no setting "something"; the settings are ports, regions'));
    expect(() => {
      refuseUnknown(["ports"], ["ports"], Refused);
    }).not.toThrow();
  });
});

it("sizes and times, there and back", () => {
  for (const n of [1, 1023, 1024, 3 * 2 ** 20, 2 ** 41])
    expect(parseBytes(formatBytes(n).replace(" bytes", ""))).toBe(n);
  expect([parseBytes("1.5k"), parseBytes("4 q"), parseBytes("-1")]).toEqual([1536, undefined, undefined]);
  expect([parseNanoseconds("2.5 us"), parseNanoseconds("1s")]).toEqual([2500, undefined]);
});
