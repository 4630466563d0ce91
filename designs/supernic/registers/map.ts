import { register, registerMap } from "../../../hdl-dsl/index.ts";
import { tableIdBits, tableIndexBits, tablePortBits, tableValueBits } from "../wire/index.ts";

/** Bits of a byte address of the register space. */
export const registerAddressBits = 10;
/** Words that hold a table's value. */
export const valueWords = tableValueBits / 32;
/** Ports that registers have room for, the loop port among them. */
const ports = tablePortBits;

const rulesOf = <N extends number>(n: N) =>
  register(0x060 + 4 * n, `rules${n}`, `rules that count at port ${n}`, {
    [`rules${n}`]: [0, 32, "rw", "a bit each"],
  } as Record<`rules${N}`, [number, number, "rw", string]>);
const valueOf = <N extends number>(n: N) =>
  register(0x0a0 + 4 * n, `value${n}`, `word ${n} of the value for a table`, {
    [`value${n}`]: [0, 32, "rw", "its bits"],
  } as Record<`value${N}`, [number, number, "rw", string]>);
const slotCounts = ["took", "skipped", "dropped", "killed", "busyCycles", "strays", "outside", "grown"] as const;
const slotCountOf = <N extends string>(name: N, i: number) =>
  register(0x110 + 4 * i, `slot${name}`, `count of the selected slot`, {
    [`slot${name}`]: [0, 32, "live", name],
  } as Record<`slot${N}`, [number, number, "live", string]>);

export const snicMap = registerMap({
  name: "SuperNic",
  doc: "configuration, tables and counts of the device",
  addressBits: registerAddressBits,
  registers: [
    register(0x000, "identification", "tells that this is a SuperNIC", {
      identification: [0, 32, "constant", "the letters SNIC, S lowest"],
    }),
    register(0x004, "version", "of the register map", { version: [0, 32, "constant", "1"] }),
    register(0x008, "build", "what the build has", {
      buildPorts: [0, 4, "constant", "ports"],
      buildRegions: [4, 4, "constant", "regions"],
      buildSlots: [8, 4, "constant", "slots of a region"],
      buildBranches: [12, 4, "constant", "branches of a stage"],
      buildUsers: [16, 7, "constant", "users"],
    }),
    register(0x00c, "stores", "what the build keeps", {
      buildContexts: [0, 12, "constant", "packets inside"],
      buildCells: [16, 12, "constant", "cells of the packet store"],
    }),
    register(0x010, "macLow", "own MAC, low part", { macLow: [0, 32, "rw", "bits 0 to 31"] }),
    register(0x014, "macHigh", "own MAC, high part", { macHigh: [0, 16, "rw", "bits 32 to 47"] }),
    register(0x018, "uplink", "the uplink, and the number of this device", {
      uplink: [0, 4, "rw", "its port"],
      hasUplink: [4, 1, "rw", "there is one"],
      origin: [8, 8, "rw", "number of this sNIC in its rack"],
      urgent: [16, 4, "rw", "the bit of the users' class that leaves first, or none"],
    }),
    register(0x01c, "reliable", "ports with a reliable link", { reliable: [0, ports, "rw", "a bit each"] }),
    register(0x020, "peerPorts", "ports that lead to peers", { peerPorts: [0, ports, "rw", "a bit each"] }),
    register(0x024, "control", "ports at which the own MAC is software's", { control: [0, ports, "rw", "a bit each"] }),
    register(0x028, "rings", "ports that no switched frame goes to", { rings: [0, ports, "rw", "a bit each"] }),
    register(0x02c, "portClasses", "class of frames that do not tell theirs, by port", {
      portClasses: [0, 30, "rw", "3 bits each"],
    }),
    register(0x030, "epoch", "length of an epoch of the meter", {
      epochCycles: [0, 24, "rw", "cycles, 4,096 or more"],
    }),
    register(0x034, "fairness", "who gives the meter its rates", {
      fairHardware: [0, 1, "rw", "the unit, from the end of this epoch on; else software"],
    }),
    register(0x038, "macsLow", "MACs that count, low part", { macsLow: [0, 32, "rw", "a bit each"] }),
    register(0x03c, "macsHigh", "MACs that count, high part", { macsHigh: [0, 32, "rw", "a bit each"] }),
    register(0x040, "restart", "links that begin anew", { restart: [0, ports, "pulse", "a bit each"] }),
    register(0x044, "down", "links whose partner is silent", { down: [0, ports, "live", "a bit each"] }),
    register(0x048, "freeContexts", "contexts that are free", { freeContexts: [0, 12, "live", "how many"] }),
    register(0x04c, "freeCells", "cells that are free", { freeCells: [0, 12, "live", "how many"] }),
    ...([0, 1, 2, 3, 4, 5, 6, 7, 8, 9] as const).map(rulesOf),
    register(0x090, "table", "where a value goes", {
      table: [0, tableIdBits, "rw", "the table"],
      tablePorts: [8, ports, "rw", "of tables by port, those that are written"],
    }),
    register(0x094, "tableIndex", "the entry", { tableIndex: [0, tableIndexBits, "rw", "its number"] }),
    register(0x098, "tableWrite", "the value goes into the table", { tableWrite: [0, 1, "pulse", "now"] }),
    ...([0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16] as const).map(valueOf),
    register(0x100, "slot", "the slot that is looked at", {
      slotAt: [0, 3, "rw", "its number"],
      slotRegion: [4, 3, "rw", "its region"],
    }),
    register(0x104, "slotState", "how the slot is", {
      slotBusy: [0, 1, "live", "its FIFO is so full that candidates wait"],
      slotQuiet: [1, 1, "live", "nothing is inside, and nothing is given to the task"],
      slotOff: [2, 1, "live", "the task is held in reset"],
      slotStuck: [3, 1, "live", "it was found stuck"],
      slotWaiting: [8, 6, "live", "packets in its FIFO"],
      slotInside: [16, 7, "live", "packets in the task"],
    }),
    ...slotCounts.map(slotCountOf),
    register(0x130, "regionState", "how the region of the selected slot is, if it can be reprogrammed", {
      regionStage: [0, 2, "live", "0 on, 1 cut, 2 loading, 3 waking"],
      regionOff: [2, 1, "live", "nothing of it counts; what comes is dropped"],
      regionEmpty: [3, 1, "live", "nothing is inside, no credit is out"],
      regionQuiet: [4, 1, "live", "it was asked to be quiet, and its tasks have nothing inside"],
      regionWrong: [5, 1, "live", "what was loaded named another chain, or none"],
      regionRefused: [6, 1, "live", "the last load was refused"],
      regionChain: [8, 6, "live", "the bitstream that was asked for last, from 1; 0: none"],
    }),
    register(0x134, "regionPackets", "packets of that region, branches counted", {
      regionInside: [0, 12, "live", "inside"],
      regionSent: [16, 12, "live", "sent there by the scheduler and not back"],
    }),
    register(0x138, "regionKilled", "count of packets that were dropped as it was off", {
      regionKilled: [0, 32, "live", "wraps"],
    }),
    register(0x13c, "regionStrays", "count of answers that nobody waited for", {
      regionStrays: [0, 32, "live", "wraps"],
    }),
    register(0x140, "counter", "the counter that is looked at", { counterAt: [0, 12, "rw", "its number"] }),
    register(0x144, "countLow", "its count, low part", { countLow: [0, 32, "live", "bits 0 to 31"] }),
    register(0x148, "countHigh", "its count, high part", { countHigh: [0, 16, "live", "bits 32 to 47"] }),
    register(0x14c, "inside", "frames that are inside the counter's block now", {
      insideQueued: [0, 14, "live", "of a port in its class queues; of the middle in the switch lane"],
      insideKept: [16, 11, "live", "of a port kept for the wire"],
    }),
    register(0x150, "portBytes", "what a port can bring, for users whose class it paused", {
      portBytes: [0, 24, "rw", "bytes in an epoch"],
    }),
    register(0x154, "fairAt", "the user and resource that are looked at", {
      fairResource: [0, 6, "rw", "the resource, as monitors.md orders them"],
      fairUser: [8, 6, "rw", "the user"],
    }),
    register(0x158, "fairUse", "what the user used of the resource", {
      fairUse: [0, 24, "live", "units per byte in parts of 2^-8, in the last epoch that had bytes"],
    }),
    register(0x15c, "fairDemand", "what the user asked for at the end of the last epoch", {
      fairDemand: [0, 24, "live", "bytes"],
    }),
    register(0x160, "fairTaken", "what the meter let in of the user in the last epoch", {
      fairTaken: [0, 24, "live", "bytes"],
    }),
    register(0x164, "fairRate", "what the unit gave the user last", {
      fairRate: [0, 24, "live", "bytes in an epoch"],
    }),
    register(0x168, "waiting", "a frame that waits for a region of its DAG", {
      waitingDag: [0, 8, "live", "the DAG"],
      waitingIs: [8, 1, "live", "there is one"],
    }),
    register(0x16c, "waitingNext", "another frame that waits is looked for", {
      waitingNext: [0, 1, "pulse", "now"],
    }),
    register(0x170, "dagAt", "the DAG that is looked at", { dagLook: [0, 8, "rw", "its number"] }),
    register(0x174, "dagInside", "what is inside of that DAG", {
      dagInside: [0, 9, "live", "packets"],
      dagSettled: [16, 1, "live", "those that were taken before a DAG was last made to wait are among them"],
    }),
    register(0x178, "stateAt", "words of the state of the selected slot's task", {
      stateAt: [0, 16, "rw", "the place, of a read the first one"],
      stateLast: [16, 16, "rw", "of a read the last place"],
    }),
    register(0x17c, "statePutLow", "a word to write, low part", { statePutLow: [0, 32, "rw", "bits 0 to 31"] }),
    register(0x180, "statePutHigh", "a word to write, high part", { statePutHigh: [0, 32, "rw", "bits 32 to 63"] }),
    register(0x184, "stateGo", "the state of the selected slot's task is read or written; one at a time", {
      stateRead: [0, 1, "pulse", "the first word that is not 0"],
      stateWrite: [1, 1, "pulse", "the word at the place"],
    }),
    register(0x188, "stateStatus", "what came of it", {
      stateBusy: [0, 1, "live", "it is not over"],
      stateOutcome: [1, 2, "live", "0 done, 1 refused, 2 late"],
      stateFound: [16, 16, "live", "the place where it ended"],
    }),
    register(0x18c, "stateLow", "the word that was read, low part", {
      stateLow: [0, 32, "live", "bits 0 to 31; 0 with the high part: there is none"],
    }),
    register(0x190, "stateHigh", "the word that was read, high part", {
      stateHigh: [0, 32, "live", "bits 32 to 63"],
    }),
    register(0x194, "stateLates", "count of tasks that did not answer in time", {
      stateLates: [0, 32, "live", "wraps"],
    }),
    register(0x198, "stateStrays", "count of answers of tasks that nobody waited for", {
      stateStrays: [0, 32, "live", "wraps"],
    }),
  ],
});

/** The fields that a build fixes, and what is there after reset. */
export const buildValues = (p: {
  readonly ports: number;
  readonly regions: number;
  readonly slots: number;
  readonly branches: number;
  readonly users: number;
  readonly contexts: number;
  readonly cells: number;
}): Readonly<Record<string, number>> => ({
  identification: 0x43494e53,
  version: 1,
  buildPorts: p.ports,
  buildRegions: p.regions,
  buildSlots: p.slots,
  buildBranches: p.branches,
  buildUsers: p.users,
  buildContexts: p.contexts,
  buildCells: p.cells,
  epochCycles: 5_000,
  portBytes: 250_000,
});
