import {
  bit,
  type Bit,
  constant,
  encodeOnehot,
  fromBits,
  mux,
  node,
  onehotMux,
  orTree,
  pack,
  ram,
  reg,
  struct,
  uint,
  type UInt,
  type Val,
  when,
  widthOf,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { natBindingsPart, natEpochBits, natKeyBits, natPlaces, natSets, natWays } from "../../wire/index.ts";
import type { TaskConfig } from "./interface.ts";
import { stateWord } from "./state.ts";

const setBits = Math.log2(natSets),
  epochs = 2 ** natEpochBits,
  /** The longest life that a binding can have: an epoch that is one more is the next one. */
  firstLife = epochs - 2;
/** A binding: who has it, and the epoch in which it was last used. */
export const Binding = stateWord(natBindingsPart);

/** What is asked of the table: a binding by its key, or by its number; or a set is swept. */
export interface NatAsk {
  readonly set: UInt;
  readonly key: UInt;
  readonly way: UInt;
  readonly inbound: Bit;
  readonly sweeps: Bit;
  /** A packet that may have a binding. */
  readonly valid: Bit;
  /** Software writes this binding at the set and way; `key` is its key, too. */
  readonly puts: Bit;
  readonly put: Val<typeof Binding>;
}

/** The epoch and how long bindings live, and the sweeping of all sets after a reset and in each epoch. */
export function natTime(config: Val<typeof TaskConfig>) {
  const epoch = reg(uint(natEpochBits), { init: 0, name: "epoch" }),
    life = reg(uint(natEpochBits), { init: firstLife, name: "life" });
  const begins = node(config.valid.and(config.at.eq(natPlaces.epoch)), { name: "epoch_begins" });
  const sweeping = reg(bit, { init: 1, name: "sweeping" }),
    clearing = reg(bit, { init: 1, name: "clearing" }),
    at = reg(uint(setBits), { init: 0, name: "sweep_at" });
  return {
    epoch,
    life,
    clearing,
    sweeping,
    at,
    /** `swept`: one set more has been. `put`: software sets the time. */
    step: (swept: Bit, put: { readonly valid: Bit; readonly epoch: UInt; readonly life: UInt }): void => {
      when(swept, () => {
        at.set(at.add(1));
        when(at.all(), () => {
          sweeping.set(0);
          clearing.set(0);
        });
      });
      when(begins, () => {
        epoch.set(epoch.add(1));
        life.set(config.data.trunc(natEpochBits));
        sweeping.set(1);
      });
      // A new epoch in the middle of a sweep begins it anew; after a reset all sets must be cleared first.
      when(begins.andNot(clearing), () => at.set(0));
      when(put.valid, () => {
        epoch.set(put.epoch.is(natEpochBits));
        life.set(put.life.is(natEpochBits));
      });
    },
  };
}

/**
 * Which epochs live is known before a binding is read, in registers: the table sees an epoch a cycle late, as a whole.
 */
function epochsThatLive(epoch: UInt, life: UInt) {
  const livesAt = (now: number, e: number): boolean => (now - e + epochs) % epochs <= firstLife,
    live = reg(uint(epochs), {
      init: Array.from({ length: epochs }, (_, e) => (livesAt(0, e) ? 2 ** e : 0)).reduce((a, b) => a + b),
      name: "live_epochs",
    }),
    now = reg(uint(natEpochBits), { init: 0, name: "table_epoch" });
  live.set(
    fromBits(Array.from({ length: epochs }, (_, e) => epoch.sub(constant(e, natEpochBits)).le(life))).is(epochs),
  );
  now.set(epoch);
  return { now, lives: (e: UInt): Bit => live.shr(e).bit(0) };
}

/**
 * The way that has the key, else the first that is free, as a bit of each: a number would stand between the choice and
 * what is written. Software may have given a key two bindings, and the first one counts. `may`: one may be bound.
 */
function choiceOf(hits: readonly Bit[], live: readonly Bit[], may: () => Bit) {
  const noneBefore = (ways: readonly Bit[], i: number): Bit => orTree(ways.slice(0, i)).not(),
    frees = live.map(l => l.not()),
    anyHit = node(orTree(hits), { name: "any_hit" }),
    usable = node(may(), { name: "may_bind" });
  const chosen = hits.map((hit, i) => {
    const isFree = frees[i] ?? anyHit,
      first = hit.and(noneBefore(hits, i)),
      firstFree = isFree.and(noneBefore(frees, i));
    return node(first.or(firstFree.andNot(anyHit)), { name: `out_way_${i}` });
  });
  return { chosen, any: anyHit.or(orTree(frees)), usable };
}

/**
 * 4,096 bindings in 1,024 sets of 4. Asked in a cycle in which `moves` is 1, it answers in the next: read, compared and
 * written back in one cycle, so that the next packet of the same flow finds what this one has made. A key that has no
 * binding gets the first free one of its set; `found` is 0 when there is none.
 */
export function natTable(
  asked: NatAsk,
  moves: Bit,
  time: Pick<ReturnType<typeof natTime>, "epoch" | "life" | "clearing">,
) {
  const { epoch, life, clearing } = time;
  const hold = (name: string, v: UInt): UInt => {
    const held = reg(uint(v.width), { name: `asked_${name}` });
    when(moves, () => held.set(v));
    return held;
  };
  const valid = reg(bit, { init: 0, name: "asked_valid" }),
    sweeps = reg(bit, { init: 0, name: "asked_sweeps" }),
    // The last set that is cleared is looked at when clearing is over.
    clears = reg(bit, { init: 1, name: "asked_clearing" }),
    puts = reg(bit, { init: 0, name: "asked_puts" }),
    put = reg(struct({ valid: bit, epoch: uint(natEpochBits) }), { name: "asked_put" });
  when(moves, () => {
    clears.set(clearing);
    puts.set(asked.puts);
    put.set({ valid: asked.put.valid, epoch: asked.put.epoch });
    valid.set(asked.valid);
    sweeps.set(asked.sweeps);
  });
  const [set, key, way, inbound] = [
    hold("set", asked.set),
    hold("key", asked.key),
    hold("way", asked.way),
    hold("inbound", asked.inbound),
  ] as const;
  const memories = Array.from({ length: natWays }, (_, i) =>
      ram(Binding, { depth: natSets, collision: "undefined", style: "block", name: `bindings_${i}` }),
    ),
    rows = memories.map((m, i) => m.readSync(asked.set.is(setBits), { en: moves, name: `binding_${i}` }));
  const { now, lives } = epochsThatLive(epoch, life);
  // What was written as it was read goes around the memory. Its key is the one that was asked before, so whether that
  // is asked again is known by now: only what the memory has is compared behind it.
  const kept = <const W extends number>(name: string, v: UInt<W>): UInt<W> => {
    const held = reg(uint(v.width), { name: `last_${name}` });
    when(moves, () => held.set(v));
    return held.is(v.width);
  };
  const last = {
      same: kept("key_again", asked.key.eq(key)),
      key: kept("key", key).is(natKeyBits),
      epoch: kept("epoch", mux(puts, put.epoch, now)).is(natEpochBits),
    },
    writes = memories.map((_, i) => reg(bit, { init: 0, name: `goes_around_${i}` })),
    lasts = memories.map((_, i) => reg(bit, { name: `last_valid_${i}` })),
    lastLives = node(lives(last.epoch), { name: "last_lives" });
  const ways = rows.map((row, i) => ({ row, around: writes[i] ?? clears, valid: lasts[i] ?? clears }));
  const live = ways.map(({ row, around, valid }, i) =>
    node(mux(around, valid.and(lastLives), row.valid.and(lives(row.epoch))).andNot(clears), { name: `live_${i}` }),
  );
  const hits = ways.map(({ row, around }, i) =>
    node((live[i] ?? clears).and(mux(around, last.same, row.key.eq(key))), { name: `hits_${i}` }),
  );
  const { chosen, any, usable } = choiceOf(hits, live, () => valid.andNot(inbound.bit(0)));
  const outWay = node(encodeOnehot(fromBits(chosen)), { name: "out_way" });
  const named = Array.from({ length: natWays }, (_, i) => way.eq(i));
  const makes = node(usable.and(any), { name: "makes" });
  const again = node(asked.set.eq(set), { name: "set_again" });
  memories.forEach((memory, i) => {
    const refreshes = node(usable.and(chosen[i] ?? clearing), { name: `refreshes_${i}` }),
      forgets = sweeps.andNot(live[i] ?? sweeps),
      restores = node(puts.and(named[i] ?? puts), { name: `restores_${i}` });
    const becomes = node(refreshes.or(restores.and(put.valid)), { name: `binds_${i}` }),
      changes = node(refreshes.or(forgets).or(restores), { name: `changes_${i}` });
    memory.write(moves.and(changes), set.is(setBits), {
      valid: becomes,
      key: key.is(natKeyBits),
      epoch: mux(puts, put.epoch, now),
    });
    when(moves, () => {
      writes[i]?.set(changes.and(again));
      lasts[i]?.set(becomes);
    });
  });
  const inLive = onehotMux(named, live),
    around = onehotMux(named, writes),
    ofWay = (of: (row: (typeof rows)[number]) => UInt): UInt => onehotMux(named, rows.map(of)),
    inKey = mux(
      around,
      last.key,
      ofWay(r => r.key),
    );
  const asIs = wire(Binding, { name: "binding_as_is" });
  asIs.set({
    valid: inLive,
    key: inKey.is(natKeyBits),
    epoch: mux(
      around,
      last.epoch,
      ofWay(r => r.epoch),
    ).is(natEpochBits),
  });
  return {
    /** Outbound: there is a binding now. Inbound: there is one, and whose. */
    found: mux(inbound.bit(0), inLive, makes),
    index: set.zext(12).shl(2).or(outWay.zext(12)),
    key: inKey,
    /** The binding of the set and way that was asked for; 0: it is free. */
    word: mux(inLive, pack(asIs), constant(0, widthOf(Binding))),
  };
}
