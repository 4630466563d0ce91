/** Settings in a JSON file: what is wrong is said in one sentence with file, field, value and remedy. */
import { describe, expect, it } from "vitest";
import * as z from "zod";
import { checkFile, range, word } from "../../../../designs/shared/settings/index.ts";

class Refused extends Error {}

/** A schema, a file that fits it, and files that do not with the sentence. */
interface Case {
  readonly name: string;
  readonly schema: z.ZodType;
  readonly fits: readonly [text: string, meaning: unknown];
  readonly refused: readonly (readonly [text: string, sentence: string])[];
}
const station = z.strictObject({ name: z.string("must be a text"), port: range(0, 3) });
const parameterSets: readonly Case[] = [
  {
    name: "an object",
    schema: z.strictObject({ speed: range(1, 100, " Gbit/s"), kind: word(["port", "peer"]).optional() }),
    fits: ['{ "speed": 40 }', { speed: 40 }],
    refused: [
      ["{", "f.json is not JSON: "],
      ["[]", "f.json: the file: expected object, received array"],
      ["{}", "f.json: speed is missing; add it"],
      ['{ "speed": 400 }', "f.json: speed = 400: must be a whole number from 1 to 100 Gbit/s; the nearest is 100"],
      ['{ "speed": 4, "kind": "pear" }', 'f.json: kind = "pear": must be port or peer; the nearest is peer'],
      ['{ "speed": 4, "sped": 4 }', 'f.json: there is no field "sped"; the fields are speed, kind'],
      [
        '{ "speed": 0, "kind": "x" }',
        'f.json: speed = 0: must be a whole number from 1 to 100 Gbit/s; the nearest is 1; kind = "x": must be port or peer; the nearest is port',
      ],
    ],
  },
  {
    name: "a list of objects",
    schema: z.strictObject({ stations: z.array(station).default([]) }),
    fits: ['{ "stations": [{ "name": "a", "port": 1 }] }', { stations: [{ name: "a", port: 1 }] }],
    refused: [
      [
        '{ "stations": [{ "name": "a", "port": 1 }, { "name": "b", "port": 9 }] }',
        "f.json: stations[1].port = 9: must be a whole number from 0 to 3; the nearest is 3",
      ],
      ['{ "stations": [{ "name": 7, "port": 1 }] }', "f.json: stations[0].name = 7: must be a text"],
      [
        '{ "stations": [{ "name": "a", "port": 1, "prot": 2 }] }',
        'f.json: stations[0]: there is no field "prot"; the fields are name, port',
      ],
    ],
  },
  {
    name: "a choice of several kinds",
    schema: z.strictObject({ way: z.union([z.strictObject({ port: range(0, 3) }), z.literal("back")]) }),
    fits: ['{ "way": "back" }', { way: "back" }],
    refused: [
      ['{ "way": { "port": 4 } }', "f.json: way.port = 4: must be a whole number from 0 to 3; the nearest is 3"],
      [
        '{ "way": { "prot": 1 } }',
        'f.json: way.port is missing; add it; way: there is no field "prot"; the fields are port',
      ],
    ],
  },
];

const read = (schema: z.ZodType, text: string): unknown => checkFile(schema, "f.json", text, Refused);
function check(c: Case, schema = c.schema): void {
  expect(read(schema, c.fits[0])).toEqual(c.fits[1]);
  for (const [text, sentence] of c.refused) {
    let said = "nothing";
    try {
      read(schema, text);
    } catch (e) {
      expect(e).toBeInstanceOf(Refused);
      said = (e as Error).message;
    }
    expect(said.split("\n"), "one line").toHaveLength(1);
    // What follows "is not JSON" are the words of the JavaScript engine.
    expect(said.startsWith(sentence), `${text}: ${said}`).toBe(true);
    if (!sentence.endsWith(": ")) expect(said).toContain(sentence);
  }
}

describe.each(parameterSets)("$name", c => {
  it("that fits is taken, and what does not is refused in one sentence", () => {
    check(c);
  });
  it("planted: a schema that takes everything is found", () => {
    expect(() => {
      check(c, z.unknown());
    }).toThrow();
  });
});
