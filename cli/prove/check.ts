/** One proof with what shows that it is worth something: its covers and its planted faults. */
import { engines, holds, noCounterexample, planted, prove, type Proved } from "../../sim/index.ts";
import { emit, type Fault, type Proof } from "../../hdl-dsl/index.ts";

/** A planted fault, and the property that failed for it; none when the proof did not notice. */
export interface Caught {
  readonly what: string;
  readonly by: string | undefined;
}

/** Where a test of a user's finds the harness: `harness` is an expression over the export `name` of the file. */
export interface Origin {
  readonly file: string;
  readonly name: string;
  readonly harness: string;
}

/** A proof of the catalogue, or of a file of the user's: that one has an origin, and may have no fault. */
export interface Provable extends Omit<Proof, "faults"> {
  readonly faults: readonly Fault[];
  readonly origin?: Origin;
}

export interface Checked {
  readonly proof: Provable;
  readonly result: Proved;
  readonly faults: readonly Caught[];
}

export interface CheckOptions {
  /** Limit of each engine, s; a proof marked `long` gets more. */
  readonly seconds: number;
  /** Plant the faults too. */
  readonly faults: boolean;
  /** Look for failures within so many cycles only. */
  readonly bounded?: number;
}

/** Whether it shows what it is meant to: for runs of any length, or as far as the proof or the caller wants to look. */
export function isGood({ proof, result }: Checked, bounded?: number): boolean {
  return (bounded ?? proof.bounded) === undefined
    ? holds(result)
    : noCounterexample(result) && result.covers.every(v => v.cycle !== undefined);
}

/** How much more time a proof gets that is known to take long: a busy machine must not decide it. */
const longer = 4;

/** Proves the harness as it is and, when asked, with each of its faults. */
export async function check(proof: Provable, o: CheckOptions): Promise<Checked> {
  const bounded = o.bounded ?? proof.bounded;
  const options = {
    seconds: o.seconds * (proof.long === "minutes" ? longer : 1),
    ...(proof.own === undefined ? {} : { own: proof.own }),
    ...(proof.induction === undefined ? {} : { induction: proof.induction }),
    ...(bounded === undefined ? {} : { bounded }),
    ...(proof.by === undefined || bounded !== undefined ? {} : { engines: engines.filter(e => e.name === proof.by) }),
  };
  const result = await prove(proof.harness, {
    ...options,
    ...(proof.reach === undefined ? {} : { reach: proof.reach }),
  });
  const faults: Caught[] = [];
  for (const fault of o.faults ? proof.faults : []) {
    const broken = await prove(
      { ports: proof.harness.ports, emitted: planted(emit(proof.harness), fault) },
      { ...options, reach: 0 },
    );
    faults.push({
      what: fault.what,
      by:
        broken.finding.verdict === "failed" ? (broken.counterexample?.property?.message ?? "an assertion") : undefined,
    });
  }
  return { proof, result, faults };
}
