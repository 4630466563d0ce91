import { describe, expect } from "vitest";
import { classify } from "../../../../../designs/clio/model/index.ts";
import { DropPulses, dropReasons } from "../../../../../designs/clio/rtl/network/drops.ts";
import { AxisBeat, FrameBuffer, SlotPool } from "../../../../../designs/shared/frame/index.ts";
import { NetRx } from "../../../../../designs/clio/rtl/network/net-rx.ts";
import { NetTx } from "../../../../../designs/clio/rtl/network/net-tx.ts";
import { ReplyContexts } from "../../../../../designs/clio/rtl/network/reply-contexts.ts";
import { FrameKind, NetConfig, Reply, replyForm } from "../../../../../designs/clio/rtl/records/records.ts";
import { arpReplyFrame, echoReplyFrame, encodeInto } from "../../../../../designs/shared/wire/index.ts";
import { clioHeader, frameOffsets, opcode, replyFrame, status } from "../../../../../designs/clio/wire/index.ts";
import {
  connect,
  constant,
  input,
  instance,
  map,
  module,
  mux,
  output,
  sink,
  source,
  uint,
} from "../../../../../hdl-dsl/index.ts";
import {
  AxisSink,
  AxisSource,
  type Bench,
  bernoulli,
  bursts,
  type Frame,
  never,
  type Pause,
  poke,
  type SentFrame,
} from "../../../../../sim/index.ts";
import { bench } from "../../../../bench.ts";
import { anyFrame, clientPorts, configOf, mtuFrame, own, randomArp, randomPing, randomRequest } from "./net-frames.ts";

const slots = 16;
/**
 * The network blocks joined by the least there can be between them: pings of all kinds are answered, any other
 * request is MALFORMED.
 */
const NetStack = module(
  "NetStack",
  (p: { beatBytes: number; slots: number; frameBytes: number }) => ({
    config: input(NetConfig),
    rx: sink(AxisBeat(p.beatBytes)),
    tx: source(AxisBeat(p.beatBytes)),
    drops: output(DropPulses),
    busy: output(uint(p.slots)),
  }),
  (io, p) => {
    const rx = instance(NetRx({ ...p, clientPorts })),
      tx = instance(NetTx(p)),
      pool = instance(SlotPool({ slots: p.slots, releases: 2 }));
    const buffer = instance(FrameBuffer(p)),
      contexts = instance(ReplyContexts({ slots: p.slots }));
    rx.config.set(io.config);
    tx.config.set(io.config);
    connect(io.rx, rx.rx);
    connect(tx.tx, io.tx);
    connect(pool.offer, rx.slot);
    pool.release.at(0).set(rx.release);
    pool.release.at(1).set(tx.release);
    buffer.write.set(rx.bufferWrite);
    contexts.write.set(rx.contextWrite);
    contexts.read.set(tx.contextRead);
    tx.context.set(contexts.value);
    tx.word.set(0);
    tx.waitNs.set(0);
    connect(tx.echoJob, buffer.echoJob);
    connect(buffer.echoData, tx.echoData);
    const answer = map(rx.request, Reply(p), r => {
      const good = r.corrupt.not().and(r.malformed.not()).and(r.opcode.eq(opcode.PINGPONG)),
        echo = r.kind.ne(FrameKind.clio).or(good);
      return {
        slot: r.slot,
        form: mux(echo, constant(replyForm.echo, 2), replyForm.bare),
        word: 0,
        opcode: r.opcode,
        status: mux(echo, constant(0, 4), mux(r.corrupt, constant(status.NACK, 4), status.MALFORMED)),
      };
    });
    connect(answer, tx.reply);
    tx.data.valid.set(0);
    tx.data.payload.set({ data: 0, last: 0, bad: 0 });
    tx.raw.valid.set(0);
    tx.raw.payload.set({ data: 0, keep: 0, last: 0, user: 0 });
    for (const job of [buffer.writeJob, buffer.slowJob]) {
      job.valid.set(0);
      job.payload.set({ slot: 0, first: 0, beats: 0 });
    }
    for (const out of [buffer.writeData, buffer.slowData]) out.ready.set(0);
    io.drops.set(rx.drops);
    io.busy.set(pool.busy);
  },
);
const dut = (beatBytes: number) => NetStack({ beatBytes, slots, frameBytes: mtuFrame });
type Ports = ReturnType<typeof dut>["ports"];

/** The reply that the rules ask for, if any. */
function answerTo(frame: Uint8Array, bad: boolean): Uint8Array | undefined {
  const v = classify(frame, own);
  if (v.kind === "drop" || (bad && (v.kind !== "request" || v.request.reply))) return undefined;
  if (v.kind === "arp") return arpReplyFrame(own, v.ethernet, v.arp);
  if (v.kind === "icmp") return echoReplyFrame(own, frame, v.totalLength);
  const { clio, came } = v.request,
    malformed = clio.size < clioHeader.bytes || clio.size > came;
  if (bad) return replyFrame(own, v.request, clio.opcode, status.NACK);
  if (malformed || clio.opcode !== opcode.PINGPONG) return replyFrame(own, v.request, clio.opcode, status.MALFORMED);
  return replyFrame(own, v.request, clio.opcode, 0, frame.slice(frameOffsets.body, frameOffsets.clio + clio.size));
}

async function exchange(
  b: Bench<Ports>,
  frames: readonly { readonly bytes: Uint8Array; readonly bad: boolean }[],
  rxPause: Pause = never,
  txPause: Pause = never,
) {
  poke(b.io.config, configOf(own));
  const mac = new AxisSource(b.sim, b.io.rx, { pause: rxPause }),
    out = new AxisSink(b.sim, b.io.tx, { pause: txPause });
  let dropped = 0;
  b.onEdge({
    sample: () => {
      for (const r of dropReasons) dropped += b.io.drops[r].num;
    },
  });
  const sent: SentFrame[] = [],
    expected: Uint8Array[] = [];
  for (const f of frames) {
    const answer = answerTo(f.bytes, f.bad),
      s = mac.send(f.bytes, { user: f.bad ? 1 : 0, userAtEnd: true });
    if (answer) {
      sent.push(s);
      expected.push(answer);
    }
  }
  const got: Frame[] = [];
  for (const [i, e] of expected.entries()) {
    const f = await out.recv();
    if (Buffer.compare(f.bytes, e) !== 0)
      expect(Buffer.from(f.bytes).toString("hex"), `reply ${i}`).toBe(Buffer.from(e).toString("hex"));
    got.push(f);
  }
  await mac.drained();
  await b.cycles(12);
  // Every frame has ended in a reply or in a drop, and every slot is free again.
  expect([out.frames.length, dropped, b.io.busy.big]).toEqual([0, frames.length - expected.length, 0n]);
  return { sent, got };
}

describe("the network blocks together", () => {
  for (const beatBytes of [8, 16, 32, 64]) {
    bench(
      `${beatBytes * 8} bits: 3,000 frames of all kinds, most of them wrong; every good one is answered and no slot is lost`,
      dut(beatBytes),
      { seed: beatBytes },
      async b => {
        const frames = Array.from({ length: 3000 }, () => {
          const bytes = anyFrame(b.random);
          if (b.random.chance(0.3) && bytes.length >= frameOffsets.body)
            encodeInto(clioHeader, { opcode: opcode.PINGPONG }, bytes, frameOffsets.clio);
          return { bytes, bad: b.random.chance(0.1) };
        });
        await exchange(b, frames, bernoulli(0.1, b.random.word()), bursts({ go: 20, pause: 8 }, b.random.word()));
      },
    );
    for (const [name, make] of [
      ["ICMP", (r: Bench["random"]) => randomPing(r, 300)],
      ["ARP", randomArp],
      ["PINGPONG", (r: Bench["random"]) => randomRequest(r, 100, own.nativePort, opcode.PINGPONG)],
    ] as const) {
      bench(
        `${beatBytes * 8} bits: ${name} at line rate, 9 cycles from the last beat in to the first beat out`,
        dut(beatBytes),
        { seed: 1 },
        async b => {
          const frames = Array.from({ length: 60 }, () => ({ bytes: make(b.random), bad: false }));
          const { sent, got } = await exchange(b, frames);
          expect((got[0] as Frame).start - (sent[0]?.end as number)).toBe(9);
          // Neither side ever pauses: as many beats out as in, back to back.
          got.forEach((f, i) => {
            if (i > 0)
              expect([f.start, sent[i]?.start]).toEqual([
                (got[i - 1]?.end as number) + 1,
                (sent[i - 1]?.end as number) + 1,
              ]);
          });
        },
      );
    }
  }
});
