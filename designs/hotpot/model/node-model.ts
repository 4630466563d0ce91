/** What a node's engine does with messages, one after another, down to each access to memory. */
import { offloadPid } from "../../clio/offload/index.ts";
import type { OffloadMemory } from "../../clio/model/index.ts";
import { opcode, status } from "../../clio/wire/index.ts";
import { concat, decode, encode } from "../../shared/wire/index.ts";
import type { kinds } from "../wire/index.ts";
import {
  type Answer,
  bounds,
  commitHead,
  commitRecord,
  floorBytes,
  headBytes,
  laneFloor,
  logAt,
  marks,
  type Message,
  messageBytes,
  type State,
  states,
  type Verdict,
} from "../wire/index.ts";

interface Area {
  readonly va: bigint;
  readonly bytes: number;
  readonly crc: number;
}
/** A lane: what is over of it, and whose it is. */
interface Lane {
  readonly floor: number;
  readonly owner: number;
}
interface Row {
  readonly place: number;
  lane: number;
  seq: number;
  pid: number;
  state: State;
  owners: number;
  replicas: number;
  parts: number;
  areas: Map<number, Area>;
}
/** Memory said no. */
class Refused extends Error {
  readonly status: number;
  constructor(code: number) {
    super(`memory says ${code}`);
    this.status = code;
  }
}
/** CRC-32 of IEEE 802.3, a byte at a time. */
const crcTable = Uint32Array.from({ length: 256 }, (_, byte) => {
  let r = byte;
  for (let bit = 0; bit < 8; bit++) r = (r & 1) === 1 ? (r >>> 1) ^ 0xedb8_8320 : r >>> 1;
  return r;
});
export const crc32 = (bytes: Uint8Array): number => {
  let r = 0xffff_ffff;
  for (const b of bytes) r = (r >>> 8) ^ (crcTable[(r ^ b) & 0xff] as number);
  return ~r >>> 0;
};
const free = (place: number): Row => ({
  ...{ place, lane: 0, seq: 0, pid: 0, state: "free" as const, owners: 0, replicas: 0, parts: 0 },
  areas: new Map(),
});
/** No commit has it: the floor behind it would be 0. */
const lastSeq = 0xffff_ffff;
/** INSPECT of a place of the table, whichever commit has it. */
const asksOfPlace = (m: Message): boolean => m.kind === "inspect" && ((m.marks ?? 0) & marks.data) === 0;
const page = (va: bigint): bigint => va / BigInt(bounds.pageBytes);

export interface NodeModelOptions {
  readonly memory: OffloadMemory;
  readonly base: bigint;
  /** The process that gives lanes and has the node recover. */
  readonly director: number;
  /** The engine's own process. */
  readonly pid?: number;
}

/** The reference for `CommitEngine`: the same answers, the same accesses in the same order. */
export class NodeModel {
  readonly #memory: OffloadMemory;
  readonly #base: bigint;
  readonly #pid: number;
  readonly #director: number;
  #rows: Row[] = [];
  #lanes: Lane[] = [];
  #cold = true;
  #open = false;
  #start = 0;

  constructor({ memory, base, director, pid = offloadPid(0) }: NodeModelOptions) {
    this.#memory = memory;
    this.#base = base;
    this.#pid = pid;
    this.#director = director;
    this.reset();
  }
  reset(): void {
    this.#rows = Array.from({ length: bounds.commits }, (_, i) => free(i));
    this.#lanes = Array.from({ length: bounds.lanes }, () => ({ floor: 0, owner: 0 }));
    this.#cold = true;
    this.#open = false;
    this.#start = 0;
  }
  /** Places of the table in use. */
  get used(): number {
    return this.#rows.filter(r => r.state !== "free").length;
  }

  /** @returns undefined for a message that is malformed */
  take(m: Message, pid: number): Answer | undefined {
    if (malformed(m)) return undefined;
    if (this.#cold && m.kind !== "recover") return this.#answer("cold", undefined, m);
    if (!this.#may(m, pid)) return this.#answer("refused", undefined, m);
    if (asksOfPlace(m)) {
      const row = this.#rows[(m.part ?? 0) % bounds.commits] as Row;
      return { ...this.#answer("done", row), lane: row.lane, seq: row.seq, ...this.#floorOf(m) };
    }
    const row = this.#find(m);
    try {
      const { verdict, area } = this.#do(m, pid, row);
      const said = this.#answer(verdict, this.#find(m) ?? (verdict === "done" ? undefined : row), m);
      return area === undefined ? said : { ...said, ...area, length: area.data.length };
    } catch (e) {
      if (!(e instanceof Refused)) throw e;
      return { ...this.#answer("failed", this.#find(m), m), status: e.status };
    }
  }
  #lane({ lane = 0 }: Message): Lane {
    return this.#lanes[lane % bounds.lanes] as Lane;
  }
  #floorOf(m: Message): Lane {
    const { floor, owner } = this.#lane(m);
    return { floor, owner };
  }
  /** Whether a process may say it: of its own lane; or as the director, who may end any lane's commits. */
  #may(m: Message, pid: number): boolean {
    const isDirector = pid === this.#director;
    if (asksOfPlace(m) || m.kind === "recover" || m.kind === "open" || m.kind === "grant") return isDirector;
    return (pid !== 0 && this.#lane(m).owner === pid) || (m.kind === "forget" && isDirector);
  }

  #find(m: Message): Row | undefined {
    if (m.kind === "recover" || m.kind === "open") return undefined;
    return this.#rows.find(
      r => r.state !== "free" && r.lane === (m.lane ?? 0) % bounds.lanes && r.seq === (m.seq ?? 0),
    );
  }
  #answer(verdict: Verdict, row: Row | undefined, m?: Message): Answer {
    const { state, owners, replicas, parts } = row ?? free(0),
      held = [...(row?.areas.keys() ?? [])].reduce((mask, p) => mask | (1 << p), 0);
    return {
      ...{ verdict, status: 0, state, held, lane: m?.lane ?? 0, seq: m?.seq ?? 0, owners, replicas, parts },
      ...{ length: 0, va: 0n, marks: this.#open ? 1 : 0, data: new Uint8Array() },
      ...(m?.kind === "grant" && verdict !== "refused" && !this.#cold ? this.#floorOf(m) : { owner: 0, floor: 0 }),
    };
  }
  #do(m: Message, pid: number, row: Row | undefined): { verdict: Verdict; area?: { va: bigint; data: Uint8Array } } {
    const { floor, owner } = this.#lane(m),
      over = (m.seq ?? 0) < floor,
      marked = (mark: keyof typeof marks): boolean => ((m.marks ?? 0) & marks[mark]) !== 0,
      closed = !this.#open && !marked("redo"),
      say = (verdict: Verdict) => ({ verdict });
    if (m.kind === "recover") return say(this.#recover(m.seq ?? 0));
    switch (m.kind) {
      case "open":
        if (m.seq !== this.#start) return say("stale");
        this.#open = true;
        return say("done");
      case "forget":
        if (!over) this.#raise(m, owner);
        return say("done");
      case "grant":
        if (over) return say(owner === (m.grantee ?? 0) ? "done" : "stale");
        if (closed) return say("cold");
        if (this.#rows.some(r => r.state !== "free" && r.lane === m.lane)) return say("busy");
        this.#raise(m, m.grantee ?? 0);
        return say("done");
      case "update":
        if (over || closed) return say(over ? "stale" : "cold");
        this.#write(pid, m.va ?? 0n, m.data as Uint8Array);
        return say("done");
      case "commit":
        if (over) return say("stale");
        if (!row || row.state === "gathering") return say("unknown");
        return say(row.state === "committed" ? "done" : this.#checkpoint(row));
      case "prepare":
        if (over || closed) return say(over ? "stale" : "cold");
        return say(this.#prepare(m, pid, row, marked("merged")));
      case "inspect":
        return this.#inspect(m, row, over);
    }
  }

  #prepare(m: Message, pid: number, known: Row | undefined, merged: boolean): Verdict {
    const part = m.part ?? 0,
      va = m.va ?? 0n;
    if (known && known.parts !== (m.parts ?? 1)) return "refused";
    if (known?.areas.has(part)) {
      if (known.state === "gathering" && known.areas.size === known.parts) return this.#whole(known, merged);
      return known.state === "prepared" && merged ? this.#checkpoint(known) : "done";
    }
    const taken = this.#rows.some(
      r =>
        r !== known && r.state !== "free" && r.pid === pid && [...r.areas.values()].some(a => page(a.va) === page(va)),
    );
    const row = known ?? this.#rows.find(r => r.state === "free");
    const second = !known && this.#rows.some(r => r.state !== "free" && r.lane === m.lane);
    if (taken || second || !row) return "busy";
    const entry = messageBytes(m);
    this.#write(this.#pid, this.#entry(row.place, part), entry);
    this.#ask(opcode.ATOMIC_FAA, pid, va, 8, new Uint8Array(8));
    if (!known)
      Object.assign(row, {
        ...{ lane: m.lane ?? 0, seq: m.seq ?? 0, pid, state: "gathering", parts: m.parts ?? 1, areas: new Map() },
        ...{ owners: m.owners ?? 0, replicas: m.replicas ?? 0 },
      });
    row.areas.set(part, { va, bytes: (m.data as Uint8Array).length, crc: crc32(entry) });
    return row.areas.size === row.parts ? this.#whole(row, merged) : "done";
  }
  #whole(row: Row, merged: boolean): Verdict {
    this.#record(row, "prepared");
    return merged ? this.#checkpoint(row) : "done";
  }
  #checkpoint(row: Row): Verdict {
    for (let part = 0; part < row.parts; part++) {
      const { va, bytes, crc } = row.areas.get(part) as Area,
        entry = this.#read(this.#entry(row.place, part), headBytes + bytes);
      if (crc32(entry) !== crc) return "corrupt";
      this.#write(row.pid, va, entry.subarray(headBytes));
    }
    this.#record(row, "committed");
    return "done";
  }
  #record(row: Row, state: "prepared" | "committed"): void {
    const all = new DataView(new ArrayBuffer(32));
    for (const [part, { crc }] of row.areas) all.setUint32(4 * part, crc, true);
    const { lane, seq, pid, owners, replicas, parts } = row,
      body = encode(commitRecord, {
        ...{ crc: 0, state: states[state], parts, lane, seq, pid, owners, replicas },
        ...{ crcs: new Uint8Array(all.buffer), spare: new Uint8Array(14) },
      });
    new DataView(body.buffer, body.byteOffset).setUint32(0, crc32(body), true);
    this.#write(this.#pid, this.#base + BigInt(logAt.record(row.place)), body);
    row.state = state;
  }
  /** Commits of the lane up to this one are over, and the others are its owner's. */
  #raise({ lane = 0, seq = 0 }: Message, owner: number): void {
    const floor = seq + 1;
    this.#write(this.#pid, this.#base + BigInt(logAt.floor(lane)), encode(laneFloor, { floor, owner, spare: 0 }));
    this.#lanes[lane] = { floor, owner };
    for (const r of this.#rows)
      if (r.state !== "free" && r.lane === lane && r.seq <= seq) Object.assign(r, free(r.place));
  }
  #inspect(m: Message, row: Row | undefined, over: boolean) {
    const verdict = (v: Verdict) => ({ verdict: v }),
      area = row?.areas.get(m.part ?? 0);
    if (over) return verdict("stale");
    if (!row || !area) return verdict("unknown");
    const entry = this.#read(this.#entry(row.place, m.part ?? 0), headBytes + bounds.areaBytes).subarray(
      0,
      headBytes + area.bytes,
    );
    if (crc32(entry) !== area.crc) return verdict("corrupt");
    return { verdict: "done" as const, area: { va: area.va, data: entry.slice(headBytes) } };
  }

  #recover(start: number): Verdict {
    if (!this.#cold) {
      this.#start = Math.max(start, this.#start);
      return "done";
    }
    const floors = this.#read(this.#base, floorBytes * bounds.lanes);
    this.#lanes = this.#lanes.map((_, lane) =>
      decode(laneFloor, floors.subarray(floorBytes * lane, floorBytes * (lane + 1))),
    );
    this.#rows = this.#rows.map((_, place) => this.#recovered(place) ?? free(place));
    this.#cold = false;
    this.#start = start;
    return "done";
  }
  /** The commit of a place of the log, when all of it is there. */
  #recovered(place: number): Row | undefined {
    const bytes = this.#read(this.#base + BigInt(logAt.record(place)), headBytes),
      { crc, crcs: all, lane, seq, state, parts, ...rest } = decode(commitRecord, bytes);
    const sound = crc32(concat(new Uint8Array(4), bytes.subarray(4))) === crc,
      formed = (state === states.prepared || state === states.committed) && parts >= 1 && parts <= bounds.parts;
    const its = this.#lanes[lane];
    if (!sound || !formed || its === undefined || seq < its.floor || rest.pid !== its.owner) return undefined;
    const view = new DataView(all.buffer, all.byteOffset),
      row: Row = {
        ...free(place),
        ...rest,
        lane,
        seq,
        parts,
        state: state === states.prepared ? "prepared" : "committed",
      };
    for (let part = 0; part < parts; part++) {
      const entry = this.#read(this.#entry(place, part), headBytes + bounds.areaBytes),
        head = decode(commitHead, entry.subarray(0, headBytes)),
        length = head.length % 2048,
        own = crc32(entry.subarray(0, headBytes + length));
      const wanted = view.getUint32(4 * part, true);
      if (own !== wanted || head.lane !== lane || head.seq !== seq || head.part !== part) return undefined;
      row.areas.set(part, { va: head.va, bytes: length, crc: own });
    }
    return row;
  }

  #entry(place: number, part: number): bigint {
    return this.#base + BigInt(logAt.entry(place, part));
  }
  #ask(code: number, pid: number, va: bigint, length: number, data: Uint8Array): Uint8Array {
    const answer = this.#memory.access({ opcode: code, pid, va, length, data });
    if (answer.status !== status.OK) throw new Refused(answer.status);
    return answer.data;
  }
  #read(va: bigint, length: number): Uint8Array {
    return this.#ask(opcode.READ, this.#pid, va, length, new Uint8Array());
  }
  #write(pid: number, va: bigint, data: Uint8Array): void {
    this.#ask(opcode.WRITE, pid, va, data.length, data);
  }
}

/** Whether a message contradicts itself. */
function malformed({ kind, part = 0, parts = 1, lane = 0, seq = 0, va = 0n, data }: Message): boolean {
  const bytes = data?.length ?? 0,
    step = bounds.granule;
  if (kind === "prepare" || kind === "update") {
    const inPage = Number(va % BigInt(bounds.pageBytes)) + bytes <= bounds.pageBytes;
    if (bytes === 0 || bytes > bounds.areaBytes || bytes % step !== 0 || va % BigInt(step) !== 0n || !inPage)
      return true;
  } else if (bytes > 0) return true;
  if (kind === "prepare" && (part >= parts || parts > bounds.parts)) return true;
  const names = (["prepare", "update", "commit", "forget", "grant"] as (keyof typeof kinds)[]).includes(kind);
  return names && (lane >= bounds.lanes || seq === lastSeq);
}
