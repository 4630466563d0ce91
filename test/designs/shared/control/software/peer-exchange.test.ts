import { describe, expect, it } from "vitest";
import { type Clock, PeerExchange, PeerGone } from "../../../../../designs/shared/control/software/index.ts";
import { Random } from "../../../../../sim/index.ts";

/** Numbers as peers with words of 4 bytes, and names as peers with text. */
const parameterSets = [
  { peers: [1, 2, 3], timeoutNs: 100, silentNs: 50_000, lost: 0.3 },
  { peers: ["north", "south"], timeoutNs: 7, silentNs: 2000, lost: 0.5 },
] as const;
type Shape = (typeof parameterSets)[number];
type Peer = Shape["peers"][number];

/** Simulated time: timers in order. */
class Timers implements Clock {
  #now = 0;
  readonly #queue: { readonly at: number; readonly action: () => void; open: boolean }[] = [];
  now(): number {
    return this.#now;
  }
  after(ns: number, action: () => void): { cancel(): void } {
    const timer = { at: this.#now + ns, action, open: true };
    this.#queue.push(timer);
    return {
      cancel: () => {
        timer.open = false;
      },
    };
  }
  get pending(): number {
    return this.#queue.filter(t => t.open).length;
  }
  async run(): Promise<void> {
    for (;;) {
      for (let i = 0; i < 5; i++) await Promise.resolve();
      const [next] = this.#queue.filter(t => t.open).sort((a, b) => a.at - b.at);
      if (next === undefined) return;
      next.open = false;
      this.#now = next.at;
      next.action();
    }
  }
}
interface Answer {
  readonly text: string;
  readonly busy: boolean;
}
class Exchange extends PeerExchange<Peer, string, Answer, string> {}

/** A rig in which peers answer, now and then late, twice, or not at all; `dead` never does. */
function rig(p: Shape, dead?: Peer, make: typeof Exchange = Exchange) {
  const random = new Random(9),
    clock = new Timers();
  const wire = new Map<string, { readonly to: Peer; readonly id: number; readonly request: string }>();
  let frames = 0;
  const exchange: Exchange = new make(
    {
      clock,
      timeoutNs: p.timeoutNs,
      silentNs: p.silentNs,
      send: frame => {
        frames++;
        const message = wire.get(Buffer.from(frame).toString());
        if (message === undefined || message.to === dead) return;
        for (let i = 0; i < 2; i++) {
          if (random.chance(p.lost)) continue;
          clock.after(random.between(1, 3 * p.timeoutNs), () => {
            exchange.hear(message.to);
            exchange.answered(message.to, message.id, { text: `${message.request}!`, busy: random.chance(0.2) });
            // An answer of another peer with the same number is none.
            exchange.answered("nobody", message.id, { text: "wrong", busy: false });
          });
        }
      },
    },
    {
      keyOf: peer => peer,
      encode: (to, id, request) => {
        const key = `${to} ${id}`;
        wire.set(key, { to, id, request });
        return Buffer.from(key);
      },
      reply: (request, a) => (a.busy ? undefined : `${request}: ${a.text}`),
    },
  );
  return { clock, exchange, frames: () => frames };
}
async function run(p: Shape, make?: typeof Exchange): Promise<void> {
  const { clock, exchange, frames } = rig(p, undefined, make);
  const asked = Array.from({ length: 60 }, (_, i) =>
    exchange.ask(p.peers[i % p.peers.length] as Peer, `question ${i}`),
  );
  const all = Promise.allSettled(asked);
  await clock.run();
  expect((await all).map(r => (r.status === "fulfilled" ? r.value : String(r.reason)))).toEqual(
    asked.map((_, i) => `question ${i}: question ${i}!`),
  );
  expect([exchange.retries > 0, frames()], "retries").toEqual([true, asked.length + exchange.retries]);
  expect(clock.pending, "timers at the end").toBe(0);
}
describe.each(parameterSets)("PeerExchange, timeout $timeoutNs ns, $lost lost", p => {
  it("each request has its own answer, however many frames are lost", () => run(p));
  it("a peer that is silent for too long is gone, another is not", async () => {
    const [dead, alive] = p.peers,
      { clock, exchange } = rig(p, dead),
      gone = expect(exchange.ask(dead, "there?")).rejects.toThrow(PeerGone),
      answered = exchange.ask(alive, "there?");
    await clock.run();
    await gone;
    expect(await answered).toBe("there?: there?!");
    expect(clock.now()).toBeGreaterThanOrEqual(p.silentNs);
  });
  it("a planted fault is found: any peer's answer is taken", async () => {
    class Trusting extends Exchange {
      override answered(_from: string | number, id: number, answer: Answer): void {
        for (const peer of p.peers)
          super.answered(peer, id, answer.text === "wrong" ? answer : { ...answer, busy: true });
      }
    }
    await expect(run(p, Trusting)).rejects.toThrow(/question/);
  });
});
