import { drfFormat } from "../../config/index.ts";
import type { AdmittedPacket, FairEvents, FairSaid, FairSizes } from "./events.ts";

const largest = 2 ** 24 - 1;
const inBeats = (bytes: number): number => 64 * Math.ceil(bytes / 64);
/** A resource's unit is a 32nd of a byte. */
const unit = 32;
const measures = 4;

/** Counts of one user: of each resource, of what came, and of what was decided on. */
interface Counts {
  readonly uses: number[];
  admitted: number;
  decided: number;
}
const saturate = (n: number): number => Math.min(largest, n);

/** What users use, and what they are taken to use of each resource (docs/supernic/monitors.md). */
export class UseModel {
  readonly #p: FairSizes;
  #now: Counts[];
  readonly #inside = new Map<number, AdmittedPacket>();
  /** Cells that users hold, as they were 0, 1 and 2 cycles ago. */
  readonly #held: number[];
  #heldBefore: number[];
  #heldTwoAgo: number[];
  #turn = 0;
  readonly #last: number[][][];

  constructor(p: FairSizes) {
    this.#p = p;
    this.#now = this.#fresh();
    this.#held = Array.from({ length: p.users }, () => 0);
    this.#heldBefore = [...this.#held];
    this.#heldTwoAgo = [...this.#held];
    this.#last = Array.from({ length: p.users }, () =>
      Array.from({ length: p.resources }, () => Array.from({ length: measures }, () => 0)),
    );
  }
  #fresh(): Counts[] {
    return Array.from({ length: this.#p.users }, () => ({
      uses: Array.from({ length: this.#p.resources }, () => 0),
      admitted: 0,
      decided: 0,
    }));
  }
  /** Nothing has been counted; what users are taken to use stays. */
  reset(): void {
    this.#now = this.#fresh();
    for (const list of [this.#held, this.#heldBefore, this.#heldTwoAgo]) list.fill(0);
    this.#turn = 0;
  }
  #add(user: number, resource: number, amount: number): void {
    const { uses } = this.#now[user] as Counts;
    uses[resource] = saturate((uses[resource] ?? 0) + amount);
  }
  /** Cells of whose turn it is; before the events of the cycle. */
  sampleCells(): void {
    this.#add(this.#turn, this.#p.types + 3, this.#heldTwoAgo[this.#turn] ?? 0);
    this.#turn = (this.#turn + 1) % this.#p.users;
    this.#heldTwoAgo = this.#heldBefore;
  }
  count({ admitted, decided, released }: FairEvents, said: FairSaid): void {
    if (admitted) this.#admit(admitted, said);
    if (decided) this.#decide(decided.ctx, decided.port);
    if (released) this.#held[released.user] = (this.#held[released.user] ?? 0) - released.cells;
    this.#heldBefore = [...this.#held];
  }
  #admit(packet: AdmittedPacket, said: FairSaid): void {
    const { user, dag, headBytes, payloadBytes, ctx } = packet,
      bytes = headBytes + payloadBytes,
      counts = this.#now[user] as Counts;
    counts.admitted = saturate(counts.admitted + bytes);
    const times = said.dagUses.get(dag) ?? [];
    for (let t = 0; t < this.#p.types; t++)
      this.#add(user, t, (times[t] ?? 0) * (said.packetTypes.has(t) ? 64 : bytes));
    this.#add(user, this.#p.types, 64 + inBeats(payloadBytes));
    this.#add(user, this.#p.types + 1, inBeats(payloadBytes));
    this.#held[user] = (this.#held[user] ?? 0) + Math.ceil(payloadBytes / 256);
    this.#inside.set(ctx, packet);
  }
  #decide(ctx: number, port: number | undefined): void {
    const packet = this.#inside.get(ctx);
    if (packet === undefined) throw new RangeError(`there is no packet in context ${ctx}`);
    const { user, headBytes, payloadBytes } = packet,
      counts = this.#now[user] as Counts,
      bytes = headBytes + payloadBytes;
    counts.decided = saturate(counts.decided + bytes);
    if (port === undefined) return;
    this.#add(user, this.#p.types + 2, inBeats(payloadBytes));
    if (port < this.#p.ports) this.#add(user, this.#p.types + 4 + port, bytes);
  }
  /** The epoch of uses is over: each resource of each user that had bytes is measured. */
  end(): void {
    const { types, resources } = this.#p;
    for (const [user, { uses, admitted, decided }] of this.#now.entries())
      for (let j = 0; j < types + 4 + this.#p.ports && j < resources; j++) {
        const bytes = j === types + 2 || j >= types + 4 ? decided : admitted;
        if (bytes === 0) continue;
        const measure = Math.ceil(((uses[j] ?? 0) * unit * 2 ** drfFormat.vectorFraction) / bytes);
        const last = this.#lastOf(user, j);
        last.unshift(saturate(measure));
        last.length = measures;
      }
    this.#now = this.#fresh();
  }
  #lastOf(user: number, resource: number): number[] {
    return this.#last[user]?.[resource] ?? [];
  }
  /** Software says what a new user is taken to use. */
  first(user: number, resource: number, use: number): void {
    this.#lastOf(user, resource).fill(use);
  }
  /** The measure of the last epoch in which the user had bytes. */
  lastUse(user: number, resource: number): number {
    return this.#lastOf(user, resource)[0] ?? 0;
  }
  vectorOf(user: number): number[] {
    return Array.from({ length: this.#p.resources }, (_, j) => Math.max(...this.#lastOf(user, j)));
  }
}
