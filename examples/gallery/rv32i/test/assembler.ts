/** An assembler for RV32I in the syntax of GNU's: two passes, text before data, local labels, the usual shorthands. */
import { encode, type Format, forms } from "./encode.ts";
import { evaluate } from "./expression.ts";

/** A program as bytes from address 0, and where its labels are. */
export interface Program {
  readonly bytes: Uint8Array;
  readonly labels: ReadonlyMap<string, number>;
}

type Section = "text" | "data";
interface Item {
  readonly section: Section;
  readonly at: number;
  readonly order: number;
  readonly size: number;
  readonly name: string;
  readonly operands: readonly string[];
}
interface Place {
  readonly section: Section;
  readonly at: number;
  readonly order: number;
}

const abi = "zero ra sp gp tp t0 t1 t2 s0 s1 a0 a1 a2 a3 a4 a5 a6 a7 s2 s3 s4 s5 s6 s7 s8 s9 s10 s11 t3 t4 t5 t6";
const registers = new Map<string, number>([
  ...abi.split(" ").map((n, i) => [n, i] as const),
  ...Array.from({ length: 32 }, (_, i) => [`x${i}`, i] as const),
  ["fp", 8],
]);
const sizes: Readonly<Record<string, number>> = { ".byte": 1, ".half": 2, ".word": 4, ".long": 4, ".dword": 8 };

/** What stands for one or two others: operands are `$0`, `$1` and so on. */
const shorthands: Readonly<Record<string, string>> = {
  nop: "addi x0, x0, 0",
  mv: "addi $0, $1, 0",
  not: "xori $0, $1, -1",
  neg: "sub $0, x0, $1",
  seqz: "sltiu $0, $1, 1",
  snez: "sltu $0, x0, $1",
  j: "jal x0, $0",
  ret: "jalr x0, 0(ra)",
  beqz: "beq $0, x0, $1",
  bnez: "bne $0, x0, $1",
  bltz: "blt $0, x0, $1",
  bgez: "bge $0, x0, $1",
  bgtz: "blt x0, $0, $1",
  blez: "bge x0, $0, $1",
  bgt: "blt $1, $0, $2",
  ble: "bge $1, $0, $2",
  bgtu: "bltu $1, $0, $2",
  bleu: "bgeu $1, $0, $2",
};

const words = (text: string): string[] =>
  text
    .split(/,(?![^(]*\))/)
    .map(w => w.trim())
    .filter(w => w !== "");
const low32 = (v: bigint): number => Number(BigInt.asIntN(32, v));

class Assembly {
  readonly #items: Item[] = [];
  readonly #places = new Map<string, Place[]>();
  readonly #sizes: Record<Section, number> = { text: 0, data: 0 };
  #section: Section = "text";
  #order = 0;

  /** First pass: what stands where. */
  read(text: string): void {
    const plain = text.replace(/\/\*[^]*?\*\//g, "").replace(/(?:#|\/\/).*$/gm, "");
    for (const line of plain.split(/[\n;]/)) this.#statement(line.trim());
  }
  /** Second pass. */
  write(): Program {
    const start = this.#dataStart(),
      bytes = new Uint8Array(start + this.#sizes.data);
    // What an alignment leaves within the text is NOPs.
    for (let at = 0; at < start; at += 4) bytes[at] = 0x13;
    for (const i of this.#items) bytes.set(this.#bytesOf(i), this.#address(i));
    const named = [...this.#places].filter(([n]) => !/^\d/.test(n));
    return { bytes, labels: new Map(named.map(([n, [p]]) => [n, p === undefined ? 0 : this.#address(p)])) };
  }

  #statement(line: string): void {
    const label = /^([\w.$]+):\s*/.exec(line);
    if (label?.[1] !== undefined) {
      const places = this.#places.get(label[1]) ?? [];
      places.push({ section: this.#section, at: this.#sizes[this.#section], order: this.#order++ });
      this.#places.set(label[1], places);
      this.#statement(line.slice(label[0].length));
      return;
    }
    const [, name, rest] = /^(\S+)\s*(.*)$/.exec(line) ?? [];
    if (name === undefined || rest === undefined) return;
    if (name.startsWith(".") && sizes[name] === undefined) this.#directive(name, rest);
    else this.#add(name, words(rest));
  }

  #directive(name: string, rest: string): void {
    if (name === ".text" || name === ".data") this.#section = name === ".text" ? "text" : "data";
    const steps: Readonly<Record<string, (n: number) => number>> = { ".align": n => 2 ** n, ".balign": n => n };
    const step = steps[name]?.(Number(rest.split(",")[0]));
    if (step !== undefined) this.#sizes[this.#section] = Math.ceil(this.#sizes[this.#section] / step) * step;
  }

  #add(name: string, operands: readonly string[]): void {
    const place = { section: this.#section, at: this.#sizes[this.#section], order: this.#order++ };
    const size = (sizes[name] ?? 0) * operands.length || 4 * this.#expand({ ...place, size: 0, name, operands }).length;
    this.#items.push({ ...place, size, name, operands });
    this.#sizes[this.#section] += size;
  }

  #dataStart(): number {
    return Math.ceil(this.#sizes.text / 64) * 64;
  }
  #address(p: Place): number {
    return p.at + (p.section === "data" ? this.#dataStart() : 0);
  }

  /** A name's value, seen from an item; in the first pass those that follow have none. */
  #value(text: string, from: Place, known: boolean): bigint | undefined {
    return evaluate(text, name => {
      const local = /^(\d+)([fb])$/.exec(name),
        places = this.#places.get(local?.[1] ?? name) ?? [];
      const place =
        local === null
          ? places[0]
          : local[2] === "f"
            ? places.find(p => p.order > from.order)
            : places.findLast(p => p.order < from.order);
      return known && place !== undefined ? BigInt(this.#address(place)) : undefined;
    });
  }
  #number(text: string, from: Place): number {
    const v = this.#value(text, from, true);
    if (v === undefined) throw new Error(`"${text}" has no value`);
    return low32(v);
  }

  /** The instructions that a line stands for, with their operands. */
  #expand(i: Item): readonly (readonly [name: string, ...operands: string[]])[] {
    const [first = "", second = "", third = ""] = i.operands;
    const short = shorthands[i.name];
    if (short !== undefined) {
      const [name = "", ...rest] = short.split(" ");
      return [[name, ...words(rest.join(" ").replace(/\$(\d)/g, (_, n: string) => i.operands[Number(n)] ?? ""))]];
    }
    if (i.name === "li") return this.#constant(first, second, i);
    if (i.name === "la" || i.name === "lla") return this.#far("addi", first, first, second, i);
    if (i.name === "jr") return [["jalr", "x0", `${second === "" ? 0 : second}(${first})`]];
    if (i.name === "jal" && i.operands.length === 1) return [["jal", "ra", first]];
    if (i.name === "jalr" && i.operands.length === 3) return [["jalr", first, `${third}(${second})`]];
    if (i.name === "jalr" && i.operands.length === 1) return [["jalr", "ra", `0(${first})`]];
    const format = forms[i.name]?.format;
    if (format === "R" && !registers.has(third)) return [[`${i.name}i`.replace("ui", "iu"), first, second, third]];
    if (format === "S" && i.operands.length === 3) return this.#far(i.name, first, third, second, i);
    if (format === "load" && !second.endsWith(")")) return this.#far(i.name, first, first, second, i);
    return [[i.name, ...i.operands]];
  }
  #constant(rd: string, text: string, i: Item): (readonly [string, ...string[]])[] {
    const v = low32(this.#value(text, i, false) ?? 0n);
    if (v >= -2048 && v < 2048) return [["addi", rd, "x0", String(v)]];
    const high = (v + 0x800) >>> 12,
      low = (v << 20) >> 20;
    return [["lui", rd, String(high)], ...(low === 0 ? [] : [["addi", rd, rd, String(low)] as const])];
  }
  /** An address within reach of the program counter, and an instruction with its low bits. */
  #far(name: string, data: string, base: string, target: string, i: Item): (readonly [string, ...string[]])[] {
    const distance = Number(this.#value(target, i, true) ?? 0n) - this.#address(i),
      low = (distance << 20) >> 20;
    const tail: readonly [string, ...string[]] =
      name === "addi" ? [name, base, base, String(low)] : [name, data, `${low}(${base})`];
    return [["auipc", base, String((distance + 0x800) >>> 12)], tail];
  }

  #bytesOf(i: Item): Uint8Array {
    const width = sizes[i.name];
    const values =
      width === undefined
        ? this.#expand(i).map((x, n) => BigInt(this.#encode(x, this.#address(i) + 4 * n, i)))
        : i.operands.map(o => this.#value(o, i, true) ?? 0n);
    const size = width ?? 4;
    return Uint8Array.from({ length: values.length * size }, (_, n) =>
      Number(((values[Math.floor(n / size)] ?? 0n) >> BigInt(8 * (n % size))) & 0xffn),
    );
  }

  #encode([name, ...o]: readonly [string, ...string[]], at: number, i: Item): number {
    const format: Format | undefined = forms[name]?.format;
    const r = (n: number): number => {
      const found = registers.get(o[n] ?? "");
      if (found === undefined) throw new Error(`${name} ${o.join(", ")}: operand ${n + 1} is no register`);
      return found;
    };
    const memory = /^(.*)\(([^()]+)\)$/.exec(o[1] ?? "");
    const based = (): { rs1: number; imm: number } => ({
      rs1: registers.get(memory?.[2]?.trim() ?? "") ?? 0,
      imm: memory?.[1] === "" ? 0 : this.#number(memory?.[1] ?? "0", i),
    });
    switch (format) {
      case "R":
        return encode(name, { rd: r(0), rs1: r(1), rs2: r(2) });
      case "I":
      case "shift":
        return encode(name, { rd: r(0), rs1: r(1), imm: this.#number(o[2] ?? "", i) });
      case "load":
        return encode(name, { rd: r(0), ...based() });
      case "S":
        return encode(name, { rs2: r(0), ...based() });
      case "B":
        return encode(name, { rs1: r(0), rs2: r(1), imm: this.#number(o[2] ?? "", i) - at });
      case "U":
        return encode(name, { rd: r(0), imm: this.#number(o[1] ?? "", i) });
      case "J":
        return encode(name, { rd: r(0), imm: this.#number(o[1] ?? "", i) - at });
      default:
        return encode(name);
    }
  }
}

/** @throws Error with the line's words for what is no instruction of RV32I or has no value */
export function assemble(text: string): Program {
  const a = new Assembly();
  a.read(text);
  return a.write();
}
