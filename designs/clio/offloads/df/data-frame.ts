import { connect, instance, module, stream } from "../../../../hdl-dsl/index.ts";
import { BodyBeat, type OffloadParameters, offloadPorts, packetData } from "../../offload/index.ts";
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
 * A request reads its table by READs of as many whole rows as `maxData` bytes hold. So the only bound on a table is the
 * 32 bits of `rows`. Requests of all contexts read in turns. Rows are examined in their order, one row per cycle when a
 * row fits a beat. A longer row takes 2 cycles in an aggregate, and 1 + one for each beat of it begun in a select. A
 * select's frame has whole rows, as many as fit `maxData`. `length` counts their bytes, and `more` (bit 31 of that
 * field) marks that others follow. The `table` of a later frame is higher by the bytes of rows in the frames before. A
 * select in which nothing matches has one frame of 0 bytes; an aggregate then has count 0, sum 0, min 2^64 - 1, max 0.
 * MALFORMED are bodies of another length than the opcode's, rows of 0 bytes or more than `maxData`, and unknown
 * predicates. So are fields and values of 0 or more than 8 bytes, or past their row. A READ that fails ends its request
 * with that status; frames that went before stand.
 *
 * Latency at 512 bits, L from a READ at `memory` to its reply. A select of one row takes 36 + L cycles from `request`
 * to `reply`. An aggregate takes 37 + L; each further row takes one more. 11 of the cycles are the bits of `maxData`: a
 * request is checked bit by bit. Initiation interval: a request every 15 cycles, a READ every 3, a row every cycle and
 * one more for each READ. A frame takes 6 cycles and its beats at most. A READ brings 128 rows at most, so that none
 * takes longer than 130 cycles at 512 bits. A request waits for at most `contexts` - 1 READs of others, the `reads`
 * under way, and the frames that they give. Full: `contexts` requests; more do not come. Back-pressure on the replies
 * stalls the rows, never the READs' replies. Reset drops all requests.
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
    // The offload only reads.
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
