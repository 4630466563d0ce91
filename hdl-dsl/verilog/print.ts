/**
 * Prints Verilog: parentheses by precedence, and by habit where leaving them out is legal but misread. Printing is
 * independent of lowering.
 */
import { shortPosition } from "../ir/diagnostic.ts";
import type { Position } from "../ir/circuit.ts";
import { filled, laidOut, LINE, portGroups } from "./layout.ts";
import type {
  VAlways,
  VCase,
  VConnection,
  VDeclare,
  VExpr,
  VInstance,
  VItem,
  VLocalparam,
  VModule,
  VNumber,
  VPort,
  VStmt,
} from "./ast.ts";

/** IEEE 1364-2005 table 5-4; higher binds tighter. */
const PRECEDENCE: Readonly<Record<string, number>> = {
  "*": 11,
  "+": 10,
  "-": 10,
  "<<": 9,
  ">>": 9,
  ">>>": 9,
  "<": 8,
  "<=": 8,
  ">": 8,
  ">=": 8,
  "==": 7,
  "!=": 7,
  "&": 6,
  "^": 5,
  "|": 4,
};

/** Binary numbers up to this width show all their bits. */
const PADDED = 16;

/**
 * A sized literal: in the base of the source, else decimal while that is readable, else hexadecimal; negative numbers
 * with their sign.
 */
export function printNumber(n: VNumber): string {
  if (n.plain === true) return n.value.toString();
  if (n.signed) {
    const negative = n.value >> BigInt(n.width - 1) === 1n;
    const size = negative ? (1n << BigInt(n.width)) - n.value : n.value;
    return `${negative ? "-" : ""}${n.width}'sd${size}`;
  }
  if (n.width === 1) return `1'b${n.value}`;
  if (n.base === "hex") return `${n.width}'h${n.value.toString(16)}`;
  if (n.base === "binary") return `${n.width}'b${n.value.toString(2).padStart(Math.min(n.width, PADDED), "0")}`;
  return n.value < 0x10000n && n.width <= 64 ? `${n.width}'d${n.value}` : `${n.width}'h${n.value.toString(16)}`;
}

function inParentheses(e: VExpr): string {
  return `(${printExpr(e)})`;
}

/** An operand of a binary operator. */
function operand(parent: string, e: VExpr, right: boolean): string {
  switch (e.kind) {
    case "ternary":
      return inParentheses(e);
    case "unary":
      return e.op === "~" ? printExpr(e) : inParentheses(e);
    case "number":
      return e.signed && right ? parenthesiseNegative(e) : printNumber(e);
    case "binary": {
      const mine = PRECEDENCE[parent] as number,
        its = PRECEDENCE[e.op] as number;
      if (e.op === parent && (parent === "&" || parent === "|" || parent === "^")) return printExpr(e);
      // Left-associative sums and products read as they are written; everything else that mixes is parenthesised.
      if (!right && mine === its && mine >= 10) return printExpr(e);
      if (its === 11 && mine === 10) return printExpr(e);
      return inParentheses(e);
    }
    default:
      return printExpr(e);
  }
}

function parenthesiseNegative(e: VNumber): string {
  const text = printNumber(e);
  return text.startsWith("-") ? `(${text})` : text;
}

const bits = (e: { readonly lo: number; readonly width: number }): string =>
  e.width === 1 ? `[${e.lo}]` : `[${e.lo + e.width - 1}:${e.lo}]`;

/**
 * The number of a memory's word. Icarus computes it as wide as an integer: in braces a sum wraps at its own width, as
 * the standard says.
 */
function printWord(e: VExpr): string {
  return mayGrow(e) ? `{${printExpr(e)}}` : printExpr(e);
}

/** Whether an expression computed wider may have bits beyond its own width. */
function mayGrow(e: VExpr): boolean {
  switch (e.kind) {
    case "binary":
      return (
        ["+", "-", "*", "<<"].includes(e.op) ||
        (!["==", "!=", "<", "<=", ">", ">="].includes(e.op) && (mayGrow(e.a) || mayGrow(e.b)))
      );
    case "unary":
      return e.op === "-" || e.op === "~";
    case "ternary":
      return mayGrow(e.a) || mayGrow(e.b);
    default:
      return false;
  }
}

/** One expression on one line. */
export function printExpr(e: VExpr): string {
  switch (e.kind) {
    case "number":
      return printNumber(e);
    case "name":
      return e.name;
    case "range":
      return `${e.name}${bits(e)}`;
    case "lane":
      return `${e.name}[${printWord(e.index)}]${bits(e)}`;
    case "index":
      return `${e.name}[${e.memory ? printWord(e.index) : printExpr(e.index)}]`;
    case "part":
      return `${e.name}[${printExpr(e.base)} +: ${e.width}]`;
    case "unary": {
      const simple =
        e.a.kind !== "unary" &&
        e.a.kind !== "binary" &&
        e.a.kind !== "ternary" &&
        !(e.a.kind === "number" && e.a.signed);
      return `${e.op}${simple ? printExpr(e.a) : inParentheses(e.a)}`;
    }
    case "binary":
      return `${operand(e.op, e.a, false)} ${e.op} ${operand(e.op, e.b, true)}`;
    case "ternary":
      return ternaryArms(e)
        .map(arm => (arm.cond === undefined ? arm.value : `${arm.cond} ? ${arm.value} : `))
        .join("");
    case "concat":
      return `{${e.parts.map(printExpr).join(", ")}}`;
    case "repeat":
      return `{${e.count}{${printExpr(e.a)}}}`;
    case "system":
      return `${e.signed ? "$signed" : "$unsigned"}(${printExpr(e.a)})`;
  }
}

/** `c1 ? v1 : c2 ? v2 : v3` as a list; a loop, since chains are long. */
function ternaryArms(e: VExpr): { readonly cond: string | undefined; readonly value: string }[] {
  const arms: { cond: string | undefined; value: string }[] = [];
  let at = e;
  for (; at.kind === "ternary"; at = at.b) {
    const cond = at.cond.kind === "ternary" || at.cond.kind === "binary" ? inParentheses(at.cond) : printExpr(at.cond);
    arms.push({ cond, value: at.a.kind === "ternary" ? inParentheses(at.a) : printExpr(at.a) });
  }
  arms.push({ cond: undefined, value: printExpr(at) });
  return arms;
}

/** The operands of a chain of one associative operator, from the left. */
function termsOf(e: VExpr, op: string): VExpr[] {
  return e.kind === "binary" && e.op === op ? [...termsOf(e.a, op), ...termsOf(e.b, op)] : [e];
}

/**
 * An expression after `= `: one line when it fits in what is left, else one ternary arm per line, or lines
 * filled with the parts of a concatenation or the terms of a chain.
 */
function printValue(e: VExpr, before: string, indent: string): string {
  const line = printExpr(e);
  if (before.length + line.length <= LINE) return line;
  if (e.kind === "ternary") {
    const arms = ternaryArms(e);
    return arms
      .map(arm => `\n${indent}  ${arm.cond === undefined ? arm.value : `${arm.cond} ? ${arm.value} :`}`)
      .join("");
  }
  if (e.kind === "unary" && e.a.kind === "concat") return `${e.op}${printValue(e.a, before, indent)}`;
  if (e.kind === "concat") {
    const last = e.parts.length - 1;
    const parts = e.parts.map((p, i) => `${printExpr(p)}${i < last ? "," : ""}`);
    return `{\n${filled(parts, `${indent}  `).join("\n")}\n${indent}}`;
  }
  if (e.kind === "binary" && (e.op === "|" || e.op === "&" || e.op === "^")) {
    const terms = termsOf(e, e.op).map((t, i) => `${i === 0 ? "" : `${e.op} `}${operand(e.op, t, i > 0)}`);
    return `\n${filled(terms, `${indent}  `).join("\n")}`;
  }
  return line;
}

/**
 * Where text comes from rides along in it as the number of a position, and is taken out when the module is printed. The
 * marks are characters that no name, number or string literal of the text has. Each mark is of one byte: wider ones
 * would double the memory of the whole text.
 */
const MARKED = "\x01",
  MARK_END = "\x02",
  MARK = new RegExp(`${MARKED}\\d+${MARK_END}`, "g");
const positions: Position[] = [];
interface Place {
  readonly mark: string;
  readonly comment: string;
}
const places = new WeakMap<Position, Place>();
function placeOf(p: Position): Place {
  let m = places.get(p);
  if (m === undefined)
    places.set(p, (m = { mark: `${MARKED}${positions.push(p) - 1}${MARK_END}`, comment: ` // ${shortPosition(p)}` }));
  return m;
}
const mark = (p: Position | undefined): string => (p === undefined ? "" : placeOf(p).mark);
/** Text before a value, and the value: no blank before a line's end. */
const beside = (head: string, value: string): string =>
  value.startsWith("\n") ? `${head.trimEnd()}${value}` : `${head}${value}`;
const visible = (text: string): number => (text.includes(MARKED) ? text.replace(MARK, "").length : text.length);

const comment = (p: Position | undefined): string => (p === undefined ? "" : placeOf(p).comment);
const dimension = (width: number): string => (width === 1 ? "" : `[${width - 1}:0] `);
const sign = (signed: boolean): string => (signed ? "signed " : "");

function printStatements(body: readonly VStmt[], indent: string): string {
  if (body.length > 1 && body.every(s => s.kind === "nonblocking" && s.isReset === true)) {
    const all = body.map(s => printStatement(s, "").trimEnd());
    return filled(all, indent, visible)
      .map(l => `${l}\n`)
      .join("");
  }
  return body.map(s => printStatement(s, indent)).join("");
}

/**
 * The tail after `if (...)`, `else`, `for (...)` or `label:`: one short statement on the same line, else a block.
 * `last`: no `else` may follow that an if in there could take.
 */
function printBranch(body: readonly VStmt[], indent: string, head: string, last = false): string {
  const only = body[0];
  if (only === undefined) return `${head} ;\n`;
  if (
    body.length === 1 &&
    (only.kind === "nonblocking" ||
      only.kind === "property" ||
      only.kind === "blocking" ||
      (last && (only.kind === "if" || only.kind === "for")))
  ) {
    const line = printStatement(only, "");
    if (visible(head) + visible(line) <= LINE && line.indexOf("\n") === line.length - 1) return `${head} ${line}`;
  }
  return `${head} begin\n${printStatements(body, `${indent}  `)}${indent}end\n`;
}

function printStatement(s: VStmt, indent: string): string {
  switch (s.kind) {
    case "nonblocking": {
      const head = `${indent}${printExpr(s.target)} <= `;
      return `${mark(s.position)}${beside(head, printValue(s.value, head, indent))};\n`;
    }
    case "blocking":
      return `${indent}${printExpr(s.target)} = ${printExpr(s.value)};\n`;
    case "property":
      return `${mark(s.position)}${indent}${s.what} (${printExpr(s.cond)});${comment(s.position)}\n`;
    case "fail":
      return `${mark(s.position)}${indent}$display("%s", ${printString(s.message)});${comment(s.position)}\n${indent}$stop;\n`;
    case "if": {
      let text = printBranch(s.then, indent, `${mark(s.position)}${indent}if (${printExpr(s.cond)})`);
      let rest = s.otherwise;
      for (;;) {
        const next = rest[0];
        if (next === undefined) return text;
        if (rest.length === 1 && next.kind === "if") {
          text += printBranch(next.then, indent, `${mark(next.position)}${indent}else if (${printExpr(next.cond)})`);
          rest = next.otherwise;
        } else if (rest.length === 1 && next.kind === "case") return text + printCase(next, indent, `${indent}else `);
        else return text + printBranch(rest, indent, `${indent}else`, true);
      }
    }
    case "for":
      return printBranch(
        s.body,
        indent,
        `${indent}for (${s.variable} = ${s.from}; ${s.variable} < ${s.to}; ${s.variable} = ${s.variable} + 1)`,
        true,
      );
    case "case":
      return printCase(s, indent, indent);
  }
}

function printCase(s: VCase, indent: string, head: string): string {
  const inner = `${indent}  `;
  const items = s.items
    .map(i => printBranch(i.body, inner, `${inner}${i.labels.map(printExpr).join(", ")}:`, true))
    .join("");
  return `${mark(s.position)}${head}case (${printExpr(s.on)})\n${items}${printBranch(s.otherwise, inner, `${inner}default:`, true)}${indent}endcase\n`;
}

/** A string literal; quotes, backslashes and control characters escaped, anything beyond ASCII replaced. */
export function printString(text: string): string {
  const body = text
    .replace(/[\\"]/g, "\\$&")
    .replace(/\n/g, "\\n")
    .replace(/[^\x20-\x7e]/g, "?");
  return `"${body}"`;
}

/** `first`: the source of the declarations before was another line, so it is told. */
function printDeclare(d: VDeclare, first: boolean): string {
  const attributes = d.attributes.length === 0 ? "" : `${printAttributes(d.attributes)} `;
  const head = `  ${attributes}${d.what} ${sign(d.signed)}${dimension(d.width)}${d.name}${d.depth === undefined ? "" : ` [0:${d.depth - 1}]`}`;
  const from = mark(d.position),
    tail = first ? comment(d.position) : "";
  return d.value === undefined
    ? `${from}${head};${tail}\n`
    : `${from}${beside(`${head} = `, printValue(d.value, `${head} = `, "  "))};${tail}\n`;
}

/** Declarations of one type: `reg [3:0] a, b, c;`. */
function printTogether(all: readonly VDeclare[], first: boolean): string {
  const [d] = all;
  if (d === undefined) return "";
  const type = `${d.what} ${sign(d.signed)}${dimension(d.width)}`;
  const names = all.map(
    (x, i) => `${mark(x.position)}${i === 0 ? type : ""}${x.name}${i + 1 < all.length ? "," : ";"}`,
  );
  const lines = filled(names, "    ", visible).map((l, i) => (i === 0 ? l.slice(2) : l));
  return `${lines.join("\n")}${first ? comment(d.position) : ""}\n`;
}

function printAlways(a: VAlways): string {
  const head = `  always @(posedge ${a.clock}${a.reset === undefined ? "" : ` or ${a.low === true ? "neg" : "pos"}edge ${a.reset}`})`;
  const only = a.body[0];
  if (a.body.length === 1 && only !== undefined && (only.kind === "if" || only.kind === "case"))
    return `${head}\n${printStatement(only, "    ")}`;
  return printBranch(a.body, "  ", head);
}

function printParameters(parameters: VInstance["parameters"]): string[] {
  return parameters.map(([k, v]) => `.${k}(${typeof v === "number" ? v : printString(v)})`);
}

/** One pin a line; those of a stream together. */
function printPins(all: VInstance["connections"]): string {
  const longest = Math.max(0, ...all.filter(c => c.group === undefined).map(c => c.port.length));
  const lines: string[] = [];
  for (let n = 0; n < all.length;) {
    const first = all[n] as VConnection;
    if (first.group === undefined) {
      lines.push(`    .${first.port.padEnd(longest)} (${printExpr(first.value)})${++n < all.length ? "," : ""}`);
      continue;
    }
    const pins: string[] = [];
    for (let c: VConnection | undefined = first; c?.group === first.group; c = all[n])
      pins.push(`.${c.port} (${printExpr(c.value)})${++n < all.length ? "," : ""}`);
    lines.push(...filled(pins, "    "));
  }
  return lines.join("\n");
}

function printInstance(i: VInstance): string {
  const parameters = i.parameters.length === 0 ? "" : ` #(${printParameters(i.parameters).join(", ")})`;
  const pins = printPins(i.connections);
  return `${mark(i.position)}  ${i.module}${parameters} ${i.name} (${comment(i.position)}\n${pins}\n  );\n`;
}

/** Neighbouring words of a memory share lines. */
function printInitial(body: readonly VStmt[]): string {
  const only = body[0];
  if (body.length < 2 || body.some(s => s.kind !== "blocking" && s.kind !== "for") || only === undefined)
    return printBranch(body, "  ", "  initial");
  const lines: string[] = [];
  let words: string[] = [];
  const flush = (): void => {
    if (words.length > 0) lines.push(...filled(words, "    ").map(l => `${l}\n`));
    words = [];
  };
  for (const s of body) {
    const text = printStatement(s, "");
    if (s.kind === "blocking") words.push(text.trimEnd());
    else {
      flush();
      lines.push(printStatement(s, "    "));
    }
  }
  flush();
  return `  initial begin\n${lines.join("")}  end\n`;
}

/** A localparam's name and value: in the base in which its codes are chosen. */
function printParameter({ name, value, width, base }: VLocalparam): string {
  if (base === "binary") return `${name} = ${width}'b${value.toString(2).padStart(width, "0")}`;
  if (base === "hex") return `${name} = ${width}'h${value.toString(16).padStart(Math.ceil(width / 4), "0")}`;
  return `${name} = ${printNumber({ kind: "number", value, width, signed: false, cost: 1 })}`;
}

/** The values of one enumeration: `localparam [7:0] opcode_read = 8'h40, opcode_write = 8'h50;` over some lines. */
function printParameterList(all: readonly VLocalparam[]): string {
  const type = `localparam ${dimension(all[0]?.width ?? 1)}`;
  const values = all.map((p, i) => `${i === 0 ? type : ""}${printParameter(p)}${i + 1 < all.length ? "," : ";"}`);
  return `${filled(values, "    ").join("\n").slice(2)}\n`;
}

function printItem(item: VItem): string {
  switch (item.kind) {
    case "declare":
      return printDeclare(item, true);
    case "localparam":
      return `  localparam ${dimension(item.width)}${printParameter(item)};\n`;
    case "assign": {
      const head = `  assign ${printExpr(item.target)} = `;
      return `${mark(item.position)}${beside(head, printValue(item.value, head, "  "))};\n`;
    }
    case "always":
      return printAlways(item);
    case "integer":
      return `  integer ${item.name};\n`;
    case "initial":
      return printInitial(item.body);
    case "instance":
      return printInstance(item);
    case "blank":
      return "\n";
    case "guarded": {
      const formal = item.formal.map(printItem).join(""),
        simulation = item.simulation.map(printItem).join("");
      return simulation === ""
        ? `\`ifdef FORMAL\n${formal}\`endif\n`
        : `\`ifdef FORMAL\n${formal}\`else\n\`ifndef SYNTHESIS\n${simulation}\`endif\n\`endif\n`;
    }
  }
}

const printAttributes = (all: readonly (readonly [string, string | number])[]): string =>
  `(* ${all.map(([k, v]) => `${k} = ${typeof v === "number" ? v : printString(v)}`).join(", ")} *)`;

function printPorts(ports: readonly VPort[]): string {
  const types = ports.map(p => `${p.dir.padEnd(6)} wire ${sign(p.signed)}${dimension(p.width)}`.trimEnd());
  const longest = Math.max(0, ...types.map(t => t.length));
  return portGroups(ports)
    .map(
      (p, i) =>
        `${p.heading === undefined ? "" : `  // ${p.heading}\n`}${(p.attributes ?? []).map(a => `  ${printAttributes([a])}\n`).join("")}${mark(p.position)}  ${(types[i] as string).padEnd(longest)} ${p.name}${i + 1 < ports.length ? "," : ""}\n`,
    )
    .join("");
}

/** From here on in its line (both count from 0), text comes from `position`. */
export interface Origin {
  readonly line: number;
  readonly column: number;
  readonly position: Position;
}
/** A printed file and where its parts come from, in order. */
export interface Printed {
  readonly text: string;
  readonly origins: readonly Origin[];
}

/** The whole file, newline at the end. */
export function printModule(m: VModule): string {
  return printMapped(m).text;
}

/** As `printModule`, with the source positions of what is printed. */
export function printMapped(m: VModule): Printed {
  const origins: Origin[] = [],
    parts: string[] = [],
    text = marked(m);
  // `from`: the first character not taken yet; `bol`: where its line begins, less the marks taken out of that line.
  let line = 0,
    bol = 0,
    from = 0;
  for (let at = text.indexOf(MARKED); at >= 0; at = text.indexOf(MARKED, from)) {
    for (let end = text.indexOf("\n", from); end >= 0 && end < at; end = text.indexOf("\n", end + 1)) {
      line++;
      bol = end + 1;
    }
    const close = text.indexOf(MARK_END, at);
    origins.push({ line, column: at - bol, position: positions[Number(text.slice(at + 1, close))] as Position });
    parts.push(text.slice(from, at));
    from = close + 1;
    bol += from - at;
  }
  parts.push(text.slice(from));
  // The header holds what the user wrote, any characters, and comes from nowhere.
  const header = m.header.map(l => `// ${l}\n`).join(""),
    above = header.split("\n").length - 1;
  return {
    text: header + parts.join(""),
    origins: above === 0 ? origins : origins.map(o => ({ ...o, line: o.line + above })),
  };
}

/** Everything below the header, with its marks. */
function marked(m: VModule): string {
  const parameters =
    m.parameters.length === 0
      ? ""
      : ` #(\n${m.parameters.map(([k, v]) => `  parameter ${k} = ${typeof v === "number" ? v : printString(v)}`).join(",\n")}\n)`;
  return `module ${m.name}${parameters} (\n${printPorts(m.ports)});\n${printItems(m.items)}endmodule\n`;
}

/** The items; blank lines only between two of them, and one at most. */
function printItems(items: readonly VItem[]): string {
  const texts: string[] = [];
  let blank = false;
  for (const l of laidOut(items)) {
    if (l.kind === "alone" && l.item.kind === "blank") {
      blank = texts.length > 0;
      continue;
    }
    const text =
      l.kind === "together"
        ? printTogether(l.declares, l.first)
        : l.kind === "parameters"
          ? printParameterList(l.parameters)
          : l.item.kind === "declare"
            ? printDeclare(l.item, l.first)
            : printItem(l.item);
    texts.push(blank ? `\n${text}` : text);
    blank = false;
  }
  return texts.join("");
}
