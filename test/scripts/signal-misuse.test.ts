import { RuleTester } from "eslint";
import { afterAll, describe, it } from "vitest";
import tseslint from "typescript-eslint";
import { signalMisuse } from "../../scripts/eslint/signal-misuse.ts";
import { root } from "../../scripts/setup/paths.mjs";

Object.assign(RuleTester, { describe, it, itOnly: it.only, afterAll });
const tester = new RuleTester({
  languageOptions: {
    parser: tseslint.parser,
    parserOptions: { projectService: { allowDefaultProject: ["*.ts"] }, tsconfigRootDir: root },
  },
});

const declarations = `
import { bit, fsm, struct, switchOn, uint, sint, vec, when, wire, type Bit, type Def, type StreamIn, type UInt } from "./hdl-dsl/index.ts";
const a = wire(uint(8)), b = wire(uint(8)), flag = wire(bit), n = wire(sint(8)), s = wire(struct({ x: uint(4) })), v = wire(vec(uint(8), 4));
declare const stream: StreamIn<ReturnType<typeof uint<8>>>;
declare const maybe: Bit | undefined;
declare const width: number, text: string | undefined, all: readonly UInt<8>[], on: boolean;
declare function generic<T extends UInt>(x: T): void;
`;
const code = (text: string) => ({ code: `${declarations}${text}`, filename: `${root}/signal-misuse-sample.ts` });
const bad = (text: string, ...messageIds: string[]) => ({
  name: text,
  ...code(text),
  errors: messageIds.map(messageId => ({ messageId })),
});
const good = (text: string) => ({ name: text, ...code(text) });

describe("signal-misuse", () => {
  tester.run("signal-misuse", signalMisuse as never, {
    invalid: [
      bad("if (a) { }", "condition"),
      bad("if (flag) { }", "condition"),
      bad("if (a.eq(b)) { }", "condition"),
      bad("if (maybe) { }", "condition"),
      bad("if (n) { }", "condition"),
      bad("if (s) { }", "condition"),
      bad("if (v) { }", "condition"),
      bad("if (stream) { }", "condition"),
      bad("if (stream.fire) { }", "condition"),
      bad("if (on && a) { }", "condition"),
      bad("const t = a ? 1 : 2;", "condition"),
      bad("while (flag) { }", "condition"),
      bad("do { } while (flag);", "condition"),
      bad("for (; flag;) { }", "condition"),
      bad("const t = Boolean(flag);", "condition"),
      bad("function f<T extends UInt>(x: T): number { return x ? 1 : 0; }", "condition"),
      bad("const t = !a;", "negation"),
      bad("if (!a) { }", "negation"),
      bad("const t = a && b;", "logic"),
      bad("const t = a || b;", "logic"),
      bad("const t = maybe || flag;", "logic"),
      bad("if (a && on) { }", "logic"),
      bad("if (a && b) { }", "logic", "condition"),
      bad("const t = on && a && b;", "logic"),
      bad("const t = on && (flag || b);", "logic"),
      bad("const t = a === b;", "comparison"),
      bad("const t = a !== b;", "comparison"),
      bad("const t = a == 3;", "comparison"),
      bad("const t = a != b;", "comparison"),
      bad("const t = all[0] === a;", "comparison"),
      bad("const t = a < b;", "arithmetic"),
      bad("const t = a + b;", "arithmetic"),
      bad("const t = width + a;", "arithmetic"),
      bad("const t = a & b;", "arithmetic"),
      bad("const t = -a;", "arithmetic"),
      bad("const t = ~a;", "arithmetic"),
      bad("let r: any = 1; r += a;", "arithmetic"),
      bad("let r = a; r++;", "arithmetic"),
      bad("const t = `${a}`;", "text"),
      bad("const t = `${width} ${a.add(1)}`;", "text"),
      bad("const t = 'x' + a;", "arithmetic"),
      bad("switch (a) { default: }", "switch"),
      bad("all.filter(x => x.eq(1));", "predicate"),
      bad("all.some(x => x.any());", "predicate"),
      bad("let w = a; when(flag, () => { w = b; });", "reassigned"),
      bad("let w = a; when(flag, () => { a.set(b); }).elseWhen(flag, () => { w = b.add(1); });", "reassigned"),
      bad("let w = a; when(flag, () => undefined).otherwise(() => { w = b; });", "reassigned"),
      bad("let w = a; switchOn(a).is(1, () => { w = b; });", "reassigned"),
      bad("let w: UInt = a; fsm(['Off'], 'Off', () => ({ Off: () => { w = b; } }));", "reassigned"),
      bad("let w = a; when(flag, () => { when(flag, () => { w = b; }); });", "reassigned"),
      bad("a.add(b);", "dropped"),
      bad("flag.not();", "dropped"),
    ],
    valid: [
      good("if (maybe !== undefined) { }"),
      good("if (undefined === maybe || on) { }"),
      good("const t = maybe ?? flag;"),
      good("const t = maybe?.not();"),
      good("let w = a; w = b; when(flag, () => { let inner = w; inner = b; a.set(inner); });"),
      good("let w: UInt | undefined; when(flag, () => { w = a.add(1); });"),
      good("let sum: UInt = a; [b].forEach(x => { sum = sum.add(x); });"),
      good("let w = 1; when(flag, () => { w = 2; }); w = 3;"),
      good("if (width > 3 && text) { }"),
      good("const t = a.eq(b).and(flag);"),
      good("const t = `${a.width}`;"),
      good("const t = a.width === b.width;"),
      good("if (all.length) { }"),
      good("all.filter(x => x.width === 8);"),
      good("all.map(x => x.not());"),
      good("a.set(b);"),
      good("generic(a);"),
      good("declare const d: Def; if (d) { }"),
      good("const t = typeof a;"),
      good("declare const o: any; if (o) { }"),
      good("declare const e: {}; if (e) { }"),
    ],
  });
});
