import { instance, module, output, sink, source, stage, uint } from "../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../shared/frame/index.ts";
import { bulkOf, type Classifier } from "./classify.ts";
import { TwoQueues, type TwoQueuesParameters } from "./two-queues.ts";

export interface PriorityLaneParameters
  extends Classifier, Pick<TwoQueuesParameters, "criticalDepth" | "bulkDepth" | "patience" | "drops"> {}

const beatBytes = 64;

/**
 * One direction between a MAC and a memory node: frames of critical operations first (`TwoQueues`), the class read from
 * the client's UDP port (`bulkOf`). Beats of 64 bytes. Latency 3 cycles from a frame's last beat to its first at `tx`;
 * initiation interval 1. `drops`: what comes from a line cannot wait, so a full queue loses the frame and says so in
 * `lost`. Otherwise `rx` waits, with what is behind the frame in the node.
 */
export const PriorityLane = module(
  "PriorityLane",
  (_p: PriorityLaneParameters) => ({
    rx: sink(AxisBeat(beatBytes)),
    tx: source(AxisBeat(beatBytes)),
    lost: output(uint(2)),
  }),
  (io, p) => {
    const from = stage(io.rx, "full", { name: "from" });
    const queues = instance(
      TwoQueues({
        shape: AxisBeat(beatBytes),
        last: "last",
        criticalDepth: p.criticalDepth,
        bulkDepth: p.bulkDepth,
        patience: p.patience,
        drops: p.drops,
      }),
    );
    const { data, last } = from.payload;
    queues.bulk.set(bulkOf(p, data, from.fire, last));
    queues.from.valid.set(from.valid);
    queues.from.payload.set(from.payload);
    from.ready.set(queues.from.ready);
    io.tx.valid.set(queues.to.valid);
    io.tx.payload.set(queues.to.payload);
    queues.to.ready.set(io.tx.ready);
    io.lost.set(queues.lost);
  },
  {
    nameOf: p =>
      `PriorityLane_${p.clientIs}_b${p.classBit}_c${p.criticalDepth}_b${p.bulkDepth}_p${p.patience}_${p.drops ? "drops" : "waits"}`,
  },
);
