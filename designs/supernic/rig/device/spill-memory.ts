/** The rings of a simulated device: the memory that they are in, and the way to their registers. */
import { spillDriverOf } from "../../registers/index.ts";
import type { SuperNicPorts } from "../../rtl/index.ts";
import { SpillRings } from "../../software/index.ts";
import { AxiRam, type AxiRamOptions, type Bench, LiteMaster } from "../../../../sim/index.ts";

export class SpillMemory {
  readonly ram: AxiRam;
  readonly driver: ReturnType<typeof spillDriverOf>;
  readonly rings: SpillRings;

  constructor(bench: Bench<SuperNicPorts>, o: AxiRamOptions = {}) {
    const { sim, io } = bench;
    this.ram = new AxiRam(sim, { aw: io.spillAw, w: io.spillW, b: io.spillB, ar: io.spillAr, r: io.spillR }, o);
    this.driver = spillDriverOf(
      new LiteMaster(sim, { sAw: io.ringsAw, sW: io.ringsW, sB: io.ringsB, sAr: io.ringsAr, sR: io.ringsR }),
    );
    this.rings = new SpillRings(this.driver, () => bench.cycles(50));
  }
}
