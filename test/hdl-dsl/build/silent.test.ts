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
    "HDL104 in SignOfUnsigned: sext(16): signed expected, `a` is unsigned (silent.ts:33; see silent.ts:12). Extend it with zext(16), or read it as signed first with asSint()",
  ],
  HDL104_zext: [
    "HDL104 in ZerosForSigned: zext(16): unsigned expected, `s` is signed (silent.ts:34; see silent.ts:12). Extend it by its sign with sext(16), or read it as unsigned first with asUint()",
    "HDL104 in ZerosForSigned: `y` is set: unsigned expected, the operand is signed (silent.ts:34). Convert it with asUint()",
  ],
  HDL128_long: [
    "HDL128 in SixWordsInFour: the initial contents of `rom` have 6 words, the memory has 4 (silent.ts:35). Give at most 4 words, or a depth of 6",
  ],
  HDL102_initial: [
    "HDL102 in WordTooWide: word 2 of the initial contents of `rom`: the number 300 does not fit 8 bits unsigned (0 to 255) (silent.ts:36). Use a number in range, or a wider value",
  ],
  HDL102_initialFraction: [
    "HDL102 in WordWithFraction: word 0 of the initial contents of `rom`: the number 1.5 is not a whole number that JavaScript holds exactly (silent.ts:37). Write a whole number, as a bigint (123n) when it is beyond 2^53",
  ],
  HDL128_text: [
    "HDL128 in WordOfText: word 0 of the initial contents of `rom` is a string, not a number (silent.ts:38). Give a number",
  ],
  HDL016_keyword: [
    "HDL016 in always: the module's name `always` is a keyword of Verilog (silent.ts:39). Name it with letters, digits and underscores, no digit first, and no keyword: `always_it` for example",
  ],
  HDL016_end: [
    "HDL016 in end: the module's name `end` is a keyword of Verilog (silent.ts:40). Name it with letters, digits and underscores, no digit first, and no keyword: `end_it` for example",
  ],
  HDL016_digit: [
    "HDL016 in 3x: the module's name `3x` is no identifier of Verilog (silent.ts:41). Name it with letters, digits and underscores, no digit first, and no keyword: `m3x` for example",
  ],
  HDL016_blank: [
    "HDL016 in My Module: the module's name `My Module` is no identifier of Verilog (silent.ts:42). Name it with letters, digits and underscores, no digit first, and no keyword: `My_Module` for example",
  ],
  HDL016_empty: [
    "HDL016: the module's name `` is no identifier of Verilog (silent.ts:43). Name it with letters, digits and underscores, no digit first, and no keyword: `m` for example",
  ],
  HDL017_keyword: [
    "HDL017 in PortKeyword: port `wire` of the top module: `wire` is a keyword of Verilog (silent.ts:44). Give one of the ports another name, `wire_it` for example",
  ],
  HDL017_twice: [
    "HDL017 in PortTwice: ports `a_b` and `a.b` of the top module would both be called `a_b` (silent.ts:45; see silent.ts:45). Give one of the ports another name, `a_b_2` for example",
  ],
  HDL017_box: [
    "HDL017 in VENDOR_RAM: port `end` of the black box: `end` is a keyword of Verilog (silent.ts:46). Give one of the ports another name, `end_it` for example",
  ],
  HDL124_number: [
    "HDL124 in MinusOperator: `a` is used as a JavaScript number: it is known only when the hardware runs (silent.ts:47). Calculate and compare by methods: a.sub(b), a.lt(b)",
  ],
  HDL124_compared: [
    "HDL124 in LessOperator: `a` is used as a JavaScript number: it is known only when the hardware runs (silent.ts:48). Calculate and compare by methods: a.sub(b), a.lt(b)",
  ],
  HDL124_equal: [
    "HDL124 in EqualOperator: `a` is used as a JavaScript value: it is known only when the hardware runs (silent.ts:49). Calculate and compare by methods: a.eq(b) for ==, a.add(b) for +",
  ],
  HDL124_plus: [
    "HDL124 in PlusOperator: `a` is used as a JavaScript value: it is known only when the hardware runs (silent.ts:50). Calculate and compare by methods: a.eq(b) for ==, a.add(b) for +",
  ],
  HDL124_text: [
    "HDL124 in TextOfValue: `a` is used as a JavaScript text: it is known only when the hardware runs (silent.ts:51). Leave it out of the text",
  ],
  HDL124_struct: [
    "HDL124 in TextOfStruct: a struct is used as a JavaScript text: it is known only when the hardware runs (silent.ts:52). Leave it out of the text",
  ],
  HDL124_vec: [
    "HDL124 in SumOfVec: a vec is used as a JavaScript value: it is known only when the hardware runs (silent.ts:53). Calculate and compare by methods: a.eq(b) for ==, a.add(b) for +",
  ],
  HDL124_stream: [
    "HDL124 in TextOfStream: a stream is used as a JavaScript text: it is known only when the hardware runs (silent.ts:54). Leave it out of the text",
  ],
  HDL125_async: [
    "HDL125 in AsyncWhen: the body of when is asynchronous: what comes after an await would run when the module is finished (silent.ts:55). Leave async out: await what it needs before the module is made",
  ],
  HDL125_before: [
    "HDL125 in RanBefore: the body of when is undefined, not a function: what stands there ran before, whatever the condition (silent.ts:56). Write an arrow before it: () => { ... }",
  ],
  HDL125_otherwise: [
    "HDL125 in AsyncOtherwise: the body of otherwise is asynchronous: what comes after an await would run when the module is finished (silent.ts:57). Leave async out: await what it needs before the module is made",
  ],
  HDL125_case: [
    "HDL125 in GeneratorCase: the body of a case is a generator, which runs only when somebody asks it for values (silent.ts:58). Write a plain function",
  ],
  HDL125_state: [
    "HDL125 in AsyncState: the handler of state On is asynchronous: what comes after an await would run when the module is finished (silent.ts:59). Leave async out: await what it needs before the module is made",
  ],
  HDL125_body: [
    "HDL125 in AsyncBody: the body of module AsyncBody is asynchronous: what comes after an await would run when the module is finished (silent.ts:60). Leave async out: await what it needs before the module is made",
  ],
  HDL126_instance: [
    "HDL126 in NotCalled: instance: the module `Leaf` was not called (silent.ts:61; see silent.ts:15). Call it, with its parameters if it has any: Leaf(...)",
  ],
  HDL126_nothing: [
    "HDL126 in NoModule: instance: got undefined, not a module (silent.ts:62). Give a module that was called: Name() or Name({ ... })",
  ],
  HDL126_emit: [
    "HDL126: emit: the module `Leaf` was not called (silent.test.ts:22; see silent.ts:15). Call it, with its parameters if it has any: Leaf(...)",
  ],
  HDL015_read: [
    "HDL015 in Inner: `d` belongs to another module (silent.ts:65; see silent.ts:64). Bring it in by a port of this module and connect that where the module is instantiated",
  ],
  HDL015_driven: [
    "HDL015 in Inner: `q` belongs to another module (silent.ts:71; see silent.ts:70). Bring it in by a port of this module and connect that where the module is instantiated",
    "HDL002 in DrivesAnother: output `q` is never assigned (silent.ts:70). Assign it, or remove it",
  ],
  HDL015_leaf: [
    "HDL015 in Takes: `d` belongs to another module (silent.ts:78; see silent.ts:75). Bring it in by a port of this module and connect that where the module is instantiated",
  ],
  HDL127_itself: [
    "HDL127 in Endless: module Endless contains itself (silent.ts:81; see silent.ts:81). Give the inner instance other parameters, and an end to the recursion",
  ],
  HDL127_functions: [
    "HDL127 in NoEnd: the elaboration has no end: functions or modules call one another until the call stack is full (silent.ts:12). Give the recursion an end",
  ],
  HDL127_deeper: [
    "HDL127 in Deeper_n199: modules stand more than 200 deep within one another, Deeper_n200 innermost (silent.ts:17; see silent.ts:16). Give the recursion an end: a parameter that grows or shrinks must reach a last value",
  ],
  HDL129: [
    'HDL129 in TenWords: memory `store` has 10 words, and its address of 4 bits can name 16 (silent.ts:86). State { outside: "unreached" }, which an assertion then checks, or give it 16 words',
  ],
  HDL012_ready: [
    "HDL012 in ReadyByChance: register `open` drives `from_ready` and has no reset value: the stream would be ready or not by chance after power-up (silent.ts:88; see silent.ts:87). Declare `open` with { init: 0 }",
  ],
  HDL018_two: [
    "HDL018 in TwoCombined: the synchroniser `synchronised_1` takes a value that is made of `other` and `one`: between two edges it may show what neither of them says (silent.ts:24; see synchroniser.ts:40). Register the value in its own clock domain first, and synchronise that register; several bits cross in Gray code (toGray) or by a handshake (AsyncFifo, PulseSynchroniser)",
  ],
  HDL018_compared: [
    "HDL018 in ComparedOnTheWay: the synchroniser `synchronised_1` takes a value that is made of several bits of `count`: between two edges it may show what neither of them says (silent.ts:24; see synchroniser.ts:40). Register the value in its own clock domain first, and synchronise that register; several bits cross in Gray code (toGray) or by a handshake (AsyncFifo, PulseSynchroniser)",
  ],
  HDL018_below: [
    "HDL018 in CombinedBelow: the synchroniser `level_d` takes a value that is made of `other` and `one`: between two edges it may show what neither of them says (silent.ts:24; see silent.ts:95). Register the value in its own clock domain first, and synchronise that register; several bits cross in Gray code (toGray) or by a handshake (AsyncFifo, PulseSynchroniser)",
  ],
  HDL019: [
    "HDL019 in BinaryBus: 4 bits of `count` go through the synchroniser `synchronised_1` together: bits that change at one edge arrive at different ones (silent.ts:24; see synchroniser.ts:40). Cross in Gray code (toGray into a register), by a handshake (AsyncFifo, PulseSynchroniser), or state { oneBitAtATime: true } where only one bit changes at a time",
  ],
  HDL201_never: [
    "HDL201 in BelowZero: lt: the answer is always 0: the result of sub has 8 bits unsigned, 0 to 255 (silent.ts:97). Compare with a number within the range, or as signed values; where a constant is meant, write constant(...)",
  ],
  HDL201_always: [
    "HDL201 in AtLeastZero: ge: the answer is always 1: `a` has 8 bits unsigned, 0 to 255 (silent.ts:98; see silent.ts:14). Compare with a number within the range, or as signed values; where a constant is meant, write constant(...)",
  ],
  HDL201_highest: [
    "HDL201 in AboveHighest: gt: the answer is always 0: `s` has 8 bits signed, -128 to 127 (silent.ts:99; see silent.ts:14). Compare with a number within the range, or as signed values; where a constant is meant, write constant(...)",
    "HDL201 in AboveHighest: le: the answer is always 1: `a` has 8 bits unsigned, 0 to 255 (silent.ts:99; see silent.ts:14). Compare with a number within the range, or as signed values; where a constant is meant, write constant(...)",
  ],
  HDL201_itself: [
    "HDL201 in EqualsItself: eq: the answer is always 1: `a` is compared with itself (silent.ts:100; see silent.ts:14). Compare with a number within the range, or as signed values; where a constant is meant, write constant(...)",
  ],
  HDL202_left: [
    "HDL202 in ShiftedOut: shift left by 9: nothing is left of `a`, which has 8 bits (silent.ts:101; see silent.ts:14). Shift by less than 8, or extend the value first",
  ],
  HDL202_right: [
    "HDL202 in OnlySign: shift right by 8: only the sign is left of `s`, which has 8 bits (silent.ts:102; see silent.ts:14). Shift by less than 8, or extend the value first",
  ],
  HDL203: [
    "HDL203 in NeverKnown: register `toggle` has no reset value and is computed from itself only: it is never known (silent.ts:103). Declare `toggle` with { init: 0 }, or load it from elsewhere",
  ],
  HDL203_wire: [
    "HDL203 in NeverKnownByWire: register `count` has no reset value and is computed from itself only: it is never known (silent.ts:104). Declare `count` with { init: 0 }, or load it from elsewhere",
  ],
  HDL204: [
    "HDL204 in OnlyItself: register `toggle` is read only by itself, or by registers that nobody else reads (silent.ts:105). Use it, remove it, or declare it with mayBeUnread",
  ],
  HDL204_two: [
    "HDL204 in OneAnother: register `one` is read only by itself, or by registers that nobody else reads (silent.ts:106). Use it, remove it, or declare it with mayBeUnread",
    "HDL204 in OneAnother: register `two` is read only by itself, or by registers that nobody else reads (silent.ts:106). Use it, remove it, or declare it with mayBeUnread",
  ],
  HDL130_logic: [
    "HDL130 in GatedClock: the clock of domain `gated` is computed by logic, which glitches (silent.ts:107). Take it from a black box (PLL, clock buffer, clock gate), or set registers under `when` in place of a second clock",
  ],
  HDL130_port: [
    "HDL130 in ClockOfPort: the clock of domain `slow` is `c`, no output of an instance (silent.ts:108). Take it from a black box (PLL, clock buffer, clock gate), or set registers under `when` in place of a second clock",
  ],
  HDL130_noClock: [
    "HDL130 in ResetAlone: clock domain `slow` has a reset made here and a clock that is a port (silent.ts:109). Give `clock` too, or leave `resetWhen` out: the reset is a port then",
  ],
  HDL130_level: [
    "HDL130 in LevelOfNoPort: clock domain `slow` has a level for a reset port, and its clock is made here: it has no ports (silent.ts:110). Leave `active` out: `resetWhen` is 1 under reset",
  ],
  HDL130_none: [
    "HDL130 in NoResetGiven: clock domain `slow` has no reset and is given one (silent.ts:111). Leave out `resetWhen`, or the style",
  ],
  HDL130_always: [
    "HDL130 in AlwaysReset: the reset of clock domain `slow` is always 1 (silent.ts:112). Leave `resetWhen` out",
  ],
  HDL010_reset: [
    "HDL010 in ResetFromElsewhere: the reset of clock domain `slow` comes from clock domain `default` without a synchroniser (silent.ts:116). Make the domain with generatedClock, which synchronises the end of its reset",
  ],
  HDL010_made: [
    "HDL010 in IntoMadeClock: register `there` in clock domain `slow` takes `here` of clock domain `default` without a synchroniser (silent.ts:123; see silent.ts:120). Cross with a synchroniser or an asynchronous FIFO; a synchroniser's first register is declared with the attribute async_reg",
  ],
  HDL131_three: [
    "HDL131 in ThreePorts: memory `store` has 3 ports that read and write (silent.ts:125; see silent.ts:125). A block RAM has two: use several memories",
  ],
  HDL131_beside: [
    "HDL131 in PortAndRead: memory `store` has ports that read and write, and other reads or writes (silent.ts:126; see silent.ts:126). Make all of them ports: a block RAM has two in all",
  ],
  HDL131_new: [
    'HDL131 in NewAcrossPorts: memory `store` promises one port the word that the other writes at the same edge (silent.ts:127; see silent.ts:127). Declare it with collision: "old" or "undefined"; `reads: "new"` says what a port sees of its own write',
  ],
  HDL131_style: [
    'HDL131 in DistributedPort: memory `store` of style distributed has a port that reads and writes, which block RAM alone has (silent.ts:128; see silent.ts:128). Declare it with style: "block", or leave the style out',
  ],
  HDL131_when: [
    "HDL131 in PortUnderWhen: a port of memory `store` stands under a condition (silent.ts:129). Call it outside of `when`, and put the condition into `en` and `write`",
  ],
  HDL132: [
    "HDL132 in EnableAround: instance `queue` of Fifo_uint8_d4_auto has a clock, and stands under a clock enable, which does not reach inside (silent.ts:130). Give the module an input for the enable, or a clock of its own from a clock buffer with an enable",
  ],
  HDL125_enable: [
    "HDL125 in AsyncEnable: the body of clockEnable is asynchronous: what comes after an await would run when the module is finished (silent.ts:131). Leave async out: await what it needs before the module is made",
  ],
  HDL125_enabled: [
    "HDL125 in EnabledBefore: the body of clockEnable is undefined, not a function: what stands there ran before, whatever the condition (silent.ts:132). Write an arrow before it: () => { ... }",
  ],
  HDL125_domain: [
    "HDL125 in DomainBefore: the body of inDomain is undefined, not a function: what stands there ran before, whatever the condition (silent.ts:133). Write an arrow before it: () => { ... }",
  ],
  HDL125_scope: [
    "HDL125 in GeneratorScope: the body of scope is a generator, which runs only when somebody asks it for values (silent.ts:134). Write a plain function",
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
