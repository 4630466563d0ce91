/** The accesses of a way, one after the other, piece by piece, from `ask` to the bus. */
import {
  bit,
  type Bit,
  cat,
  constant,
  fsm,
  mux,
  node,
  reg,
  uint,
  type UInt,
  when,
  wire,
} from "../../../../../hdl-dsl/index.ts";
import { memoryLengthBits } from "../../tasks/index.ts";
import {
  againCycles,
  beatsBits,
  memoryBeatBytes,
  type MemoryParameters,
  mostAccesses,
  pageBits,
  windowBits,
} from "../records.ts";
import type { sumOf } from "./bounds.ts";
import { atBits, Beats, Lane, laneBits, levelBits, type WayIo } from "./ports.ts";

type Sum = ReturnType<typeof sumOf>;
/** What bounds an access: those that were not answered, room for beats that come, and beats that are here. */
export interface Bounds {
  readonly accesses: Sum;
  readonly room: Sum;
  readonly here: Sum;
}

/** The next piece of an access. `rest`: beats up to the access's end; `leftBehind`: bytes less one behind the piece. */
const pieceRegisters = () => ({
  at: reg(uint(atBits), { name: "at" }),
  left: reg(uint(memoryLengthBits), { name: "left" }),
  rest: reg(Beats, { name: "rest_beats" }),
  beats: reg(Beats, { name: "piece_beats" }),
  lastLane: reg(Lane, { name: "last_lane" }),
  crosses: reg(bit, { name: "crosses" }),
  leftBehind: reg(uint(memoryLengthBits), { name: "left_behind" }),
});
/** From where it begins, and the bytes that are left: a piece ends with them, or at 4 KB. */
function cut({ at, left, rest, beats, lastLane, crosses, leftBehind }: ReturnType<typeof pieceRegisters>): void {
  const end = node(at.trunc(windowBits).addGrow(left.zext(windowBits)), { name: "end" }),
    over = end.bit(windowBits),
    endBeat = mux(
      over,
      constant((1 << (windowBits - laneBits)) - 1, windowBits - laneBits),
      end.bits(laneBits, windowBits - laneBits),
    );
  beats.set(
    endBeat
      .sub(at.bits(laneBits, windowBits - laneBits))
      .add(1)
      .trunc(beatsBits),
  );
  rest.set(
    at
      .trunc(laneBits)
      .zext(memoryLengthBits + 1)
      .add(left.zext(memoryLengthBits + 1))
      .shr(laneBits)
      .add(1)
      .trunc(beatsBits),
  );
  lastLane.set(mux(over, constant(memoryBeatBytes - 1, laneBits), end.trunc(laneBits)));
  crosses.set(over);
  leftBehind.set(end.trunc(memoryLengthBits));
}

/** Where the way is, and what it does in a cycle. */
export interface Access extends ReturnType<typeof pieceRegisters> {
  readonly isWrite: Bit;
  /** A piece has a page, or is refused; it is offered to the bus, or to the table; it goes to the bus. */
  readonly mapped: Bit;
  readonly refused: Bit;
  readonly goes: Bit;
  readonly looks: Bit;
  readonly sent: Bit;
  /** It waits for a verdict; for a page; or for nothing. */
  readonly judged: Bit;
  readonly waits: Bit;
  /** Its beats, or room for them, are not here. */
  readonly needs: Bit;
  readonly idle: Bit;
  readonly page: UInt;
  readonly remote: Bit;
}
/** A piece at its page's place: its address on the bus, for as long as it `goes`. */
function toBus(io: WayIo, p: MemoryParameters, { goes, isWrite, at, beats, ppn }: Piece): void {
  const address = {
    addr: cat(ppn, at.bits(laneBits, p.pageShift - laneBits), constant(0, laneBits)),
    id: 0,
    len: beats.sub(1).zext(8),
    size: laneBits,
    burst: 1,
  } as const;
  io.ar.valid.set(goes.andNot(isWrite));
  io.ar.payload.set(address);
  io.aw.valid.set(goes.and(isWrite));
  io.aw.payload.set(address);
}
interface Piece {
  readonly goes: Bit;
  readonly isWrite: Bit;
  readonly at: UInt;
  readonly beats: UInt;
  readonly ppn: UInt;
}

export function accessOf(io: WayIo, p: MemoryParameters, { accesses, room, here }: Bounds): Access {
  const { off, verdict } = io;
  // The access, and its next piece.
  const isWrite = reg(bit, { name: "is_write" }),
    piece = pieceRegisters(),
    { at, left, rest, beats, crosses, leftBehind } = piece,
    ppn = reg(uint(p.ppnBits), { name: "ppn" }),
    page = reg(uint(pageBits(p)), { name: "page" }),
    remote = reg(bit, { init: 0, name: "remote" }),
    wanting = reg(bit, { init: 0, name: "wanting_q" });
  const may = node(accesses.n.lt(mostAccesses).andNot(off), { name: "may_ask" });
  const mapped = wire(bit, { name: "is_mapped" }),
    refused = wire(bit, { name: "is_refused" }),
    looks = wire(bit, { name: "looks" }),
    goes = wire(bit, { name: "goes" }),
    asks = wire(bit, { name: "asks" });
  mapped.set(0);
  refused.set(0);
  looks.set(0);
  goes.set(0);
  asks.set(0);
  const wentOut = node(mux(isWrite, io.aw.ready, io.ar.ready), { name: "went_out" }),
    enough = node(mux(isWrite, here.n.ge(rest.zext(levelBits)), room.n.ge(beats.zext(levelBits))), {
      name: "enough",
    });
  const phase = fsm(["Idle", "Cut", "Need", "Look", "Verdict", "Later", "Go", "Refuse"], "Idle", s => ({
    Idle: () => {
      asks.set(may);
      when(io.ask.valid.and(may), () => {
        isWrite.set(io.ask.payload.write);
        at.set(io.ask.payload.address.zext(atBits));
        left.set(io.ask.payload.lastByte);
        s.go("Cut");
      });
    },
    Cut: () => {
      cut(piece);
      s.go("Need");
    },
    Need: () => {
      when(off, () => s.go("Idle")).elseWhen(enough, () => s.go("Look"));
    },
    Look: () => {
      looks.set(1);
      when(io.look.ready, () => s.go("Verdict"));
    },
    Verdict: () => {
      when(verdict.valid, () => {
        ppn.set(verdict.ppn);
        page.set(verdict.page);
        remote.set(verdict.kind.is("remote"));
        wanting.set(verdict.kind.is("noPage"));
        mapped.set(verdict.kind.is("mapped"));
        s.go("Later");
        when(verdict.kind.is("mapped"), () => s.go("Go"));
        when(verdict.kind.is("denied"), () => s.go("Refuse"));
        when(verdict.kind.is("again"), () => s.go("Look"));
      });
    },
    Later: () => {
      s.after(againCycles, "Look");
      when(off, () => {
        wanting.set(0);
        s.go("Idle");
      });
    },
    Go: () => {
      goes.set(1);
      when(wentOut, () => {
        at.set(cat(at.bits(windowBits, atBits - windowBits).add(1), constant(0, windowBits)).is(atBits));
        left.set(leftBehind);
        when(crosses.andNot(off), () => s.go("Cut")).otherwise(() => s.go("Idle"));
      });
    },
    Refuse: () => {
      refused.set(1);
      s.go("Idle");
    },
  }));
  io.ask.ready.set(asks.or(off));
  io.look.valid.set(looks);
  io.look.payload.set({ vpn: at.shr(p.pageShift).trunc(atBits - p.pageShift), write: isWrite });
  toBus(io, p, { goes, isWrite, at, beats, ppn });
  io.wanting.set(wanting);
  return {
    ...piece,
    ...{ isWrite, mapped, refused, goes, looks, page, remote },
    sent: node(goes.and(wentOut), { name: "piece_sent" }),
    judged: phase.is("Verdict"),
    waits: phase.is("Later"),
    needs: phase.is("Need"),
    idle: phase.is("Idle"),
  };
}
