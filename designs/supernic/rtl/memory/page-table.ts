import {
  arbiter,
  assignView,
  type Bit,
  bit,
  constant,
  fromBits,
  type Given,
  input,
  map,
  mergePorts,
  module,
  mux,
  node,
  onehotMux,
  output,
  portArray,
  portOf,
  priority,
  ram,
  reg,
  type Shape,
  sink,
  stage,
  struct,
  uint,
  type UInt,
  type Var,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { grantsBehind } from "../../../shared/stream/index.ts";
import {
  framesName,
  isBeyond,
  Look,
  type MemoryParameters,
  pageBits,
  PageEntry,
  PageSeen,
  Space,
  spaceBits,
  stampBits,
  Verdict,
  VerdictKind,
  vpnBits,
  wayBits,
  WaySpace,
} from "./records.ts";

/** Software writes an entry of a table. */
export const Write = <S extends Shape>(indexBits: number, value: S) =>
  struct({ en: bit, index: uint(indexBits), value });

/** The next stage of the pipeline: it moves every cycle. */
function next<S extends Shape>(
  shape: S,
  name: string,
  value: Given<S>,
  valid: Bit,
): { readonly valid: Bit; readonly value: Var<S> } {
  const there = reg(bit, { init: 0, name: `${name}_valid` }),
    held = reg(shape, { name });
  there.set(valid);
  assignView(held, value, name);
  return { valid: there, value: held };
}

/**
 * Whose turn it is to take a free page, while some wait for one: round robin, so that who waits sees one page go to
 * each other one at most. Nobody who came later takes it from him.
 */
function turnOf(wanting: UInt, ways: number): UInt {
  const turn = reg(uint(ways), { init: 1, name: "turn" }),
    mayTake = reg(uint(ways), { init: (1 << ways) - 1, name: "may_take" }),
    stays = node(turn.and(wanting).any(), { name: "turn_stays" }),
    asks = Array.from({ length: ways }, (_, i) => wanting.bit(i)),
    after = grantsBehind("turn", asks, turn);
  when(wanting.any().andNot(stays), () => turn.set(fromBits(after).is(ways)));
  mayTake.set(mux(wanting.any(), turn.and(wanting), constant((1 << ways) - 1, ways)).is(ways));
  return mayTake;
}

/** Whatever software writes, no look leads to a page that is not tasks'. */
const isBeyondTasks = (p: MemoryParameters, { present, ppn }: { readonly present: Bit; readonly ppn: UInt }): Bit =>
  node(present.and(isBeyond(p, ppn)), { name: "beyond_tasks" });

/**
 * The page table, one level, on chip, without a TLB (paper §5.4.5, docs/supernic/memory.md). A way's look ends in one
 * verdict. An entry that is valid, and whose page is neither present nor remote, takes a zeroed page from `free` with
 * its first touch. An access outside its way's space, or without the right, is denied and takes nothing.
 *
 * Latency: 5 cycles from `look` to `verdict`, of which the table's memory has 2; initiation interval 1 for all ways
 * together, in turns. An entry that software writes with a page beyond `frames` is none, and its looks are
 * denied. It never waits: without a free page, or with the page far away, the verdict says so. A look at an
 * entry that changes meanwhile ends in `again`. `seen` shows the entry `seeAt` 2 cycles later. Reset: no way has a
 * space; the entries are undefined, and software writes those of a space before it gives it to a way.
 */
export const PageTable = module(
  "PageTable",
  (p: MemoryParameters) =>
    mergePorts(portArray("look", p.ways, sink(Look(p))), {
      verdict: output(vec(Verdict(p), p.ways)),
      /** Ways that wait for a free page. */
      wanting: input(uint(p.ways)),
      free: sink(uint(p.ppnBits)),
      /** The number of the epoch, for stamps. */
      epoch: input(uint(stampBits)),
      wayWrite: input(Write(wayBits(p), WaySpace(p))),
      spaceWrite: input(Write(spaceBits(p), Space(p))),
      pageWrite: input(Write(pageBits(p), PageEntry(p))),
      seeAt: input(uint(pageBits(p))),
      seen: output(PageSeen(p)),
    }),
  (io, p) => {
    const bits = pageBits(p),
      vpns = vpnBits(p),
      Picked = struct({ way: uint(p.ways), vpn: uint(vpns), write: bit });
    const picked = stage(
      arbiter(
        Array.from({ length: p.ways }, (_, i) =>
          map(portOf(io, "look", i), Picked, l => ({ way: constant(1 << i, p.ways), vpn: l.vpn, write: l.write }), {
            name: `looks_${i}`,
          }),
        ),
        { name: "look_turn" },
      ),
      "forward",
      { name: "picked" },
    );
    picked.ready.set(1);

    // Whose space.
    const ways = Array.from({ length: p.ways }, (_, i) => reg(WaySpace(p), { init: { valid: 0 }, name: `way_${i}` }));
    ways.forEach((w, i) => when(io.wayWrite.en.and(io.wayWrite.index.eq(i)), () => w.set(io.wayWrite.value)));
    const its = onehotMux(
      ways.map((_, i) => picked.payload.way.bit(i)),
      ways,
    );
    const Whose = struct({ ...Picked.fields, known: bit, space: uint(spaceBits(p)) });
    const whose = next(Whose, "whose", { ...picked.payload, known: its.valid, space: its.space }, picked.valid);

    // Within it: a look behind its limit, or at an entry that the table does not have, is outside.
    const spaces = ram(Space(p), {
      depth: p.spaces,
      collision: "undefined",
      style: "distributed",
      name: "space_table",
    });
    spaces.write(io.spaceWrite.en, io.spaceWrite.index, io.spaceWrite.value);
    const space = spaces.readAsync(whose.value.space),
      wide = Math.max(vpns, bits + 1),
      within = node(whose.value.vpn.zext(wide).lt(space.limit.zext(wide)), { name: "within_limit" }),
      // However far the limit goes: no number of a page has more bits than the table.
      beyond = node(whose.value.vpn.shr(bits).any(), { name: "beyond_table" }),
      sum = node(space.base.addGrow(whose.value.vpn.resize(bits)), { name: "page_sum" });
    const At = struct({ way: uint(p.ways), page: uint(bits), inside: bit, write: bit, mayWrite: bit });
    const at = next(
      At,
      "at",
      {
        way: whose.value.way,
        page: sum.trunc(bits),
        inside: whose.value.known.and(within).andNot(beyond.or(sum.bit(bits))),
        write: whose.value.write,
        mayWrite: space.write,
      },
      whose.valid,
    );

    // The entry. Who reads it while it is written looks again.
    const changes = node(io.pageWrite.en, { name: "software_writes" });
    const here = next(At, "here", at.value, at.valid),
      stale = reg(bit, { init: 0, name: "stale" });
    const entries = ram(PageEntry(p), { depth: p.pages, collision: "old", style: "block", name: "entries" });
    const entry = entries.port({
      address: at.value.page,
      write: constant(0, 1),
      data: { valid: 0, present: 0, write: 0, remote: 0, ppn: 0 },
      reads: "old",
      name: "entry",
    });

    const { page, inside, write, mayWrite, way } = here.value;
    const lacksRight = node(write.andNot(entry.write.and(mayWrite)), { name: "lacks_right" }),
      denied = node(inside.and(entry.valid).not().or(lacksRight), { name: "is_denied" }),
      usable = node(here.valid.andNot(stale).andNot(denied), { name: "is_usable" }),
      first = node(usable.andNot(entry.present).andNot(entry.remote), { name: "is_first_touch" }),
      mine = turnOf(io.wanting, p.ways).and(way).any(),
      takes = node(first.and(mine).and(io.free.valid).andNot(changes), { name: "takes_page" });
    io.free.ready.set(takes);
    const writes = node(changes.or(takes), { name: "entry_changes" }),
      place = mux(changes, io.pageWrite.index, mux(takes, page, io.seeAt)),
      one = constant(1, 1),
      beyondTasks = isBeyondTasks(p, io.pageWrite.value),
      touched = { valid: one, present: one, write: entry.write, remote: constant(0, 1), ppn: io.free.payload };
    const entered = mux(changes, io.pageWrite.value, touched),
      shown = entries.port({
        address: place,
        write: writes,
        data: { ...entered, valid: entered.valid.andNot(changes.and(beyondTasks)) },
        reads: "unchanged",
        name: "shown",
      });
    stale.set(writes.and(place.eq(at.value.page)));

    const mapped = node(usable.and(entry.present.or(takes)), { name: "is_mapped" });
    const kind = priority(
      [stale, VerdictKind.again],
      [denied, VerdictKind.denied],
      [entry.present.or(takes), VerdictKind.mapped],
      [entry.remote, VerdictKind.remote],
      VerdictKind.noPage,
    );
    const said = reg(struct({ kind: VerdictKind, ppn: uint(p.ppnBits), page: uint(bits) }), { name: "said" }),
      to = reg(uint(p.ways), { init: 0, name: "said_to" });
    said.set({ kind, ppn: mux(entry.present, entry.ppn, io.free.payload), page });
    to.set(mux(here.valid, way, constant(0, p.ways)).is(p.ways));
    for (let i = 0; i < p.ways; i++) io.verdict.at(i).set({ valid: to.bit(i), ...said });

    const stamps = ram(uint(stampBits), { depth: p.pages, collision: "undefined", style: "block", name: "stamps" });
    stamps.write(mapped, page, io.epoch);
    io.seen.set({ ...shown, stamp: stamps.readSync(io.seeAt, { name: "stamp" }) });
  },
  { nameOf: p => `PageTable_w${p.ways}_e${p.pages}_s${p.spaces}_a${p.pageShift}_${p.ppnBits}${framesName(p)}` },
);
