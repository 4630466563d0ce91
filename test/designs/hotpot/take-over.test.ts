import { describe, expect, it } from "vitest";
import { Coordinator, takeOver } from "../../../designs/hotpot/coordinator/index.ts";
import { withSourceFault } from "../../support/source-fault.ts";
import { checkQuiet, clusterOf, commitOf } from "./support/commits.ts";

const nodes = 3,
  // Node 0 has two and comes last: the others are prepared when it has one of them.
  areas = [1, 2, 0, 3];

/** A commit over an old one; its coordinator is lost after each number of messages. @returns phases and actions */
async function lostAfterEach(end: typeof takeOver): Promise<Set<string>> {
  const done = new Set<string>();
  for (let after = 0, whole = false; !whole; after++) {
    const c = clusterOf(1, { lost: 0, doubled: 0, late: 0, delay: [1, 1] }, areas.length);
    c.begin(0, commitOf(areas, 1, nodes));
    c.runUntil(() => c.idle, 2000);
    const lost = new Coordinator({ lane: 0, timeout: 1, backoff: 1 });
    lost.seq = c.lanes[0]?.seq ?? 0;
    lost.begin(commitOf(areas, 2, nodes), 0);
    let sent = 0;
    // Answers come at once, so that the phases follow one another message by message.
    while (lost.phase !== "idle" && sent < after)
      for (const m of lost.poll(sent))
        if (sent < after) {
          lost.answer(m.key, c.ask(m.to, m.message), sent);
          sent++;
        }
    whole = lost.phase === "idle";
    const told = lost.outcome === "committed",
      { action } = await end(0, [0, 1, 2], (n, m, by) =>
        Promise.resolve(by === "director" ? c.direct(n, m) : c.ask(n, m)),
      );
    done.add(`${lost.phase}: ${action}`);
    const shown = told || action === "redo" || action === "complete" ? 2 : 1;
    checkQuiet(c, areas.length, () => shown);
  }
  return done;
}

describe("a coordinator lost after each of its messages", () => {
  it("leaves all or nothing, and all when its client was told", async () => {
    expect([...(await lostAfterEach(takeOver))].sort()).toEqual([
      ...["commit: complete", "commit: redo", "forget: complete", "forgetReplicas: complete", "idle: none"],
      ...["prepare: none", "prepare: undo", "update: redo"],
    ]);
  });
  const planted: readonly (readonly [what: string, from: string, to: string])[] = [
    ["one that is prepared is enough", "all = owners.every(", "all = owners.some("],
    ["gathering is as good as prepared", 'isIn(f, "prepared", "committed")', "true"],
    ["replicas are left as they are", "for (const f of now) await copyOut(f, { lane, seq }, ask);", ""],
    [
      "owners are left as they are",
      'for (const f of now) await ask(f.node, { kind: "commit", lane, seq }, "process");',
      "",
    ],
    ["nobody forgets", 'await ask(node, { kind: "forget", ...cid }, "director");', ""],
    ["only the first area goes to replicas", "part < a.parts", "part < 1"],
    ["all are undone", "if (committed || all)", "if (false)"],
  ];
  it.each(planted)("a planted fault is found: %s", async (_, from, to) => {
    const { takeOver: faulty } = (await withSourceFault("designs/hotpot/coordinator", from, to, {
      "../wire/index.ts": "designs/hotpot/wire/codes.ts",
    })) as { takeOver: typeof takeOver };
    await expect(lostAfterEach(faulty)).rejects.toThrow();
  });
});
