/**
 * The match-and-action table, whatever it holds: a reply is never answered nor done, and a request from outside for a
 * process of the node's own is refused.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  cat,
  connect,
  cover,
  input,
  instance,
  module,
  output,
  type Proof,
  sink,
  source,
  vec,
} from "../../../../hdl-dsl/index.ts";
import { Mat, type MatParameters, MatRule, MatWrite } from "../dispatch/mat.ts";
import { matRules } from "../../registers/index.ts";
import { statusBits } from "../../wire/index.ts";
import { Release } from "../../../shared/frame/index.ts";
import { Asked, FrameKind, NetRequest, Reply, SlowFrame } from "../records/records.ts";

const harness = module(
  "MatProof",
  (p: MatParameters) => ({
    request: sink(NetRequest(p)),
    asked: source(Asked(p)),
    reply: source(Reply(p)),
    slow: source(SlowFrame(p)),
    slowRelease: input(bit),
    release: output(Release(p)),
    matWrite: input(MatWrite),
    rules: input(vec(MatRule, matRules)),
  }),
  (io, p) => {
    const dut = instance("dut", Mat(p));
    connect(io.request, dut.request);
    connect(dut.asked, io.asked);
    connect(dut.reply, io.reply);
    connect(dut.slow, io.slow);
    dut.slowRelease.set(io.slowRelease);
    dut.matWrite.set(io.matWrite);
    dut.rules.set(io.rules);
    dut.matOpcode.set(0);
    io.release.set(dut.release);

    // What holds of a request is told by its slot, so that it can be told of what becomes of it.
    const r = io.request.payload,
      reply = r.reply.and(r.kind.eq(FrameKind.clio)),
      foreign = r.foreign.and(r.kind.eq(FrameKind.clio)).and(reply.not());
    assumeAlways(r.slot.bit(0).eq(reply), "replies have the odd slots");
    assumeAlways(r.slot.bit(1).eq(foreign), "requests for the node's own processes have the slots from the third on");
    const answered = io.reply.payload.slot,
      asked = io.asked.payload.access.slot;
    assertAlways(io.reply.valid.and(answered.bit(0)).not(), "a reply is never answered");
    assertAlways(io.asked.valid.and(asked.bit(0)).not(), "a reply is never done");
    const { fence, keeps } = io.asked.payload;
    assertAlways(cat(io.asked.valid, fence, keeps).all().not(), "a fence is not kept, whatever the table says");
    assertAlways(io.asked.valid.and(asked.bit(1)).not(), "nobody outside reaches a process of the node's own");
    assertAlways(
      io.slow.valid.and(io.slow.payload.slot.bit(1)).not(),
      "nobody outside reaches one by the slow path or an offload",
    );
    assertAlways(
      io.reply.valid.and(answered.bit(1)).and(io.reply.payload.status.eq(statusBits.OK)).not(),
      "a request for a process of the node's own is refused",
    );
    cover(io.asked.valid.and(fence), "a fence is asked for");
    cover(io.reply.valid.and(io.reply.payload.status.eq(statusBits.INVALID)), "such a request is refused as INVALID");
    cover(io.slow.valid.and(io.slow.payload.slot.bit(0)), "a reply goes to the slow path");
    cover(dut.release.valid.and(dut.release.slot.bit(0)), "a reply is dropped");
  },
);

export const matProof: Proof = {
  module: "Mat, 4 slots",
  long: true,
  harness: harness({ slots: 4, maxData: 64 }),
  faults: [
    { what: "a reply is refused like a request", from: " | drops | decided_held_reply)", to: " | drops)" },
    { what: "a fence is kept when the table says so", from: /& ~asks_fence/, to: "" },
    { what: "a reply is done", from: "& ~request_payload_reply;", to: ";" },
    {
      what: "the node's own processes for everybody",
      from: "sound = whole & own",
      to: "sound = whole",
    },
  ],
};
