/** What is done with the memory, for benches and for faults. */
import type { LiveSpace } from "../../../../../../designs/supernic/software/index.ts";
import { bernoulli } from "../../../../../../sim/index.ts";
import { MemoryRig, type RigOptions } from "./memory-rig.ts";
import type { B } from "./rtl-driver.ts";

/** Ways 0 and 1 share a space, way 2 has its own. */
export async function twoSpaces(rig: MemoryRig): Promise<readonly [LiveSpace, LiveSpace]> {
  const both = await rig.space(9),
    own = await rig.space(7);
  await rig.attach(0, both);
  await rig.attach(1, both);
  await rig.attach(2, own);
  return [both, own];
}
/** Traffic of all ways, while pages go elsewhere and come back. */
export async function pagesMove(b: B, cycles: number, o: RigOptions = {}): Promise<MemoryRig> {
  const rig = new MemoryRig(b, o);
  await twoSpaces(rig);
  const software = b.spawn(() => rig.run());
  await rig.traffic(cycles);
  await rig.end();
  await software;
  return rig;
}
/** Tasks go in the middle of what they do; their ways serve the next ones, and the others notice nothing. */
export async function tasksGo(b: B, rounds: number, o: RigOptions = {}): Promise<MemoryRig> {
  const rig = new MemoryRig(b, o);
  await twoSpaces(rig);
  const software = b.spawn(() => rig.run());
  rig.strays = 0.1;
  for (let i = 0; i < rounds; i++) {
    await rig.traffic(b.random.between(20, 160), { outside: 0.2 });
    await rig.kill(b.random.pick([0, 2]));
  }
  await rig.traffic(200);
  await rig.end();
  await software;
  return rig;
}
/** A chain goes, and its pages are given back, here and elsewhere; when it comes again it reads zeros. */
export async function pagesGoBack(b: B, rounds: number, o: RigOptions = {}): Promise<MemoryRig> {
  const rig = new MemoryRig(b, o),
    both = await rig.space(9);
  let own = await rig.space(7);
  await rig.attach(0, both);
  await rig.attach(1, both);
  await rig.attach(2, own);
  const software = b.spawn(() => rig.run());
  rig.strays = 0.1;
  for (let i = 0; i < rounds; i++) {
    await rig.traffic(b.random.between(80, 300));
    await rig.kill(2);
    // Nobody else notices it.
    const beside = b.spawn(() => rig.traffic(120, { ways: [0, 1] }));
    own = await rig.renew(own);
    await beside;
  }
  await rig.end();
  await software;
  return rig;
}
/** A writes all that it has, and ends; B gets the same pages, and reads zeros. */
export async function nothingIsLeft(b: B): Promise<MemoryRig> {
  const rig = new MemoryRig(b, { frames: 6, ready: 3 });
  const software = b.spawn(() => rig.run(4));
  for (let round = 0; round < 3; round++) {
    const space = await rig.space(6);
    await rig.attach(round % 2, space);
    // Reads first: who reads sees what was there. The model has zeros.
    for (const write of [false, true])
      for (let page = 0; page < 6; page++)
        for (let at = 0; at < 4096; at += 1024) {
          await b.until(() => rig.pending(round % 2) < 4);
          rig.access(round % 2, write, page * 4096 + at, 1024);
        }
    await rig.settled();
    await rig.destroy(space);
  }
  await rig.end();
  await software;
  return rig;
}
/** The board's memory begins to fail in pages that tasks have; who has others notices nothing. */
export async function memoryFails(b: B, o: RigOptions = {}): Promise<MemoryRig> {
  const rig = new MemoryRig(b, { frames: 20, ready: 4, ...o });
  // One page can never be zeroed.
  rig.ram.failAt({ from: 6 * 4096 + 512, to: 6 * 4096 + 576 });
  await twoSpaces(rig);
  const software = b.spawn(() => rig.run());
  await rig.traffic(400);
  await rig.settled();
  rig.mayFail = true;
  const both = await rig.driver.page(0),
    other = await rig.driver.page(1);
  for (const { present, ppn } of [both, other])
    if (present) rig.ram.failAt({ from: ppn * 4096 + 1024, to: ppn * 4096 + 1100, response: "DECERR" });
  rig.strays = 0.2;
  await rig.traffic(1_500);
  await rig.end();
  await software;
  return rig;
}
/** Who waits for a page gets the next one, however close behind it somebody else comes. */
export async function pagesInTurns(b: B): Promise<void> {
  const rig = new MemoryRig(b, { ready: 0, frames: 20 });
  await twoSpaces(rig);
  for (let page = 0; page < 6; page++) {
    rig.access(0, true, page * 4096, 64);
    await b.until(() => b.io.state[0]?.waits.value === 1);
    const given = b.spawn(() => rig.driver.zero(5 + 2 * page));
    await b.until(() => b.io.freePages.num > 0);
    rig.access(2, true, page * 4096, 64);
    await given;
    await b.cycles(150);
    if (rig.pending(0) > 0) throw new Error("a page goes to who came later");
    await rig.driver.zero(6 + 2 * page);
    await rig.settled();
  }
  if (b.io.freePages.num !== 0) throw new Error("a page is left");
}
/** Two ways of one space touch each page first in the same cycle: it has one place, with what both wrote. */
export async function sameTouch(b: B): Promise<void> {
  const rig = new MemoryRig(b, { frames: 20, ready: 4 });
  await twoSpaces(rig);
  for (let page = 0; page < 9; page++) {
    await rig.manager.step();
    for (const way of [0, 1]) rig.access(way, true, page * 4096 + 512 * way, 100);
    await rig.settled();
    for (const way of [0, 1]) rig.access(1 - way, false, page * 4096 + 512 * way, 100);
    await rig.settled();
  }
  await rig.end();
}
/** A page goes while two accesses to it are looked up, or wait for a bus that takes few addresses. */
export async function fenceAlone(b: B): Promise<void> {
  const seldom = () => bernoulli(0.9, b.random.word()),
    memory = { latency: 60, pause: { ar: seldom(), aw: seldom() } },
    rig = new MemoryRig(b, { frames: 20, ready: 4, memory });
  const [space] = await twoSpaces(rig);
  await rig.manager.step();
  rig.access(0, true, 0, 64);
  await rig.settled();
  let place = 24;
  for (let i = 0; i < 16; i++) {
    for (const way of [0, 1]) rig.access(way, i % 4 < 2, 2048 * way + 64 * i, 64);
    await b.cycles(i % 16);
    place = await rig.relocate(space, 0, place);
    await rig.settled();
  }
}
/** A space that may only be read, one that may be written, and a way without a space. */
export async function rights(b: B): Promise<MemoryRig> {
  const rig = new MemoryRig(b);
  const mine = await rig.space(3),
    fixed = await rig.space(4, false);
  await rig.attach(0, mine);
  await rig.attach(1, fixed);
  const software = b.spawn(() => rig.run());
  rig.strays = 0.2;
  await rig.traffic(900, { outside: 0.2 });
  await rig.end();
  await software;
  return rig;
}
/** Pages move from place to place under tasks that read and write them all the time. */
export async function pagesJump(b: B, rounds: number): Promise<MemoryRig> {
  const rig = new MemoryRig(b, {
    frames: 20,
    ready: 4,
    memory: { latency: 40, jitter: 60, outOfOrder: true },
    pause: () => bernoulli(0.2, b.random.word()),
  });
  const space = await rig.space(3);
  for (const way of [0, 1, 2]) await rig.attach(way, space);
  await rig.manager.step();
  for (let page = 0; page < 3; page++) rig.access(page, true, page * 4096, 64);
  await rig.settled();
  let place = 24;
  rig.strays = 0.1;
  const moves = b.spawn(async () => {
    for (let i = 0; i < rounds; i++) {
      place = await rig.relocate(space, i % 3, place);
      await b.cycles(b.random.below(30));
    }
  });
  const under = { way: true };
  const ended = (): void => {
    under.way = false;
  };
  void moves.then(ended, ended);
  while (under.way) await rig.traffic(50);
  await moves;
  await rig.settled();
  return rig;
}
/** More reads than there is room for, of a task that takes few beats. */
export async function manyReads(b: B): Promise<MemoryRig> {
  const rig = new MemoryRig(b, { ready: 3, pause: () => bernoulli(0.7, b.random.word()) });
  await twoSpaces(rig);
  await rig.manager.step();
  rig.access(0, true, 0, 1024);
  await rig.settled();
  for (let i = 0; i < 24; i++) rig.access(0, false, i, 1024 - i);
  await rig.settled();
  await rig.end();
  return rig;
}
