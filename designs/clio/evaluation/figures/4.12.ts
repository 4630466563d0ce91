import type { Definition } from "../../../shared/evaluation/index.ts";
import { withClients } from "../measure/clients.ts";
import { crossing, crossingNs, network } from "../measure/given.ts";

const MB = 2 ** 20;

/** Allocation and freeing by size. */
export const figure412: Definition = {
  number: "4.12",
  title: "Allocation and freeing by size",
  paper: [
    [
      "4.7.1",
      "Physical allocation takes less than 20 µs. Virtual allocation is far faster than the registration of an RDMA MR; both slow down with the size.",
    ],
  ],
  given: [...network, crossing],
  notes: [
    "The slow path's software takes no simulated time of its own here, and neither do its writes of the page table. Only the way to the processor, the network, CLib and the hardware's shootdowns count. So ALLOC shows as flat; that the paper's gets slower with the size is not modelled.",
    "FREE waits for a shootdown of each of its pages, which the hardware carries out and acknowledges: its slope is predicted.",
    "A physical page is no allocation on the way of a request: a page fault takes it from the free-page buffer (figure 4.6).",
  ],
  measure: async ({ seed, quick }) => {
    const sizes = quick ? [4, 256] : [4, 16, 64, 256, 1024],
      alloc: { x: number; y: number }[] = [],
      free: { x: number; y: number }[] = [];
    await withClients(
      "allocation",
      { seed, clients: 1, slowPathLatency: crossingNs },
      async ({ clients, address, timed }) => {
        const [client] = clients;
        if (client === undefined) return;
        const thread = (await client.createProcess(address)).thread();
        for (const x of sizes) {
          let va = 0n;
          // A region of its own: 1 GB fills it, and page 0 of region 0 is never given.
          alloc.push({
            x,
            y:
              (await timed(async () => {
                va = await thread.ralloc(x * MB, { region: 1 });
              })) / 1000,
          });
          free.push({ x, y: (await timed(() => thread.rfree(va, x * MB))) / 1000 });
        }
      },
    );
    return {
      plots: [
        {
          title: "One call at a time, pages of 4 MB",
          kind: "lines",
          x: { label: "size of the allocation", unit: "MB", scale: "log2" },
          y: { label: "latency, end to end", unit: "µs", scale: "linear" },
          series: [
            { name: "ralloc", standing: "calibrated", points: alloc },
            { name: "rfree", standing: "calibrated", points: free },
          ],
        },
      ],
      claims: [
        ["rfree: longer for more pages", { kind: "rising", series: "rfree", slack: 0 }],
        ["ralloc: flat within 5 %, as far as it is modelled", { kind: "flat", series: "ralloc", within: 0.05 }],
      ],
    };
  },
};
