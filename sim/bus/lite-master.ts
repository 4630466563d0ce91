import type { StreamIo } from "../dut/types.ts";
import { SimulationError } from "../errors.ts";
import type { Simulation } from "../simulation.ts";
import type { StructShape, UIntShape } from "../../hdl-dsl/index.ts";
import { StreamSink, StreamSource } from "./stream.ts";

type Address = StructShape<{ readonly addr: UIntShape; readonly prot: UIntShape<3> }>;
type WriteData = StructShape<{ readonly data: UIntShape<32>; readonly strb: UIntShape<4> }>;
type Response = StructShape<{ readonly resp: UIntShape<2> }>;
type ReadData = StructShape<{ readonly data: UIntShape<32>; readonly resp: UIntShape<2> }>;

/** The five channels of an AXI4-Lite port that the design serves, 32 bits of data. */
export interface LitePorts {
  readonly sAw: StreamIo<Address, "in">;
  readonly sW: StreamIo<WriteData, "in">;
  readonly sB: StreamIo<Response, "out">;
  readonly sAr: StreamIo<Address, "in">;
  readonly sR: StreamIo<ReadData, "out">;
}

/**
 * AXI4-Lite master: whole words, one access at a time in each direction, in the order of the calls. Needs a bench
 * to wait in.
 */
export class LiteMaster {
  readonly #aw: StreamSource<Address>;
  readonly #w: StreamSource<WriteData>;
  readonly #b: StreamSink<Response>;
  readonly #ar: StreamSource<Address>;
  readonly #r: StreamSink<ReadData>;
  #reads: Promise<unknown> = Promise.resolve();
  #writes: Promise<unknown> = Promise.resolve();

  /** @param options its clock domain; the default one, where it is left out */
  constructor(sim: Simulation, ports: LitePorts, options: { readonly domain?: string } = {}) {
    this.#aw = new StreamSource(sim, ports.sAw, options);
    this.#w = new StreamSource(sim, ports.sW, options);
    this.#b = new StreamSink(sim, ports.sB, options);
    this.#ar = new StreamSource(sim, ports.sAr, options);
    this.#r = new StreamSink(sim, ports.sR, options);
  }

  /** @throws SimulationError when the design answers with an error. */
  read(address: number): Promise<number> {
    const result = this.#reads.then(async () => {
      this.#ar.send({ addr: address, prot: 0 });
      const { data, resp } = await this.#r.recv();
      if (resp !== 0)
        throw new SimulationError(`reading register 0x${address.toString(16)} was answered with ${response(resp)}`);
      return data;
    });
    this.#reads = result.catch(() => undefined);
    return result;
  }

  /** @throws SimulationError when the design answers with an error. */
  write(address: number, data: number): Promise<void> {
    const result = this.#writes.then(async () => {
      this.#aw.send({ addr: address, prot: 0 });
      this.#w.send({ data: data >>> 0, strb: 15 });
      const { resp } = await this.#b.recv();
      if (resp !== 0)
        throw new SimulationError(`writing register 0x${address.toString(16)} was answered with ${response(resp)}`);
    });
    this.#writes = result.catch(() => undefined);
    return result;
  }
}

const response = (code: number): string => (code === 3 ? "DECERR" : "SLVERR");
