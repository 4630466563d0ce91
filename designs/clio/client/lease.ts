import { OperationError } from "./link/errors.ts";
import type { ClientClock, Timer } from "./link/transport.ts";

/** What a lease does with its word: stores `swap` when the word is `compare`. @returns what the word was */
export type Exchange = (compare: bigint, swap: bigint) => Promise<bigint>;

export interface LeaseOptions {
  /** Time after which a holder that shows no sign of life loses the lock, ns; the same for all who use the word. */
  readonly leaseNs: number;
  /** Time after which a caller gives up, ns. Default: never. */
  readonly timeoutNs?: number;
}
/** What a lease needs of its client. */
export interface LeaseServices {
  readonly clock: ClientClock;
  /** From 0 to 1. */
  readonly random: () => number;
  readonly exchange: Exchange;
}

/** A holder renews its word so often in a lease, and believes in it for this share of one: clocks differ by less. */
const renewals = 4,
  believed = 0.9;

/** A lock that is held for as long as its holder renews it, and then for at most `leaseNs`. */
export class Lease {
  private readonly s: LeaseServices;
  private readonly leaseNs: number;
  /** What stands in the word; what may stand there instead, after an exchange of which nothing was heard. */
  private word: bigint;
  private perhaps: bigint | undefined;
  private renewedAt: number;
  private ended = false;
  private timer: Timer | undefined;
  private underWay: Promise<unknown> = Promise.resolve();

  /** @param renewedAt when the exchange that put `word` there began */
  constructor(services: LeaseServices, leaseNs: number, word: bigint, renewedAt: number) {
    this.s = services;
    this.leaseNs = leaseNs;
    this.word = word;
    this.renewedAt = renewedAt;
    this.plan();
  }

  /** Nobody else can have the lock now. A holder that finds 0 here stops what the lock is for. */
  get held(): boolean {
    return !this.ended && this.s.clock.now() < this.renewedAt + believed * this.leaseNs;
  }

  /** Gives the lock back. @returns false: it was lost before, and is another's or free; it stays as it is */
  async release(): Promise<boolean> {
    const wasEnded = this.ended;
    this.ended = true;
    this.timer?.cancel();
    await this.underWay;
    return !wasEnded && this.replace(true);
  }

  private plan(): void {
    this.timer = this.s.clock.after(this.leaseNs / renewals, () => {
      this.underWay = this.renew();
    });
  }
  private async renew(): Promise<void> {
    const began = this.s.clock.now();
    try {
      if (await this.replace(false)) this.renewedAt = began;
      else this.ended = true;
    } catch (e) {
      // Nothing was heard: asked again, for as long as there is a chance.
      if (!(e instanceof OperationError)) throw e;
      if (!this.held) this.ended = true;
    }
    if (!this.ended) this.plan();
  }
  /** Puts a new word in place of this lease's, or 0. @returns whether this lease's was there */
  private async replace(with0: boolean): Promise<boolean> {
    for (;;) {
      const wanted = with0 ? 0n : (this.perhaps ?? next(this.word)),
        { word } = this;
      if (!with0) this.perhaps = wanted;
      const found = await this.s.exchange(word, wanted),
        doneBefore = found === this.perhaps;
      if (found !== word && !doneBefore) return false;
      this.word = doneBefore ? found : wanted;
      this.perhaps = undefined;
      // What was done before may be old: it is no sign of life now.
      if (!doneBefore) return true;
    }
  }
}

/**
 * Takes the lock whose word is 0 when it is free. A word that stays the same for `leaseNs` is that of a holder that is
 * gone: it is replaced by the caller's own. A living holder changes its word several times in that time, so nobody
 * takes the lock from it. The words of different holders differ in 64 random bits.
 * @throws OperationError TIMEOUT when it was neither free nor given up for `timeoutNs`
 */
export async function takeLease(
  services: LeaseServices,
  { leaseNs, timeoutNs = Number.POSITIVE_INFINITY }: LeaseOptions,
): Promise<Lease> {
  const { clock, random, exchange } = services,
    from = clock.now(),
    mine = fresh(random);
  let seen = 0n,
    since = from,
    isOver = false;
  for (let pause = leaseNs / 64; ; pause = Math.min(2 * pause, leaseNs / 4)) {
    const began = clock.now(),
      compare: bigint = isOver ? seen : 0n,
      found = await exchange(compare, mine);
    if (found === compare) return new Lease(services, leaseNs, mine, began);
    const now = clock.now();
    if (found !== seen) [seen, since] = [found, now];
    isOver = found !== 0n && now - since >= leaseNs;
    if (found === 0n || isOver) continue;
    if (now - from > timeoutNs)
      throw new OperationError(
        "rlease",
        "TIMEOUT",
        "none",
        `the lock was neither free nor given up for ${timeoutNs} ns`,
      );
    const ns = Math.min(pause * (0.5 + random() / 2), since + leaseNs - now);
    await new Promise<void>(resolve => {
      clock.after(ns, resolve);
    });
  }
}

/** A word of its own for each holding: never 0, and never one that was there before. */
const fresh = (random: () => number): bigint =>
  (BigInt(Math.floor(random() * 2 ** 32)) << 32n) | BigInt(Math.floor(random() * 2 ** 31) * 2 + 1);
/** The word of the next renewal. */
const next = (word: bigint): bigint => BigInt.asUintN(64, word + 2n);
