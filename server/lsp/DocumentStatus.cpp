#include "lsp/DocumentStatus.h"

namespace picket {

const char *nameOf(CheckState S) {
  switch (S) {
  case CheckState::Unchecked: return "unchecked";
  case CheckState::Waiting: return "waiting";
  case CheckState::Checking: return "checking";
  case CheckState::Done: return "done";
  case CheckState::Quiet: return "quiet";
  case CheckState::Cancelled: return "cancelled";
  case CheckState::Failed: return "failed";
  }
  return "?";
}

const FixAnswer *DocumentStatus::answerTo(const FixQuestion &Question) const {
  for (const std::shared_ptr<const FixAnswer> &Answer : Fixes)
    if (Answer->Asked == Question)
      return Answer.get();
  return nullptr;
}

} // namespace picket
