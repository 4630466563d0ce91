/**
 * Places that clients take turns in (docs/clio/retry.md): nothing is done twice, in whatever order frames are lost,
 * doubled and delayed; and what the rule needs for that.
 */
import { describe, expect, it } from "vitest";
import { type Found, type Rule, search, type Size } from "./search.ts";

/** Frames live for one tick beside that in which they were sent: any two ticks are longer. */
const rule: Rule = { idle: 2, parts: 2 };
/** One client among any number of others: all that they do to it is to want its place. */
const among: Size = { clients: 1, places: 1, tasks: 1, numbers: 4, life: 1, crowd: true },
  sizes: Readonly<Record<string, Size>> = {
    "one client among any number of others": among,
    "one client with two operations, among others": { ...among, tasks: 2, numbers: 3 },
    "two clients and one place": { ...among, clients: 2, numbers: 2, crowd: false },
    // Minutes: with MNEMO_LONG.
    ...(process.env["MNEMO_LONG"] === undefined
      ? {}
      : { "three clients and two places": { ...among, clients: 3, places: 2, numbers: 1, crowd: false } }),
  };
const twice = (o: Partial<Rule>, size = among): Found["twice"] => search(size, { ...rule, ...o }).twice;

describe("a place is given up by turns, in two parts", () => {
  for (const [name, size] of Object.entries(sizes))
    it(`${name}: no operation is done twice`, () => {
      const found = search(size, rule);
      expect(found.twice).toBeUndefined();
      // What the search has to have been through for that to say something.
      const renews = size.numbers > 2 ? ["client # renews task # as #"] : [];
      for (const what of [
        ...renews,
        "the turn of # begins",
        "# is forgotten",
        "# of #: YIELD",
        "# of #: BUSY in a turn",
        "repeated # of #: EXPIRED",
        "repeated # of #: answers from memory",
      ])
        expect(found.happened, what).toContain(what);
    });

  it("frames may live for any time below a part of the turn", () => {
    const small = { ...among, numbers: 3 };
    expect(twice({ idle: 3 }, { ...small, life: 2 })).toBeUndefined();
    expect(twice({ idle: 1 }, { ...small, life: 0 })).toBeUndefined();
  });
});

describe("a rule that does less breaks it", () => {
  it("one part: an operation is refused, done under another number, and then its own frame makes the client known", () => {
    const story = twice({ parts: 1 });
    expect(story?.slice(-2)).toEqual(["2 of 0: does it", "3 of 0: does it"]);
    expect(story).toContain("2 of 0: YIELD");
  });
  it("YIELD in the second part too", () => expect(twice({ yieldsLate: true })).toBeDefined());
  it("another number after BUSY", () => expect(twice({ renewsAfterBusy: true })).toBeDefined());
  it("a client is let off before it is forgotten", () => expect(twice({ letsOff: true })).toBeDefined());
  it("parts that are no longer than a frame lives", () => expect(twice({ idle: 1 })).toBeDefined());
});
