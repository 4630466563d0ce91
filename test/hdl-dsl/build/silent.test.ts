/**
 * Misuse that TypeScript can express stops elaboration or warns, without a linter and without tsc: the whole message,
 * places included.
 */
import { expect, test } from "vitest";
import {
  bit,
  type Def,
  emit,
  formatDiagnostic,
  HdlError,
  input,
  module,
  output,
  warningsOf,
} from "../../../hdl-dsl/index.ts";
import { faults } from "./silent.ts";

/** What a definition is told: its errors, or else its warnings. */
function told(def: Def): readonly string[] {
  try {
    emit(def);
  } catch (e) {
    if (e instanceof HdlError) return e.diagnostics.map(formatDiagnostic);
    throw e;
  }
  return warningsOf(def).map(formatDiagnostic);
}

const expected: Readonly<Record<string, readonly string[]>> = {
  HDL104_sext: [
    "HDL104 in SignOfUnsigned: sext(16): signed expected, `a` is unsigned (silent.ts:21; see silent.ts:12). Extend it with zext(16), or read it as signed first with asSint()",
  ],
  HDL104_zext: [
    "HDL104 in ZerosForSigned: zext(16): unsigned expected, `s` is signed (silent.ts:22; see silent.ts:12). Extend it by its sign with sext(16), or read it as unsigned first with asUint()",
    "HDL104 in ZerosForSigned: `y` is set: unsigned expected, the operand is signed (silent.ts:22). Convert it with asUint()",
  ],
  HDL128_long: [
    "HDL128 in SixWordsInFour: the initial contents of `rom` have 6 words, the memory has 4 (silent.ts:23). Give at most 4 words, or a depth of 6",
  ],
  HDL102_initial: [
    "HDL102 in WordTooWide: word 2 of the initial contents of `rom`: the number 300 does not fit 8 bits unsigned (0 to 255) (silent.ts:24). Use a number in range, or a wider value",
  ],
  HDL102_initialFraction: [
    "HDL102 in WordWithFraction: word 0 of the initial contents of `rom`: the number 1.5 is not a whole number that JavaScript holds exactly (silent.ts:25). Write a whole number, as a bigint (123n) when it is beyond 2^53",
  ],
  HDL128_text: [
    "HDL128 in WordOfText: word 0 of the initial contents of `rom` is a string, not a number (silent.ts:26). Give a number",
  ],
  HDL016_keyword: [
    "HDL016 in always: the module's name `always` is a keyword of Verilog (silent.ts:27). Name it with letters, digits and underscores, no digit first, and no keyword: `always_it` for example",
  ],
  HDL016_end: [
    "HDL016 in end: the module's name `end` is a keyword of Verilog (silent.ts:28). Name it with letters, digits and underscores, no digit first, and no keyword: `end_it` for example",
  ],
  HDL016_digit: [
    "HDL016 in 3x: the module's name `3x` is no identifier of Verilog (silent.ts:29). Name it with letters, digits and underscores, no digit first, and no keyword: `m3x` for example",
  ],
  HDL016_blank: [
    "HDL016 in My Module: the module's name `My Module` is no identifier of Verilog (silent.ts:30). Name it with letters, digits and underscores, no digit first, and no keyword: `My_Module` for example",
  ],
  HDL016_empty: [
    "HDL016: the module's name `` is no identifier of Verilog (silent.ts:31). Name it with letters, digits and underscores, no digit first, and no keyword: `m` for example",
  ],
  HDL017_keyword: [
    "HDL017 in PortKeyword: port `wire` of the top module: `wire` is a keyword of Verilog (silent.ts:32). Give one of the ports another name, `wire_it` for example",
  ],
  HDL017_twice: [
    "HDL017 in PortTwice: ports `a_b` and `a.b` of the top module would both be called `a_b` (silent.ts:33; see silent.ts:33). Give one of the ports another name, `a_b_2` for example",
  ],
  HDL017_box: [
    "HDL017 in VENDOR_RAM: port `end` of the black box: `end` is a keyword of Verilog (silent.ts:34). Give one of the ports another name, `end_it` for example",
  ],
  HDL124_number: [
    "HDL124 in MinusOperator: `a` is used as a JavaScript number: it is known only when the hardware runs (silent.ts:35). Calculate and compare by methods: a.sub(b), a.lt(b)",
  ],
  HDL124_compared: [
    "HDL124 in LessOperator: `a` is used as a JavaScript number: it is known only when the hardware runs (silent.ts:36). Calculate and compare by methods: a.sub(b), a.lt(b)",
  ],
  HDL124_equal: [
    "HDL124 in EqualOperator: `a` is used as a JavaScript value: it is known only when the hardware runs (silent.ts:37). Calculate and compare by methods: a.eq(b) for ==, a.add(b) for +",
  ],
  HDL124_plus: [
    "HDL124 in PlusOperator: `a` is used as a JavaScript value: it is known only when the hardware runs (silent.ts:38). Calculate and compare by methods: a.eq(b) for ==, a.add(b) for +",
  ],
  HDL124_text: [
    "HDL124 in TextOfValue: `a` is used as a JavaScript text: it is known only when the hardware runs (silent.ts:39). Leave it out of the text",
  ],
  HDL124_struct: [
    "HDL124 in TextOfStruct: a struct is used as a JavaScript text: it is known only when the hardware runs (silent.ts:40). Leave it out of the text",
  ],
  HDL124_vec: [
    "HDL124 in SumOfVec: a vec is used as a JavaScript value: it is known only when the hardware runs (silent.ts:41). Calculate and compare by methods: a.eq(b) for ==, a.add(b) for +",
  ],
  HDL124_stream: [
    "HDL124 in TextOfStream: a stream is used as a JavaScript text: it is known only when the hardware runs (silent.ts:42). Leave it out of the text",
  ],
  HDL125_async: [
    "HDL125 in AsyncWhen: the body of when is asynchronous: what comes after an await would run when the module is finished (silent.ts:43). Leave async out: await what it needs before the module is made",
  ],
  HDL125_before: [
    "HDL125 in RanBefore: the body of when is undefined, not a function: what stands there ran before, whatever the condition (silent.ts:44). Write an arrow before it: () => { ... }",
  ],
  HDL125_otherwise: [
    "HDL125 in AsyncOtherwise: the body of otherwise is asynchronous: what comes after an await would run when the module is finished (silent.ts:45). Leave async out: await what it needs before the module is made",
  ],
  HDL125_case: [
    "HDL125 in GeneratorCase: the body of a case is a generator, which runs only when somebody asks it for values (silent.ts:46). Write a plain function",
  ],
  HDL125_state: [
    "HDL125 in AsyncState: the handler of state On is asynchronous: what comes after an await would run when the module is finished (silent.ts:47). Leave async out: await what it needs before the module is made",
  ],
  HDL125_body: [
    "HDL125 in AsyncBody: the body of module AsyncBody is asynchronous: what comes after an await would run when the module is finished (silent.ts:48). Leave async out: await what it needs before the module is made",
  ],
  HDL126_instance: [
    "HDL126 in NotCalled: instance: the module `Leaf` was not called (silent.ts:49; see silent.ts:13). Call it, with its parameters if it has any: Leaf(...)",
  ],
  HDL126_nothing: [
    "HDL126 in NoModule: instance: got undefined, not a module (silent.ts:50). Give a module that was called: Name() or Name({ ... })",
  ],
  HDL126_emit: [
    "HDL126: emit: the module `Leaf` was not called (silent.test.ts:22; see silent.ts:13). Call it, with its parameters if it has any: Leaf(...)",
  ],
  HDL015_read: [
    "HDL015 in Inner: `d` belongs to another module (silent.ts:53; see silent.ts:52). Bring it in by a port of this module and connect that where the module is instantiated",
  ],
  HDL015_driven: [
    "HDL015 in Inner: `q` belongs to another module (silent.ts:59; see silent.ts:58). Bring it in by a port of this module and connect that where the module is instantiated",
    "HDL002 in DrivesAnother: output `q` is never assigned (silent.ts:58). Assign it, or remove it",
  ],
  HDL015_leaf: [
    "HDL015 in Takes: `d` belongs to another module (silent.ts:66; see silent.ts:63). Bring it in by a port of this module and connect that where the module is instantiated",
  ],
  HDL127_itself: [
    "HDL127 in Endless: module Endless contains itself (silent.ts:69; see silent.ts:69). Give the inner instance other parameters, and an end to the recursion",
  ],
  HDL127_functions: [
    "HDL127 in NoEnd: the elaboration has no end: functions or modules call one another until the call stack is full (silent.ts:12). Give the recursion an end",
  ],
  HDL127_deeper: [
    "HDL127 in Deeper_n199: modules stand more than 200 deep within one another, Deeper_n200 innermost (silent.ts:15; see silent.ts:14). Give the recursion an end: a parameter that grows or shrinks must reach a last value",
  ],
};

test("every planted misuse is expected here", () => {
  expect(Object.keys(faults)).toEqual(Object.keys(expected));
});

test.each(Object.entries(faults))("%s", (key, def) => {
  expect(told(def)).toEqual(expected[key]);
});

test("a good module is emitted after every one of them", () => {
  const Good = module(
    "Good",
    () => ({ d: input(bit), q: output(bit) }),
    io => io.q.set(io.d.not()),
  );
  for (const def of Object.values(faults)) told(def);
  const { files, warnings } = emit(Good());
  expect([files.map(f => f.text.split("\n").slice(2)), warnings]).toEqual([
    [["module Good (", "  input  wire d,", "  output wire q", ");", "  assign q = ~d;", "endmodule", ""]],
    [],
  ]);
});
