import { describe, expect, it } from "vitest";
import { GbnSession } from "../../../../../designs/shared/go-back-n/software/index.ts";
import { type GbnHeader, gbnTypes } from "../../../../../designs/shared/go-back-n/wire/index.ts";
import { Random } from "../../../../../sim/index.ts";

const parameterSets = [
  { first: 1, timeout: 200, ackDelay: 20, ackEvery: 100, lost: 0.05 },
  { first: 0xffff_fff0, timeout: 60, ackDelay: 5, ackEvery: 3, lost: 0.3 },
];
type Shape = (typeof parameterSets)[number];

/** Two ends over a network that loses, repeats and delays; `spoil` may change what a packet says. */
function run(p: Shape, count: number, spoil: (h: GbnHeader) => GbnHeader = h => h): GbnSession[] {
  const random = new Random(8),
    flying: { readonly at: number; readonly to: number; readonly header: GbnHeader; readonly payload: Uint8Array }[] =
      [];
  let now = 0;
  const came: number[][] = [[], []];
  const ends = [0, 1].map(
    side =>
      new GbnSession({
        slot: side,
        session: 1 - side,
        first: p.first,
        timeout: p.timeout,
        ackDelay: p.ackDelay,
        ackEvery: p.ackEvery,
        send: (header, payload) => {
          for (let i = 0; i < 1 + +random.chance(0.1); i++)
            if (!random.chance(p.lost))
              flying.push({ at: now + random.between(1, 12), to: 1 - side, header: spoil(header), payload });
        },
        deliver: payload => came[side]?.push(new DataView(payload.buffer).getUint32(0)),
      }),
  );
  const [a, b] = ends as [GbnSession, GbnSession];
  let given = 0;
  for (; now < 200_000 && !(given === count && a.idle && b.idle && flying.length === 0); now++) {
    if (given < count && random.chance(0.7)) {
      const payload = new Uint8Array(4);
      new DataView(payload.buffer).setUint32(0, given++);
      a.put(payload, now);
      b.put(payload, now);
    }
    for (const f of flying.splice(0)) {
      if (f.at > now) flying.push(f);
      else ends[f.to]?.take(f.header, f.payload, now);
    }
    for (const end of ends) if (end.due <= now) end.tick(now);
  }
  const all = Array.from({ length: count }, (_, i) => i);
  expect(came, "payloads at both ends").toEqual([all, all]);
  expect([a.idle, b.idle, a.failed], "idle at the end, not given up").toEqual([true, true, false]);
  return ends;
}
describe.each(parameterSets)("GbnSession, $lost lost, an ACK every $ackEvery", p => {
  it("all comes in order and once, both ways at a time", () => {
    const ends = run(p, 1500);
    expect(Math.min(...ends.map(e => e.resent)), "packets sent again").toBeGreaterThan(0);
  });
  it("a planted fault is found: an ACK tells one more than has come", () => {
    expect(() => run(p, 1500, h => (h.type === gbnTypes.ack ? { ...h, sequence: (h.sequence + 1) >>> 0 } : h))).toThrow(
      /payloads at both ends/,
    );
  });
});
