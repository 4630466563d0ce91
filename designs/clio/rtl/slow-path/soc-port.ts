import {
  arbiter,
  assertAlways,
  axiResponse,
  bit,
  bitsFor,
  cat,
  connect,
  constant,
  demux,
  fork,
  fromBits,
  gate,
  input,
  instance,
  join,
  lastLane,
  liteAddress,
  LiteRead,
  LiteResponse,
  liteSlavePorts,
  LiteWrite,
  map,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  RegisterSlave,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  type UInt,
  unpack,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { deriveConfig, type Parameters } from "../../config/index.ts";
import { socPortGeometry, socPortMap, socPortValues } from "../../registers/index.ts";
import { AxisBeat, keepAll, keepTo, lengthBits } from "../../../shared/frame/index.ts";
import { translateParameters } from "../ports/widths.ts";
import { Shootdown } from "../memory/translate.ts";

/** Put `bits` in place of the 8 bytes at `address` (a multiple of 8), as one step against the node's own accesses. */
export const Exchange = (addressBits: number) => struct({ address: uint(addressBits), bits: uint(64) });

/**
 * What stood there. `readFailed`: the memory answered the read with an error; `old` means nothing, and nothing was
 * written. `writeFailed`: it answered the write with an error; the old bits stand there, or the new ones.
 */
export const Exchanged = struct({ old: uint(64), readFailed: bit, writeFailed: bit });

/**
 * The slow path's side of the node as memory that a processor reads and writes (paper §4.5). The memory holds two rings
 * of frames, the free-page buffer, shootdowns and exchanges of table entries. The registers and where the rings stand:
 * ../registers/soc-port.ts. `irq` is up, a cycle late, while an enabled state holds.
 *
 * Rings: `slots` frames each way in block memory. A received frame stands in slot rxHead mod slots until software
 * counts rxTail up. A frame to be sent is written to slot txHead mod slots, and committed by its length in txCommit.
 * Full: with a full receive ring `soc_rx.ready` is 0, and the node answers BUSY when its own queue is full too. A
 * commit to a full send ring is refused (`refused`) and changes nothing. Empty: rxHead = rxTail; rxLength means
 * nothing. In and out in one cycle: both happen. Commands (page, shootdown, exchange): one of each under way at a time;
 * one more is refused. Bus: AXI4-Lite, one access at a time in each direction. Latency: registers 4 cycles, a word of
 * the receive ring 3, a write 3. A write to a window that is not a whole word is answered SLVERR, a read of the send
 * ring DECERR. Latency of a frame: it can be seen in the cycle after its last beat. The first beat of a committed frame
 * is on `soc_tx` 3 cycles later; then comes one beat per cycle. Reset: rings empty, nothing enabled.
 */
export const SocPort = module(
  "SocPort",
  (p: Parameters) => {
    const c = deriveConfig(p),
      g = socPortGeometry(c);
    return {
      ...liteSlavePorts(g.addressBits),
      irq: output(bit),
      socRx: sink(AxisBeat(c.beatBytes)),
      socTx: source(AxisBeat(c.beatBytes)),
      freePage: source(uint(c.ppnBits)),
      freePages: input(uint(bitsFor(c.freePageBuffer))),
      lowWater: input(bit),
      shootdown: source(Shootdown(translateParameters(c))),
      shootdownDone: sink(bit),
      exchange: source(Exchange(c.physAddrBits)),
      exchanged: sink(Exchanged),
    };
  },
  (io, p) => {
    const c = deriveConfig(p),
      g = socPortGeometry(c),
      { beatBytes } = c;
    const words = beatBytes / 4,
      slotBeats = g.slotBytes / beatBytes,
      slotBits = Math.log2(g.slots),
      beatBits = Math.log2(slotBeats),
      wordBits = Math.log2(words);
    const windowBits = g.addressBits - 2,
      slotByteBits = Math.log2(g.slotBytes);
    const region = { registers: 0, rx: 1, tx: 2 } as const;
    const regionOf = (address: UInt): UInt => address.bits(windowBits, 2);

    const registers = instance(RegisterSlave({ map: socPortMap, values: socPortValues(g) }));
    const narrow = socPortMap.addressBits;

    // Reads: to the registers or to the receive ring, the answers in order because there is one at a time.
    const reading = reg(bit, { init: 0 });
    const asked = stage(gate(io.sAr, reading.not(), { name: "read_open" }), "forward", { name: "asked" });
    when(io.sR.fire, () => reading.set(0)).elseWhen(io.sAr.fire, () => reading.set(1));
    const readsRegister = node(regionOf(asked.payload.addr).eq(region.registers));
    const [toRegister, toWindow] = demux(asked, readsRegister.not(), 2, { name: "read_to" });
    connect(
      map(toRegister, liteAddress(narrow), a => ({ addr: a.addr.bits(0, narrow), prot: a.prot }), {
        name: "register_read",
      }),
      registers.sAr,
    );

    const rxBeats = ram(uint(8 * beatBytes), { depth: g.slots * slotBeats, collision: "undefined", style: "block" });
    const fetched = reg(bit, { init: 0 });
    const beat = rxBeats.readSync(toWindow.payload.addr.bits(Math.log2(beatBytes), slotBits + beatBits), {
      name: "rx_beat",
    });
    const word = unpack(vec(uint(32), words), beat).at(
      wordBits === 0 ? constant(0, 1) : toWindow.payload.addr.bits(2, wordBits),
    );
    const windowAnswer = stream(LiteRead);
    const inRx = node(regionOf(toWindow.payload.addr).eq(region.rx));
    windowAnswer.valid.set(toWindow.valid.and(fetched));
    windowAnswer.payload.set({
      data: mux(inRx, word, constant(0, 32)),
      resp: mux(inRx, constant(axiResponse.OKAY, 2), axiResponse.DECERR),
    });
    toWindow.ready.set(windowAnswer.ready.and(fetched));
    fetched.set(toWindow.valid.and(fetched.not()));
    connect(
      arbiter([registers.sR, stage(windowAnswer, "forward", { name: "window_answer" })], {
        policy: "priority",
        name: "read_answers",
      }),
      io.sR,
    );

    // Writes: to the registers or to the send ring.
    const writing = reg(bit, { init: 0 });
    const wanted = join(
      {
        aw: gate(io.sAw, writing.not(), { name: "write_open" }),
        w: gate(io.sW, writing.not(), { name: "data_open" }),
      },
      { name: "wanted" },
    );
    const given = stage(wanted, "forward", { name: "given" });
    when(io.sB.fire, () => writing.set(0)).elseWhen(wanted.fire, () => writing.set(1));
    const writesRegister = node(regionOf(given.payload.aw.addr).eq(region.registers));
    const [storeRegister, storeWindow] = demux(given, writesRegister.not(), 2, { name: "write_to" });
    const [addressPart, dataPart] = fork(storeRegister, 2, "eager", { name: "register_store" });
    connect(
      map(addressPart, liteAddress(narrow), v => ({ addr: v.aw.addr.bits(0, narrow), prot: v.aw.prot }), {
        name: "register_address",
      }),
      registers.sAw,
    );
    connect(
      map(dataPart, LiteWrite, v => v.w, { name: "register_data" }),
      registers.sW,
    );

    const { aw, w } = storeWindow.payload;
    const whole = node(w.strb.all()),
      inTx = node(regionOf(aw.addr).eq(region.tx));
    const windowDone = stream(LiteResponse);
    windowDone.valid.set(storeWindow.valid);
    storeWindow.ready.set(windowDone.ready);
    windowDone.payload.resp.set(
      mux(inTx, mux(whole, constant(axiResponse.OKAY, 2), axiResponse.SLVERR), constant(axiResponse.DECERR, 2)),
    );
    const stores = node(storeWindow.fire.and(whole).and(inTx));
    connect(
      arbiter([registers.sB, stage(windowDone, "forward", { name: "window_done" })], {
        policy: "priority",
        name: "write_answers",
      }),
      io.sB,
    );

    // The receive ring.
    const rxHead = reg(uint(16), { init: 0 });
    const rxBeatNumber = reg(uint(beatBits), { init: 0 });
    const rxRoom = node(rxHead.sub(registers.rxTail).ne(g.slots));
    const lengths = ram(uint(lengthBits), {
      depth: g.slots,
      collision: "old",
      style: "distributed",
      name: "rx_lengths",
    });
    const rx = io.socRx.payload,
      arrived = node(io.socRx.fire.and(rx.last));
    io.socRx.ready.set(rxRoom);
    rxBeats.write(io.socRx.fire, cat(rxHead.trunc(slotBits), rxBeatNumber), rx.data);
    lengths.write(arrived, rxHead.trunc(slotBits), cat(rxBeatNumber, lastLane(rx.keep)).resize(lengthBits).add(1));
    when(io.socRx.fire, () => rxBeatNumber.set(mux(rx.last, constant(0, beatBits), rxBeatNumber.add(1))));
    when(arrived, () => rxHead.set(rxHead.add(1)));
    registers.rxHead.set(rxHead);
    registers.rxLength.set(lengths.readAsync(registers.rxTail.trunc(slotBits)));
    assertAlways(rxHead.sub(registers.rxTail).le(g.slots), "software takes no frame that has not come");

    // The send ring: a memory for each word of a beat, as software writes words.
    const txHead = reg(uint(16), { init: 0 });
    const txTail = reg(uint(16), { init: 0 });
    const txFull = node(txHead.sub(txTail).eq(g.slots));
    const commits = node(registers.txCommit.any());
    const committed = node(commits.and(txFull.not()));
    const txLengths = ram(uint(lengthBits), { depth: g.slots, collision: "old", style: "distributed" });
    txLengths.write(committed, txHead.trunc(slotBits), registers.txCommit);
    when(committed, () => txHead.set(txHead.add(1)));
    const sending = reg(bit, { init: 0 });
    const loaded = reg(bit, { init: 0 });
    const txBeat = reg(uint(beatBits), { init: 0 });
    const lastByte = node(txLengths.readAsync(txTail.trunc(slotBits)).sub(1));
    const final = node(txBeat.eq(lastByte.bits(Math.log2(beatBytes), beatBits)));
    const sent = node(io.socTx.fire);
    const nextBeat = node(mux(sent, txBeat.add(1), txBeat));
    const txWords = Array.from({ length: words }, (_, i) => {
      const store = ram(uint(32), {
        depth: g.slots * slotBeats,
        collision: "undefined",
        style: "block",
        name: `tx_word_${i}`,
      });
      const here = wordBits === 0 ? stores : stores.and(aw.addr.bits(2, wordBits).eq(i));
      store.write(here, aw.addr.bits(Math.log2(beatBytes), slotByteBits - Math.log2(beatBytes) + slotBits), w.data);
      return store.readSync(cat(txTail.trunc(slotBits), nextBeat), { name: `tx_front_${i}` });
    });
    loaded.set(sending.and(sent.and(final).not()));
    when(sending.not(), () => when(txHead.ne(txTail), () => sending.set(1)));
    when(sent, () => {
      txBeat.set(mux(final, constant(0, beatBits), nextBeat));
      when(final, () => {
        sending.set(0);
        txTail.set(txTail.add(1));
      });
    });
    io.socTx.valid.set(loaded);
    io.socTx.payload.set({
      data: cat(...[...txWords].reverse()),
      last: final,
      user: 0,
      keep: mux(final, keepTo(lastByte.bits(0, Math.log2(beatBytes)), beatBytes), keepAll(beatBytes)),
    });
    registers.txHead.set(txHead);
    registers.txTail.set(txTail);

    // Free pages. The number shows the cycle after the order.
    const pageOrdered = reg(bit, { init: 0 });
    const pagePending = reg(bit, { init: 0 });
    pageOrdered.set(registers.freePageGo.and(pagePending.not()).and(pageOrdered.not()));
    const page = reg(uint(c.ppnBits));
    when(pageOrdered, () => {
      pagePending.set(1);
      page.set(registers.freePage.trunc(c.ppnBits));
    }).elseWhen(io.freePage.fire, () => pagePending.set(0));
    io.freePage.valid.set(pagePending);
    io.freePage.payload.set(page);
    registers.freePagesHeld.set(io.freePages.zext(16));

    // Shootdowns.
    const shotOrdered = reg(bit, { init: 0 });
    const shotOffered = reg(bit, { init: 0 });
    const shotPending = reg(bit, { init: 0 });
    const acknowledged = node(io.shootdownDone.fire.and(io.shootdownDone.payload));
    const shoots = node(registers.shootdownGo.and(shotPending.not()));
    shotOrdered.set(shoots);
    when(shoots, () => shotPending.set(1)).elseWhen(acknowledged, () => shotPending.set(0));
    const target = reg(Shootdown(translateParameters(c)));
    const vpnBits = c.vpnBits;
    when(shotOrdered, () => {
      shotOffered.set(1);
      target.set({
        pid: registers.shootdownPid,
        vpn: cat(registers.shootdownVpnHigh, registers.shootdownVpnLow).resize(vpnBits),
      });
    }).elseWhen(io.shootdown.fire, () => shotOffered.set(0));
    io.shootdown.valid.set(shotOffered);
    io.shootdown.payload.set(target);
    io.shootdownDone.ready.set(1);

    // Exchanges.
    const swapOffered = reg(bit, { init: 0 });
    const swapPending = reg(bit, { init: 0 });
    const exchanged = reg(Exchanged, { init: 0 });
    const swaps = node(registers.exchangeGo.and(swapPending.not()));
    // Kept as it was ordered: software may prepare the next one while this one waits.
    const swap = reg(Exchange(c.physAddrBits));
    when(swaps, () => {
      swapPending.set(1);
      swapOffered.set(1);
      swap.set({
        address: cat(registers.exchangeHigh, registers.exchangeLow).resize(c.physAddrBits),
        bits: cat(registers.newEntryHigh, registers.newEntryLow),
      });
    }).otherwise(() => {
      when(io.exchange.fire, () => swapOffered.set(0));
      when(io.exchanged.fire, () => {
        swapPending.set(0);
        exchanged.set(io.exchanged.payload);
      });
    });
    io.exchange.valid.set(swapOffered);
    io.exchange.payload.set(swap);
    io.exchanged.ready.set(1);
    registers.oldEntryLow.set(exchanged.old.trunc(32));
    registers.oldEntryHigh.set(exchanged.old.bits(32, 32));
    registers.exchangeReadFailed.set(exchanged.readFailed);
    registers.exchangeWriteFailed.set(exchanged.writeFailed);

    registers.refused.set(
      commits
        .and(txFull)
        .or(registers.freePageGo.and(pagePending.or(pageOrdered)))
        .or(registers.shootdownGo.and(shotPending))
        .or(registers.exchangeGo.and(swapPending)),
    );

    const states = {
      rxWaiting: rxHead.ne(registers.rxTail),
      pagesLow: io.lowWater,
      shootdownIdle: shotPending.not(),
      exchangeIdle: swapPending.not(),
    };
    registers.rxWaiting.set(states.rxWaiting);
    registers.pagesLow.set(states.pagesLow);
    registers.shootdownIdle.set(states.shootdownIdle);
    registers.exchangeIdle.set(states.exchangeIdle);
    registers.freePageIdle.set(pagePending.or(pageOrdered).not());
    const interrupt = reg(bit, { init: 0 });
    interrupt.set(fromBits(Object.values(states)).and(registers.interruptEnable).any());
    io.irq.set(interrupt);
  },
);
