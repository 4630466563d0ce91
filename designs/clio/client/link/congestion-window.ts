/** How a congestion window moves; numbers of requests, fractions, ns. */
export interface CongestionSettings {
  /** Delay from request to answer above which the window falls, ns. */
  readonly targetNs: number;
  readonly initial: number;
  readonly least: number;
  readonly most: number;
}
/** Requests that the window grows by per round trip below the target. */
const increase = 1;
/** The share of the excess delay that a decrease takes off, and the most that one decrease takes off. */
const decreaseGain = 0.8,
  mostDecrease = 0.5;
/** Weight of a new delay in the smoothed one. */
const smoothing = 1 / 8;

/**
 * cwnd of one node (paper §4.4.4): requests that may be outstanding, additive increase and multiplicative decrease on
 * the measured delay, in the manner of Swift. Below one request it becomes a pace: with 0.1, one request in 10 round
 * trips. State: five numbers.
 */
export class CongestionWindow {
  private readonly settings: CongestionSettings;
  private window: number;
  private smoothed = 0;
  private decreasedAt = Number.NEGATIVE_INFINITY;
  private sentAt = Number.NEGATIVE_INFINITY;

  constructor(settings: CongestionSettings) {
    this.settings = settings;
    this.window = settings.initial;
  }

  /** Requests; may be below 1. */
  get size(): number {
    return this.window;
  }
  /** Smoothed delay from request to answer, ns; 0 before the first answer. */
  get delayNs(): number {
    return this.smoothed;
  }

  /**
   * How long a request must wait with `outstanding` others out: 0 for not at all, Infinity for until one of them ends,
   * else ns (pacing).
   */
  wait(outstanding: number, now: number): number {
    if (this.window >= 1) return outstanding < Math.floor(this.window) ? 0 : Number.POSITIVE_INFINITY;
    if (outstanding > 0) return Number.POSITIVE_INFINITY;
    return Math.max(0, this.sentAt + this.smoothed / this.window - now);
  }
  sent(now: number): void {
    this.sentAt = now;
  }

  /** An answer came `delayNs` after its request. */
  answered(delayNs: number, now: number): void {
    this.smoothed = this.smoothed === 0 ? delayNs : this.smoothed + (delayNs - this.smoothed) * smoothing;
    if (delayNs <= this.settings.targetNs)
      this.window = Math.min(this.settings.most, this.window + increase / Math.max(1, this.window));
    else this.fall(delayNs, now);
  }
  /** No answer came in `timeoutNs`: taken as a delay of that much. */
  lost(timeoutNs: number, now: number): void {
    this.fall(Math.max(timeoutNs, this.settings.targetNs), now);
  }

  /** At most one decrease per round trip: the answers of one window tell of the same queue. */
  private fall(delayNs: number, now: number): void {
    if (now - this.decreasedAt < this.smoothed) return;
    this.decreasedAt = now;
    const factor = 1 - (decreaseGain * (delayNs - this.settings.targetNs)) / delayNs;
    this.window = Math.max(this.settings.least, this.window * Math.max(factor, 1 - mostDecrease));
  }
}
