/** What a run of the scheduler's model is given. Times are in cycles. */

/** A network task: it takes a packet every `interval` cycles at most and gives it back after `latency`. */
export interface Task {
  readonly latency: number;
  readonly interval: number;
}
/** Part of a stage: a chain and those of its tasks that the packet does not skip. */
export interface Branch {
  readonly chain: number;
  readonly run: readonly number[];
}
/** A user's order of tasks: stages one after another, the branches of a stage at once. */
export interface Dag {
  readonly user: number;
  /** Slow DAGs have queues of their own. */
  readonly slow: boolean;
  readonly stages: readonly (readonly Branch[])[];
}

/** Cycles of the ways between the blocks. */
export interface Timing {
  /** From a port to the scheduler, and from the last return to the wire. */
  readonly intake: number;
  readonly egress: number;
  /** Flow table and enqueue. */
  readonly lookUp: number;
  /** Stages of pick and reserve: 1 is one atomic cycle. */
  readonly decide: number;
  /** From the reservation to the first task's FIFO, and from the last task to the scheduler. */
  readonly carry: number;
  readonly back: number;
  /** From a task's taking to the credit's return. */
  readonly creditBack: number;
  /** How late the busy bits are. */
  readonly busyDelay: number;
  /** Entries of a queue that are in registers, and cycles until a taken one is replaced. */
  readonly prefetch: number;
  readonly refill: number;
}
/** A round through the scheduler takes 10 cycles; a credit is back 8 cycles after it was taken. */
export const timing: Timing = {
  intake: 11,
  egress: 6,
  lookUp: 2,
  decide: 1,
  carry: 5,
  back: 3,
  creditBack: 3,
  busyDelay: 0,
  prefetch: 2,
  refill: 1,
};

/** A rule of the scheduler that a planted fault breaks. */
export const faults = [
  "the bypass waits for the task",
  "a drop keeps the credits behind it",
  "a stopped packet does not hold its queue",
  "a scale-out moves flows at once",
  "users have no turn",
] as const;
/** The way past a task always first: a user that fills it keeps others in the task. `shares` shows it. */
export const starving = "the way past is always first";
export type Fault = (typeof faults)[number] | typeof starving;

export interface Setup {
  readonly users: number;
  readonly contexts: number;
  readonly chains: readonly (readonly Task[])[];
  /** The chain that each region holds; regions with the same chain are instances. */
  readonly regions: readonly number[];
  /** Credits of each slot of each chain. */
  readonly credits: readonly (readonly number[])[];
  readonly dags: readonly Dag[];
  readonly timing: Timing;
  /** Cycles until a head may stop short. */
  readonly patience: number;
  /**
   * A packet that is done goes on to its next task's region past the scheduler, as in the public code of PANIC: in so
   * many cycles more than to a slot of its own region. There it is taken if credits are free; else it goes to the
   * scheduler, and waits there. Only a stage of one branch pushes, and only to another one. Left out: nothing does.
   */
  readonly push?: number;
  readonly fault?: Fault;
}

/** A packet that a source offers. */
export interface Packet {
  readonly id: number;
  readonly dag: number;
  readonly flow: number;
  /** Cycles that the packet occupies each link between slots. */
  readonly beats: number;
  /** The task that drops it: stage and slot. */
  readonly drops?: { readonly stage: number; readonly slot: number } | undefined;
}

/** The element, which there is. @throws RangeError when there is none: a fault of the model's own */
export function must<T>(list: readonly T[], index: number): T {
  const found = list[index];
  if (found === undefined) throw new RangeError(`there is no element ${index} of ${list.length}`);
  return found;
}
