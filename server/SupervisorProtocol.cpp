#include "SupervisorProtocol.h"

#include <algorithm>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <sys/socket.h>
#include <unistd.h>

namespace picket::supervisor {

static constexpr size_t LargestPacket = 32 << 10;

bool connectPair(int &Here, int &There) {
  int Ends[2];
  const int Yes = 1;
  if (socketpair(AF_UNIX, SOCK_SEQPACKET | SOCK_CLOEXEC, 0, Ends) != 0)
    return false;
  Here = Ends[0];
  There = Ends[1];
  return setsockopt(Here, SOL_SOCKET, SO_PASSCRED, &Yes, sizeof Yes) == 0;
}

static void sendBytes(int To, Message What, const void *Bytes, size_t Size) {
  char Buffer[LargestPacket + 1];
  Buffer[0] = static_cast<char>(What);
  if (Size)
    std::memcpy(Buffer + 1, Bytes, Size);
  while (write(To, Buffer, Size + 1) < 0)
    if (errno != EINTR)
      _exit(1); // it is gone
}

static std::string ask(int To, Message What) {
  sendBytes(To, What, nullptr, 0);
  char Buffer[LargestPacket];
  ssize_t N;
  while ((N = read(To, Buffer, sizeof Buffer)) < 0 && errno == EINTR)
    ;
  if (N <= 0)
    _exit(1);
  return std::string(Buffer + 1, static_cast<size_t>(N - 1));
}

void send(int To, Message What) { sendBytes(To, What, nullptr, 0); }
void sendWatch(int To, const Limits &Given) { sendBytes(To, Message::Watch, &Given, sizeof Given); }
void sendExit(int To, int Code) { sendBytes(To, Message::Exit, &Code, sizeof Code); }

char askReason(int To) {
  const std::string Answer = ask(To, Message::AskReason);
  return Answer.empty() ? '-' : Answer[0];
}

Stage askStage(int To) { return ask(To, Message::AskStage) == "c" ? Stage::Compiling : Stage::Checking; }

/// Texts with their lengths in front.
static void put(std::string &To, const std::string &Text) {
  const uint64_t Size = Text.size();
  To.append(reinterpret_cast<const char *>(&Size), sizeof Size);
  To += Text;
}

static bool take(const std::string &From, size_t &At, std::string &Text) {
  uint64_t Size = 0;
  if (From.size() - At < sizeof Size)
    return false;
  std::memcpy(&Size, From.data() + At, sizeof Size);
  At += sizeof Size;
  if (Size > From.size() - At)
    return false;
  Text = From.substr(At, Size);
  At += Size;
  return true;
}

std::string askToWrite(int To, const std::vector<FileChange> &Changes) {
  std::string Data;
  for (const FileChange &C : Changes) {
    put(Data, C.File);
    put(Data, C.Text);
    put(Data, C.Expected ? "=" + *C.Expected : "");
  }
  for (size_t Sent = 0; Sent < Data.size(); Sent += LargestPacket)
    sendBytes(To, Message::Data, Data.data() + Sent, std::min(LargestPacket, Data.size() - Sent));
  return ask(To, Message::Write);
}

bool receive(int From, Packet &Got) {
  char Buffer[LargestPacket + 1];
  alignas(cmsghdr) char Control[CMSG_SPACE(sizeof(ucred))];
  iovec Into = {Buffer, sizeof Buffer};
  msghdr Header = {};
  Header.msg_iov = &Into;
  Header.msg_iovlen = 1;
  Header.msg_control = Control;
  Header.msg_controllen = sizeof Control;
  ssize_t N;
  while ((N = recvmsg(From, &Header, MSG_CMSG_CLOEXEC)) < 0 && errno == EINTR)
    ;
  if (N <= 0)
    return false;
  Got.What = static_cast<Message>(Buffer[0]);
  Got.Payload.assign(Buffer + 1, static_cast<size_t>(N - 1));
  Got.Sender = 0;
  for (cmsghdr *Part = CMSG_FIRSTHDR(&Header); Part; Part = CMSG_NXTHDR(&Header, Part))
    if (Part->cmsg_level == SOL_SOCKET && Part->cmsg_type == SCM_CREDENTIALS) {
      ucred Who;
      std::memcpy(&Who, CMSG_DATA(Part), sizeof Who);
      Got.Sender = Who.pid;
    }
  return true;
}

void reply(int To, const std::string &Text) {
  const std::string Packet = "=" + Text.substr(0, LargestPacket - 1);
  ::send(To, Packet.data(), Packet.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
}

std::optional<Limits> limitsIn(const Packet &Got) {
  Limits Given;
  if (Got.Payload.size() != sizeof Given)
    return std::nullopt;
  std::memcpy(&Given, Got.Payload.data(), sizeof Given);
  return Given;
}

int exitCode(const Packet &Got) {
  int Code = 1;
  if (Got.Payload.size() == sizeof Code)
    std::memcpy(&Code, Got.Payload.data(), sizeof Code);
  return Code;
}

std::optional<std::vector<FileChange>> changesIn(const std::string &Data) {
  std::vector<FileChange> Changes;
  for (size_t At = 0; At < Data.size();) {
    FileChange C;
    std::string Expected;
    if (!take(Data, At, C.File) || !take(Data, At, C.Text) || !take(Data, At, Expected))
      return std::nullopt;
    if (!Expected.empty())
      C.Expected = Expected.substr(1);
    Changes.push_back(std::move(C));
  }
  return Changes;
}

uint64_t anonymousBytes(pid_t Process) {
  const std::string Name = "/proc/" + std::to_string(Process) + "/statm";
  unsigned long long Resident = 0, Shared = 0;
  if (std::FILE *File = std::fopen(Name.c_str(), "re")) {
    if (std::fscanf(File, "%*u %llu %llu", &Resident, &Shared) != 2)
      Resident = Shared = 0;
    std::fclose(File);
  }
  return Resident > Shared ? (Resident - Shared) * static_cast<uint64_t>(sysconf(_SC_PAGESIZE)) : 0;
}

} // namespace picket::supervisor
