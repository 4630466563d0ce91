/** Messages to nodes and answers to clients as frames: headers made, an area's data as they came in. */
import {
  bit,
  type Bit,
  cat,
  constant,
  fsm,
  mux,
  node,
  reg,
  scope,
  type StreamOut,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../hdl-dsl/index.ts";
import { clioHeader, frameOffsets, statusBits } from "../../clio/wire/index.ts";
import { ipv4Constants, ipv4ConstantSum, joinBytes, joinFields } from "../../shared/frame/index.ts";
import { ethernetHeader, etherType, ipv4Header, udpHeader } from "../../shared/wire/index.ts";
import type { MadeBeat } from "../../supernic/rtl/index.ts";
import { headBytes } from "../wire/index.ts";
import type { Configuration } from "./configuration.ts";
import { beatBits, Job } from "./records.ts";

const ipOverhead = ipv4Header.bytes + udpHeader.bytes,
  beat = 64,
  /** Bytes of the last beat: the header's beat has six of the head. */
  tail = frameOffsets.body,
  /** Bytes of the head in its second beat that the task makes; those behind are the client's, or 0. */
  made = 8;

/** The first beat of a frame: its headers, and six bytes of the head. */
function headerOf(ip: UInt, job: Val<typeof Job>, size: UInt, checksum: UInt): UInt {
  return joinBytes(
    joinFields(ethernetHeader, { dst: job.mac, src: job.from, etherType: constant(etherType.ipv4, 16) }),
    joinFields(ipv4Header, {
      ...ipv4Constants,
      checksum: checksum.is(16),
      totalLength: size.add(ipOverhead).is(16),
      src: ip.is(32),
      dst: job.ip,
    }),
    joinFields(udpHeader, {
      srcPort: job.ownPort,
      dstPort: job.port,
      length: size.add(udpHeader.bytes).is(16),
      checksum: 0,
    }),
    joinFields(clioHeader, {
      pid: job.pid,
      tag: job.tag,
      opcode: job.opcode,
      status: statusBits.OK,
      flagRoute: job.flags.bit(0),
      flagRepl: job.flags.bit(1),
      flagTracked: job.flags.bit(2),
      flagRetry: job.flags.bit(3),
      seqId: job.seqId,
      size: size.is(16),
      requestId: job.requestId,
      retryOf: job.retryOf,
    }),
    job.kind,
    job.part,
    job.parts,
    job.marks,
    job.lane,
  );
}

/**
 * Makes one frame after the other. `take` hands a job over while `room`. Latency 5 cycles to the first beat, a beat
 * each cycle from there; initiation interval the beats and 5. Full: `make` waits, and jobs with it.
 * @param read the beat of an area that a job names, one cycle later
 */
export function makeFrames(
  c: Configuration,
  make: StreamOut<typeof MadeBeat>,
  read: (context: UInt, area: UInt, at: UInt) => UInt,
) {
  return scope("frames", () => {
    const job = reg(Job, { name: "job" }),
      busy = reg(bit, { init: 0, name: "has_job" }),
      at = reg(uint(beatBits), { init: 0, name: "beat" }),
      sums = reg(uint(20), { name: "ip_sum" }),
      folded = reg(uint(17), { name: "ip_folded" }),
      checksum = reg(uint(16), { name: "ip_checksum" });
    const size = node(
        job.lines
          .zext(16)
          .shl(6)
          .add(clioHeader.bytes + headBytes),
        { name: "size" },
      ),
      halves = (ip: UInt): UInt => ip.bits(0, 16).zext(20).add(ip.bits(16, 16).zext(20)),
      isLast = node(at.eq(job.lines), { name: "is_last_beat" });
    const state = fsm(
      ["Idle", "Sum", "Fold", "Fold2", "Header", "Body"],
      "Idle",
      s => ({
        Idle: () => {
          at.set(0);
          when(busy, () => s.go("Sum"));
        },
        Sum: () => {
          const length = size.zext(20).add(ipv4ConstantSum + ipOverhead);
          sums.set(halves(c.ip).add(halves(job.ip)).add(length).is(20));
          s.go("Fold");
        },
        Fold: () => {
          folded.set(sums.trunc(16).zext(17).add(sums.shr(16).resize(17)));
          s.go("Fold2");
        },
        Fold2: () => {
          checksum.set(folded.trunc(16).add(folded.bit(16).zext(16)).not().is(16));
          s.go("Header");
        },
        Header: () => when(make.ready, () => s.go("Body")),
        Body: () => {
          when(make.ready, () => {
            at.set(at.add(1));
            when(isLast, () => {
              busy.set(0);
              s.go("Idle");
            });
          });
        },
      }),
      { name: "state" },
    );
    const inBody = state.is("Body"),
      next = node(mux(inBody.and(make.ready), at.add(1), at), { name: "next_beat" }),
      data = read(job.context, job.area, next),
      first = node(at.any().not(), { name: "is_first_beat" }),
      own = joinBytes(job.owners, job.seq, job.replicas),
      behind = mux(job.lines.any(), data.shr(8 * made).trunc(8 * (beat - made)), constant(0, 8 * (beat - made)));
    const body = mux(first, cat(behind, own).is(8 * beat), data.is(8 * beat));
    make.valid.set(state.is("Header").or(inBody));
    make.payload.set({
      data: mux(inBody, body, headerOf(c.ip, job, size, checksum).is(8 * beat)),
      count: mux(inBody.and(isLast), constant(tail, 7), constant(beat, 7)),
      last: inBody.and(isLast),
      bad: 0,
      port: job.egress,
    });
    return {
      room: node(busy.not(), { name: "room" }),
      take: (en: Bit, j: Val<typeof Job>): void => {
        when(en, () => {
          busy.set(1);
          job.set(j);
        });
      },
    };
  });
}
