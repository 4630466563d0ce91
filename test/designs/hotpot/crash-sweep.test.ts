import { expect } from "vitest";
import { CommitEngine } from "../../../designs/hotpot/node/index.ts";
import { bench } from "../../bench.ts";
import { parameters } from "./support/random-run.ts";
import { type Crash, type Role, roles, type Seen, Sweep } from "./support/sweep.ts";

/** All cycles with MNEMO_LONG=1, else some of them, each time others beside a seed, and those of another phase. */
const stride = process.env["MNEMO_LONG"] === "1" ? 1 : 23;
const crashes: readonly Crash[] = ["kept", "zeroed", "coordinator"];

/** Rows of Table 2.2 that each role must show. */
const wanted: Readonly<Record<string, readonly string[]>> = {
  "an owner": [
    ...["any, memory kept: goes on", "ON, p1: undo", "ON, p2: redo", "ON, p3: complete"],
    ...["CN, p1: undo", "CN, p2: redo", "CN, p3: none"],
  ],
  "a replica": ["any, memory kept: goes on", "DN, p2: continue", "DN, p3: complete"],
  "the single owner": ["any, memory kept: goes on", "ON, p1: undo", "ON, p3: complete"],
};

/** The row of Table 2.2, and whether it is kept. Phase 1 is over for the nodes when all have their logs. */
function judge(role: Role, crash: Crash, { phase, tries, action }: Seen): string {
  const p1 = phase === "prepare",
    p2 = phase === "update" || phase === "commit",
    time = p1 ? "p1" : p2 ? "p2" : "p3";
  if (crash === "kept") {
    expect(tries, "with memory kept a commit goes on").toBe(1);
    return "any, memory kept: goes on";
  }
  if (crash === "zeroed") {
    const isOwner = role.shares.some(s => s.node === 0),
      inP2 = isOwner ? "redo" : "continue";
    expect(tries, `in ${phase}`).toBe(p1 && isOwner ? 2 : 1);
    return `${isOwner ? "ON" : "DN"}, ${time}: ${p1 && isOwner ? "undo" : p2 ? inP2 : "complete"}`;
  }
  const allowed = p1 ? ["undo", "redo", "complete", "none"] : p2 ? ["redo", "complete"] : ["complete", "none"];
  expect(allowed).toContain(action);
  return `CN, ${time}: ${action ?? ""}`;
}

for (const role of roles)
  bench(
    `a crash at every cycle of a commit, the node as ${role.name}: atomic, N copies, as Table 2.2 says`,
    CommitEngine(parameters),
    { seed: 5, limitCycles: 10_000_000 },
    async b => {
      const sweep = new Sweep(b),
        rows = new Set<string>();
      await sweep.begin();
      const { cycles, changes } = await sweep.run(role, "kept", 100_000);
      for (const crash of crashes) {
        const first = stride === 1 ? 0 : b.random.between(0, stride - 1),
          some = Array.from({ length: Math.ceil((cycles - first) / stride) }, (_, i) => first + i * stride);
        for (const at of new Set([...some, ...changes])) rows.add(judge(role, crash, await sweep.run(role, crash, at)));
      }
      expect([...rows]).toEqual(expect.arrayContaining([...(wanted[role.name] ?? [])]));
    },
  );
