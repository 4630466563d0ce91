/**
 * Go-Back-N in the whole device: clients over lossy lines, a node without transport, and the model beside each frame.
 * What came in and left in that run is given to the model again with one thing wrong: it finds each.
 */
import { beforeAll, describe, expect, it } from "vitest";
import { gbnTypes } from "../../../../../designs/shared/go-back-n/wire/index.ts";
import { deviceDefinition, leftAtRest, unaccounted } from "../../../../../designs/supernic/rig/device/index.ts";
import { runBench } from "../../../../../sim/index.ts";
import { clientEnd, closeFrame, nodeEnd, parsedGbn } from "../../rtl/tasks/go-back-n/support/frames.ts";
import { type Event, judged, nodePort, parameters, SessionsDevice, setup } from "./support/sessions-device.ts";

const requests = 20;
let events: readonly Event[] = [];
beforeAll(() =>
  runBench(
    "sessions device",
    deviceDefinition(setup, parameters),
    { limitCycles: 600_000, wave: false, signals: true, seed: 4 },
    async b => {
      const w = new SessionsDevice(b, { lost: 0.1, way: 500 });
      await w.device.bringUp();
      for (const c of w.clients) c.open();
      await b.until(() => w.clients.every(c => c.session !== undefined));
      for (let n = 0; n < requests; n++)
        for (const c of w.clients) {
          c.put(b.random.bytes(b.random.pick([16, 40, 300, 1200])));
          await b.cycles(b.random.below(300));
        }
      await b.until(() => w.clients.every((c, i) => c.session?.idle === true && w.delivered[i]?.length === requests));
      await b.until(() => w.isStill);
      for (const { o, slot, number } of w.clients) {
        w.send(o.number, closeFrame(clientEnd(o.number), nodeEnd(0), slot, number));
        await b.until(() => w.isStill);
      }
      await b.cycles(600);
      w.device.memory?.stop();
      const counters = await w.device.counters();
      expect(w.delivered).toEqual(w.replied);
      expect([
        ...w.scoreboard.finish(await w.device.counts(counters)),
        ...unaccounted(counters, await w.device.inside()),
        ...leftAtRest(b.sim, parameters),
        ...((await w.device.memory?.leftAtRest()) ?? []),
      ]).toEqual([]);
      ({ events } = w);
    },
  ),
);

/** A frame that the device made, or undefined. */
const made = (e: Event) => (e.enters || e.port === nodePort ? undefined : parsedGbn(e.bytes));
const isData = (e: Event): boolean => made(e)?.gbn.type === gbnTypes.data && made(e)?.gbn.srcSlot !== 0;
const is =
  (type: number) =>
  (e: Event): boolean =>
    made(e)?.gbn.type === type && made(e)?.gbn.srcSlot !== 0;
const isAnswer = (e: Event): boolean => made(e)?.gbn.srcSlot === 0;
const isRequest = (e: Event): boolean => !e.enters && e.port === nodePort;
const numberOf = (e: Event): string => `${e.port} ${made(e)?.gbn.sequence ?? 0}`;
/** Those that have left before with the same number. */
const again = (): readonly Event[] => {
  const seen = new Set<string>();
  return events.filter(isData).filter(e => seen.has(numberOf(e)) || !seen.add(numberOf(e)));
};
const pick = (which: (e: Event) => boolean, n = 2): Event => {
  const e = events.filter(which)[n];
  if (e === undefined) throw new Error(`there are no ${n} such frames`);
  return e;
};
const flipped = (e: Event, at: number, bit = 1): Event => ({
  ...e,
  bytes: e.bytes.map((b, i) => (i === (at < 0 ? e.bytes.length + at : at) ? b ^ bit : b)),
});
const replaced = (of: Event, by: readonly Event[]): Event[] => events.flatMap(e => (e === of ? by : [e]));
const found = (of: readonly Event[], clock = true): void => expect(judged(of, clock).problems).not.toEqual([]);

describe("Go-Back-N in the device", () => {
  it("over lines that lose a tenth every frame that leaves is one that the model knows, with and without its time", () => {
    const { problems, compared } = judged(events);
    expect(problems).toEqual([]);
    expect(judged(events, false).problems).toEqual([]);
    expect(compared).toBe(events.filter(e => !e.enters).reduce((n, e) => n + e.bytes.length, 0));
    // All that the model tells apart was there.
    expect(again().length).toBeGreaterThan(2);
    for (const type of [gbnTypes.ack, gbnTypes.nack]) expect(events.filter(is(type)).length).toBeGreaterThan(2);
    expect(events.filter(isAnswer).length).toBeGreaterThanOrEqual(4);
  });

  describe("the model finds", () => {
    it.each([
      ["a byte of a reply", isData, -1, 1],
      ["a reply's receiver", isData, 5, 1],
      ["a reply's IPv4 checksum", isData, 24, 1],
      ["the number of a reply", isData, 43, 1],
      ["the slot of a reply", isData, 47, 1],
      ["the session of a reply", isData, 48, 1],
      ["a request's receiver", isRequest, 0, 1],
      ["a request's tag", isRequest, 9, 1],
      ["a byte of a request", isRequest, -1, 1],
      ["the number of an ACK", is(gbnTypes.ack), 43, 1],
      ["an ACK's receiver", is(gbnTypes.ack), 33, 1],
      ["the bytes that pad an ACK", is(gbnTypes.ack), -1, 1],
      ["the number of a NACK", is(gbnTypes.nack), 43, 1],
      ["a NACK that is an ACK", is(gbnTypes.nack), 42, 3],
      ["the session that is opened", isAnswer, 66, 1],
      ["the status of what is answered", isAnswer, 54, 1],
      ["a byte of what is answered", isAnswer, 51, 1],
    ] as const)("%s that is another one", (_name, which, at, bit) =>
      found(replaced(pick(which), [flipped(pick(which), at, bit)])),
    );
    it("a reply that is sent again with another byte", () => {
      const [e] = again();
      if (e) found(replaced(e, [flipped(e, -1)]));
    });
    it.each([
      ["reply", isData],
      ["request", isRequest],
      ["NACK", is(gbnTypes.nack)],
    ] as const)("a %s that leaves twice", (_name, which) => found(replaced(pick(which), [pick(which), pick(which)])));
    it("an answer that leaves twice", () => {
      // Those that close came once.
      const last = events.filter(isAnswer).at(-1);
      if (last) found(replaced(last, [last, last]));
    });
    it("a reply that is sent again and again without a reason", () => {
      const e = pick(isData);
      found(
        replaced(
          e,
          Array.from({ length: 12 }, () => e),
        ),
        false,
      );
    });
    it.each([
      ["reply", isData],
      ["request", isRequest],
      ["answer to a request for a session", isAnswer],
    ] as const)("a %s that never leaves", (_name, which) => {
      const e = pick(which),
        same = (x: Event): boolean => !x.enters && x.port === e.port && Buffer.compare(x.bytes, e.bytes) === 0;
      found(events.filter(x => !same(x)));
    });
    it("a reply at another client's port", () => {
      const e = pick(isData);
      found(replaced(e, [{ ...e, port: 1 - e.port }]));
    });
    it("replies in another order", () => {
      const e = pick(isData, 4),
        next = events.filter(isData).find(x => x.port === e.port && x.cycle > e.cycle);
      if (next) found(events.filter(x => x !== next).flatMap(x => (x === e ? [next, e] : [x])));
    });
    it("requests in another order", () => {
      const to = (e: Event): string => Buffer.from(e.bytes.slice(26, 30)).toString("hex"),
        e = pick(isRequest, 4),
        next = events.filter(isRequest).find(x => to(x) === to(e) && x.cycle > e.cycle);
      if (next) found(events.filter(x => x !== next).flatMap(x => (x === e ? [next, e] : [x])));
    });
    it("an ACK of what has not come", () => {
      const request = (e: Event): boolean => e.enters && e.port === 0,
        ack = pick(e => e.port === 0 && is(gbnTypes.ack)(e), 0),
        { sequence } = parsedGbn(ack.bytes).gbn,
        came = events.find(e => request(e) && parsedGbn(e.bytes).gbn.sequence === sequence);
      // It leaves before its packet comes in.
      if (came) found(events.filter(e => e !== ack).flatMap(e => (e === came ? [{ ...ack, cycle: e.cycle }, e] : [e])));
    });
    it("a reply that is sent again long after its ACK, and one that nothing asks for", () => {
      const e = pick(isData, 0),
        last = events.at(-1);
      if (last) found([...events, { ...e, cycle: last.cycle + 40_000 }]);
      found(replaced(e, [e, { ...e, cycle: e.cycle + 900 }, { ...e, cycle: e.cycle + 1800 }]));
    });
    it("a session that is given to two", () => {
      const opened = events.filter(isAnswer),
        [first, second] = opened;
      if (!first || !second) throw new Error("two sessions");
      const { bytes } = second,
        session = first.bytes[66] ?? 0;
      found(replaced(second, [{ ...second, bytes: bytes.with(66, session) }]));
    });
  });
});
