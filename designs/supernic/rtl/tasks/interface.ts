/** The interface between a network task and its wrapper, and all that a task sees (design: supernic.md, section 4). */
import {
  bit,
  type Def,
  enumOf,
  input,
  output,
  sink,
  source,
  struct,
  uint,
  type Val,
} from "../../../../hdl-dsl/index.ts";
import {
  type Declared,
  Descriptor,
  taskArgBits,
  taskConfigBits,
  taskHeaderBytes,
  taskTagBits,
  taskVerdicts,
} from "../../wire/index.ts";

// None of these fields depends on the build.
const inside = Descriptor({ contexts: 256, cells: 1024 }).fields;
export const headerBits = taskHeaderBytes * 8;

/** What a task is told of a packet beside its header; what each means, the descriptor says. */
export const told = {
  uid: inside.uid,
  user: inside.user,
  ingress: inside.ingress,
  flowHash: inside.flowHash,
  headBytes: inside.headBytes,
  payloadBytes: inside.payloadBytes,
  noL4: inside.noL4,
  /** What the packet's DAG tells its tasks. */
  arg: uint(taskArgBits),
} as const;

/** These of a packet that has more. */
export const toldOf = ({
  uid,
  user,
  ingress,
  flowHash,
  headBytes,
  payloadBytes,
  noL4,
  arg,
}: {
  readonly [K in keyof typeof told]: Val<(typeof told)[K]>;
}) => ({ uid, user, ingress, flowHash, headBytes, payloadBytes, noL4, arg });

/** A packet for a task: byte 0 of the header lowest; bytes that the task did not declare are 0. */
export const TaskPacket = struct({ tag: uint(taskTagBits), header: uint(headerBits), ...told });

export const TaskVerdict = enumOf("TaskVerdict", [...taskVerdicts]);

/** What a packet is to have in front: a template, its bytes, and the bytes of the header that it stands for. */
export const front = {
  /** Number of the template; 0: none. */
  prepend: inside.prepend,
  /** Bytes of that template, 0 to 64. */
  frontBytes: uint(7),
  /** Bytes of the header that are left out in front. */
  dropFront: inside.dropFront,
} as const;

/** A task's answer, in the order in which it took. */
export const TaskAnswer = struct({
  /** That of the packet. */
  tag: uint(taskTagBits),
  verdict: TaskVerdict,
  header: uint(headerBits),
  /** Bytes of `header` that count; the others stay as they were. */
  mask: uint(taskHeaderBytes),
  ...front,
});
/** A word of configuration, taken at once. */
export const TaskConfig = struct({ valid: bit, at: uint(taskConfigBits.at), data: uint(taskConfigBits.data) });

/**
 * A task's ports. `packet` to `answer` takes 1 cycle at least. `quiet`: nothing is inside; while `quiesce` nothing more
 * comes, and the task need not do anything for it unless it keeps state elsewhere. Reset: the task is fresh.
 */
export const taskPorts = () => ({
  packet: sink(TaskPacket),
  answer: source(TaskAnswer),
  // Many tasks need neither.
  config: input(TaskConfig, { unused: true }),
  quiesce: input(bit, { unused: true }),
  quiet: output(bit),
});
export type TaskPorts = ReturnType<typeof taskPorts>;

/** A network task: what it declares, and its hardware. */
export interface Task {
  readonly declared: Declared;
  readonly hardware: Def<TaskPorts>;
}

/** Nothing in front. */
export const noFront = { prepend: 0, frontBytes: 0, dropFront: 0 } as const;
/** The answer that passes a packet on as it is. */
export const asItWas = { header: 0, mask: 0, ...noFront } as const;
