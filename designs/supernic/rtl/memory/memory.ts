import {
  axi4Master,
  bit,
  connect,
  fifoWithLevel,
  fromBits,
  input,
  instance,
  mergePorts,
  module,
  output,
  portArray,
  portOf,
  sink,
  source,
  stage,
  uint,
  vec,
} from "../../../../hdl-dsl/index.ts";
import { AxiShare } from "../../../shared/axi/index.ts";
import { MemoryAsk, MemoryGot, MemoryPut, MemoryWrote } from "../tasks/index.ts";
import { PageMover } from "./mover.ts";
import { joinBus } from "./on-bus.ts";
import { PageTable, Write } from "./page-table.ts";
import {
  busOf,
  framesName,
  type MemoryParameters,
  Move,
  Moved,
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
import { MemoryWay } from "./way.ts";

/** Write bursts whose data have not gone to the bus, at most. */
const burstsOnBus = 16;

/** What tasks have of the memory, by way. */
export const memoryWayPorts = (ways: number) =>
  mergePorts(
    portArray("ask", ways, sink(MemoryAsk)),
    portArray("put", ways, sink(MemoryPut)),
    portArray("got", ways, source(MemoryGot)),
    portArray("wrote", ways, source(MemoryWrote)),
    { off: input(uint(ways)), idle: output(uint(ways)), held: output(uint(ways)) },
  );
/** What software has of it. */
export const memorySoftwarePorts = (p: MemoryParameters) => ({
  epoch: input(uint(stampBits)),
  wayWrite: input(Write(wayBits(p), WaySpace(p))),
  spaceWrite: input(Write(spaceBits(p), Space(p))),
  pageWrite: input(Write(pageBits(p), PageEntry(p))),
  seeAt: input(uint(pageBits(p))),
  seen: output(PageSeen(p)),
  move: sink(Move(p)),
  moved: source(Moved(p)),
  /** A move is under way. */
  moving: output(bit),
  pageOut: source(MemoryPut),
  pageIn: sink(MemoryPut),
  /** Zeroed pages that wait for a first touch. */
  freePages: output(uint(8)),
  /** A pulse, and whether all that was looked up before it has left the memory. */
  fence: input(bit),
  fenced: output(bit),
  state: output(vec(WayState(p), p.ways)),
});

/**
 * Virtual memory for network tasks (paper §5.4.5, docs/supernic/memory.md): each task has its own space, in pages that
 * one table on chip maps, and a way that no other task can hold up. Latency, bounds, and what happens when full stand
 * at `MemoryWay`, `PageTable` and `PageMover`; an address goes out a cycle later. Reset: nothing is under way, no way
 * has a space, no page is free.
 */
export const Memory = module(
  "Memory",
  (p: MemoryParameters) => mergePorts(memoryWayPorts(p.ways), memorySoftwarePorts(p), axi4Master("m", busOf(p))),
  (io, p) => {
    const table = instance("table", PageTable(p)),
      mover = instance("mover", PageMover(p)),
      bus = busOf(p);
    const bursts = instance(
      "bus",
      AxiShare({
        ...bus,
        masters: [
          { name: "mover", id: 0 },
          ...Array.from({ length: p.ways }, (_, i) => ({ name: `task${i}`, id: i + 1 })),
        ],
        writes: burstsOnBus,
        turns: "roundRobin",
      }),
    );
    table.epoch.set(io.epoch);
    table.wayWrite.set(io.wayWrite);
    table.spaceWrite.set(io.spaceWrite);
    table.pageWrite.set(io.pageWrite);
    table.seeAt.set(io.seeAt);
    io.seen.set(table.seen);

    // Pages.
    connect(io.move, mover.move);
    connect(mover.moved, io.moved);
    io.moving.set(mover.busy);
    connect(mover.out, io.pageOut);
    connect(io.pageIn, mover.in);
    const { out: free, level } = fifoWithLevel(mover.free, p.freePages, { name: "free_pages", style: "distributed" });
    connect(free, table.free);
    mover.freeRoom.set(level.ne(p.freePages));
    io.freePages.set(level.zext(8));
    joinBus(bursts, "mover", mover, bus, 0);

    // Ways.
    const ways = Array.from({ length: p.ways }, (_, i) => instance(`way_${i}`, MemoryWay(p)));
    ways.forEach((way, i) => {
      connect(portOf(io, "ask", i), way.ask);
      connect(portOf(io, "put", i), way.put);
      connect(way.got, portOf(io, "got", i));
      connect(way.wrote, portOf(io, "wrote", i));
      way.off.set(io.off.bit(i));
      way.fence.set(io.fence);
      connect(way.look, portOf(table, "look", i));
      way.verdict.set(table.verdict.at(i));
      io.state.at(i).set(way.state);
      joinBus(bursts, `task${i}`, way, bus, i + 1);
    });
    table.wanting.set(fromBits(ways.map(w => w.wanting)).is(p.ways));
    io.idle.set(fromBits(ways.map(w => w.idle)).is(p.ways));
    io.held.set(fromBits(ways.map(w => w.held)).is(p.ways));
    io.fenced.set(fromBits(ways.map(w => w.fenced)).all());

    connect(stage(bursts.ar, "forward", { name: "ar_stage" }), io.mAr);
    connect(stage(bursts.aw, "forward", { name: "aw_stage" }), io.mAw);
    connect(stage(bursts.w, "forward", { name: "w_stage" }), io.mW);
    connect(stage(io.mR, "forward", { name: "r_stage" }), bursts.r);
    connect(stage(io.mB, "forward", { name: "b_stage" }), bursts.b);
  },
  {
    nameOf: p =>
      `Memory_w${p.ways}_e${p.pages}_s${p.spaces}_a${p.pageShift}_${p.ppnBits}_f${p.freePages}${framesName(p)}`,
  },
);
