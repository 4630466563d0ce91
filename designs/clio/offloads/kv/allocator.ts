import {
  assertAlways,
  bit,
  type Bit,
  bitsFor,
  cat,
  constant,
  fsm,
  input,
  module,
  mux,
  node,
  output,
  priority,
  ram,
  reg,
  sink,
  source,
  struct,
  uint,
  type UInt,
  unpack,
  vec,
  when,
} from "../../../../hdl-dsl/index.ts";
import { allocBody, opcodeBits, statusBits, vmFlag } from "../../wire/index.ts";
import { directory, emptyDigit } from "./arenas.ts";
import { freeLine, mostPicks } from "./free-line.ts";
import { arenaShape, full } from "./free-map.ts";
import { addressOf, classBits, classOf } from "./layout.ts";
import { MemoryBeat } from "./merged.ts";
import {
  addressBits,
  blockBits,
  classCount,
  type KvParameters,
  sizeBits,
  slabUnits,
  unitBytes,
  unitShift,
} from "./parameters.ts";
import { MemoryEvent, purpose, tagOf } from "./replies.ts";

/**
 * Request for a block: of a class, for the request in `context`, for its pair or (`slot`) to lengthen a bucket's chain.
 * The request may also be for the hash table itself.
 */
export const Take = (p: KvParameters) =>
  struct({ table: bit, slot: bit, kind: uint(classBits), context: uint(Math.log2(p.contexts)) });
/** Result of the request: the block, or the reason why there is none. */
export const Taken = (p: KvParameters) =>
  struct({ slot: bit, context: uint(Math.log2(p.contexts)), status: uint(4), block: uint(blockBits) });
/** Blocks to be freed: that of a value of `size` bytes, and one of 64 bytes. */
export const Give = struct({
  value: bit,
  block: uint(blockBits),
  size: uint(sizeBits),
  slot: bit,
  slotBlock: uint(blockBits),
});

/** Bits of a unit's number in its slab. */
const unitBitsOfSlab = Math.log2(slabUnits);
/** Two to this are twice the cycles without a request after which free blocks go back to their arenas. */
const quietBits = 6;
/** Free blocks that are kept then: a quarter of those that are taken. */
const restShift = 2;
/** Free blocks of a class that are kept here. */
const kept = 16,
  keptBits = Math.log2(kept);

/**
 * The offload's own memory, in blocks of 64 B to 2 KB in powers of two (six classes), in arenas of `arenaBytes` by
 * ALLOC from the slow path. It is a buddy system: a free block is halved for smaller ones, and two free halves are one
 * again. So what was freed serves every class, whatever still stands beside it. Each arena says in its first units
 * which of its units are free (free-map.ts); a directory here has the largest free block of each arena (arenas.ts).
 *
 * Up to 16 free blocks of a class are kept here, the last freed first. A block comes from these, else from the lowest
 * place of the lowest arena that has one, with up to 7 more. Memory grows when no arena has one. When ALLOC is refused
 * with OUT_OF_MEMORY the next region is tried; then what is kept here goes back, and the arenas are looked at once
 * more. The refusal is the answer after that, and the next request tries again.
 *
 * Kept blocks are at most `2 * contexts` more than blocks that are taken, and a quarter of these when no request has
 * come for 32 cycles. Others go back to their arenas, of the largest class first. An arena of which nothing is taken
 * is freed (FREE) when there is another such one. So at rest, with n blocks taken, there are at most 1.25 n + 1
 * arenas.
 *
 * M is a round trip to memory. Latency from `take` to `taken`: 2 cycles from the kept ones. From an arena 3 M + 94 to
 * 5 M + 150 cycles and 2 for each 16 arenas that are passed over; ALLOC's time more for a new arena. One at a time;
 * `give` goes first. `give` takes 4 cycles for each block. A block that goes back to its arena takes 2 M + 40, or 4 M
 * + 80 when the largest free block of its group changes, and FREE's time when its arena goes. A request that comes
 * meanwhile waits for two of them at most, or for all that are kept when memory has run out. Full: `take` and `give`
 * wait. A block is lost when memory refuses the line that it is in. Reset: all state is lost, the directory is cleared
 * in a cycle for each 16 arenas; blocks and arenas that were allocated before are not given back. An arena at an
 * address of `arenasKnown` x `arenaBytes` or more is given back, and answered as OUT_OF_MEMORY.
 */
export const KvAllocator = module(
  "KvAllocator",
  (p: KvParameters) => ({
    take: sink(Take(p)),
    taken: source(Taken(p)),
    give: sink(Give),
    memory: source(MemoryBeat(p)),
    event: input(MemoryEvent),
    done: output(bit),
  }),
  (io, p) => {
    const index = uint(classBits),
      block = uint(blockBits),
      shape = arenaShape(p);
    const region = reg(uint(bitsFor(p.regions)), { init: 0 });
    /** Blocks that are taken; free ones that are kept here, of each class and in all. */
    const live = reg(uint(bitsFor(p.regions * 2 ** (30 - unitShift))), { init: 0 });
    const levels = reg(vec(uint(bitsFor(kept)), classCount), { init: Array.from({ length: classCount }, () => 0) });
    /** Whether there are some, class by class. */
    const filled = reg(vec(bit, classCount), { init: Array.from({ length: classCount }, () => 0) });
    const cached = reg(uint(bitsFor(kept * classCount)), { init: 0 });
    const stack = ram(block, { depth: 2 ** classBits * kept, collision: "undefined", style: "distributed" });

    // Work in progress: who asked and for what, the block that goes back, what became of the request.
    const kind = reg(index),
      asked = reg(Take(p)),
      home = reg(block),
      givingSlot = reg(bit, { init: 0 }),
      taking = reg(bit, { init: 0 });
    const answer = reg(struct({ status: uint(4), block }));
    const flushing = reg(bit, { init: 0 }),
      flushed = reg(bit, { init: 0 });
    const level = node(levels.at(kind)),
      some = node(filled.at(kind)),
      room = node(level.bit(keptBits).not());
    // The n-th block of a class lies at place n, so who takes one waits for no sum.
    const popped = node(stack.readAsync(cat(kind, level.trunc(keptBits))));

    // ---- Arenas, and the line that is at hand.
    const arenas = directory(p, shape, kind);
    const summary = reg(bit),
      survey = reg(bit),
      wanted = reg(uint(bitsFor(mostPicks)));
    const slab = node(home.bits(unitBitsOfSlab, shape.slabBits).sub(arenas.offset).trunc(shape.slabBits));
    // Where it lies is known long before its group is read.
    const givenWord = reg(uint(4));
    givenWord.set(slab.zext(11).trunc(4));
    const line = freeLine(shape, {
      summary,
      taking,
      kind,
      wanted,
      givenWord,
      givenUnit: home.trunc(unitBitsOfSlab),
    });
    const spare = reg(struct({ valid: bit, arena: uint(arenas.bits) }), { init: { valid: 0, arena: 0 } });
    const outside = reg(bit, { init: 0 });

    const mine = io.event.forAllocator;
    const failed: Bit = io.event.status.any();
    const granted = node(failed.or(io.event.refused).not());
    const anotherRegion = node(
      region.ne(p.regions - 1).and(failed.not().or(io.event.status.eq(statusBits.OUT_OF_MEMORY))),
    );
    io.done.set(mine);

    // A pushed block is on the stack one cycle later.
    const push = reg(bit, { init: 0 }),
      pushAt = reg(uint(classBits + keptBits)),
      pushed = reg(block);
    stack.write(push, pushAt, pushed);
    pushAt.set(cat(kind, level.add(1).trunc(keptBits)));
    push.set(0);
    // Each level counts by itself, so no sum waits for the class.
    const counts = (to: (n: UInt) => UInt, some: (n: UInt) => Bit): void => {
      for (let i = 0; i < classCount; i++)
        when(kind.eq(i), () => {
          levels.at(i).set(to(levels.at(i)));
          filled.at(i).set(some(levels.at(i)));
        });
      cached.set(to(cached));
    };
    const pushes = (b: UInt): void => {
      push.set(1);
      pushed.set(b);
      counts(
        n => n.add(1),
        () => constant(1, 1),
      );
    };
    const pops = (): void =>
      counts(
        n => n.sub(1),
        n => n.ne(1),
      );

    const { payload: give } = io.give;
    const slotNow = node(givingSlot.or(give.value.not())),
      lastPart = node(slotNow.or(give.slot.not()));
    const sent = node(io.memory.fire.and(io.memory.payload.last));
    const spareRoom = node(live.zext(live.width + 7).sub(cached.zext(live.width + 7)));
    const over = node(live.zext(live.width + 7).lt(cached.zext(live.width + 7)));
    const busyRoom = constant(2 * p.contexts, live.width + 7);
    const farOver = node(
      live
        .zext(live.width + 7)
        .add(busyRoom)
        .lt(cached.zext(live.width + 7)),
    );
    const quiet = reg(uint(quietBits), { init: 0 }),
      isQuiet = quiet.bit(quietBits - 1);
    const overAtRest = node(
      live
        .shr(restShift)
        .zext(live.width + 7)
        .lt(cached.zext(live.width + 7)),
    );
    const atRest = node(isQuiet.and(io.give.valid.or(io.take.valid).not()));
    const tooMany = node(priority([flushing, cached.any()], [atRest, overAtRest], farOver));
    const place = node(line.picks.at(mostPicks - 1));
    const slabOfPick = node(
      arenas.firstSlab.add(cat(line.group, place.bits(unitBitsOfSlab, 4)).zext(arenas.slabNumberBits)),
    );
    const states = [
      "clear",
      "idle",
      "give",
      "given",
      "trim",
      "pull",
      "seek",
      "locate",
      "located",
      "judged",
      "choose",
      "find",
      "found",
      "place",
      "placed",
      "read",
      "reading",
      "turn",
      "turned",
      "write",
      "writing",
      "note",
      "noted",
      "fill",
      "settle",
      "allocate",
      "allocating",
      "free",
      "freeing",
      "answer",
    ] as const;
    const state = fsm(states, "clear", m => {
      const notes = (digit: UInt): void => {
        arenas.digit.set(cat(constant(1, 1), digit));
        m.go("note");
      };
      /** What is at hand cannot be read or written. */
      const fails = (): void => {
        when(taking.not(), () => m.go("trim"))
          .elseWhen(summary.and(survey.not()).and(line.picked.any()), () => m.go("fill"))
          .elseWhen(arenas.untouched, () => {
            answer.status.set(io.event.status);
            m.go("answer");
          })
          .otherwise(() => {
            line.picked.set(0);
            notes(constant(full, 3));
          });
      };
      const refuses = (): void => {
        when(flushed.or(cached.any().not()).or(asked.table), () => m.go("answer")).otherwise(() => {
          flushing.set(1);
          taking.set(0);
          m.go("trim");
        });
      };
      return {
        clear: () => {
          arenas.next();
          when(arenas.last, () => m.go("idle"));
        },
        idle: () => {
          taking.set(0);
          flushed.set(0);
          when(io.give.valid, () => {
            kind.set(mux(slotNow, constant(0, classBits), classOf(give.size)));
            home.set(mux(slotNow, give.slotBlock, give.block));
            m.go("give");
          })
            .elseWhen(io.take.valid, () => {
              asked.set(io.take.payload);
              kind.set(io.take.payload.kind);
              m.go("choose");
            })
            .elseWhen(isQuiet.not(), () => quiet.set(quiet.add(1)))
            .elseWhen(overAtRest, () => m.go("trim"));
          when(io.give.valid.or(io.take.valid), () => quiet.set(0));
        },
        give: () => {
          when(room, () => pushes(home));
          m.go("given");
        },
        // A block for which there is no room goes back to its arena at once.
        given: () => {
          givingSlot.set(lastPart.not());
          when(live.any(), () => live.set(live.sub(1)));
          arenas.at(home);
          when(push, () => m.go("trim")).otherwise(() => m.go("locate"));
        },
        trim: () => {
          kind.set(
            priority(
              ...Array.from({ length: classCount - 1 }, (_, i): [Bit, UInt] => [
                filled.at(classCount - 1 - i),
                constant(classCount - 1 - i, classBits),
              ]),
              constant(0, classBits),
            ),
          );
          when(tooMany, () => m.go("pull")).otherwise(() => {
            flushing.set(0);
            when(flushing, () => {
              kind.set(asked.kind);
              flushed.set(1);
              m.go("choose");
            }).otherwise(() => m.go("idle"));
          });
        },
        pull: () => {
          pops();
          home.set(popped);
          m.go("seek");
        },
        seek: () => {
          arenas.at(home);
          m.go("locate");
        },
        // The directory is asked for the arena that begins here, or else for the one before.
        locate: () => m.go("located"),
        located: () => {
          summary.set(0);
          survey.set(0);
          arenas.keepOffset();
          arenas.judge(home);
          m.go("judged");
        },
        judged: () => {
          when(arenas.covers, () => m.go("placed"))
            .elseWhen(arenas.second, () => m.go("trim"))
            .otherwise(() => {
              arenas.before();
              m.go("locate");
            });
        },
        choose: () => {
          taking.set(1);
          answer.block.set(popped);
          summary.set(1);
          survey.set(1);
          line.picked.set(0);
          wanted.set(
            priority(
              [over, constant(1, 4)],
              [spareRoom.ge(mostPicks - 1), constant(mostPicks, 4)],
              spareRoom.trunc(4).add(1),
            ),
          );
          arenas.first();
          when(asked.table, () => m.go("allocate"))
            .elseWhen(some, () => {
              pops();
              answer.status.set(statusBits.OK);
              m.go("answer");
            })
            .otherwise(() => m.go("find"));
        },
        find: () => m.go("found"),
        found: () => {
          arenas.goOn();
          when(arenas.fits, () => m.go("place"))
            .elseWhen(arenas.last, () => when(flushed, () => m.go("answer")).otherwise(() => m.go("allocate")))
            .otherwise(() => m.go("find"));
        },
        place: () => {
          arenas.lookUntouched();
          m.go("placed");
        },
        placed: () => {
          when(taking, () => arenas.keepOffset());
          line.group.set(slab.zext(11).bits(4, 7));
          m.go("read");
        },
        read: () => when(sent, () => m.go("reading")),
        reading: () => {
          line.line.set(io.event.line);
          when(mine, () =>
            when(failed, fails).otherwise(() => {
              line.begin();
              m.go("turn");
            }),
          );
        },
        turn: () => {
          line.count();
          line.turn(survey, () => m.go("turned"));
        },
        turned: () => {
          line.count();
          line.setDigit(line.digitAfter);
          when(survey, () => {
            survey.set(0);
            line.group.set(line.foundAt);
            when(line.found, () => {
              summary.set(0);
              m.go("read");
            }).otherwise(() => notes(constant(full, 3)));
          })
            // The summary promised a block, and there is none.
            .elseWhen(summary.not().and(taking).and(line.picked.any().not()), () => {
              summary.set(1);
              m.go("read");
            })
            .otherwise(() => m.go("write"));
        },
        write: () => when(sent, () => m.go("writing")),
        writing: () => {
          when(mine, () =>
            when(failed, fails)
              .elseWhen(summary, () => notes(line.digitFolded))
              .elseWhen(line.digitAfter.ne(line.digitBefore), () => {
                summary.set(1);
                m.go("read");
              })
              .elseWhen(taking, () => m.go("fill"))
              .otherwise(() => m.go("trim")),
          );
        },
        note: () => m.go("noted"),
        noted: () => {
          const { digit } = arenas,
            gone = node(digit.any().not()),
            isEmpty = node(digit.eq(emptyDigit)),
            isSpare = node(spare.valid.and(spare.arena.eq(arenas.number)));
          home.set(cat(arenas.firstSlab, constant(0, unitBitsOfSlab)).zext(blockBits));
          when(gone.or(isEmpty.not()).and(isSpare), () => spare.valid.set(0));
          when(isEmpty.and(spare.valid.not()), () => spare.set({ valid: 1, arena: arenas.number }));
          when(taking.not(), () => {
            when(isEmpty.and(spare.valid).and(isSpare.not()), () => m.go("free")).otherwise(() => m.go("trim"));
          })
            .elseWhen(line.picked.any(), () => m.go("fill"))
            .otherwise(() => m.go("choose"));
        },
        fill: () => {
          pushes(cat(slabOfPick, place.trunc(unitBitsOfSlab)).zext(blockBits));
          for (let i = mostPicks - 1; i > 0; i--) line.picks.at(i).set(line.picks.at(i - 1));
          line.picked.set(line.picked.sub(1));
          when(line.picked.eq(1), () => m.go("settle"));
        },
        settle: () => m.go("choose"),
        allocate: () => when(sent, () => m.go("allocating")),
        allocating: () => {
          answer.set({
            status: mux(granted, statusBits.OK, mux(failed, io.event.status, statusBits.OUT_OF_MEMORY)),
            block: io.event.block,
          });
          arenas.at(io.event.block);
          home.set(io.event.block);
          when(mine, () => {
            when(granted.not().and(anotherRegion), () => {
              region.set(region.add(1));
              m.go("allocate");
            })
              .elseWhen(granted.not(), refuses)
              .elseWhen(asked.table, () => m.go("answer"))
              .elseWhen(arenas.isOutside(io.event.block), () => {
                outside.set(1);
                answer.status.set(statusBits.OUT_OF_MEMORY);
                m.go("free");
              })
              .otherwise(() => {
                arenas.begins(io.event.block);
                notes(constant(0, 3));
              });
          });
        },
        free: () => when(sent, () => m.go("freeing")),
        freeing: () => {
          when(mine, () => {
            outside.set(0);
            when(granted, () => {
              region.set(0);
              arenas.digit.set(0);
            });
            when(outside, () => m.go("answer"))
              .elseWhen(granted, () => m.go("note"))
              .otherwise(() => m.go("trim"));
          });
        },
        answer: () => {
          when(io.taken.ready, () => {
            when(asked.table.not().and(answer.status.eq(statusBits.OK)), () => live.set(live.add(1)));
            m.go("idle");
          });
        },
      };
    });
    arenas.writeDigits(state.is("clear"), state.is("noted"));
    arenas.writeOffset(state.is("allocating").and(mine).and(granted).and(asked.table.not()), io.event.block);

    io.give.ready.set(state.is("given").and(lastPart));
    io.take.ready.set(state.is("idle").and(io.give.valid.not()));
    io.taken.valid.set(state.is("answer"));
    io.taken.payload.set({ slot: asked.slot, context: asked.context, status: answer.status, block: answer.block });

    // ---- Memory: a line or a summary, or ALLOC and FREE with the rest of their bodies.
    const lanes = unitBytes / p.beatBytes,
      restBytes = allocBody.bytes - 12,
      restBeats = Math.ceil(restBytes / p.beatBytes);
    // Behind the address and the low half of the length: its high half, the region, the flags.
    const rest = cat(constant(vmFlag.write, 64), region.zext(64), constant(0, 32)).zext(unitBytes * 8);
    const beat = reg(uint(Math.max(1, Math.log2(lanes))), { init: 0 });
    const writing = state.is("write"),
      allocating = state.is("allocate"),
      reading = state.is("read"),
      freeing = state.is("free");
    const beats = unpack(
      vec(uint(p.beatBytes * 8), lanes),
      mux(writing, line.line, mux(freeing, constant(0, unitBytes * 8), rest)),
    );
    when(io.memory.fire, () => beat.set(mux(io.memory.payload.last, constant(0, beat.width), beat.add(1))));
    io.memory.valid.set(writing.or(allocating).or(reading).or(freeing));
    const bytes = mux(asked.table, constant(p.buckets * unitBytes, 32), constant(p.arenaBytes, 32));
    // The summary comes first, then the lines; the arena begins with a slab, so nothing is carried.
    const lineUnit = node(mux(summary, constant(0, 8), line.group.zext(8).add(1)));
    const lineSlab = node(arenas.firstSlab.add(lineUnit.bits(unitBitsOfSlab, 3).zext(arenas.slabNumberBits)));
    const lineBlock = cat(lineSlab, lineUnit.trunc(unitBitsOfSlab)).zext(blockBits);
    io.memory.payload.set({
      head: {
        tag: tagOf(purpose.allocator, constant(0, 1)),
        opcode: priority(
          [writing, opcodeBits.WRITE],
          [reading, opcodeBits.READ],
          [freeing, opcodeBits.FREE],
          opcodeBits.ALLOC,
        ),
        va: mux(allocating, constant(0, addressBits), addressOf(mux(freeing, home, lineBlock)).trunc(addressBits)),
        length: priority([allocating, bytes], [freeing, constant(p.arenaBytes, 32)], constant(unitBytes, 32)),
        data: priority(
          [writing, constant(unitBytes, 14)],
          [allocating.or(freeing), constant(restBytes, 14)],
          constant(0, 14),
        ),
      },
      bare: reading,
      data: beats.at(lanes === 1 ? 0 : beat),
      last: reading.or(beat.eq(mux(writing, constant(lanes - 1, beat.width), constant(restBeats - 1, beat.width)))),
    });
    assertAlways(
      mine.not().or(state.is("reading")).or(state.is("writing")).or(state.is("allocating")).or(state.is("freeing")),
      "a reply to the allocator is waited for",
    );
    assertAlways(
      mine.and(state.is("allocating")).and(granted).and(io.event.block.trunc(unitBitsOfSlab).any()).not(),
      "ALLOC gives whole pages",
    );
  },
  { nameOf: p => `KvAllocator_b${p.beatBytes}_c${p.contexts}_t${p.buckets}_a${p.arenaBytes}_r${p.regions}` },
);
