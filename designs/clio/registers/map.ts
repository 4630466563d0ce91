import {
  registerMap as checked,
  type FieldNames,
  register,
  type Register,
  RegisterError,
  type RegisterField,
} from "../../../hdl-dsl/index.ts";
import { type CounterName, counterNames, type Settings } from "../config/index.ts";
import { matActions, matBase, matRules, matWords } from "./match-action.ts";

/** Bits of a byte address of the register space. */
export const registerAddressBits = 12;

const rule = (i: number): Register =>
  register(
    0x040 + 4 * i,
    `rule${i}`,
    `rule ${i} of the match-and-action table; the lowest valid one with the request's pid counts`,
    {
      [`rule${i}Pid`]: [0, 16, "rw", "pid it applies to"],
      [`rule${i}Action`]: [16, 3, "rw", matActions.map((n, k) => `${k} ${n}`).join(", ")],
      [`rule${i}Valid`]: [31, 1, "rw", "the rule applies"],
    },
  );

/** How long the offload in slot `k` has not replied. */
const since = <K extends 0 | 1 | 2 | 3>(k: K) =>
  register(0x0c4 + 4 * k, `offload${k}Since`, `how long the offload in slot ${k} has given no reply`, {
    [`offload${k}Since`]: [0, 24, "live", "units of 65,536 cycles since its last reply, 0 without a request"],
  } as Record<`offload${K}Since`, [number, number, "live", string]>);

const fixed = [
  register(0x000, "identification", "tells that this is a Clio node", {
    identification: [0, 32, "constant", "the letters CLIO, C lowest"],
  }),
  register(0x004, "version", "of the register map", { version: [0, 32, "constant", "1"] }),
  register(0x008, "features", "what the build has", {
    dataWidthLog2: [0, 4, "constant", "log2 of the data path's bits"],
    pageShift: [8, 6, "constant", "log2 of a page's bytes"],
    requestSlotsLog2: [16, 4, "constant", "log2 of the requests in flight"],
    physicalAddressBits: [24, 6, "constant", "log2 of the memory's bytes"],
  }),
  register(0x00c, "translation", "what the build's virtual memory has", {
    tlbEntriesLog2: [0, 4, "constant", "log2 of the TLB's entries"],
    outstandingMissesLog2: [8, 4, "constant", "log2 of the misses in flight"],
    freePageBufferLog2: [16, 4, "constant", "log2 of the frames kept ready"],
    slotsFactorLog2: [24, 4, "constant", "log2 of the table slots per page"],
  }),
  register(0x010, "frames", "what the build's network has", {
    mtuFrame: [0, 16, "constant", "bytes of the largest frame"],
    clientPorts: [16, 16, "constant", "published-client ports"],
  }),
  register(0x014, "counters", "how many counters there are", {
    counterCount: [0, 16, "constant", "pairs of words from the counters' base"],
  }),
  register(0x018, "offloads", "offloads of the extend path, the one in slot 0 lowest", {
    offloadReset: [
      0,
      4,
      "rw",
      "keeps it in reset: its requests are answered BUSY, or EXPIRED when they are done at most once",
    ],
    offloadHeld: [8, 4, "live", "it is in reset, and nothing of it is under way any more"],
    offloadStuck: [
      16,
      4,
      "live",
      "it has had a request for offloadPatience cycles without any progress of its own, or for offloadLimit without a reply",
    ],
    offloadActive: [24, 4, "live", "it has a request"],
  }),
  register(0x01c, "offloadPatience", "when an offload counts as stuck", {
    offloadPatience: [0, 24, "rw", "cycles; all ones: never"],
  }),
  register(0x020, "macLow", "own MAC, low part", { macLow: [0, 32, "rw", "bits 0 to 31"] }),
  register(0x024, "macHigh", "own MAC, high part", { macHigh: [0, 16, "rw", "bits 32 to 47"] }),
  register(0x028, "ip", "own IPv4 address", { ip: [0, 32, "rw", "first number highest"] }),
  register(0x02c, "nativePort", "UDP port where flags and request IDs are honoured", {
    nativePort: [0, 16, "rw", "port"],
  }),
  register(0x030, "clientPort", "first UDP port of the published client's sessions", {
    clientPort: [0, 16, "rw", "port"],
  }),
  register(0x034, "flags", "switches", {
    acceptAnyMac: [0, 1, "rw", "take frames for any destination MAC"],
    outOfMemory: [1, 1, "rw", "a fault that finds no free page fails instead of waiting"],
  }),
  register(
    0x050,
    "hashKeyLow",
    "key of the hashes that place state, low part; written before the first ALLOC and the first tracked request",
    {
      hashKeyLow: [0, 32, "rw", "bits 0 to 31"],
    },
  ),
  register(0x054, "hashKeyHigh", "key of the hashes that place state, high part", {
    hashKeyHigh: [0, 32, "rw", "bits 32 to 63"],
  }),
  register(0x038, "freePages", "the free-page buffer", { freePages: [0, 16, "live", "frames in it now"] }),
] as const;
/** Behind the rules of the match-and-action table. */
const ofOffloads = [
  register(0x0c0, "offloadLimit", "when an offload without a reply counts as stuck", {
    offloadLimit: [0, 24, "rw", "units of 65,536 cycles; 0: never"],
  }),
  since(0),
  since(1),
  since(2),
  since(3),
  register(0x0d4, "offloadSecretLow", "key of the offloads' hashes, low part; set before the first request", {
    offloadSecretLow: [0, 32, "rw", "bits 0 to 31"],
  }),
  register(0x0d8, "offloadSecretHigh", "key of the offloads' hashes, high part", {
    offloadSecretHigh: [0, 32, "rw", "bits 32 to 63"],
  }),
  register(0x0dc, "offloadProcess", "an order about a process, carried out as it is written", {
    offloadProcessPid: [0, 16, "rw", "process ID"],
    offloadProcessExists: [16, 1, "rw", "whether it exists: Clio-KV answers processes that exist"],
    offloadProcessForget: [17, 1, "rw", "remove what Clio-KV keeps for it; one process at a time"],
    offloadProcessSeen: [18, 1, "rw", "offloadForgotten has been seen"],
  }),
  register(0x0e0, "offloadProcesses", "orders about processes", {
    offloadProcessBusy: [0, 1, "live", "one is being carried out, as for 4,096 cycles after reset"],
    offloadProcessUsed: [1, 1, "live", "the process of the last order has sent Clio-KV requests while it existed"],
    offloadForgetting: [2, 1, "live", "something is being removed"],
    offloadForgotten: [3, 1, "live", "it has been removed, and that has not been seen"],
    offloadForgetFailed: [4, 1, "live", "with offloadForgotten: memory refused; what is left may be removed later"],
  }),
] as const;
/** In builds with `processKeys` only. */
const ofKeys = [
  register(0x058, "processKeyLow", "key of a process, low part; taken when processKey is written", {
    processKeyLow: [0, 32, "rw", "bits 0 to 31"],
  }),
  register(0x05c, "processKeyHigh", "key of a process, high part", {
    processKeyHigh: [0, 32, "rw", "bits 32 to 63"],
  }),
  register(0x060, "processKey", "gives a process the key in the registers before, carried out as it is written", {
    processKeyPid: [0, 16, "rw", "process ID; key 0: the process has none"],
  }),
  register(0x064, "processKeys", "the table of keys", {
    processKeyCount: [0, 17, "constant", "process IDs below it can have a key"],
    processKeysClearing: [31, 1, "live", "it is cleared, as after reset; requests wait and no key may be given"],
  }),
] as const;
export type FieldName =
  | FieldNames<(typeof fixed)[number]>
  | FieldNames<(typeof ofKeys)[number]>
  | FieldNames<(typeof ofOffloads)[number]>
  | `rule${0 | 1 | 2 | 3}${"Pid" | "Action" | "Valid"}`;

/**
 * All single registers in order of their addresses; the counters and the match-and-action table are
 * windows beside them.
 */
export const registerMap: readonly Register[] = checked<Register>({
  name: "Clio",
  doc: "The memory node.",
  addressBits: registerAddressBits,
  registers: [...fixed, ...Array.from({ length: matRules }, (_, i) => rule(i)), ...ofKeys, ...ofOffloads],
}).registers;

/** The single registers of a build: those of keys are in builds that have keys. */
export function registersOf({ processKeyCount }: Pick<FieldValues, "processKeyCount">): readonly Register[] {
  const absent = new Set<string>(processKeyCount === 0 ? ofKeys.map(r => r.name) : []);
  return registerMap.filter(r => !absent.has(r.name));
}

/**
 * Byte address of a counter's low word; the high word (bits 32 to 47) follows, kept from when the low word was read.
 */
export const counterBase = 0x200;
export const counterBits = 48;
export function counterAddress(name: CounterName): number {
  return counterBase + 8 * counterNames.indexOf(name);
}

if (counterBase + 8 * counterNames.length > matBase || matBase + 4 * matWords > 2 ** registerAddressBits) {
  throw new RegisterError(
    `${counterNames.length} counters do not fit between 0x${counterBase.toString(16)} and 0x${matBase.toString(16)}; move matBase up`,
  );
}

const places = new Map(registerMap.flatMap(r => r.fields.map(f => [f.name, { register: r, field: f }] as const)));
/** The register that holds a field, and where in it. */
export function fieldPlace(name: FieldName): { readonly register: Register; readonly field: RegisterField } {
  return places.get(name) as { register: Register; field: RegisterField };
}

/** Values of the fields by name, those that a build fixes and those after reset. */
export type FieldValues = {
  readonly [
    N in Exclude<
      FieldName,
      | "freePages"
      | "processKeysClearing"
      | "offloadHeld"
      | "offloadStuck"
      | "offloadActive"
      | "offloadProcessBusy"
      | "offloadProcessUsed"
      | "offloadForgetting"
      | "offloadForgotten"
      | "offloadForgetFailed"
      | `offload${string}Since`
      | `rule${string}`
    >
  ]: number;
};

/**
 * Cycles without progress that make an offload stuck after reset: 0.26 ms at 250 MHz, many times what any step
 * of one takes.
 */
const offloadPatience = 65_536;
/**
 * Units of 65,536 cycles without a reply that make an offload stuck after reset: 137 s at 250 MHz, as long as eight
 * scans of 2^32 rows (Clio-DF) take side by side.
 */
const offloadLimit = 2 ** 19;

/** Values of a build's registers after reset. */
export function resetValues({ config, runtime }: Settings): FieldValues {
  return {
    identification: 0x4f494c43,
    version: 1,
    dataWidthLog2: Math.log2(config.dataWidth),
    pageShift: config.pageShift,
    requestSlotsLog2: Math.log2(config.requestSlots),
    physicalAddressBits: config.physAddrBits,
    tlbEntriesLog2: Math.log2(config.tlbEntries),
    outstandingMissesLog2: Math.log2(config.outstandingMisses),
    freePageBufferLog2: Math.log2(config.freePageBuffer),
    slotsFactorLog2: Math.log2(config.slotsFactor),
    mtuFrame: config.mtuFrame,
    clientPorts: config.clientPorts,
    counterCount: counterNames.length,
    macLow: Number(runtime.mac & 0xffffffffn),
    macHigh: Number(runtime.mac >> 32n),
    ip: runtime.ip,
    nativePort: runtime.nativePort,
    clientPort: runtime.clientPort,
    acceptAnyMac: runtime.acceptAnyMac ? 1 : 0,
    outOfMemory: 0,
    offloadReset: 0,
    offloadPatience,
    hashKeyLow: 0,
    hashKeyHigh: 0,
    processKeyLow: 0,
    processKeyHigh: 0,
    processKeyPid: 0,
    processKeyCount: config.processKeys,
    offloadLimit,
    offloadSecretLow: 0,
    offloadSecretHigh: 0,
    offloadProcessPid: 0,
    offloadProcessExists: 0,
    offloadProcessForget: 0,
    offloadProcessSeen: 0,
  };
}
