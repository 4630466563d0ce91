import { bit, module, reg, when, wire } from "../../../../hdl-dsl/index.ts";
import { firstOffloadPid } from "../../../clio/config/index.ts";
import { offloadPorts } from "../../../clio/offload/index.ts";
import { answerOf } from "./answer.ts";
import { beginOf } from "./begin.ts";
import { decide } from "./decide.ts";
import { frontOf } from "./front.ts";
import { homeOf } from "./home.ts";
import { prepareOf } from "./prepare.ts";
import { recoverOf } from "./recover.ts";
import { sharedOf } from "./shared.ts";
import { singleOf } from "./single.ts";
import { type CommitParameters, lineBits, logShift } from "./types.ts";

/**
 * A memory node's side of replicated commits (Hotpot, sections 2.6.2 to 2.6.4): docs/hotpot.md has the messages, the
 * log and the rules. An offload of the extend path.
 *
 * One message at a time, and one access to memory at a time; other messages wait in front. Latency of a message that
 * asks nothing of memory: 8 cycles and the body's beats from `request` to the reply, 8 more for a PREPARE. Initiation
 * interval: 3 cycles more. A lane is a process's, and `director` gives it: all others are refused. Full: a ninth
 * commit is busy; so is one with a page of another commit, and a second one in a lane. Nothing of it is kept. Reset:
 * all is forgotten but the log in memory, and the engine is cold until RECOVER.
 */
export const CommitEngine = module(
  "CommitEngine",
  (p: CommitParameters) => {
    if (p.beatBytes * 8 !== lineBits) throw new RangeError(`beatBytes = ${p.beatBytes}: the commit engine needs 64`);
    if (p.base % (1n << BigInt(logShift)) !== 0n)
      throw new RangeError(`base = 0x${p.base.toString(16)}: the log lies at a multiple of 256 KB`);
    if (!(p.director >= 1 && p.director < firstOffloadPid))
      throw new RangeError(`director = ${p.director}: a process from 1 to ${firstOffloadPid - 1}, which no offload is`);
    return offloadPorts(p);
  },
  (io, p) => {
    const e = sharedOf(io, p),
      answered = wire(bit, { name: "is_answered" }),
      front = frontOf(e, p.director, answered),
      starts = {
        log: beginOf("log"),
        record: beginOf("record"),
        home: beginOf("home"),
        update: beginOf("update"),
        floor: beginOf("floor"),
        area: beginOf("area"),
        recovery: beginOf("recovery"),
      };
    const showsPlace = reg(bit, { init: 0, name: "asks_of_place" }),
      showsLane = reg(bit, { init: 0, name: "asks_of_lane" });
    prepareOf(e, front, starts);
    homeOf(e, starts.home);
    recoverOf(e, starts.recovery);
    const { hasArea, forget } = singleOf(e, starts);
    when(answered, () => {
      showsPlace.set(0);
      showsLane.set(0);
      forget();
    });
    decide(e, front, starts, { place: () => showsPlace.set(1), lane: () => showsLane.set(1) });
    e.finish();
    answered.set(answerOf(e, { malformed: front.malformed, opcode: front.opcode, hasArea, showsPlace, showsLane }));
  },
  { nameOf: p => `CommitEngine_c${p.contexts}_d${p.maxData}_a${p.base.toString(16)}_p${p.director}` },
);
