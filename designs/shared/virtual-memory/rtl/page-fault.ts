import {
  axi4Address,
  axi4Response,
  axi4Write,
  bit,
  bitsFor,
  cat,
  constant,
  decode,
  fifo,
  fifoWithLevel,
  fork,
  input,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  repeat,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { entryBytes } from "../table/index.ts";
import { geometryOf, tableName, type WalkParameters, WalkResult } from "./table-walk.ts";

export interface PageFaultParameters extends WalkParameters {
  readonly freePages: number;
}

/** The end of a fault: a pulse. `outOfMemory`: no frame was to be had. `error`: the table takes too few entries. */
export const Faulted = (p: WalkParameters) =>
  struct({
    valid: bit,
    miss: uint(Math.log2(p.misses)),
    outOfMemory: bit,
    error: bit,
    ppn: uint(geometryOf(p).ppnBits),
  });

/**
 * Page faults in hardware (paper §4.4.3). A page that is allocated and has no frame gets the next one of the free-page
 * buffer, which the slow path keeps filled ahead of demand; then three things go on at once: the entry is written back,
 * the translation is reported (`done`, which fills the TLB and continues the request). One fault per cycle; latency 1
 * cycle from `fault` to `done` while a frame is there.
 *
 * No frame: faults wait in order, nothing else does. With `outOfMemory` set (the slow path has none left) they end with
 * that verdict instead. Bounds: a fault per miss at most, so both queues have room for `misses` and never fill.
 * `written` pulses when the write-back is in memory (AXI B).
 *
 * An entry that the memory refuses (`refused` pulses) is written again until the memory takes it. Its miss stands till
 * then and knows the frame, so the page is whole: no reply was untrue, and no second frame is taken. While half of the
 * misses stand for that reason, further faults end with `error` and take no frame.
 */
export const PageFault = module(
  "PageFault",
  (p: PageFaultParameters) => ({
    fault: input(struct({ valid: bit, result: WalkResult(p) })),
    freePage: sink(uint(geometryOf(p).ppnBits)),
    outOfMemory: input(bit),
    done: output(Faulted(p)),
    /** A fault of this cycle ends in the next one, with a frame. */
    quick: output(bit),
    aw: source(axi4Address(p)),
    w: source(axi4Write(p.beatBytes)),
    b: sink(axi4Response(p)),
    written: output(struct({ valid: bit, miss: uint(Math.log2(p.misses)) })),
    /** The memory answered a write-back with an error. */
    refused: output(bit),
    /** Frames in the buffer. */
    level: output(uint(bitsFor(p.freePages))),
  }),
  (io, p) => {
    const g = geometryOf(p),
      missBits = Math.log2(p.misses);
    const pages = fifoWithLevel(io.freePage, p.freePages, { style: "distributed" });
    io.level.set(pages.level);

    const faulting = stream(WalkResult(p));
    faulting.valid.set(io.fault.valid);
    faulting.payload.set(io.fault.result);
    const waiting = fifo(faulting, p.misses, { style: "distributed" });
    const f = waiting.payload;

    const page = pages.out;
    // Entries that the memory has refused, and whether they are too many. Known a cycle ahead, for `quick`.
    const repeated = reg(uint(bitsFor(p.misses)), { init: 0 }),
      broken = reg(bit, { init: 0 });
    const breaks = node(repeated.ge(p.misses / 2));
    broken.set(breaks);
    const givesUp = node(io.outOfMemory.and(page.valid.not()).or(broken));
    const taken = node(waiting.valid.and(page.valid).andNot(broken));
    waiting.ready.set(page.valid.or(givesUp));
    page.ready.set(waiting.valid.andNot(broken));
    io.quick.set(page.valid.andNot(waiting.valid).andNot(breaks));
    io.done.set({
      valid: waiting.valid.and(page.valid.or(givesUp)),
      miss: f.miss,
      outOfMemory: givesUp.andNot(broken),
      error: broken,
      ppn: page.payload,
    });

    // The entry as the slow path would have written it, valid now, with its frame: kept until the memory has it.
    const kept = ram(struct({ address: uint(p.addressBits), entry: uint(64) }), {
      depth: p.misses,
      collision: "undefined",
      style: "distributed",
    });
    const fields: Record<string, UInt> = {
      valid: constant(1, 1),
      allocated: constant(1, 1),
      read: f.read,
      write: f.write,
      tag: f.tag,
      ppn: page.payload,
    };
    const packed = cat(...g.entry.map(e => fields[e.name] as UInt).reverse()).zext(64);
    const offset = cat(f.index, f.slot, constant(0, Math.log2(entryBytes)));
    kept.write(taken, f.miss, {
      address: constant(BigInt(g.tableBase), p.addressBits).or(offset.resize(p.addressBits)),
      entry: packed,
    });

    // Answers of the memory. What it refuses stands in line again, behind a fault of the same cycle.
    const answers = stage(io.b, "forward", { name: "answer" });
    const answered = node(answers.payload.id.sub(1).trunc(missBits));
    const refused = node(answers.valid.and(answers.payload.resp.any()), { name: "refusal" });
    const again = node(refused.andNot(taken));
    answers.ready.set(refused.and(taken).not());
    io.refused.set(again);
    io.written.set({ valid: answers.valid.andNot(refused), miss: answered });
    const hasFailed = reg(uint(p.misses), { init: 0 });
    const before = node(hasFailed.shr(answered).bit(0)),
      its = constant(1, p.misses).shl(answered).trunc(p.misses);
    when(mux(before, io.written.valid, again), () => {
      hasFailed.set(hasFailed.xor(its));
      repeated.set(mux(before, repeated.sub(1), repeated.add(1)));
    });
    const line = stream(uint(missBits));
    line.valid.set(taken.or(refused));
    line.payload.set(mux(taken, f.miss, answered));
    const writes = fifo(line, p.misses, { style: "distributed" });

    // One beat, address and data side by side; whichever the bus takes first waits for the other.
    const e = kept.readAsync(writes.payload);
    const [address, data] = fork(writes, 2, "eager", { name: "write" });
    io.aw.valid.set(address.valid);
    address.ready.set(io.aw.ready);
    const beatShift = Math.log2(p.beatBytes);
    const aligned =
      beatShift === 0 ? e.address : cat(e.address.bits(beatShift, p.addressBits - beatShift), constant(0, beatShift));
    io.aw.payload.set({
      addr: aligned,
      id: writes.payload.resize(p.idBits).add(1),
      len: constant(0, 8),
      size: constant(beatShift, 3),
      burst: constant(1, 2),
    });
    io.w.valid.set(data.valid);
    data.ready.set(io.w.ready);
    const lanes = p.beatBytes / entryBytes;
    const lane = lanes === 1 ? constant(1, 1) : decode(e.address.bits(3, Math.log2(lanes)), lanes);
    io.w.payload.set({
      data: repeat(e.entry, lanes),
      strb: cat(...Array.from({ length: lanes }, (_, i) => repeat(lane.bit(lanes - 1 - i), entryBytes))),
      last: constant(1, 1),
    });
  },
  { nameOf: p => `PageFault_m${p.misses}_f${p.freePages}_b${p.beatBytes}_${tableName(p)}` },
);
