import {
  axi4Bus,
  connect,
  instance,
  liteSlavePorts,
  memberPorts,
  module,
  sink,
  source,
} from "../../../../hdl-dsl/index.ts";
import { AxisBeat } from "../../../shared/frame/index.ts";
import { beatBytes, type Parameters } from "../../config/index.ts";
import { registerAddressBits } from "../../registers/index.ts";
import { lineBus } from "../memory/line-axi.ts";
import { Request, Response } from "../records/records.ts";
import { ExCacheControl } from "./control.ts";
import { ExCache } from "./ex-cache.ts";

const memory = (p: Parameters) => memberPorts("mem", axi4Bus(lineBus(p)));

/** An ExCache with registers, which is what software has of it. Latencies and bounds are those of its two parts. */
export const ExCacheDevice = module(
  "ExCacheDevice",
  (p: Parameters) => ({
    ...liteSlavePorts(registerAddressBits),
    request: sink(Request(p)),
    response: source(Response(p)),
    rx: sink(AxisBeat(beatBytes)),
    tx: source(AxisBeat(beatBytes)),
    ...(p.lines === "axi" ? memory(p) : ({} as ReturnType<typeof memory>)),
  }),
  (io, p) => {
    const cache = instance("cache", ExCache(p)),
      control = instance("control", ExCacheControl(p));
    connect(io.sAw, control.sAw);
    connect(io.sW, control.sW);
    connect(control.sB, io.sB);
    connect(io.sAr, control.sAr);
    connect(control.sR, io.sR);
    connect(io.request, cache.request);
    connect(cache.response, io.response);
    connect(io.rx, cache.rx);
    connect(cache.tx, io.tx);
    if (p.lines === "axi") {
      connect(cache.memAw, io.memAw);
      connect(cache.memW, io.memW);
      connect(io.memB, cache.memB);
      connect(cache.memAr, io.memAr);
      connect(io.memR, cache.memR);
    }
    cache.own.set(control.own);
    cache.regionWrite.set(control.regionWrite);
    cache.nodeWrite.set(control.nodeWrite);
    cache.rangeWrite.set(control.rangeWrite);
    connect(control.evict, cache.evict);
    connect(cache.event, control.event);
    control.events.set(cache.events);
    control.traffic.set(cache.traffic);
    control.busy.set(cache.busy);
    control.idle.set(cache.idle);
    control.ready.set(cache.ready);
    control.failed.set(cache.failed);
  },
  { nameOf: p => ExCache(p).name.replace("ExCache", "ExCacheDevice") },
);
