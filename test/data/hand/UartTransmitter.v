// UART transmitter: 8 data bits, optional parity (none 0, space 4, mark 5, even 6, odd 7), 1 or 2 stop bits.
// A bit takes divisor + 1 clocks. A shift register and a count of the bits that are left.
module UartTransmitter (
  input  wire        clk,
  input  wire        rst,
  input  wire [15:0] divisor,
  input  wire [2:0]  parity,
  input  wire        two_stops,
  input  wire        from_valid,
  output wire        from_ready,
  input  wire [7:0]  from_payload,
  output wire        txd,
  output wire        busy
);
  reg [9:0] frame;
  reg [3:0] bits_left;
  reg [15:0] baud_count;

  wire baud_tick = baud_count == 16'd0;
  wire idle = baud_tick && bits_left == 4'd0;
  wire load = idle && from_valid;
  wire parity_bit = parity[0] ^ (parity[1] & ^from_payload);
  wire [1:0] extra_bits = {1'b0, parity[2]} + {1'b0, two_stops};

  assign from_ready = idle;
  assign txd = frame[0];
  assign busy = !idle;

  // Bit period.
  always @(posedge clk)
    if (rst)
      baud_count <= 16'd0;
    else if (!baud_tick)
      baud_count <= baud_count - 16'd1;
    else if (load || bits_left != 4'd0)
      baud_count <= divisor;

  // Frame: start bit first, ones behind the last.
  always @(posedge clk)
    if (rst)
      frame <= 10'h3ff;
    else if (load)
      frame <= {parity[2] ? parity_bit : 1'b1, from_payload, 1'b0};
    else if (baud_tick)
      frame <= {1'b1, frame[9:1]};

  always @(posedge clk)
    if (rst)
      bits_left <= 4'd0;
    else if (load)
      bits_left <= 4'd9 + {2'd0, extra_bits};
    else if (baud_tick && bits_left != 4'd0)
      bits_left <= bits_left - 4'd1;
endmodule
