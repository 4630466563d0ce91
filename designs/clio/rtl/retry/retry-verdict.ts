import {
  assertAlways,
  assignView,
  bit,
  type Bit,
  carryEqual,
  cat,
  constant,
  demux,
  encodeOnehot,
  fromBits,
  input,
  instance,
  isAfter,
  module,
  mux,
  node,
  onehotMux,
  orTree,
  output,
  ram,
  reg,
  several,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  type UInt,
  vec,
  when,
  wire,
} from "../../../../hdl-dsl/index.ts";
import { hashKeyBits } from "../../config/index.ts";
import { RetryClients } from "./retry-clients.ts";
import { reduced, type RetryBufferParameters, RetryRequest, whole } from "./retry-request.ts";
import { RetryFinding, retryFinding, RetryStarted } from "./retry-results.ts";
import { isAged, quarterBefore, RetryEntry, setOf } from "./retry-store.ts";
import { RetrySweep } from "./retry-sweep.ts";
import { turnBits, turnOf } from "./retry-turn.ts";
import { watchOperation } from "./retry-watch.ts";
import { Access } from "../records/records.ts";
import { slotBits } from "../../../shared/frame/index.ts";

/**
 * The retry buffer's decision for each request (retry-buffer.ts). The buffer keeps the clients, the operations that are
 * remembered, and the newest forgotten operation of each client. A request goes to `pass` or `fence`, or there is a
 * `finding` about it, for the results (retry-results.ts).
 *
 * `started`: a request passes and is remembered. `finding`: of the request before, a cycle later. `evicted` and
 * `replaced` are pulses: an operation was pushed out, an idle client forgotten. Latency: 3 cycles from `request` to
 * `pass`, `fence` and `finding`; initiation interval, full, and reset as of the retry buffer.
 */
export const RetryVerdict = module(
  "RetryVerdict",
  (p: RetryBufferParameters) => ({
    request: sink(RetryRequest(p)),
    hashKey: input(uint(hashKeyBits)),
    pass: source(Access(p)),
    fence: source(struct({ slot: uint(slotBits(p)) })),
    started: output(RetryStarted(p)),
    finding: output(RetryFinding(p)),
    evicted: output(bit),
    replaced: output(bit),
  }),
  (io, given) => {
    const p = whole(given),
      indexBits = Math.log2(p.clients),
      setBits = Math.log2(p.sets),
      wayBits = Math.log2(p.ways);
    const clients = instance(
      "clients",
      RetryClients({
        clients: p.clients,
        clientBits: p.clientBits,
        timeoutCycles: p.timeoutCycles,
        stampBits: p.stampBits,
      }),
    );
    const sweep = instance("sweep", RetrySweep({ sets: p.sets, clients: p.clients, operationBits: p.operationBits }));
    const entries = ram(vec(RetryEntry(p), p.ways), {
      depth: p.sets,
      collision: "old",
      style: p.watchedNumbers === undefined ? "block" : "distributed",
    });
    /** Which way of each set makes room (retry-turn.ts). */
    const turns = ram(uint(turnBits(p.ways)), { depth: p.sets, collision: "new" });
    /** Newest operation forgotten, by client. */
    const forgotten = ram(uint(p.operationBits), { depth: p.clients, collision: "undefined", style: "distributed" });

    // The memories are cleared after a reset; look-ups in them wait.
    const clearing = reg(bit, { init: 1 });
    const cleared = reg(uint(setBits), { init: 0 });
    when(clearing, () => {
      cleared.set(cleared.add(1));
      when(cleared.all(), () => clearing.set(0));
    });
    // The key counts as it is when the first tracked request comes: what is remembered stays where it is looked for.
    const hashKey = reg(uint(hashKeyBits), { init: 0 });
    const inUse = reg(bit, { init: 0 });
    when(io.request.fire.and(io.request.payload.tracked), () => inUse.set(1)).elseWhen(inUse.not(), () =>
      hashKey.set(io.hashKey),
    );
    /** Stage 2 is free, or becomes so: everything moves on. */
    const advance = wire(bit);

    // ---- Stage 0: is it a client's that is known, and which set. A cycle without a request is the sweep's.
    const r = io.request.payload;
    io.request.ready.set(
      cat(advance, sweep.step.valid.and(sweep.step.urgent).not(), clearing.and(r.tracked).not()).all(),
    );
    const sweeps = node(sweep.step.valid.and(sweep.step.urgent.or(io.request.valid.not())));
    sweep.take.set(sweeps.and(advance));
    clients.key.set(r.client);
    clients.look.set(advance);
    clients.asks.set(io.request.valid.and(r.tracked).and(sweeps.not()));
    const looked = reg(Sought(p), { init: 0 });
    const asking = reg(RetryRequest(given));
    const sweptClient = reg(uint(indexBits));
    when(advance, () => {
      looked.set({
        valid: io.request.valid.and(clearing.and(r.tracked).not()).or(sweeps),
        sweeping: sweeps,
        purging: sweep.step.purge,
        purgesLast: sweep.purged,
        row: mux(sweeps, sweep.step.row, setOf(p.sets, r.client, r.operation, hashKey).is(setBits)),
      });
      sweptClient.set(sweep.step.client);
      assignView(asking, r, "request");
    });

    // ---- Stage 1: the client, its set, and its forgotten mark.
    const row = entries.readSync(looked.row, { en: advance });
    const turn = turns.readSync(looked.row, { en: advance });
    const askingClient = node(mux(looked.sweeping, sweptClient, clients.found.index));
    const judged = reg(Judged(p), { init: 0 });
    /** An operation is at or behind what is being written down as forgotten of its client. */
    const isLeft = (of: UInt, operation: UInt): Bit =>
      judged.forgets.and(judged.client.eq(of)).and(isAfter(operation, judged.operation).not());

    // ---- Stage 2: the verdict.
    const at = reg(Sought(p), { init: 0 });
    const { valid, sweeping, purging } = at;
    const rowAt = at.row;
    const request = reg(RetryRequest(given));
    const known = reg(bit, { init: 0 });
    const client = reg(uint(indexBits));
    /**
     * Newest operation forgotten of the client, and whether more was written down while this one was read or has
     * been waiting here.
     */
    const mark = reg(uint(p.operationBits));
    const left = reg(bit);
    /**
     * The request just ahead was remembered, in which way; it was to the same set, or even the same operation: `row`
     * is from before.
     */
    const ahead = reg(
      struct({
        inserted: bit,
        way: uint(wayBits),
        slot: uint(slotBits(p)),
        operation: uint(p.operationBits),
        sameSet: bit,
        sameClient: bit,
        sameKey: bit,
      }),
      { init: 0 },
    );
    const inserts = wire(bit);
    /** The way for what is inserted. */
    const room = wire(uint(wayBits));
    const sameClient = node(carryEqual(request.client, asking.client));
    const leavesIt = node(isLeft(client, request.operation));
    when(advance, () => {
      assignView(at, looked, "looked");
      assignView(request, asking, "asking");
      known.set(clients.found.valid);
      client.set(askingClient);
      mark.set(forgotten.readAsync(askingClient));
      left.set(isLeft(askingClient, asking.operation));
      ahead.set({
        inserted: inserts,
        way: room,
        slot: request.access.slot,
        operation: request.operation,
        sameSet: looked.row.eq(rowAt),
        sameClient,
        sameKey: carryEqual(request.operation, asking.operation, sameClient),
      });
    }).otherwise(() => left.set(left.or(leavesIt)));
    const asks = node(valid.and(sweeping.not()));
    const kept = node(request.tracked.and(request.keeps));

    // A client that is not known: a cycle to make it so, in which everything else stands still.
    const newcomer = node(asks.and(request.tracked).and(request.introduces).and(known.not()));
    const holds = node(newcomer.and(clients.place.valid));
    const enters = node(newcomer.and(clients.place.valid).and(judged.forgets.not()));
    const preceding = node(request.operation.sub(1));
    clients.add.set({
      valid: enters,
      key: request.client,
      same: sameClient.and(looked.valid).and(looked.sweeping.not()).and(asking.tracked),
    });
    when(enters, () => {
      known.set(1);
      client.set(clients.place.index);
      mark.set(preceding);
      left.set(0);
    });
    const refused = node(newcomer.and(request.keeps.or(request.fence)));

    // Is it remembered?
    const current = row
      .toArray()
      .map((_, i) => node(ahead.inserted.and(ahead.sameSet).and(ahead.way.eq(i)).not(), { name: `current_${i}` }));
    const hits = row.toArray().map((way, i) => {
      return node(
        carryEqual(cat(way.client, way.operation), cat(client, request.operation), way.valid, current[i] as Bit),
        { name: `hits_${i}` },
      );
    });
    const repeatsAhead = node(ahead.inserted.and(ahead.sameKey));
    const anyHit = node(orTree(hits));
    const hit = node(anyHit.or(repeatsAhead).and(known));
    // Is it newer than all that were forgotten, what is being written down in this cycle included?
    const fresh = node(cat(known, isAfter(request.operation, mark), left.not(), leavesIt.not()).all());

    const remembers = node(kept.and(hit.not()).and(fresh));
    const Out = struct({ fence: bit, access: Access(p) });
    const decided = stream(Out);
    decided.valid.set(asks.and(holds.not()).and(refused.not()).and(kept.not().or(remembers)));
    decided.payload.set({ fence: request.fence, access: request.access });
    const moves = node(valid.and(holds.not()).and(decided.ready));
    advance.set(valid.not().or(moves));
    const settles = node(moves.and(sweeping.not()));
    clients.touch.set({ valid: settles.and(request.tracked).and(known), index: client });
    const retires = node(settles.and(refused).and(clients.idle.valid));
    clients.retire.set(retires);
    sweep.purge.set({ valid: retires, index: clients.idle.index });
    // A place is free when all its operations have been removed, and the last look-up of a row before that has
    // left the pipeline.
    const purged = reg(bit, { init: 0 });
    when(advance, () => purged.set(valid.and(at.purgesLast)));
    clients.freed.set(purged.and(advance));

    // The way for it. The request just ahead has its way already, whatever the row says.
    const entersAt = turnOf(
      turn,
      row.toArray().map((way, i) => way.valid.or((current[i] as Bit).not())),
      row.toArray().map((way, i) =>
        node(mux(current[i] as Bit, carryEqual(way.client, client, way.valid), ahead.sameClient), {
          name: `own_${i}`,
        }),
      ),
    );
    room.set(encodeOnehot(fromBits(entersAt.way)).is(wayBits));

    // The set as it is from now on.
    inserts.set(settles.and(remembers));
    const removes = row.toArray().map((way, i) =>
      node(
        cat(sweeping, way.valid, current[i] as Bit, way.client.eq(client))
          .all()
          .and(purging.or(isAged(way.operation, mark))),
        { name: `removes_${i}` },
      ),
    );
    const slot = request.access.slot;
    const entry = { valid: inserts, client, operation: request.operation, slot };
    entries.write(
      clearing.or(moves),
      mux(clearing, cleared, rowAt),
      row.toArray().map(() => entry),
      fromBits(removes.map((r, i) => clearing.or(r).or(inserts.and(entersAt.way[i] as Bit)))),
    );
    turns.write(inserts, rowAt, entersAt.next);

    // ---- Stage 3: the pushed-out operation is written down; the results are read.
    // It is the one just ahead only when that one is the asking client's.
    const standing = node(onehotMux(entersAt.way, row.toArray()));
    const takesAhead = node(orTree(entersAt.way.map((w, i) => w.and((current[i] as Bit).not()))));
    const victim = {
      valid: standing.valid.or(takesAhead),
      client: mux(takesAhead, client, standing.client),
      operation: mux(takesAhead, ahead.operation, standing.operation),
      slot: mux(takesAhead, ahead.slot, standing.slot),
    };
    const way = mux(repeatsAhead, ahead.way, mux(anyHit, encodeOnehot(fromBits(hits)).is(wayBits), room));
    const finding = (k: keyof typeof retryFinding) => constant(retryFinding[k], 2);
    // Newly forgotten of a client: the operation that is pushed out, or the number a quarter of a round back. The
    // latter keeps serial numbers comparable for a client that runs for long without one pushed out.
    const evicts = node(inserts.and(victim.valid));
    const drags = node(
      cat(
        settles,
        request.tracked,
        known,
        request.operation
          .sub(mark)
          .bits(p.operationBits - 2, 2)
          .eq(1),
      ).all(),
    );
    judged.set({
      valid: settles.and(kept.or(refused)),
      kind: mux(
        refused,
        finding("busy"),
        mux(hit, finding("found"), mux(fresh, finding("entered"), finding("expired"))),
      ),
      slot,
      entry: cat(rowAt, way),
      entrySlot: mux(
        repeatsAhead,
        ahead.slot,
        mux(
          anyHit,
          onehotMux(
            hits,
            row.toArray().map(w => w.slot),
          ),
          victim.slot,
        ),
      ),
      silent: request.access.silent,
      replyOpcode: request.access.replyOpcode,
      evicts,
      forgets: evicts.or(drags),
      client: mux(evicts, victim.client, client),
      operation: mux(evicts, victim.operation, quarterBefore(request.operation).is(p.operationBits)),
    });
    io.started.set({ valid: inserts, slot, entry: cat(rowAt, room) });
    io.finding.set({
      valid: judged.valid,
      kind: judged.kind,
      slot: judged.slot,
      entry: judged.entry,
      entrySlot: judged.entrySlot,
      silent: judged.silent,
      replyOpcode: judged.replyOpcode,
    });

    // The forgotten mark is written, unless a newer one was; for a newcomer, it covers all earlier operations.
    const newest = node(judged.forgets.and(isAfter(judged.operation, forgotten.readAsync(judged.client))));
    forgotten.write(
      newest.or(enters),
      mux(judged.forgets, judged.client, clients.place.index),
      mux(judged.forgets, judged.operation, preceding),
    );

    const out = stage(stage(decided, "forward", { name: "out" }), "backward", { name: "spare" });
    const [toPass, toFence] = demux(out, out.payload.fence, 2, { name: "to" });
    io.pass.valid.set(toPass.valid);
    toPass.ready.set(io.pass.ready);
    io.pass.payload.set(toPass.payload.access);
    io.fence.valid.set(toFence.valid);
    toFence.ready.set(io.fence.ready);
    io.fence.payload.set({ slot: toFence.payload.access.slot });

    io.evicted.set(judged.evicts);
    io.replaced.set(retires);

    const matching = cat(repeatsAhead, fromBits(hits));
    assertAlways(
      valid.and(known).and(kept).and(sweeping.not()).and(several(matching)).not(),
      "an operation is remembered once",
    );
    assertAlways(clearing.and(inserts).not(), "nothing is remembered while the memories are cleared");
    if (p.watchedNumbers !== undefined) {
      watchOperation({
        sets: p.sets,
        numbers: p.watchedNumbers,
        hashKey,
        clearing,
        arriving: r,
        looked,
        asking,
        found: clients.found,
        at,
        request,
        known,
        client,
        mark,
        left,
        leavesIt: leavesIt,
        hit,
        row: row.toArray(),
        inserts,
        ahead,
        judged,
        entriesAt: at => entries.readAsync(at).toArray(),
        forgottenAt: of => forgotten.readAsync(of),
      });
    }
  },
  { nameOf: p => `RetryVerdict_e${p.entries}_c${p.clients}_n${p.slots}_t${p.timeoutCycles}${reduced(p)}` },
);

/** Subject of a look-up: a request, or a set that the sweep looks through. */
const Sought = (p: ReturnType<typeof whole>) =>
  struct({
    valid: bit,
    sweeping: bit,
    /** The sweep's: of a client that was forgotten; and the last of those sets. */
    purging: bit,
    purgesLast: bit,
    row: uint(Math.log2(p.sets)),
  });
/** Findings of stage 2 about a request. */
const Judged = (p: ReturnType<typeof whole>) =>
  struct({
    valid: bit,
    kind: uint(2),
    slot: uint(slotBits(p)),
    entry: uint(Math.log2(p.entries)),
    entrySlot: uint(slotBits(p)),
    silent: bit,
    replyOpcode: uint(8),
    /** An operation was pushed out; operations at or behind `operation` of `client` count as forgotten. */
    evicts: bit,
    forgets: bit,
    client: uint(Math.log2(p.clients)),
    operation: uint(p.operationBits),
  });
