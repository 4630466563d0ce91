import { register, registerMap } from "../../../hdl-dsl/index.ts";

/** Bits of a byte address of the memory's registers. */
export const memoryAddressBits = 7;

const entry = { ppn: 16, valid: 28, present: 29, write: 30, remote: 31 } as const;

/** The registers of the memory of network tasks, on a bus of their own: only builds with such tasks have them. */
export const memoryMap = registerMap({
  name: "SuperNicMemory",
  doc: "memory of network tasks",
  addressBits: memoryAddressBits,
  registers: [
    register(0x00, "memoryBuild", "what the build has", {
      buildWays: [0, 4, "constant", "tasks with memory"],
      buildSpaces: [4, 6, "constant", "spaces"],
      buildPageShift: [10, 5, "constant", "bits of a byte's place in a page"],
    }),
    register(0x04, "way", "the way that is looked at, and what it gets with setWay", {
      wayAt: [0, 4, "rw", "its number"],
      waySpace: [4, 6, "rw", "its space"],
      wayValid: [10, 1, "rw", "it has one"],
    }),
    register(0x08, "space", "a space for setSpace", {
      spaceAt: [0, 6, "rw", "its number"],
      spaceWrite: [6, 1, "rw", "its tasks may write"],
    }),
    register(0x0c, "spaceBase", "its first entry", { spaceBase: [0, 16, "rw", "in the page table"] }),
    register(0x10, "spaceLimit", "its pages", { spaceLimit: [0, 17, "rw", "how many"] }),
    register(0x14, "page", "the entry that is looked at, and that setPage writes", {
      pageAt: [0, 16, "rw", "its number"],
    }),
    register(0x18, "pageValue", "a value for it", {
      pagePpn: [0, entry.ppn, "rw", "page of the board's memory"],
      pageValid: [entry.valid, 1, "rw", "there is such a page"],
      pagePresent: [entry.present, 1, "rw", "in the board's memory"],
      pageWrite: [entry.write, 1, "rw", "may be written"],
      pageRemote: [entry.remote, 1, "rw", "elsewhere"],
    }),
    register(0x1c, "memoryCommand", "what is done now", {
      setWay: [0, 1, "pulse", "the way gets its space, or none"],
      setSpace: [1, 1, "pulse", "the space gets its values"],
      setPage: [2, 1, "pulse", "the entry gets its value"],
      fence: [3, 1, "pulse", "what was looked up before is awaited"],
      move: [4, 1, "pulse", "the mover begins, when it is free"],
      moveSeen: [5, 1, "pulse", "how the last move ended was read"],
    }),
    register(0x20, "shown", "the entry that is looked at", {
      shownPpn: [0, entry.ppn, "live", "page of the board's memory"],
      shownValid: [entry.valid, 1, "live", "there is such a page"],
      shownPresent: [entry.present, 1, "live", "in the board's memory"],
      shownWrite: [entry.write, 1, "live", "may be written"],
      shownRemote: [entry.remote, 1, "live", "elsewhere"],
    }),
    register(0x24, "stamps", "when it was touched, and when it is now", {
      shownStamp: [0, 16, "live", "epoch of its last access"],
      epochNow: [16, 16, "live", "the epoch"],
    }),
    register(0x28, "mover", "a move to ask for", {
      moveKind: [0, 2, "rw", "0 zeros, 1 out, 2 in"],
      movePpn: [8, 16, "rw", "page of the board's memory"],
    }),
    register(0x2c, "memoryState", "how it is", {
      fenced: [0, 1, "live", "the fence has ended"],
      moving: [1, 1, "live", "a move waits or is under way"],
      movedValid: [2, 1, "live", "a move has ended and was not seen"],
      movedBad: [3, 1, "live", "it went wrong"],
      freePages: [8, 8, "live", "zeroed pages that wait for a first touch"],
    }),
    register(0x30, "wayState", "how the way is that is looked at", {
      wayWaits: [0, 1, "live", "for a page"],
      wayRemote: [1, 1, "live", "for the one of its entry, else for any free one"],
      wayIdle: [2, 1, "live", "nothing is under way"],
      wayPage: [16, 16, "live", "its entry"],
    }),
    register(0x34, "wayDenied", "count of its accesses that were denied", { wayDenied: [0, 32, "live", "wraps"] }),
    register(0x38, "wayFailed", "count of those that the memory failed", { wayFailed: [0, 32, "live", "wraps"] }),
  ],
});
