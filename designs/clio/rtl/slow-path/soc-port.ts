import {
  arbiter, assertAlways, axiResponse, bit, bitsFor, cat, connect, constant, demux, fork, fromBits, gate, input, instance, join, lastLane, liteAddress, LiteRead,
  LiteResponse, liteSlavePorts, LiteWrite, map, module, mux, node, output, ram, reg, RegisterSlave, sink, source, stage, stream, struct, uint, unpack, vec,
  when, type UInt,
} from "../../../../hdl-dsl/index.ts";
import { deriveConfig, type Parameters } from "../../config/index.ts";
import { socPortGeometry, socPortMap, socPortValues } from "../../registers/index.ts";
import { keepAll, keepTo, AxisBeat, lengthBits } from "../../../shared/frame/index.ts";
import { translateParameters } from "../ports/widths.ts";
import { Shootdown } from "../memory/translate.ts";

/** Put `bits` in place of the 8 bytes at `address` (a multiple of 8), as one step against the node's own accesses. */
export const Exchange = (addressBits: number) => struct({ address: uint(addressBits), bits: uint(64) });

/**
 * The slow path's side of the node as memory that a processor reads and writes (paper §4.5): two rings of frames, the free-page buffer, shootdowns and
 * exchanges of table entries. The registers and where the rings stand: ../registers/soc_port.ts. `irq` is up, a cycle late, while an enabled state holds.
 *
 * Rings: `slots` frames each way in block memory. A frame that comes in stands in slot rxHead mod slots until software counts rxTail up; one to be sent is
 * written to slot txHead mod slots and handed over by its length in txCommit. Full: with a full receive ring `soc_rx.ready` is 0 and the node answers BUSY
 * when its own queue is full too; a commit to a full send ring is refused (`refused`) and changes nothing. Empty: rxHead = rxTail; rxLength means nothing.
 * In and out in one cycle: both happen. Commands (page, shootdown, exchange): one of each under way at a time; one more is refused.
 * Bus: AXI4-Lite, one access at a time in each direction. Latency: registers 4 cycles, a word of the receive ring 3, a write 3; a write to a window that is
 * not a whole word is answered SLVERR, a read of the send ring DECERR. Latency of a frame: it can be seen in the cycle after its last beat; a frame handed over has its first
 * beat on `soc_tx` 3 cycles later, then one beat per cycle. Reset: rings empty, nothing enabled.
 */
export const SocPort = module("SocPort",
  (p: Parameters) => {
    const c = deriveConfig(p), g = socPortGeometry(c);
    return {
      ...liteSlavePorts(g.addressBits), irq: output(bit),
      soc_rx: sink(AxisBeat(c.beatBytes)), soc_tx: source(AxisBeat(c.beatBytes)),
      free_page: source(uint(c.ppnBits)), free_pages: input(uint(bitsFor(c.freePageBuffer))), low_water: input(bit),
      shootdown: source(Shootdown(translateParameters(c))), shootdown_done: sink(bit),
      exchange: source(Exchange(c.physAddrBits)), exchanged: sink(uint(64)),
    };
  },
  (io, p) => {
    const c = deriveConfig(p), g = socPortGeometry(c), { beatBytes } = c;
    const words = beatBytes / 4, slotBeats = g.slotBytes / beatBytes, slotBits = Math.log2(g.slots), beatBits = Math.log2(slotBeats), wordBits = Math.log2(words);
    const windowBits = g.addressBits - 2, slotByteBits = Math.log2(g.slotBytes);
    const region = { registers: 0, rx: 1, tx: 2 } as const;
    const regionOf = (address: UInt): UInt => address.bits(windowBits, 2);

    const registers = instance(RegisterSlave({ map: socPortMap, values: socPortValues(g) }));
    const narrow = socPortMap.addressBits;

    // Reads: to the registers or to the receive ring, the answers in order because there is one at a time.
    const reading = reg(bit, { init: 0 });
    const asked = stage(gate(io.s_ar, reading.not(), { name: "read_open" }), "forward", { name: "asked" });
    when(io.s_r.fire, () => { reading.set(0); }).elseWhen(io.s_ar.fire, () => { reading.set(1); });
    const readsRegister = node(regionOf(asked.payload.addr).eq(region.registers));
    const [toRegister, toWindow] = demux(asked, readsRegister.not(), 2, { name: "read_to" }) as [typeof asked, typeof asked];
    connect(map(toRegister, liteAddress(narrow), a => ({ addr: a.addr.bits(0, narrow), prot: a.prot }), { name: "register_read" }), registers.s_ar);

    const rx_beats = ram(uint(8 * beatBytes), { depth: g.slots * slotBeats, collision: "undefined", style: "block" });
    const fetched = reg(bit, { init: 0 });
    const beat = rx_beats.readSync(toWindow.payload.addr.bits(Math.log2(beatBytes), slotBits + beatBits), { name: "rx_beat" });
    const word = unpack(vec(uint(32), words), beat).at(wordBits === 0 ? constant(0, 1) : toWindow.payload.addr.bits(2, wordBits));
    const windowAnswer = stream(LiteRead);
    const inRx = node(regionOf(toWindow.payload.addr).eq(region.rx));
    windowAnswer.valid.set(toWindow.valid.and(fetched));
    windowAnswer.payload.set({ data: mux(inRx, word, constant(0, 32)), resp: mux(inRx, constant(axiResponse.OKAY, 2), axiResponse.DECERR) });
    toWindow.ready.set(windowAnswer.ready.and(fetched));
    fetched.set(toWindow.valid.and(fetched.not()));
    connect(arbiter([registers.s_r, stage(windowAnswer, "forward", { name: "window_answer" })], { policy: "priority", name: "read_answers" }), io.s_r);

    // Writes: to the registers or to the send ring.
    const writing = reg(bit, { init: 0 });
    const wanted = join({
      aw: gate(io.s_aw, writing.not(), { name: "write_open" }), w: gate(io.s_w, writing.not(), { name: "data_open" }),
    }, { name: "wanted" });
    const given = stage(wanted, "forward", { name: "given" });
    when(io.s_b.fire, () => { writing.set(0); }).elseWhen(wanted.fire, () => { writing.set(1); });
    const writesRegister = node(regionOf(given.payload.aw.addr).eq(region.registers));
    const [storeRegister, storeWindow] = demux(given, writesRegister.not(), 2, { name: "write_to" }) as [typeof given, typeof given];
    const [addressPart, dataPart] = fork(storeRegister, 2, "eager", { name: "register_store" }) as [typeof given, typeof given];
    connect(map(addressPart, liteAddress(narrow), v => ({ addr: v.aw.addr.bits(0, narrow), prot: v.aw.prot }), { name: "register_address" }), registers.s_aw);
    connect(map(dataPart, LiteWrite, v => v.w, { name: "register_data" }), registers.s_w);

    const { aw, w } = storeWindow.payload;
    const whole = node(w.strb.all()), inTx = node(regionOf(aw.addr).eq(region.tx));
    const windowDone = stream(LiteResponse);
    windowDone.valid.set(storeWindow.valid);
    storeWindow.ready.set(windowDone.ready);
    windowDone.payload.resp.set(mux(inTx, mux(whole, constant(axiResponse.OKAY, 2), axiResponse.SLVERR), constant(axiResponse.DECERR, 2)));
    const stores = node(storeWindow.fire.and(whole).and(inTx));
    connect(arbiter([registers.s_b, stage(windowDone, "forward", { name: "window_done" })], { policy: "priority", name: "write_answers" }), io.s_b);

    // The receive ring.
    const rx_head = reg(uint(16), { init: 0 });
    const rx_beat_number = reg(uint(beatBits), { init: 0 });
    const rx_room = node(rx_head.sub(registers.rxTail).ne(g.slots));
    const lengths = ram(uint(lengthBits), { depth: g.slots, collision: "old", style: "distributed", name: "rx_lengths" });
    const rx = io.soc_rx.payload, arrived = node(io.soc_rx.fire.and(rx.last));
    io.soc_rx.ready.set(rx_room);
    rx_beats.write(io.soc_rx.fire, cat(rx_head.trunc(slotBits), rx_beat_number), rx.data);
    lengths.write(arrived, rx_head.trunc(slotBits), cat(rx_beat_number, lastLane(rx.keep)).resize(lengthBits).add(1));
    when(io.soc_rx.fire, () => { rx_beat_number.set(mux(rx.last, constant(0, beatBits), rx_beat_number.add(1))); });
    when(arrived, () => { rx_head.set(rx_head.add(1)); });
    registers.rxHead.set(rx_head);
    registers.rxLength.set(lengths.readAsync(registers.rxTail.trunc(slotBits)));
    assertAlways(rx_head.sub(registers.rxTail).le(g.slots), "software takes no frame that has not come");

    // The send ring: a memory for each word of a beat, as software writes words.
    const tx_head = reg(uint(16), { init: 0 });
    const tx_tail = reg(uint(16), { init: 0 });
    const tx_full = node(tx_head.sub(tx_tail).eq(g.slots));
    const commits = node(registers.txCommit.any());
    const committed = node(commits.and(tx_full.not()));
    const tx_lengths = ram(uint(lengthBits), { depth: g.slots, collision: "old", style: "distributed" });
    tx_lengths.write(committed, tx_head.trunc(slotBits), registers.txCommit);
    when(committed, () => { tx_head.set(tx_head.add(1)); });
    const sending = reg(bit, { init: 0 });
    const loaded = reg(bit, { init: 0 });
    const tx_beat = reg(uint(beatBits), { init: 0 });
    const last_byte = node(tx_lengths.readAsync(tx_tail.trunc(slotBits)).sub(1));
    const final = node(tx_beat.eq(last_byte.bits(Math.log2(beatBytes), beatBits)));
    const sent = node(io.soc_tx.fire);
    const next_beat = node(mux(sent, tx_beat.add(1), tx_beat));
    const tx_words = Array.from({ length: words }, (_, i) => {
      const store = ram(uint(32), { depth: g.slots * slotBeats, collision: "undefined", style: "block", name: `tx_word_${i}` });
      const here = wordBits === 0 ? stores : stores.and(aw.addr.bits(2, wordBits).eq(i));
      store.write(here, aw.addr.bits(Math.log2(beatBytes), slotByteBits - Math.log2(beatBytes) + slotBits), w.data);
      return store.readSync(cat(tx_tail.trunc(slotBits), next_beat), { name: `tx_front_${i}` });
    });
    loaded.set(sending.and((sent.and(final)).not()));
    when(sending.not(), () => { when(tx_head.ne(tx_tail), () => { sending.set(1); }); });
    when(sent, () => {
      tx_beat.set(mux(final, constant(0, beatBits), next_beat));
      when(final, () => { sending.set(0); tx_tail.set(tx_tail.add(1)); });
    });
    io.soc_tx.valid.set(loaded);
    io.soc_tx.payload.set({
      data: cat(...[...tx_words].reverse()), last: final, user: 0,
      keep: mux(final, keepTo(last_byte.bits(0, Math.log2(beatBytes)), beatBytes), keepAll(beatBytes)),
    });
    registers.txHead.set(tx_head);
    registers.txTail.set(tx_tail);

    // Free pages. The number shows the cycle after the order.
    const page_ordered = reg(bit, { init: 0 });
    const page_pending = reg(bit, { init: 0 });
    page_ordered.set(registers.freePageGo.and(page_pending.not()).and(page_ordered.not()));
    const page = reg(uint(c.ppnBits));
    when(page_ordered, () => { page_pending.set(1); page.set(registers.freePage.trunc(c.ppnBits)); }).elseWhen(io.free_page.fire, () => { page_pending.set(0); });
    io.free_page.valid.set(page_pending);
    io.free_page.payload.set(page);
    registers.freePagesHeld.set(io.free_pages.zext(16));

    // Shootdowns.
    const shot_ordered = reg(bit, { init: 0 });
    const shot_offered = reg(bit, { init: 0 });
    const shot_pending = reg(bit, { init: 0 });
    const acknowledged = node(io.shootdown_done.fire.and(io.shootdown_done.payload));
    const shoots = node(registers.shootdownGo.and(shot_pending.not()));
    shot_ordered.set(shoots);
    when(shoots, () => { shot_pending.set(1); }).elseWhen(acknowledged, () => { shot_pending.set(0); });
    const target = reg(Shootdown(translateParameters(c)));
    const vpnBits = c.vpnBits;
    when(shot_ordered, () => {
      shot_offered.set(1);
      target.set({ pid: registers.shootdownPid, vpn: cat(registers.shootdownVpnHigh, registers.shootdownVpnLow).resize(vpnBits) });
    }).elseWhen(io.shootdown.fire, () => { shot_offered.set(0); });
    io.shootdown.valid.set(shot_offered);
    io.shootdown.payload.set(target);
    io.shootdown_done.ready.set(1);

    // Exchanges.
    const swap_offered = reg(bit, { init: 0 });
    const swap_pending = reg(bit, { init: 0 });
    const old_entry = reg(uint(64), { init: 0 });
    const swaps = node(registers.exchangeGo.and(swap_pending.not()));
    // Kept as it was ordered: software may prepare the next one while this one waits.
    const swap = reg(Exchange(c.physAddrBits));
    when(swaps, () => {
      swap_pending.set(1);
      swap_offered.set(1);
      swap.set({ address: cat(registers.exchangeHigh, registers.exchangeLow).resize(c.physAddrBits), bits: cat(registers.newEntryHigh, registers.newEntryLow) });
    }).otherwise(() => {
      when(io.exchange.fire, () => { swap_offered.set(0); });
      when(io.exchanged.fire, () => { swap_pending.set(0); old_entry.set(io.exchanged.payload); });
    });
    io.exchange.valid.set(swap_offered);
    io.exchange.payload.set(swap);
    io.exchanged.ready.set(1);
    registers.oldEntryLow.set(old_entry.trunc(32));
    registers.oldEntryHigh.set(old_entry.bits(32, 32));

    registers.refused.set(commits.and(tx_full)
      .or(registers.freePageGo.and(page_pending.or(page_ordered)))
      .or(registers.shootdownGo.and(shot_pending)).or(registers.exchangeGo.and(swap_pending)));

    const states = { rxWaiting: rx_head.ne(registers.rxTail), pagesLow: io.low_water, shootdownIdle: shot_pending.not(), exchangeIdle: swap_pending.not() };
    registers.rxWaiting.set(states.rxWaiting);
    registers.pagesLow.set(states.pagesLow);
    registers.shootdownIdle.set(states.shootdownIdle);
    registers.exchangeIdle.set(states.exchangeIdle);
    registers.freePageIdle.set(page_pending.or(page_ordered).not());
    const interrupt = reg(bit, { init: 0 });
    interrupt.set(fromBits(Object.values(states)).and(registers.interruptEnable).any());
    io.irq.set(interrupt);
  });
