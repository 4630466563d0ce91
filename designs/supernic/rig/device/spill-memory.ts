/** The rings of a simulated device: the way to their registers, and the software that gives them to DAGs. */
import { spillDriverOf } from "../../registers/index.ts";
import type { SuperNicPorts } from "../../rtl/index.ts";
import { SpillRings } from "../../software/index.ts";
import { type Bench, LiteMaster } from "../../../../sim/index.ts";

export class SpillMemory {
  readonly driver: ReturnType<typeof spillDriverOf>;
  readonly rings: SpillRings;

  constructor(bench: Bench<SuperNicPorts>) {
    const { sim, io } = bench;
    this.driver = spillDriverOf(
      new LiteMaster(sim, { sAw: io.ringsAw, sW: io.ringsW, sB: io.ringsB, sAr: io.ringsAr, sR: io.ringsR }),
    );
    this.rings = new SpillRings(this.driver, () => bench.cycles(50));
  }
}
