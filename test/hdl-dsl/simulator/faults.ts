/** Faults of the simulator itself: a text of its source and what is put in its place, by phase. */

import type { SimulatorFault } from "../../sim/designs/faulty.ts";

export const simulatorFaults: readonly SimulatorFault[] = [
  // The reader of Verilog
  { file: "reader/tokens.ts", from: "conditions.begin(false)", to: "conditions.begin(true)" },
  { file: "reader/parse-expression.ts", from: "binary(c, level + 1)", to: "binary(c, level)" },
  { file: "reader/parse-expression.ts", from: 'c.take().text === "$signed"', to: "c.take().text !== undefined" },
  { file: "reader/expressions.ts", from: "e.signed === signed ? e : cast(e);", to: "e;" },
  { file: "reader/expressions.ts", from: "Math.max(width, own.width), own.signed", to: "own.width, own.signed" },
  { file: "reader/expressions.ts", from: "signed: x.signed && y.signed", to: "signed: x.signed || y.signed" },
  { file: "reader/expressions.ts", from: 'e.op === ">>>" || !a.signed', to: "true" },
  { file: "reader/expressions.ts", from: "reduces[1] ? not(r) : r", to: "r" },
  { file: "reader/expressions.ts", from: "m.first === 0 ? a", to: "m.first >= 0 ? a" },
  { file: "reader/targets.ts", from: "at += t.width", to: "at += 1" },
  { file: "reader/targets.ts", from: "then: [set(n)]", to: "then: [set(0)]" },
  {
    file: "reader/clocked.ts",
    from: "s.otherwise === undefined ? [] : this.read(s.otherwise);\n    const",
    to: "[];\n    const",
  },
  { file: "reader/clocked.ts", from: "otherwise: rest", to: "otherwise: []" },
  { file: "reader/clocked.ts", from: "<< BigInt(t.lo / lane)", to: "<< 0n" },
  { file: "reader/lanes.ts", from: "if (text !== (word ??= text)) break;", to: "word ??= text;" },
  { file: "reader/module-reader.ts", from: "mine.low === head.low && whole", to: "mine.low === head.low" },
  { file: "reader/module-reader.ts", from: "p.local ? undefined : given.get(p.name)", to: "undefined" },
  { file: "reader/module-reader.ts", from: "init[at - first] = word.value", to: "init[at] = word.value" },
  { file: "reader/module-reader.ts", from: 'asynchronous === undefined ? "sync" : "async"', to: '"sync"' },
  // Flattening
  { file: "circuit/flatten.ts", from: "of.signed ? g.slt(x, y) : g.ult(x, y)", to: "g.ult(x, y)" },
  { file: "circuit/flatten.ts", from: "of.signed ? g.sext(n, width) : g.zext(n, width)", to: "g.zext(n, width)" },
  { file: "circuit/flatten.ts", from: 'm.collision === "new" ||', to: 'm.collision === "old" ||' },
  { file: "circuit/flatten.ts", from: "e.a.signed ? g.sar(a, by) : g.shr(a, by)", to: "g.shr(a, by)" },
  { file: "circuit/flatten.ts", from: "(parts as Node[]).reverse()", to: "parts as Node[]" },
  { file: "circuit/flatten.ts", from: "whole >> BigInt(g.lo)", to: "whole" },
  // Rules
  { file: "circuit/graph.ts", from: "this.mux(arg(c, 0), b, a)", to: "this.mux(arg(c, 0), a, b)" },
  { file: "circuit/graph.ts", from: "if (p.value !== want) return", to: "if (p.value === want) return" },
  { file: "circuit/graph.ts", from: "lo >= inner.width - 1", to: "lo >= inner.width - 2" },
  { file: "circuit/conjunction.ts", from: " || next.b.lo !== first.b.lo + width", to: "" },
  { file: "circuit/conjunction.ts", from: "width += next.width;", to: "width += 1;" },
  { file: "circuit/conjunction.ts", from: 'p.op === "const" && p.value === 0n', to: 'p.op === "slice" && p.lo === 0' },
  { file: "circuit/cases.ts", from: "if (x.values.has(k)) return undefined;", to: "x.values.has(k);" },
  { file: "circuit/cases.ts", from: "all.lo, all.hi - all.lo)", to: "all.lo, all.hi - all.lo - 1)" },
  { file: "circuit/vectors.ts", from: "0x8040_2010_0804_0201n", to: "0x4080_2010_0804_0201n" },
  { file: "circuit/vectors.ts", from: "out.push(g.xor(b, g.and", to: "out.push(g.xor(a, g.and" },
  { file: "circuit/vectors.ts", from: "arg(p, 1).value === BigInt(k)", to: "arg(p, 1).value >= 0n" },
  { file: "circuit/vectors.ts", from: "g.sub(g.add(tops, tops), ", to: "g.sub(tops, " },
  // Partitions and their order
  {
    file: "partition.ts",
    from: "else if (n.source !== undefined) add(n.source, p);",
    to: "else if (n.source !== undefined) continue;",
  },
  { file: "partition.ts", from: "(level.get(root) ?? 0) + 1", to: "0" },
  { file: "order.ts", from: "w => others(p, plan.readers.get(w.store), rest)", to: "() => []" },
  { file: "order.ts", from: "shadowed.add(r.source)", to: "shadowed.size" },
  // Memory
  { file: "memory-map.ts", from: "this.take(bytesOf(s.width) * s.depth)", to: "this.take(bytesOf(s.width))" },
  { file: "memory-map.ts", from: "if (group !== undefined) groups.add(group);", to: "" },
  { file: "memory-map.ts", from: "list[i + n]?.clock === clock", to: "list.length > 0" },
  { file: "start.ts", from: 'r.style === "none" && r.init !== undefined', to: "false" },
  { file: "start.ts", from: "s.init === undefined", to: "true" },
  // Code of a partition
  { file: "code/guards.ts", from: "arg(x.node, 2).source === x.register.source", to: "x.register.source.width > 0" },
  { file: "code/guards.ts", from: "? [] : [of];", to: "? [] : [cond, arg(of, 0)];" },
  // Without the check of what is read, which would end it at once: the outputs have to tell.
  {
    file: "code/guards.ts",
    from: "if (isLoad(cond)) return [];",
    to: "",
    also: { file: "code/function.ts", from: "?.has(this.#p) !== true", to: "?.has(this.#p) === null" },
  },
  { file: "code/guards.ts", from: "if (isLoad(cond)) return [];", to: "" },
  {
    file: "code/function.ts",
    from: "this.#differs(n, at);\n    c.if();\n    this.#store(n, at);",
    to: "this.#differs(n, at);\n    c.if();\n    this.#store(n, own);",
  },
  { file: "code/function.ts", from: "if (n.source !== undefined && this.#written.has(n.source)) return true;", to: "" },
  {
    file: "code/function.ts",
    from: "c.store(t, 8 * i);\n    }\n    if (this.#plan.gated)",
    to: "c.store(t, 8 * i);\n    }\n    if (!this.#plan.gated)",
  },
  {
    file: "code/narrow.ts",
    from: "c.i32(beyond);\n    this.within(address, depth);",
    to: "c.i32(beyond);\n    c.i32(1);",
  },
  { file: "code/contexts.ts", from: "x = this.#parent[x] as number;", to: "return a;" },
  // Operators
  { file: "code/narrow.ts", from: 'signed ? "ltS" : "ltU"', to: '"ltU"' },
  {
    file: "code/narrow.ts",
    from: 'c.op("i32", "ltU");\n    c.select();',
    to: 'c.i32(1);\n    c.op("i32", "or");\n    c.select();',
  },
  { file: "code/values.ts", from: "c.i64(BigInt(64 - off));", to: "c.i64(BigInt(63 - off));" },
  { file: "code/values.ts", from: "if (lo + width < n.width) this.mask", to: "if (lo + width < 32) this.mask" },
  { file: "code/wide.ts", from: 'c.op("i32", "or");\n      c.widen();', to: 'c.op("i32", "and");\n      c.widen();' },
  { file: "code/wide.ts", from: "c.i64(BigInt(own));", to: "c.i64(BigInt(own + 1));" },
  { file: "code/wide.ts", from: "value + 8 * (limbs + i)", to: "value + 8 * (limbs + i + 1)" },
  { file: "code/wide.ts", from: "k % 2 === 1", to: "k % 2 === 2" },
  // What runs the partitions
  {
    file: "generate.ts",
    from: 'tick.op("i32", "and");',
    to: 'tick.i32(1);\n    tick.op("i32", "or");\n    tick.op("i32", "or");',
  },
  { file: "generate.ts", from: "whenReset(settle, r, [r.async])", to: "whenReset(settle, r, [])" },
  { file: "generate.ts", from: "whenReset(tick, r, [r.sync, r.async])", to: "whenReset(tick, r, [r.async])" },
  { file: "generate.ts", from: "setFlags(code, plan.all);", to: "" },
  { file: "code/wasm.ts", from: "(low & 0x40) === 0", to: "true" },
];
