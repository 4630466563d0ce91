/** Who commits: phases, retries, abort by rule (Hotpot, section 2.6.2). A state machine; its caller says the time. */
import { type Answer, marks } from "../wire/index.ts";
import {
  type Cid,
  type Commit,
  commits,
  copyForgets,
  forgets,
  type Outgoing,
  ownersOf,
  prepares,
  replicasOf,
  shareOf,
  updates,
} from "./commit.ts";

export interface CoordinatorOptions {
  readonly lane: number;
  /** Time after which an unanswered message is sent again. */
  readonly timeout: number;
  /** Wait before a try after an aborted one: times the tries (8 at most) and the lane's number from 1. */
  readonly backoff: number;
}
export type Phase = "idle" | "prepare" | "abort" | "wait" | "update" | "commit" | "forgetReplicas" | "forget";
type Pending = Outgoing & { due: number };

const mostBackoff = 8;

/**
 * One lane: one commit at a time. Give it `begin`, the answers and the time; it gives the messages to send.
 * `committed` is when its client may go on: N copies there are, and all owners have checkpointed.
 */
export class Coordinator {
  readonly lane: number;
  readonly #o: CoordinatorOptions;
  readonly #pending = new Map<string, Pending>();
  readonly #prepared = new Set<number>();
  /** Nodes that were lost and are not open yet. */
  readonly #closed = new Set<number>();
  #commit: Commit = { shares: [] };
  #resume = 0;
  phase: Phase = "idle";
  seq = 0;
  /** The last commit, or try, of which every participant knows that it is over. */
  finished = 0;
  tries = 0;
  /** Messages sent, repetitions among them. */
  sent = 0;
  /** How the last commit went; undefined until its client may know. */
  outcome: "committed" | "failed" | undefined;
  #failure = false;

  constructor(o: CoordinatorOptions) {
    this.lane = o.lane;
    this.#o = o;
  }
  get #cid(): Cid {
    return { lane: this.lane, seq: this.seq };
  }
  get commit(): Commit {
    return this.#commit;
  }
  /** From here on the commit is redone, never undone. */
  get decided(): boolean {
    const settles = this.phase === "update" || this.phase === "commit";
    return settles || (this.phase === "prepare" && this.#commit.merged === true && this.#commit.shares.length > 1);
  }
  /** Nothing of a decided commit is owed to the node, and no lock that it has lost is needed any more. */
  settled(node: number): boolean {
    if (this.phase === "forgetReplicas") return shareOf(this.#commit, node) === undefined;
    return !this.decided || [...this.#pending.values()].every(p => p.to !== node);
  }

  /** The lane is its process's, and this number and lower ones are over. A try under way learns it by itself: stale. */
  given(seq: number): void {
    if (this.phase === "idle") this.seq = Math.max(this.seq, seq);
  }
  begin(commit: Commit, now: number): void {
    this.#commit = { ...commit, merged: commit.merged ?? commit.shares.length === 1 };
    this.tries = 0;
    this.outcome = undefined;
    this.#failure = false;
    this.#try(now);
  }
  /** Messages that are due. */
  poll(now: number): Outgoing[] {
    if (this.phase === "wait" && now >= this.#resume) this.#try(now);
    const due = [...this.#pending.values()].filter(p => p.due <= now);
    for (const p of due) p.due = now + this.#o.timeout;
    this.sent += due.length;
    return due.map(({ to, key, message }) => ({ to, key, message }));
  }
  answer(key: string, a: Answer, now: number): void {
    const p = this.#pending.get(key);
    if (!p) return;
    const { verdict, state } = a,
      { kind } = p.message;
    // A node that is cold is recovering; memory may serve the next try.
    if (verdict === "cold") return;
    if (kind === "prepare") this.#prepareAnswered(p, a, now);
    else if (kind === "commit" && verdict === "unknown") this.#redo(p.to, now);
    else if (verdict === "done" || verdict === "stale") this.#pending.delete(key);
    // The lane has been taken away: no commit of ours was in it there.
    else if (kind === "forget" && verdict === "refused") this.#pending.delete(key);
    if (kind === "prepare" && verdict === "done" && this.phase === "commit" && state === "prepared")
      this.#add(commits(p.to, this.#cid), now);
    this.#advance(now);
  }
  /** A node has lost its memory, and has been made anew from the copies; it is closed. */
  lost(node: number, now: number): void {
    this.#closed.add(node);
    const isOwner = shareOf(this.#commit, node) !== undefined,
      isReplica = replicasOf(this.#commit).includes(node);
    if (this.phase === "prepare" && !this.decided) {
      if (isOwner) this.#abort(now);
    } else if (this.decided) {
      if (isOwner) this.#redo(node, now);
      if (isReplica && this.phase !== "prepare")
        for (const u of updates(this.#commit, node, this.#cid, marks.redo)) this.#add(u, now);
    } else if (this.phase !== "idle" && this.phase !== "wait") {
      const makes = this.phase === "forgetReplicas" ? [copyForgets] : [copyForgets, forgets];
      if (isOwner || isReplica) for (const make of makes) this.#add(make(node, this.#cid), now);
    }
  }
  opened(node: number): void {
    this.#closed.delete(node);
  }

  #try(now: number): void {
    this.seq++;
    this.tries++;
    this.phase = "prepare";
    this.#prepared.clear();
    for (const s of this.#commit.shares)
      for (const m of prepares(this.#commit, s, this.#cid, this.#mark(s.node))) this.#add(m, now);
  }
  #mark(node: number): number {
    return this.decided && this.#closed.has(node) ? marks.redo : 0;
  }
  #add(m: Outgoing, now: number): void {
    this.#pending.set(m.key, { ...m, due: now });
  }
  #prepareAnswered({ key, to }: Pending, { verdict, state }: Answer, now: number): void {
    const wanted = this.#commit.merged === true ? ["committed"] : ["prepared", "committed"];
    if (verdict === "done") {
      this.#pending.delete(key);
      if (wanted.includes(state)) this.#prepared.add(to);
      return;
    }
    // With a whole log a merged commit has begun to go home: it cannot be undone any more, and is tried again.
    const begun = this.#commit.merged === true && wanted.concat("prepared").includes(state);
    if (!this.decided && !begun) {
      this.#failure = verdict !== "busy" && verdict !== "stale";
      this.#abort(now);
    }
  }
  #redo(node: number, now: number): void {
    const share = shareOf(this.#commit, node);
    this.#prepared.delete(node);
    this.#pending.delete(commits(node, this.#cid).key);
    if (share) for (const m of prepares(this.#commit, share, this.#cid, marks.redo)) this.#add(m, now);
  }
  #abort(now: number): void {
    this.#pending.clear();
    this.phase = "abort";
    for (const n of ownersOf(this.#commit)) this.#add(forgets(n, this.#cid), now);
  }
  /** Nothing is under way: the next phase. */
  #advance(now: number): void {
    while (this.#pending.size === 0) {
      const { phase } = this,
        commit = this.#commit,
        replicas = replicasOf(commit);
      if (phase === "idle" || phase === "wait") return;
      if (phase === "prepare" || phase === "update" || phase === "commit") {
        // All areas have been taken and no answer says that the commit is whole: the node was reset between. So it may
        // be of what is redone, too.
        const missing = commit.shares.filter(s => !this.#prepared.has(s.node));
        for (const s of missing) {
          const mark = phase === "prepare" ? this.#mark(s.node) : marks.redo;
          for (const m of prepares(commit, s, this.#cid, mark)) this.#add(m, now);
        }
        if (missing.length > 0) return;
      }
      if (phase === "prepare") {
        this.phase = "update";
        for (const n of replicas) for (const m of updates(commit, n, this.#cid, this.#mark(n))) this.#add(m, now);
      } else if (phase === "update") {
        this.phase = "commit";
        if (commit.merged !== true) for (const n of ownersOf(commit)) this.#add(commits(n, this.#cid), now);
      } else if (phase === "commit") {
        this.phase = "forgetReplicas";
        this.outcome = "committed";
        for (const n of replicas) this.#add(copyForgets(n, this.#cid), now);
      } else if (phase === "forgetReplicas") {
        this.phase = "forget";
        for (const n of ownersOf(commit)) this.#add(forgets(n, this.#cid), now);
      } else {
        this.finished = this.seq;
        this.phase = phase === "forget" || this.#failure ? "idle" : "wait";
        if (this.#failure) this.outcome = "failed";
        this.#resume = now + this.#o.backoff * Math.min(this.tries, mostBackoff) * (this.lane + 1);
      }
    }
  }
}
