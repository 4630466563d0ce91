import "../../../examples/gallery/packet-filter/test/packet-filter.test.ts";
