import { readFileSync, writeFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import {
  byCredits,
  chaining,
  type Fault,
  faults,
  figures,
  parallel,
  pushed,
  pushing,
  randomSetup,
  shares,
  starving,
  timing,
  traffic,
  watch,
} from "../../../../../designs/supernic/model/scheduler/index.ts";
import { hangMs } from "../../../../support/hang-ms.ts";

const runs = Number(process.env["MNEMO_SCHEDULER_RUNS"] ?? 100);
const wrongOf = (seed: number, fault?: Fault): string | undefined => {
  const { setup, traffic } = randomSetup(seed, fault);
  return watch(setup, traffic).wrong;
};

describe("random configurations", () => {
  it(`keep every promise: ${runs} of them`, { timeout: hangMs + runs * 2_000 }, () => {
    let packets = 0,
      dropped = 0;
    for (let seed = 0; seed < runs; seed++) {
      const { setup, traffic } = randomSetup(seed),
        outcome = watch(setup, traffic);
      expect({ seed, wrong: outcome.wrong }).toEqual({ seed, wrong: undefined });
      expect(outcome.out.length + outcome.dropped).toBe(traffic.packets.length);
      packets += outcome.out.length;
      dropped += outcome.dropped;
    }
    expect(packets).toBeGreaterThan(runs * 40);
    expect(dropped).toBeGreaterThan(0);
  });
  it("differ in what matters", () => {
    const setups = Array.from({ length: 100 }, (_, seed) => randomSetup(seed));
    const seen = (of: (s: (typeof setups)[number]) => number): number => new Set(setups.map(of)).size;
    expect(seen(s => s.setup.timing.decide)).toBe(4);
    expect(seen(s => s.setup.timing.busyDelay)).toBe(4);
    expect(seen(s => s.setup.contexts)).toBe(5);
    expect(seen(s => s.setup.credits[0]?.[0] ?? 0)).toBe(8);
  });
});

/** What is seen of each fault first, in any of the configurations. */
const symptoms: Readonly<Record<(typeof faults)[number], RegExp>> = {
  "the bypass waits for the task": /is behind/,
  "a drop keeps the credits behind it": /credits free/,
  "a stopped packet does not hold its queue": /is behind|lost|not back/,
  "a scale-out moves flows at once": /is behind/,
  "users have no turn": /others start/,
};
describe("a planted fault is found", () => {
  it.each(faults)("%s", fault => {
    let found: string | undefined;
    for (let seed = 0; seed < 120 && found === undefined; seed++) found = wrongOf(seed, fault);
    expect(found).toMatch(symptoms[fault]);
  });
});

describe("nobody starves beside a user that fills the way past a slow task", () => {
  it.each([1, 2, 3, 4])("with %i stages of a decision", decide => {
    const [first = 0, second = 0, third = 0] = shares(decide);
    expect(first / second).toBeCloseTo(1, 1);
    expect(first).toBeGreaterThan(0.04);
    expect(third).toBeGreaterThan(0.8);
  });
  it("a planted fault is found: the way past is always first", () => {
    expect(Math.min(...shares(1, starving))).toBe(0);
  });
});

describe("the paper's figures", () => {
  it("5.9: the rate by credits", () => expect([1, 2, 4, 8].map(byCredits)).toEqual([16, 32, 64, 128]));
  /** A round of 10 cycles, and the 19 outside. */
  const round = 10,
    a = 29;
  it.each([1, 6])("5.14: chains of tasks of %i cycles", t => {
    for (let n = 2; n <= 7; n++)
      expect({ n, ...chaining(n, t) }).toEqual({
        n,
        whole: a + n * (t + 1),
        half: a + n * (t + 1) + round,
        each: a + n * (t + 1) + (n - 1) * round,
      });
  });
  it.each([1, 6])("5.14: tasks of %i cycles that push on: a round for the first, the way between for the others", t => {
    for (let n = 2; n <= 7; n++)
      for (const way of [0, 2]) expect(pushed(n, t, way)).toBe(a + n * (t + 1) + (n - 1) * way);
  });
  it.each([1, 6])("5.15: tasks of %i cycles at once", t => {
    for (let n = 2; n <= 7; n++) {
      expect(parallel(n, t).branches).toBe(a + t + n);
      if (n % 2 === 0) expect(parallel(n, t).groups).toBe(a + (n / 2) * (t + 1) + 1);
    }
  });
});

describe("packets that push on past the scheduler", () => {
  const setup = (credits: number, interval: number) => {
    const all = pushing(3, 2, 2, timing, credits),
      last = all.chains.length - 1;
    return { ...all, chains: all.chains.map((c, i) => (i === last ? c.map(task => ({ ...task, interval })) : c)) };
  };
  it("all leave, every credit is back, and one goes by the scheduler once", () => {
    const { out, wrong } = watch(setup(8, 1), traffic(200));
    expect([out.length, wrong]).toEqual([200, undefined]);
  });
  it("go to the scheduler when a task has no credit; a later one may overtake them, as in the public code", () => {
    expect(watch(setup(2, 5), traffic(200)).wrong).toMatch(/is behind/);
    // Asked by the scheduler each time, they keep their order.
    const { push: _none, ...asks } = setup(2, 5);
    const { out, wrong } = watch(asks, traffic(200));
    expect([out.length, wrong]).toEqual([200, undefined]);
  });
});

it("the page shows what is measured", () => {
  const file = "docs/supernic/scheduler.md",
    page = readFileSync(file, "utf8"),
    [before = "", rest = ""] = page.split("<!-- figures -->\n"),
    after = rest.slice(rest.indexOf("<!-- end of figures -->")),
    expected = `${before}<!-- figures -->\n\n${figures()}\n\n${after}`;
  if (process.env["MNEMO_UPDATE"] === "1") writeFileSync(file, expected);
  else expect(page, "run MNEMO_UPDATE=1 npx vitest run test/designs/supernic/model/scheduler").toBe(expected);
});
