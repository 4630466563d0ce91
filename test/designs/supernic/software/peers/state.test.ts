/** State that goes to a peer and back in pieces: peers that lie, repeat, and die in the middle of it. */
import { describe, expect, it } from "vitest";
import type { Dag } from "../../../../../designs/supernic/software/index.ts";
import { mostState, mostStateBytes } from "../../../../../designs/supernic/wire/index.ts";
import { inRack, type ModelledRack, type Nic } from "./support/modelled-rack.ts";

const flowsOfAll = 300;
const stateOf = (nic: Nic): Map<number, number> => {
  const chain = nic.manager.chains.find(c => c.labels[0] === "counter"),
    region = nic.model.regions[chain?.regions[0] ?? -1];
  if (region === undefined) throw new RangeError(`${nic.model.name} has no region with state`);
  return region.state;
};
/** A DAG with a state of several pieces. */
async function withState(rack: ModelledRack): Promise<{ a: Nic; b: Nic; dag: Dag; was: string }> {
  const [a, b] = [rack.nic(0), rack.nic(1)],
    dag = await a.dag("counter");
  expect(await a.peers.place(dag)).toBe("here");
  for (let flow = 0; flow < flowsOfAll; flow++) stateOf(a).set(flow, 1000 + flow);
  return { a, b, dag, was: text(stateOf(a)) };
}
const text = (state: ReadonlyMap<number, number>): string =>
  [...state]
    .sort((x, y) => x[0] - y[0])
    .map(([k, v]) => `${k}:${v}`)
    .join(" ");
const back = (rack: ModelledRack, a: Nic): Promise<void> =>
  rack.until(() => a.peers.away.counts.back === 1, "it is back", 60);
const spoilt = (bytes: Uint8Array, how: (copy: Uint8Array) => void): Uint8Array => {
  const copy = bytes.slice();
  how(copy);
  return copy;
};
/** The four bytes of a length stand in front of an image. */
const imageAt = 4,
  wordAt = imageAt + 12,
  wordBytes = 11;

describe("state that goes to a peer and back", () => {
  it.each([0, 0.1])("is equal to the byte, in pieces, with %f of all frames lost, doubled and late", loss =>
    inRack({ count: 2, seed: 7, faults: { loss, duplicate: loss, reorder: loss } }, async rack => {
      const { a, b, dag, was } = await withState(rack);
      expect(await a.peers.away.move(dag)).toBe(true);
      expect(text(stateOf(b))).toBe(was);
      // What is left here is old, and kept nowhere.
      expect(a.manager.chains.some(c => a.manager.state.has(c))).toBe(false);
      for (let i = 0; i < 5; i++) rack.packet(a, dag, 3);
      await rack.until(() => rack.results.length === 5, "five results");
      const then = text(stateOf(b));
      await back(rack, a);
      expect(text(stateOf(a))).toBe(then);
      expect(then).toContain(" 3:1008 ");
      expect(a.peers.away.counts).toMatchObject({ sent: 1, back: 1, lost: 0 });
      expect(a.manager.state.counts.lost + b.manager.state.counts.lost).toBe(0);
    }),
  );
  type Lie = (saved: Uint8Array, call: number) => Uint8Array;
  const lies: readonly (readonly [string, Lie])[] = [
    ["another length in the middle", (s, call) => (call < 2 ? s : s.slice(0, s.length - wordBytes))],
    ["a longer one in the middle", (s, call) => (call < 2 ? s : new Uint8Array([...s, ...s.slice(-wordBytes)]))],
    ["more than a DAG may have", () => new Uint8Array(mostState + 1)],
    ["nothing at all", () => new Uint8Array(0)],
    ["all but the last word", s => s.slice(0, s.length - wordBytes)],
    ["a word more than there is", s => new Uint8Array([...s, ...s.slice(-wordBytes)])],
    ["a bit that is turned", s => spoilt(s, c => (c[wordAt + 5] = (c[wordAt + 5] ?? 0) ^ 4))],
    ["another chain's", s => spoilt(s, c => (c[imageAt + 5] = (c[imageAt + 5] ?? 0) ^ 1))],
    ["a length that does not fit", s => spoilt(s, c => (c[0] = (c[0] ?? 0) ^ 1))],
    ["pieces in another order", (s, call) => (call % 2 === 0 ? s : s.slice().reverse())],
  ];
  it.each(lies)("a peer that gives %s: lost, counted, and as configured", (_, lie) =>
    inRack({ count: 2 }, async rack => {
      const { a, b, dag } = await withState(rack);
      expect(await a.peers.away.move(dag)).toBe(true);
      const { guests } = b.peers,
        saved = guests.saved.bind(guests);
      let calls = 0;
      guests.saved = (...of) => {
        const is = saved(...of);
        return typeof is === "string" ? is : lie(is, calls++);
      };
      await back(rack, a);
      expect(calls).toBeGreaterThan(0);
      expect(a.peers.away.counts).toMatchObject({ back: 1, lost: 1 });
      expect(text(stateOf(a))).toBe("");
      rack.packet(a, dag, 3);
      await rack.until(() => rack.results.length === 1, "a result");
      expect(rack.results.map(r => [r.n, r.at])).toEqual([[1, "snic0"]]);
    }),
  );
  it("a peer that dies in the middle of the pieces: lost, counted, and as configured", () =>
    inRack({ count: 2 }, async rack => {
      const { a, b, dag } = await withState(rack);
      expect(await a.peers.away.move(dag)).toBe(true);
      let pieces = 0;
      rack.between = (from, _to, frame) => {
        if (from === 1 && frame.length > mostStateBytes && ++pieces === 2) rack.cut.add("1 0");
        return [frame];
      };
      await back(rack, a);
      expect(pieces).toBeGreaterThanOrEqual(2);
      expect(a.peers.away.counts).toMatchObject({ back: 1, lost: 1 });
      expect(text(stateOf(a))).toBe("");
      rack.packet(a, dag, 3);
      await rack.until(() => rack.results.length === 1, "a result");
      rack.cut.clear();
      await rack.until(() => b.peers.guests.all.length === 0, "no guest is left");
    }));
  it("an owner whose put fails in the middle goes on with what it has", () =>
    inRack({ count: 2 }, async rack => {
      const { a, b, dag, was } = await withState(rack);
      let pieces = 0;
      rack.between = (from, _to, frame) => {
        if (from === 0 && frame.length > mostStateBytes && ++pieces === 2) b.fail();
        return [frame];
      };
      expect(await a.peers.away.move(dag)).toBe(false);
      expect([a.wayOf(dag), text(stateOf(a)), a.peers.away.counts.lost]).toEqual(["here", was, 0]);
      rack.packet(a, dag, 3);
      await rack.until(() => rack.results.length === 1, "a result");
      expect(rack.results.map(r => [r.n, r.at])).toEqual([[1004, "snic0"]]);
      await b.reborn();
    }));
  it("a put with another length, a gap, or too much is refused, and the right one still counts", () =>
    inRack({ count: 2 }, async rack => {
      const { a, b, dag, was } = await withState(rack),
        { guests } = b.peers,
        put = guests.put.bind(guests),
        refused: string[] = [];
      let isDone = false;
      guests.put = async (owner, s, bytes) => {
        // The last piece again is answered as before, whatever it says.
        if (isDone) return put(owner, s, bytes);
        isDone = s.done === 1;
        const wrong = [
          { ...s, total: s.total + 1 },
          { ...s, total: mostState + 1 },
          { ...s, offset: s.offset + mostStateBytes },
          { ...s, done: 1 - s.done },
        ];
        // In front of the first piece there is no length yet.
        for (const w of s.offset === 0 ? wrong.slice(1) : wrong) refused.push(await put(owner, w, bytes));
        return put(owner, s, bytes);
      };
      expect(await a.peers.away.move(dag)).toBe(true);
      expect(new Set(refused)).toEqual(new Set(["INVALID"]));
      expect(refused.length).toBeGreaterThan(6);
      expect(text(stateOf(b))).toBe(was);
    }));
  it("tasks that do not answer: here the DAG stays, there its state is lost and counted", () =>
    inRack({ count: 2 }, async rack => {
      const { a, b, dag, was } = await withState(rack);
      a.model.mute = true;
      expect(await a.peers.away.move(dag)).toBe(false);
      expect([a.wayOf(dag), text(stateOf(a)), a.manager.state.counts.lost]).toEqual(["here", was, 1]);
      expect(a.manager.state.fault).toContain("counter does not answer for its state");
      a.model.mute = false;
      // Half of it is written there, and no more: nothing of it is used.
      b.model.writes = flowsOfAll / 2;
      expect(await a.peers.away.move(dag)).toBe(false);
      expect([a.wayOf(dag), text(stateOf(a)), b.manager.state.counts.lost]).toEqual(["here", was, 1]);
      b.model.writes = Infinity;
      await rack.periods(60);
      expect(await a.peers.away.move(dag)).toBe(true);
      b.model.mute = true;
      await rack.until(() => a.wayOf(dag) === "here" && a.peers.away.counts.lost === 1, "lost", 60);
      b.model.mute = false;
      await rack.periods(5);
      expect(text(stateOf(a))).toBe("");
    }));
  it("a guest gets nothing of what another left, and leaves nothing; what was evicted here goes along", () =>
    inRack({ count: 2 }, async rack => {
      const { a, b, dag, was } = await withState(rack),
        own = await b.dag("counter");
      expect(await b.peers.place(own)).toBe("here");
      stateOf(b).set(3, 77);
      // Its chain stops there, and others take both regions here: its state lies in software at both.
      await b.peers.withdraw(own);
      await b.manager.stop(b.manager.chains.find(c => c.labels[0] === "counter")!);
      b.dags = [];
      for (const r of [0, 1]) await b.manager.erase(r);
      const [one, two] = [await a.dag("dummy"), await a.dag("checksum")];
      await a.peers.place(one);
      const counterOf = (n: Nic) => n.manager.chains.find(c => c.labels[0] === "counter")!;
      expect(
        await a.manager.launch(
          a.manager.chains.find(c => c.labels[0] === "checksum")!,
          "demand",
        ),
      ).toBe("running");
      await a.peers.place(two);
      expect([a.manager.state.has(counterOf(a)), b.manager.state.has(counterOf(b))]).toEqual([true, true]);
      await rack.until(() => a.wayOf(dag) === "snic1", "it is away", 60);
      await rack.until(() => !a.manager.state.has(counterOf(a)), "its state, too");
      expect(text(stateOf(b))).toBe(was);
      // One that comes without state begins without.
      await a.peers.withdraw(dag);
      await rack.until(() => b.peers.guests.all.length === 0, "no guest is left");
      const other = await a.dag("counter");
      expect(await a.peers.place(other)).toBe("peer");
      rack.packet(a, other, 3);
      await rack.until(() => rack.results.length === 1, "a result");
      expect(rack.results[0]?.n).toBe(1);
      await a.peers.withdraw(other);
      await rack.until(() => b.peers.guests.all.length === 0, "no guest is left");
      // And whose it was has it again.
      b.dags = [own];
      expect(await b.peers.place(own)).toBe("here");
      expect(text(stateOf(b))).toBe("3:77");
      expect(b.manager.state.counts.lost).toBe(0);
    }));
});
