/**
 * Any clients: in the place of RetryClients where the verdict is proved (retry-verdict.ts). It has places, vacancies
 * and one key as RetryClients has them, and leaves open all that is told by other keys and by times. Its assumptions
 * are the claims of the proof of RetryClients (retry-clients.ts); its assertions are what that proof assumes.
 */
import {
  assertAlways,
  assumeAlways,
  bit,
  type Bit,
  cat,
  input,
  module,
  mux,
  node,
  reg,
  struct,
  uint,
  type UInt,
  when,
} from "../../../../hdl-dsl/index.ts";
import { RetryClients, type RetryClientsParameters } from "../retry/retry-clients.ts";

const placeOf = (p: RetryClientsParameters) => struct({ valid: bit, index: uint(Math.log2(p.clients)) });
/** What another key's look-up finds, and who is idle or struck: anything that is allowed. */
export const anyClient = (p: RetryClientsParameters) =>
  struct({ found: placeOf(p), idle: placeOf(p), struck: bit, remaining: uint(4) });

export const AnyClients = module(
  "AnyClients",
  (p: RetryClientsParameters) => ({ ...RetryClients(p).ports, any: input(anyClient(p)) }),
  (io, p) => {
    const index = uint(Math.log2(p.clients)),
      Place = placeOf(p);
    // Places and vacancies: as they are.
    const used = reg(uint(index.width + 1), { init: 0 }),
      vacant = reg(struct({ valid: bit, swept: bit, index }), { init: 0 }),
      allUsed = node(used.bit(index.width));
    const place = node(mux(allUsed, vacant.index, used.trunc(index.width)));
    io.place.set({ valid: allUsed.not().or(vacant.valid.and(vacant.swept)), index: place });
    when(io.add.valid, () => when(allUsed, () => vacant.valid.set(0)).otherwise(() => used.set(used.add(1))));
    when(io.freed, () => vacant.swept.set(1));
    when(io.retire, () => vacant.set({ valid: 1, swept: 0, index: io.idle.index }));
    io.sweeping.set(vacant.valid.andNot(vacant.swept));
    io.remaining.set(io.any.remaining);
    const had = (i: UInt): Bit =>
      allUsed.or(i.lt(used.trunc(index.width))).andNot(vacant.valid.and(vacant.index.eq(i)));

    // The key that stands at the port first: whether it is known, and where.
    const chosen = reg(bit, { init: 0 }),
      mine = reg(uint(p.clientBits)),
      known = reg(bit, { init: 0 }),
      at = reg(index);
    chosen.set(1);
    when(chosen.not(), () => mine.set(io.key));
    // What was looked up: the key, or another one.
    const looked = reg(struct({ valid: bit, mine: bit, known: bit }), { init: 0 }),
      other = reg(Place, { init: 0 });
    const found = node(mux(looked.mine, cat(at, looked.known), cat(other.index, other.valid)));
    const finds = node(looked.valid.and(found.bit(0))),
      foundAt = node(found.bits(1, index.width).is(index.width));
    io.found.set({ valid: finds, index: foundAt });

    io.idle.set({ valid: io.any.idle.valid.andNot(vacant.valid), index: io.any.idle.index });
    const strikes = node(io.strike.valid.and(io.any.struck).andNot(io.retire));
    io.struck.set(strikes);
    const goes = node(mux(io.retire, io.idle.index, io.strike.index)),
      leaves = node(io.retire.or(strikes).and(goes.eq(at)));
    const enters = node(io.add.valid.and(io.add.key.eq(mine)));
    when(enters, () => {
      known.set(1);
      at.set(place);
    }).elseWhen(leaves, () => known.set(0));
    when(io.look, () => {
      looked.set({ valid: io.asks, mine: io.key.eq(mine).and(chosen), known: known.andNot(leaves) });
      other.set(io.any.found);
    }).elseWhen(io.add.valid.and(io.add.same), () => {
      looked.known.set(looked.known.or(enters));
      other.set({ valid: 1, index: place });
    });

    // Claims of the proof of RetryClients.
    assumeAlways(
      cat(looked.valid, looked.mine.not(), other.valid, known, other.index.eq(at)).all().not(),
      "at a client's place nobody else is found",
    );
    assumeAlways(
      cat(io.place.valid, finds, foundAt.eq(place)).all().not(),
      "the place of who is found is given to nobody",
    );
    assumeAlways(cat(io.place.valid, known, at.eq(place)).all().not(), "a client's place is given to nobody");
    assumeAlways(cat(io.idle.valid, finds, foundAt.eq(io.idle.index)).all().not(), "who is found is not offered");
    assumeAlways(cat(strikes, finds, foundAt.eq(io.strike.index)).all().not(), "who is found is not struck");
    assumeAlways(io.idle.valid.not().or(had(io.idle.index)), "who is offered has a place");
    assumeAlways(finds.not().or(had(foundAt)), "who is found has a place");
    // What that proof assumes.
    assertAlways(chosen.or(io.add.valid.not()), "nobody enters in the first cycle");
    assertAlways(io.add.valid.not().or(io.place.valid), "a client enters where there is a place");
    assertAlways(io.add.valid.and(io.touch.valid).not(), "who enters is heard of by that");
    assertAlways(io.look.and(io.add.valid).not(), "nobody is looked up while one enters");
    assertAlways(io.retire.not().or(io.idle.valid), "an idle client is forgotten, one at a time");
    assertAlways(
      cat(io.retire, io.touch.valid, io.touch.index.eq(io.idle.index)).all().not(),
      "nobody is forgotten while he is heard of",
    );
    assertAlways(enters.and(known).not(), "who is known does not enter again");
    assertAlways(io.freed.not().or(io.sweeping), "what is given up is swept once");
    assertAlways(
      cat(io.add.valid, io.add.same)
        .all()
        .not()
        .or(looked.valid.and(looked.mine.eq(enters))),
      "the same key is the one that was looked up",
    );
    assertAlways(
      cat(io.add.valid, io.add.same.not(), looked.valid, looked.mine, enters).all().not(),
      "who was looked up and enters is the same",
    );
    const striking = reg(index, { init: 0 });
    striking.set(io.strike.index);
    assertAlways(io.strike.valid.not().or(striking.eq(io.strike.index)), "who is to go stands there for a cycle");
  },
);
