import { Expressions, Random, assign, circuit, readOf, signal } from "./support/random.ts";
import { emitCircuit } from "../../hdl-dsl/verilog/emit.ts";
import { lint } from "./support/lint.ts";
for (const seed of process.argv.slice(2).map(Number)) {
const random = new Random(seed);
const inputs = [1, 1, 2, 3, 4, 8, 8, 8, 16, 16, 33, 64].map((w, i) => signal("input", `i${i}`, w, i % 3 === 0));
const pool = new Expressions(random, inputs.map(readOf));
const values = new Map();
for (let i = 0; i < 60; i++) { const e = pool.any(1 + random.below(6)); values.set(signal("output", `o${i}`, e.width, e.signed), e); }
const d = emitCircuit(circuit("Random", [...inputs, ...values.keys()], [...values].map(([s, e]) => assign(s, e))));
console.log(lint(d).slice(0, 1500));
for (const n of new Set([...lint(d).matchAll(/not used: '(\w+)'/g)].map(m => m[1]!))) console.log(d.files[0]!.text.split("\n").filter(l => l.includes(n)).join("\n"));
}
