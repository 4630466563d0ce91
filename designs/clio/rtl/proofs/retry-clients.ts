/**
 * The retry buffer's clients: who is known where, whatever the times. What the surroundings promise stands as
 * assertions in the unit, and is checked in every run of the retry buffer; here it is assumed. Who may be forgotten is
 * the subject of retry-clients-times.ts.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  cat,
  constant,
  cover,
  decode,
  input,
  instance,
  module,
  mux,
  node,
  output,
  type Proof,
  reg,
  struct,
  uint,
  type UInt,
  type Val,
  when,
} from "../../../../hdl-dsl/index.ts";
import { RetryClients } from "../retry/retry-clients.ts";

export const PLACES = 2,
  KEY = 2,
  /** A quarter of TIMEOUT is a cycle: the times move as fast as they can. */
  clientSizes = { clients: PLACES, clientBits: KEY, timeoutCycles: 4, stampBits: 5 };
const Place = struct({ valid: bit, index: uint(1) });
export const clientPorts = {
  touch: input(Place),
  retire: input(bit),
  freed: input(bit),
  found: output(Place),
  idle: output(Place),
};

interface Given {
  readonly look: Bit;
  readonly add: { readonly valid: Bit };
  readonly touch: Val<typeof Place>;
  readonly retire: Bit;
}
interface Offered {
  readonly place: { readonly valid: Bit };
  readonly idle: { readonly valid: Bit; readonly index: UInt };
}

/** What the unit asserts of its surroundings. */
export function surroundings({ look, add, touch, retire }: Given, { place, idle }: Offered): void {
  assumeAlways(add.valid.not().or(place.valid), "a client enters where there is a place");
  assumeAlways(add.valid.and(touch.valid).not(), "who enters is heard of by that");
  assumeAlways(look.and(add.valid).not(), "nobody is looked up while one enters");
  assumeAlways(retire.not().or(idle.valid), "an idle client is forgotten, one at a time");
  assumeAlways(
    cat(retire, touch.valid, touch.index.eq(idle.index)).all().not(),
    "nobody is forgotten while he is heard of",
  );
}

const keysHarness = module(
  "RetryClientsKeysProof",
  () => ({
    ...clientPorts,
    key: input(uint(KEY)),
    look: input(bit),
    asks: input(bit),
    add: input(struct({ valid: bit, key: uint(KEY), same: bit })),
    strike: input(Place),
  }),
  io => {
    const dut = instance("dut", RetryClients(clientSizes));
    for (const name of ["key", "look", "asks", "add", "touch", "retire", "freed", "strike"] as const)
      (dut[name] as { set(v: unknown): void }).set(io[name]);
    io.found.set(dut.found);
    io.idle.set(dut.idle);
    surroundings(io, dut);

    // Any one key, the first that stands at the port; where it is known.
    const chosen = reg(bit, { init: 0, name: "model_chosen" }),
      mine = reg(uint(KEY), { init: 0, name: "model_mine" }),
      known = reg(bit, { init: 0, name: "model_known" }),
      at = reg(uint(1), { init: 0, name: "model_at" });
    chosen.set(1);
    when(chosen.not(), () => mine.set(io.key));
    const enters = node(io.add.valid.and(io.add.key.eq(mine)), { name: "model_enters" }),
      struck = node(cat(dut.struck, known, io.strike.index.eq(at)).all(), { name: "model_struck" }),
      leaves = node(cat(io.retire, known, dut.idle.index.eq(at)).all().or(struck), { name: "model_leaves" });
    const striking = reg(uint(1), { init: 0, name: "model_striking" });
    striking.set(io.strike.index);
    assumeAlways(io.strike.valid.not().or(striking.eq(io.strike.index)), "who is to go stands there for a cycle");
    assumeAlways(chosen.or(io.add.valid.not()), "nobody enters in the first cycle");
    // Who is known, by key; and the keys by place.
    const all = reg(uint(2 ** KEY), { init: 0, name: "model_all" }),
      first = reg(uint(KEY), { init: 0, name: "model_of_0" }),
      second = reg(uint(KEY), { init: 0, name: "model_of_1" });
    const entering = node(mux(io.add.valid, decode(io.add.key, 2 ** KEY), constant(0, 2 ** KEY))),
      // Who was struck is not known when its place is given up.
      here = reg(uint(PLACES), { init: 0, name: "model_here" }),
      goes = node(mux(io.retire, dut.idle.index, io.strike.index), { name: "model_goes_from" }),
      gone = node(io.retire.or(dut.struck), { name: "model_gone" }),
      leaving = node(
        mux(gone.and(here.shr(goes).bit(0)), decode(mux(goes.is(1), second, first), 2 ** KEY), constant(0, 2 ** KEY)),
      );
    const none = constant(0, PLACES);
    here.set(
      here
        .and(mux(gone, decode(goes, PLACES), none).not())
        .or(mux(io.add.valid, decode(dut.place.index, PLACES), none)),
    );
    all.set(all.and(leaving.not()).or(entering));
    when(io.add.valid.and(dut.place.index.eq(0)), () => first.set(io.add.key));
    when(io.add.valid.and(dut.place.index.eq(1)), () => second.set(io.add.key));
    assumeAlways(all.and(entering).any().not(), "who is known does not enter again");
    when(enters, () => {
      known.set(1);
      at.set(dut.place.index);
    });
    when(leaves, () => known.set(0));
    // A place that was given up is swept before it is had again, and once.
    assumeAlways(io.freed.not().or(dut.sweeping), "what is given up is swept once");

    // What was looked up, and what is to be found of it.
    const Looked = struct({ valid: bit, mine: bit, known: bit });
    const looked = reg(Looked, { init: 0, name: "model_looked" });
    when(io.look, () =>
      looked.set({
        valid: io.asks,
        mine: io.key.eq(mine).and(chosen),
        known: io.asks.and(known).andNot(leaves),
      }),
    ).elseWhen(io.add.valid.and(io.add.same), () => looked.known.set(looked.known.or(enters)));
    assumeAlways(
      cat(io.add.valid, io.add.same)
        .all()
        .not()
        .or(looked.valid.and(looked.mine.eq(io.add.key.eq(mine)))),
      "the same key is the one that was looked up",
    );
    assumeAlways(
      cat(io.add.valid, io.add.same.not(), looked.valid, looked.mine, enters).all().not(),
      "who was looked up and enters is the same",
    );
    const shown = node(looked.valid.and(looked.mine), { name: "model_shown" });
    assertAlways(shown.not().or(dut.found.valid.eq(looked.known)), "a key is found when it is known");
    assertAlways(cat(shown, looked.known, known).all().not().or(dut.found.index.eq(at)), "a key is found where it is");
    assertAlways(
      looked.valid.andNot(looked.mine).and(dut.found.valid).and(known).and(dut.found.index.eq(at)).not(),
      "at its place nobody else is found",
    );
    assertAlways(
      cat(dut.place.valid, known, dut.place.index.eq(at)).all().not(),
      "its place is given to nobody while it is known",
    );
    assertAlways(
      cat(shown, looked.known, dut.idle.valid, known, dut.idle.index.eq(at)).all().not(),
      "who is found is not offered to be forgotten",
    );
    assertAlways(cat(shown, looked.known, struck).all().not(), "who is found is not struck");
    // Places that were had, whoever is known there.
    const had = reg(uint(PLACES), { init: 0, name: "model_had" });
    had.set(
      had
        .and(mux(io.retire, decode(dut.idle.index, PLACES), none).not())
        .or(mux(io.add.valid, decode(dut.place.index, PLACES), none)),
    );
    assertAlways(dut.idle.valid.not().or(had.shr(dut.idle.index).bit(0)), "who is offered has a place");
    assertAlways(dut.found.valid.not().or(had.shr(dut.found.index).bit(0)), "who is found has a place");
    cover(leaves, "it is forgotten");
    cover(struck, "it is struck");
    cover(cat(enters, dut.place.index).all(), "it enters at the second place");
    cover(cat(shown, looked.known, dut.found.valid).all(), "it is found");
  },
);

export const retryClientsProof: Proof = {
  module: `RetryClients, ${PLACES} places, keys of ${KEY} bits`,
  harness: keysHarness(),
  reach: 40,
  faults: [
    {
      what: "a client is found in the cycle in which it is forgotten",
      from: /matching & ~forgotten/,
      to: "matching",
    },
    { what: "who was looked up is forgotten all the same", from: /(?<=~\(\(\|\()matches_ & idle_place/, to: "2'd0" },
    { what: "who was looked up is struck all the same", from: /(?<=~\(\(\|\()matches_ & struck_place/, to: "2'd0" },
    {
      what: "two become unknown at once, and the second stays known",
      from: / & ~retire;/,
      to: ";",
    },
    { what: "a place is had before it is swept", from: /vacant_valid & vacant_swept/, to: "vacant_valid" },
    { what: "who enters in the place of another is known by the other's key", from: /entering\[1\]/, to: "1'b0" },
  ],
};
