// What the confined processes of a command and their supervisor say to each other, in packets of a local socket. The
// kernel tells the supervisor which process sent a packet.
#pragma once

#include "Supervision.h"

#include <sys/types.h>

namespace picket::supervisor {

enum class Message : char {
  Watch = 'w', // Limits; the sender is watched from now on
  Unwatch = 'u',
  OutputBegins = 'o',
  AskReason = 'r', // why the watched process was ended: answered with a letter
  AskStage = 's',  // what it was doing
  Data = 'd',      // a part of what follows
  Write = 'f',     // the files that the data holds: answered with a sentence
  Exit = 'x'       // the exit code
};

struct Packet {
  Message What = Message::Unwatch;
  pid_t Sender = 0;
  std::string Payload;
};

struct Limits {
  Stage During = Stage::Checking;
  double Seconds = 0;
  uint64_t Bytes = 0;
};

/// The ends of the supervisor and of the others.
bool connectPair(int &Here, int &There);

// In the confined processes. A supervisor that is gone ends them.
void send(int To, Message What);
void sendWatch(int To, const Limits &Given);
void sendExit(int To, int Code);
char askReason(int To);
Stage askStage(int To);
std::string askToWrite(int To, const std::vector<FileChange> &Changes);

// In the supervisor, which believes nothing.
/// False: all others are gone.
bool receive(int From, Packet &Got);
void reply(int To, const std::string &Text);
std::optional<Limits> limitsIn(const Packet &Got);
int exitCode(const Packet &Got);
std::optional<std::vector<FileChange>> changesIn(const std::string &Data);

/// Memory of a process that is its own and no file's; 0 if it is gone.
uint64_t anonymousBytes(pid_t Process);

} // namespace picket::supervisor
