import { describe, expect, it } from "vitest";
import type { Coordinator, CoordinatorOptions } from "../../../designs/hotpot/coordinator/index.ts";
import { withSourceFault } from "../../support/source-fault.ts";
import {
  bothRoles,
  directed,
  lostInForget,
  opposite,
  overtaken,
  replayed,
  replicaLost,
  taken,
} from "./support/directed.ts";
import { randomCommits } from "./support/random-commits.ts";

describe("commits of random areas", () => {
  it("on a network that loses, doubles and reorders: all copies show the last commit of each area", () => {
    for (let seed = 1; seed <= 2; seed++) expect(randomCommits(seed, { commits: 60 }).tries).toBeGreaterThan(60);
  });
  it("while nodes crash, with memory and without", () => {
    const all = { kept: 0, zeroed: 0 };
    for (let seed = 1; seed <= 4; seed++) {
      const { crashed } = randomCommits(seed, { commits: 40, crashes: 0.004 });
      all.kept += crashed.kept;
      all.zeroed += crashed.zeroed;
    }
    expect(all.kept).toBeGreaterThan(5);
    expect(all.zeroed).toBeGreaterThan(5);
  });
  it("while lanes are taken away and given back, and nodes crash", () => {
    const all = { given: 0, failed: 0 };
    for (let seed = 1; seed <= 4; seed++) {
      const { given, failed } = randomCommits(seed, { commits: 60, crashes: 0.003, takes: 0.02 });
      all.given += given;
      all.failed += failed;
    }
    expect(all.given).toBeGreaterThan(8);
    expect(all.failed).toBeGreaterThan(3);
  });
  it("while strangers say all that there is to say", () => {
    let all = 0;
    for (let seed = 1; seed <= 3; seed++)
      all += randomCommits(seed, { commits: 40, crashes: 0.003, strangers: 0.5 }).refused;
    expect(all).toBeGreaterThan(300);
  });
});

describe("races", () => {
  it("opposite orders end, after a few tries", () => {
    expect(opposite()).toBeLessThanOrEqual(4);
  });
  it.each([
    ["a lane taken away", taken],
    ["replayed", replayed],
    ["overtaken", overtaken],
    ["owner and replica at once", bothRoles],
    ["a replica lost", replicaLost],
    ["lost when it had forgotten", lostInForget],
  ] as const)("%s", (_, race) => {
    expect(() => race()).not.toThrow();
  });
});

describe("planted faults of the coordinator", () => {
  const planted: readonly (readonly [what: string, from: string, to: string])[] = [
    ["copies have no lane of their own", "lane: cid.lane + bounds.lanes / 2", "lane: cid.lane"],
    [
      "what is lost is never sent again",
      "for (const p of due) p.due = now + this.#o.timeout;",
      "for (const p of due) p.due = Infinity;",
    ],
    [
      "busy does not undo what others have prepared",
      'this.#pending.clear();\n    this.phase = "abort";',
      'this.#pending.clear();\n    this.phase = "forget"; return;',
    ],
    [
      "a try takes the number of the one before",
      "this.seq++;\n    this.tries++;",
      "if (this.tries === 0) this.seq++;\n    this.tries++;",
    ],
    ["all lanes wait alike", "* (this.lane + 1);", ";"],
    [
      "a busy owner counts as prepared",
      'if (verdict === "done") {\n      this.#pending.delete(key);',
      'if (verdict === "done" || verdict === "busy") {\n      if (verdict === "busy") this.#prepared.add(to);\n      this.#pending.delete(key);',
    ],
    [
      "owners commit before the replicas have it",
      "for (const n of replicas) for (const m of updates(commit, n, this.#cid, this.#mark(n))) this.#add(m, now);\n      } else",
      "} else",
    ],
    [
      "owners forget before replicas do",
      'this.phase = "forgetReplicas";\n        this.outcome = "committed";\n        for (const n of replicas)',
      'this.phase = "forgetReplicas";\n        this.outcome = "committed";\n        for (const n of ownersOf(commit)) this.#add(forgets(n, this.#cid), now);\n        for (const n of [] as number[])',
    ],
    ["a lost replica is not given the data again", 'if (isReplica && this.phase !== "prepare")', "if (false)"],
    [
      "a node opens while it is owed",
      "return !this.decided || [...this.#pending.values()].every(p => p.to !== node);",
      "return true;",
    ],
    [
      "a coordinator waits for ever for a lane that was taken away",
      'else if (kind === "forget" && verdict === "refused") this.#pending.delete(key);',
      "",
    ],
    [
      "a lost node's floor stays low",
      "for (const make of makes) this.#add(make(node, this.#cid), now);",
      "void makes;",
    ],
  ];
  it.each(planted)("%s", async (_, from, to) => {
    const { Coordinator: Planted } = (await withSourceFault("designs/hotpot/coordinator", from, to, {
      "../wire/index.ts": "designs/hotpot/wire/codes.ts",
    })) as { Coordinator: typeof Coordinator };
    const coordinator = (o: CoordinatorOptions) => new Planted(o);
    expect(() => {
      directed(coordinator);
      for (let seed = 1; seed <= 3; seed++) randomCommits(seed, { commits: 40, crashes: 0.004, o: { coordinator } });
    }).toThrow();
  });
});
