// A raw Ethernet station for tests, as the published client is one: frames from standard input go out on a device, frames that come in
// on it go to standard output, each with its length in front (16 bits, little-endian). Says `ok` on one line first, or `error ...`.
#include <arpa/inet.h>
#include <cerrno>
#include <cstdint>
#include <cstdio>
#include <cstring>
#include <linux/if_packet.h>
#include <net/ethernet.h>
#include <net/if.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>
#include <vector>

int main(int argc, char** argv) {
  const int s = argc == 2 ? socket(AF_PACKET, SOCK_RAW, htons(ETH_P_ALL)) : -1;
  sockaddr_ll at{};
  at.sll_family = AF_PACKET;
  at.sll_protocol = htons(ETH_P_ALL);
  at.sll_ifindex = argc == 2 ? static_cast<int>(if_nametoindex(argv[1])) : 0;
  if (s < 0 || at.sll_ifindex == 0 || bind(s, reinterpret_cast<sockaddr*>(&at), sizeof at) != 0) {
    dprintf(STDOUT_FILENO, "error no raw socket on the device (%s)\n", strerror(errno));
    return 2;
  }
  dprintf(STDOUT_FILENO, "ok\n");
  std::vector<uint8_t> waiting, frame(2 + 65536);
  pollfd fds[2] = {{STDIN_FILENO, POLLIN, 0}, {s, POLLIN, 0}};
  while (poll(fds, 2, -1) >= 0) {
    if (fds[0].revents != 0) {
      uint8_t data[65536];
      const ssize_t n = read(STDIN_FILENO, data, sizeof data);
      if (n <= 0) return 0;
      waiting.insert(waiting.end(), data, data + n);
      size_t done = 0;
      for (;;) {
        if (done + 2 > waiting.size()) break;
        const size_t length = waiting[done] | waiting[done + 1] << 8;
        if (done + 2 + length > waiting.size()) break;
        if (send(s, waiting.data() + done + 2, length, 0) < 0) return 1;
        done += 2 + length;
      }
      waiting.erase(waiting.begin(), waiting.begin() + static_cast<std::ptrdiff_t>(done));
    }
    if (fds[1].revents != 0) {
      sockaddr_ll from{};
      socklen_t size = sizeof from;
      const ssize_t n = recvfrom(s, frame.data() + 2, frame.size() - 2, 0, reinterpret_cast<sockaddr*>(&from), &size);
      // What this machine itself sends is seen as well.
      if (n <= 0 || from.sll_pkttype == PACKET_OUTGOING) continue;
      frame[0] = static_cast<uint8_t>(n & 0xff);
      frame[1] = static_cast<uint8_t>(n >> 8);
      if (write(STDOUT_FILENO, frame.data(), 2 + static_cast<size_t>(n)) != 2 + n) return 1;
    }
  }
  return 1;
}
