import { CheckFailed } from "../../../shared/command-line/index.ts";
import type { Definition } from "../../../shared/evaluation/index.ts";
import { withClients } from "../measure/clients.ts";
import { boardGbps, network } from "../measure/given.ts";
import { mulberry32, Random } from "../../../../hdl-dsl/index.ts";

/**
 * Bytes of an image of 256 x 256 pixels and of its compressed form, and of a packet's data with its headers
 * on the line.
 */
const imageBytes = 256 * 256,
  compressedBytes = imageBytes / 2,
  packetBytes = 1444,
  packetOnLine = packetBytes + 70 + 24;
const stations = 4;

/** µs that a number of clients' images take on the board's port, first read by all, then written by all. */
const portTime = (clients: number): number =>
  (((clients * (imageBytes + compressedBytes)) / packetBytes) * packetOnLine * 8) / boardGbps / 1000;

/**
 * µs from the start until the slowest of some clients, a process each, has read its image and written
 * the compressed one.
 */
async function transfer(clients: number, seed: number): Promise<number> {
  return withClients("images", { seed, clients: Math.min(stations, clients) }, async rig => {
    const images = await Promise.all(
      Array.from({ length: clients }, async (_, i) => {
        const thread = (
          await (rig.clients[i % rig.clients.length] as NonNullable<(typeof rig.clients)[0]>).createProcess(rig.address)
        ).thread();
        const image = await thread.ralloc(imageBytes, { populate: true }),
          compressed = await thread.ralloc(compressedBytes, { populate: true });
        const data = new Random(seed + i, mulberry32).bytes(imageBytes);
        await thread.rwrite(image, data);
        return { thread, image, compressed, data };
      }),
    );
    await rig.pause(20_000);
    const from = rig.now();
    await Promise.all(
      images.map(async ({ thread, image, compressed, data }) => {
        let read: Uint8Array = new Uint8Array();
        await rig.timed(async () => {
          read = await thread.rread(image, imageBytes);
        });
        if (read.some((b, i) => b !== data[i])) throw new CheckFailed("an image of figure 4.16 is read wrong");
        await rig.timed(() => thread.rwrite(compressed, data.subarray(0, compressedBytes)));
      }),
    );
    return (rig.now() - from) / 1000;
  });
}

/** The memory traffic of image compression, by clients. */
export const figure416: Definition = {
  number: "4.16",
  title: "Image compression: its traffic",
  paper: [
    ["4.7.2", "More clients do not change the run time of each."],
    ["4.7.2", "RDMA does not scale: every client needs an MR of its own."],
  ],
  given: [
    ...network,
    {
      what: "images",
      value: `${imageBytes} B read and ${compressedBytes} B written for each`,
      source: "paper 4.7.2: 256*256 pixels; assumed: a byte for a pixel, compressed to half",
    },
  ],
  notes: [
    "Compression itself, which fills the run time in the paper, is not modelled. Every client reads its image and writes the compressed one at once, each in an address space of its own. So the clients share the port. The time beyond the port's own for all their bytes stays the same.",
    "RDMA is not modelled.",
  ],
  sizes: [
    { what: "image", paper: "256*256 pixels", here: "256*256 bytes" },
    {
      what: "images of a client",
      paper: "1000",
      here: "1: each takes the port some 80 µs, and 1000 for 16 clients would take hours of simulation",
    },
  ],
  measure: async ({ seed, quick }) => {
    const counts = quick ? [1, 4] : [1, 2, 4, 8, 16],
      found: { x: number; y: number }[] = [];
    for (const x of counts) found.push({ x, y: await transfer(x, seed) });
    const alone = found[0]?.y ?? 0;
    return {
      plots: [
        {
          title: "One image for each client, all at once",
          kind: "lines",
          x: { label: "number of clients (processes)", scale: "log2" },
          y: { label: "last has ended after", unit: "µs", scale: "linear" },
          series: [
            { name: "measured", standing: "calibrated", points: found },
            {
              name: "one client alone, and the port's time for the others' images",
              standing: "calibrated",
              points: counts.map(x => ({ x, y: alone + portTime(x) - portTime(1) })),
            },
          ],
        },
      ],
      claims: [
        [
          "no client costs more than its bytes on the port: within 10 µs",
          {
            kind: "above",
            series: "measured",
            base: "one client alone, and the port's time for the others' images",
            least: -1000,
            most: 10,
          },
        ],
      ],
    };
  },
};
