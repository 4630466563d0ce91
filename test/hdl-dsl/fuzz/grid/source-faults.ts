/** Faults of the language's own source: one edit each, in the builders, in folding, in interning or in the emitter. */
export interface SourceFault {
  readonly name: string;
  /** Below `hdl-dsl`. */
  readonly file: string;
  /** Stands there once. */
  readonly from: string;
  readonly to: string;
}

export const sourceFaults: readonly SourceFault[] = [
  // The four that an earlier hunt did not see.
  { name: "interning forgets a slice's offset", file: "ir/intern.ts", from: "`${head}${e.lo}`", to: "head" },
  {
    name: "the parity of an inverse is that of the value",
    file: "verilog/expressions.ts",
    from: 'op === "~" || op === "-" ? a : bare(a))',
    to: 'op === "^" && a.kind === "unary" && a.op === "~" ? a.a : op === "~" || op === "-" ? a : bare(a))',
  },
  {
    name: "initial contents cut to 32 bits",
    file: "build/memory.ts",
    from: "(literal(n, width, signed, what) as Const).value;",
    to: "BigInt.asUintN(32, (literal(n, width, signed, what) as Const).value);",
  },
  {
    name: "constant times constant cut to the first factor's width",
    file: "ir/fold.ts",
    from: "constant(x * y, a.width + b.width, a.signed)",
    to: "constant((x * y) & maskOf(a.width), a.width + b.width, a.signed)",
  },
  // The sign lost where an expression stands bare.
  {
    name: "the subject of a case loses its sign",
    file: "verilog/statements.ts",
    from: 'const on = c.expressions.lowerShared(s.on, consumer, "case");',
    to: 'const on = bare(c.expressions.lowerShared(s.on, consumer, "case"));',
  },
  {
    name: "the index of lanes loses its sign",
    file: "verilog/statements.ts",
    from: 'const which = c.expressions.lowerShared(lanes.index, consumer, "lane");',
    to: 'const which = bare(c.expressions.lowerShared(lanes.index, consumer, "lane"));',
  },
  {
    name: "an arithmetic shift loses its sign everywhere",
    file: "verilog/expressions.ts",
    from: 'system(binary(">>>", toSigned(a), by), true)',
    to: 'binary(">>>", toSigned(a), by)',
  },
  // Folding.
  {
    name: "a slice of a slice forgets its own offset",
    file: "ir/fold.ts",
    from: "slice(a.a, a.lo + lo, width)",
    to: "slice(a.a, a.lo, width)",
  },
  {
    name: "a constant is shifted without its sign",
    file: "ir/fold.ts",
    from: "const v = a.signed ? asSigned(a.value, a.width) : a.value;",
    to: "const v = a.value;",
  },
  {
    name: "a choice of 0 or a value forgets to invert",
    file: "ir/fold.ts",
    from: 'binary("and", unary("not", cond), b)',
    to: 'binary("and", cond, b)',
  },
  {
    name: "a constant is extended without its sign",
    file: "ir/fold.ts",
    from: "constant(a.signed ? asSigned(a.value, a.width) : a.value, width, a.signed)",
    to: "constant(a.value, width, a.signed)",
  },
  {
    name: "one bit unequal to 1 is the bit",
    file: "ir/fold.ts",
    from: '(b.value === 1n) === (op === "eq")',
    to: "b.value === 1n",
  },
  {
    name: "neighbouring constants meet at the wrong bit",
    file: "ir/fold.ts",
    from: "last.value << BigInt(p.width)",
    to: "last.value << BigInt(last.width)",
  },
  {
    name: "the sign bits of an extension are 0",
    file: "ir/fold.ts",
    from: 'a.kind === "extend" && !a.a.signed && lo >= a.a.width',
    to: 'a.kind === "extend" && lo >= a.a.width',
  },
  {
    name: "a piece of a concatenation is taken from its bottom",
    file: "ir/fold.ts",
    from: "slice(p, l - from, h - l)",
    to: "slice(p, 0, h - l)",
  },
  {
    name: "constants are compared as bit patterns",
    file: "ir/fold.ts",
    from: "return flag(x < y);",
    to: "return flag(a.value < b.value);",
  },
  // Interning.
  {
    name: "interning forgets the operator",
    file: "ir/intern.ts",
    from: "`${head}${e.op}`",
    to: "head",
  },
  {
    name: "interning forgets a constant's value",
    file: "ir/intern.ts",
    from: '`${head}${e.value}${e.label ?? ""}',
    to: '`${head}${e.label ?? ""}',
  },
  {
    name: "interning forgets the order of operands",
    file: "ir/intern.ts",
    from: '.join(",");',
    to: '.sort().join(",");',
  },
  // The emitter.
  {
    name: "a shift by one less than the width gives 0",
    file: "verilog/expressions.ts",
    from: "by >= BigInt(e.width) && !arithmetic",
    to: "by >= BigInt(e.width) - 1n && !arithmetic",
  },
  {
    name: "the least signed number is 0",
    file: "verilog/expressions.ts",
    from: "signed ? 1n << (w - 1n) : 0n",
    to: "0n",
  },
  { name: "the inverse of less is more", file: "verilog/expressions.ts", from: '  "<": ">=",', to: '  "<": ">",' },
  {
    name: "the sign is taken from the bit below",
    file: "verilog/expressions.ts",
    from: "sliceExpr(from, a.width - 1, 1)",
    to: "sliceExpr(from, a.width - 2, 1)",
  },
  {
    name: "a difference is sliced in the middle",
    file: "verilog/nodes.ts",
    from: "const fromZero = lo === 0 && (",
    to: "const fromZero = (",
  },
  {
    name: "neighbours of one vector print as a repetition",
    file: "verilog/nodes.ts",
    from: "a.name === b.name && a.lo === b.lo && a.width === b.width",
    to: "a.name === b.name && a.width === b.width",
  },
  {
    name: "an else branch of merged blocks is the first one's",
    file: "verilog/always.ts",
    from: "otherwise: weave(ifs.map(s => s.otherwise))",
    to: "otherwise: [...firstIf.otherwise]",
  },
  {
    name: "a bypass takes the lane from the bottom",
    file: "verilog/memory.ts",
    from: "slice(forward, lane * width, width)",
    to: "slice(forward, 0, width)",
  },
  {
    name: "a loop compares one bit less of its index",
    file: "verilog/statements.ts",
    from: "range(of, 0, lanes.index.width)",
    to: "range(of, 0, lanes.index.width - 1)",
  },
  {
    name: "a case that does not take all is ended by its last arm",
    file: "ir/resolve.ts",
    from: "last === undefined && complete && list.length",
    to: "last === undefined && list.length",
  },
];
