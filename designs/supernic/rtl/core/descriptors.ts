import {
  bit,
  input,
  module,
  mux,
  node,
  output,
  ram,
  reg,
  repeat,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { Arrived, ctxBits, type DeviceSizes } from "../inside/index.ts";
import { Front, Told } from "./records.ts";

type Parameters = Pick<DeviceSizes, "contexts" | "cells">;
const bitsOf = (p: Parameters) => uint(ctxBits(p));

/**
 * What is known of each packet inside beside its header (design: supernic.md, section 2, "Descriptor"). `arrive` writes
 * what a packet comes with. `said` is what tasks have said of its front: the first that puts or leaves out something
 * counts, and a reply of any. `tell` and `look` read, a cycle later. `release` forgets what was said. Nothing waits;
 * initiation interval 1 for all. What arrives counts for who reads in that cycle, what is said from the next one on.
 *
 * Reset: nothing has been said of any packet, after a cycle for each context (`clearing`); nobody may say anything
 * meanwhile, which is asserted by who says.
 */
export const Descriptors = module(
  "Descriptors",
  (p: Parameters) => ({
    arrive: input(struct({ valid: bit, packet: Arrived(p) })),
    tell: input(bitsOf(p)),
    /** Of the context of `tell` in the cycle before. */
    told: output(Told),
    said: input(struct({ valid: bit, ctx: bitsOf(p), front: Front })),
    look: input(bitsOf(p)),
    /** Of the context of `look` in the cycle before. */
    packet: output(Arrived(p)),
    front: output(Front),
    release: input(struct({ valid: bit, ctx: bitsOf(p) })),
    clearing: output(bit),
  }),
  (io, p) => {
    const depth = p.contexts;
    // Of what arrives: a copy for each reader.
    const { valid, packet } = io.arrive,
      { uid, user, ingress, flowHash, headBytes, payloadBytes, noL4 } = packet;
    const told = ram(Told, { depth, collision: "new", style: "block" }),
      packets = ram(Arrived(p), { depth, collision: "new", style: "block" });
    told.write(valid, packet.ctx, { uid, user, ingress, flowHash, headBytes, payloadBytes, noL4 });
    packets.write(valid, packet.ctx, packet);
    io.told.set(told.readSync(io.tell, { name: "told_word" }));
    io.packet.set(packets.readSync(io.look, { name: "packet_word" }));

    // Of what is said: it counts while the two marks differ. Who says writes one, who releases the other.
    const fronts = ram(Front, { depth, collision: "undefined", style: "distributed" }),
      said = ram(bit, { depth, collision: "undefined", style: "distributed" }),
      undone = ram(bit, { depth, collision: "undefined", style: "distributed" });
    const counts = (at: UInt, name: string) =>
      node(said.readAsync(at).xor(undone.readAsync(at)), { name: `${name}_counts` });
    const clearing = reg(bit, { init: 1, name: "clearing_q" }),
      cleared = reg(bitsOf(p), { init: 0, name: "cleared" });
    when(clearing, () => {
      cleared.set(cleared.add(1));
      when(cleared.all(), () => clearing.set(0));
    });
    io.clearing.set(clearing);

    const { ctx, front } = io.said,
      before = fronts.readAsync(ctx),
      has = counts(ctx, "said"),
      prepends = node(has.and(before.prepend.any()), { name: "has_prepend" }),
      leavesOut = node(has.and(before.dropFront.any()), { name: "has_drop" });
    const something = node(front.prepend.any().or(front.dropFront.any()).or(front.reply), { name: "says_something" }),
      writes = node(io.said.valid.and(something), { name: "says" });
    fronts.write(writes, ctx, {
      prepend: mux(prepends, before.prepend, front.prepend),
      frontBytes: mux(prepends, before.frontBytes, front.frontBytes),
      dropFront: mux(leavesOut, before.dropFront, front.dropFront),
      reply: front.reply.or(has.and(before.reply)),
    });
    said.write(writes, ctx, undone.readAsync(ctx).not());
    const forgets = node(mux(clearing, cleared, io.release.ctx), { name: "forgets" });
    undone.write(clearing.or(io.release.valid), forgets, said.readAsync(forgets));

    const looked = reg(Front, { name: "looked" }),
      isSaid = counts(io.look, "looked"),
      word = fronts.readAsync(io.look),
      only = (v: UInt): UInt => v.and(repeat(isSaid, v.width));
    looked.set({
      prepend: only(word.prepend),
      frontBytes: only(word.frontBytes),
      dropFront: only(word.dropFront),
      reply: word.reply.and(isSaid),
    });
    io.front.set(looked);
  },
  { nameOf: p => `Descriptors_c${p.contexts}_k${p.cells}` },
);
