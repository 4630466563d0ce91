/** DMA: copies in memory, as descriptors in memory say. */
export { AxiDma, type AxiDmaParameters } from "./dma.ts";
export { DESCRIPTOR_BYTES, descriptorAt, DmaCounts, DmaEvent, dmaStatus } from "./descriptor.ts";
