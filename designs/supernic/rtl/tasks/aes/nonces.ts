import {
  type Bit,
  bit,
  cat,
  constant,
  node,
  ram,
  reg,
  type UInt,
  uint,
  type Val,
  when,
} from "../../../../../hdl-dsl/index.ts";
import { aesCounterBits, aesPlace } from "../../../wire/index.ts";
import type { TaskConfig } from "../interface.ts";

/** The bytes of a number in the other order. */
export const turned = (word: UInt): UInt =>
  cat(...Array.from({ length: word.width / 8 }, (_, i) => word.bits(8 * i, 8)));

/**
 * Numbers of packets, so that no nonce comes twice (design: supernic.md, section 4): sNIC 4 bits, launch 24, number 36.
 * Software launches after each reset, and when numbers are used up; until then there is none. A launch that is no
 * higher than one before is refused: the last one is in a memory, which a reset does not touch.
 */
export function nonces(config: Val<typeof TaskConfig>, numberBits: number = aesCounterBits.number) {
  const { snic: snicBits, launch: launchBits } = aesCounterBits,
    launches = ram(uint(launchBits), {
      depth: 2,
      style: "distributed",
      collision: "undefined",
      init: [0, 0],
      name: "launches",
    }),
    launched = reg(bit, { init: 0, name: "launched" }),
    snic = reg(uint(snicBits), { name: "snic" }),
    launch = reg(uint(launchBits), { name: "launch" }),
    number = reg(uint(numberBits), { init: 0, name: "number" });
  const asked = config.data.trunc(launchBits),
    asks = node(config.valid.and(config.at.eq(aesPlace.launch)), { name: "launch_is_asked" }),
    launches0 = launches.readAsync(constant(0, 1)),
    begins = node(asks.and(asked.gt(launches0)), { name: "launches_now" });
  launches.write(begins, constant(0, 1), asked);
  return {
    /** There is a number. */
    some: launched,
    /** The eight bytes of the counter, in network order. */
    counter: turned(cat(snic, launch, number)),
    /** The number is taken, or is not. */
    step: (taken: Bit): void => {
      when(begins, () => {
        launched.set(1);
        snic.set(config.data.bits(launchBits, snicBits));
        launch.set(asked);
        number.set(0);
      }).elseWhen(taken, () => {
        number.set(number.add(1));
        // The last one has been used.
        when(number.all(), () => launched.set(0));
      });
    },
  };
}
