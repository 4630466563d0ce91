// AXI-Stream width adapter, 64 bytes to 8: the lanes of a wide beat go out one by one, those past the frame's end left out.
module WidthAdapter_64_8 (
  input  wire         clk,
  input  wire         rst,
  input  wire         from_valid,
  output wire         from_ready,
  input  wire [511:0] from_payload_data,
  input  wire [63:0]  from_payload_keep,
  input  wire         from_payload_last,
  output wire         to_valid,
  input  wire         to_ready,
  output wire [63:0]  to_payload_data,
  output wire [7:0]   to_payload_keep,
  output wire         to_payload_last
);
  reg [2:0] lane;

  // The next lane has a byte.
  wire more = (lane != 3'd7) & from_payload_keep[{lane + 3'd1, 3'd0}];
  wire ends = from_payload_last & ~more;
  wire done = ends | (lane == 3'd7);

  assign from_ready = to_ready & done;
  assign to_valid = from_valid;
  assign to_payload_data = from_payload_data[{lane, 6'd0} +: 64];
  assign to_payload_keep = from_payload_keep[{lane, 3'd0} +: 8];
  assign to_payload_last = ends;

  always @(posedge clk)
    if (rst) lane <= 3'd0;
    else if (to_valid & to_ready) lane <= done ? 3'd0 : lane + 3'd1;
endmodule
