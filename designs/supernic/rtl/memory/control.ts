import {
  bit,
  connect,
  fromCode,
  input,
  instance,
  liteSlavePorts,
  module,
  onehotMux,
  output,
  reg,
  RegisterSlave,
  sink,
  source,
  uint,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { memoryAddressBits, memoryMap } from "../../registers/index.ts";
import { Write } from "./page-table.ts";
import {
  type MemoryParameters,
  Move,
  Moved,
  MoveKind,
  pageBits,
  PageEntry,
  PageSeen,
  Space,
  spaceBits,
  stampBits,
  wayBits,
  WaySpace,
  WayState,
} from "./records.ts";

/** Parts of an epoch, of which the device tells each. */
const partBits = 6;

/**
 * The memory's registers on AXI4-Lite (docs/supernic/memory.md). Latency: that of `RegisterSlave`, and a cycle for what
 * is written or looked at. A move is asked for while none waits, and how one ended waits until it was seen: so there is
 * one at a time. Reset: registers are 0, no move waits, the epoch is 0.
 */
export const MemoryControl = module(
  "MemoryControl",
  (p: MemoryParameters) => ({
    ...liteSlavePorts(memoryAddressBits),
    /** A part of an epoch has gone. */
    part: input(bit),
    epoch: output(uint(stampBits)),
    wayWrite: output(Write(wayBits(p), WaySpace(p))),
    spaceWrite: output(Write(spaceBits(p), Space(p))),
    pageWrite: output(Write(pageBits(p), PageEntry(p))),
    seeAt: output(uint(pageBits(p))),
    seen: input(PageSeen(p)),
    move: source(Move(p)),
    moved: sink(Moved(p)),
    moving: input(bit),
    freePages: input(uint(8)),
    fence: output(bit),
    fenced: input(bit),
    state: input(vec(WayState(p), p.ways)),
  }),
  (io, p) => {
    const values = { buildWays: p.ways, buildSpaces: p.spaces, buildPageShift: p.pageShift },
      r = instance("registers", RegisterSlave({ map: memoryMap, values }));
    connect(io.sAw, r.sAw);
    connect(io.sW, r.sW);
    connect(r.sB, io.sB);
    connect(io.sAr, r.sAr);
    connect(r.sR, io.sR);
    const parts = reg(uint(stampBits + partBits), { init: 0, name: "parts" });
    when(io.part, () => parts.set(parts.add(1)));
    const epoch = parts.bits(partBits, stampBits);
    io.epoch.set(epoch);

    // What is written.
    io.wayWrite.set({
      en: r.setWay,
      index: r.wayAt.resize(wayBits(p)),
      value: { valid: r.wayValid, space: r.waySpace.resize(spaceBits(p)) },
    });
    io.spaceWrite.set({
      en: r.setSpace,
      index: r.spaceAt.resize(spaceBits(p)),
      value: {
        base: r.spaceBase.resize(pageBits(p)),
        limit: r.spaceLimit.resize(pageBits(p) + 1),
        write: r.spaceWrite,
      },
    });
    io.pageWrite.set({
      en: r.setPage,
      index: r.pageAt.resize(pageBits(p)),
      value: {
        valid: r.pageValid,
        present: r.pagePresent,
        write: r.pageWrite,
        remote: r.pageRemote,
        ppn: r.pagePpn.resize(p.ppnBits),
      },
    });
    io.fence.set(r.fence);

    // Moves.
    const waits = reg(bit, { init: 0, name: "move_waits" });
    io.move.valid.set(waits);
    io.move.payload.set({ kind: fromCode(MoveKind, r.moveKind, "zero"), ppn: r.movePpn.resize(p.ppnBits) });
    when(io.move.fire, () => waits.set(0)).elseWhen(r.move, () => waits.set(1));
    io.moved.ready.set(r.moveSeen);

    // What is looked at.
    io.seeAt.set(r.pageAt.resize(pageBits(p)));
    const shown = reg(PageSeen(p), { name: "shown" }),
      way = reg(WayState(p), { name: "looked_way" });
    shown.set(io.seen);
    way.set(
      onehotMux(
        Array.from({ length: p.ways }, (_, i) => r.wayAt.eq(i)),
        io.state.toArray(),
      ),
    );
    r.shownPpn.set(shown.ppn.resize(16));
    r.shownValid.set(shown.valid);
    r.shownPresent.set(shown.present);
    r.shownWrite.set(shown.write);
    r.shownRemote.set(shown.remote);
    r.shownStamp.set(shown.stamp);
    r.epochNow.set(epoch);
    r.fenced.set(io.fenced);
    r.moving.set(io.moving.or(waits));
    r.movedValid.set(io.moved.valid);
    r.movedBad.set(io.moved.payload.bad);
    r.freePages.set(io.freePages);
    r.wayWaits.set(way.waits);
    r.wayRemote.set(way.remote);
    r.wayIdle.set(way.idle);
    r.wayPage.set(way.page.resize(16));
    r.wayDenied.set(way.denied);
    r.wayFailed.set(way.failed);
  },
  { nameOf: p => `MemoryControl_w${p.ways}_e${p.pages}_s${p.spaces}_a${p.pageShift}_${p.ppnBits}` },
);
