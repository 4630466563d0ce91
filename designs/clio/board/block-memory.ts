import {
  assertAlways,
  axi4Slave,
  axiResponse,
  bit,
  input,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  struct,
  uint,
  when,
} from "../../../hdl-dsl/index.ts";

export interface BlockMemoryParameters {
  /** Bytes, a power of two. */
  readonly bytes: number;
  readonly beatBytes: number;
  readonly idBits: number;
  /** Bytes of the window, which ends where `windowEnd` bytes end: addresses in it are registers. */
  readonly windowFrom: number;
  readonly windowEnd: number;
}
/** Words of the memory, by number. */
export const wordBits = (p: Pick<BlockMemoryParameters, "bytes" | "beatBytes">): number =>
  Math.log2(p.bytes / p.beatBytes);

/**
 * The device's own block memory as an AXI4 slave: full beats, INCR bursts, byte enables; reads before writes when both
 * wait. A window of it is registers. Writes to the window appear on `written` (all bytes of a word at once); reads
 * return `status`. Latency: 2 cycles from `ar` to the first beat, 1 from the last of `w` to `b`. Initiation interval: a
 * beat every 2 cycles read, one a cycle written; one burst at a time. Full: the ready of what is not its turn is 0.
 * Reset: no burst under way, the memory keeps its content (zero when the device starts).
 */
export const BlockMemory = module(
  "BlockMemory",
  (p: BlockMemoryParameters) => ({
    ...axi4Slave("s", { addressBits: Math.log2(p.bytes), idBits: p.idBits, beatBytes: p.beatBytes }),
    /** A word of the window is being written: its number from the window's start. */
    written: output(
      struct({
        valid: bit,
        word: uint(Math.log2((p.windowEnd - p.windowFrom) / p.beatBytes)),
        data: uint(8 * p.beatBytes),
      }),
    ),
    status: input(uint(8 * p.beatBytes)),
  }),
  (io, p) => {
    const lane = Math.log2(p.beatBytes),
      bits = wordBits(p),
      registers = (p.windowEnd - p.windowFrom) / p.beatBytes;
    const words = ram(uint(8 * p.beatBytes), { depth: p.bytes / p.beatBytes, collision: "undefined", style: "block" });
    const reading = reg(bit, { init: 0 }),
      writing = reg(bit, { init: 0 }),
      answering = reg(bit, { init: 0 });
    /** The memory's output is the beat of this address. */
    const fetched = reg(bit, { init: 0 });
    const word = reg(uint(bits)),
      left = reg(uint(8)),
      id = reg(uint(p.idBits));
    const idle = node(reading.or(writing).or(answering).not());
    const inWindow = node(word.ge(p.windowFrom / p.beatBytes).and(word.lt(p.windowEnd / p.beatBytes)));

    io.sAr.ready.set(idle);
    io.sAw.ready.set(idle.and(io.sAr.valid.not()));
    when(io.sAr.fire, () => {
      reading.set(1);
      fetched.set(0);
      word.set(io.sAr.payload.addr.shr(lane).trunc(bits));
      left.set(io.sAr.payload.len);
      id.set(io.sAr.payload.id);
    });
    when(io.sAw.fire, () => {
      writing.set(1);
      word.set(io.sAw.payload.addr.shr(lane).trunc(bits));
      id.set(io.sAw.payload.id);
    });
    for (const a of [io.sAr, io.sAw])
      assertAlways(
        a.valid.not().or(a.payload.size.eq(lane).and(a.payload.burst.eq(1))),
        "bursts are of full beats, INCR",
      );

    const data = words.readSync(word, { en: reading.and(fetched.not()) });
    when(reading, () => fetched.set(1));
    io.sR.valid.set(fetched.and(reading));
    io.sR.payload.set({ data: mux(inWindow, io.status, data), id, resp: axiResponse.OKAY, last: left.eq(0) });
    when(io.sR.fire, () => {
      fetched.set(0);
      word.set(word.add(1));
      left.set(left.sub(1));
      when(left.eq(0), () => reading.set(0));
    });

    io.sW.ready.set(writing);
    words.write(io.sW.fire, word, io.sW.payload.data, io.sW.payload.strb);
    io.written.set({
      valid: io.sW.fire.and(inWindow).and(io.sW.payload.strb.all()),
      word: word.sub(p.windowFrom / p.beatBytes).trunc(Math.log2(registers)),
      data: io.sW.payload.data,
    });
    when(io.sW.fire, () => {
      word.set(word.add(1));
      when(io.sW.payload.last, () => {
        writing.set(0);
        answering.set(1);
      });
    });
    io.sB.valid.set(answering);
    io.sB.payload.set({ id, resp: axiResponse.OKAY });
    when(io.sB.fire, () => answering.set(0));
  },
);
