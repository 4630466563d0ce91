import {
  arbiter,
  axi4Bus,
  bit,
  connect,
  constant,
  input,
  instance,
  literalOf,
  memberPorts,
  module,
  mux,
  output,
  reg,
  sink,
  source,
  stage,
  stream,
  struct,
  uint,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";
import { beatBytes, derived, type Parameters } from "../../config/index.ts";
import { Lookup } from "../lookup/lookup.ts";
import { statusBits } from "../../../clio/wire/index.ts";
import { LineAxi, lineBus } from "../memory/line-axi.ts";
import { LineRam } from "../memory/line-ram.ts";
import { MissEngine } from "../miss/engine.ts";
import { Traffic } from "../miss/engine/ports.ts";
import { Event, NodeWrite, Own, RangeWrite, RegionWrite } from "../records/miss-records.ts";
import { type Access, Events, LineCommand, lineIdBits, Owner, Place, Request, Response } from "../records/records.ts";

/** A hit as the line memory is told of it. */
const commandOf = (p: Parameters, a: Val<ReturnType<typeof Access>>) =>
  literalOf(LineCommand(p), {
    owner: Owner.access,
    id: a.id.zext(lineIdBits(p)),
    write: a.write,
    address: a.address,
    strb: a.strb,
    data: a.data,
  });

const memory = (p: Parameters) => memberPorts("mem", axi4Bus(lineBus(p)));

/**
 * The ExCache of a LegoOS pComponent (§3.4.2) in front of Clio nodes: a virtual cache, tagged with the ASID. The tags,
 * the misses, and the lines, in memory on chip or behind AXI4. Accesses are answered by `id`; those
 * of one line in their order, as they are done.
 *
 * Latency of a hit: 2 cycles to the decision and the line's address. Lines on chip: 3 to the answer with its data, 4
 * behind a hit that waited or beside a miss at the line memory. In DRAM the stages to it and back add 3. Initiation
 * interval 1. A refusal may pass an answer of the same line. Full: see `Lookup` and `MissEngine`; `request.ready` is 0
 * in the end. Reset: all lines are dropped, and requests are taken once sets and marks are cleared (`ready`); dirty
 * lines are lost, as a processor's are.
 */
export const ExCache = module(
  "ExCache",
  (p: Parameters) => ({
    own: input(Own),
    request: sink(Request(p)),
    response: source(Response(p)),
    evict: sink(Place(p)),
    event: source(Event(p)),
    regionWrite: input(struct({ valid: bit, entry: RegionWrite(p) })),
    nodeWrite: input(struct({ valid: bit, entry: NodeWrite(p) })),
    rangeWrite: input(struct({ valid: bit, entry: RangeWrite(p) })),
    rx: sink(AxisBeat(beatBytes)),
    tx: source(AxisBeat(beatBytes)),
    events: output(Events),
    traffic: output(Traffic),
    /** Misses under way, as the engine has them. */
    busy: output(uint(p.misses)),
    idle: output(bit),
    ready: output(bit),
    /** The line memory has failed a write; who asked for it has been told. */
    failed: output(bit),
    ...(p.lines === "axi" ? memory(p) : ({} as ReturnType<typeof memory>)),
  }),
  (io, p) => {
    const lookup = instance("lookup", Lookup(p)),
      engine = instance("misses", MissEngine(p)),
      inDram = p.lines === "axi" ? instance("lines", LineAxi(p)) : undefined,
      lines = inDram ?? instance("lines", LineRam(p));
    io.failed.set(inDram?.failed ?? constant(0, 1));
    if (inDram !== undefined) {
      connect(inDram.memAw, io.memAw);
      connect(inDram.memW, io.memW);
      connect(io.memB, inDram.memB);
      connect(inDram.memAr, io.memAr);
      connect(io.memR, inDram.memR);
    }
    connect(io.request, lookup.request);
    connect(io.evict, lookup.evict);
    connect(lookup.job, engine.job);
    connect(engine.finish, lookup.finish);
    engine.own.set(io.own);
    engine.regionWrite.set(io.regionWrite);
    engine.nodeWrite.set(io.nodeWrite);
    engine.rangeWrite.set(io.rangeWrite);
    connect(engine.tx, io.tx);
    connect(io.rx, engine.rx);
    connect(engine.event, io.event);
    io.events.set(lookup.events);
    io.traffic.set(engine.traffic);
    io.busy.set(engine.busy);
    io.idle.set(lookup.idle.and(engine.busy.eq(0)));
    io.ready.set(lookup.ready.and(engine.ready));

    // Hits go to the lines, refusals straight to the answers.
    const hits = stream(LineCommand(p), { name: "hits" }),
      refusals = stream(Response(p), { name: "refusals" });
    const { access } = lookup,
      a = access.payload,
      refused = a.status.any();
    hits.valid.set(access.valid.andNot(refused));
    hits.payload.set(commandOf(p, a));
    refusals.valid.set(access.valid.and(refused));
    refusals.payload.set({ id: a.id, status: a.status, data: 0 });
    access.ready.set(refused.and(refusals.ready).or(refused.not().and(hits.ready)));
    // Stages stand where a path would go through several blocks. In front of DRAM they cost a cycle.
    const fill = stage(engine.fill, "full", { name: "fill_stage" }),
      commands = arbiter([hits, engine.line, fill], { name: "commands" });
    if (p.lines === "axi") connect(stage(commands, "full", { name: "command_stage" }), lines.command);
    else {
      // A hit with nothing in front of it goes to the line memory in the cycle of its decision.
      const { early } = lookup;
      lookup.direct.set(lines.command.ready.andNot(access.valid).andNot(engine.line.valid).andNot(fill.valid));
      commands.ready.set(lines.command.ready);
      lines.command.valid.set(commands.valid.or(early.valid));
      lines.command.payload.set(mux(commands.valid, commands.payload, commandOf(p, early.access)));
    }

    const answers = stream(Response(p), { name: "answers" }),
      { owner, id, data, bad } = lines.answer.payload,
      ofAccess = owner.is("access");
    answers.valid.set(lines.answer.valid.and(ofAccess));
    answers.payload.set({
      id: id.trunc(p.idBits),
      status: mux(bad, statusBits.FAIL, statusBits.OK),
      data,
    });
    lines.answer.ready.set(answers.ready.or(ofAccess.not()));
    const copies = reg(bit, { init: 0, name: "copies" }),
      fills = reg(bit, { init: 0, name: "fills" }),
      answered = reg(struct({ id: uint(lineIdBits(p)), data: uint(8 * beatBytes), bad: bit }), { name: "line_answer" });
    copies.set(lines.answer.valid.and(owner.is("copy")));
    fills.set(lines.answer.valid.and(owner.is("fill")));
    when(lines.answer.valid, () => answered.set({ id, data, bad }));
    engine.copied.set({ valid: copies, data: answered.data, bad: answered.bad });
    engine.filled.set({ valid: fills, miss: answered.id.trunc(derived(p).missBits), bad: answered.bad });
    const answersOut = stage(answers, p.lines === "axi" ? "full" : "backward", { name: "answer_stage" });
    connect(arbiter([answersOut, refusals], { name: "answered" }), io.response);
  },
  {
    nameOf: p =>
      `ExCache_s${p.sets}_w${p.ways}_l${p.lineBytes}_m${p.misses}_q${p.waiting}_${p.policy}_${p.flush}_${p.replicas}_${p.unknown}_t${p.timeoutCycles}_n${p.tries}_r${p.regions}_d${p.nodes}_a${p.ranges}_c${p.localLines}_i${p.idBits}_z${p.sweepCycles}${p.lines === "axi" ? "_axi" : ""}`,
  },
);
