import { assertAlways, axi4Slave, axiResponse, bit, input, module, mux, node, output, ram, reg, struct, uint, when } from "../../../hdl-dsl/index.ts";

export interface BlockMemoryParameters {
  /** Bytes, a power of two. */
  readonly bytes: number;
  readonly beatBytes: number; readonly idBits: number;
  /** Bytes of the window, which ends where `windowEnd` bytes end: addresses in it are registers. */
  readonly windowFrom: number; readonly windowEnd: number;
}
/** Words of the memory, by number. */
export const wordBits = (p: Pick<BlockMemoryParameters, "bytes" | "beatBytes">): number => Math.log2(p.bytes / p.beatBytes);

/**
 * The device's own block memory as an AXI4 slave: full beats, INCR bursts, byte enables; reads before writes when both wait. A window of it is registers: what
 * is written there is told on `written` (all bytes of a word at once), what is read there is `status`.
 * Latency: 2 cycles from `ar` to the first beat, 1 from the last of `w` to `b`. Initiation interval: a beat every 2 cycles read, one a cycle written; one burst at a time. Full:
 * the ready of what is not its turn is 0. Reset: no burst under way, the memory keeps its content (zero when the device starts).
 */
export const BlockMemory = module("BlockMemory",
  (p: BlockMemoryParameters) => ({
    ...axi4Slave("s", { addressBits: Math.log2(p.bytes), idBits: p.idBits, beatBytes: p.beatBytes }),
    /** A word of the window is being written: its number from the window's start. */
    written: output(struct({ valid: bit, word: uint(Math.log2((p.windowEnd - p.windowFrom) / p.beatBytes)), data: uint(8 * p.beatBytes) })),
    status: input(uint(8 * p.beatBytes)),
  }),
  (io, p) => {
    const lane = Math.log2(p.beatBytes), bits = wordBits(p), registers = (p.windowEnd - p.windowFrom) / p.beatBytes;
    const words = ram(uint(8 * p.beatBytes), { depth: p.bytes / p.beatBytes, collision: "undefined", style: "block" });
    const reading = reg(bit, { init: 0 }), writing = reg(bit, { init: 0 }), answering = reg(bit, { init: 0 });
    /** The memory's output is the beat of this address. */
    const fetched = reg(bit, { init: 0 });
    const word = reg(uint(bits)), left = reg(uint(8)), id = reg(uint(p.idBits));
    const idle = node(reading.or(writing).or(answering).not());
    const in_window = node(word.ge(p.windowFrom / p.beatBytes).and(word.lt(p.windowEnd / p.beatBytes)));

    io.s_ar.ready.set(idle);
    io.s_aw.ready.set(idle.and(io.s_ar.valid.not()));
    when(io.s_ar.fire, () => { reading.set(1); fetched.set(0); word.set(io.s_ar.payload.addr.shr(lane).trunc(bits)); left.set(io.s_ar.payload.len); id.set(io.s_ar.payload.id); });
    when(io.s_aw.fire, () => { writing.set(1); word.set(io.s_aw.payload.addr.shr(lane).trunc(bits)); id.set(io.s_aw.payload.id); });
    for (const a of [io.s_ar, io.s_aw]) assertAlways(a.valid.not().or(a.payload.size.eq(lane).and(a.payload.burst.eq(1))), "bursts are of full beats, INCR");

    const data = words.readSync(word, { en: reading.and(fetched.not()) });
    when(reading, () => { fetched.set(1); });
    io.s_r.valid.set(fetched.and(reading));
    io.s_r.payload.set({ data: mux(in_window, io.status, data), id, resp: axiResponse.OKAY, last: left.eq(0) });
    when(io.s_r.fire, () => {
      fetched.set(0);
      word.set(word.add(1));
      left.set(left.sub(1));
      when(left.eq(0), () => { reading.set(0); });
    });

    io.s_w.ready.set(writing);
    words.write(io.s_w.fire, word, io.s_w.payload.data, io.s_w.payload.strb);
    io.written.set({ valid: io.s_w.fire.and(in_window).and(io.s_w.payload.strb.all()), word: word.sub(p.windowFrom / p.beatBytes).trunc(Math.log2(registers)), data: io.s_w.payload.data });
    when(io.s_w.fire, () => {
      word.set(word.add(1));
      when(io.s_w.payload.last, () => { writing.set(0); answering.set(1); });
    });
    io.s_b.valid.set(answering);
    io.s_b.payload.set({ id, resp: axiResponse.OKAY });
    when(io.s_b.fire, () => { answering.set(0); });
  });
