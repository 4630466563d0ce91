import { connect, module, sink, source, stage, uint } from "../../hdl-dsl/index.ts";

/** Registers valid, payload and ready of a stream: cuts every path through it, at full rate. */
export const RegisterSlice = module("RegisterSlice",
  (p: { width: number }) => ({ from: sink(uint(p.width)), to: source(uint(p.width)) }),
  (io) => {
    const cut = stage(io.from, "full");
    connect(cut, io.to);
  });
