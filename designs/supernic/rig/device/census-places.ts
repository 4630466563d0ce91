/** The places of the census: signals of the hardware, and what of them is come, gone and inside. */

/** A place in this cycle: frames that have come, have gone on or been dropped, and are there. */
export interface Census {
  readonly place: string;
  readonly came: number;
  readonly went: number;
  readonly inside: number;
}
/** Part of the device. `before` reads what registers show, `after` what happens in this cycle. */
export interface Part {
  readonly before: () => void;
  readonly after: () => void;
  readonly places: () => readonly Census[];
}
/** What a signal is in this cycle. */
export type Read = (path: string) => () => number;

/** Cycles from a frame's last beat to its fate, at most; one fewer when a shim that is taken off leaves a beat less. */
const judgeCycles = 10;
const fired = (read: Read, stream: string): (() => boolean) => {
  const [valid, ready, last] = ["valid", "ready", "payload_last"].map(s => read(`${stream}_${s}`)) as [
    () => number,
    () => number,
    () => number,
  ];
  return () => valid() === 1 && ready() === 1 && last() === 1;
};
const sum = (all: readonly number[]): number => all.reduce((n, x) => n + x, 0);

export interface InletCensus extends Part {
  /** Frames whose last beat has come; without a place in a queue; given to the core and to the lane. */
  readonly came: number;
  readonly dropped: number;
  readonly toCore: number;
  readonly toLane: number;
  readonly wrong: () => readonly string[];
}
/** A way in: the judge, then the class queues. */
export function inletOf(read: Read, name: string, isQueued: readonly boolean[]): InletCensus {
  const ends = fired(read, `${name}.rx`),
    told = read(`${name}.fate_valid`),
    fate = read(`${name}.fate_fate`),
    waiting = read(`${name}.queues.waiting_q`),
    [reads, given, last, second] = ["reads", "given", "last", "is_second"].map(s =>
      read(`${name}.queues.reader.${s}`),
    ) as [() => number, () => number, () => number, () => number];
  let [came, judged, queued, toCore, toLane] = [0, 0, 0, 0, 0];
  /** Frames that had come so many cycles ago. */
  const before = Array.from({ length: judgeCycles }, () => 0);
  return {
    get came() {
      return came;
    },
    get dropped() {
      return judged - queued;
    },
    get toCore() {
      return toCore;
    },
    get toLane() {
      return toLane;
    },
    before: () => {
      if (told() === 0) return;
      judged++;
      if (isQueued[fate()] === true) queued++;
    },
    places: () => [
      { place: `${name}: judge`, came, went: judged, inside: came - judged },
      { place: `${name}: class queues`, came: queued, went: toCore + toLane, inside: waiting() + reads() },
    ],
    wrong: () => {
      const [soonest = 0, latest = 0] = before.slice(-2);
      return judged >= latest && judged <= soonest
        ? []
        : [`${name}: ${judged} frames are judged; ${latest} to ${soonest} must be`];
    },
    after: () => {
      if (ends()) came++;
      before.unshift(came);
      before.pop();
      if (reads() === 0 || given() === 0 || last() === 0) return;
      if (second() === 1) toLane++;
      else toCore++;
    },
  };
}

/** Packets that may be dropped, or out, while their contexts are not free yet; and the other way round. */
const mostDropped = 32,
  mostRead = 24,
  /** Cycles without anything on its way out after which contexts and counts agree. */
  restCycles = 6;

export interface CoreCensus extends Part {
  readonly dropped: number;
  readonly wrong: () => readonly string[];
}
/** From the merge to the egress. @param entered frames that all inlets have given it */
export function coreOf(read: Read, inlets: readonly number[], entered: () => number): CoreCensus {
  const free = read("headers.pool.free"),
    firstBeat = read("merge.first_beat"),
    release = read("egress.release_valid"),
    leftNow = read("egress.events_left"),
    drops = ["task", "nowhere", "again", "paused"].map(n => read(`egress.events_${n}`)),
    onTheirWay = ["dropped_queue", "cleared", "deparser.read_packets", "deparser.whole_beats"].map(n =>
      read(`egress.${n}_count`),
    ),
    outs = inlets.map(i => fired(read, `egress.out${i}`));
  const all = free();
  let [left, dropped, released, releasedBefore, gone, rest] = [0, 0, 0, 0, 0, 0];
  /** Contexts in use by packets that have come as a whole. */
  const held = (): number => all - free() - (1 - firstBeat()),
    ahead = (): number => releasedBefore - left - dropped;
  return {
    get dropped() {
      return dropped;
    },
    before: () => {
      left += leftNow();
      dropped += sum(drops.map(d => d()));
    },
    places: (): readonly Census[] => [
      { place: "core", came: entered(), went: left + dropped, inside: held() + ahead() },
      { place: "egress", came: left, went: gone, inside: 0 },
    ],
    wrong: () => {
      rest = release() + sum(onTheirWay.map(n => n())) === 0 ? rest + 1 : 0;
      const n = ahead();
      const agrees = rest > restCycles ? n === 0 : n >= -mostDropped && n <= mostRead;
      return agrees ? [] : [`core: ${releasedBefore} contexts were given back for ${left + dropped} packets`];
    },
    after: () => {
      releasedBefore = released;
      released += release();
      gone += outs.filter(f => f()).length;
    },
  };
}

export interface LaneCensus extends Part {
  readonly own: number;
  readonly copies: number;
  readonly toSoftware: number;
  readonly dropped: number;
}
/** The switch lane, and the frames of software. @param entered frames that all inlets have given it */
export function laneOf(read: Read, inlets: readonly number[], entered: () => number): LaneCensus {
  const event = (name: string): (() => number) => read(`lane.events_${name}`),
    events = {
      left: event("left"),
      toSoftware: event("to_software"),
      notTaken: event("not_taken"),
      nowhere: event("nowhere"),
      bad: event("bad_software"),
      own: event("own"),
      copies: event("copies"),
    },
    counts = { left: 0, toSoftware: 0, notTaken: 0, nowhere: 0, bad: 0, own: 0, copies: 0 };
  const inside = read("lane.frames_inside"),
    coming = read("lane.coming_frames_count"),
    held = read("lane.held_frame_valid"),
    has = inlets.map(i => read(`lane.has_${i}`)),
    headLast = read("lane.reshape.out_payload_last"),
    outs = inlets.map(i => fired(read, `lane.out${i}`)),
    ownTaken = fired(read, "lane.sent.pop"),
    ownWaiting = read("lane.sent.packets_q"),
    ownFull = read("lane.own_full"),
    ownLast = read("lane.own_about_last"),
    taken = fired(read, "lane.to_software");
  let [gone, ownGone, softwareTook] = [0, 0, 0];
  /** Copies that have gone while others of their frame wait for their last beat: the frame itself is inside yet. */
  const ahead = (): number => (headLast() === 1 ? sum(has.map(h => h())) : 0);
  /** Those that have come as a whole: in the buffer, and one whose last beat is in the register in front of it. */
  const own = (): number => ownWaiting() + ownFull() * ownLast();
  const ended = (): number => counts.left + counts.toSoftware + counts.notTaken + counts.nowhere;
  return {
    get own() {
      return counts.own;
    },
    get copies() {
      return counts.copies + ahead();
    },
    get toSoftware() {
      return softwareTook;
    },
    get dropped() {
      return counts.notTaken + counts.nowhere + counts.bad;
    },
    before: () => {
      for (const name of Object.keys(counts) as (keyof typeof counts)[]) counts[name] += events[name]();
    },
    places: () => [
      { place: "frames of software", came: counts.own, went: ownGone + counts.bad, inside: own() },
      { place: "lane", came: entered() + ownGone, went: ended(), inside: inside() - coming() - held() },
      { place: "copies", came: counts.left + counts.copies + ahead(), went: gone, inside: 0 },
      {
        place: "frames for software",
        came: counts.toSoftware,
        went: softwareTook,
        inside: counts.toSoftware - softwareTook,
      },
    ],
    after: () => {
      gone += outs.filter(f => f()).length;
      if (ownTaken()) ownGone++;
      if (taken()) softwareTook++;
    },
  };
}

/** Frames between the ring and the MAC. */
const mostStaged = 4;

export interface OutletCensus extends Part {
  readonly done: number;
  readonly dropped: number;
  readonly wrong: () => readonly string[];
}
/** A port's ring, and the wire. */
export function outletOf(read: Read, i: number): OutletCensus {
  const name = `tx_${i}`,
    lanes = [fired(read, `${name}.lane0`), fired(read, `${name}.lane1`)],
    kept = read(`${name}.window.kept`),
    reliable = read(`${name}.config_reliable`),
    doneNow = read(`${name}.events_done`),
    cleared = read(`${name}.cleared`),
    drops = ["lost", "marked", "long"].map(n => read(`${name}.ring.events_${n}`)),
    made = ["ack_sent", "nack_sent", "pfc_sent"].map(n => read(`${name}.events_${n}`)),
    leaves = fired(read, `${name}.tx`);
  let [came, done, dropped, own, wire] = [0, 0, 0, 0, 0];
  return {
    get done() {
      return done;
    },
    get dropped() {
      return dropped;
    },
    before: () => {
      dropped += sum(drops.map(d => d()));
    },
    places: () => [{ place: `${name}: ring`, came, went: done + dropped, inside: kept() }],
    wrong: () => {
      const staged = done + own - wire;
      return reliable() === 1 || (staged >= 0 && staged <= mostStaged)
        ? []
        : [`${name}: ${done + own} frames were sent, and ${wire} are on the wire`];
    },
    after: () => {
      came += lanes.filter(f => f()).length;
      done += doneNow();
      dropped += cleared();
      own += sum(made.map(m => m()));
      if (leaves()) wire++;
    },
  };
}
