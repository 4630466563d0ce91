import { connect, instance, module, when } from "../../../hdl-dsl/index.ts";
import { frameOffsets } from "../wire/index.ts";
import { deriveConfig, type Parameters } from "../config/index.ts";
import {
  ClioNode,
  configPort,
  framePorts,
  handThrough,
  memoryPorts,
  nodeBus,
  translateParameters,
} from "../rtl/index.ts";
import { extendPath, type ExtendPathParameters, type Offload } from "./extend-path.ts";

/**
 * Parameters of a transport in front of the node, for the bytes that it adds to frames and the marks that it needs in
 * replies. See `ExtendPathParameters` and `OffloadParameters`.
 */
export type Transport = Required<Pick<ExtendPathParameters, "partBit" | "transportBytes">>;

/**
 * Requests of one offload at a time, its memory requests under way, and the beats kept for their replies: a row
 * of block memory.
 */
const contexts = 16,
  outstanding = 8,
  replyBeats = 512;
/**
 * Operations of offloads remembered: more than four offloads of eight requests, of several memory accesses each, can do
 * in three timeouts.
 */
const operations = 256;

const pathOf = (p: Parameters, transport: Transport | undefined): ExtendPathParameters => {
  const c = deriveConfig(p);
  return {
    beatBytes: c.beatBytes,
    contexts,
    maxData: c.maxData,
    outstanding,
    replyBeats,
    maxBody: c.mtuFrame - frameOffsets.body,
    once: { entries: operations, keepCycles: 3 * c.retryCycles },
    ...transport,
  };
};

/**
 * The memory node with these offloads: ClioNode as it is, and the extend path in front of it. Its ports are the node's.
 * `requests`: as many as its offloads have taken in at most, and one that is answered for them.
 * @param transport that stands in front of it all
 */
export const extendedNode = (offloads: readonly Offload[], transport?: Transport) =>
  Object.assign(
    module(
      "ClioNodeExtended",
      (
        p: Parameters & {
          /** As of ClioNode. */
          readonly exportsConfig?: true;
        },
      ) => {
        const c = deriveConfig(p),
          w = nodeBus(c);
        return {
          ...framePorts(w),
          ...memoryPorts(c, w, translateParameters(c)),
          ...(p.exportsConfig === true ? configPort : ({} as typeof configPort)),
        };
      },
      (io, p) => {
        const node = instance(ClioNode({ ...p, offloads: "none", exportsConfig: true, countsOffloads: true })),
          path = instance(extendPath(offloads)(pathOf(p, transport)));
        path.config.set(node.netConfig);
        if (p.exportsConfig === true) io.netConfig.set(node.netConfig);
        node.offloadEvents.set(path.events);
        node.offloadState.set(path.state);
        path.control.set(node.offloadControl);
        connect(io.rx, path.rx);
        connect(path.tx, io.tx);
        connect(path.socRx, io.socRx);
        connect(io.socTx, path.socTx);
        connect(path.nodeRx, node.rx);
        connect(node.tx, path.nodeTx);
        connect(node.socRx, path.nodeSocRx);
        connect(path.nodeSocTx, node.socTx);
        handThrough(io, node);
        // With a request in an offload something is under way, though no request slot of the node is taken. So there
        // is until software has seen the end of a removal, which it sees when it looks.
        const { forgetting, forgotten } = path.state.processes;
        when(path.state.active.any().or(forgetting).or(forgotten), () => io.busy.set(node.busy.or(1)));
      },
      {
        nameOf: p =>
          `${ClioNode({ ...p, offloads: "none" }).name.replace("ClioNode", "ClioNodeExtended")}_${offloads.map(o => o.name).join("_")}`,
      },
    ),
    { requests: contexts * offloads.length + 1 },
  );
