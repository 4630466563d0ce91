/** Memories with stated collision behaviour, byte enables and style. */
import type { Collision, Memory, OwnRead, ReadPort, WritePort } from "../ir/circuit.ts";
import type { Const } from "../ir/expr.ts";
import * as make from "../ir/fold.ts";
import { type Shape, widthOf } from "../types/shape.ts";
import type { Bit, Given, Num, UInt, Val } from "../types/value.ts";
import { enabledRead, underEnable } from "./clock-enable.ts";
import { atTop, claimName, context, report } from "./context.ts";
import { chooseName, makeSignal } from "./declare.ts";
import { sourceName, userPosition } from "./position.ts";
import { assertAlways, when } from "./statements.ts";
import { bitOf, conditionOf, exprKey, literal, operand } from "./value.ts";
import { leafExprs, unpackExpr } from "./view.ts";

/** Size, collisions, contents and style of a memory. */
export interface RamOptions {
  /** Words. */
  readonly depth: number;
  /** Result of a synchronous read when the same edge writes the word. */
  readonly collision: Collision;
  /** What synthesis is to make of it; default `auto`. */
  readonly style?: "block" | "distributed" | "ultra" | "auto";
  /**
   * Words from address 0 (packed), at most `depth`, each within the word's width; the others are 0. Without it the
   * contents start undefined.
   */
  readonly init?: readonly Num[];
  /** Default: that of the constant. */
  readonly name?: string;
  /**
   * Needed when the depth is no power of two: the address can name words that are not there. `unreached` promises that
   * it never does where the memory is used: an assertion for each port checks it in simulation and proofs. A read
   * without an enable is used in every cycle in which the `when` around it holds.
   */
  readonly outside?: "unreached";
}
/** A memory within a module: one write port, reads of the same cycle or of the next one. */
export interface Ram<S extends Shape> {
  /** Address bits: log2(depth) rounded up, at least 1. */
  readonly addressWidth: number;
  /**
   * Writes one word when `en`; `mask` has one bit per lane (its width divides the word's), lane 0 lowest. One write
   * port per memory.
   */
  write(en: Bit, address: UInt, data: Given<S>, mask?: UInt): void;
  /** The word one cycle later; holds while `en` is 0. */
  readSync(address: UInt, o?: { readonly en?: Bit; readonly name?: string }): Val<S>;
  /** The word in the same cycle: distributed memory. */
  readAsync(address: UInt): Val<S>;
  /**
   * A port that reads and writes at one address, in the current clock domain. Two of them make a true dual-port memory;
   * a memory with ports has no other reads and writes. The word comes one cycle later, and holds while `en` is 0.
   * `collision` of the memory says what one port reads of a word that the other writes at the same edge. Both ports
   * never write one word at one edge: an assertion checks it where they share a clock.
   */
  port(o: RamPort<S>): Val<S>;
}
/** A port that reads and writes, of a memory with two of them. */
export interface RamPort<S extends Shape> {
  readonly address: UInt;
  /** The port reads, and may write. Default 1. */
  readonly en?: Bit;
  /** Writes `data`, while `en` is 1. */
  readonly write: Bit;
  readonly data: Given<S>;
  /** One bit per lane, lane 0 lowest. */
  readonly mask?: UInt;
  /** What the port reads in an edge at which it writes: the word before, the word written, or its output stays. */
  readonly reads: OwnRead;
  readonly name?: string;
}

/** The style within a module's name: nothing for `distributed`, else `_auto`, `_block`, `_ultra`. */
export const styleName = (style: RamOptions["style"]): string => (style === "distributed" ? "" : `_${style ?? "auto"}`);

/** The bit patterns of the initial words; each that does not fit is reported. */
function initialWords(name: string, shape: Shape, depth: number, init: readonly unknown[]): readonly bigint[] {
  const width = widthOf(shape),
    signed = shape.kind === "sint";
  if (init.length > depth)
    report(
      "HDL128",
      `the initial contents of \`${name}\` have ${init.length} words, the memory has ${depth}`,
      `Give at most ${depth} words, or a depth of ${init.length}`,
    );
  return init.map((n, i) => {
    const what = `word ${i} of the initial contents of \`${name}\``;
    if (typeof n === "number" || typeof n === "bigint") return (literal(n, width, signed, what) as Const).value;
    report("HDL128", `${what} is ${n === undefined ? "missing" : `a ${typeof n}`}, not a number`, "Give a number");
    return 0n;
  });
}

/** A memory of `depth` words of any shape, not reset. */
export function ram<const S extends Shape>(shape: S, o: RamOptions): Ram<S> {
  const c = context(),
    position = userPosition();
  c.domains.add(c.domain);
  const name = chooseName(o.name, "memory", position);
  const width = widthOf(shape),
    addressWidth = Math.max(1, Math.ceil(Math.log2(o.depth)));
  if (!Number.isInteger(o.depth) || o.depth < 1)
    report("HDL115", `memory \`${name}\` has a depth of ${o.depth}`, "Give a whole number of words of 1 or more");
  const memory: Memory = {
    name,
    width,
    depth: o.depth,
    collision: o.collision,
    style: o.style ?? "auto",
    position,
    writePorts: [],
    readPorts: [],
    init: o.init === undefined ? undefined : initialWords(name, shape, o.depth, o.init),
  };
  c.memories.push(memory);
  const whole = 2 ** addressWidth === o.depth || o.depth < 1 || !Number.isInteger(o.depth);
  if (!whole && o.outside === undefined)
    report(
      "HDL129",
      `memory \`${name}\` has ${o.depth} words, and its address of ${addressWidth} bits can name ${2 ** addressWidth}`,
      `State { outside: "unreached" }, which an assertion then checks, or give it ${2 ** addressWidth} words`,
    );
  const addressOf = (a: UInt): ReturnType<typeof operand> =>
    operand(a, addressWidth, false, `the address of \`${name}\``);
  const inside = (address: UInt, en?: Bit): void => {
    if (whole || o.outside === undefined) return;
    if (en !== undefined) {
      when(en, () => inside(address));
      return;
    }
    const last = make.constant(BigInt(o.depth - 1), addressWidth);
    assertAlways(
      bitOf(make.binary("le", addressOf(address), last)),
      `\`${name}\` is addressed within its ${o.depth} words`,
    );
  };
  const writeWord = (en: Bit, address: UInt, data: Given<S>, mask: UInt | undefined): WritePort => {
    const port: WritePort = { memory, domain: context().domain, position: userPosition() };
    memory.writePorts.push(port);
    const word = make.concat(
      leafExprs(shape, data, `a word of \`${name}\``)
        .map(x => (x.expr.signed ? make.cast(x.expr) : x.expr))
        .reverse(),
    );
    if (mask !== undefined && width % mask.width !== 0)
      report(
        "HDL116",
        `the write mask of \`${name}\` has ${mask.width} bits, which do not divide its ${width}-bit word`,
        "Give one mask bit per lane of equal width",
      );
    context().block.push({
      kind: "if",
      cond: conditionOf(en, `the write enable of \`${name}\``),
      otherwise: [],
      position: port.position,
      then: [
        underEnable({
          kind: "memWrite",
          port,
          address: addressOf(address),
          data: word,
          mask: mask === undefined ? undefined : operand(mask, mask.width, false, "mask"),
          position: port.position,
        }),
      ],
    });
    return port;
  };
  const readWord = (
    address: UInt,
    r: { readonly en?: Bit | undefined; readonly name?: string | undefined },
    own?: ReadPort["own"],
  ): Val<S> => {
    const at = userPosition();
    inside(address, r.en);
    const dataName = claimName(r.name ?? sourceName(at)?.name ?? `${name}_data`, at);
    const data = makeSignal({
      kind: "memData",
      name: dataName,
      width,
      signed: false,
      domain: context().domain,
      position: at,
    });
    const port: ReadPort = {
      memory,
      data: data.signal,
      address: addressOf(address),
      enable: enabledRead(r.en === undefined ? undefined : conditionOf(r.en, `the read enable of \`${name}\``)),
      domain: context().domain,
      own,
      position: at,
    };
    atTop(() => {
      memory.readPorts.push(port);
    });
    return unpackExpr(shape, data[exprKey]) as Val<S>;
  };
  const both: { readonly write: Bit; readonly address: UInt; readonly port: WritePort }[] = [];
  return {
    addressWidth,
    write: (en, address, data, mask) => {
      inside(address, en);
      writeWord(en, address, data, mask);
    },
    readSync: (address, r = {}) => readWord(address, r),
    port: p => {
      if (context().block !== context().top)
        report(
          "HDL131",
          `a port of memory \`${name}\` stands under a condition`,
          "Call it outside of `when`, and put the condition into `en` and `write`",
        );
      const write = p.en === undefined ? p.write : p.en.and(p.write);
      const port = writeWord(write, p.address, p.data, p.mask);
      const first = both[0];
      if (first?.port.domain.name === port.domain.name)
        assertAlways(
          bitOf(make.unary("not", operand(first.write.and(write).and(first.address.eq(p.address)), 1, false, "ports"))),
          `the ports of \`${name}\` never write one word at once`,
        );
      both.push({ write, address: p.address, port });
      return readWord(p.address, p, { write: port, reads: p.reads });
    },
    readAsync: address => {
      inside(address);
      return unpackExpr(shape, make.memRead(memory, addressOf(address))) as Val<S>;
    },
  };
}
