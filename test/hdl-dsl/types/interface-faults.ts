/** Modules with one planted mistake each about interfaces, by the code of the message that each must give. */
import { bit, connect, type Def, flip, input, interfaceOf, module, output, sink, source, struct, uint } from "../../../hdl-dsl/index.ts";

const Beat = struct({ data: uint(8), last: bit });
const Job = interfaceOf({ order: source(Beat), done: sink(uint(4)), busy: input(bit), log: interfaceOf({ word: source(uint(8)), full: input(bit) }) });
const Wide = interfaceOf({ ...Job.members, order: source(struct({ data: uint(16), last: bit })) });
const Short = interfaceOf({ order: Job.members.order, done: Job.members.done, busy: Job.members.busy });
const Turned = interfaceOf({ ...Job.members, log: flip(Job.members.log) });
const Driven = interfaceOf({ ...Job.members, busy: output(bit) });
const Plain = interfaceOf({ ...Job.members, done: input(uint(4)) });
/** Joins two ends past the compiler. */
const force = connect as (a: unknown, b: unknown) => void;
const fault = (name: string, s: unknown, m: unknown): Def => module(name, () => ({ s, m }) as { readonly s: typeof Job; readonly m: typeof Job }, io => { force(io.s, io.m); })();

export const faults: Readonly<Record<string, Def>> = {
  HDL155_side: fault("SameSide", Job, Job),
  HDL155_missing: fault("MemberMissing", flip(Job), Short),
  HDL155_more: fault("MemberTooMany", flip(Short), Job),
  HDL155_turned: fault("MemberTurned", flip(Job), Turned),
  HDL155_driven: fault("MemberDrivenTwice", flip(Job), Driven),
  HDL155_read: fault("MemberReadTwice", flip(Driven), Job),
  HDL155_kind: fault("OtherKind", flip(Job), Plain),
  HDL155_shape: fault("OtherShape", flip(Job), Wide),
  HDL155_stream: fault("InterfaceToStream", flip(Job), source(Beat)),
  HDL155_struct: fault("InterfaceToStruct", output(Beat), Job),
};
