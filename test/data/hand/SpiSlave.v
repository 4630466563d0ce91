// SPI slave: 8 bits, highest first, four modes, sampled by clk (half a period of sck is 5 clocks or more).
module SpiSlave (
  input  wire       clk,
  input  wire       rst,
  input  wire       cpol,
  input  wire       cpha,
  input  wire       sck,
  input  wire       cs_n,
  input  wire       mosi,
  output wire       miso,
  output wire       miso_enable,
  input  wire       to_send_valid,
  output wire       to_send_ready,
  input  wire [7:0] to_send_payload,
  output wire       received_valid,
  input  wire       received_ready,
  output wire [7:0] received_payload,
  output wire       overrun,
  output wire       underrun
);
  (* async_reg = "true" *) reg sck_meta;
  (* async_reg = "true" *) reg sck_sync;
  (* async_reg = "true" *) reg cs_meta;
  (* async_reg = "true" *) reg cs_sync;
  (* async_reg = "true" *) reg mosi_meta;
  (* async_reg = "true" *) reg mosi_sync;
  reg sck_d;
  reg cs_d;

  always @(posedge clk)
    if (rst) begin
      sck_meta <= 1'b0;
      sck_sync <= 1'b0;
      sck_d <= 1'b1;
      cs_meta <= 1'b1;
      cs_sync <= 1'b1;
      cs_d <= 1'b1;
      mosi_meta <= 1'b0;
      mosi_sync <= 1'b0;
    end
    else begin
      sck_meta <= sck;
      sck_sync <= sck_meta;
      sck_d <= sck_sync;
      cs_meta <= cs_n;
      cs_sync <= cs_meta;
      cs_d <= cs_sync;
      mosi_meta <= mosi;
      mosi_sync <= mosi_meta;
    end

  wire selected = !cs_sync;
  wire rising = sck_sync && !sck_d;
  wire falling = !sck_sync && sck_d;
  wire sample = selected && (cpol == cpha ? rising : falling);
  wire change = selected && (cpol == cpha ? falling : rising);

  reg [2:0] bit_count;
  reg [6:0] rx_shift;
  reg [7:0] tx_shift;
  reg tx_loaded;

  wire first_bit = bit_count == 3'd0;
  wire load = (change && first_bit) || (selected && cs_d && !cpha);
  wire begin_word = sample && first_bit;
  wire end_word = sample && bit_count == 3'd7;

  always @(posedge clk)
    if (rst || !selected)
      bit_count <= 3'd0;
    else if (sample)
      bit_count <= bit_count + 3'd1;

  always @(posedge clk)
    if (sample)
      rx_shift <= {rx_shift[5:0], mosi_sync};

  always @(posedge clk)
    if (load)
      tx_shift <= to_send_valid ? to_send_payload : 8'd0;
    else if (change)
      tx_shift <= {tx_shift[6:0], 1'b0};

  always @(posedge clk)
    if (rst)
      tx_loaded <= 1'b0;
    else if (load)
      tx_loaded <= to_send_valid;

  reg full;
  reg [7:0] held;
  wire room = !full || received_ready;

  always @(posedge clk)
    if (rst)
      full <= 1'b0;
    else if (room)
      full <= end_word;

  always @(posedge clk)
    if (end_word && room)
      held <= {rx_shift, mosi_sync};

  assign miso = tx_shift[7];
  assign miso_enable = selected;
  assign to_send_ready = begin_word && tx_loaded;
  assign received_valid = full;
  assign received_payload = held;
  assign overrun = end_word && !room;
  assign underrun = begin_word && !tx_loaded;
endmodule
