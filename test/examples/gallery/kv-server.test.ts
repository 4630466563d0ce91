import "../../../examples/gallery/kv-server/test/kv-server.test.ts";
