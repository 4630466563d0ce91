/** What must hold of a chain's state while its region comes and goes; each throws when it does not. */
import { type LiveChain } from "../../../../../../designs/supernic/software/index.ts";
import { type Declared, keptOf } from "../../../../../../designs/supernic/wire/index.ts";
import { Random } from "../../../../../../sim/index.ts";
import { inRack, type ModelledRack, type Nic } from "../../peers/support/modelled-rack.ts";
import type * as parts from "./parts.ts";

export type Parts = typeof parts;

function need(holds: boolean, what: string): void {
  if (!holds) throw new Error(what);
}
const chainOf = (nic: Nic, task: string): LiveChain => {
  const chain = nic.manager.chainFor([task], () => true);
  if (chain === undefined) throw new RangeError(`there is no chain of ${task}`);
  return chain;
};
const regionOf = (nic: Nic) => {
  const region = nic.model.regions[chainOf(nic, "counter").regions[0] ?? -1];
  if (region === undefined) throw new RangeError("the counter has no region");
  return region;
};
const text = (state: ReadonlyMap<number, number>): string =>
  [...state]
    .sort((x, y) => x[0] - y[0])
    .map(([k, v]) => `${k}:${v}`)
    .join(" ");
/** Flows at both ends of what is read in one go, behind one that is empty; the last is the last of all. */
const flows = [256, 257, 258, 300, 510, 511];

async function running(rack: ModelledRack) {
  const nic = rack.nic(0),
    dag = await nic.dag("counter"),
    counter = chainOf(nic, "counter");
  need((await nic.manager.launch(counter, "demand")) === "running", "it does not run");
  await nic.ways.lead(dag, "here");
  const packets = (): void => flows.forEach(flow => void rack.packet(nic, dag, flow));
  const counted = (): void => {
    const seen = new Map<number, number>();
    for (const { flow, n } of rack.results) {
      need(n === (seen.get(flow) ?? 0) + 1, `flow ${flow} has number ${n} behind ${seen.get(flow)}`);
      seen.set(flow, n);
    }
  };
  return { nic, dag, counter, packets, counted };
}

/** Evicted, stopped, in another region, in the same: each packet has the next number, also those that wait. */
export const evictions = (parts?: Parts): Promise<void> =>
  inRack({ count: 1, parts }, async rack => {
    const { nic, counter, packets, counted } = await running(rack),
      { manager, model } = nic;
    for (let round = 0; round < 6; round++) {
      packets();
      // Some are inside when it is stopped: they are waited for.
      const rest = round % 2 === 0;
      if (rest) await rack.until(() => regionOf(nic).queue.length === 0, "all are done");
      const [was = 0] = counter.regions;
      if (round % 3 === 0) {
        await manager.stop(counter);
        need(manager.places[was]?.use === "victim", "it is no victim");
      }
      // Other chains want both regions.
      if (round % 3 !== 0)
        for (const task of round % 2 === 0 ? ["dummy"] : ["dummy", "checksum"]) {
          await rack.periods(60);
          need((await manager.launch(chainOf(nic, task), "demand")) === "running", `${task} does not run`);
        }
      if (counter.regions.length > 0) await manager.stop(counter);
      need(manager.state.has(counter), "nothing of it lies here");
      await rack.periods(60);
      const launched = manager.launch(counter, "demand");
      // From when its entry names a region they wait for it, without credits.
      await rack.until(() => counter.regions.length > 0, "it has a region", 200);
      packets();
      need((await launched) === "running", "it does not come again");
      need(!manager.state.has(counter), "what is used lies here still");
      await rack.until(() => regionOf(nic).queue.length === 0, "all are done");
      counted();
    }
    need(rack.results.length === 12 * flows.length, `${rack.results.length} packets were done`);
    need(model.dropped.length === 0, `a packet was dropped: ${model.dropped[0]?.why}`);
    need(manager.state.counts.lost === 0, manager.state.fault ?? "lost");
    // A region is free, and yet it has one instance.
    for (const task of ["dummy", "checksum"]) await manager.stop(chainOf(nic, task));
    for (const r of [0, 1]) await manager.erase(r);
    need(
      manager.places.some(p => p.use === "free"),
      "no region is free",
    );
    need(!(await manager.scale(counter, "out")), "there are two of it");
  });

/** What cannot be read, or written as a whole, is lost and counted, and the chain is as configured. */
export const losses = (parts?: Parts): Promise<void> =>
  inRack({ count: 1, parts }, async rack => {
    const { nic, counter, packets } = await running(rack),
      { manager, model } = nic;
    let lost = 0;
    const filled = async (): Promise<void> => {
      packets();
      await rack.until(() => regionOf(nic).queue.length === 0, "all are done");
      need(regionOf(nic).state.size === flows.length, "its state is not there");
    };
    const again = async (isLost: boolean): Promise<void> => {
      need((await manager.launch(counter, "demand")) === "running", "it does not come again");
      lost += isLost ? 1 : 0;
      need(manager.state.counts.lost === lost, `${manager.state.counts.lost} are lost, not ${lost}`);
      need((regionOf(nic).state.size === 0) === isLost, `it has ${text(regionOf(nic).state)}`);
    };
    await filled();
    await manager.stop(counter);
    await again(false);
    // It does not answer: what was saved before is not used a second time.
    await filled();
    model.mute = true;
    await manager.stop(counter);
    model.mute = false;
    await again(true);
    // Not all of it can be written.
    await filled();
    await manager.stop(counter);
    model.writes = 4;
    await again(true);
    model.writes = Infinity;
    await filled();
    await manager.stop(counter);
    await again(false);
    // Killed.
    await filled();
    need((await manager.kill(counter.regions[0] ?? 0)) === "running", "it does not come again");
    lost++;
    need(manager.state.counts.lost === lost && regionOf(nic).state.size === 0, "a kill loses nothing");
    // It has gone to a peer: what is left is nobody's.
    await filled();
    await manager.stop(counter, "forget");
    need((await manager.launch(counter, "demand")) === "running", "it does not come again");
    need(regionOf(nic).state.size === 0, "what has gone is here");
    // And one that is launched without what lies here leaves it there.
    await filled();
    const was = text(regionOf(nic).state);
    await manager.stop(counter);
    need((await manager.launch(counter, "ahead", "none")) === "running", "it does not come again");
    need(regionOf(nic).state.size === 0, "it has what is another's");
    await manager.stop(counter, "forget");
    need((await manager.launch(counter, "demand")) === "running", "it does not come again");
    need(text(regionOf(nic).state) === was, "what lay here is gone");
    packets();
    await rack.until(() => regionOf(nic).queue.length === 0, "all are done");
  });

const crcAt = (bytes: Uint8Array): number => bytes.length - 4;
/** The sum of Ethernet, bit by bit. */
function signed(bytes: Uint8Array): Uint8Array {
  let c = ~0;
  for (const b of bytes.subarray(0, crcAt(bytes)))
    for (let i = 0; i < 8; i++) c = (c >>> 1) ^ (((c ^ (b >> i)) & 1) === 1 ? 0xedb88320 : 0);
  new DataView(bytes.buffer).setUint32(crcAt(bytes), ~c >>> 0, true);
  return bytes;
}
const declared = (name: string, bits: number): Declared => ({
  ...{ name, reads: 0n, writes: 0n, growth: 0, leavesOut: 0, latency: 1, interval: 1, holds: 1, state: "shared" },
  keeps: {
    parts: [
      { name: "one", first: 2, words: 3, fields: { a: bits } },
      { name: "two", first: 8, words: 40, fields: { a: 1, b: 62 } },
    ],
  },
});
const tasks: readonly Declared[] = [
  declared("first", 5),
  { ...declared("none", 1), state: "none" },
  declared("last", 9),
];

/** An image is what was encoded, or it is refused: cut, turned, in another order, or another chain's. */
export async function images(of?: Parts): Promise<void> {
  const { decodeState, encodeState } = of ?? (await import("./parts.ts"));
  const r = new Random(3);
  const words = [0, 2].flatMap(slot =>
    (keptOf(tasks[slot] ?? {})?.parts ?? []).flatMap(p =>
      Array.from({ length: p.words }, (_, i) => ({
        ...{ slot, at: p.first + i },
        data: 1n + BigInt(r.below(p.name === "one" ? 30 : 1_000_000)),
      })),
    ),
  );
  const is = encodeState(tasks, words),
    same = (a: unknown, b: unknown): boolean =>
      JSON.stringify(a, (_, v: unknown) => (typeof v === "bigint" ? v.toString() : v)) ===
      JSON.stringify(b, (_, v: unknown) => (typeof v === "bigint" ? v.toString() : v));
  need(same(decodeState(tasks, is), words), "it is not what was encoded");
  need(decodeState(tasks, encodeState(tasks, [])).length === 0, "nothing is something");
  const refused = (what: string, bytes: Uint8Array, of = tasks): void => {
    try {
      decodeState(of, bytes);
    } catch {
      return;
    }
    throw new Error(`it takes ${what}`);
  };
  for (let bit = 0; bit < 8 * is.length; bit++) {
    const copy = is.slice();
    copy[bit >> 3] = (copy[bit >> 3] ?? 0) ^ (1 << (bit & 7));
    refused(`bit ${bit} turned`, copy);
  }
  for (let n = 0; n < is.length; n++) refused(`${n} bytes`, is.slice(0, n));
  const at = (i: number): number => 12 + 11 * i,
    // Each of these has the right sum.
    change = (how: (copy: Uint8Array) => void): Uint8Array => {
      const copy = is.slice();
      how(copy);
      return signed(copy);
    };
  refused("a word less than it says", signed(new Uint8Array([...is.slice(0, at(3)), ...is.slice(at(4))])));
  refused("a word more than it says", signed(new Uint8Array([...is.slice(0, -4), ...is.slice(-4 - 11)])));
  refused(
    "a word twice",
    change(c => {
      c.set(c.slice(at(1), at(2)), at(2));
    }),
  );
  refused(
    "words in another order",
    change(c => {
      const second = c.slice(at(2), at(3));
      c.set(c.slice(at(1), at(2)), at(2));
      c.set(second, at(1));
    }),
  );
  refused(
    "a word of a slot that keeps none",
    change(c => {
      c.fill(1, at(words.length - 1), at(words.length - 1) + 1);
    }),
  );
  refused(
    "a place that is none",
    change(c => {
      c.set([5, 0], at(2) + 1);
    }),
  );
  refused(
    "a place behind all",
    change(c => {
      c.set([48, 0], at(words.length - 1) + 1);
    }),
  );
  refused(
    "a bit outside of the fields",
    change(c => {
      c.set([32], at(0) + 3);
    }),
  );
  refused(
    "a word of 0",
    change(c => {
      c.fill(0, at(5) + 3, at(6));
    }),
  );
  refused(
    "another's letters",
    change(c => {
      c.set([0], 0);
    }),
  );
  refused("another chain's", is, [declared("first", 6), ...tasks.slice(1)]);
  refused("another chain's, in another order", is, [...tasks].reverse());
  await Promise.resolve();
}
