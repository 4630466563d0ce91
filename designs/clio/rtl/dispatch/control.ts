import {
  assignView,
  axiResponse,
  bit,
  type Bit,
  cat,
  constant,
  input,
  type Inside,
  isWritable,
  type LiteReadAccess,
  liteSlave,
  liteSlavePorts,
  type LiteWriteAccess,
  module,
  mux,
  node,
  onehotMux,
  output,
  reg,
  type Register,
  type RegisterField,
  strobed,
  uint,
  type UInt,
  vec,
  when,
  wordOf,
} from "../../../../hdl-dsl/index.ts";
import { hashKeyBits } from "../../../shared/hash/index.ts";
import { counterNames } from "../../config/index.ts";
import {
  counterBase,
  counterBits,
  fieldPlace,
  type FieldValues,
  matBase,
  matEntryFields,
  matRules,
  matWords,
  registerAddressBits,
  registersOf,
} from "../../registers/index.ts";
import { keyBits, KeyOrder } from "../network/process-keys.ts";
import { NetConfig } from "../records/records.ts";
import { counterSweep } from "./control/counter-sweep.ts";
import { Events, OffloadControl, OffloadState } from "./events.ts";
import { MatEntry, MatRule, MatWrite } from "./mat.ts";

export interface ControlParameters {
  /** Values of the registers after reset, including the fields that the build fixes (`resetValues` of ../registers). */
  readonly reset: FieldValues;
}

const keyPorts = { keyOrder: output(KeyOrder), keysClearing: input(bit) };

const controlPorts = (p: ControlParameters) => ({
  ...liteSlavePorts(registerAddressBits),
  config: output(NetConfig),
  outOfMemory: output(bit),
  hashKey: output(uint(hashKeyBits)),
  rules: output(vec(MatRule, matRules)),
  matWrite: output(MatWrite),
  matOpcode: output(uint(8)),
  matEntry: input(MatEntry),
  freePages: input(uint(16)),
  events: input(Events),
  offloadControl: output(OffloadControl),
  offloadState: input(OffloadState),
  ...(p.reset.processKeyCount > 0 ? keyPorts : ({} as typeof keyPorts)),
});
type Io = Inside<ReturnType<typeof controlPorts>>;

type Wide = UInt & { set(v: unknown): void };

/** The registers: those that software writes, and what the node tells. */
function registersIn(io: Io, p: ControlParameters) {
  const registerMap = registersOf(p.reset),
    keyed = p.reset.processKeyCount > 0;
  const reset = p.reset as Readonly<Record<string, number>>;
  const kept = new Map<string, Wide>();
  for (const f of registerMap.flatMap(r => r.fields))
    if (f.kind === "rw") kept.set(f.name, reg(uint(f.width), { init: reset[f.name] ?? 0, name: `${f.name}_kept` }));
  const live = new Map<string, UInt>([
    ["freePages", io.freePages],
    ["offloadHeld", io.offloadState.held],
    ["offloadStuck", io.offloadState.stuck],
    ["offloadActive", io.offloadState.active],
    ["offloadProcessBusy", io.offloadState.processes.busy],
    ["offloadProcessUsed", io.offloadState.processes.used],
    ["offloadForgetting", io.offloadState.processes.forgetting],
    ["offloadForgotten", io.offloadState.processes.forgotten],
    ["offloadForgetFailed", io.offloadState.processes.failed],
    ...(keyed ? [["processKeysClearing", io.keysClearing] satisfies [string, UInt]] : []),
    ...io.offloadState.since.toArray().map((s, k): [string, UInt] => [`offload${k}Since`, s]),
  ]);
  const value = (f: RegisterField): UInt =>
    kept.get(f.name) ?? live.get(f.name) ?? constant(reset[f.name] ?? 0, f.width);

  return { registerMap, keyed, kept, value };
}
type Registers = ReturnType<typeof registersIn>;

const hits = (at: UInt, rs: readonly Register[]): Bit =>
  rs.map(r => at.eq(r.address / 4)).reduce<Bit>((a, b) => a.or(b), constant(0, 1));

/** Reads: of registers, counters and the match-and-action table. */
function reads(io: Io, { registerMap, value }: Registers, counts: ReturnType<typeof counterSweep>) {
  return ({ address, fire }: LiteReadAccess): { data: UInt; resp: UInt } => {
    const at = node(address.bits(2, registerAddressBits - 2));
    io.matOpcode.set(at.trunc(8));
    const inCounters = node(at.ge(counterBase / 4).and(at.lt(counterBase / 4 + 2 * counterNames.length)));
    const inMat = node(at.bits(8, at.width - 8).eq(matBase / 4 / matWords));
    const offset = node(at.sub(counterBase / 4));
    const count = counts.read(offset.bits(1, counts.indexBits));
    const highWord = node(offset.bit(0));
    const keptHigh = reg(uint(counterBits - 32));
    when(fire.and(inCounters).and(highWord.not()), () => keptHigh.set(count.bits(32, counterBits - 32)));
    const known = registerMap.map(r => at.eq(r.address / 4));
    const entryWord = wordOf(Object.values(matEntryFields), f => io.matEntry[f.name] as UInt);
    const mapped = node([...known, inCounters, inMat].reduce((a, b) => a.or(b)));
    return {
      data: onehotMux(
        [...known, inCounters, inMat],
        [
          ...registerMap.map(r => wordOf(r.fields, value)),
          mux(highWord, keptHigh.zext(32) as UInt, count.trunc(32)),
          entryWord,
        ],
      ),
      resp: mux(mapped, constant(axiResponse.OKAY, 2), axiResponse.DECERR),
    };
  };
}

/** Writes. An order about a process is given in the cycle after its write. */
function writes(io: Io, { registerMap, keyed, kept }: Registers) {
  const ordered = reg(bit, { init: 0 });
  const keyGiven = keyed ? reg(bit, { init: 0, name: "key_given" }) : undefined;
  const write = ({ address, data, strb, fire }: LiteWriteAccess): UInt => {
    const target = node(address.bits(2, registerAddressBits - 2));
    const toRegister = node(hits(target, registerMap.filter(isWritable)));
    const toMat = node(target.bits(8, target.width - 8).eq(matBase / 4 / matWords));
    const entryBytes = node(strb.trunc(2).all());
    const readable = hits(
      target,
      registerMap.filter(r => !isWritable(r)),
    )
      .or(target.ge(counterBase / 4).and(target.lt(counterBase / 4 + 2 * counterNames.length)))
      .or(toMat);
    for (const r of registerMap.filter(isWritable)) {
      when(fire.and(target.eq(r.address / 4)), () => {
        for (const f of r.fields.filter(x => x.kind === "rw")) {
          const v = kept.get(f.name) as Wide;
          v.set(strobed(f, data, strb, v));
        }
      });
    }
    ordered.set(fire.and(target.eq(fieldPlace("offloadProcessPid").register.address / 4)));
    keyGiven?.set(fire.and(target.eq(fieldPlace("processKeyPid").register.address / 4)));
    io.matWrite.en.set(fire.and(toMat).and(entryBytes));
    io.matWrite.opcode.set(target.trunc(8));
    for (const f of Object.values(matEntryFields)) io.matWrite.entry[f.name].set(data.bits(f.lsb, f.width));
    return mux(
      toRegister.or(toMat.and(entryBytes)),
      constant(axiResponse.OKAY, 2),
      mux(readable, constant(axiResponse.SLVERR, 2), axiResponse.DECERR),
    );
  };
  return { ordered, keyGiven, write };
}

/** Outputs to the other blocks. */
function tellBlocks(
  io: Io,
  { kept }: Registers,
  { ordered, keyGiven }: Pick<ReturnType<typeof writes>, "ordered" | "keyGiven">,
): void {
  const field = (name: string): UInt => kept.get(name) as UInt;
  assignView(
    io.config,
    {
      mac: cat(field("macHigh"), field("macLow")),
      ip: field("ip"),
      nativePort: field("nativePort"),
      clientPort: field("clientPort"),
      acceptAnyMac: field("acceptAnyMac"),
    },
    "config",
  );
  io.hashKey.set(cat(field("hashKeyHigh"), field("hashKeyLow")).is(hashKeyBits));
  if (keyGiven !== undefined)
    io.keyOrder.set({
      write: keyGiven,
      pid: field("processKeyPid"),
      key: cat(field("processKeyHigh"), field("processKeyLow")).is(keyBits),
    });
  io.outOfMemory.set(field("outOfMemory").is(1));
  io.offloadControl.set({
    hold: field("offloadReset"),
    patience: field("offloadPatience"),
    limit: field("offloadLimit"),
    secret: cat(field("offloadSecretHigh"), field("offloadSecretLow")),
    process: {
      write: ordered,
      pid: field("offloadProcessPid"),
      exists: field("offloadProcessExists"),
      forget: field("offloadProcessForget"),
      seen: field("offloadProcessSeen"),
    },
  });
  for (let i = 0; i < matRules; i++)
    assignView(
      io.rules.at(i),
      { valid: field(`rule${i}Valid`), pid: field(`rule${i}Pid`), action: field(`rule${i}Action`) },
      "rules",
    );
}

/**
 * The node's registers on AXI4-Lite (the map is data: ../registers), its counters, and the way to write
 * the match-and-action table.
 *
 * Latency: an answer comes 2 cycles after its address (and data). Initiation interval: 1. Full: nothing is taken while
 * an answer is not. Byte strobes count for registers; a table entry is written with its two low bytes at once or not at
 * all (SLVERR). Writing what cannot be written: SLVERR; where nothing is: DECERR, and a read gives 0. The two low
 * address bits do not count. A counter shows an event after at most (number of counters + 3) cycles. Increments gather
 * in small registers, which are added one after another into one memory. Reading a low word keeps its high word for the
 * next read of a high word.
 */
export const Control = module(
  "Control",
  controlPorts,
  (io, p) => {
    const registers = registersIn(io, p),
      counts = counterSweep(io.events);
    const read = reads(io, registers, counts),
      { write, ...orders } = writes(io, registers);
    liteSlave(io, { read, write });
    tellBlocks(io, registers, orders);
  },
  { nameOf: p => controlName(p.reset) },
);

/** `Control_d512_p22_m31_t64_n64_u1536`: as the node, data bits, page, memory, TLB entries, slots, longest frame. */
const controlName = (r: FieldValues): string =>
  `Control_d${2 ** r.dataWidthLog2}_p${r.pageShift}_m${r.physicalAddressBits}_t${2 ** r.tlbEntriesLog2}` +
  `_n${2 ** r.requestSlotsLog2}_u${r.mtuFrame}` +
  (r.processKeyCount === 0 ? "" : `_k${r.processKeyCount}`);
