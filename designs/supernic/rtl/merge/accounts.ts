import {
  addressBits,
  assertAlways,
  bit,
  type Bit,
  bitsFor,
  cat,
  constant,
  fromBits,
  input,
  type Inside,
  module,
  mux,
  node,
  output,
  priority,
  ram,
  reg,
  struct,
  uint,
  type UInt,
  unpack,
  type Val,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import {
  EntryWrite,
  inlets,
  lengthBits,
  ownEntry,
  payloadCellBits,
  payloadCells,
  Released,
  userClasses,
} from "../inside/index.ts";
import type { MergeParameters } from "./ports.ts";
import { atLeast, blindTakes } from "./records.ts";
import { giving, isPositive, tokensLeft } from "./tokens.ts";
import { twoWriters } from "./two-writers.ts";

/** Parts of an epoch, in each of which a user gets as much. Tokens are counted in such parts of a byte. */
const partBits = 6;
/** Bytes that a user was given and has used up, as numbers that wrap: far more than one share apart they never are. */
const tokenBits = 26;

/** A frame that has been taken. */
export const Took = (p: MergeParameters) =>
  struct({ valid: bit, user: uint(addressBits(p.users)), bytes: uint(lengthBits), cells: uint(payloadCellBits(p)) });
/** What a user may take now. */
export const Allowed = (p: MergeParameters) =>
  struct({
    /** Enough for several of the longest frames of all inlets. */
    plenty: bit,
    /** Enough for one frame, as far as it has no more cells than `cells` says. */
    one: bit,
    cells: uint(payloadCellBits(p)),
  });
/** Heads of users: of all inlets, the loop port's last. */
export const userHeads = (p: MergeParameters): number => inlets(p) * userClasses;

/** Cycles, beside two turns of all users, until takes follow what software has written. */
const seenLate = 8;

const countBits = (most: number): number => Math.ceil(Math.log2(most + 1)) + 1;

/** The lists of a user's account as they are at a place, and what follows from them a cycle later. */
const Account = (p: MergeParameters) =>
  struct({
    valid: bit,
    user: uint(addressBits(p.users)),
    limited: bit,
    given: uint(tokenBits + partBits),
    bytes: uint(tokenBits),
    contexts: uint(countBits(p.contexts)),
    contextLimit: uint(countBits(p.contexts)),
    cells: uint(countBits(p.cells)),
    cellLimit: uint(countBits(p.cells)),
  });

/** What is left of a limit, as numbers that wrap: at most `most`, and 0 when it is passed. */
function leftOf(left: UInt, most: number, bits: number): UInt {
  const over = left.bit(left.width - 1);
  const many = left.gt(most);
  return priority([over, constant(0, bits)], [many, constant(most, bits)], left.resize(bits));
}

/** More than there is means all that there is. */
const atMost = (value: UInt, most: number, bits: number): UInt =>
  most >= 2 ** value.width - 1 ? value.resize(bits) : mux(value.gt(most), constant(most, bits), value.resize(bits));

/** What an account allows. */
function allowanceOf(name: string, p: MergeParameters, a: Val<ReturnType<typeof Account>>) {
  const longest = payloadCells(p),
    cellBits = payloadCellBits(p);
  const tokens = node(tokensLeft(a.given, a.bytes, partBits), { name: `${name}_tokens` }),
    contexts = node(a.contextLimit.sub(a.contexts), { name: `${name}_contexts_left` }),
    cells = node(a.cellLimit.sub(a.cells), { name: `${name}_cells_left` });
  const positive = tokens.bit(tokenBits - 1).not(),
    enoughBits = Math.ceil(Math.log2(blindTakes * p.frameBytes)),
    someTokens = node(a.limited.not().or(isPositive(tokens)), { name: `${name}_has_tokens` }),
    manyTokens = a.limited.not().or(positive.and(tokens.shr(enoughBits).any()));
  // Arrivals leave a context and the cells of one frame to second passes: else these could wait for each other.
  const behind = node(cells.sub(longest), { name: `${name}_cells_behind` });
  return {
    plenty: manyTokens.and(atLeast(contexts, blindTakes + 1)).and(atLeast(cells, (blindTakes + 1) * longest)),
    arrival: node(someTokens.and(atLeast(contexts, 2)), { name: `${name}_arrival` }),
    arrivalCells: leftOf(behind, longest, cellBits),
    loop: someTokens.and(atLeast(contexts, 1)),
    loopCells: leftOf(cells, longest, cellBits),
    dry: someTokens.not(),
  };
}

type Allowances = ReturnType<typeof allowanceOf>;

const accountsPorts = (p: MergeParameters) => ({
  took: input(Took(p)),
  released: input(Released(p)),
  part: input(bit),
  users: input(EntryWrite("user")),
  /** By head, whose it is, and in the same cycle what that one may take. */
  whose: input(vec(uint(addressBits(p.users)), userHeads(p))),
  allowed: output(vec(Allowed(p), userHeads(p))),
  /** Nobody may take anything, whatever `allowed` says. */
  closed: output(bit),
  /** Users whose tokens are used up. */
  dry: output(uint(p.users)),
});
type AccountsIo = Inside<ReturnType<typeof accountsPorts>>;

/** What each user has used, what has come back, which tokens it was given, and its limits. */
function listsOf(p: MergeParameters, users: AccountsIo["users"]) {
  const index = uint(addressBits(p.users)),
    contextBits = countBits(p.contexts),
    cellBits = countBits(p.cells);
  const list = <const S extends Parameters<typeof ram>[0]>(shape: S, name: string) =>
    // Words for every index: that of a packet is anything until there is one.
    ram(shape, { depth: 2 ** index.width, collision: "old", style: "distributed", name, init: [0] });
  // Each list has one who writes.
  const used = list(struct({ bytes: uint(tokenBits), contexts: uint(contextBits), cells: uint(cellBits) }), "used"),
    back = list(struct({ contexts: uint(contextBits), cells: uint(cellBits) }), "back"),
    given = list(uint(tokenBits + partBits), "given"),
    limits = list(
      struct({ limited: bit, bytes: uint(24), contexts: uint(contextBits), cells: uint(cellBits) }),
      "limits",
    );
  limits.write(ownEntry(users, p.users), users.index.resize(index.width), {
    limited: users.value.limited.bit(0),
    bytes: users.value.bytes.resize(24),
    contexts: atMost(users.value.contexts, p.contexts, contextBits),
    cells: atMost(users.value.cells, p.cells, cellBits),
  });
  return { used, back, given, limits };
}

/** The account of who takes, and of whose turn it is, with what each may take. */
interface Shown {
  readonly spent: Val<ReturnType<typeof Account>>;
  readonly seen: Val<ReturnType<typeof Account>>;
  readonly bySpent: Allowances;
  readonly bySeen: Allowances;
}

/** What a take shows, and what a turn, are written side by side; each kind of heads reads its own. */
function showAllowances(
  io: AccountsIo,
  p: MergeParameters,
  { spent, seen, bySpent, bySeen }: Shown,
  clear: { readonly en: Bit; readonly at: UInt },
): void {
  const depth = 2 ** addressBits(p.users);
  const looks = [
    { name: "arrivals", of: (a: Allowances): UInt => cat(a.arrivalCells, a.arrival, a.plenty) },
    { name: "loops", of: (a: Allowances): UInt => cat(a.loopCells, a.loop, a.plenty) },
  ].map(({ name, of }) =>
    twoWriters(name, depth, {
      first: { en: spent.valid, at: spent.user, value: of(bySpent) },
      second: { en: seen.valid, at: seen.user, value: of(bySeen) },
      clear,
    }),
  );
  for (let i = 0; i < userHeads(p); i++) {
    const look = looks[i < p.ports * userClasses ? 0 : 1] as (typeof looks)[number];
    io.allowed.at(i).set(unpack(Allowed(p), look(io.whose.at(i)).is(2 + payloadCellBits(p))));
  }
}

/**
 * What each user has used of its tokens, contexts and cells, and what it may take (paper §5.5; docs/supernic/merge.md).
 * A frame that is taken shows in the allowance 2 cycles later; what is released, and what software writes, when the
 * turn of the user comes: within as many cycles as there are users, and 4. Initiation interval 1 for each. Nothing
 * waits. Tokens rise by a 64th of a share with each `part`, to one share at most; users without a limit use none.
 * Reset: all accounts are empty, and nobody may take for as many cycles as there are users. The table stays.
 */
export const Accounts = module(
  "Accounts",
  accountsPorts,
  (io, p) => {
    const { users } = io,
      index = uint(addressBits(p.users)),
      contextBits = countBits(p.contexts),
      cellBits = countBits(p.cells);
    const { used, back, given, limits } = listsOf(p, io.users);

    const clearing = reg(bit, { init: 1, name: "clearing" }),
      scanned = reg(index, { init: 0, name: "scanned" }),
      isLast = node(scanned.eq(p.users - 1), { name: "scanned_all" });
    scanned.set(mux(isLast, constant(0, index.width), scanned.add(1)));
    when(isLast, () => clearing.set(0));

    const accountOf = (user: UInt) => ({
      used: used.readAsync(user),
      back: back.readAsync(user),
      given: given.readAsync(user),
      limit: limits.readAsync(user),
    });
    type Lists = ReturnType<typeof accountOf>;
    const account = (lists: Lists, user: UInt, valid: Bit, now: { bytes: UInt; contexts: UInt; cells: UInt }) => ({
      valid,
      user,
      limited: lists.limit.limited,
      given: lists.given,
      ...now,
      contextLimit: lists.back.contexts.add(lists.limit.contexts),
      cellLimit: lists.back.cells.add(lists.limit.cells),
    });

    // A frame that is taken.
    const { took } = io,
      tookLists = accountOf(took.user);
    const bytes = node(mux(tookLists.limit.limited, took.bytes, constant(0, lengthBits)), { name: "counted_bytes" });
    const after = {
      bytes: node(tookLists.used.bytes.add(bytes.zext(tokenBits)), { name: "used_bytes" }),
      contexts: node(tookLists.used.contexts.add(1), { name: "used_contexts" }),
      cells: node(tookLists.used.cells.add(took.cells.zext(cellBits)), { name: "used_cells" }),
    };
    // Who takes has tokens: so he is never a whole frame beyond them. An entry counts from the part behind it on, which
    // may take away what is saved, when all have seen that.
    const tokensBefore = node(tokensLeft(tookLists.given, tookLists.used.bytes, partBits), { name: "tokens_before" }),
      allSeen = 2 * p.users + seenLate,
      isNew = reg(bit, { init: 0, name: "entry_is_new" }),
      settled = reg(uint(bitsFor(allSeen)), { init: 0, name: "entries_settled" });
    when(users.en, () => isNew.set(1)).elseWhen(io.part, () => isNew.set(0));
    when(users.en.or(clearing).or(isNew), () => settled.set(0)).elseWhen(settled.ne(allSeen), () =>
      settled.set(settled.add(1)),
    );
    assertAlways(
      took.valid.and(tookLists.limit.limited).and(settled.eq(allSeen)).not().or(isPositive(tokensBefore)),
      "who takes a frame has tokens",
    );
    const zero = { bytes: constant(0, tokenBits), contexts: constant(0, contextBits), cells: constant(0, cellBits) };
    used.write(took.valid.or(clearing), mux(clearing, scanned, took.user), {
      bytes: mux(clearing, zero.bytes, after.bytes),
      contexts: mux(clearing, zero.contexts, after.contexts),
      cells: mux(clearing, zero.cells, after.cells),
    });
    const spent = reg(Account(p), { init: { valid: 0 }, name: "spent" });
    spent.set(account(tookLists, took.user, took.valid, after));

    // A packet that is out again.
    const released = reg(Released(p), { init: { valid: 0 }, name: "released_q" });
    released.set(io.released);
    const releasedUser = released.user.resize(index.width),
      before = back.readAsync(releasedUser);
    back.write(released.valid.or(clearing), mux(clearing, scanned, releasedUser), {
      contexts: mux(clearing, zero.contexts, before.contexts.add(1)),
      cells: mux(clearing, zero.cells, before.cells.add(released.cells.zext(cellBits))),
    });

    // Everybody's turn: what has come back, what software has changed, and tokens.
    const seenLists = accountOf(scanned),
      seen = reg(Account(p), { init: { valid: 0 }, name: "seen" }),
      seenShare = reg(uint(24), { name: "seen_share" }),
      seenDue = reg(bit, { init: 0, name: "seen_due" });
    const due = reg(uint(p.users), { init: 0, name: "due" });
    const now = fromBits(Array.from({ length: p.users }, (_, i) => scanned.eq(i)));
    due.set(mux(io.part, constant((1n << BigInt(p.users)) - 1n, p.users), due.andNot(now)));
    seen.set(account(seenLists, scanned, clearing.not(), seenLists.used));
    seenShare.set(seenLists.limit.bytes);
    seenDue.set(due.and(now).any().andNot(clearing));
    const getter = reg(index, { name: "getter" });
    getter.set(seen.user);
    const part = giving({ valid: seenDue, given: seen.given, used: seen.bytes, share: seenShare }, partBits);
    given.write(
      part.gets.or(clearing),
      mux(clearing, scanned, getter),
      mux(clearing, constant(0, tokenBits + partBits), part.value),
    );

    const bySpent = allowanceOf("spent", p, spent),
      bySeen = allowanceOf("seen", p, seen);
    const dry = Array.from({ length: p.users }, (_, i) => {
      const is = reg(bit, { init: 0, name: `dry_${i}` });
      when(spent.valid.and(spent.user.eq(i)), () => is.set(bySpent.dry)).elseWhen(seen.valid.and(seen.user.eq(i)), () =>
        is.set(bySeen.dry),
      );
      return is;
    });
    io.dry.set(fromBits(dry).is(p.users));
    io.closed.set(clearing);

    showAllowances(io, p, { spent, seen, bySpent, bySeen }, { en: clearing, at: scanned });
  },
  { nameOf: p => `Accounts_u${p.users}_c${p.contexts}_k${p.cells}_f${p.frameBytes}` },
);
