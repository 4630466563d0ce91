import {
  assertAlways,
  bit,
  type Bit,
  cat,
  constant,
  isAfter,
  node,
  orTree,
  reg,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { setOf } from "./retry-store.ts";

/** An operation that is remembered, as it stands in the memory. */
interface Entry {
  readonly valid: Bit;
  readonly client: UInt;
  readonly operation: UInt;
}
/** Contents of a pipeline stage: a request, or a set for the sweep. */
interface Stage {
  readonly valid: Bit;
  readonly sweeping: Bit;
  readonly row: UInt;
}
interface Request {
  readonly tracked: Bit;
  readonly keeps: Bit;
  readonly client: UInt;
  readonly operation: UInt;
}

/** The retry buffer's insides that the invariant is about. */
export interface RetryInsides {
  readonly sets: number;
  /** Numbers in use: 0 and up, fewer than half a round. */
  readonly numbers: number;
  readonly hashKey: UInt;
  readonly clearing: Bit;
  /** The payload at the port. */
  readonly arriving: Pick<Request, "client" | "operation">;
  /** Stage 1. */
  readonly looked: Stage;
  readonly asking: Request;
  readonly found: { readonly valid: Bit; readonly index: UInt };
  /** Stage 2. */
  readonly at: Stage;
  readonly request: Request;
  readonly known: Bit;
  readonly client: UInt;
  readonly mark: UInt;
  readonly left: Bit;
  readonly leavesIt: Bit;
  readonly hit: Bit;
  readonly row: readonly Entry[];
  readonly inserts: Bit;
  /** Whether the client at a place becomes unknown in this cycle. */
  readonly leaves: (place: UInt) => Bit;
  readonly ahead: { readonly inserted: Bit; readonly sameSet: Bit; readonly way: UInt };
  /** Stage 3. */
  readonly judged: { readonly forgets: Bit; readonly client: UInt; readonly operation: UInt };
  /** Memories. */
  readonly entriesAt: (row: UInt) => readonly Entry[];
  readonly forgottenAt: (client: UInt) => UInt;
}

/**
 * For proofs: any one operation, and the invariant by which it is not remembered twice. A remembered operation stays in
 * its set, or is at or behind its client's forgotten mark, or is just being written down as such. A request for the
 * operation sees that, wherever it is in the pipeline.
 */
export function watchOperation(o: RetryInsides): void {
  const { judged, at, looked } = o;
  // Any operation: the one at the port in the first cycle, in which nothing tracked is taken.
  const chosen = reg(bit, { init: 0, name: "watched_chosen" });
  const key = reg(uint(o.request.client.width), { init: 0, name: "watched_client" });
  const number = reg(uint(o.request.operation.width), { init: 0, name: "watched_operation" });
  chosen.set(1);
  when(chosen.not(), () => {
    key.set(o.arriving.client);
    number.set(o.arriving.operation);
  });
  /** The watched operation has been remembered, of the client at `home`; since that became known. */
  const spent = reg(bit, { init: 0, name: "watched_spent" });
  const home = reg(uint(o.client.width), { name: "watched_home" });
  const name = (what: string, v: Bit): Bit => node(v, { name: `watched_${what}` });
  const implies = (message: string, given: readonly Bit[], then: Bit): void =>
    assertAlways(
      cat(...given)
        .all()
        .not()
        .or(then),
      message,
    );

  const asksIn = (stage: Stage, r: Request): Bit => cat(stage.valid, stage.sweeping.not(), r.tracked).all();
  const asks1 = name("asks_1", asksIn(looked, o.asking)),
    asks2 = name("asks_2", asksIn(at, o.request));
  const mine1 = name("mine_1", asks1.and(o.asking.client.eq(key))),
    mine2 = name("mine_2", asks2.and(o.request.client.eq(key)));
  const again = name("again", mine2.and(o.request.keeps).and(o.request.operation.eq(number)));
  const first = name("first", o.inserts.and(again));
  when(o.leaves(home), () => spent.set(0)).elseWhen(first, () => spent.set(1));
  when(first.and(spent.not()), () => home.set(o.client));
  implies("an operation is remembered once only", [first], spent.not());

  const row = setOf(o.sets, key, number, o.hashKey).is(Math.log2(o.sets));
  const isIt = (e: Entry): Bit => cat(e.valid, e.client.eq(home), e.operation.eq(number)).all();
  const stands = o.entriesAt(row).map((e, i) => name(`stands_${i}`, isIt(e)));
  const behind = (mark: UInt): Bit => isAfter(number, mark).not();
  /** A mark is one of the numbers in use, or the one before them. */
  const inUse = (mark: UInt): Bit => mark.add(1).le(o.numbers);
  const forgotten = o.forgottenAt(home);
  const writes = name("writes", cat(judged.forgets, judged.client.eq(home), behind(judged.operation)).all());
  implies(
    "what is remembered stays so, or counts as forgotten",
    [spent],
    orTree(stands).or(behind(forgotten)).or(writes),
  );
  implies("its client stays where it was found, at the verdict", [spent, mine2], o.known.and(o.client.eq(home)));
  implies(
    "its client stays where it was found, when looked up",
    [spent, mine1],
    o.found.valid.and(o.found.index.eq(home)),
  );
  implies(
    "who follows his own client is known as it is",
    [mine1, mine2, o.known],
    o.found.valid.and(o.found.index.eq(o.client)),
  );
  implies("who asks again sees it", [spent, again], o.hit.or(behind(o.mark)).or(o.left).or(o.leavesIt));

  // The stages have read the memories as they are, or from before the insertion just ahead.
  const here = name("here", at.valid.and(at.row.eq(row)));
  stands.forEach((s, i) => {
    implies(
      `way ${i} was read as it is, or is the one just written`,
      [spent, here, s],
      isIt(o.row[i] as Entry).or(cat(o.ahead.inserted, o.ahead.sameSet, o.ahead.way.eq(i)).all()),
    );
  });
  const sees = name("sees", at.valid.and(o.client.eq(home)));
  implies(
    "a mark that was read is not newer than the mark",
    [spent, sees],
    inUse(o.mark).and(isAfter(o.mark, forgotten).not()),
  );

  // Numbers.
  implies("marks are numbers in use: of the client", [spent], inUse(forgotten));
  implies(
    "marks are numbers in use: at the verdict",
    [asks2, o.known],
    inUse(o.mark).and(inUse(o.forgottenAt(o.client))),
  );
  implies("marks are numbers in use: when looked up", [asks1, o.found.valid], inUse(o.forgottenAt(o.found.index)));
  implies("marks are numbers in use: written down", [judged.forgets], inUse(judged.operation));
  implies("requests have numbers in use: when looked up", [asks1], o.asking.operation.lt(o.numbers));
  implies("requests have numbers in use: at the verdict", [asks2], o.request.operation.lt(o.numbers));
  for (let r = 0; r < o.sets; r++) {
    for (const e of o.entriesAt(constant(r, Math.log2(o.sets))))
      implies("entries have numbers in use", [o.clearing.not(), e.valid], e.operation.lt(o.numbers));
  }
  for (const e of o.row)
    implies("entries that were read have numbers in use", [asks2, e.valid], e.operation.lt(o.numbers));
  implies(
    "nothing tracked is looked up while the memories are cleared",
    [o.clearing],
    asks1.or(asks2).or(spent).or(judged.forgets).not(),
  );
}
