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
  wire,
} from "../../../../hdl-dsl/index.ts";
import { allocBody, opcodeBits, statusBits, vmFlag } from "../../wire/index.ts";
import { addressOf, classBits, classOf, Entry } from "./layout.ts";
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

/**
 * Free blocks of a class that are kept here, and how many go to memory, or come from there, at a time. One block holds
 * the addresses of as many.
 */
const kept = 16,
  moved = 8;
const keptBits = Math.log2(kept);
/** Arenas whose addresses are known, at most: 16 GB in arenas of 4 MB. */
const arenasKnown = 4096;
const knownArenas = (p: KvParameters): number =>
  Math.max(2, Math.min(arenasKnown, 2 ** Math.ceil(Math.log2((p.regions * 2 ** 30) / p.arenaBytes))));

/**
 * The offload's own memory, in blocks of 64 B to 2 KB in powers of two (six classes).
 *
 * A block comes from the first of these that has one. First come the stack of the class's last freed blocks, here, and
 * its list of freed blocks, in memory, 8 at a time. Next is the slab of 2 KB that the class has begun. Then come the
 * arena that was allocated, and a new arena, by ALLOC of `arenaBytes` from the slow path. So memory grows only when no
 * block of the class is free. When ALLOC is refused with OUT_OF_MEMORY the next region is tried. In the last region the
 * refusal is the answer, and the next request tries again. A full stack (16) moves 8 blocks to memory when one more is
 * given. One of the 8 holds the addresses of the other 7 and of the list so far, as a slot holds entries and its link.
 * When that write fails the eight are lost; when a list cannot be read, what it holds.
 *
 * When the last block that was taken is given back, nothing is kept, and memory is one again: all arenas but the first
 * are freed (FREE), and the first is carved anew. So what was freed serves every size then, and the node has its memory
 * back. Up to `arenasKnown` arenas are known by their addresses; further ones serve until the next reset only.
 *
 * Latency from `take` to `taken`: 2 cycles from the stack or a slab, 3 for a new slab. From the list the latency is a
 * memory round trip and 13 cycles; for an arena ALLOC's time and 5. One at a time; `give` goes first. `give` takes 3
 * cycles for each block, and a memory round trip and 12 cycles more for every eighth block beyond the stack; the
 * last of all takes FREE's time and 5 cycles for each arena but the first. Full: `take` and `give` wait. Reset: all
 * state is lost; blocks allocated before are not given back.
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
      none = Array.from({ length: classCount }, () => 0),
      slabsOfArena = p.arenaBytes / (unitBytes * slabUnits);
    const levels = reg(vec(uint(bitsFor(kept)), classCount), { init: none });
    const listed = reg(vec(bit, classCount), { init: none }),
      begun = reg(vec(bit, classCount), { init: none });
    const small = { depth: 2 ** classBits, collision: "undefined", style: "distributed" } as const;
    const heads = ram(block, small),
      slabs = ram(block, small);
    const stack = ram(block, { depth: 2 ** classBits * kept, collision: "undefined", style: "distributed" });
    const arena = reg(block),
      arenaLeft = reg(uint(bitsFor(slabsOfArena)), { init: 0 });
    const region = reg(uint(bitsFor(p.regions)), { init: 0 });

    /** Blocks that are taken; arenas that are known; how many of these have been begun. */
    const live = reg(uint(bitsFor(p.regions * 2 ** (30 - unitShift))), { init: 0 });
    const known = knownArenas(p),
      arenaCount = uint(bitsFor(known)),
      arenas = reg(arenaCount, { init: 0 }),
      arenasBegun = reg(arenaCount, { init: 0 });
    const places = ram(block, { depth: known, collision: "undefined", style: known > 64 ? "block" : "distributed" });

    // Work in progress: its class, its requester, and the number of words moved.
    const kind = reg(index),
      asked = reg(Take(p)),
      freed = reg(block),
      givingSlot = reg(bit, { init: 0 }),
      count = reg(uint(Math.log2(moved)));
    const answer = reg(struct({ status: uint(4), block }));
    const level = node(levels.at(kind)),
      some = node(level.any());
    const words = reg(vec(struct({ block, valid: bit }), moved));
    const slab = node(slabs.readAsync(kind)),
      head = node(heads.readAsync(kind)),
      inList = node(listed.at(kind)),
      inSlab = node(begun.at(kind));
    const popped = node(stack.readAsync(cat(kind, level.sub(1).trunc(keptBits))));
    const nextInSlab = node(slab.add(constant(1, blockBits).shl(kind)));
    const slabGoesOn = node(nextInSlab.trunc(Math.log2(slabUnits)).any());
    const first = words.at(0),
      container = words.at(moved - 1).block;
    const allMoved = node(count.eq(moved - 1));
    const emptied = wire(bit),
      lastArena = node(arenas.sub(1));
    const place = places.readSync(node(mux(emptied, lastArena, arenasBegun).trunc(Math.log2(known))));

    const records = node(arenas.ne(known));
    const mine = node(io.event.valid.and(io.event.purpose.eq(purpose.allocator)));
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
    pushAt.set(cat(kind, level.trunc(keptBits)));
    push.set(0);
    const pushes = (b: UInt): void => {
      push.set(1);
      pushed.set(b);
      levels.setAt(kind, level.add(1));
    };
    const shiftIn = (b: UInt): void => {
      for (let i = 0; i < moved - 1; i++) words.at(i).set(words.at(i + 1));
      words.at(moved - 1).set({ block: b, valid: constant(1, 1) });
    };

    const { payload: give } = io.give;
    const slotNow = node(givingSlot.or(give.value.not())),
      lastPart = node(slotNow.or(give.slot.not()));
    const room = node(level.ne(kept));
    const sent = node(io.memory.fire.and(io.memory.payload.last));
    const states = [
      "idle",
      "give",
      "given",
      "spill",
      "store",
      "storing",
      "choose",
      "refill",
      "refilling",
      "push",
      "settle",
      "allocate",
      "allocating",
      "answer",
      "load",
      "restart",
      "free",
      "freeing",
    ] as const;
    const state = fsm(states, "idle", m => ({
      idle: () => {
        count.set(0);
        when(io.give.valid, () => {
          kind.set(mux(slotNow, constant(0, classBits), classOf(give.size)));
          freed.set(mux(slotNow, give.slotBlock, give.block));
          m.go("give");
        }).elseWhen(io.take.valid, () => {
          asked.set(io.take.payload);
          kind.set(io.take.payload.kind);
          m.go("choose");
        });
      },
      give: () => {
        when(room, () => {
          pushes(freed);
          m.go("given");
        }).otherwise(() => m.go("spill"));
      },
      given: () => {
        givingSlot.set(lastPart.not());
        live.set(live.sub(1));
        when(lastPart.and(live.eq(1)), () => m.go("restart")).otherwise(() => m.go("idle"));
      },
      spill: () => {
        count.set(count.add(1));
        shiftIn(popped);
        levels.setAt(kind, level.sub(1));
        when(allMoved, () => m.go("store"));
      },
      store: () => when(sent, () => m.go("storing")),
      storing: () => {
        when(mine, () => {
          when(failed.not(), () => listed.setAt(kind, constant(1, 1)));
          m.go("give");
        });
      },
      choose: () => {
        answer.set({ status: statusBits.OK, block: mux(some, popped, slab) });
        when(asked.table, () => m.go("allocate"))
          .elseWhen(some, () => {
            levels.setAt(kind, level.sub(1));
            m.go("answer");
          })
          .elseWhen(inList, () => m.go("refill"))
          .elseWhen(inSlab, () => {
            begun.setAt(kind, slabGoesOn);
            m.go("answer");
          })
          .elseWhen(arenaLeft.any(), () => {
            begun.setAt(kind, constant(1, 1));
            arena.set(arena.add(slabUnits));
            arenaLeft.set(arenaLeft.sub(1));
          })
          .elseWhen(arenasBegun.ne(arenas), () => m.go("load"))
          .otherwise(() => m.go("allocate"));
      },
      refill: () => when(sent, () => m.go("refilling")),
      refilling: () => {
        unpack(vec(Entry, moved), io.event.line)
          .toArray()
          .forEach((e, i) => words.at(i).set({ block: e.block, valid: e.valid }));
        when(mine, () =>
          when(failed, () => {
            listed.setAt(kind, constant(0, 1));
            m.go("choose");
          }).otherwise(() => m.go("push")),
        );
      },
      // The 7 blocks, then the block that held their addresses; the last word is the rest of the list.
      push: () => {
        count.set(count.add(1));
        pushes(mux(allMoved, head, first.block));
        shiftIn(head);
        when(allMoved, () => {
          listed.setAt(kind, first.valid);
          m.go("settle");
        });
      },
      settle: () => m.go("choose"),
      allocate: () => when(sent, () => m.go("allocating")),
      allocating: () => {
        answer.set({
          status: mux(granted, statusBits.OK, mux(failed, io.event.status, statusBits.OUT_OF_MEMORY)),
          block: io.event.block,
        });
        when(mine, () => {
          when(granted.not().and(anotherRegion), () => {
            region.set(region.add(1));
            m.go("allocate");
          })
            .elseWhen(granted.not().or(asked.table), () => m.go("answer"))
            .otherwise(() => {
              arena.set(io.event.block);
              arenaLeft.set(slabsOfArena);
              when(records, () => {
                arenas.set(arenas.add(1));
                arenasBegun.set(arenasBegun.add(1));
              });
              m.go("choose");
            });
        });
      },
      answer: () => {
        when(io.taken.ready, () => {
          when(asked.table.not().and(answer.status.eq(statusBits.OK)), () => live.set(live.add(1)));
          m.go("idle");
        });
      },
      load: () => {
        arena.set(place);
        arenaLeft.set(slabsOfArena);
        arenasBegun.set(arenasBegun.add(1));
        m.go("choose");
      },
      restart: () => {
        for (let c = 0; c < classCount; c++) {
          levels.at(c).set(0);
          listed.at(c).set(0);
          begun.at(c).set(0);
        }
        arenaLeft.set(0);
        arenasBegun.set(0);
        region.set(0);
        when(arenas.gt(1), () => m.go("free")).otherwise(() => m.go("idle"));
      },
      free: () => when(sent, () => m.go("freeing")),
      freeing: () => {
        when(mine, () => {
          when(granted, () => {
            arenas.set(lastArena);
            m.go("restart");
          }).otherwise(() => m.go("idle"));
        });
      },
    }));
    emptied.set(state.is("restart").or(state.is("free")));
    places.write(
      records.and(state.is("allocating")).and(mine).and(granted).and(asked.table.not()),
      arenas.trunc(Math.log2(known)),
      io.event.block,
    );
    const takesSlab = node(state.is("choose").and(asked.table.or(some).or(inList).not()));
    slabs.write(takesSlab.and(inSlab.or(arenaLeft.any())), kind, mux(inSlab, nextInSlab, arena));
    const movesHead = node(mux(state.is("push"), allMoved, state.is("storing").and(mine).and(failed.not())));
    heads.write(movesHead, kind, mux(state.is("push"), first.block, container));

    io.give.ready.set(state.is("given").and(lastPart));
    io.take.ready.set(state.is("idle").and(io.give.valid.not()));
    io.taken.valid.set(state.is("answer"));
    io.taken.payload.set({ slot: asked.slot, context: asked.context, status: answer.status, block: answer.block });

    // ---- Memory: the list's new head, the list's head, or ALLOC with the rest of its body.
    const lanes = unitBytes / p.beatBytes,
      restBytes = allocBody.bytes - 12,
      restBeats = Math.ceil(restBytes / p.beatBytes);
    const word = (b: UInt, valid: Bit): UInt => cat(valid, constant(0, 63 - blockBits), b);
    const list = cat(
      word(head, inList),
      ...Array.from({ length: moved - 1 }, (_, i) => word(words.at(moved - 2 - i).block, constant(1, 1))),
    );
    // Behind the address and the low half of the length: its high half, the region, the flags.
    const rest = cat(constant(vmFlag.write, 64), region.zext(64), constant(0, 32)).zext(unitBytes * 8);
    const beat = reg(uint(Math.max(1, Math.log2(lanes))), { init: 0 });
    const storing = state.is("store"),
      allocating = state.is("allocate"),
      refilling = state.is("refill"),
      freeing = state.is("free");
    const beats = unpack(
      vec(uint(p.beatBytes * 8), lanes),
      mux(storing, list, mux(freeing, constant(0, unitBytes * 8), rest)),
    );
    when(io.memory.fire, () => beat.set(mux(io.memory.payload.last, constant(0, beat.width), beat.add(1))));
    io.memory.valid.set(storing.or(allocating).or(refilling).or(freeing));
    const bytes = mux(asked.table, constant(p.buckets * unitBytes, 32), constant(p.arenaBytes, 32));
    io.memory.payload.set({
      head: {
        tag: tagOf(purpose.allocator, constant(0, 1)),
        opcode: priority(
          [storing, opcodeBits.WRITE],
          [refilling, opcodeBits.READ],
          [freeing, opcodeBits.FREE],
          opcodeBits.ALLOC,
        ),
        va: mux(
          allocating,
          constant(0, addressBits),
          addressOf(priority([storing, container], [freeing, place], head)).trunc(addressBits),
        ),
        length: priority([allocating, bytes], [freeing, constant(p.arenaBytes, 32)], constant(unitBytes, 32)),
        data: priority(
          [storing, constant(unitBytes, 14)],
          [allocating.or(freeing), constant(restBytes, 14)],
          constant(0, 14),
        ),
      },
      bare: refilling,
      data: beats.at(lanes === 1 ? 0 : beat),
      last: refilling.or(beat.eq(mux(storing, constant(lanes - 1, beat.width), constant(restBeats - 1, beat.width)))),
    });
    assertAlways(
      mine.not().or(state.is("storing")).or(state.is("refilling")).or(state.is("allocating")).or(state.is("freeing")),
      "a reply to the allocator is waited for",
    );
    assertAlways(state.is("given").and(live.any().not()).not(), "a block that is given was taken");
    assertAlways(
      mine
        .and(state.is("allocating"))
        .and(granted)
        .and(io.event.block.trunc(Math.log2(slabUnits)).any())
        .not(),
      "ALLOC gives whole pages",
    );
  },
  { nameOf: p => `KvAllocator_b${p.beatBytes}_c${p.contexts}_t${p.buckets}_a${p.arenaBytes}_r${p.regions}` },
);
