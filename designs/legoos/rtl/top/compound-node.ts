import { connect, instance, module } from "../../../../hdl-dsl/index.ts";
import { deriveConfig, type Parameters } from "../../../clio/config/index.ts";
import {
  ClioNode,
  framePorts,
  handThrough,
  memoryPorts,
  nodeBus,
  translateParameters,
} from "../../../clio/rtl/index.ts";
import { Splitter } from "../split/splitter.ts";

/** A Clio node with a `Splitter` at its port; its ports are the node's. Needs beats of 64 bytes (`dataWidth = 512`). */
export const CompoundNode = module(
  "CompoundNode",
  (p: Parameters) => {
    const c = deriveConfig(p);
    return { ...framePorts(nodeBus(c)), ...memoryPorts(c, nodeBus(c), translateParameters(c)) };
  },
  (io, p) => {
    const node = instance("node", ClioNode(p)),
      splitter = instance("splitter", Splitter());
    connect(io.rx, splitter.from);
    connect(splitter.to, node.rx);
    connect(node.tx, io.tx);
    connect(node.socRx, io.socRx);
    connect(io.socTx, node.socTx);
    handThrough(io, node);
  },
  { nameOf: p => ClioNode(p).name.replace("ClioNode", "CompoundNode") },
);
