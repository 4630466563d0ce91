/** All that the task keeps: memories of commits, what is at hand of one, and flags of each. */
import {
  bit,
  type Bit,
  cat,
  decode,
  mux,
  node,
  ram,
  reg,
  type StreamIn,
  type StreamOut,
  uint,
  type UInt,
  when,
  wire,
} from "../../../hdl-dsl/index.ts";
import type { PayloadBeat, TaskAnswer } from "../../supernic/rtl/index.ts";
import { TaskPacket } from "../../supernic/rtl/index.ts";
import { taskAreas, taskNodes, taskTick, taskTimeBits } from "../wire/index.ts";
import { classify, headersOf } from "./classify.ts";
import type { Configuration } from "./configuration.ts";
import {
  Area,
  areaBits,
  Asked,
  beatBits,
  type CommitTaskParameters,
  Context,
  Count,
  nodeBits,
  Phase,
  rowBits,
} from "./records.ts";

export interface Ends {
  readonly packet: StreamIn<typeof TaskPacket>;
  readonly answer: StreamOut<typeof TaskAnswer>;
  readonly payload: StreamIn<typeof PayloadBeat>;
}
export const flag = (name: string) => reg(bit, { init: 0, name });

/** A write port that steps set: off unless one does. */
function port(bits: number, width: number, name: string) {
  const en = wire(bit, { name: `${name}_write` }),
    at = wire(uint(bits), { name: `${name}_at` }),
    data = wire(uint(width), { name: `${name}_data` });
  en.set(0);
  at.set(0);
  data.set(0);
  return {
    ...{ en, at, data },
    write: (where: UInt, what: UInt): void => {
      en.set(1);
      at.set(where.is(bits));
      data.set(what.is(width));
    },
  };
}

/** A flag for each commit. What sets one in the cycle in which another thing clears it, counts. */
function flagsOf(count: number, name: string) {
  const now = reg(uint(count), { init: 0, name }),
    sets = wire(uint(count), { name: `${name}_set` }),
    clears = wire(uint(count), { name: `${name}_clear` });
  sets.set(0);
  clears.set(0);
  return {
    now,
    set: (mask: UInt): void => sets.set(mask.is(count)),
    clear: (mask: UInt): void => clears.set(mask.is(count)),
    /** `also`: what time sets beside. */
    step: (also?: UInt): void => {
      const kept = now.and(clears.not()).or(sets);
      now.set(also === undefined ? kept : kept.or(also).is(count));
    },
  };
}

/** One cycle each `period` units of 64 cycles; none of them is shorter than a unit. */
function periodOf(tick: Bit, period: UInt, name: string): Bit {
  const left = reg(uint(taskTimeBits), { init: 0, name: `${name}_left` });
  when(tick, () => left.set(mux(left.any(), left.sub(1), period)));
  return node(tick.andNot(left.any()), { name: `${name}_ends` });
}

/** The commit at hand, field by field. */
function handOf() {
  const f = Context.fields,
    of = <K extends keyof typeof f>(name: K) => reg(f[name], { name: `at_hand_${name}` });
  return {
    phase: reg(Phase, { init: "free", name: "at_hand_phase" }),
    ip: of("ip"),
    port: of("port"),
    number: of("number"),
    areas: of("areas"),
    have: of("have"),
    seq: of("seq"),
    backoff: of("backoff"),
    left: of("left"),
    owners: of("owners"),
    replicas: of("replicas"),
    prepared: of("prepared"),
    merged: of("merged"),
    failure: of("failure"),
    old: of("old"),
  };
}

export function stateOf(p: CommitTaskParameters, config: Configuration) {
  const contextBits = Math.log2(p.contexts),
    flags = (name: string) => flagsOf(p.contexts, name);
  const c = reg(uint(contextBits), { init: 0, name: "context" }),
    i = reg(uint(rowBits), { init: 0, name: "index" }),
    k = handOf();
  const memory = { collision: "undefined", style: "distributed" } as const,
    contexts = ram(Context, { ...memory, depth: p.contexts, name: "contexts" }),
    askeds = ram(Asked, { ...memory, depth: p.contexts, name: "askeds" }),
    areas = ram(Area, { ...memory, depth: p.contexts * taskAreas, name: "areas" }),
    parts = ram(uint(areaBits), { ...memory, depth: p.contexts * taskAreas, name: "parts" }),
    counts = ram(Count, { ...memory, depth: p.contexts * taskNodes, name: "counts" }),
    rows = ram(uint(taskNodes), { ...memory, depth: p.contexts << rowBits, name: "rows" }),
    data = ram(uint(512), {
      ...{ depth: p.contexts << (areaBits + beatBits), collision: "undefined", style: "block", name: "data" },
    });
  // A context that was never taken has no contents.
  const live = flags("live"),
    /** The lane has had a number. */
    numbered = flags("numbered");
  const walks = flags("walks"),
    aged = flags("aged"),
    visits = flags("visits"),
    tells = flags("tells"),
    asking = flags("asking"),
    waiting = flags("waiting"),
    keeping = flags("keeping");

  // Times: answers that do not come, tries that wait, commits that are kept.
  const cycle = reg(uint(Math.log2(taskTick)), { init: 0, name: "cycle_of_tick" });
  cycle.set(cycle.add(1));
  const tick = node(cycle.all(), { name: "tick" }),
    times = {
      timeout: periodOf(tick, config.timeout, "timeout"),
      backoff: periodOf(tick, config.backoff, "backoff"),
      life: periodOf(tick, config.life, "life"),
    };

  const renames = wire(bit, { name: "renames" });
  renames.set(0);
  // The packet at hand.
  const who = reg(TaskPacket, { name: "who" }),
    is = classify(who, config);
  const walk = {
    on: flag("is_walking"),
    at: reg(uint(contextBits), { init: 0, name: "walk_context" }),
    row: reg(uint(rowBits), { init: 0, name: "walk_row" }),
    left: reg(uint(taskNodes), { init: 0, name: "walk_left" }),
    loaded: flag("walk_is_loaded"),
  };
  return {
    ...{ p, config, c, i, k, contexts, askeds, areas, parts, counts, rows, data, live, numbered },
    ...{ walks, aged, visits, tells, asking, waiting, keeping, times, who, is, walk },
    headers: headersOf(who),
    rowPort: port(contextBits + rowBits, taskNodes, "rows"),
    countPort: port(contextBits + nodeBits, nodeBits + taskNodes, "counts"),
    renames,
    one: (at: UInt) => decode(at, p.contexts).is(p.contexts),
    areaAt: (context: UInt, area: UInt) => cat(context, area).is(contextBits + areaBits),
    rowAt: (context: UInt, row: UInt) => cat(context, row).is(contextBits + rowBits),
    countOf: (areas: UInt, replicas: UInt) => cat(replicas, areas).is(nodeBits + taskNodes),
    lane: (context: UInt) => config.lane.add(context.resize(6)),
    hasPacket: flag("has_packet"),
    draining: flag("drains"),
    answered: flag("is_answered"),
    drops: flag("drops"),
    some: flag("has_payload"),
    losing: flag("is_losing"),
    mode: reg(uint(2), { init: 0, name: "fill_mode" }),
    /** Nodes that a step is about. */
    nodes: reg(uint(taskNodes), { init: 0, name: "nodes_at_hand" }),
    to: reg(uint(nodeBits), { init: 0, name: "node_at_hand" }),
    mixed: flag("is_mixed"),
  };
}
export type State = ReturnType<typeof stateOf>;
/** What filling the rows does: the messages of the phase; PREPARE again; all that a lost node is owed; its FORGETs. */
export const modes = { phase: 0, redo: 1, lost: 2, lostEnd: 3 } as const;

export const stateNames = [
  "Idle",
  "Class",
  "Sort",
  "Head",
  // An area.
  "Judge",
  "Owes",
  "Scan",
  "Found",
  "Known",
  "Choose",
  "Take",
  "Body",
  "Refuse",
  // An answer.
  "Look",
  "Match",
  "Decide",
  "Asks",
  "AddCommit",
  // What is awaited.
  "Clear",
  "Count",
  "Merge",
  "Fill",
  "Sweep",
  "Advance",
  // Steps of its own.
  "Visit",
  "Act",
  "Tell",
  "Told",
  "Row",
  "Make",
  "Lost",
  "LostOne",
  "LostAct",
  "Store",
  "Answer",
] as const;
export type StateName = (typeof stateNames)[number];

/** The commit of the context at hand comes from its memory. */
export function load(s: State): void {
  const held = s.contexts.readAsync(s.c),
    { k } = s;
  k.phase.set(mux(s.live.now.and(s.one(s.c)).any(), held.phase, Phase.free));
  for (const name of Object.keys(k) as (keyof typeof k)[]) {
    if (name === "phase") continue;
    // The keys of both are the same, and so are the widths.
    (k[name] as unknown as { set(v: unknown): void }).set(held[name]);
  }
}
/** The phases in which nodes are asked. */
export const asks = (phase: State["k"]["phase"]): Bit =>
  phase
    .eq(Phase.prepare)
    .or(phase.eq(Phase.abort))
    .or(phase.eq(Phase.update))
    .or(phase.eq(Phase.commit))
    .or(phase.eq(Phase.forgetReplicas))
    .or(phase.eq(Phase.forget));
