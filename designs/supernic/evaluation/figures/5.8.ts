import type { Definition, Series } from "../../../shared/evaluation/index.ts";
import { capEx, prices, racks, saved } from "../epochs/index.ts";

const bars = (name: string, of: (rack: (typeof racks)[number]) => number): Series => ({
  name,
  standing: "calibrated",
  points: racks.map(x => ({ x, y: of(x) })),
});

/** What the network of a rack costs for each endpoint. */
export const figure58: Definition = {
  number: "5.8",
  title: "Cost of a rack's network for each endpoint",
  paper: [
    [
      "5.7.1",
      "Against a rack without disaggregation the middle layer saves 52 % for each endpoint, and a pool at the switch 18 %. Multi-host NICs and NIC-enhanced switches cost more than sNICs, and the switches more than the traditional rack.",
    ],
  ],
  given: [
    {
      what: "prices",
      value: `NIC $${prices.nic}, cable $${prices.cable}, switch port $${prices.port}`,
      source: "paper 5.7.1: market prices",
    },
    {
      what: "what an endpoint keeps with an sNIC",
      value: `${100 * prices.nicLeft} % of a NIC; ${100 * prices.cableLeft} % of a cable to the middle layer`,
      source: "paper 5.7.1: its own estimates",
    },
    {
      what: "an endpoint's part of an sNIC",
      value: `$${prices.snic.toFixed(0)}: what the saving of ${100 * saved.middle} % of the middle layer leaves for it`,
      source: "derived: paper 5.7.1 has no price of an sNIC",
    },
    {
      what: "tasks provisioned for the peak of the sum, by the sum of peaks",
      value: `${prices.consolidation}`,
      source: "paper 5.2.1: one magnitude less for a rack",
    },
  ],
  notes: [
    "Middle, at switch: pools of sNICs. Multi, enhanced: multi-host NICs, and switches with NICs, where sNICs would be.",
    "The saving of the middle layer sets the price of an sNIC. The saving of the pool at the switch was not put in: that it comes out as the paper has it is what this figure can fail at.",
    "What is left of a NIC beyond PHY and link is taken for its tasks. So an sNIC without consolidation would cost as much more as these tasks do; a multi-host NIC or a switch with NICs has them whole.",
    "The paper's appendix with the calculation is not part of its text, so its other prices are unknown.",
  ],
  measure: () => {
    const traditional = capEx("traditional");
    return Promise.resolve({
      plots: [
        {
          title: "One endpoint",
          kind: "bars",
          x: { label: "rack", scale: "category" },
          y: { label: "cost", unit: "$", scale: "linear" },
          series: [bars("cost", capEx), bars("traditional rack", () => traditional)],
        },
        {
          title: "Saved against the traditional rack",
          kind: "bars",
          x: { label: "pool", scale: "category" },
          y: { label: "saved", unit: "%", scale: "linear" },
          series: [
            {
              name: "here",
              standing: "calibrated",
              points: (["middle", "at switch"] as const).map(x => ({ x, y: 100 * (1 - capEx(x) / traditional) })),
            },
            {
              name: "the paper's text",
              standing: "calibrated",
              points: [
                { x: "middle", y: 100 * saved.middle },
                { x: "at switch", y: 100 * saved.switchAttached },
              ],
            },
          ],
        },
        {
          title: "Dearer than an sNIC in the same place",
          kind: "bars",
          x: { label: "instead of an sNIC", scale: "category" },
          y: { label: "cost", unit: "$", scale: "linear" },
          series: [
            {
              name: "without consolidation",
              standing: "calibrated",
              points: [
                { x: "multi", y: capEx("multi") },
                { x: "enhanced", y: capEx("enhanced") },
              ],
            },
            {
              name: "sNIC",
              standing: "calibrated",
              points: [
                { x: "multi", y: capEx("middle") },
                { x: "enhanced", y: Math.max(traditional, capEx("at switch")) },
              ],
            },
          ],
        },
      ],
      claims: [
        [
          "both savings are the paper's, to a point",
          { kind: "above", series: "here", base: "the paper's text", least: -1, most: 1 },
        ],
        [
          "a multi-host NIC costs more than the middle layer; switches with NICs more than the pool and the traditional rack",
          { kind: "above", series: "without consolidation", base: "sNIC", least: 50, most: 1000 },
        ],
      ],
    });
  },
};
