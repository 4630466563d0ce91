/** Payloads of all packets in their order: those of replies are kept, of requests answered here the first bytes are. */
import {
  assertAlways,
  bit,
  type Bit,
  fsm,
  mux,
  node,
  reg,
  stream,
  type StreamIn,
  uint,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { changedChecksum } from "../../../../shared/frame/index.ts";
import { gbnBytes } from "../../../../shared/go-back-n/rtl/index.ts";
import { type PayloadBeat } from "../payload.ts";
import { headerBits } from "../interface.ts";
import { headersOf, tagOf } from "./classify.ts";
import {
  beatBytes,
  type Decided,
  type GbnTaskParameters,
  lengthBits,
  nodeBits,
  Reply,
  WaitingBeat,
} from "./records.ts";

/**
 * A decision is taken with its payload, one cycle and one for each beat. There is always room: a place for a reply was
 * looked for when it was decided.
 */
export function collect(
  p: GbnTaskParameters,
  decisions: StreamIn<typeof Decided>,
  payload: StreamIn<typeof PayloadBeat>,
  done: Bit,
) {
  const d = decisions.payload,
    beats = stream(WaitingBeat, { name: "collected" }),
    replies = stream(Reply(p), { name: "reply" }),
    some = node(d.payloadBytes.any(), { name: "has_payload" });
  const keeps = reg(bit, { name: "keeps_payload" }),
    manages = reg(bit, { name: "looks_at_payload" }),
    tail = reg(uint(7), { name: "last_bytes" });
  const job = {
    waits: reg(bit, { init: 0, name: "job_waits" }),
    header: reg(uint(headerBits), { name: "job_header" }),
    node: reg(uint(nodeBits), { name: "job_node" }),
    ingress: reg(uint(4), { name: "job_ingress" }),
    rest: reg(uint(16), { name: "job_rest" }),
    session: reg(uint(32), { name: "job_session" }),
  };
  when(done, () => job.waits.set(0));
  const phase = fsm(
    ["Head", "Rest"],
    "Head",
    s => ({
      Head: () => {
        keeps.set(d.keeps);
        manages.set(d.manages);
        tail.set(d.payloadBytes.sub(1).trunc(6).zext(7).add(1));
        when(decisions.valid.and(d.manages), () => {
          job.header.set(d.header);
          job.node.set(d.node);
          job.ingress.set(d.ingress);
        });
        when(decisions.valid.and(some), () => s.go("Rest"));
      },
      Rest: () => {
        manages.set(manages.andNot(payload.valid));
        when(payload.valid.and(manages), () => {
          job.waits.set(1);
          job.rest.set(payload.payload.data.bits(0, 16));
          job.session.set(payload.payload.data.bits(16, 32));
        });
        when(payload.fire.and(payload.payload.last), () => s.go("Head"));
      },
    }),
    { name: "collect" },
  );
  const head = node(phase.is("Head"), { name: "at_head" });
  decisions.ready.set(head);
  payload.ready.set(head.not());
  const { ip, udp, ethernet } = headersOf(d.header),
    tag = tagOf(ethernet.dst);
  beats.valid.set(mux(head, decisions.valid.and(d.keeps), payload.valid.and(keeps)));
  beats.payload.set({
    data: mux(head, d.header, payload.payload.data),
    count: mux(head, d.headBytes.resize(7), mux(payload.payload.last, tail, beatBytes)).is(7),
    last: mux(head, some.not(), payload.payload.last),
  });
  replies.valid.set(head.and(decisions.valid).and(d.keeps));
  replies.payload.set({
    session: tag.session.trunc(Math.log2(p.sessions)),
    life: tag.life,
    node: d.node,
    bytes: d.headBytes.zext(14).add(d.payloadBytes).add(gbnBytes).resize(lengthBits),
    ipLength: ip.totalLength.add(gbnBytes),
    checksum: changedChecksum(ip.checksum, gbnBytes),
    udpLength: udp.length.add(gbnBytes),
  });
  when(beats.valid, () => assertAlways(beats.ready, "a reply that is taken has room"));
  when(replies.valid, () => assertAlways(replies.ready, "a reply that is taken has a place"));
  return { beats, replies, job, working: node(head.not().or(decisions.valid), { name: "collects" }) };
}
