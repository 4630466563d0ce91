import {
  assertAlways,
  bit,
  bitsFor,
  cat,
  connect,
  constant,
  decode,
  fifo,
  fromBits,
  fsm,
  inout,
  module,
  mux,
  output,
  reg,
  scope,
  sink,
  source,
  stream,
  uint,
  type UInt,
  vec,
  when,
} from "mnemosyne";
import { bankBits, banks, Command, requestOf, type SdramParameters } from "./timing.ts";

/** Answers of reads that may be outstanding or wait to be taken. */
const answersHeld = 8;
/** Address line 10 of PRECHARGE: all banks. */
const allBanks = 1 << 10;

/** A counter down to 0 for each of some things that must wait. */
function countdown(most: number) {
  const left = reg(uint(bitsFor(most)), { init: 0 });
  when(left.any(), () => left.set(left.sub(1)));
  return { over: left.eq(0), left, start: (cycles: number) => left.set(cycles) };
}

/**
 * A controller of one SDR SDRAM: words of 32 bits, requests in order, answers of reads in order. Rows stay open. After
 * reset it brings the chip up. A read is answered `cas` + 3 cycles after it was taken. One of an open row is taken
 * every second cycle; another row of the bank costs rp + rcd cycles more. A write has no answer: it is done in its
 * turn. Refreshes come on their own, between requests, `refresh` cycles apart on average; none is late by more than
 * one request. Reads wait while `answersHeld` answers are outstanding. All pins leave registers.
 */
export const Sdram = module(
  "Sdram",
  (p: SdramParameters) => ({
    request: sink(requestOf(p)),
    answer: source(uint(32)),
    command: output(Command),
    bank: output(uint(bankBits)),
    address: output(uint(p.rowBits)),
    /** The two bytes that a write leaves alone. */
    mask: output(uint(2)),
    dq: inout(uint(16)),
  }),
  (io, p) => {
    for (const name of ["rcd", "rp", "rfc"] as const)
      if (p.times[name] < 2) throw new RangeError(`${name} = ${p.times[name]}: use 2 cycles or more`);
    const t = p.times,
      row = io.request.payload.word.bits(p.columnBits - 1 + bankBits, p.rowBits),
      bank = io.request.payload.word.bits(p.columnBits - 1, bankBits).is(bankBits),
      column = cat(io.request.payload.word.trunc(p.columnBits - 1), constant(0, 1)).resize(p.rowBits);
    const pins = {
      command: reg(Command, { init: "nop" }),
      bank: reg(uint(bankBits)),
      address: reg(uint(p.rowBits)),
      mask: reg(uint(2), { init: 0 }),
      out: reg(uint(16)),
      enable: reg(bit, { init: 0 }),
    };
    const rows = reg(vec(uint(p.rowBits), banks)),
      isOpen = reg(uint(banks), { init: 0 }),
      second = reg(uint(18)),
      refreshes = reg(uint(2), { init: 0 });

    // What must wait: a bank's PRECHARGE, a WRITE for the data of reads, answers for room.
    const closing = Array.from({ length: banks }, (_, n) =>
      scope(`bank${n}`, () => countdown(Math.max(t.ras, t.wr + 2))),
    );
    const mayClose = fromBits(closing.map(c => c.over)),
      turn = scope("turn", () => countdown(t.cas + 3)),
      held = reg(uint(bitsFor(answersHeld)), { init: 0 });
    const age = reg(uint(bitsFor(t.refresh)), { init: 0 }),
      due = reg(bit, { init: 0 });
    const chosen = decode(bank, banks),
      openHere = isOpen.and(chosen).any(),
      hit = openHere.and(rows.at(bank).eq(row)),
      room = held.ne(answersHeld);
    const isWrite = io.request.payload.write,
      mayAccess = mux(isWrite, turn.over, room);

    /** A bank may not be precharged for so many cycles more, if it was not to wait for longer. */
    const holdFor = (cycles: number): void => {
      for (const [n, c] of closing.entries()) when(chosen.bit(n).and(c.left.le(cycles)), () => c.start(cycles));
    };
    const issue = (
      command: Parameters<typeof pins.command.set>[0],
      address: UInt | number = 0,
      of: UInt<2> | 0 = bank,
    ): void => {
      pins.command.set(command);
      pins.bank.set(of);
      pins.address.set(address);
    };
    const readIssued = reg(bit, { init: 0 });

    pins.command.set("nop");
    pins.enable.set(0);
    pins.mask.set(0);
    readIssued.set(0);
    age.set(age.add(1));
    when(age.eq(t.refresh - 1), () => {
      age.set(0);
      due.set(1);
    });

    const step = fsm(
      [
        ...([
          "PowerUp",
          "FirstPrecharge",
          "FirstPrecharged",
          "FirstRefresh",
          "FirstRefreshed",
          "Mode",
          "ModeSet",
        ] as const),
        ...(["Idle", "Activated", "Precharged", "AfterRead", "Second", "Close", "Closed", "Refreshed"] as const),
      ],
      "PowerUp",
      s => ({
        PowerUp: () => s.after(t.powerUp, "FirstPrecharge"),
        FirstPrecharge: () => {
          issue("precharge", allBanks);
          s.go("FirstPrecharged");
        },
        FirstPrecharged: () => s.after(t.rp, "FirstRefresh"),
        FirstRefresh: () => {
          issue("refresh");
          refreshes.set(refreshes.add(1));
          s.go("FirstRefreshed");
        },
        FirstRefreshed: () => {
          when(s.stayed(t.rfc), () => {
            s.go("FirstRefresh");
            when(refreshes.eq(2), () => s.go("Mode"));
          });
        },
        Mode: () => {
          // Bursts of two, one after the other, and the latency of READ.
          issue("mode", (t.cas << 4) | 1, 0);
          s.go("ModeSet");
        },
        ModeSet: () => s.after(t.mrd, "Idle"),
        Idle: () => {
          when(due, () => s.go("Close")).elseWhen(io.request.valid, () => {
            when(hit, () => {
              when(mayAccess, () => {
                when(isWrite, () => {
                  issue("write", column);
                  pins.enable.set(1);
                  pins.out.set(io.request.payload.data.bits(0, 16));
                  pins.mask.set(io.request.payload.strobe.bits(0, 2).not());
                  second.set(cat(io.request.payload.strobe.bits(2, 2).not(), io.request.payload.data.bits(16, 16)));
                  holdFor(t.wr + 2);
                  s.go("Second");
                }).otherwise(() => {
                  issue("read", column);
                  readIssued.set(1);
                  turn.start(t.cas + 3);
                  holdFor(2);
                  s.go("AfterRead");
                });
              });
            })
              .elseWhen(openHere, () => {
                when(mayClose.and(chosen).any(), () => {
                  issue("precharge");
                  isOpen.set(isOpen.andNot(chosen));
                  s.go("Precharged");
                });
              })
              .otherwise(() => {
                issue("active", row);
                isOpen.set(isOpen.or(chosen));
                rows.setAt(bank, row);
                holdFor(t.ras);
                s.go("Activated");
              });
          });
        },
        Activated: () => s.after(t.rcd - 1, "Idle"),
        Precharged: () => s.after(t.rp - 1, "Idle"),
        AfterRead: () => s.go("Idle"),
        Second: () => {
          pins.enable.set(1);
          pins.out.set(second.trunc(16));
          pins.mask.set(second.bits(16, 2));
          s.go("Idle");
        },
        Close: () => {
          when(mayClose.all(), () => {
            issue("precharge", allBanks);
            isOpen.set(0);
            s.go("Closed");
          });
        },
        Closed: () => {
          when(s.stayed(t.rp), () => {
            issue("refresh");
            due.set(0);
            s.go("Refreshed");
          });
        },
        Refreshed: () => s.after(t.rfc - 1, "Idle"),
      }),
    );
    const serves = step.is("Idle").andNot(due).and(hit).and(mayAccess);
    io.request.ready.set(serves);

    // Data come `cas` cycles after the chip has seen READ, which is a cycle after it was put into the pins' register.
    const coming = reg(uint(t.cas + 1), { init: 0 }),
      low = reg(uint(16)),
      came = stream(uint(32));
    coming.set(cat(coming.trunc(t.cas), readIssued));
    low.set(io.dq.in);
    came.valid.set(coming.bit(t.cas));
    came.payload.set(cat(io.dq.in, low));
    assertAlways(came.valid.not().or(came.ready), "an answer has room");
    connect(fifo(came, answersHeld), io.answer);
    held.set(held.add(io.request.fire.andNot(isWrite).zext(held.width)).sub(io.answer.fire.zext(held.width)));

    io.command.set(pins.command);
    io.bank.set(pins.bank);
    io.address.set(pins.address);
    io.mask.set(pins.mask);
    io.dq.out.set(pins.out);
    io.dq.enable.set(pins.enable);
  },
);
