import { connect, instance, map, module, sink, source, stage, struct, uint } from "mnemosyne";
import { AesRound, Between } from "./aes-round.ts";

const rounds = 10;
export const Job = struct({ key: uint(128), block: uint(128) });

/**
 * Encrypts a block of 128 bits with AES-128 (FIPS 197), each with a key of its own. Latency 21 cycles: one for the
 * first key, two for each of 10 rounds. A block a cycle. It holds 21 blocks and then waits; they keep their order.
 */
export const Aes128 = module(
  "Aes128",
  () => ({ from: sink(Job), to: source(uint(128)) }),
  io => {
    const whitened = map(io.from, Between, v => ({ state: v.block.xor(v.key), key: v.key, constant: 1 }));
    let before = stage(whitened, "forward");
    for (let i = 1; i <= rounds; i++) {
      const round = instance(`round${i}`, AesRound({ last: i === rounds }));
      connect(before, round.from);
      before = round.to;
    }
    connect(
      map(before, uint(128), v => v.state),
      io.to,
    );
  },
);
