// SPI master: 8 bits, highest first, four modes, two chip selects; half a period is divisor + 1 clocks.
module SpiMaster (
  input  wire       clk,
  input  wire       rst,
  input  wire       cpol,
  input  wire       cpha,
  input  wire [7:0] divisor,
  input  wire       command_valid,
  output wire       command_ready,
  input  wire [7:0] command_payload_data,
  input  wire       command_payload_slave,
  input  wire       command_payload_last,
  output wire       reply_valid,
  input  wire       reply_ready,
  output wire [7:0] reply_payload,
  output wire       sck,
  output wire       mosi,
  input  wire       miso,
  output reg  [1:0] cs_n
);
  localparam [1:0] IDLE = 2'd0, XFER = 2'd1, HOLD = 2'd2, GAP = 2'd3;
  reg [1:0] state;
  reg [7:0] count;
  reg [3:0] edges_left;
  reg clk_out;
  reg last;
  reg [7:0] tx_shift;
  reg [7:0] rx_shift;
  reg done;

  wire accept = command_valid && command_ready;
  wire half_done = count == 8'd0;
  wire edge_now = state == XFER && half_done;
  wire xfer_end = edge_now && edges_left == 4'd0;
  wire sample = edge_now && clk_out == cpha;
  wire shift = edge_now && clk_out != cpha && !(cpha && edges_left == 4'd15);

  assign command_ready = state == IDLE && !done;
  assign reply_valid = done;
  assign reply_payload = rx_shift;
  assign sck = clk_out ^ cpol;
  assign mosi = tx_shift[7];

  always @(posedge clk)
    if (rst)
      state <= IDLE;
    else
      case (state)
        IDLE: if (accept) state <= XFER;
        XFER: if (xfer_end) state <= last ? HOLD : IDLE;
        HOLD: if (half_done) state <= GAP;
        default: if (half_done) state <= IDLE;
      endcase

  always @(posedge clk)
    if (rst)
      count <= 8'd0;
    else if (accept || (half_done && (state == XFER || state == HOLD)))
      count <= divisor;
    else if (!half_done)
      count <= count - 8'd1;

  always @(posedge clk)
    if (accept)
      edges_left <= 4'd15;
    else if (edge_now)
      edges_left <= edges_left - 4'd1;

  always @(posedge clk)
    if (rst)
      clk_out <= 1'b0;
    else if (edge_now)
      clk_out <= ~clk_out;

  always @(posedge clk)
    if (rst)
      cs_n <= 2'b11;
    else if (accept)
      cs_n <= command_payload_slave ? 2'b01 : 2'b10;
    else if (state == HOLD && half_done)
      cs_n <= 2'b11;

  always @(posedge clk)
    if (accept) begin
      tx_shift <= command_payload_data;
      last <= command_payload_last;
    end
    else if (shift)
      tx_shift <= {tx_shift[6:0], 1'b0};

  always @(posedge clk)
    if (sample)
      rx_shift <= {rx_shift[6:0], miso};

  always @(posedge clk)
    if (rst)
      done <= 1'b0;
    else if (xfer_end)
      done <= 1'b1;
    else if (reply_ready)
      done <= 1'b0;
endmodule
