import { execFileSync } from "node:child_process";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { faults, messageOf } from "./faults.ts";

/** The whole text of every message, positions in faults.ts included. */
const expected: Readonly<Record<string, readonly string[]>> = {
  HDL101_set: [
    "HDL101 in WidthOfSet: `r` is set: expected 8 bits, `a` has 16 (faults.ts:25; see faults.ts:15). Cut it with trunc(8) or select bits",
  ],
  HDL101_operand: [
    "HDL101 in WidthOfOperand: add: expected 8 bits, `a` has 16 (faults.ts:28; see faults.ts:15). Cut it with trunc(8) or select bits",
  ],
  HDL101_narrow: [
    "HDL101 in WidthTooSmall: `wide` is set: expected 16 bits, `n` has 8 (faults.ts:29; see faults.ts:15). Extend it with zext(16)",
  ],
  HDL101_is: [
    "HDL101 in WidthStated: is(8): the result of mul has 16 bits (faults.ts:30). State the width that it has, 16, or change it by trunc, zext or sext",
  ],
  HDL101_condition: [
    "HDL101 in WidthOfCondition: the condition of when: expected 1 bit, `n` has 8 (faults.ts:31; see faults.ts:15). Ask whether it is not zero with any(), or compare it",
  ],
  HDL101_slice: [
    "HDL101 in WidthOfSlice: `y` is set: expected 8 bits, `a[5:2]` has 4 (faults.ts:32). Extend it with zext(8)",
  ],
  HDL101_index: [
    "HDL101 in WidthOfIndex: index of a vec of 3: expected 2 bits, `n` has 8 (faults.ts:33; see faults.ts:15). Cut it with trunc(2) or select bits",
  ],
  HDL102_range: [
    "HDL102 in LiteralRange: `y` is set: the number 256 does not fit 8 bits unsigned (0 to 255) (faults.ts:34). Use a number in range, or a wider value",
  ],
  HDL102_signed: [
    "HDL102 in LiteralSigned: lt: the number 128 does not fit 8 bits signed (-128 to 127) (faults.ts:35). Use a number in range, or a wider value",
  ],
  HDL102_fraction: [
    "HDL102 in LiteralFraction: `y` is set: the number 1.5 is not a whole number that JavaScript holds exactly (faults.ts:36). Write a whole number, as a bigint (123n) when it is beyond 2^53",
  ],
  HDL102_init: [
    "HDL102 in LiteralInit: the initial value of `level`: the number 16 does not fit 4 bits unsigned (0 to 15) (faults.ts:37). Use a number in range, or a wider value",
  ],
  HDL103_undefined: [
    "HDL103 in NotAValue: `y` is set: got undefined, not a value of 8 bits (faults.ts:38). Give a value of the language, or a number",
  ],
  HDL103_boolean: [
    "HDL103 in JsBoolean: `z` is set: got the JavaScript value false (faults.ts:39). Write 1 or 0; two values are compared by eq, not by ===",
  ],
  HDL103_struct: [
    "HDL103 in StructForValue: `y` is set: got a struct or another object, not a value of 8 bits (faults.ts:40). Give a value of the language, or a number",
  ],
  HDL103_mux: [
    "HDL103 in MuxOfNumbers: mux: neither side is a value of the language (faults.ts:41). Wrap one number with constant(value, width)",
  ],
  HDL103_onehot: [
    "HDL103 in OnehotCount: onehotMux: as many values as select bits are expected (faults.ts:42). Give one value for each select bit",
  ],
  HDL103_cat: [
    "HDL103 in CatOfNumber: cat: a value of the language is expected, got number (faults.ts:43). Wrap numbers with constant(value, width)",
  ],
  HDL104_unsigned: [
    "HDL104 in SignedForUnsigned: `y` is set: unsigned expected, `s` is signed (faults.ts:44; see faults.ts:15). Convert it with asUint()",
  ],
  HDL104_signed: [
    "HDL104 in UnsignedForSigned: eq: signed expected, `n` is unsigned (faults.ts:45; see faults.ts:15). Convert it with asSint()",
  ],
  HDL105_div: [
    "HDL105 in Divide: div: 3 is not a power of two (faults.ts:46). Division by anything else is a circuit of its own: write it as one (a shift-subtract unit or a multiplication by the reciprocal)",
  ],
  HDL105_mod: [
    "HDL105 in Remainder: mod: 10 is not a power of two (faults.ts:47). Division by anything else is a circuit of its own: write it as one (a shift-subtract unit or a multiplication by the reciprocal)",
  ],
  HDL106: [
    "HDL106 in NegativeShift: shift by -1: the amount must be a whole number of 0 or more (faults.ts:48). Shift the other way for a negative amount",
  ],
  HDL107_bits: [
    "HDL107 in BitsOutside: bits 4 to 11 of `n`, which has 8 bits (faults.ts:49; see faults.ts:15). Select within 0 to 7",
  ],
  HDL107_bit: [
    "HDL107 in BitOutside: bit 8 of `n`, which has 8 bits (faults.ts:50; see faults.ts:15). Select within 0 to 7",
  ],
  HDL107_setBits: [
    "HDL107 in SetBitsOutside: bits 6 to 9 of `y`, which has 8 bits (faults.ts:51; see faults.ts:15). Select within 0 to 7",
  ],
  HDL108_trunc: [
    "HDL108 in TruncToMore: trunc(16): `n` has only 8 bits (faults.ts:52; see faults.ts:15). Extend it with zext(16)",
  ],
  HDL108_zext: [
    "HDL108 in ExtendToLess: zext(8): `a` has 16 bits already (faults.ts:53; see faults.ts:15). Cut it with trunc(8)",
  ],
  HDL108_sext: [
    "HDL108 in SignExtendToLess: sext(4): `s` has 8 bits already (faults.ts:54; see faults.ts:15). Cut it with trunc(4)",
  ],
  HDL109: [
    "HDL109 in TwoDomains: register `shared` belongs to clock domain `default` and is set in domain `fast` (faults.ts:59; see faults.ts:56). Give each register one clock: set it inside its own domain, and cross with a synchroniser or an asynchronous FIFO",
  ],
  HDL109_fsm: [
    "HDL109 in FsmInTwoDomains: register `phase` belongs to clock domain `default` and is set in domain `fast` (faults.ts:64; see faults.ts:64). Give each register one clock: set it inside its own domain, and cross with a synchroniser or an asynchronous FIFO",
  ],
  HDL110_index: ["HDL110 in ElementOutside: element 3 of a vec of 3 (faults.ts:67). Elements are 0 to 2"],
  HDL110_count: [
    "HDL110 in TooFewElements: a vec of 3 is set from 2 elements (faults.ts:68). Give as many elements as the vec has",
  ],
  HDL111: [
    "HDL111 in DrivesInput: `n` cannot be driven here: it is an input of this module (faults.ts:69; see faults.ts:15). Inputs are driven from outside, outputs from inside",
  ],
  HDL111_outside: [
    "HDL111 in DrivesSubOutput: `below_y` cannot be driven here: it is an output of an instance (faults.ts:73; see faults.ts:71). Inputs are driven from outside, outputs from inside",
  ],
  HDL111_struct: [
    "HDL111 in DrivesStructInput: `lo` cannot be driven: it is only readable here (faults.ts:76). Inputs are driven from outside, outputs and registers from inside",
    "HDL111 in DrivesStructInput: `hi` cannot be driven: it is only readable here (faults.ts:76). Inputs are driven from outside, outputs and registers from inside",
  ],
  HDL112_missing: [
    "HDL112 in FieldMissing: `job`: field y is missing (faults.ts:77). Give all of { x: uint(4), y: uint(8) }",
  ],
  HDL112_unknown: [
    "HDL112 in FieldUnknown: `job` has no field cuont (faults.ts:78). Did you mean count? Its fields are count",
  ],
  HDL112_notStruct: [
    "HDL112 in NotAStruct: `job` is set from something that is not a struct (faults.ts:79). Give { x: uint(4) }",
  ],
  HDL112_init: [
    "HDL112 in InitNotNumber: the initial value of `job` is not a number (faults.ts:80). Give a number, or fields with numbers",
  ],
  HDL113: [
    "HDL113 in InitWithoutReset: register `count` has an initial value and its clock domain `free` has no reset (faults.ts:83). Give the domain a reset, or leave the initial value out",
  ],
  HDL114: [
    "HDL114 in LabelTwice: the label 1 stands twice in one switchOn (faults.ts:85; see faults.ts:85). Merge the two cases",
  ],
  HDL115: [
    "HDL115 in NoWords: memory `store` has a depth of 0 (faults.ts:86). Give a whole number of words of 1 or more",
  ],
  HDL116: [
    "HDL116 in MaskWidth: the write mask of `store` has 3 bits, which do not divide its 8-bit word (faults.ts:87). Give one mask bit per lane of equal width",
  ],
  HDL117_state: [
    "HDL117 in NoSuchState: `phase` has no state Runn (faults.ts:89; see faults.ts:89). Did you mean Run? Its states are Idle, Run",
  ],
  HDL117_handler: [
    "HDL117 in NoHandler: state Run of `phase` has no handler (faults.ts:93; see faults.ts:93). Give every state a handler, an empty one where nothing is to be done",
  ],
  HDL118: [
    "HDL118 in DomainNotGiven: instance `below` of TwoClocks: its clock domain `slow` is not connected (faults.ts:96). Give instance(..., { domains: { slow: ... } })",
  ],
  HDL119: [
    "HDL119 in StageOfNumber: the field one of the pipeline stage is a number, not a value of the language (faults.ts:98). Give a value; wrap numbers with constant(value, width)",
    "HDL101 in StageOfNumber: `to_payload_one` is set: expected 4 bits, the constant 0 has 1 (faults.ts:98). Extend it with zext(4)",
  ],
  HDL120: [
    "HDL120 in PipelineField: the pipeline has no field sum at its last stage (faults.ts:101). Its fields are x, twice",
  ],
  HDL121: [
    'HDL121 in PortDomain: port `d` names clock domain `slwo`, which the module does not have (faults.ts:103). Make it in the body, clockDomain("slwo"), or leave it out of the port',
  ],
  several: [
    "HDL101 in Several: add: expected 8 bits, `a` has 16 (faults.ts:105; see faults.ts:15). Cut it with trunc(8) or select bits",
    "HDL102 in Several: `y` is set: the number 300 does not fit 8 bits unsigned (0 to 255) (faults.ts:106). Use a number in range, or a wider value",
    "HDL101 in Several: `z` is set: expected 1 bit, the constant 2 has 2 (faults.ts:107). Cut it with trunc(1) or select bits",
  ],
  HDL122: [
    "HDL122 in Deep: conditions nest more than 1000 deep (faults.ts:112). Choose by a value with switchOn, or with a chain of mux",
  ],
  HDL123: [
    "HDL123 in NameTaken: the name `held` is given to something here and is taken already (faults.ts:115; see faults.ts:115). Give each its own name (in a loop with its number in it), or leave the name to the source",
  ],
};

describe("messages of the builders", () => {
  test.each(Object.keys(expected))("%s", code => {
    expect(messageOf(faults[code] as NonNullable<(typeof faults)[string]>).split("\n")).toEqual(expected[code]);
  });

  test("each planted fault has its message here", () => {
    expect(Object.keys(faults)).toEqual(Object.keys(expected));
  });

  test("the command line (tsx) says the same, positions included", () => {
    const file = fileURLToPath(new URL("faults.ts", import.meta.url));
    const printed = JSON.parse(
      execFileSync(process.execPath, ["--import", "tsx", file], { encoding: "utf8" }),
    ) as Record<string, string>;
    expect(Object.fromEntries(Object.entries(printed).map(([code, text]) => [code, text.split("\n")]))).toEqual(
      expected,
    );
  });
});
