/** Orders of software to the node: one of each under way at a time. */
import { bit, cat, node, reg, uint, when } from "../../../../../hdl-dsl/index.ts";
import { Shootdown } from "../../memory/translate.ts";
import { translateParameters } from "../../ports/widths.ts";
import { Exchange, Exchanged, type Parts } from "./ports.ts";

/** Free pages. The number shows the cycle after the order. */
export function freePages({ io, c, registers }: Parts) {
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

  return { pageOrdered, pagePending };
}

export function shootdowns({ io, c, registers }: Parts) {
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

  return shotPending;
}

/** Exchanges of table entries. */
export function exchanges({ io, c, registers }: Parts) {
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

  return swapPending;
}
