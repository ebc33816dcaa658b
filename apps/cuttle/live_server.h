#pragma once

#include <functional>
#include <memory>
#include <string>

namespace cuttle {

/// Web server of `cuttle live` and `cuttle view`, for this machine only: it listens on 127.0.0.1, gives one page at /,
/// perhaps others, and speaks WebSocket at /live. Requests whose Host is another name (a foreign site that had its name
/// point here) and WebSockets from pages of another origin are refused.
///
/// It works in a thread of its own and never waits for a client: each has at most one frame and one state waiting,
/// newer ones take their places, and a client that leaves other messages waiting is sent away.
class LiveServer {
 public:
  /// A page, or why there is none.
  struct Page {
    bool found = true;
    std::string content;  ///< HTML; plain text of one that is not found
  };
  struct Events {
    // Called in the server's thread. Without `opened` there is no WebSocket.
    std::function<void(int client)> opened, closed;
    std::function<void(int client, std::string text)> received;
    /// Called in a thread of its own, one after the other, for paths below / that are no page else. Its pages may
    /// stand in frames of the page at /.
    std::function<Page(const std::string& path)> page;
  };
  /// @param port  the first that is tried, 0: any; if it is taken, the next ones.
  /// @throws Error if there is none.
  LiveServer(std::string page, int port, Events events);
  /// Ends all connections.
  ~LiveServer();
  LiveServer(const LiveServer&) = delete;
  LiveServer& operator=(const LiveServer&) = delete;

  int port() const;
  std::string address() const;  ///< http://127.0.0.1:PORT/

  // From any thread; at once.
  void send(int client, std::string text);  ///< every such message arrives, in order
  void send_state(std::string text);        ///< to all: the newest counts
  void send_frame(std::string bytes);       ///< to all: the newest counts

 private:
  class Network;
  std::unique_ptr<Network> network_;
};

}  // namespace cuttle
