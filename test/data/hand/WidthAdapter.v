// AXI-Stream width adapter, 8 bytes to 16: a wide beat goes out when its last lane, or the frame's last beat, has come.
module WidthAdapter (
  input  wire         clk,
  input  wire         rst,
  input  wire         from_valid,
  output wire         from_ready,
  input  wire [63:0]  from_payload_data,
  input  wire [7:0]   from_payload_keep,
  input  wire         from_payload_last,
  output wire         to_valid,
  input  wire         to_ready,
  output wire [127:0] to_payload_data,
  output wire [15:0]  to_payload_keep,
  output wire         to_payload_last
);
  reg lane;
  reg full;
  reg [127:0] data;
  reg [15:0] keep;
  reg last;

  wire take = from_valid & from_ready;

  assign from_ready = ~full | to_ready;
  assign to_valid = full;
  assign to_payload_data = data;
  assign to_payload_keep = keep;
  assign to_payload_last = last;

  always @(posedge clk)
    if (rst) begin
      lane <= 1'b0;
      full <= 1'b0;
    end
    else begin
      if (to_ready) full <= 1'b0;
      if (take) begin
        lane <= ~lane & ~from_payload_last;
        if (from_payload_last | lane) full <= 1'b1;
      end
    end

  always @(posedge clk)
    if (take) begin
      if (lane) begin
        data[127:64] <= from_payload_data;
        keep[15:8] <= from_payload_keep;
      end
      else begin
        data[63:0] <= from_payload_data;
        keep <= {8'd0, from_payload_keep};
      end
      last <= from_payload_last;
    end
endmodule
