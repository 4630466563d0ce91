/** A request for an offload: its body waits until it is known what becomes of it. */
import {
  type Bit,
  bit,
  cat,
  connect,
  constant,
  Fifo,
  instance,
  mux,
  node,
  orTree,
  reg,
  stage,
  type StreamIn,
  uint,
  when,
} from "../../../../hdl-dsl/index.ts";
import { cutFields, HeaderStrip } from "../../../shared/frame/index.ts";
import { ipv4Header, udpHeader } from "../../../shared/wire/index.ts";
import { bitsOfOpcode, clioHeader, clioSize, frameOffsets } from "../../wire/index.ts";
import { OnceTable, onceVerdict } from "../once-table.ts";
import { BodyBeat, bodyLengthBits, forgetOpcode } from "../types.ts";
import type { Parted } from "./part.ts";
import { type Frames, requestHeader, type RequestPath } from "./types.ts";

/** Its headers, and its body in a queue. */
export function takeApart(apart: StreamIn<Frames>, { p }: RequestPath) {
  const { beatBytes } = p;
  const strip = instance("strip", HeaderStrip({ beatBytes, headerBytes: requestHeader, routeByte: 0, ...clioSize }));
  connect(apart, strip.frame);
  const bodyBeats = Math.ceil(p.maxBody / beatBytes);
  const body = instance(
    "body",
    Fifo({ shape: BodyBeat(p), depth: 2 ** Math.ceil(Math.log2(bodyBeats + 1)), style: "distributed" }),
  );
  connect(strip.data, body.push);
  const head = stage(strip.head, "forward", { name: "parted" });
  const clio = cutFields(clioHeader, head.payload.header, frameOffsets.clio),
    ip = cutFields(ipv4Header, head.payload.header, frameOffsets.network);
  const udp = cutFields(udpHeader, head.payload.header, frameOffsets.transport);

  return { body, head, clio, ip, udp };
}
export type Apart = ReturnType<typeof takeApart>;

/** A client has its turn, or is answered BUSY: known two cycles after the head. */
function turnOf({ slots, config }: RequestPath, { forgets, toSlot }: Parted, { ip, udp }: Apart) {
  const client = node(cat(ip.src, udp.srcPort), { name: "client" });
  // The host's own requests are of a client of its own.
  slots.forEach((s, k) =>
    s.client.set(s.removal ? mux(forgets[k] as Bit, cat(config.ip, constant(0, 16)), client) : client),
  );
  const waited = reg(uint(2), { init: 0, name: "waited" }),
    weighed = node(waited.bit(1), { name: "weighed" });
  const fits = node(orTree(slots.map((s, k) => toSlot.bit(k).and(s.fits))), { name: "fits" });

  return { client, waited, weighed, fits };
}

/** Whether it was answered before, where it is an operation that is done at most once. */
function lookUp(
  { slots, remembered, config }: RequestPath,
  { head, clio, udp }: Apart,
  { client, weighed, fits }: ReturnType<typeof turnOf>,
) {
  const once = instance("once", OnceTable(remembered));
  const onceCodes = slots.flatMap(s => s.once),
    ofOnce = onceCodes.length === 0 ? constant(0, 1) : orTree(onceCodes.map(o => clio.opcode.eq(bitsOfOpcode(o))));
  const looksUp = node(clio.flagTracked.and(udp.dstPort.eq(config.nativePort)).and(ofOnce).and(fits), {
    name: "looks_up",
  });
  const asked = reg(bit, { init: 0, name: "asked" });
  once.ask.valid.set(head.valid.and(weighed).and(looksUp).and(asked.not()));
  once.ask.payload.set({
    client,
    operation: mux(clio.flagRetry, clio.retryOf, clio.requestId).is(32),
  });
  when(once.ask.fire, () => asked.set(1));
  const told = once.answer.payload,
    known = node(weighed.and(looksUp.not().or(once.answer.valid)), { name: "known" });
  const fresh = node(looksUp.not().or(told.verdict.eq(onceVerdict.fresh)), { name: "fresh" });

  return { once, looksUp, asked, told, known, fresh };
}

/** Decides the request's fate: its head goes to its slot, or to the host's answer. */
export function decide(path: RequestPath, parted: Parted, apart: Apart) {
  const { slots } = path,
    { toSlot, forgets } = parted,
    { head, clio } = apart;
  const turn = turnOf(path, parted, apart),
    { waited, weighed, fits } = turn;
  const { once, looksUp, asked, told, known, fresh } = lookUp(path, apart, turn);
  /** The request's fate is decided: its head goes to its slot, or to the host's answer. */
  const decides = node(head.valid.and(known), { name: "decides" });
  const enters = node(decides.and(fresh).and(fits), { name: "enters" });
  const here = slots.map((_, k) => node(toSlot.bit(k), { name: `here_${k}` }));
  slots.forEach((s, k) => {
    const { removal } = s,
      forget = forgets[k] as Bit,
      entering = enters.and(here[k] as Bit);
    s.asked.valid.set(removal ? entering.or(forget) : entering);
    s.asked.payload.set({
      context: s.nextContext,
      opcode: removal ? mux(forget, constant(forgetOpcode, 8), clio.opcode) : clio.opcode,
      pid: removal ? mux(forget, removal.pid, clio.pid).is(16) : clio.pid,
      length: removal ? mux(forget, constant(0, bodyLengthBits), head.payload.length) : head.payload.length,
    });
    if (removal)
      when(forget, () => {
        removal.pending.set(0);
        removal.context.set(s.nextContext);
      });
  });
  // A slot that said it has room takes the head at once.
  head.ready.set(decides);
  once.answer.ready.set(head.valid);
  when(decides, () => {
    asked.set(0);
    waited.set(0);
  }).elseWhen(head.valid.and(weighed.not()), () => waited.set(waited.add(1)));

  return { once, looksUp, told, decides, enters, here };
}
export type Decision = ReturnType<typeof decide>;
