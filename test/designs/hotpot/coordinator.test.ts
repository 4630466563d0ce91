/** The coordinator's rules, answer by answer. */
import { describe, expect, it } from "vitest";
import { Coordinator } from "../../../designs/hotpot/coordinator/index.ts";
import type { Answer } from "../../../designs/hotpot/wire/index.ts";

const area = (va: bigint) => ({ va, data: new Uint8Array(64) }),
  timeout = 1_000;
type Verdict = Answer["verdict"];
type State = Answer["state"];

/** A coordinator, and nodes that answer as the test says. */
class Script {
  readonly coordinator = new Coordinator({ lane: 0, timeout, backoff: 10 });
  now = 0;
  constructor(merged: boolean) {
    this.coordinator.begin(
      {
        shares: [
          { node: 0, replicas: [2], areas: [area(0n), area(64n)] },
          { node: 1, replicas: [2], areas: [area(128n)] },
        ],
        merged,
      },
      this.now,
    );
  }
  /** Kinds and nodes of what goes out; every message is answered by `of`, in order, or not at all. */
  round(of: (kind: string, to: number, part: number) => readonly [Verdict, State] | undefined): string[] {
    this.now += timeout;
    const out = this.coordinator.poll(this.now);
    for (const { to, key, message } of out) {
      const said = of(message.kind, to, message.part ?? 0);
      if (said)
        this.coordinator.answer(key, { verdict: said[0], state: said[1], held: 0 } as unknown as Answer, this.now);
    }
    return out.map(({ to, message }) => `${message.kind} ${to}`);
  }
}

describe("areas that are redone, and the owner is reset between them", () => {
  it.each([false, true])("merged: %s. It is not forgotten before it has the commit", merged => {
    const s = new Script(merged),
      whole: State = merged ? "committed" : "prepared";
    s.round((_, to, part) => ["done", to === 0 && part === 0 ? "gathering" : whole]);
    expect(s.coordinator.phase).toBe("update");
    if (merged) s.coordinator.lost(0, s.now);
    s.round((kind, _, part) => (kind === "update" ? ["done", "free"] : part === 0 ? ["done", "gathering"] : undefined));
    if (!merged) {
      // The owner does not know the commit: all of it is sent again.
      expect(s.coordinator.phase).toBe("commit");
      s.round((_, to) => (to === 0 ? ["unknown", "free"] : ["done", "committed"]));
      s.round((_kind, _to, part) => (part === 0 ? ["done", "gathering"] : undefined));
    }
    // Reset, and asked again for the other area alone: what it has is not whole.
    s.round(() => ["done", "gathering"]);
    expect(s.coordinator.outcome).toBeUndefined();
    const again = s.round((_kind, _to, part) => ["done", part === 0 ? "gathering" : whole]);
    expect(again).toEqual(["prepare 0", "prepare 0"]);
    if (!merged) expect(s.round(() => ["done", "committed"])).toEqual(["commit 0"]);
    expect(s.coordinator.outcome).toBe("committed");
    for (let i = 0; i < 3; i++) s.round(() => ["done", "free"]);
    expect(s.coordinator.phase).toBe("idle");
  });
});
