import { connect, instance, module, stream } from "../../../../hdl-dsl/index.ts";
import { BodyBeat, offloadPorts, packetData, type OffloadParameters } from "../../offload/index.ts";
import { DfEvaluate } from "./evaluate.ts";
import { DfFrames } from "./frames.ts";
import { DfIntake } from "./intake.ts";
import { DfPlace } from "./place.ts";
import { DfReads } from "./reads.ts";
import type { DataFrameParameters } from "./types.ts";
import { DfWalk } from "./walk.ts";

/** READs in flight: as many as a host lets an offload have. */
const defaultReads = 8;

/**
 * Clio-DF (paper §4.6): select (opcode 72) and aggregate (73) over the rows of a table in the client's own address
 * space, with its rights.
 *
 * A request reads its table by READs of as many whole rows as `maxData` bytes hold, so that there is no bound on a
 * table but the 32 bits of `rows`; requests of all contexts read in turns. Rows are looked at in their order, one row
 * per cycle when a row fits a beat; a longer one takes 2 cycles of an aggregate, and 1 + one for each beat of it begun
 * of a select.
 * A select's frame has whole rows, as many as fit `maxData`; `length` counts their bytes, `more` (bit 31 of that field)
 * tells that others follow, and their `table` is higher by the bytes of rows in the frames before. A select in which
 * nothing matches has one frame of 0 bytes; an aggregate then has count 0, sum 0, min 2^64 - 1, max 0.
 * Bodies of another length than the opcode's, rows of 0 bytes or more than `maxData`, a field or value of 0 or more
 * than 8 bytes or past its row, and unknown predicates are MALFORMED. A READ that fails ends its request with that
 * status; frames that went before stand.
 *
 * Latency at 512 bits, L from a READ at `memory` to its reply: 36 + L cycles from `request` to the `reply` of a select
 * of one row, 37 + L of an aggregate, and one for each row more (11 of them are the bits of `maxData`: a request is
 * checked bit by bit). Initiation interval: a request every 15 cycles, a READ every 3, a row every cycle and one more
 * for each READ, a frame every 6 cycles and its beats at most. A READ brings 128 rows at most, so that none takes
 * longer than 130 cycles at 512 bits; a request waits for at most `contexts` - 1 READs of others and the `reads` under
 * way (and the frames that come of them) before it is looked at. Full: `contexts` requests; more do not come. Whoever
 * takes no replies stops the rows, never the READs' replies. Reset forgets all.
 */
const definition = module(
  "DataFrame",
  (p: DataFrameParameters) => offloadPorts(p),
  (io, p) => {
    const intake = instance(DfIntake(p)),
      reads = instance(DfReads(p)),
      walk = instance(DfWalk(p)),
      evaluate = instance(DfEvaluate(p));
    const place = instance(DfPlace(p)),
      frames = instance(DfFrames(p));
    connect(io.request, intake.request);
    connect(io.requestData, intake.requestData);
    connect(intake.query, reads.query);
    for (const keeper of [walk, evaluate, place, frames])
      keeper.queries.set({ en: intake.query.fire, query: intake.query.payload });

    connect(reads.memory, io.memory);
    connect(io.memoryReply, reads.memoryReply);
    connect(io.memoryReplyData, reads.memoryReplyData);
    // It only reads.
    const nothing = stream(BodyBeat(p));
    nothing.valid.set(0);
    nothing.payload.set({ data: 0, last: 0 });
    connect(nothing, io.memoryData);

    connect(reads.slice, walk.slice);
    reads.released.set(walk.released);
    evaluate.written.set(reads.written);
    connect(walk.step, evaluate.step);
    connect(evaluate.found, place.found);
    frames.placed.set(place.placed);
    place.sent.set(frames.sent);
    connect(frames.reply, io.reply);
    connect(frames.replyData, io.replyData);
  },
  { nameOf: p => `DataFrame_b${p.beatBytes}_c${p.contexts}_d${p.maxData}_r${p.reads}` },
);

/**
 * The offload for a host of these parameters; frames of its own size fit usual networks (`packetData`). @param reads
 * READs in flight, a power of two; default 8
 */
export const DataFrame = (p: OffloadParameters, reads = defaultReads) =>
  definition({ ...p, maxData: packetData(p), reads });
