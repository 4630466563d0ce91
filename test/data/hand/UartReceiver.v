// UART receiver: 8 data bits, optional parity (none 0, space 4, mark 5, even 6, odd 7), one stop bit checked.
// A bit takes divisor + 1 clocks. Two synchronising flip-flops, majority of three, one character held.
module UartReceiver (
  input  wire        clk,
  input  wire        rst,
  input  wire        rxd,
  input  wire [15:0] divisor,
  input  wire [2:0]  parity,
  output wire        to_valid,
  input  wire        to_ready,
  output wire [7:0]  to_payload_data,
  output wire        to_payload_parity_error,
  output wire        to_payload_framing_error,
  output wire        overrun
);
  (* async_reg = "true" *) reg rxd_meta;
  (* async_reg = "true" *) reg rxd_sync;
  reg rxd_d1;
  reg rxd_d2;
  reg line_d;

  wire line = (rxd_sync & rxd_d1) | (rxd_sync & rxd_d2) | (rxd_d1 & rxd_d2);

  always @(posedge clk)
    if (rst) begin
      rxd_meta <= 1'b1;
      rxd_sync <= 1'b1;
      rxd_d1 <= 1'b1;
      rxd_d2 <= 1'b1;
      line_d <= 1'b1;
    end
    else begin
      rxd_meta <= rxd;
      rxd_sync <= rxd_meta;
      rxd_d1 <= rxd_sync;
      rxd_d2 <= rxd_d1;
      line_d <= line;
    end

  localparam [1:0] IDLE = 2'd0, START = 2'd1, BITS = 2'd2;
  reg [1:0] state;
  reg [15:0] baud_count;
  reg [3:0] bits_left;
  reg [7:0] data;
  reg check;

  wire tick = baud_count == 16'd0;
  wire bit_tick = state == BITS && tick;
  wire stop_tick = bit_tick && bits_left == 4'd0;
  wire parity_tick = bit_tick && parity[2] && bits_left == 4'd1;
  wire data_tick = bit_tick && !stop_tick && !parity_tick;

  always @(posedge clk)
    if (rst)
      state <= IDLE;
    else
      case (state)
        IDLE: if (line_d && !line) state <= START;
        START: if (tick) state <= line ? IDLE : BITS;
        default: if (stop_tick) state <= IDLE;
      endcase

  always @(posedge clk)
    if (state == IDLE) begin
      baud_count <= divisor >> 1;
      bits_left <= 4'd8 + {3'd0, parity[2]};
    end
    else if (tick) begin
      baud_count <= divisor;
      if (state == BITS)
        bits_left <= bits_left - 4'd1;
    end
    else
      baud_count <= baud_count - 16'd1;

  always @(posedge clk)
    if (data_tick)
      data <= {line, data[7:1]};

  always @(posedge clk)
    if (rst)
      check <= 1'b0;
    else if (data_tick || parity_tick)
      check <= line ^ (check & parity[1]);
    else if (stop_tick)
      check <= 1'b0;

  reg full;
  reg [9:0] held;
  wire room = !full || to_ready;

  always @(posedge clk)
    if (rst)
      full <= 1'b0;
    else if (room)
      full <= stop_tick;

  always @(posedge clk)
    if (stop_tick && room)
      held <= {~line, parity[2] & (check ^ parity[0]), data};

  assign to_valid = full;
  assign to_payload_data = held[7:0];
  assign to_payload_parity_error = held[8];
  assign to_payload_framing_error = held[9];
  assign overrun = stop_tick && !room;
endmodule
