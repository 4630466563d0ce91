import { bit, connect, input, instance, module, output, sink, source } from "../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";
import type { EngineParameters } from "../../config/index.ts";
import { WicEngine } from "../engine/wic-engine.ts";
import { enginePorts } from "../engine/types.ts";
import { ClioRequester } from "./clio-requester.ts";
import { ClientConfig, ClientEvents } from "./types.ts";

export interface ClientWicParameters {
  readonly engine: EngineParameters;
  /** Bytes of a beat of the frames. */
  readonly beatBytes: number;
}

/**
 * The engine at the compute side, or behind a port of a SmartNIC: its requests come from beside it, and its accesses go
 * to a Clio node as frames (`ClioRequester`). Latency, bounds and reset: theirs.
 */
export const ClientWic = module(
  "ClientWic",
  (p: ClientWicParameters) => {
    const { request, requestData, reply, replyData, load, base, state } = enginePorts(p.engine);
    return {
      ...{ request, requestData, reply, replyData, load, base, state },
      config: input(ClientConfig),
      tx: source(AxisBeat(p.beatBytes)),
      rx: sink(AxisBeat(p.beatBytes)),
      events: output(ClientEvents),
      greeted: output(bit),
    };
  },
  (io, p) => {
    const engine = instance(WicEngine(p.engine)),
      requester = instance(ClioRequester({ contexts: p.engine.contexts, beatBytes: p.beatBytes }));
    connect(io.request, engine.request);
    connect(io.requestData, engine.requestData);
    connect(engine.reply, io.reply);
    connect(engine.replyData, io.replyData);
    connect(io.load, engine.load);
    engine.base.set(io.base);
    io.state.set(engine.state);
    requester.config.set(io.config);
    connect(engine.memory, requester.memory);
    connect(engine.memoryData, requester.memoryData);
    connect(requester.memoryReply, engine.memoryReply);
    connect(requester.memoryReplyData, engine.memoryReplyData);
    connect(requester.tx, io.tx);
    connect(io.rx, requester.rx);
    io.events.set(requester.events);
    io.greeted.set(requester.greeted);
  },
  { nameOf: p => `ClientWic_b${p.beatBytes}_${WicEngine(p.engine).name.replace("WicEngine_", "")}` },
);
